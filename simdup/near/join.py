"""The join of a table with itself: who is kept, what is connected, which pairs are listed.

Only the first of several copies is compared with others.  The walk (`simdup.near.walk`) says which
of these lead and what is connected; then that is said of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.system import FORKS
from simdup.base.workers import Workers
from simdup.model.clusters import FEW
from simdup.model.criteria import FEW_TERMS
from simdup.model.measures import MeasuredPairs
from simdup.model.table import Documents, Growing
from simdup.near.bounds import Bounds
from simdup.near.candidates import Candidates, EqualTexts, groups_of, with_distances
from simdup.near.copies import Copies, find_copies, present
from simdup.near.leading import in_order, lead
from simdup.near.rules import RULES, dividing
from simdup.near.short import formed
from simdup.near.walk import LARGE, NEAR, TAKES, Walk
from simdup.near.walk import components as candidate_components
from simdup.search.arrays import RowIds, RowPairs, run_starts
from simdup.search.grouping import Forest
from simdup.text.bands import mask_fingerprints

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


@dataclass(frozen=True, slots=True)
class Joined:
    """What was found of the rows of a table, and the figures of the search."""

    kept: RowIds  # int64[n]: who took each row; a kept one has itself
    cluster: RowIds  # int64[n]: the first row of its cluster; -1 for a row that is in none
    pairs: MeasuredPairs  # those that are listed, with distances; a < b, in order
    checked: int  # pairs whose texts were compared
    unchecked: int  # documents that were not compared with all candidates
    # Documents that stay because the kept one near them, which comes before, may not stand for
    # them: with that one.
    spared: Sequence[tuple[int, int]]
    differing: MeasuredPairs  # those of short texts that a fact keeps apart

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


def join(every: Candidates, held: MeasuredPairs | None = None) -> Joined:
    """Join a table with itself.

    `held` are pairs whose `a` is a document of an index, which takes the `b`: each at most once.
    """
    every.settings.run.progress("searching", 0, None)
    return _Join(every, MeasuredPairs.none() if held is None else held).find()


def distinct_rows(every: Candidates, copies: Copies) -> tuple[Candidates, RowIds]:
    """Return what decides about the documents, and which first rows others are compared with."""
    criteria = every.criteria
    compared = [name for name in (*_COMPARED, *RULES) if name in every.documents]
    columns = {name: every.documents[name] for name in compared}
    columns |= {"content_number": copies.contents, "number": np.arange(len(every))}
    documents = Documents(columns)
    if not criteria.short_decide:
        documents = documents.without("letters", "facts")
    if "equal" in documents:
        bits, values = every.settings.recipe.bits, documents["fingerprint"]
        masked = mask_fingerprints(values, bits, documents["equal"])
        documents = documents.and_columns(fingerprint=masked)
    contents = documents["content_number"]
    comparable = (documents["terms"] >= FEW_TERMS) | (formed(documents) & (documents["terms"] > 0))
    distinct = np.zeros(len(every), np.bool_)
    distinct[copies.distinct] = True
    several = distinct & (np.bincount(contents[distinct], minlength=len(every))[contents] > 1)
    searched = np.flatnonzero(distinct & (comparable | several))
    searches = [search.prepared(every.documents, searched) for search in every.searches]
    if several.any():
        searches.append(EqualTexts())
    return replace(every, documents=documents, searches=searches), searched


class _Join:
    """A join.  Of several copies, only the first row is searched, and measured with others."""

    def __init__(self, every: Candidates, held: MeasuredPairs) -> None:
        n = len(every)
        self._every, self._criteria, self._held = every, every.criteria, held
        self._copies = find_copies(every.documents)
        self._compared, self._searched = distinct_rows(every, self._copies)
        self._present = present(every.documents)
        self._order = np.arange(n) if every.order is None else every.order
        # For each first row the copy that is kept first; what indexes took comes last.
        taken, first, rows = np.zeros(n, np.bool_), self._copies.first, np.arange(n)
        taken[held["b"]] = True
        rows = rows[np.lexsort((self._order, taken, first))]
        heads = rows[run_starts(first[rows])]
        self._heads = np.arange(n)
        self._heads[first[heads]] = heads
        self._taken = taken[self._heads]
        self._order_of = self._order[self._heads]
        # Pairs of first rows that were found to be near, and that differ in a fact.
        self._near, self._differing = Growing(), Growing()
        self._checked = self._unchecked = 0

    def find(self) -> Joined:
        """Return what is found."""
        run, total = self._every.settings.run, len(self._copies.distinct)
        run.progress("grouping", 0, total)
        led = self._lead_all() if self._criteria.all_pairs else self._walk()
        kept, cluster = self._of_rows(led)
        self._divide(kept, cluster)
        pairs = self._listed(kept, cluster)
        run.progress("grouping", total, total)
        spared = np.flatnonzero(led.spared >= 0)
        sides = (self._heads[part].tolist() for part in (spared, led.spared[spared]))
        # People may have divided them.
        together = sorted(
            (a, b) for a, b in zip(*sides, strict=True) if cluster[a] == cluster[b] >= 0
        )
        figures = self._checked, self._unchecked
        return Joined(kept, cluster, pairs, *figures, together, self._differing.take(MeasuredPairs))

    # -- first rows --

    def _lead_all(self) -> Led:
        """Compare all candidates, or all pairs, and return who leads."""
        compared, n = self._compared.take(self._searched), len(self._every)
        numbers = compared.numbers
        for i, j in _possible(compared) if self._every.every else compared.pairs():
            self._measure_all(numbers[i], numbers[j])
            self._checked += len(i) if self._criteria.verify else 0
        each = in_order(self._near.copy(MeasuredPairs), self._order_of, self._criteria)
        held = set(np.flatnonzero(self._taken).tolist())
        led = Led(np.arange(n), np.arange(n), np.full(n, -1))
        for column, values in zip(led, lead(each, held=held), strict=True):
            rows, others = np.array([*values.items()], np.int64).reshape(-1, 2).T
            column[rows] = others
        return led

    def _walk(self) -> Led:
        """Walk all components of candidates, in other processes if that pays off."""
        n, run = len(self._every), self._every.settings.run
        led = Led(np.arange(n), np.arange(n), np.full(n, -1))
        tasks, total = self._tasks(), len(self._copies.distinct)
        done = total - sum(len(rows) for rows, _ in tasks)
        several = min(run.processes, len(tasks)) > 1 and total - done >= _WORTH_FORKS

        def tell(rows: int) -> None:
            run.progress("grouping", done + rows, total)

        with ExitStack() as stack:
            walks: Iterator[_Walked] = (self._walk_rows(task, tell) for task in tasks)
            if several and FORKS:
                workers = Workers(run.processes, lambda number: self._walk_rows)
                walks = stack.enter_context(closing(workers)).map(tasks)
            for (rows, _), walked in zip(tasks, walks, strict=True):
                for column, values in zip(led, walked.led, strict=True):
                    column[rows] = values
                if len(walked.near):
                    self._near.add(walked.near)
                if len(walked.differing):
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
        ranked = rows[np.argsort(self._order_of[rows])]
        compared = replace(self._compared, documents=self._compared.documents.take(ranked))
        near, differing = Growing(), Growing()

        def ask(i: RowIds, j: RowIds) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
            candidates = compared.test(i, j)
            a, b = ranked[i[candidates]], ranked[j[candidates]]
            pairs = self._measure(a, b, near, differing)
            answers = np.zeros(len(i), np.uint8)
            accepted = pairs.accepted(self._criteria)
            taken = pairs.taken(self._criteria)
            answers[candidates] = NEAR * accepted + TAKES * taken
            return answers, candidates

        walk = Walk(compared, ask, self._taken[ranked], limited=large)
        unchecked, leaders = walk.run(tell), walk.leaders
        n, back = len(rows), np.searchsorted(rows, ranked)
        led = Led(*np.empty((3, n), np.int64))
        keeper, spared = leaders.keeper, leaders.spared
        alone = (keeper < 0) | (keeper == n)
        led.keeper[back] = np.where(alone, ranked, ranked[np.where(alone, 0, keeper)])
        led.roots[back] = ranked[leaders.roots]
        led.spared[back] = np.where(spared < 0, -1, ranked[spared])
        checked = leaders.checked if self._criteria.verify else 0
        tables = (table.take(MeasuredPairs) for table in (near, differing))
        return _Walked(led, checked, unchecked, *tables)

    def _tasks(self) -> list[tuple[RowIds, bool]]:
        """Return the rows of components of candidates, and whether these are a large one."""
        searched, n = self._searched, len(self._every)
        roots, compared = np.arange(n), self._compared.take(searched)
        roots[searched] = searched[candidate_components(compared, self._copies.sizes[searched])]
        sizes = np.bincount(roots, minlength=n)[roots]
        tasks = [(rows, True) for rows in groups_of(roots, sizes > LARGE)]
        small = np.flatnonzero((sizes > 1) & (sizes <= LARGE))
        small = small[np.argsort(roots[small], kind="stable")]
        # Components stay whole.
        ends = np.flatnonzero(np.diff(roots[small])) + 1
        cuts = ends[np.flatnonzero(np.diff(ends // _TOGETHER, prepend=0))]
        return tasks + [(np.sort(rows), False) for rows in np.split(small, cuts) if len(rows)]

    def _measure(self, a: RowIds, b: RowIds, near: Growing, differing: Growing) -> MeasuredPairs:
        """Measure pairs of first rows; keep those that are near, or differ in a fact."""
        pairs = self._every.measure(a, b)
        # Equal texts are near, also without words that could be compared.
        same = self._copies.contents[a] == self._copies.contents[b]
        identical = MeasuredPairs.identical(a[same], b[same], self._criteria)
        for name in set(identical) & set(pairs):
            pairs[name][same] = identical[name]
        near.add(pairs.near(self._criteria))
        if "differing" in pairs:
            differing.add(pairs.take(pairs["differing"] > 0))
        return pairs

    def _measure_all(self, a: RowIds, b: RowIds) -> None:
        """Measure pairs of first rows, some at a time."""
        for first in range(0, len(a), _CHUNK):
            part = slice(first, first + _CHUNK)
            self._measure(a[part], b[part], self._near, self._differing)

    # -- all rows --

    def _of_rows(self, led: Led) -> tuple[RowIds, RowIds]:
        """Return who took each row, and the first row of its cluster."""
        n, held, distinct = len(self._every), self._held, self._copies.distinct
        kept, rows = np.arange(n), np.flatnonzero(self._present)
        first = self._copies.first[rows]
        # Twins stay beside each other, and are connected through others only.
        twins = self._copies.twins[first]
        alone = twins & (led.keeper[first] == first)
        kept[rows] = np.where(alone, rows, self._heads[led.keeper[first]])
        if self._criteria.directed and alone.any():
            self._take_twins(led, kept, rows[alone])
        kept[held["b"]] = held["a"]
        forest = Forest(n)
        several = np.bincount(led.roots[distinct], minlength=n)[led.roots[first]] > 1
        joined = several | ~twins
        forest.join(rows[joined], first[joined])
        forest.join(distinct, led.roots[distinct])
        forest.join(held["a"], held["b"])
        roots = forest.roots
        return kept, np.where(np.bincount(roots, minlength=n)[roots] > 1, roots, -1)

    def _take_twins(self, led: Led, kept: RowIds, rows: RowIds) -> None:
        """Let later kept documents take the twins of earlier ones, which these may not take.

        Only the first of several twins was led.  It asked all that were free, so its near pairs
        with those that became kept after it are there.
        """
        near = self._near.copy(MeasuredPairs)
        if not len(near):
            return
        pairs = MeasuredPairs.concat([near, near.turned()])
        pairs = pairs.take(pairs.taken(self._criteria) & self._copies.twins[pairs["b"]])
        by, first = pairs["a"], pairs["b"]
        good = np.flatnonzero((led.keeper[by] == by) & (led.keeper[first] == first))
        good = good[np.lexsort((self._order_of[by[good]], first[good]))]
        by, first = by[good], first[good]
        starts = run_starts(first)
        takers = np.full(len(led.keeper), -1)
        takers[first[starts]] = by[starts]
        taker = takers[self._copies.first[rows]]
        later = (taker >= 0) & (self._order[rows] > self._order_of[taker])
        kept[rows[later]] = self._heads[taker[later]]

    def _divide(self, kept: RowIds, cluster: RowIds) -> None:
        """Divide the clusters of documents that a rule keeps apart."""
        names, near_pairs = self._every.documents["name"], partial(self._near_pairs, kept)
        for rule in dividing(self._criteria):
            clusters = [rows.tolist() for rows in groups_of(cluster, cluster >= 0)]
            about = self._criteria, names, self._order, near_pairs
            for rows, taken_by, root in rule.divide(clusters, *about):
                kept[rows] = rows
                kept[list(taken_by)] = list(taken_by.values())
                parts: dict[int, list[int]] = {}
                for row in rows:
                    parts.setdefault(root.get(row, row), []).append(row)
                for part in parts.values():
                    cluster[part] = part[0] if len(part) > 1 else -1

    def _listed(self, kept: RowIds, cluster: RowIds) -> MeasuredPairs:
        """Return the pairs that are listed."""
        sizes = np.bincount(cluster[cluster >= 0], minlength=len(cluster))
        redundant = np.flatnonzero(kept != np.arange(len(kept)))
        asked = [np.stack([redundant, kept[redundant]])]
        rows = np.flatnonzero(cluster >= 0)
        rows = rows[np.argsort(cluster[rows], kind="stable")]
        for size in range(2, FEW + 1):
            members = rows[sizes[cluster[rows]] == size].reshape(-1, size)
            i, j = np.triu_indices(size, 1)
            asked.append(np.stack([members[:, i].ravel(), members[:, j].ravel()]))
        if self._criteria.all_pairs:
            asked.append(np.array(list(self._every_pair()), np.int64).reshape(-1, 2).T)
        a, b = np.concatenate(asked, axis=1)
        together = (cluster[a] >= 0) & (cluster[a] == cluster[b])
        held = self._held.take(np.flatnonzero(cluster[self._held["a"]] >= 0))
        return _sorted([*self._near_among(a[together], b[together]), held.ordered()])

    def _every_pair(self) -> Iterator[tuple[int, int]]:
        """Yield the near pairs of documents, and perhaps more; of many documents only the first of
        several copies is paired with others.
        """
        near = self._near.copy(MeasuredPairs)
        first = not self._criteria.lists_all(self._every.size)
        for row in np.flatnonzero(self._copies.sizes > 1).tolist():
            rows = self._of(row)
            yield from product(rows[:1], rows[1:]) if first else combinations(rows, 2)
        for a, b in _numbers(near):
            yield from [(a, b)] if first else product(self._of(a), self._of(b))

    def _near_pairs(
        self, kept: RowIds, rows: Sequence[int], decided: Collection[int]
    ) -> MeasuredPairs:
        """Return the near pairs of a cluster; of a large one those that were met, and all of the
        documents that people decided about.
        """
        members = set(rows)
        if len(rows) <= _MANY:
            asked = list(combinations(rows, 2))
        else:
            asked = [(int(kept[row]), row) for row in rows]
            asked += product(decided, rows)
            for a, b in _numbers(self._near.copy(MeasuredPairs)):
                if a in members:
                    asked += (*product([a], self._of(b)), *product(self._of(a), [b]))
        sides = np.array(asked, np.int64).reshape(-1, 2).T
        held = self._held.take(np.isin(self._held["b"], rows))
        return _sorted([*self._near_among(*sides), held.ordered()])

    def _of(self, row: int) -> list[int]:
        """Return the rows that a first row stands for, ascending."""
        if self._copies.sizes[row] == 1:
            return [row]
        rows, firsts = self._by_first
        low, high = np.searchsorted(firsts, (row, row + 1))
        copies: list[int] = rows[low:high].tolist()
        return copies

    @cached_property
    def _by_first(self) -> tuple[RowIds, RowIds]:
        """All rows by their first ones, and these."""
        rows = np.argsort(self._copies.first, kind="stable")
        return rows, self._copies.first[rows]

    def _near_among(self, a: RowIds, b: RowIds) -> tuple[MeasuredPairs, MeasuredPairs]:
        """Return which of some pairs of rows are copies, and which others are near.

        The smaller row comes first.
        """
        first, twins = self._copies.first, self._copies.twins
        a, b = np.divmod(np.unique(self._keys(a, b)), max(len(first), 1))
        i, j = first[a], first[b]
        here = self._present[a] & self._present[b] & (a != b)
        same = here & (i == j) & ~twins[i]
        identical = MeasuredPairs.identical(a[same], b[same], self._criteria)
        other = np.flatnonzero(here & (i != j))
        keys = self._keys(i[other], j[other])
        near = self._near.copy(MeasuredPairs)
        missing = np.setdiff1d(keys, self._keys(near["a"], near["b"]) if len(near) else keys[:0])
        if len(missing):
            self._measure_missing(missing)
            near = self._near.copy(MeasuredPairs)
        if not len(near):
            return identical, identical.take(other[:0])
        known = self._keys(near["a"], near["b"])
        order = np.argsort(known, kind="stable")
        places = order[np.minimum(np.searchsorted(known, keys, sorter=order), len(order) - 1)]
        found = np.flatnonzero(known[places] == keys)
        other, places = other[found], places[found]
        # The sides of what was measured may be the other way round.
        turned = near["a"][places] != i[other]
        sides = np.where(turned, b[other], a[other]), np.where(turned, a[other], b[other])
        pairs = near.take(places).and_columns(a=sides[0], b=sides[1])
        return identical, with_distances(pairs, self._every.documents).ordered()

    def _measure_missing(self, keys: RowIds) -> None:
        """Measure the candidates among pairs of first rows, given by their keys."""
        a, b = np.divmod(keys, len(self._every))
        good = (self._compared.allow if self._every.every else self._compared.test)(a, b)
        self._measure_all(a[good], b[good])

    def _keys(self, a: RowIds, b: RowIds) -> RowIds:
        """Return a number for each pair of rows, in either order."""
        return np.minimum(a, b) * len(self._every) + np.maximum(a, b)


def _sorted(parts: Sequence[MeasuredPairs]) -> MeasuredPairs:
    """Return the pairs of all parts, by their rows; of one that several have, that of the first.

    A document of an index may be near by its fingerprint, and have a text that is measured.
    """
    pairs = MeasuredPairs.concat([part for part in parts if len(part)] or parts[:1])
    pairs = pairs.take(np.lexsort((pairs["b"], pairs["a"])))
    return pairs.take(run_starts(pairs["a"], pairs["b"]))


def _numbers(pairs: MeasuredPairs) -> list[tuple[int, int]]:
    if not len(pairs):
        return []
    return list(zip(pairs["a"].tolist(), pairs["b"].tolist(), strict=True))


def _possible(compared: Candidates) -> Iterator[RowPairs]:
    """Yield all pairs, i < j, that may meet the criteria, in chunks."""
    for i, j, possible in Bounds(compared).every():
        useful = possible & compared.allow(i, j)
        yield i[useful], j[useful]
