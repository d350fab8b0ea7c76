"""Lists of rows that may belong together, and disjoint sets of rows.

A list is of rows with a common band key, block of bits or rare element.  Rows that belong together
share a list, so the pairs of all lists include all pairs that matter.  Which of these are asked
about is up to `simdup.kernels.leaders`.

*Prefixes.*  Sets that may have a Jaccard similarity of at least s are found by rare elements.  Put
the elements of all sets in one order, rare ones first.  Sets x and y with a similarity of s or more
share at least s / (1 + s) * (|x| + |y|) elements.  From the first common element on, each set must
have at least that many elements left.  So this element is among the first (1 - s) |x| + 1 of x, its
*prefix*, and sets whose prefixes have no common element need not be compared.  Texts of one
template that differ in a number have their own numbers in front, and everything common at the end.
A list stores how much of each set is left from its element on, which bounds what two sets can
share, and rejects most pairs without reading the sets.

The order affects only how much is saved, not what is found.  So the frequencies of elements are
counted in a table of fixed size, in which some elements share a count.

Elements that always occur together, such as those of a template, give one list instead of hundreds:
a list is dropped if all of its sets share some earlier element too.

References
----------
Y. Shiloach, U. Vishkin, "An O(log n) parallel connectivity algorithm", J. Algorithms 3 (1982): all
pairs of a chunk are hooked at once, then all paths are shortened.
S. Chaudhuri, V. Ganti, R. Kaushik, "A primitive operator for similarity joins", ICDE 2006.
R. Bayardo, Y. Ma, R. Srikant, "Scaling up all pairs similarity search", WWW 2007.
C. Xiao, W. Wang, X. Lin, J. Yu, "Efficient similarity joins for near duplicate detection", WWW
2008: the bound by the elements left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64
from simdup.search.arrays import (
    U64,
    Bools,
    RowIds,
    contains,
    pack,
    read_rows,
    row_bits,
    run_starts,
)

I32 = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of rows; entries are ordered by list, then by row."""

    # Half as wide as other numbers of rows: of a large family there are a dozen entries a row.
    lists: I32  # int32[entries]: the number of each entry's list
    rows: I32  # int32[entries]
    # int64[entries]: for lists of elements, how many of the row's elements do not come before
    # this one in the common order; None if pairs are not bounded.
    rest: RowIds | None = None

    @classmethod
    def none(cls) -> Lists:
        """Return no lists."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int32))

    @classmethod
    def of_key(cls, key: NDArray[np.unsignedinteger]) -> Lists:
        """Return the lists of rows with an equal key (one for each of n rows)."""
        n = len(key)
        return cls.of_entries(pack(mix64(key.astype(np.uint64)), np.arange(n), n), n)

    @classmethod
    def of_entries(cls, entries: U64, n: int) -> Lists:
        """Return the lists of rows with an equal key; see `pack`.  This sorts the entries."""
        entries.sort()
        starts = run_starts(entries >> np.uint64(row_bits(n)))
        sizes = np.diff(starts, append=len(entries))
        rows = read_rows(entries[np.repeat(sizes > 1, sizes)], n)
        sizes = sizes[sizes > 1]
        return cls(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes), rows.astype(np.int32))

    def of_rows(self, rows: RowIds) -> Lists:
        """Return the lists of keys with other, ascending numbers of the rows."""
        return Lists(self.lists, rows.astype(np.int32)[self.rows])

    @classmethod
    def of_pairs(cls, i: RowIds, j: RowIds) -> Lists:
        """Return a list for each pair of rows, i < j."""
        sides = np.stack([i, j], 1).astype(np.int32)
        return cls(np.repeat(np.arange(len(i), dtype=np.int32), 2), sides.ravel())

    @classmethod
    def concat(cls, parts: Iterable[Lists]) -> Lists:
        """Return the lists of all parts, one after the other; bounds on pairs are dropped."""
        every = [part for part in parts if len(part)] or [cls.none()]
        firsts = accumulate((part.count for part in every[:-1]), initial=0)
        return cls(
            np.concatenate([part.lists + first for part, first in zip(every, firsts, strict=True)]),
            np.concatenate([part.rows for part in every]),
        )

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.rows)

    @property
    def count(self) -> int:
        """The number of lists."""
        return int(self.lists[-1]) + 1 if len(self) else 0

    def take(self, entries: Bools) -> Lists:
        """Return some of the entries, except those that would be alone."""
        kept = np.flatnonzero(entries)
        starts = run_starts(self.lists[kept])
        sizes = np.diff(starts, append=len(kept))
        kept = kept[np.repeat(sizes > 1, sizes)]
        sizes = sizes[sizes > 1]
        numbers = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        return Lists(numbers, self.rows[kept], None if self.rest is None else self.rest[kept])

    def parted(self, wanted: Bools) -> list[tuple[Lists, bool]]:
        """Return the lists without one of the wanted rows (bool[rows]), and those with one."""
        having = np.bincount(self.lists, wanted[self.rows], self.count) > 0
        return [(self.take(having[self.lists] == each), each) for each in (False, True)]

    def count_pairs(self) -> int:
        """Count the pairs of all lists."""
        sizes = np.diff(run_starts(self.lists), append=len(self))
        return int((sizes * (sizes - 1) // 2).sum())


# -- prefixes: lists of rows that may be similar --

# The largest table of counts takes 64 MB; smaller ones have eight counts per element.
_SLOT_BITS = 24
# A tolerance for rounding errors, so that a set that just meets the bound is kept.
_EXACT = 1 - 1e-9


class Prefixes:
    """Collects the prefixes of n sets: all are counted first, then added.

    `elements` is their approximate total number of elements.
    """

    def __init__(self, n: int, elements: int, similarity: float) -> None:
        self._similarity = similarity
        self._times = np.zeros(1 << min((8 * elements).bit_length(), _SLOT_BITS), np.uint32)
        self._hashes: list[U64] = []
        self._rows: list[RowIds] = []
        self._rest: list[RowIds] = []
        self._n = n

    def count(self, rows: RowIds, starts: RowIds, hashes: U64) -> None:
        """Count the elements of some sets.

        Parameters
        ----------
        rows : int64[sets]
            Their numbers.
        starts : int64[sets + 1]
            Where each begins in `hashes`, and the end.
        hashes : uint64[entries]
            Their elements, hashes below 2**32.
        """
        np.add.at(self._times, self._slots(hashes), np.uint32(1))

    def add(self, rows: RowIds, starts: RowIds, hashes: U64) -> None:
        """Add the prefixes of sets that were counted; see `count`."""
        which, hashes, rest = self._in_order(starts, hashes)
        inside = rest >= self._similarity * _EXACT * np.diff(starts)[which]
        self._rows.append(rows[which[inside]])
        self._hashes.append(hashes[inside])
        self._rest.append(rest[inside])

    def _in_order(self, starts: RowIds, hashes: U64) -> tuple[RowIds, U64, RowIds]:
        """Return the elements of sets in the common order, but those of a single set.

        Beside each element come its set, and how many elements of the set do not precede it.
        """
        sizes = np.diff(starts)
        times = self._times[self._slots(hashes)]
        several = times > 1
        which = np.repeat(np.arange(len(sizes)), sizes)
        # Elements of a single set come first and are in no list.
        alone = np.bincount(which[~several], minlength=len(sizes))
        which, hashes, times = which[several], hashes[several], times[several]
        order = np.argsort(times.astype(np.uint64) << np.uint64(32) | hashes)
        # Of so many sets, numpy sorts faster.
        small = np.uint16 if len(sizes) <= 1 << 16 else np.uint32
        order = order[np.argsort(which[order].astype(small), kind="stable")]
        which, hashes = which[order], hashes[order]
        firsts = np.searchsorted(which, np.arange(len(sizes)))
        rest = (sizes - alone)[which] - (np.arange(len(which)) - firsts[which])
        return which, hashes, rest

    def lists(self) -> Lists:
        """Return the lists of sets with a common element in their prefixes."""
        nothing = np.zeros(0, np.int64)
        hashes = np.concatenate([np.zeros(0, np.uint64), *self._hashes])
        rows = np.concatenate([nothing, *self._rows])
        rest = np.concatenate([nothing, *self._rest])
        order = np.lexsort((rows, hashes, self._times[self._slots(hashes)]))
        hashes = hashes[order]
        numbers = np.cumsum(np.append(0, hashes[1:] != hashes[:-1])) if len(hashes) else nothing
        every = Lists(numbers.astype(np.int32), rows[order].astype(np.int32), rest[order])
        return _without_nested(every.take(np.ones(len(every), np.bool_)), self._n)

    def _slots(self, hashes: U64) -> RowIds:
        """Return the position of each element in the table of counts."""
        return (hashes & np.uint64(len(self._times) - 1)).astype(np.int64)


def _without_nested(lists: Lists, n: int) -> Lists:
    """Drop each list whose rows are all in one earlier list.

    The only earlier list that is tried is the previous one with the same first row.
    """
    if not len(lists):
        return lists
    by_row = np.lexsort((lists.lists, lists.rows))
    before = np.full(len(lists), -1, np.int64)
    same = lists.rows[by_row][1:] == lists.rows[by_row][:-1]
    before[by_row[1:][same]] = lists.lists[by_row[:-1][same]]
    wanted = before[np.searchsorted(lists.lists, lists.lists)] * n + lists.rows
    # Lists are ascending, and rows within them, so these are too.
    places = lists.lists.astype(np.int64) * n + lists.rows
    found = contains(places, wanted)
    missing = np.bincount(lists.lists, ~found, minlength=int(lists.lists.max()) + 1)
    return lists.take(missing[lists.lists] > 0)


# -- disjoint sets --


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
