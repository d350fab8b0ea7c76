"""Lists of rows that have something in common: a band key, a block of bits, a rare element.

Rows that belong together share a list, so all pairs of every list hold all pairs that matter.
Where a list is long, most of its pairs tell nothing new: once two rows are known to be in one
group, no pair of that group needs to be looked at.  `Lists.pairs_between` leaves these out without
going through them, which is why a family of m rows costs m and not m * m.

Lists of elements (`prefixes`) know how much of each set is left from an element on.  That bounds
what two sets can share, and drops most pairs before anybody looks at the sets.
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
    # this one in the common order; None where pairs are not bounded.
    rest: RowIds | None = None
    # int64[rows]: how many elements two sets must share: the sum of what each asks for.
    asked: NDArray[np.float64] | None = None

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
        """Return the lists of rows with an equal key; see `pack`.  The entries are sorted."""
        entries.sort()
        starts = _starts(entries >> np.uint64(row_bits(n)))
        sizes = np.diff(starts, append=len(entries))
        rows = read_rows(entries[np.repeat(sizes > 1, sizes)], n)
        sizes = sizes[sizes > 1]
        return cls(np.repeat(np.arange(len(sizes)), sizes), rows)

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.rows)

    def take(self, entries: NDArray[np.bool_]) -> Lists:
        """Return some of the entries, without those that are left alone in their list."""
        kept = np.flatnonzero(entries)
        starts = _starts(self.lists[kept])
        sizes = np.diff(starts, append=len(kept))
        kept = kept[np.repeat(sizes > 1, sizes)]
        rest = None if self.rest is None else self.rest[kept]
        return replace(self, lists=self.lists[kept], rows=self.rows[kept], rest=rest)

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
        """Yield pairs of rows of different groups, of each list.

        The largest group of a list comes last and begins no pair: every other row is paired with
        its rows first, from the end of the list, and with at most `most` rows.

        Yields
        ------
        i, j : int64[m]
            In any order, and a pair again for every list it shares; at most `CHUNK`.
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
        """Return up to which row (int64[n]) the heads of some entries hold all partners; n: all."""
        starts, ends = self.bounds
        longer = entries[ends[entries] - starts[entries] > most]
        complete = np.full(n, n, np.int64)
        np.minimum.at(complete, self.rows[longer], self.rows[starts[longer] + most - 1])
        return complete

    def _possible(self, a: RowIds, b: RowIds) -> NDArray[np.bool_]:
        """Tell which pairs of entries of the same list may share as much as they must.

        Elements come in one order for all sets.  Two sets that share enough share a first element,
        and from there on neither has fewer left than they share.
        """
        if self.rest is None or self.asked is None:
            return np.ones(len(a), np.bool_)
        least = self.asked[self.rows[a]] + self.asked[self.rows[b]]
        possible: NDArray[np.bool_] = np.minimum(self.rest[a], self.rest[b]) >= least
        return possible

    def heads(self, entries: RowIds, most: int) -> Iterator[tuple[RowIds, RowIds]]:
        """Yield (entry, row): the first `most` rows of the list of each of some entries."""
        starts, ends = self.bounds
        begin = starts[entries]
        for which, offset in iter_ranges(np.minimum(ends[entries] - begin, most), CHUNK):
            a, b = entries[which], begin[which] + offset
            possible = self._possible(a, b) & (self.rows[a] != self.rows[b])
            yield a[possible], self.rows[b[possible]]


def pack(keys: U64, rows: RowIds, n: int) -> U64:
    """Return entries (uint64): the upper bits of keys, which are mixed, and rows of n in all.

    Keys that only differ in their lower bits make one list.
    """
    bits = np.uint64(row_bits(n))
    return keys >> bits << bits | rows.astype(np.uint64)


def _starts(*numbers: NDArray[np.integer]) -> RowIds:
    """Return where runs of equal numbers begin, of several columns side by side."""
    if not len(numbers[0]):
        return np.zeros(0, np.int64)
    changes = np.logical_or.reduce([column[1:] != column[:-1] for column in numbers])
    return np.flatnonzero(np.append(True, changes))
