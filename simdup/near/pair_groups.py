"""Find the clusters of documents: leaders inside components, and the pairs that are listed.

Only the first of several identical documents is compared with others: a row of the distinct ones.
What the walk finds of rows is then told of documents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.model.clusters import FEW
from simdup.model.criteria import FEW_TERMS
from simdup.model.measures import DocumentPair, MeasuredPairs
from simdup.model.table import Documents, Growing
from simdup.near.bounds import Bounds
from simdup.near.candidates import LARGE, Candidates, groups_of
from simdup.near.clustering import Group, Identical, find_identical, with_distances
from simdup.near.divided_clusters import divide
from simdup.near.large_groups import LargeGroup
from simdup.near.leading import lead
from simdup.near.rules import RULES, allowed, formed
from simdup.search.arrays import RowIds, RowPairs, components
from simdup.text.bands import mask_fingerprints

# What decides which documents are compared, beside the columns of rules.
_COMPARED = ("fingerprint", "length", "letters", "facts")
# Pairs measured at a time.
_CHUNK = 1 << 12
# Of a cluster of more documents that decisions divide, not all pairs are compared.
_MANY = 1 << 10


@dataclass(slots=True)
class FoundGroups:
    """The groups of a corpus, and the figures of the search."""

    groups: list[Group]
    checked: int  # pairs whose texts were compared
    unchecked: int  # documents that were not compared with all candidates
    # Documents that stay because the kept one near them, which comes before, may not stand for
    # them: with that one.
    spared: list[tuple[int, int]]

    @property
    def figures(self) -> dict[str, Any]:
        """The figures for a summary."""
        return {"checked": self.checked, "unchecked": self.unchecked}


@dataclass(frozen=True, slots=True)
class Led:
    """Which rows are kept, whom they take, and what is connected (int64[rows] each)."""

    keeper: RowIds  # the row that took each one; a kept one has itself
    roots: RowIds  # a row that represents the component of each one
    spared: RowIds  # for rows that stay, the first kept one that is near and may not take them; -1


def find_groups(every: Candidates, held: Sequence[DocumentPair] = ()) -> FoundGroups:
    """Find the groups of documents connected by pairs.

    `held` are pairs with documents of indexes, which take what they are near: of each document at
    most one.
    """
    every.settings.run.progress("searching", 0, None)
    return _Grouping(every, held).find()


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

    def __init__(self, every: Candidates, held: Sequence[DocumentPair]) -> None:
        self._every = every
        self._criteria = every.criteria
        self._held = held
        self._holder_of = {pair.b: pair.a for pair in held}
        self._copies = find_identical(every.documents)
        self._distinct, self._searched = propose(every, self._copies)
        self._row_of = np.full(len(every.documents), -1)
        self._row_of[self._distinct.numbers] = np.arange(len(self._distinct))
        for first, copies in self._copies.copies_of.items():
            self._row_of[copies] = self._row_of[first]
        self._near = Growing()  # pairs of rows that were found to be near
        self._checked = self._unchecked = 0
        self._measure(np.zeros(0, np.int64), np.zeros(0, np.int64))

    def find(self) -> FoundGroups:
        """Return the groups."""
        run, total = self._every.settings.run, len(self._distinct)
        run.progress("grouping", 0, total)
        led = self._lead_all() if self._criteria.all_pairs else self._walk()
        heads, taken_by, members = self._documents(led)
        groups = self._listed(members, taken_by)
        names = self._every.documents["name"].tolist()
        groups = divide(groups, self._criteria, names, self._every.priority, self._near_pairs)
        run.progress("grouping", total, total)
        rows = np.flatnonzero(led.spared >= 0)
        kept = led.spared[rows].tolist()
        spared = [(heads[row], heads[by]) for row, by in zip(rows.tolist(), kept, strict=True)]
        return FoundGroups(groups, self._checked, self._unchecked, sorted(spared))

    # -- rows --

    def _lead_all(self) -> Led:
        """Compare all candidates, or all pairs, and return who leads."""
        compared = self._distinct.take(self._searched)
        chunks = _possible(compared) if self._every.every else compared.pairs()
        for i, j in chunks:
            for first in range(0, len(i), _CHUNK):
                part = slice(first, first + _CHUNK)
                self._measure(self._searched[i[part]], self._searched[j[part]])
        return self._led(self._near.copy(MeasuredPairs))

    def _walk(self) -> Led:
        """Slice."""
        small, several, large = self._parts()
        for i, j in self._distinct.take(several).pairs():
            i, j = several[i], several[j]
            for first in range(0, len(i), _CHUNK):
                part = slice(first, first + _CHUNK)
                self._measure(i[part], j[part])
        led = self._led(self._near.copy(MeasuredPairs))
        for rows in large:
            compared = self._distinct.take(rows)
            places = self._places(rows)
            group = LargeGroup(compared, places, self._criteria.directed)
            led.roots[rows] = rows[group.components()]
            led.keeper[rows] = rows[group.stars()]
            self._unchecked += group.unchecked
        return led

    def _parts(self) -> tuple[RowIds, RowIds, list[RowIds]]:
        searched, n = self._searched, len(self._distinct)
        roots, weights = np.arange(n), self._copies.sizes[self._copies.distinct]
        connected = self._distinct.take(searched).components(weights[searched])
        roots[searched] = searched[connected]
        large = np.bincount(roots, weights, n)[roots] > LARGE
        several = np.bincount(roots, minlength=n)[roots[searched]] > 1
        rows = searched[several & ~large[searched]]
        return np.flatnonzero(~large), rows, groups_of(roots, large)

    def _led(self, pairs: MeasuredPairs) -> Led:
        """Return who leads, given all near pairs of rows."""
        n = len(self._distinct)
        rows = np.unique([pairs["a"], pairs["b"]])
        place = np.zeros(n, np.int64)
        place[rows] = self._places(rows)
        turned = place[pairs["a"]] > place[pairs["b"]]
        a, b = (np.where(turned, pairs[y], pairs[x]) for x, y in (("a", "b"), ("b", "a")))
        takes = np.where(turned, pairs.turned().taken(self._criteria), pairs.taken(self._criteria))
        order = np.lexsort((place[b], place[a]))
        each = zip(*(column[order].tolist() for column in (a, b, takes)), strict=True)
        taken_by, root, spared = lead(each)
        led = Led(np.arange(n), np.arange(n), np.full(n, -1))
        for column, values in ((led.keeper, taken_by), (led.roots, root), (led.spared, spared)):
            column[list(values)] = list(values.values())
        return led

    def _measure(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Measure pairs of rows, keep those that are near, and return which are."""
        numbers = self._distinct.numbers
        pairs = self._distinct.measure(numbers[i], numbers[j]).and_columns(a=i, b=j)
        good = pairs.accepted(self._criteria)
        self._near.add(pairs.take(np.flatnonzero(good)).without("differing", "same_facts"))
        self._checked += len(i) if self._criteria.verify else 0
        return good

    def _places(self, rows: RowIds) -> RowIds:
        """Return the place of each row, or its best copy, in the order of keeping."""
        first = [self._every.priority(self._head(row)) for row in rows.tolist()]
        places = np.empty(len(first), np.int64)
        places[sorted(range(len(first)), key=first.__getitem__)] = np.arange(len(first))
        return places

    def _head(self, row: int) -> int:
        """Return the document of a row that is kept first; those that indexes took come last."""
        documents = self._of(row)
        free = [document for document in documents if document not in self._holder_of]
        return min(free or documents, key=self._every.priority)

    def _of(self, row: int) -> list[int]:
        """Return the documents of a row, ascending."""
        return self._copies.of(int(self._distinct.numbers[row]))

    # -- documents --

    def _documents(self, led: Led) -> tuple[dict[int, int], dict[int, int], list[list[int]]]:
        """Return the first document of rows, who took each redundant one, and the components."""
        sizes = np.bincount(led.roots, minlength=len(led.roots))
        several = sizes[led.roots] > 1
        several |= self._copies.sizes[self._distinct.numbers] > 1
        heads = {row: self._head(row) for row in np.flatnonzero(several).tolist()}
        taken_by, edges = dict(self._holder_of), [(pair.a, pair.b) for pair in self._held]
        for row in heads:
            documents, root, keeper = self._of(row), int(led.roots[row]), int(led.keeper[row])
            twins = documents[0] in self._copies.twins
            if sizes[root] > 1:
                edges.append((self._of(root)[0], documents[0]))
            elif twins:
                continue
            edges += [(documents[0], copy) for copy in documents[1:]]
            if keeper == row and twins:
                continue
            for document in documents:
                if document != heads[keeper]:
                    taken_by.setdefault(document, heads[keeper])
        return heads, taken_by, components(edges)

    def _listed(self, members: list[list[int]], taken_by: dict[int, int]) -> list[Group]:
        """Return groups with the pairs that are listed."""
        asked: list[tuple[int, int]] = []
        for group in members:
            if len(group) <= FEW:
                asked += combinations(group, 2)
            else:
                asked += ((one, taken_by[one]) for one in group if one in taken_by)
        if self._criteria.all_pairs:
            asked += self._every_pair()
        number = {document: place for place, group in enumerate(members) for document in group}
        listed: list[list[DocumentPair]] = [[] for _ in members]
        for pair in chain(self._held, self._pairs(asked)):
            listed[number[pair.a]].append(pair)
        return [
            Group(group, {one: taken_by[one] for one in group if one in taken_by}, sorted(own))
            for group, own in zip(members, listed, strict=True)
        ]

    def _every_pair(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of documents of near rows; of many documents the first of each row."""
        near = self._near.copy(MeasuredPairs)
        for row in np.flatnonzero(self._copies.sizes[self._distinct.numbers] > 1).tolist():
            documents = self._of(row)
            yield from (
                combinations(documents, 2)
                if self._every.every
                else zip(documents[:1] * (len(documents) - 1), documents[1:], strict=True)
            )
        for i, j in zip(near["a"].tolist(), near["b"].tolist(), strict=True):
            yield from (
                product(self._of(i), self._of(j))
                if self._every.every
                else [(self._of(i)[0], self._of(j)[0])]
            )

    def _near_pairs(self, group: Group, decided: Collection[int]) -> list[DocumentPair]:
        """Return the near pairs of a group; of a large one those that show whom it has, and all of
        the documents that people decided about.
        """
        if len(group.members) <= _MANY:
            asked = list(combinations(group.members, 2))
        else:
            asked = [(pair.a, pair.b) for pair in group.pairs]
            asked += product(decided, group.members)
        inside = set(group.members)
        held = (pair for pair in self._held if {pair.a, pair.b} <= inside)
        return sorted(chain(held, self._pairs(asked)))

    def _pairs(self, asked: Sequence[tuple[int, int]]) -> list[DocumentPair]:
        """Return those of some pairs of documents that are near, the smaller number first."""
        a, b = np.array(asked, np.int64).reshape(-1, 2).T
        i, j = self._row_of[a], self._row_of[b]
        a, b, i, j = (np.where(i <= j, *sides) for sides in ((a, b), (b, a), (i, j), (j, i)))
        twins = np.isin(self._distinct.numbers[i], list(self._copies.twins))
        useful = (i >= 0) & (a != b) & ~((i == j) & twins)
        _, firsts = np.unique(np.stack([a, b])[:, useful], axis=1, return_index=True)
        a, b, i, j = (column[useful][firsts] for column in (a, b, i, j))
        same = i == j
        identical = MeasuredPairs.identical(a[same], b[same], self._criteria)
        rows, places = self._near_rows(i[~same], j[~same])
        near = places >= 0
        pairs = rows.take(places[near]).and_columns(a=a[~same][near], b=b[~same][near])
        pairs = with_distances(pairs, self._every.documents).ordered()
        return [*identical.ordered().each(), *pairs.each()]

    def _near_rows(self, i: RowIds, j: RowIds) -> tuple[MeasuredPairs, RowIds]:
        """Return near pairs of rows, and the place there of each of some pairs, i < j; -1: none."""
        n = len(self._distinct)

        def found() -> tuple[MeasuredPairs, RowIds]:
            near = self._near.copy(MeasuredPairs)
            keys, firsts = np.unique(near["a"] * n + near["b"], return_index=True)
            asked = i * n + j
            places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
            return near, np.where(keys[places] == asked, firsts[places], -1) if len(
                keys
            ) else np.full(len(i), -1)

        _, places = found()
        missing = np.flatnonzero(places < 0)
        if not self._every.every:
            missing = missing[self._distinct.test(i[missing], j[missing])]
        keys = np.unique(i[missing] * n + j[missing])
        for first in range(0, len(keys), _CHUNK):
            self._measure(*np.divmod(keys[first : first + _CHUNK], n))
        return found()


def _possible(compared: Candidates) -> Iterator[RowPairs]:
    """Yield all pairs, i < j, that may meet the criteria, in chunks."""
    for i, j, possible in Bounds(compared).every():
        useful = possible & allowed(*compared.sides(i, j))
        yield i[useful], j[useful]
