"""Large groups: find clusters among many candidates without verifying every pair.

Twenty thousand pages of one template are 200 million pairs, nearly all of which add nothing: their
documents are already joined.  So the document that would be kept is first compared with all others.
Documents that are not near it are compared along lists of documents that share a rare shingle
(`search.grouping.Prefixes`), and only across groups.  Odd sketches, whose bound is never
wrong, reject most pairs below the similarity before their shingles are compared.

Where documents share much, but not enough, this may visit more pairs than there are.  So once it
has cost as much as comparing all of them, all are compared, without looking at any list.

Nothing is missed: every pair that meets the criteria is beside the centre or shares a list, and a
pair of a list is left out only if its documents are joined already, or a bound that is never wrong
rules it out.  So clusters, kept documents and figures equal those from verifying all pairs.

One pair is listed for each document except the kept one: that with the kept document if it meets
the criteria, and otherwise that with the first near-duplicate in input order.  So it does not
depend on the order of work.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.system import without_dot
from simdup.kernels.groups import PairBounds
from simdup.model.measures import DocumentPair, MeasuredPairs, Measures
from simdup.model.table import Documents
from simdup.near.bounds import FEW_DOCUMENTS, FEW_PAIRS, Bounds
from simdup.near.candidates import Candidates
from simdup.near.clustering import Group, Identical
from simdup.near.rules import apart
from simdup.search.arrays import Bools, RowIds, hamming_distances
from simdup.search.grouping import (
    Budget,
    Forest,
    Known,
    Lists,
    connect,
    first_partners,
    possible_pairs,
    stars,
)

# The most comparisons per shingle of a large group of which not all pairs can be compared.  100,000
# messages of 120 characters would take a minute.
COMPARISONS = 1 << 12
# The same where the texts of those that are near are aligned, which costs some hundred times as
# much.
_ALIGNMENTS = 1 << 6
# The most pairs of such a group that are checked: what was found is remembered in 134 MB.
CHECKS = 1 << 23
# The most visits per document to find the pairs that are possible, and the most of these: 300 us
# and 1 kB.
_VISITS, _POSSIBLE = 1 << 12, 1 << 6
# Where each pair is in so many lists, one list of all documents takes less time.
_OFTEN = 8
# Shorter documents cost as much as one of this many characters.
_LEAST_COST = 64
NOBODY = np.zeros(0, np.int64)
# What is known of two documents: whether they are a pair, and which one may stand for the other.
_PAIR, _FIRST_TAKES, _SECOND_TAKES = np.array([1, 2, 4], np.uint8)


class LargeGroup:
    """Documents connected by candidates, known by their rows there.

    `places` (int64[n]) says in which order they would be kept.
    """

    def __init__(self, compared: Candidates, places: RowIds, directed: bool = False) -> None:
        self.compared = compared
        self._criteria = compared.criteria
        self.identical = Measures.identical(self._criteria)
        self._directed = directed  # whether a star has only what its kept document contains
        self._order = np.argsort(places)
        self._centre = int(self._order[0])  # the document to compare with all others first
        self._bounds = Bounds(compared)
        # Checked pairs: the total, and for each search of the criteria.
        self._checked = np.zeros(1 + len(self._criteria.searches), np.int64)
        self._left_out = 0  # pairs of lists that are too long to be visited
        self._known = Known(len(self))
        costs = np.maximum(self._bounds.costs, _LEAST_COST)
        affordable = self._bounds.affordable
        most = _ALIGNMENTS if self._criteria.same_facts else COMPARISONS
        self._budget = Budget(math.inf if affordable else most * float(costs.sum()))

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.compared)

    @property
    def checked(self) -> list[int]:
        """How many candidates were checked: the total, and for each search of the criteria."""
        checked: list[int] = self._checked.tolist()
        return checked

    @property
    def unchecked(self) -> int:
        """The most pairs that were left out because they would have cost too much."""
        pairs = len(self) * (len(self) - 1) // 2
        return min(self._budget.unchecked + self._left_out, pairs - int(self._checked[0]))

    def components(self) -> RowIds:
        """Return the cluster of each document, by the smallest document in it."""
        roots = np.arange(len(self))
        near = [*self._centre_pairs, self._centre]
        roots[near] = min(near)
        if len(near) < len(self):
            roots = connect(*self._lists, roots, self._near, self._budget)
        return roots

    def stars(self, among: NDArray[np.bool_] | None = None) -> RowIds:
        """Return the kept document of each document.

        With `among` (bool[n], with the centre), only those are visited and taken; each other
        document keeps itself.
        """
        taken = self._taken_by_centre
        left = np.ones(len(self), np.bool_) if among is None else among.copy()
        centres = np.arange(len(self))
        centres[left & taken] = self._centre
        left &= ~taken
        order = self._order[left[self._order]]
        if len(order):
            found = stars(*self._lists, order, self._taking, self._budget, self._directed)
            centres[order] = found[order]
        return centres

    def beside(self, centres: RowIds, others: RowIds) -> dict[int, DocumentPair]:
        """Return the pairs (centres[k], others[k]) that meet the criteria, by the other document.

        The pairs need not be candidates.
        """
        known = self._centre_pairs
        same = np.isin(others, list(known)) & (centres == self._centre)
        near = {other: known[other] for other in others[same].tolist()}
        return near | self._pairs(centres[~same], others[~same])

    def firsts(
        self, places: RowIds, parts: RowIds | None = None
    ) -> dict[int, tuple[int, DocumentPair]]:
        """Return, for each of `places`, the first document it is paired with, and the pair.

        With `parts` (int64[n]), it is the first one of another part; -1 is none.
        """
        if not len(places):
            return {}
        partners = first_partners(*self._lists, places, self._near, self._budget, parts)
        # The centre may have twins, which need its first partner; lists need not have it.
        partners[places == self._centre] = min(self._centre_pairs, default=-1)
        return self._paired(partners, places)

    def holders(self, places: RowIds) -> dict[int, tuple[int, DocumentPair]]:
        """Return the first reference that contains each of `places`, if any, and the pair.

        These are not in the star of the centre.
        """
        references = self.compared.documents["reference"]
        places = places[~references[places]]
        if not self._directed or not len(places):
            return {}

        def holding(i: RowIds, j: RowIds) -> Bools:
            return self._taking(j, i)

        parts = np.where(references, 0, -1)
        partners = first_partners(*self._lists, places, holding, self._budget, parts, True)
        return self._paired(partners, places)

    def _paired(self, partners: RowIds, places: RowIds) -> dict[int, tuple[int, DocumentPair]]:
        """Return the pairs of places with their partners, which are -1 for none; see `firsts`."""
        found = partners >= 0
        pairs = self._pairs(partners[found], places[found])
        partner_of = dict(
            zip(places.tolist(), self.compared.numbers[partners].tolist(), strict=True)
        )
        return {place: (partner_of[place], pair) for place, pair in pairs.items()}

    @cached_property
    def _centre_pairs(self) -> dict[int, DocumentPair]:
        """The pairs of the centre with other documents, by the other document."""
        others = np.delete(np.arange(len(self)), self._centre)
        some = others[self._afford(np.full(len(others), self._centre), others)]
        centres = np.full(len(some), self._centre)
        pairs, good = self._measure(centres, some)
        self._known.add(centres, some, self._codes(pairs))
        return dict(zip(some[good].tolist(), pairs.take(good).each(), strict=True))

    @property
    def _taken_by_centre(self) -> NDArray[np.bool_]:
        """Which documents are in the star of the centre, which is one of them."""
        centre = int(self.compared.numbers[self._centre])
        taken = np.zeros(len(self), np.bool_)
        taken[self._centre] = True
        for other, pair in self._centre_pairs.items():
            taken[other] = not self._directed or pair.taken_by(centre, self._criteria)
        return taken

    def _pairs(self, i: RowIds, j: RowIds) -> dict[int, DocumentPair]:
        """Return the pairs (i[k], j[k]) that meet the criteria, by j."""
        pairs, good = self._measure(i, j)
        return dict(zip(j[good].tolist(), pairs.take(good).each(), strict=True))

    def _measure(self, i: RowIds, j: RowIds) -> tuple[MeasuredPairs, NDArray[np.bool_]]:
        """Return the pairs (i[k], j[k]), the smaller row first, and which meet the criteria."""
        values = self.compared.documents["fingerprint"]
        pairs = self.compared.measure(self.compared.numbers[i], self.compared.numbers[j])
        distances = hamming_distances(values, i, values, j).astype(np.int64)
        good = pairs.accepted(self._criteria) & apart(*self.compared.sides(i, j))
        if self._criteria.by_distance:
            good &= distances <= self._criteria.distance
        elif not self._criteria.verify:
            good &= self.compared.test(i, j)
        return pairs.and_columns(distance=distances).ordered(), good

    def _near(self, i: RowIds, j: RowIds) -> Bools:
        """Return which pairs are candidates that meet the criteria."""
        near: Bools = self._found(i, j) & _PAIR > 0
        return near

    def _taking(self, i: RowIds, j: RowIds) -> Bools:
        """Return of which pairs j[k] is in the star of i[k], if that is kept."""
        takes = np.where(i < j, _FIRST_TAKES, _SECOND_TAKES)
        taken: Bools = self._found(i, j) & takes > 0
        return taken

    def _found(self, i: RowIds, j: RowIds) -> NDArray[np.uint8]:
        """Return what is found of pairs; only of candidates it is remembered."""
        found = np.zeros(len(i), np.uint8)
        some = np.flatnonzero(self.compared.test(i, j))
        found[some] = self._known.of(i[some], j[some], self._look)
        return found

    def _look(self, i: RowIds, j: RowIds) -> NDArray[np.uint8]:
        """Return what is found of pairs, as far as can be afforded."""
        found = np.zeros(len(i), np.uint8)
        some, numbers = self._afford(i, j), self.compared.numbers
        found[some] = self._codes(self.compared.measure(numbers[i[some]], numbers[j[some]]))
        return found

    def _codes(self, pairs: MeasuredPairs) -> NDArray[np.uint8]:
        """Return what is known of candidates that were measured."""
        near = first = second = pairs.accepted(self._criteria)
        if self._directed:
            first, second = (one.taken(self._criteria) for one in (pairs, pairs.turned()))
        found: NDArray[np.uint8] = near * _PAIR | first * _FIRST_TAKES | second * _SECOND_TAKES
        return found

    def _afford(self, i: RowIds, j: RowIds) -> RowIds:
        """Return which pairs are candidates and within the budget; these count as checked."""
        _, by = self.compared.proposals(i, j)
        some = np.flatnonzero(by.any(axis=0))
        paid = self._budget.afford(self._bounds.costs[i[some]] + self._bounds.costs[j[some]])
        room = max(CHECKS - int(self._checked[0]), 0)
        if paid > room:
            self._budget.unchecked += paid - room
            paid = room
        some = some[:paid]
        self._checked += (len(some), *np.count_nonzero(by[:, some], axis=1))
        return some

    @cached_property
    def _by_keys(self) -> Lists | None:
        """Lists in which all candidates meet, if these are few or nothing else is known."""
        lists = self.compared.lists()
        pairs = lists.count_pairs()
        sets, forms = self._bounds.sets, self._bounds.forms
        if pairs <= FEW_PAIRS * len(self) or (sets is None and forms is None):
            return lists
        # Forms leave pairs out, so the number of theirs says little.
        if sets is None or forms is not None or pairs >= sets.count_pairs(self._taken_by_centre):
            return None
        return lists

    @cached_property
    def _by_texts(self) -> Lists:
        """Lists in which all similar texts meet, except those of two in the star of the centre."""
        lists = Lists.none()
        if self._bounds.sets is not None:
            holders = self._directed and self._criteria.lossless
            sets = self._bounds.sets
            lists = sets.holder_lists() if holders else sets.lists(self._taken_by_centre)
        if self._bounds.forms is not None:  # short texts need not share a rare shingle
            of_forms, left_out = self._bounds.forms.lists()
            self._left_out = left_out
            lists = Lists.concat([lists, of_forms])
        return self.compared.of_kinds(lists)

    @cached_property
    def _lists(self) -> tuple[Lists, PairBounds]:
        """Lists in which all possible pairs meet, except those of two in the star of the centre.

        Beside them comes what rules pairs out.
        """
        lists = self._by_texts if self._by_keys is None else self._by_keys
        n, pairs, bounds = len(self), lists.count_pairs(), self._bounds.pairs
        missed = self._left_out > 0 and n <= FEW_DOCUMENTS
        if missed or (pairs > _OFTEN * n * n // 2 and self._bounds.affordable):
            self._left_out = 0
            return self.compared.of_kinds(Lists(np.zeros(n, np.int64), np.arange(n))), bounds
        # Chunks of one page share keys with many that are not similar: these are visited once.
        if FEW_PAIRS * n < pairs <= _VISITS * n:
            possible = possible_pairs(lists, bounds, self.compared.test, _POSSIBLE * n)
            if possible is not lists:
                return self.compared.of_kinds(possible), PairBounds(n, 0, 0)
        return lists, bounds


class BareGroup(NamedTuple):
    """A cluster in a large group before its pairs are known."""

    members: RowIds  # int64[n]: their places in the large group
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
    """Lists the pairs of the clusters in a large group."""

    large: LargeGroup
    copies: Identical
    documents: Documents

    def groups(self, bare: Sequence[BareGroup]) -> list[Group]:
        """Return the groups with their pairs."""
        others = [one.members[one.members != one.centre] for one in bare]
        centres = np.repeat([one.centre for one in bare], [len(some) for some in others])
        beside = self.large.beside(centres.astype(np.int64), np.concatenate([NOBODY, *others]))
        near = [self._beside_kept(group, beside) for group in bare]
        far = [self._far(*both) for both in zip(bare, near, strict=True)]
        places = np.concatenate([NOBODY, *far])
        firsts = self._partners(self.large.firsts(places))
        groups = [self._group(*both, firsts) for both in zip(bare, near, strict=True)]
        decisions = self.large.compared.criteria.decisions
        if not decisions.divide:
            return groups
        named = set(decisions.names)
        return [
            one._replace(links=self._links(one)) if self._any_named(one, named) else one
            for one in groups
        ]

    def _any_named(self, group: Group, named: set[str]) -> bool:
        names = self.documents["name"]
        return any(without_dot(str(names[one])) in named for one in group.members)

    def _beside_kept(self, group: BareGroup, pairs: dict[int, DocumentPair]) -> _Partners:
        """Return the kept document as the partner of each document near it, by number.

        `pairs` are those of the documents of all groups with the centre of theirs.
        """
        numbers = self.large.compared.numbers
        identical = self.large.identical
        centre = int(numbers[group.centre])
        # The kept document is never a pair with its twins.
        near = {} if centre in self.copies.twins else {centre: _Partner(group.kept, 0, identical)}
        others = group.members[group.members != group.centre]
        beside = {place: pairs[place] for place in others.tolist() if place in pairs}
        for place, pair in beside.items():
            number, after = int(numbers[place]), centre > numbers[place]
            near[number] = _Partner(group.kept, pair.distance, pair.measures, after)
        if np.count_nonzero(self.large.compared.documents["reference"][group.members]) > 1:
            criteria = self.large.compared.criteria
            taken = [one for one, pair in beside.items() if pair.taken_by(centre, criteria)]
            near |= self._partners(self.large.holders(others[~np.isin(others, taken)]))
        return near

    def _partners(self, firsts: dict[int, tuple[int, DocumentPair]]) -> _Partners:
        """Return the partners of documents, by number, given their pairs by place."""
        numbers = self.large.compared.numbers
        return {
            int(numbers[place]): _Partner(
                partner, pair.distance, pair.measures, partner > numbers[place]
            )
            for place, (partner, pair) in firsts.items()
        }

    def _far(self, group: BareGroup, near: _Partners) -> RowIds:
        """Return the places of documents that are not paired with the kept one."""
        numbers = self.large.compared.numbers[group.members].tolist()
        far = [n not in near or not self._may_pair(n, group.kept) for n in numbers]
        others = group.members != group.centre
        if not self.large.compared.star:
            others |= int(self.large.compared.numbers[group.centre]) in self.copies.twins
        places: RowIds = group.members[np.array(far) & others]
        return places

    def _group(self, group: BareGroup, near: _Partners, firsts: _Partners) -> Group:
        documents: list[int] = []
        pairs: set[DocumentPair] = set()
        numbers, star = self.large.compared.numbers, self.large.compared.star
        for first in numbers[group.members].tolist():
            alike = self.copies.of(first)
            if star and first == numbers[group.centre] and first in self.copies.twins:
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
        identical = self.large.identical
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
        identical = self.large.identical
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
        numbers = self.large.compared.numbers
        own = np.flatnonzero(np.isin(members, numbers))
        places = np.searchsorted(numbers, members[own])
        while True:
            parts = np.full(len(numbers), -1)
            parts[places] = forest.roots[own]
            main = forest.roots[np.searchsorted(members, group.kept)]
            found = self.large.firsts(places[parts[places] != main], parts)
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
