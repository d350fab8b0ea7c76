"""Identical fingerprints: collapsed before a search, expanded after it, in the output only.

A million copies of one fingerprint are one fingerprint to the search. Only where pairs are
written do they become many again, and then in blocks.

Copies are found as tables find neighbours, by one sort: of values whose front is a mix of all
bits of the fingerprint and whose end is the row number. Copies have equal fronts, so they stand
together, the first row first. The converse holds but for accidents (about 45 among 10**7 rows,
where 40 bits of the mix have room), and these are told apart by the fingerprints themselves.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.search import threads as running
from simdup.search.arrays import STRETCH, U64, Rows, mixed, row_bits, rows_of, spread

# Pairs in a block of output: 2**18 of them are 4 MB of row numbers.
BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class Copies:
    """The fingerprints that occur more than once.

    Attributes
    ----------
    first : int64[g]
        For each the first row that has it, ascending.
    members : int64[m]
        All rows that have it, `first` among them: group after group, ascending within each.
    starts : int64[g]
        Where in `members` the groups begin.
    sizes : int64[g]
        How many rows each has.
    """

    first: Rows
    members: Rows
    starts: Rows
    sizes: Rows

    def pairs(self) -> int:
        """Count the pairs within the groups."""
        # Whole numbers of Python: a hundred million copies make more pairs than one would think.
        return sum(size * (size - 1) // 2 for size in self.sizes.tolist())


def by_mix(fingerprints: U64, threads: int = 1) -> U64:
    """Give uint64[n], sorted: a mix of each fingerprint's bits in front, its row at the end."""
    n = len(fingerprints)
    row = np.uint64(row_bits(n))
    table = np.empty(n, dtype=np.uint64)
    for low in range(0, n, STRETCH):
        high = min(low + STRETCH, n)
        front = mixed(fingerprints[low:high])
        table[low:high] = (front >> row << row) | np.arange(low, high, dtype=np.uint64)
    running.sort(table, threads)
    return table


def collapse(fingerprints: U64, threads: int = 1) -> Copies:
    """Group the rows that have the same fingerprint as another row.

    Parameters
    ----------
    fingerprints : uint64[n, words]
    threads : int
    """
    n = len(fingerprints)
    values = by_mix(fingerprints, threads)
    copies: list[U64] = []
    while True:
        # Whoever has the front of the one before follows the head of that run. Followers that are
        # no copies of their head, accidents of mixing, go round again without the heads.
        follows = _equal_fronts(values, row_bits(n))
        if not len(follows):
            break
        begins = np.diff(follows, prepend=-1) != 1
        heads = (follows[begins] - 1)[np.cumsum(begins) - 1]
        rows, leaders = rows_of(values[follows], n), rows_of(values[heads], n)
        same = (fingerprints[rows] == fingerprints[leaders]).all(axis=1)
        copies.append(_joined(leaders[same], rows[same]))
        values = values[follows[~same]]
    found = np.concatenate(copies) if copies else np.empty(0, dtype=np.uint64)
    first = np.unique(found >> np.uint64(32)).astype(np.int64)
    both = np.concatenate([found, _joined(first, first)])
    both.sort()
    starts = np.flatnonzero(np.diff((both >> np.uint64(32)).astype(np.int64), prepend=-1))
    members = (both & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return Copies(first, members, starts, np.diff(starts, append=len(members)))


def distinct(n: int, copies: Copies) -> NDArray[np.uint32]:
    """Give the rows that are the first with their fingerprint, ascending: uint32[m].

    There is one for almost every fingerprint, hence the small type.
    """
    keep = np.ones(n, dtype=np.bool_)
    keep[copies.members] = False
    keep[copies.first] = True
    result = np.empty(np.count_nonzero(keep), dtype=np.uint32)
    done = 0
    for low in range(0, n, STRETCH):
        rows = np.flatnonzero(keep[low : low + STRETCH])
        result[done : done + len(rows)] = rows + low
        done += len(rows)
    return result


def within(copies: Copies, every: bool) -> Iterator[tuple[Rows, Rows]]:
    """Give the pairs of identical fingerprints, i < j, in blocks of at most `BLOCK`.

    With `every` all pairs of a group, otherwise its first row with each of the others.
    """
    sizes = copies.sizes
    if every:
        stops = np.repeat(copies.starts + sizes, sizes)
        after = stops - np.arange(len(copies.members)) - 1
        for which, offset in spread(after, BLOCK):
            yield copies.members[which], copies.members[which + 1 + offset]
    else:
        for which, offset in spread(sizes - 1, BLOCK):
            yield copies.first[which], copies.members[copies.starts[which] + 1 + offset]


def across(copies: Copies, i: Rows, j: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Give for pairs of first rows all pairs of their copies, in blocks of at most `BLOCK`."""
    group_i, size_i = _group(copies, i)
    group_j, size_j = _group(copies, j)
    counts = size_i * size_j
    if int(counts.sum()) == len(counts):
        yield i, j
        return
    for which, offset in spread(counts, BLOCK):
        first, second = np.divmod(offset, size_j[which])
        yield (
            _member(copies, i[which], group_i[which], first),
            _member(copies, j[which], group_j[which], second),
        )


def everyone(copies: Copies, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Give for first rows all rows of their copies: blocks of (index into `rows`, row)."""
    group, size = _group(copies, rows)
    for which, offset in spread(size, BLOCK):
        yield which, _member(copies, rows[which], group[which], offset)


def _group(copies: Copies, rows: Rows) -> tuple[Rows, Rows]:
    """Give each first row's group (-1 where it has no copies) and how many rows are in it."""
    if not len(copies.first):
        return np.full(len(rows), -1), np.ones(len(rows), dtype=np.int64)
    group = np.searchsorted(copies.first, rows)
    group[group == len(copies.first)] = 0
    has = copies.first[group] == rows
    return np.where(has, group, -1), np.where(has, copies.sizes[group], 1)


def _member(copies: Copies, row: Rows, group: Rows, which: Rows) -> Rows:
    alone = group < 0
    place = np.where(alone, 0, copies.starts[group] + which)
    return np.where(alone, row, copies.members[place])


def _joined(high: Rows, low: Rows) -> U64:
    """Put two row numbers into one value, so that sorting it sorts by the one, then the other."""
    return high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64)


def _equal_fronts(values: U64, row: int) -> NDArray[np.int64]:
    """Find the places whose value has the same front as the value before."""
    top = np.uint64((1 << row) - 1)
    found = [
        np.flatnonzero((values[low + 1 : low + 1 + STRETCH] ^ values[low:-1][:STRETCH]) <= top)
        + (low + 1)
        for low in range(0, len(values) - 1, STRETCH)
    ]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)
