"""Groups of rows that a check joins: all connected ones, stars, or each row's first partner.

A check may be expensive, so none of these looks at all pairs.  `connect` skips pairs whose rows
are joined already, `stars` pairs of rows that are both taken, `first_partners` whatever comes
after the first.  What they return equals what all pairs would give.
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

# Tells which pairs of rows side by side belong together.
Test = Callable[[RowIds, RowIds], NDArray[np.bool_]]

# Looking at a pair costs as much as comparing so many elements: 100 ns.
LOOK = 64
# Each round looks at so many times more rows of a list than the one before: rounds are few, and
# where most checks succeed hardly any row is checked twice.
GROWTH = 4
# Pairs that are checked at a time: the first ones often join the rows of the others.
CHECKED = 1 << 12
# From a round that leaves more than this share of the sets on, all pairs are looked at.
FEW_JOINED = 0.9


class Check(NamedTuple):
    """A test of pairs, and a cheap one that drops most of those that fail."""

    possible: Test
    passes: Test

    def __call__(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Tell which pairs of rows side by side belong together."""
        good = self.possible(i, j)
        some = np.flatnonzero(good)
        good[some] = self.passes(i[some], j[some])
        return good


@dataclass(slots=True)
class Budget:
    """Operations that may be spent; pairs beyond them are counted and not checked."""

    left: float
    unchecked: int = 0  # at most so many: some may be counted more than once

    def afford(self, costs: RowIds) -> int:
        """Spend what pairs cost, and return how many of them can be paid, from the first."""
        paid = int(np.searchsorted(np.cumsum(costs), self.left, "right"))
        self.left -= float(costs[:paid].sum())
        if paid < len(costs):
            self.left = 0
            self.unchecked += len(costs) - paid
        return paid


def connect(lists: Lists, forest: Forest, check: Check, budget: Budget) -> None:
    """Join all rows that lists connect by pairs that pass the check.

    Pairs are looked at round by round, ever more of each list, until none is left whose rows are
    in different sets.
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
        # Where few pairs pass, small steps only look at the same pairs again.
        left = int(np.count_nonzero(forest.roots == np.arange(len(forest.roots))))
        most = most * GROWTH if left < FEW_JOINED * sets else len(forest.roots)
        sets = left


def stars(lists: Lists, order: RowIds, check: Check) -> RowIds:
    """Return the centre of each row.

    Rows are visited in order; each that is free takes every free row it passes the check with.

    Parameters
    ----------
    lists : Lists
    order : int64[m]
        The rows to visit; no list has others.
    check : callable

    Returns
    -------
    int64[n]
        Of all rows up to the largest: a centre's own number for a centre, -1 for other rows.
    """
    centres = np.full(int(order.max(initial=-1)) + 1, -1, np.int64)
    entries = _Entries(lists)
    free = listed = len(order)
    for row in order.tolist():
        if centres[row] >= 0:
            continue
        centres[row] = row
        partners = entries.partners(row)
        partners = partners[centres[partners] < 0]
        taken = partners[check(np.full(len(partners), row), partners)]
        centres[taken] = row
        # Taken rows leave the lists from time to time, so that no list is read for ever.
        free -= 1 + len(taken)
        if free < listed / 2:
            listed = free
            entries = _Entries(entries.lists.take(centres[entries.lists.rows] < 0))
    return centres


def first_partners(lists: Lists, wanted: RowIds, check: Check) -> RowIds:
    """Return the first row with which each wanted row passes the check; -1 where there is none.

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
    """The entries of each row of some lists."""

    def __init__(self, lists: Lists) -> None:
        self.lists = lists
        self._order = np.argsort(lists.rows, kind="stable")
        self._rows = lists.rows[self._order]
        self._starts, self._ends = lists.bounds

    def partners(self, row: int) -> RowIds:
        """Return the rows that share a list with a row and may pass, rising."""
        first, last = np.searchsorted(self._rows, [row, row + 1]).tolist()
        entries = self._order[first:last]
        sizes = self._ends[entries] - self._starts[entries]
        if not len(entries):
            return entries
        found = [partner for _, partner in self.lists.heads(entries, int(sizes.max()))]
        return np.unique(np.concatenate(found))


@dataclass(slots=True)
class _Failed:
    """Pairs that failed a check, of n rows; it may forget some, which costs a check."""

    n: int
    table: U64

    @classmethod
    def of(cls, n: int) -> _Failed:
        """Remember none yet; 64 pairs a row find room, up to a million in all."""
        return cls(n, np.zeros(1 << min((64 * n).bit_length(), 20), np.uint64))

    def drop(self, i: RowIds, j: RowIds) -> tuple[RowIds, RowIds]:
        """Return the distinct pairs among some that have not failed."""
        pairs = np.unique(np.minimum(i, j) * self.n + np.maximum(i, j))
        # No pair is 0: its rows would be the same.
        pairs = pairs[self.table[self._slots(pairs)] != pairs.astype(np.uint64)]
        first, second = np.divmod(pairs, self.n)
        return first, second

    def add(self, i: RowIds, j: RowIds) -> None:
        pairs = i * self.n + j
        self.table[self._slots(pairs)] = pairs.astype(np.uint64)

    def _slots(self, pairs: RowIds) -> RowIds:
        mixed = mix64(pairs.astype(np.uint64)) & np.uint64(len(self.table) - 1)
        return mixed.astype(np.int64)
