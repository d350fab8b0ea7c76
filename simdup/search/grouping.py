"""Groups of rows joined by a check: connected components, stars, or each row's first partner.

A check may be expensive, so none of these functions checks all pairs: a `Walk` says which ones
matter (`simdup.kernels.groups`).  What is `Known` of a pair is remembered, so that none is checked
twice.  The results equal those of checking all pairs.

A `Forest` is disjoint sets of row numbers, joined by arrays of pairs.

References
----------
B. Galler, M. Fischer, "An improved equivalence algorithm", CACM 7 (1964).
Y. Shiloach, U. Vishkin, "An O(log n) parallel connectivity algorithm", J. Algorithms 3 (1982): all
pairs of a chunk are hooked at once, then all paths are shortened.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.kernels.groups import ALL, FIRST, JOIN, STAR, PairBounds, Walk
from simdup.search.arrays import U64, Bools, RowIds, RowPairs, distinct
from simdup.search.lists import Lists


class Forest:
    """Disjoint sets of the rows 0 to n - 1, each identified by its smallest row."""

    def __init__(self, n: int) -> None:
        # int64[n]: the smallest row in the set of each row.
        self.roots: RowIds = np.arange(n)

    def join(self, i: RowIds, j: RowIds) -> None:
        """Join the sets of each pair of rows; the order of pairs does not matter."""
        while True:
            a, b = self.roots[i], self.roots[j]
            apart = a != b
            if not apart.any():
                return
            i, j, a, b = i[apart], j[apart], a[apart], b[apart]
            np.minimum.at(self.roots, np.maximum(a, b), np.minimum(a, b))
            while not np.array_equal(shorter := self.roots[self.roots], self.roots):
                self.roots = shorter


# Returns which pairs (i[k], j[k]) of rows belong together.
Test = Callable[[RowIds, RowIds], Bools]
Look = Callable[[RowIds, RowIds], NDArray[np.uint8]]

# The cost of visiting a pair, in compared elements.
LOOK = 64
# Visits in a second or two: whoever interrupts does not wait longer.
_AT_ONCE = 1 << 26
# What is known of a pair is in the last bits of a value.
_CODE, _CODES = np.uint64(3), np.uint64(7)


class Known:
    """What is known of pairs of n rows: each is looked at once."""

    def __init__(self, n: int) -> None:
        self._n = n
        # Pairs with what is known of them, sorted; each array is over twice as long as the next.
        self._known: list[U64] = []

    def of(self, i: RowIds, j: RowIds, look: Look) -> NDArray[np.uint8]:
        """Return what is known of pairs, in either order; look at those that are new.

        `look` returns what there is to know of pairs i < j: uint8[pairs], below 8.
        """
        pairs, places = np.unique(self._pairs(i, j), return_inverse=True)
        missing = np.ones(len(pairs), np.bool_)
        found = np.zeros(len(pairs), np.uint8)
        for known in self._known:
            at = np.minimum(np.searchsorted(known, pairs << _CODE), len(known) - 1)
            same = known[at] >> _CODE == pairs
            found[same] = known[at[same]] & _CODES
            missing &= ~same
        new = pairs[missing]
        found[missing] = look(*np.divmod(new.astype(np.int64), self._n))
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

    def questions(self, walk: Walk) -> Iterator[RowPairs]:
        """Yield the questions of a walk, as long as its visits fit the budget."""
        while not walk.done and self.left >= LOOK:
            before = walk.visits
            i, j = walk.questions(int(min(self.left / LOOK, _AT_ONCE)))
            self.left -= LOOK * (walk.visits - before)
            if len(i):
                yield i, j
        self.unchecked += walk.left


def connect(lists: Lists, bounds: PairBounds, roots: RowIds, check: Test, budget: Budget) -> RowIds:
    """Return the set of each row, by its smallest row: joined with all that pass the check.

    `roots` (int64[n]) are the sets to begin with.
    """
    walk = lists.walk(JOIN, bounds, distinct(lists.rows), roots=roots)
    for i, j in budget.questions(walk):
        walk.answer(check(i, j))
    return walk.roots


def stars(
    lists: Lists,
    bounds: PairBounds,
    order: RowIds,
    check: Test,
    budget: Budget,
    directed: bool = False,
) -> RowIds:
    """Return the centre of each row; of those that are not in `order`, -1.

    In this order, each free row takes all free rows with which it passes the check, the row first.
    Beyond the budget, rows are their own centres.

    Parameters
    ----------
    directed : bool
        Whether a row only takes what it contains.
    """
    ranks = np.full(bounds.rows, -1)
    ranks[order] = np.arange(len(order))
    some = lists.take(ranks[lists.rows] >= 0)
    walk = some.walk(STAR, bounds, order, ranks=ranks, directed=directed)
    for i, j in budget.questions(walk):
        walk.answer(check(j, i))
    centres = np.full(bounds.rows, -1)
    found = walk.found[order]
    centres[order] = np.where(found < bounds.rows, order[np.minimum(found, len(order) - 1)], order)
    return centres


def first_partners(
    lists: Lists,
    bounds: PairBounds,
    wanted: RowIds,
    check: Test,
    budget: Budget,
    parts: RowIds | None = None,
    directed: bool = False,
) -> RowIds:
    """Return the first row with which each wanted row passes the check, or -1.

    Beyond the budget, it is the first of those that were checked.

    Parameters
    ----------
    parts : int64[n], optional
        The first row is of another part than the wanted one, and not of part -1.
    directed : bool
        Whether the first row must contain the wanted one.
    """
    walk = lists.walk(FIRST, bounds, wanted, parts=parts, directed=directed)
    for i, j in budget.questions(walk):
        walk.answer(check(i, j))
    found = walk.found[wanted]
    return np.where(found < bounds.rows, found, -1)


def possible_pairs(lists: Lists, bounds: PairBounds, test: Test, most: int) -> Lists:
    """Return a list for each pair that passes a test, or all lists if there are too many pairs."""
    pairs, walk = [np.zeros((2, 0), np.int64)], lists.walk(ALL, bounds, distinct(lists.rows))
    for i, j in Budget(sys.maxsize).questions(walk):
        good = test(i, j)
        pairs.append(np.stack([j[good], i[good]]))
        most -= pairs[-1].shape[1]
        if most < 0:
            return lists
    return Lists.of_pairs(*np.concatenate(pairs, axis=1))
