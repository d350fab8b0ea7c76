"""Groups of rows joined by a check: connected components, stars, or each row's first partner.

A check may be expensive, so none of these functions checks all pairs.  `connect` skips pairs of
rows that are already joined, `stars` skips pairs of rows that are both taken, and `first_partners`
skips everything after the first.  The results equal those of checking all pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.mix64 import mix64
from simdup.search.arrays import U64, RowIds
from simdup.search.forest import Forest
from simdup.search.lists import Lists

# Returns which pairs (i[k], j[k]) of rows belong together.
Test = Callable[[RowIds, RowIds], NDArray[np.bool_]]

# The cost of visiting a pair, in compared elements: 100 ns.
LOOK = 64
# Each round visits this many times more rows of a list than the previous round: there are few
# rounds, and if most checks succeed, hardly any row is checked twice.
GROWTH = 4
# Pairs checked at a time: the first pairs often join the rows of the others.
CHECKED = 1 << 12
# After a round that leaves more than this share of the sets, all pairs are visited.
FEW_JOINED = 0.9


class Check(NamedTuple):
    """A test of pairs, and a cheap filter that drops most pairs that fail it."""

    possible: Test
    passes: Test

    def __call__(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs (i[k], j[k]) of rows belong together."""
        good = self.possible(i, j)
        some = np.flatnonzero(good)
        good[some] = self.passes(i[some], j[some])
        return good


@dataclass(slots=True)
class Budget:
    """A limit on operations; pairs beyond it are counted but not checked."""

    left: float
    unchecked: int = 0  # an upper bound: some pairs may be counted more than once

    def afford(self, costs: RowIds) -> int:
        """Spend the costs of pairs, and return how many of them, from the first, fit the budget."""
        paid = int(np.searchsorted(np.cumsum(costs), self.left, "right"))
        self.left -= float(costs[:paid].sum())
        if paid < len(costs):
            self.left = 0
            self.unchecked += len(costs) - paid
        return paid


def connect(lists: Lists, forest: Forest, check: Check, budget: Budget) -> None:
    """Join all rows that lists connect by pairs that pass the check.

    Pairs are visited in rounds, with more and more of each list, until no pair is left whose rows
    are in different sets.
    """
    failed = _Failed.of(len(forest.roots))
    most, sets = 1, len(forest.roots)
    while True:
        lists = lists.between(forest.roots)
        for i, j in lists.pairs_between(forest.roots, most):
            budget.left -= LOOK * len(i)
            if budget.left < 0:
                budget.unchecked += lists.count_pairs()
                return
            apart = np.flatnonzero(forest.roots[i] != forest.roots[j])
            apart = apart[check.possible(i[apart], j[apart])]
            i, j = failed.drop(i[apart], j[apart])
            for first in range(0, len(i), CHECKED):
                a, b = i[first : first + CHECKED], j[first : first + CHECKED]
                apart = forest.roots[a] != forest.roots[b]
                a, b = a[apart], b[apart]
                good = check.passes(a, b)
                forest.join(a[good], b[good])
                failed.add(a[~good], b[~good])
        if most >= lists.sizes.max(initial=0):
            return
        # If few pairs pass, small steps only visit the same pairs again.
        left = int(np.count_nonzero(forest.roots == np.arange(len(forest.roots))))
        most = most * GROWTH if left < FEW_JOINED * sets else len(forest.roots)
        sets = left


def stars(lists: Lists, order: RowIds, check: Check) -> RowIds:
    """Return the centre of each row.

    Rows are visited in order; each free row takes all free rows with which it passes the check.

    Parameters
    ----------
    lists : Lists
    order : int64[m]
        The rows to visit; lists have no other rows.
    check : callable

    Returns
    -------
    int64[n]
        For all rows up to the largest: a centre has its own number, a row outside `order` has -1.
    """
    centres = np.full(int(order.max(initial=-1)) + 1, -1, np.int64)
    entries = _Entries(lists)
    free = listed = len(order)
    wasted = 0  # visits of rows that were taken
    for row in order.tolist():
        if centres[row] >= 0:
            continue
        centres[row] = row
        found = entries.partners(row)
        partners = found[centres[found] < 0]
        wasted += len(found) - len(partners)
        taken = partners[check(np.full(len(partners), row), partners)]
        centres[taken] = row
        # Taken rows are removed from time to time, so that lists become shorter.
        free -= 1 + len(taken)
        if free < listed / 2 or wasted > len(entries.lists):
            listed, wasted = free, 0
            entries = _Entries(entries.lists.take(centres[entries.lists.rows] < 0))
    return centres


def first_partners(lists: Lists, wanted: RowIds, check: Check) -> RowIds:
    """Return the first row with which each wanted row passes the check, or -1.

    Returns
    -------
    int64[wanted]
    """
    n = int(max(lists.rows.max(initial=-1), wanted.max(initial=-1))) + 1
    found = np.full(n, n, np.int64)
    done = np.full(n, -1, np.int64)
    open_rows = np.zeros(n, np.bool_)
    open_rows[wanted] = True
    most = 1
    while True:
        entries = np.flatnonzero(open_rows[lists.rows]) if len(lists) else np.zeros(0, np.int64)
        if not len(entries):
            break
        complete = lists.complete_to(entries, most, n)
        for entry, partner in lists.heads(entries, most):
            row = lists.rows[entry]
            new = (partner > done[row]) & (partner <= complete[row]) & (partner < found[row])
            pairs = np.unique(row[new] * n + partner[new])
            i, j = np.divmod(pairs, n)
            good = check(i, j)
            np.minimum.at(found, i[good], j[good])
        done = complete
        open_rows &= (found == n) & (complete < n)
        most *= GROWTH
    return np.where(found == n, -1, found)[wanted]


class _Entries:
    """The entries of each row in lists, in which the rows that others may take come first."""

    def __init__(self, lists: Lists) -> None:
        self.lists, self._takeable = lists.takeable_first()
        self._order = np.argsort(self.lists.rows, kind="stable")
        self._rows = self.lists.rows[self._order]

    def partners(self, row: int) -> RowIds:
        """Return the rows that share a list with a row and may pass the check, ascending."""
        first, last = np.searchsorted(self._rows, [row, row + 1]).tolist()
        entries = self._order[first:last]
        found = [partner for _, partner in self.lists.heads(entries, self._takeable[entries])]
        return np.unique(np.concatenate([np.zeros(0, np.int64), *found]))


@dataclass(slots=True)
class _Failed:
    """Pairs of n rows that failed a check; a forgotten pair only costs another check."""

    n: int
    table: U64

    @classmethod
    def of(cls, n: int) -> _Failed:
        """Return an empty set, with room for 64 pairs per row, up to a million in total."""
        return cls(n, np.zeros(1 << min((64 * n).bit_length(), 20), np.uint64))

    def drop(self, i: RowIds, j: RowIds) -> tuple[RowIds, RowIds]:
        """Return the distinct pairs that are not known to fail."""
        pairs = np.unique(np.minimum(i, j) * self.n + np.maximum(i, j))
        # No pair is 0, because its rows would be the same.
        pairs = pairs[self.table[self._slots(pairs)] != pairs.astype(np.uint64)]
        first, second = np.divmod(pairs, self.n)
        return first, second

    def add(self, i: RowIds, j: RowIds) -> None:
        pairs = i * self.n + j
        self.table[self._slots(pairs)] = pairs.astype(np.uint64)

    def _slots(self, pairs: RowIds) -> RowIds:
        mixed = mix64(pairs.astype(np.uint64)) & np.uint64(len(self.table) - 1)
        return mixed.astype(np.int64)
