"""Turn candidates into groups of near-duplicates.

Only the first of several identical documents is compared with others, and references are not
compared with each other.  Candidates connect documents: of up to `LARGE` every candidate is
verified, more are a large group (`simdup.near.large_groups`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.base.system import FORKS
from simdup.base.workers import Workers
from simdup.model.criteria import FEW_TERMS, Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.table import Documents, Growing
from simdup.near.bounds import Bounds
from simdup.near.candidates import LARGE, Candidates, groups_of
from simdup.near.clustering import Group, Identical, find_identical, with_distances
from simdup.near.large_groups import BareGroup, LargeGroup, ShownPairs
from simdup.near.rules import RULES, formed
from simdup.search.arrays import RowIds, RowPairs, components
from simdup.text.bands import mask_fingerprints

# What decides which documents are compared, beside the columns of rules.
_COMPARED = ("fingerprint", "length", "letters", "facts")
# Pairs measured at a time.
_CHUNK = 1 << 12
# Documents of large groups for which processes pay off: they are grouped in half a second.
_WORTH_FORKS = 1 << 13
# Candidates that are counted before they are measured: 256 MB.
_AHEAD = 1 << 24


@dataclass(slots=True)
class FoundGroups:
    """The groups of a corpus, and the figures of the search."""

    groups: list[Group] = field(default_factory=list)
    candidates: int = 0  # distinct pairs that were checked
    candidates_by: dict[str, int] = field(default_factory=dict)  # for each search
    unchecked: int = 0  # pairs that would have cost too much
    star_redundant: int = 0  # documents that would be redundant with star linkage
    # Documents that stay because the kept one near them, which follows, does not contain them.
    spared: list[tuple[int, int]] = field(default_factory=list)

    def figures(self, criteria: Criteria) -> dict[str, Any]:
        """Return the figures for a summary."""
        # What stars would make of clusters that people divided is not known.
        known = criteria.linkage != "star" and not criteria.decisions.divide
        return {
            "candidates": self.candidates,
            "candidates_by": self.candidates_by,
            "unchecked": self.unchecked,
            "star_redundant": self.star_redundant if known else None,
        }

    def add(self, other: FoundGroups) -> None:
        """Add what was found among other documents."""
        self.groups += other.groups
        self.count(other.candidates, *other.candidates_by.values())
        self.unchecked += other.unchecked
        self.star_redundant += other.star_redundant

    def count(self, pairs: int, *by: int) -> None:
        """Count checked pairs, in total and for each search."""
        self.candidates += pairs
        for search, number in zip(self.candidates_by, by, strict=True):
            self.candidates_by[search] += number


def find_groups(every: Candidates) -> FoundGroups:
    """Find the groups of documents connected by pairs."""
    every.settings.run.progress("searching", 0, None)
    return _Grouping(every).find()


def propose(every: Candidates, copies: Identical) -> tuple[Candidates, RowIds]:
    """Return the distinct documents, and those that may be compared with others."""
    distinct, criteria = copies.distinct, every.criteria
    own = {name: every.documents[name] for name in (*_COMPARED, *RULES) if name in every.documents}
    documents = Documents(own | {"content_number": copies.contents}).take(distinct)
    documents = documents.and_columns(number=distinct)
    if not criteria.short_decide:
        documents = documents.without("letters", "facts")
    if "blocking_key" in documents:
        bits, values = every.settings.recipe.bits, documents["fingerprint"]
        masked = mask_fingerprints(values, bits, documents["blocking_key"])
        documents = documents.and_columns(fingerprint=masked)
    contents = documents["content_number"]
    comparable = (documents["terms"] >= FEW_TERMS) | (formed(documents) & (documents["terms"] > 0))
    comparable |= np.bincount(contents)[contents] > 1
    searched = np.flatnonzero(comparable)
    searches = [one.prepared(every.documents, distinct[searched]) for one in every.searches]
    return replace(every, documents=documents, searches=searches), searched


class _Grouping:
    """A search for groups: all documents by number, and the distinct ones among them by row."""

    def __init__(self, every: Candidates) -> None:
        self._every = every
        self._criteria = every.criteria
        self._priority = every.priority
        self._copies = find_identical(every.documents)
        self._distinct, self._searched = propose(every, self._copies)
        self._found = FoundGroups(candidates_by=dict.fromkeys(every.criteria.searches, 0))

    def find(self) -> FoundGroups:
        """Return the groups."""
        small, several, large = self._parts()
        pairs = self._pairs(small, several)
        run, total = self._every.settings.run, len(self._distinct)
        done = total - sum(map(len, large))
        run.progress("grouping", 0, total)
        self._group(pairs)
        run.progress("grouping", done, total)
        for rows, found in zip(large, self._of_large_groups(large), strict=True):
            self._found.add(found)
            done += len(rows)
            run.progress("grouping", done, total)
        if self._every.star and self._criteria.directed:
            self._found.spared = self._spared(pairs, large)
        return self._found

    def _parts(self) -> tuple[RowIds, RowIds, list[RowIds]]:
        """Return rows of documents, parted so that candidates connect none of different parts.

        Returns
        -------
        small : int64[m]
            Documents of no large group.
        several : int64[k]
            Those of them that may be in a candidate.
        large : list of int64[...]
            The documents of each large group.
        """
        searched, n = self._searched, len(self._distinct)
        if self._criteria.all_pairs:
            return np.arange(n), searched, []
        roots, weights = np.arange(n), self._copies.sizes[self._copies.distinct]
        connected = self._distinct.take(searched).components(weights[searched])
        roots[searched] = searched[connected]
        large = np.bincount(roots, weights, n)[roots] > LARGE
        several = np.bincount(roots, minlength=n)[roots[searched]] > 1
        rows = searched[several & ~large[searched]]
        return np.flatnonzero(~large), rows, groups_of(roots, large)

    # -- pairs --

    def _pairs(self, small: RowIds, several: RowIds) -> MeasuredPairs:
        """Return the pairs of documents of no large group, and of their copies, ordered."""
        copies = self._copies
        pairs, every = copies.pairs(self._criteria, copies.distinct[small]), Growing()
        self._found.count(len(pairs), *[len(pairs)] * len(self._criteria.searches))
        every.add(pairs)
        for verified in self._verify(self._distinct.take(several)):
            every.add(verified)
        pairs = every.take(MeasuredPairs)
        return pairs.take(np.lexsort((pairs["b"], pairs["a"])))

    def _verify(self, compared: Candidates) -> Iterator[MeasuredPairs]:
        """Yield the candidates that meet the criteria."""
        done, numbers = 0, compared.numbers
        chunks, total = _read_ahead(self._candidates(compared))
        for i, j in chunks:
            for first in range(0, len(i), _CHUNK):
                some = slice(first, first + _CHUNK)
                pairs = compared.measure(numbers[i[some]], numbers[j[some]])
                good = np.flatnonzero(pairs.accepted(self._criteria))
                pairs = pairs.take(good)
                which, a, b = self._copies.spread(pairs["a"], pairs["b"], self._priority)
                pairs = pairs.take(which).and_columns(a=a, b=b)
                pairs = pairs.without("differing", "same_facts")
                yield with_distances(pairs, self._every.documents).ordered()
                # Pairs of twins need no check, as those of copies.
                twins = np.bincount(which, minlength=len(good)) - 1
                if twins.any():
                    _, by = compared.proposals(i[some][good], j[some][good])
                    self._found.count(int(twins.sum()), *(by @ twins).tolist())
                last = min(first + _CHUNK, len(i))
                self._every.settings.run.progress("verifying", done + last, total)
            done += len(i)

    def _candidates(self, compared: Candidates) -> Iterator[RowPairs]:
        """Yield the pairs to be compared that may meet the criteria, each once, in chunks.

        All of them are counted, also what is ruled out without being measured.
        """
        if not self._every.every:
            for i, j in compared.pairs():
                _, by = compared.proposals(i, j)
                self._found.count(len(i), *np.count_nonzero(by, axis=1).tolist())
                yield i, j
            return
        for i, j, possible in Bounds(compared).every():
            useful, by = compared.proposals(i, j)
            counts = np.count_nonzero([useful, *by], axis=1)
            self._found.count(*counts.tolist())
            some = np.flatnonzero(useful & possible)
            yield i[some], j[some]

    # -- groups --

    def _group(self, pairs: MeasuredPairs) -> None:
        """Add the groups connected by verified pairs."""
        star = self._every.star
        members = self._stars(pairs) if star else components(_numbers(pairs))
        group_of = np.full(len(self._every.documents), -1)
        for number, group in enumerate(members):
            group_of[group] = number
        # Star linkage can put the two documents of a pair into different groups.
        of, other = group_of[pairs["a"]], group_of[pairs["b"]]
        together = np.flatnonzero((of == other) & (of >= 0))
        together = together[np.argsort(of[together], kind="stable")]
        ends = np.cumsum(np.bincount(of[together], minlength=len(members))).tolist()
        listed = pairs.take(together).each()
        groups = [
            Group(min(group, key=self._priority), group, listed[first:last])
            for group, first, last in zip(members, [0, *ends], ends, strict=False)
        ]
        self._found.groups += groups
        if not star and any(map(self._is_chain, groups)):
            members = self._stars(pairs)
        self._found.star_redundant += self._count_redundant(members)

    def _of_large_groups(self, large: list[RowIds]) -> Iterator[FoundGroups]:
        """Yield what is found in each large group, in other processes if that pays off."""
        run = self._every.settings.run
        if FORKS and min(run.processes, len(large)) > 1 and sum(map(len, large)) >= _WORTH_FORKS:
            workers = Workers(run.processes, lambda number: self._of_large)
            with closing(workers):
                yield from workers.map(large)
        else:
            yield from map(self._of_large, large)

    def _of_large(self, rows: RowIds) -> FoundGroups:
        """Return the groups of documents with too many candidates to verify all."""
        compared = self._distinct.take(rows)
        places, numbers, copies = self._places(compared), compared.numbers, self._copies
        large = LargeGroup(compared, places, self._criteria.directed)
        roots = large.stars() if compared.star else large.components()
        several = np.array([one not in copies.twins for one in numbers.tolist()], np.bool_)
        several &= copies.sizes[numbers] > 1
        several |= (np.bincount(roots, minlength=len(roots)) > 1)[roots]
        bare = []
        for members in groups_of(roots, several):
            # The first document in the order is kept, or a copy of it.
            centre = _centre(members, places)
            kept = min(copies.of(int(numbers[centre])), key=self._priority)
            bare.append(BareGroup(members, centre, kept))
        groups = ShownPairs(large, copies, self._every.documents).groups(bare)
        if not compared.star:
            # Other groups would be the same with stars: every document is near the kept one, and
            # a search proposes the pair; or it is alone.
            chains = np.zeros(len(roots), np.bool_)
            for one, group in zip(bare, groups, strict=True):
                others = one.members[one.members != one.centre]
                proposed = compared.test(np.full(len(others), one.centre), others)
                chains[one.members] = self._is_chain(group) or not proposed.all()
            if chains.any():
                roots = np.where(chains, large.stars(chains), roots)
        stars = self._large_stars(compared, places, roots, roots >= 0)
        found = FoundGroups(groups, candidates_by=dict.fromkeys(self._criteria.searches, 0))
        found.count(*large.checked)
        found.unchecked, found.star_redundant = large.unchecked, self._count_redundant(stars)
        return found

    def _spared(self, pairs: MeasuredPairs, large: Sequence[RowIds]) -> list[tuple[int, int]]:
        """Return (document, kept) of what stays near a kept one that does not contain it.

        These are the stars of what stays, if the kept document need not contain the others.
        """
        gone = {one for group in self._found.groups for one in group.members if one != group.kept}

        def left(document: int) -> bool:
            first = self._copies.first_of.get(document, document)
            return not gone.issuperset(self._copies.of(first))

        both = [(a, b) for a, b in _numbers(pairs) if left(a) and left(b)]
        alike = self._copies.stars([*both, *((b, a) for a, b in both)], self._priority)
        for rows in large:
            compared = self._distinct.take(rows)
            places = self._places(compared)
            among = np.array([left(one) for one in compared.numbers.tolist()], np.bool_)
            roots = LargeGroup(compared, places).stars(among)
            alike += self._large_stars(compared, places, roots, among)
        spared = []
        for group in alike:
            kept = min(group, key=self._priority)
            spared += [(one, kept) for one in group if one != kept and one not in gone]
        return sorted(spared)

    def _places(self, compared: Candidates) -> RowIds:
        """Return the place of each document, or its best copy, in the order of keeping."""
        copies = map(self._copies.of, compared.numbers.tolist())
        first = [min(map(self._priority, one)) for one in copies]
        places = np.empty(len(first), np.int64)
        places[sorted(range(len(first)), key=first.__getitem__)] = np.arange(len(first))
        return places

    def _large_stars(
        self, compared: Candidates, places: RowIds, roots: RowIds, among: NDArray[np.bool_]
    ) -> list[list[int]]:
        """Return the stars of a large group's documents, some of them, with their copies."""
        numbers = compared.numbers
        return [
            self._copies.star(
                int(numbers[_centre(rows, places)]), numbers[rows].tolist(), self._priority
            )
            for rows in groups_of(roots, among)
        ]

    def _stars(self, pairs: MeasuredPairs) -> list[list[int]]:
        """Return the stars of documents; see `Identical.stars`."""
        taken = (some.take(some.taken(self._criteria)) for some in (pairs, pairs.turned()))
        return self._copies.stars(chain.from_iterable(map(_numbers, taken)), self._priority)

    def _count_redundant(self, groups: Iterable[Sequence[int]]) -> int:
        """Count the documents of stars that are neither kept nor references."""
        references, redundant = self._every.documents["reference"], 0
        for group in groups:
            new = len(group) - int(references[group].sum())
            redundant += new - (not references[min(group, key=self._priority)])
        return redundant

    def _is_chain(self, group: Group) -> bool:
        """Return whether the kept document of a group may not stand for all others."""
        beside = sum(
            group.kept in (pair.a, pair.b) and pair.taken_by(group.kept, self._criteria)
            for pair in group.pairs
        )
        return beside < len(group.members) - 1


def _read_ahead(chunks: Iterator[RowPairs]) -> tuple[Iterator[RowPairs], int | None]:
    """Return candidates and their number; None if they would take too much memory."""
    read, total = list[RowPairs](), 0
    for i, j in chunks:
        read.append((i, j))
        total += len(i)
        if total > _AHEAD:
            return chain(read, chunks), None
    return iter(read), total


def _numbers(pairs: MeasuredPairs) -> Iterator[tuple[int, int]]:
    return zip(pairs["a"].tolist(), pairs["b"].tolist(), strict=True)


def _centre(members: RowIds, places: RowIds) -> int:
    """Return the member of a large group that is kept, or whose copy is."""
    return int(members[places[members].argmin()])
