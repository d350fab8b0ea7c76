"""Find the clusters of documents: leaders inside components, and the pairs that are listed.

Only the first of several identical documents is compared with others: a row of the distinct ones.
What the walk finds of rows is then told of documents.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from itertools import chain, combinations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.system import FORKS
from simdup.base.workers import Workers
from simdup.model.clusters import FEW
from simdup.model.criteria import FEW_TERMS
from simdup.model.measures import DocumentPair, MeasuredPairs
from simdup.model.table import Documents, Growing
from simdup.near.bounds import Bounds
from simdup.near.candidates import Candidates, EqualTexts, groups_of
from simdup.near.clustering import Group, Identical, find_identical, with_distances
from simdup.near.divided_clusters import divide
from simdup.near.leading import lead
from simdup.near.rules import RULES
from simdup.near.short import formed
from simdup.near.walk import LARGE, NEAR, TAKES, Walk
from simdup.near.walk import components as candidate_components
from simdup.search.arrays import RowIds, RowPairs, components
from simdup.text.bands import mask_fingerprints
from simdup.text.differing_facts import KINDS

# What decides which documents are compared, beside the columns of rules.
_COMPARED = ("fingerprint", "length", "letters", "facts")
# Pairs measured at a time.
_CHUNK = 1 << 12
# Of a cluster of more documents that decisions divide, not all pairs are compared.
_MANY = 1 << 10
# Documents of small components that are walked together.
_TOGETHER = 1 << 16
# Documents for which processes pay off: they are grouped in half a second.
_WORTH_FORKS = 1 << 13


@dataclass(slots=True)
class FoundGroups:
    """The groups of a corpus, and the figures of the search."""

    groups: list[Group]
    checked: int  # pairs whose texts were compared
    unchecked: int  # documents that were not compared with all candidates
    # Documents that stay because the kept one near them, which comes before, may not stand for
    # them: with that one.
    spared: list[tuple[int, int]]
    kept_apart: list[str]  # the kinds of facts that keep pairs of similar short texts apart

    @property
    def figures(self) -> dict[str, Any]:
        """The figures for a summary."""
        return {"checked": self.checked, "unchecked": self.unchecked}


class Led(NamedTuple):
    """Which rows are kept, whom they take, and what is connected (int64[rows] each)."""

    keeper: RowIds  # the row that took each one; a kept one has itself
    roots: RowIds  # a row that represents the component of each one
    spared: RowIds  # for rows that stay, the first kept one that is near and may not take them; -1


class _Walked(NamedTuple):
    """What a task found, which another process may have done."""

    led: Led
    checked: int
    unchecked: int
    near: MeasuredPairs
    differing: MeasuredPairs


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
    several = np.bincount(contents)[contents] > 1
    searched = np.flatnonzero(comparable | several)
    searches = [one.prepared(every.documents, distinct[searched]) for one in every.searches]
    if several.any():
        searches.append(EqualTexts())
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
        self._rows_held = np.zeros(len(self._distinct), np.bool_)
        self._order = every.order if every.order is not None else np.arange(len(every.documents))
        self._heads = self._find_heads()
        for row in {int(self._row_of[pair.b]) for pair in held}:
            self._rows_held[row] = int(self._heads[row]) in self._holder_of
        # Pairs of first documents that were found to be near, and that differ in a fact.
        self._near, self._differing = Growing(), Growing()
        self._checked = self._unchecked = 0
        none = np.zeros(0, np.int64)
        self._measure(none, none, self._near, self._differing)

    def find(self) -> FoundGroups:
        """Return the groups."""
        run, total = self._every.settings.run, len(self._distinct)
        run.progress("grouping", 0, total)
        led = self._lead_all() if self._criteria.all_pairs else self._walk()
        heads, taken_by, members = self._documents(led)
        groups = self._listed(members, taken_by)
        names = self._every.documents["name"].tolist()
        groups = divide(groups, self._criteria, names, self._order, self._near_pairs)
        run.progress("grouping", total, total)
        rows = np.flatnonzero(led.spared >= 0)
        by = (heads[row] for row in led.spared[rows].tolist())
        group_of = {one: place for place, group in enumerate(groups) for one in group.members}
        spared = [
            pair
            for pair in zip((heads[row] for row in rows.tolist()), by, strict=True)
            if group_of.get(pair[0], -1) == group_of.get(pair[1])  # people may have divided them
        ]
        return FoundGroups(
            groups, self._checked, self._unchecked, sorted(spared), self._kept_apart()
        )

    def _kept_apart(self) -> list[str]:
        """Return the kinds of facts that keep pairs of similar short texts apart."""
        if not len(pairs := self._differing.copy(MeasuredPairs)):
            return []
        keys = _keys(pairs["a"], pairs["b"], len(self._every.documents))
        _, firsts = np.unique(keys, return_index=True)
        return [KINDS[kind - 1] for kind in pairs["differing"][firsts].tolist()]

    # -- rows --

    def _lead_all(self) -> Led:
        """Compare all candidates, or all pairs, and return who leads."""
        compared = self._distinct.take(self._searched)
        numbers = compared.numbers
        for i, j in _possible(compared) if self._every.every else compared.pairs():
            self._measure_all(numbers[i], numbers[j])
            self._checked += len(i) if self._criteria.verify else 0
        return self._led(self._near.copy(MeasuredPairs))

    def _walk(self) -> Led:
        """Walk all components of candidates, in other processes if that pays off."""
        n, run = len(self._distinct), self._every.settings.run
        led = Led(np.arange(n), np.arange(n), np.full(n, -1))
        tasks, done = self._tasks(), n
        done -= sum(len(rows) for rows, _ in tasks)
        several = min(run.processes, len(tasks)) > 1 and n - done >= _WORTH_FORKS

        def tell(rows: int) -> None:
            run.progress("grouping", done + rows, n)

        with ExitStack() as stack:
            walks: Iterator[_Walked] = (self._walk_rows(task, tell) for task in tasks)
            if several and FORKS:
                workers = Workers(run.processes, lambda number: self._walk_rows)
                walks = stack.enter_context(closing(workers)).map(tasks)
            for (rows, _), walked in zip(tasks, walks, strict=True):
                for column, values in zip(led, walked.led, strict=True):
                    column[rows] = values
                self._near.add(walked.near)
                self._differing.add(walked.differing)
                self._checked += walked.checked
                self._unchecked += walked.unchecked
                done += len(rows)
                tell(0)
        return led

    def _walk_rows(
        self, task: tuple[RowIds, bool], tell: Callable[[int], None] = lambda done: None
    ) -> _Walked:
        """Walk some rows, whole components of candidates; a large one has a budget."""
        rows, large = task
        ranked = rows[np.argsort(self._places(rows))]
        compared = replace(self._distinct, documents=self._distinct.documents.take(ranked))
        numbers, near, differing = compared.numbers, Growing(), Growing()

        def ask(i: RowIds, j: RowIds) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
            candidates = compared.test(i, j)
            a, b = numbers[i[candidates]], numbers[j[candidates]]
            pairs = self._measure(a, b, near, differing)
            answers = np.zeros(len(i), np.uint8)
            accepted = pairs.accepted(self._criteria)
            taken = pairs.taken(self._criteria)
            answers[candidates] = NEAR * accepted + TAKES * taken
            return answers, candidates

        none = np.zeros(0, np.int64)
        self._measure(none, none, near, differing)
        walk = Walk(compared, ask, self._rows_held[ranked], limited=large)
        unchecked, leaders = walk.run(tell), walk.leaders
        n, back = len(rows), np.searchsorted(rows, ranked)
        led = Led(*np.empty((3, n), np.int64))
        keeper, spared = leaders.keeper, leaders.spared
        own = (keeper < 0) | (keeper == n)
        led.keeper[back] = np.where(own, ranked, ranked[np.where(own, 0, keeper)])
        led.roots[back] = ranked[leaders.roots]
        led.spared[back] = np.where(spared < 0, -1, ranked[spared])
        checked = leaders.checked if self._criteria.verify else 0
        tables = (table.take(MeasuredPairs) for table in (near, differing))
        return _Walked(led, checked, unchecked, *tables)

    def _tasks(self) -> list[tuple[RowIds, bool]]:
        """Return the rows of components of candidates, and whether these are a large one."""
        searched, n = self._searched, len(self._distinct)
        roots, weights = np.arange(n), self._copies.sizes[self._copies.distinct]
        roots[searched] = searched[
            candidate_components(self._distinct.take(searched), weights[searched])
        ]
        sizes = np.bincount(roots, minlength=n)[roots]
        tasks = [(rows, True) for rows in groups_of(roots, sizes > LARGE)]
        small = np.flatnonzero((sizes > 1) & (sizes <= LARGE))
        small = small[np.argsort(roots[small], kind="stable")]
        # Components stay whole.
        ends = np.flatnonzero(np.diff(roots[small])) + 1
        cuts = ends[np.flatnonzero(np.diff(ends // _TOGETHER, prepend=0))]
        return tasks + [(np.sort(rows), False) for rows in np.split(small, cuts) if len(rows)]

    def _led(self, pairs: MeasuredPairs) -> Led:
        """Return who leads, given all near pairs of first documents."""
        n, (i, j) = len(self._distinct), (self._row_of[pairs[side]] for side in ("a", "b"))
        rows = np.unique([i, j])
        place = np.zeros(n, np.int64)
        place[rows] = self._places(rows)
        turned = place[i] > place[j]
        a, b = np.where(turned, j, i), np.where(turned, i, j)
        takes = np.where(turned, pairs.turned().taken(self._criteria), pairs.taken(self._criteria))
        order = np.lexsort((place[b], place[a]))
        each = zip(*(column[order].tolist() for column in (a, b, takes)), strict=True)
        found = lead(each, held=set(np.flatnonzero(self._rows_held).tolist()))
        led = Led(np.arange(n), np.arange(n), np.full(n, -1))
        for column, values in zip(led, found, strict=True):
            column[list(values)] = list(values.values())
        return led

    def _measure(self, a: RowIds, b: RowIds, near: Growing, differing: Growing) -> MeasuredPairs:
        """Measure pairs of first documents; keep those that are near, or differ in a fact."""
        pairs = self._every.measure(a, b)
        # Equal texts are near, also without words that could be compared.
        same = self._copies.contents[a] == self._copies.contents[b]
        identical = MeasuredPairs.identical(a[same], b[same], self._criteria)
        for name in set(identical) & set(pairs):
            pairs[name][same] = identical[name]
        good = np.flatnonzero(pairs.accepted(self._criteria))
        near.add(pairs.take(good).without("differing", "same_facts"))
        if "differing" in pairs:
            differing.add(pairs.take(pairs["differing"] > 0))
        return pairs

    def _places(self, rows: RowIds) -> RowIds:
        """Return the place of each row, or its best copy, in the order of keeping."""
        return self._order[self._heads[rows]]

    def _find_heads(self) -> RowIds:
        """Return the document of each row that is kept first; what indexes took comes last."""
        heads = self._distinct.numbers.copy()
        for first, copies in self._copies.copies_of.items():
            free = [document for document in (first, *copies) if document not in self._holder_of]
            heads[self._row_of[first]] = min(free or [first, *copies], key=self._order.__getitem__)
        return heads

    def _of(self, row: int) -> list[int]:
        """Return the documents of a row, ascending."""
        return self._copies.of(int(self._distinct.numbers[row]))

    # -- documents --

    def _documents(self, led: Led) -> tuple[dict[int, int], dict[int, int], list[list[int]]]:
        """Return the first document of rows, who took each redundant one, and the components."""
        sizes = np.bincount(led.roots, minlength=len(led.roots))
        several = sizes[led.roots] > 1
        several |= self._copies.sizes[self._distinct.numbers] > 1
        heads = {row: int(self._heads[row]) for row in np.flatnonzero(several).tolist()}
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
        pairs = {(pair.a, pair.b): pair for pair in chain(self._held, self._pairs(asked))}
        for pair in pairs.values():
            listed[number[pair.a]].append(pair)
        return [
            Group(group, {one: taken_by[one] for one in group if one in taken_by}, sorted(own))
            for group, own in zip(members, listed, strict=True)
        ]

    def _every_pair(self) -> Iterator[tuple[int, int]]:
        """Yield the near pairs of documents, and perhaps more; of many documents only the first of
        several copies is paired with others.
        """
        copies, near = self._copies, self._near.copy(MeasuredPairs)
        first = not self._criteria.lists_all(len(self._every.documents))
        for row in np.flatnonzero(copies.sizes[self._distinct.numbers] > 1).tolist():
            documents = self._of(row)
            copied = product(documents[:1], documents[1:])
            yield from copied if first else combinations(documents, 2)
        for a, b in _numbers(near):
            yield from [(a, b)] if first else product(copies.of(a), copies.of(b))

    def _near_pairs(self, group: Group, decided: Collection[int]) -> list[DocumentPair]:
        """Return the near pairs of a group; of a large one those that were met, and all of the
        documents that people decided about.
        """
        members = set(group.members)
        if len(group.members) <= _MANY:
            asked = list(combinations(group.members, 2))
        else:
            asked = [(pair.a, pair.b) for pair in group.pairs]
            asked += product(decided, group.members)
            of = self._copies.of
            for a, b in _numbers(self._near.copy(MeasuredPairs)):
                asked += (*product([a], of(b)), *product(of(a), [b])) if a in members else ()
        held = {pair[:2]: pair for pair in self._held if {pair.a, pair.b} <= members}
        return sorted((held | {pair[:2]: pair for pair in self._pairs(asked)}).values())

    def _pairs(self, asked: Sequence[tuple[int, int]]) -> list[DocumentPair]:
        """Return those of some pairs of documents that are near, the smaller number first."""
        n, documents = len(self._every.documents), self._every.documents
        sides = np.array(asked, np.int64).reshape(-1, 2)
        a, b = np.divmod(np.unique(sides.min(axis=1) * n + sides.max(axis=1)), n)
        i, j = self._row_of[a], self._row_of[b]
        twins = np.isin(self._distinct.numbers[i], list(self._copies.twins))
        same = (i == j) & (i >= 0) & ~twins & (a != b)
        identical = MeasuredPairs.identical(a[same], b[same], self._criteria)
        other = np.flatnonzero((i != j) & (np.minimum(i, j) >= 0))
        keys = _keys(i[other], j[other], n)
        self._measure_missing(np.setdiff1d(keys, self._near_rows()[0]))
        near, (keys_of_near, first) = self._near.copy(MeasuredPairs), self._near_rows()
        order = np.argsort(keys_of_near)
        places = np.searchsorted(keys_of_near, keys, sorter=order)
        places = order[np.minimum(places, len(order) - 1)] if len(order) else places[:0]
        here = np.flatnonzero(keys_of_near[places] == keys[: len(places)])
        other, places = other[here], places[here]
        # The sides of what was measured may be the other way round.
        turned = first[places] != i[other]
        both = np.where(turned, b[other], a[other]), np.where(turned, a[other], b[other])
        pairs = near.take(places).and_columns(a=both[0], b=both[1])
        return identical.each() + with_distances(pairs, documents).ordered().each()

    def _near_rows(self) -> tuple[RowIds, RowIds]:
        """Return keys of the pairs of rows that are known to be near, and the first of each."""
        near = self._near.copy(MeasuredPairs)
        first, second = self._row_of[near["a"]], self._row_of[near["b"]]
        return _keys(first, second, len(self._every.documents)), first

    def _measure_missing(self, keys: RowIds) -> None:
        """Measure the candidates among pairs of rows, given by their keys."""
        i, j = np.divmod(keys, len(self._every.documents))
        allows = self._distinct.allow if self._every.every else self._distinct.test
        good = allows(i, j)
        numbers = self._distinct.numbers
        self._measure_all(numbers[i[good]], numbers[j[good]])

    def _measure_all(self, a: RowIds, b: RowIds) -> None:
        """Measure pairs of first documents, some at a time."""
        for first in range(0, len(a), _CHUNK):
            part = slice(first, first + _CHUNK)
            self._measure(a[part], b[part], self._near, self._differing)


def _keys(i: RowIds, j: RowIds, n: int) -> RowIds:
    """Return a number for each pair of rows, in either order."""
    return np.minimum(i, j) * n + np.maximum(i, j)


def _numbers(pairs: MeasuredPairs) -> list[tuple[int, int]]:
    return list(zip(pairs["a"].tolist(), pairs["b"].tolist(), strict=True))


def _possible(compared: Candidates) -> Iterator[RowPairs]:
    """Yield all pairs, i < j, that may meet the criteria, in chunks."""
    for i, j, possible in Bounds(compared).every():
        useful = possible & compared.allow(i, j)
        yield i[useful], j[useful]
