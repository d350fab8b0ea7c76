"""Groups of rows joined by a check: connected components, stars, or each row's first partner.

A check may be expensive, so none of these functions checks all pairs.  `connect` skips pairs of
rows that are already joined, `stars` skips pairs of rows that are both taken, and `first_partners`
skips everything after the first.  What is `Known` of a pair is remembered, so that none is checked
twice.  The results equal those of checking all pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.search.arrays import U64, Bools, RowIds, distinct
from simdup.search.forest import Forest
from simdup.search.lists import Lists

# Returns which pairs (i[k], j[k]) of rows belong together.
Test = Callable[[RowIds, RowIds], Bools]

# The cost of visiting a pair, in compared elements: 100 ns.
LOOK = 64
# Each round visits this many times more rows of a list than the previous round: there are few
# rounds, and if most checks succeed, hardly any row is visited twice.
GROWTH = 4
# Pairs checked at a time: the first pairs often join the rows of the others.
CHECKED = 1 << 12
# What is known of a pair is in the last bits of a value.
_CODE, _CODES = np.uint64(3), np.uint64(7)
# After a round that leaves more than this share of the sets, all pairs are visited.
FEW_JOINED = 0.9


class Check(NamedTuple):
    """A test of pairs, and a cheap filter that drops most pairs that fail it."""

    possible: Test
    passes: Test

    def __call__(self, i: RowIds, j: RowIds) -> Bools:
        """Return which pairs (i[k], j[k]) of rows belong together."""
        good = self.possible(i, j)
        some = np.flatnonzero(good)
        good[some] = self.passes(i[some], j[some])
        return good


class Known:
    """What is known of pairs of n rows: each is looked at once.

    Parameters
    ----------
    look : callable
        Returns what there is to know of pairs i < j: uint8[pairs], below 8.
    n : int
    """

    def __init__(self, look: Callable[[RowIds, RowIds], NDArray[np.uint8]], n: int) -> None:
        self._look = look
        self._n = n
        # Pairs with what is known of them, sorted; each array is over twice as long as the next.
        self._known: list[U64] = []

    def __call__(self, i: RowIds, j: RowIds) -> NDArray[np.uint8]:
        """Return what is known of pairs, in either order; look at those that are new."""
        pairs, places = np.unique(self._pairs(i, j), return_inverse=True)
        missing = np.ones(len(pairs), np.bool_)
        found = np.zeros(len(pairs), np.uint8)
        for known in self._known:
            at = np.minimum(np.searchsorted(known, pairs << _CODE), len(known) - 1)
            same = known[at] >> _CODE == pairs
            found[same] = known[at[same]] & _CODES
            missing &= ~same
        new = pairs[missing]
        found[missing] = self._look(*np.divmod(new.astype(np.int64), self._n))
        self._add(new, found[missing])
        return found[places]

    def add(self, i: RowIds, j: RowIds, found: NDArray[np.uint8]) -> None:
        """Add what was found elsewhere of distinct pairs, in either order."""
        self._add(self._pairs(i, j), found)

    def _pairs(self, i: RowIds, j: RowIds) -> U64:
        return (np.minimum(i, j) * self._n + np.maximum(i, j)).astype(np.uint64)

    def _add(self, pairs: U64, found: NDArray[np.uint8]) -> None:
        if not len(pairs):
            return
        new = np.sort(pairs << _CODE | found)
        while self._known and len(self._known[-1]) <= 2 * len(new):
            new = np.concatenate([self._known.pop(), new])
            new.sort()
        self._known.append(new)


class PairSet:
    """A set of ordered pairs of n rows, a bit for each: many pairs of few rows."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._bits = np.zeros((n, -(-n // 8)), np.uint8)

    def add(self, i: RowIds, j: RowIds) -> None:
        """Add the pairs (i[k], j[k])."""
        np.bitwise_or.at(self._bits, (i, j // 8), np.uint8(128) >> (j % 8).astype(np.uint8))

    def after(self, row: int) -> Bools:
        """Return which rows are the second of a pair of which this one is the first."""
        return np.unpackbits(self._bits[row], count=self._n).view(np.bool_)


@dataclass(slots=True)
class Budget:
    """A limit on operations; what is beyond it is counted but not done."""

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

    def visit(self, pairs: int) -> bool:
        """Spend what it costs to visit pairs, and return whether that fits the budget."""
        self.left -= LOOK * pairs
        return self.left >= 0


def connect(lists: Lists, forest: Forest, check: Check, budget: Budget) -> None:
    """Join all rows that lists connect by pairs that pass the check.

    Pairs are visited in rounds, with more and more of each list, until no pair is left whose rows
    are in different sets.
    """
    most, sets = 1, len(forest.roots)
    while True:
        lists = lists.between(forest.roots)
        for one, other in lists.pairs_between(forest.roots, most):
            if not budget.visit(len(one)):
                budget.unchecked += lists.count_pairs()
                return
            i, j = lists.rows_of(one, other)
            apart = np.flatnonzero(forest.roots[i] != forest.roots[j])
            apart = apart[check.possible(i[apart], j[apart])]
            i, j = i[apart], j[apart]
            for first in range(0, len(i), CHECKED):
                a, b = i[first : first + CHECKED], j[first : first + CHECKED]
                apart = forest.roots[a] != forest.roots[b]
                a, b = a[apart], b[apart]
                good = check.passes(a, b)
                forest.join(a[good], b[good])
        if most >= lists.sizes.max(initial=0):
            return
        # If few pairs pass, small steps only visit the same pairs again.
        left = int(np.count_nonzero(forest.roots == np.arange(len(forest.roots))))
        most = most * GROWTH if left < FEW_JOINED * sets else len(forest.roots)
        sets = left


def stars(lists: Lists, order: RowIds, check: Check, budget: Budget) -> RowIds:
    """Return the centre of each row.

    Rows are visited in order; each free row takes all free rows with which it passes the check.

    Parameters
    ----------
    lists : Lists
    order : int64[m]
        The rows to visit; lists have no other rows.
    check : callable
    budget : Budget
        Rows beyond it are their own centres.

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
        visited, found = entries.partners(row)
        if not budget.visit(visited):
            budget.unchecked += entries.lists.take(centres[entries.lists.rows] < 0).count_pairs()
            break
        centres[row] = row
        partners = found[centres[found] < 0]
        wasted += len(found) - len(partners)
        taken = partners[check(np.full(len(partners), row), partners)]
        centres[taken] = row
        # Taken rows are removed from time to time, so that lists become shorter.
        free -= 1 + len(taken)
        if free < listed / 2 or wasted > len(entries.lists):
            listed, wasted = free, 0
            entries = _Entries(entries.lists.take(centres[entries.lists.rows] < 0))
    alone = order[centres[order] < 0]
    centres[alone] = alone
    return centres


def first_partners(lists: Lists, wanted: RowIds, check: Check, budget: Budget) -> RowIds:
    """Return the first row with which each wanted row passes the check, or -1.

    Beyond the budget, it is the first of those that were checked.

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
        for entry, other in lists.heads(entries, most):
            if not budget.visit(len(entry)):
                budget.unchecked += lists.count_heads(entries)
                return np.where(found == n, -1, found)[wanted]
            row, partner = lists.rows_of(entry, other)
            new = (partner > done[row]) & (partner <= complete[row]) & (partner < found[row])
            i, j = row[new], partner[new]
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

    def partners(self, row: int) -> tuple[int, RowIds]:
        """Return the rows that share a list with a row and may pass the check, ascending.

        Before them comes how many were visited.
        """
        first, last = np.searchsorted(self._rows, [row, row + 1]).tolist()
        entries = self._order[first:last]
        visited, found = 0, [np.zeros(0, np.int64)]
        for one, other in self.lists.heads(entries, self._takeable[entries]):
            visited += len(one)
            found.append(self.lists.rows_of(one, other)[1])
        return visited, distinct(np.concatenate(found))
