"""Lists of rows that have something in common: a band key, a block of bits, a rare element.

Rows that belong together share a list, so the pairs of all lists include all pairs that matter.  In
a long list, most pairs add nothing: once two rows are known to be in one group, no pair of that
group needs a check.  `Lists.pairs_between` leaves these out without visiting them, so a family of m
rows costs O(m), not O(m * m).

Lists of elements (`prefixes`) store how much of each set is left from an element on.  This bounds
what two sets can share, and rejects most pairs without reading the sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simdup.mix64 import mix64
from simdup.search.arrays import U64, RowIds, RowPairs, iter_ranges, read_rows, row_bits

# Pairs in a chunk: their row numbers take 1 MB.
CHUNK = 1 << 16


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of rows; entries are ordered by list, then by row."""

    lists: RowIds  # int64[entries]: the number of each entry's list
    rows: RowIds  # int64[entries]
    # int64[entries]: for lists of elements, how many of the row's elements do not come before
    # this one in the common order; None if pairs are not bounded.
    rest: RowIds | None = None
    # float64[rows]: two sets must share as many elements as the sum of their values here.
    asked: NDArray[np.float64] | None = None
    # bool[entries]: which rows others in the list may take; None for all (see `grouping.stars`).
    takeable: NDArray[np.bool_] | None = None

    @classmethod
    def none(cls) -> Lists:
        """Return no lists."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    @classmethod
    def of_keys(cls, keys: NDArray[np.unsignedinteger]) -> Lists:
        """Return the lists of rows with an equal key, of keys[n, columns]."""
        n, columns = keys.shape
        lists, rows = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for column in range(columns):
            some = cls.of_entries(pack(mix64(keys[:, column]), np.arange(n), n), n)
            lists.append(some.lists + column * n)
            rows.append(some.rows)
        return cls(np.concatenate(lists), np.concatenate(rows))

    @classmethod
    def of_entries(cls, entries: U64, n: int) -> Lists:
        """Return the lists of rows with an equal key; see `pack`.  This sorts the entries."""
        entries.sort()
        starts = _starts(entries >> np.uint64(row_bits(n)))
        sizes = np.diff(starts, append=len(entries))
        rows = read_rows(entries[np.repeat(sizes > 1, sizes)], n)
        sizes = sizes[sizes > 1]
        return cls(np.repeat(np.arange(len(sizes)), sizes), rows)

    def of_rows(self, rows: RowIds) -> Lists:
        """Return the lists of keys with other, ascending numbers of the rows."""
        return Lists(self.lists, rows[self.rows])

    def joined(self, others: Lists) -> Lists:
        """Return the lists of keys, and others after them; bounds on pairs are dropped."""
        first = int(self.lists[-1]) + 1 if len(self) else 0
        rows = np.append(self.rows, others.rows)
        takeable = np.append(self._all_takeable, others._all_takeable)
        return Lists(np.append(self.lists, others.lists + first), rows, takeable=takeable)

    def with_pairs(self, i: RowIds, j: RowIds) -> Lists:
        """Return the lists of keys, and one more list for each pair of rows, i < j."""
        first = int(self.lists[-1]) + 1 if len(self) else 0
        lists = np.repeat(np.arange(first, first + len(i)), 2)
        rows = np.stack([i, j], 1).ravel()
        return Lists(np.append(self.lists, lists), np.append(self.rows, rows))

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.rows)

    def take(self, entries: NDArray[np.bool_]) -> Lists:
        """Return some of the entries, except those that would be alone in their list."""
        kept = np.flatnonzero(entries)
        starts = _starts(self.lists[kept])
        sizes = np.diff(starts, append=len(kept))
        kept = kept[np.repeat(sizes > 1, sizes)]
        rest = None if self.rest is None else self.rest[kept]
        takeable = None if self.takeable is None else self.takeable[kept]
        return replace(
            self, lists=self.lists[kept], rows=self.rows[kept], rest=rest, takeable=takeable
        )

    def takeable_first(self) -> tuple[Lists, RowIds]:
        """Return the lists with takeable entries first, and how many each entry's list has."""
        takeable = self._all_takeable
        order = np.lexsort((self.rows, ~takeable, self.lists))
        rest = None if self.rest is None else self.rest[order]
        counts = np.bincount(self.lists, takeable).astype(np.int64)
        lists = replace(self, rows=self.rows[order], rest=rest, takeable=takeable[order])
        return lists, counts[self.lists]

    @property
    def _all_takeable(self) -> NDArray[np.bool_]:
        return np.ones(len(self), np.bool_) if self.takeable is None else self.takeable

    @cached_property
    def starts(self) -> RowIds:
        """Where the lists begin (int64[lists])."""
        return _starts(self.lists)

    @cached_property
    def sizes(self) -> RowIds:
        """How many entries each list has (int64[lists])."""
        return np.diff(self.starts, append=len(self))

    @cached_property
    def bounds(self) -> tuple[RowIds, RowIds]:
        """Where the list of each entry begins and ends (int64[entries] each)."""
        ends = self.starts + self.sizes
        return np.repeat(self.starts, self.sizes), np.repeat(ends, self.sizes)

    def count_pairs(self) -> int:
        """Count the pairs of all lists."""
        return int((self.sizes * (self.sizes - 1) // 2).sum())

    def between(self, groups: RowIds) -> Lists:
        """Return the lists with rows of several groups (int64[rows])."""
        own = groups[self.rows]
        mixed = np.zeros(len(self), np.int64)
        mixed[1:] = (own[1:] != own[:-1]) & (self.lists[1:] == self.lists[:-1])
        if not len(self):
            return self
        return self.take(np.repeat(np.add.reduceat(mixed, self.starts) > 0, self.sizes))

    def pairs_between(self, groups: RowIds, most: int) -> Iterator[RowPairs]:
        """Yield the pairs of rows of different groups in each list.

        The largest group of a list comes last, and its rows begin no pair.  Every other row is
        paired with at most `most` rows, from the end of the list.

        Yields
        ------
        i, j : int64[m]
            In undefined order, once for every list that a pair shares; at most `CHUNK`.
        """
        own = groups[self.rows]
        order = np.lexsort((own, self.lists))
        lengths = np.empty(len(self), np.int64)
        sizes = np.diff(_starts(self.lists[order], own[order]), append=len(self))
        lengths[order] = np.repeat(sizes, sizes)
        room = own if self.rest is None else self.rest
        order = np.lexsort((room, own, lengths, self.lists))
        starts = _starts(self.lists[order], own[order])
        sizes = np.diff(starts, append=len(self))
        run_ends = np.repeat(starts + sizes, sizes)
        _, ends = self.bounds
        for which, offset in iter_ranges(np.minimum(ends - run_ends, most), CHUNK):
            a, b = order[which], order[ends[which] - 1 - offset]
            possible = self._possible(a, b)
            yield self.rows[a[possible]], self.rows[b[possible]]

    def complete_to(self, entries: RowIds, most: int, n: int) -> RowIds:
        """Return the row (int64[n]) up to which the heads of entries have all partners; n: all."""
        starts, ends = self.bounds
        longer = entries[ends[entries] - starts[entries] > most]
        complete = np.full(n, n, np.int64)
        np.minimum.at(complete, self.rows[longer], self.rows[starts[longer] + most - 1])
        return complete

    def _possible(self, a: RowIds, b: RowIds) -> NDArray[np.bool_]:
        """Return which pairs of entries of the same list may share as much as they must.

        Elements have the same order in all sets.  Two sets that share enough have a first common
        element; from there on, neither set has fewer elements left than they share.
        """
        if self.rest is None or self.asked is None:
            return np.ones(len(a), np.bool_)
        least = self.asked[self.rows[a]] + self.asked[self.rows[b]]
        possible: NDArray[np.bool_] = np.minimum(self.rest[a], self.rest[b]) >= least
        return possible

    def heads(self, entries: RowIds, most: RowIds | int) -> Iterator[tuple[RowIds, RowIds]]:
        """Yield (entry, row): the first `most` rows of the list of each entry, for all or each."""
        starts, ends = self.bounds
        begin = starts[entries]
        for which, offset in iter_ranges(np.minimum(ends[entries] - begin, most), CHUNK):
            a, b = entries[which], begin[which] + offset
            possible = self._possible(a, b) & (self.rows[a] != self.rows[b])
            yield a[possible], self.rows[b[possible]]


def pack(keys: U64, rows: RowIds, n: int) -> U64:
    """Return entries (uint64): the high bits of keys, which are mixed, and rows below n.

    Keys that differ only in their low bits make one list.
    """
    bits = np.uint64(row_bits(n))
    return keys >> bits << bits | rows.astype(np.uint64)


def _starts(*numbers: NDArray[np.integer]) -> RowIds:
    """Return where runs of equal rows begin, in several parallel columns."""
    if not len(numbers[0]):
        return np.zeros(0, np.int64)
    changes = np.logical_or.reduce([column[1:] != column[:-1] for column in numbers])
    return np.flatnonzero(np.append(True, changes))
