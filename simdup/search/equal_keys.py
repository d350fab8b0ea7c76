"""Equal keys: identical fingerprints, and candidates that share a band key.

For a search, a million duplicates of one fingerprint are one fingerprint.  They are collapsed
before it, and expanded only when pairs are written, in chunks.

Duplicates are found as tables find neighbours, by one sort. The high bits of the sorted values, the
front, are a mix of all bits of the fingerprint; the low bits are the row number. Duplicates have
equal fronts, so they are adjacent, the first row first. The converse is true except for collisions
(about 45 in 10**7 rows, which leave room for 40 bits of the mix), which comparing the fingerprints
resolves.

*Bands.*  Each row has one key per band; rows with equal keys in some band are candidates. Each band
is sorted, so rows with equal keys are adjacent. As in `tables`, only the first band that proposes a
pair reports it; the keys of the pair show which one that is, so no pairs need to be stored. Rows
that agree in all bands are one row in the search, as duplicates are.  Memory: 40 bytes per row, and
chunks of pairs; it does not grow with the number of candidates. The time does: each candidate is
processed once for each band that proposes it.

References
----------
J. Leskovec, A. Rajaraman, J. Ullman, "Mining of massive datasets", section 3.4.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from simdup.search.arrays import (
    CHUNK,
    U32,
    U64,
    RowIds,
    RowPairs,
    combine_rows,
    distinct,
    iter_ranges,
    mix_rows,
    pack,
    read_rows,
    row_bits,
    run_starts,
    split_rows,
)
from simdup.search.threads import sort

# Pairs in a chunk of output: 2**18 of them are 4 MB of row numbers.
PAIRS = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class Duplicates:
    """The fingerprints that occur more than once."""

    first: RowIds  # int64[g]: for each group the first row, ascending
    # int64[m]: all rows of the groups, including `first`, group by group, each ascending.
    members: RowIds
    starts: RowIds  # int64[g]: where the groups begin in `members`
    sizes: RowIds  # int64[g]: how many rows each has
    # uint32[d] or None: the rows that are the first with their fingerprint, ascending; None if
    # all are. There is one for almost every fingerprint, hence the small type.
    distinct: U32 | None

    def count_pairs(self) -> int:
        """Count the pairs within the groups."""
        # Python integers: the pairs of many duplicates may not fit in 64 bits.
        return sum(size * (size - 1) // 2 for size in self.sizes.tolist())


def sort_by_mix(fingerprints: U64, threads: int = 1) -> U64:
    """Return uint64[n], sorted: a mix of each fingerprint's bits, with its row in the low bits."""
    n = len(fingerprints)
    table = np.empty(n, dtype=np.uint64)
    for low in range(0, n, CHUNK):
        high = min(low + CHUNK, n)
        table[low:high] = pack(mix_rows(fingerprints[low:high]), np.arange(low, high), n)
    sort(table, threads)
    return table


def collapse(fingerprints: U64, threads: int = 1) -> Duplicates:
    """Group the rows of uint64[n, words] that have the same fingerprint as another row."""
    n = len(fingerprints)
    values = sort_by_mix(fingerprints, threads)
    found: list[U64] = []
    while True:
        # Rows with equal fronts form a run; the first row is its head. Rows that differ from their
        # head (collisions of the mix) go through the loop again, without the heads.
        follows = _find_equal_fronts(values, row_bits(n))
        if not len(follows):
            break
        begins = np.diff(follows, prepend=-1) != 1
        heads = (follows[begins] - 1)[np.cumsum(begins) - 1]
        rows, leaders = read_rows(values[follows], n), read_rows(values[heads], n)
        equal = (fingerprints[rows] == fingerprints[leaders]).all(axis=1)
        found.append(combine_rows(leaders[equal], rows[equal]))
        values = values[follows[~equal]]
    both = np.concatenate(found) if found else np.empty(0, dtype=np.uint64)
    first = distinct(both >> np.uint64(32)).astype(np.int64)
    both = np.concatenate([both, combine_rows(first, first)])
    both.sort()
    heads, members = split_rows(both)
    starts = run_starts(heads)
    sizes = np.diff(starts, append=len(members))
    return Duplicates(first, members, starts, sizes, _find_distinct(n, first, members))


def expand(groups: Duplicates, pairs: Iterable[RowPairs], every: bool) -> Iterator[RowPairs]:
    """Yield the pairs of duplicates, then those of distinct fingerprints with their duplicates.

    `pairs` are positions in ``groups.distinct``, int64[m], in either order. Without `every`,
    duplicates are paired with the first row only.

    Yields
    ------
    i, j : int64[m]
        i < j, in chunks of at most `PAIRS` if those of `pairs` are.
    """
    first = groups.distinct
    yield from _expand_groups(groups, every)
    for left, right in pairs:
        i, j = np.minimum(left, right), np.maximum(left, right)
        if first is None:
            yield i, j
            continue
        i, j = first[i].astype(np.int64), first[j].astype(np.int64)
        if every:
            for a, b in _expand_pairs(groups, i, j):
                yield np.minimum(a, b), np.maximum(a, b)
        else:
            yield i, j


def expand_rows(groups: Duplicates, found: RowIds) -> Iterator[RowPairs]:
    """Yield chunks of (index into `found`, row): all rows of the distinct fingerprints found."""
    if groups.distinct is None:
        yield np.arange(len(found)), found
        return
    rows = groups.distinct[found].astype(np.int64)
    group, size = _locate_groups(groups, rows)
    for which, offset in iter_ranges(size, PAIRS):
        yield which, _pick_members(groups, rows[which], group[which], offset)


def _expand_groups(groups: Duplicates, every: bool) -> Iterator[RowPairs]:
    """Yield the pairs of each group, i < j, or those of its first row with the others."""
    sizes = groups.sizes
    if every:
        stops = np.repeat(groups.starts + sizes, sizes)
        after = stops - np.arange(len(groups.members)) - 1
        for which, offset in iter_ranges(after, PAIRS):
            yield groups.members[which], groups.members[which + 1 + offset]
    else:
        for which, offset in iter_ranges(sizes - 1, PAIRS):
            yield groups.first[which], groups.members[groups.starts[which] + 1 + offset]


def _expand_pairs(groups: Duplicates, i: RowIds, j: RowIds) -> Iterator[RowPairs]:
    """Yield, for pairs of first rows, all pairs of the members of their groups."""
    group_i, size_i = _locate_groups(groups, i)
    group_j, size_j = _locate_groups(groups, j)
    counts = size_i * size_j
    if int(counts.sum()) == len(counts):
        yield i, j
        return
    for which, offset in iter_ranges(counts, PAIRS):
        first, second = np.divmod(offset, size_j[which])
        yield (
            _pick_members(groups, i[which], group_i[which], first),
            _pick_members(groups, j[which], group_j[which], second),
        )


def _locate_groups(groups: Duplicates, rows: RowIds) -> RowPairs:
    """Return the group of each first row (-1 if unique) and the number of rows in it."""
    group = np.searchsorted(groups.first, rows)
    group[group == len(groups.first)] = 0
    found = groups.first[group] == rows
    return np.where(found, group, -1), np.where(found, groups.sizes[group], 1)


def _pick_members(groups: Duplicates, row: RowIds, group: RowIds, which: RowIds) -> RowIds:
    unique = group < 0
    position = np.where(unique, 0, groups.starts[group] + which)
    return np.where(unique, row, groups.members[position])


def _find_distinct(n: int, first: RowIds, members: RowIds) -> U32 | None:
    if not len(first):
        return None
    keep = np.ones(n, dtype=np.bool_)
    keep[members] = False
    keep[first] = True
    result = np.empty(np.count_nonzero(keep), dtype=np.uint32)
    done = 0
    for low in range(0, n, CHUNK):
        rows = np.flatnonzero(keep[low : low + CHUNK])
        result[done : done + len(rows)] = rows + low
        done += len(rows)
    return result


def _find_equal_fronts(values: U64, row: int) -> RowIds:
    """Find the positions whose value has the same front as the value before."""
    top = np.uint64((1 << row) - 1)
    found = [
        np.flatnonzero((values[low + 1 : low + 1 + CHUNK] ^ values[low:-1][:CHUNK]) <= top)
        + (low + 1)
        for low in range(0, len(values) - 1, CHUNK)
    ]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


# Candidates in a chunk: with 16 bands their keys take 8 MB twice.
_CANDIDATES = 1 << 16


def neighbours(bands: Iterable[U32 | U64]) -> Iterator[RowPairs]:
    """Yield enough pairs to connect all rows that share a key: neighbours in sorted order.

    `bands` are the keys of all rows, one band at a time.
    """
    for keys in bands:
        order = np.argsort(keys, kind="stable")
        equal = np.flatnonzero(np.diff(keys[order]) == 0)
        yield order[equal], order[equal + 1]


def candidates(keys: U32 | U64) -> Iterator[RowPairs]:
    """Yield the pairs of rows that have an equal key in any band.

    Parameters
    ----------
    keys : uint32[n, bands] or uint64[n, bands]

    Yields
    ------
    i, j : int64[m]
        i < j, each pair once, in undefined order; a chunk has at most 2**18.
    """
    groups = collapse(keys.astype(np.uint64, copy=False))
    distinct = keys if groups.distinct is None else keys[groups.distinct]
    yield from expand(groups, _iter_candidates(distinct), every=True)


def _iter_candidates(keys: U32 | U64) -> Iterator[RowPairs]:
    """Yield the pairs among distinct rows, in chunks."""
    for band in range(keys.shape[1]):
        # Stable, so that the smaller of two rows comes first.
        order = np.argsort(keys[:, band], kind="stable")
        inside = keys[order, band]
        ends = np.append(run_starts(inside)[1:], len(inside))
        sizes = np.diff(ends, prepend=0)
        after = np.repeat(ends, sizes) - np.arange(len(inside)) - 1
        positions = np.flatnonzero(after)
        for which, offset in iter_ranges(after[positions], _CANDIDATES):
            left = positions[which]
            i, j = order[left], order[left + 1 + offset]
            if band:
                new = ~(keys[i, :band] == keys[j, :band]).any(axis=1)
                i, j = i[new], j[new]
            if len(i):
                yield i, j
