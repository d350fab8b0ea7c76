"""The pairs that a large family lists: one for each document except the kept one.

It is the pair with the kept document if that meets the criteria, and otherwise the pair with the
first near-duplicate in input order.  So it does not depend on the order of work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simdup.clustering.clusters import DocumentPair, Group
from simdup.model.criteria import Measures
from simdup.model.table import Documents
from simdup.search.arrays import RowIds
from simdup.search.forest import Forest
from simdup.verify.copies import Copies
from simdup.verify.families import LargeGroup


class BareGroup(NamedTuple):
    """A group of a family's documents before its pairs are known."""

    members: RowIds  # int64[n]: their places in the family
    centre: int  # the place of the kept document
    kept: int  # its number, or that of the copy of it that is kept


class _Partner(NamedTuple):
    """The other document of a pair."""

    number: int
    distance: int
    measures: Measures
    after: bool = False  # whether it, or the one it stands for, is the second that was measured

    def pair(self, document: int) -> DocumentPair:
        """Return its pair with a document, which may be a copy of the measured one."""
        measures = self.measures
        if (self.number > document) != self.after:
            measures = measures.turned()
        low, high = sorted((document, self.number))
        return DocumentPair(low, high, self.distance, measures)


_Partners = dict[int, _Partner]


@dataclass(frozen=True, slots=True)
class ShownPairs:
    """Lists the pairs of a family's groups."""

    family: LargeGroup
    copies: Copies
    documents: Documents
    star: bool  # whether documents are joined only with the kept one

    def groups(self, bare: Sequence[BareGroup]) -> list[Group]:
        """Return the groups with their pairs."""
        near = [self._beside_kept(group) for group in bare]
        far = [self._far(*both) for both in zip(bare, near, strict=True)]
        places = np.concatenate([np.zeros(0, np.int64), *far])
        firsts = self._partners(self.family.firsts(places))
        groups = [self._group(*both, firsts) for both in zip(bare, near, strict=True)]
        decisions = self.family.compared.settings.criteria.decisions
        if not decisions.divide:
            return groups
        named = set(decisions.names)
        return [
            one._replace(links=self._links(one)) if self._any_named(one, named) else one
            for one in groups
        ]

    def _any_named(self, group: Group, named: set[str]) -> bool:
        return any(str(self.documents["name"][one]) in named for one in group.members)

    def _beside_kept(self, group: BareGroup) -> _Partners:
        """Return the kept document as the partner of each document near it, by number."""
        numbers = self.family.compared.numbers
        identical = self.family.compared.settings.criteria.identical
        centre = int(numbers[group.centre])
        # The kept document is never a pair with its twins.
        near = {} if centre in self.copies.twins else {centre: _Partner(group.kept, 0, identical)}
        others = group.members[group.members != group.centre]
        beside = self.family.beside(group.centre, others)
        for place, pair in beside.items():
            number, after = int(numbers[place]), centre > numbers[place]
            near[number] = _Partner(group.kept, pair.distance, pair.measures, after)
        if np.count_nonzero(self.family.compared.documents["reference"][group.members]) > 1:
            criteria = self.family.compared.settings.criteria
            taken = [one for one, pair in beside.items() if pair.taken_by(centre, criteria)]
            near |= self._partners(self.family.holders(others[~np.isin(others, taken)]))
        return near

    def _partners(self, firsts: dict[int, tuple[int, DocumentPair]]) -> _Partners:
        """Return the partners of documents, by number, given their pairs by place."""
        numbers = self.family.compared.numbers
        return {
            int(numbers[place]): _Partner(
                partner, pair.distance, pair.measures, partner > numbers[place]
            )
            for place, (partner, pair) in firsts.items()
        }

    def _far(self, group: BareGroup, near: _Partners) -> RowIds:
        """Return the places of documents that are not paired with the kept one."""
        numbers = self.family.compared.numbers[group.members].tolist()
        far = [n not in near or not self._may_pair(n, group.kept) for n in numbers]
        others = group.members != group.centre
        if not self.star:
            others |= int(self.family.compared.numbers[group.centre]) in self.copies.twins
        places: RowIds = group.members[np.array(far) & others]
        return places

    def _group(self, group: BareGroup, near: _Partners, firsts: _Partners) -> Group:
        documents: list[int] = []
        pairs: set[DocumentPair] = set()
        numbers = self.family.compared.numbers
        for first in numbers[group.members].tolist():
            alike = self.copies.of(first)
            if self.star and first == numbers[group.centre] and first in self.copies.twins:
                alike = [group.kept]
            documents += alike
            for document in alike:
                found = self._partner(document, group.kept, near.get(first), firsts.get(first))
                if found is not None:
                    pairs.add(found.pair(document))
        return Group(group.kept, sorted(documents), sorted(pairs), complete=False)

    def _partner(
        self, document: int, kept: int, near: _Partner | None, first: _Partner | None
    ) -> _Partner | None:
        """Return the partner to list with a document; None for the kept one.

        For a copy, `near` and `first` are those of the document it is a copy of.
        """
        if document == kept:
            return None
        if near is not None and self._may_pair(document, kept):
            return near
        original = self.copies.first_of.get(document, document)
        twin = next((one for one in self.copies.of(original) if one != document), document)
        identical = self.family.compared.settings.criteria.identical
        options = [] if first is None else [first]
        copied = twin != document and original not in self.copies.twins
        if copied and self._may_pair(document, twin):
            options.append(_Partner(twin, 0, identical))
        return min(options, key=lambda one: one.number, default=None)

    def _links(self, group: Group) -> list[DocumentPair]:
        """Return the pairs that connect a group where those that it lists do not.

        Each part but that of the kept document gets its first pair with another part, in input
        order, until all are joined.
        """
        members, first_of = np.array(group.members), self.copies.first_of
        identical = self.family.compared.settings.criteria.identical
        forest = Forest(len(members))
        _join(forest, members, group.pairs)
        parts_of = dict(zip(group.members, forest.roots.tolist(), strict=True))
        links = [
            DocumentPair(first, one, 0, identical)
            for one in group.members
            if (first := first_of.get(one, one)) not in self.copies.twins
            and parts_of.get(first, parts_of[one]) != parts_of[one]
        ]
        _join(forest, members, links)
        numbers = self.family.compared.numbers
        own = np.flatnonzero(np.isin(members, numbers))
        places = np.searchsorted(numbers, members[own])
        while True:
            parts = np.full(len(numbers), -1)
            parts[places] = forest.roots[own]
            main = forest.roots[np.searchsorted(members, group.kept)]
            found = self.family.firsts(places[parts[places] != main], parts)
            chosen: dict[int, DocumentPair] = {}
            for place, (_, pair) in sorted(found.items(), key=lambda one: (one[1][0], one[0])):
                chosen.setdefault(int(parts[place]), pair)
            if not chosen:
                return links
            _join(forest, members, list(chosen.values()))
            links += chosen.values()

    def _may_pair(self, a: int, b: int) -> bool:
        references = self.documents["reference"]
        return not (references[a] and references[b])


def _join(forest: Forest, members: RowIds, pairs: Sequence[DocumentPair]) -> None:
    """Join the places of paired documents among the members, which are ascending."""
    both = np.array([(pair.a, pair.b) for pair in pairs], np.int64).reshape(-1, 2)
    forest.join(*np.searchsorted(members, both).T)
