"""All pairs within a distance (Manku, Jain, Das Sarma, WWW 2007, section 3, made a self-join).

The paper looks one fingerprint up in the tables. To find all pairs no table is looked up in: each
is sorted once, and what belongs together stands together (`tables.walk`). Two things make that
exact and bounded.

*Each pair once.* A pair may have equal keys in several tables. It counts in the first of them
only, and which tables these are is seen from the pair alone: table t finds it if and only if the
two fingerprints agree on the bits of key t. So the tables need not know of each other, and any
number of them can be walked at the same time, in any order, with the same result.

*Long runs.* Where n fingerprints share a key, walking is n**2 / 2 steps. But they agree on the
key, so their differences lie in the other bits, and finding them is this very problem with fewer
fingerprints of fewer bits: one level down it is searched by a plan of its own.

Memory: one table a thread, 8 bytes a fingerprint; where there are copies, the different ones and
their rows, 12 bytes more; 26 bytes a pair for `all_pairs`, none that grow for `iter_pairs`.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError
from simdup.search import baselines
from simdup.search import duplicates as same
from simdup.search import threads as running
from simdup.search.arrays import (
    U64,
    WORD,
    Piece,
    Rows,
    checked,
    checked_distance,
    difference,
    differing,
    ones,
    row_bits,
    rows_of,
    without,
)
from simdup.search.memory import room_for, too_many
from simdup.search.plans import Plan, long_run, plan, width
from simdup.search.tables import keys_shown, long_runs, mask_of, packed, walk

PAIR_BYTES = 26


class Pairs(NamedTuple):
    """Pairs of rows: ``i < j``, and the exact Hamming distance between them.

    Attributes
    ----------
    i, j : int64[m]
    distance : int16[m]
    """

    i: Rows
    j: Rows
    distance: NDArray[np.int16]


def all_pairs(
    fingerprints: U64,
    distance: int = 3,
    bits: int = 64,
    copies: str = "all",
    *,
    tables: int | str = "auto",
    search: str = "tables",
    threads: int | None = None,
    memory: int | None = None,
) -> Pairs:
    """Find all pairs of fingerprints within a Hamming distance.

    Parameters
    ----------
    fingerprints : uint64[n] or uint64[n, words]
        Word 0 the most significant, unused high bits zero.
    distance : int
        0 to `bits`.
    bits : int
        1 to 256.
    copies : {"all", "first"}
        With ``first``, of identical fingerprints each pairs with the first only, and only the
        first with others.
    tables : {"auto", 4, 10, 16, 20}
        See `plans.plan`. The result is the same.
    search : {"tables", "auto", "exhaustive", "probe", "neighbours"}
        See `baselines`. The result is the same.
    threads : int, optional
        By default one for each core. The result is the same.
    memory : int, optional
        Bytes that the result may take; by default what the machine has free.

    Returns
    -------
    Pairs
        Ordered by (i, j).

    Raises
    ------
    SimdupError
        Unfit input, or more pairs than memory for them.
    """
    f = checked(fingerprints, bits)
    most = room_for(PAIR_BYTES, memory)
    found: list[U64] = []
    total = 0
    for i, j in _rows(f, distance, bits, copies, tables, search, threads, most):
        total += len(i)
        if total > most:
            raise too_many(total, copies)
        # Two row numbers below 2**32 in one value: sorting it sorts by i, then by j.
        found.append(i.astype(np.uint64) << np.uint64(32) | j.astype(np.uint64))
    both = np.concatenate(found) if found else np.empty(0, dtype=np.uint64)
    found.clear()
    both.sort()
    i = (both >> np.uint64(32)).astype(np.int64)
    both &= np.uint64(0xFFFFFFFF)
    j = both.astype(np.int64)
    return Pairs(i, j, differing(f, i, f, j))


def iter_pairs(
    fingerprints: U64,
    distance: int = 3,
    bits: int = 64,
    copies: str = "all",
    *,
    tables: int | str = "auto",
    search: str = "tables",
    threads: int | None = None,
) -> Iterator[Pairs]:
    """Find the pairs that `all_pairs` finds, in blocks, for those who need not hold them all.

    Each pair comes once, with i < j, and in no order: as the tables find it, identical ones
    first. A block holds at most 2**18 pairs; the memory in use does not grow with their number.
    The parameters are those of `all_pairs`.
    """
    f = checked(fingerprints, bits)
    blocks = _rows(f, distance, bits, copies, tables, search, threads, None)
    return (Pairs(i, j, differing(f, i, f, j)) for i, j in blocks)


def _rows(
    f: U64,
    distance: int,
    bits: int,
    copies: str,
    tables: int | str,
    search: str,
    threads: int | None,
    most: int | None,
) -> Iterator[tuple[Rows, Rows]]:
    """Give the rows of all pairs, i < j, each once, in blocks; unfit wishes are told at once."""
    distance = checked_distance(distance, bits)
    if copies not in ("all", "first"):
        raise SimdupError("copies", f"{copies!r} is neither 'all' nor 'first'")
    chosen = partial(plan, bits, distance, tables=tables, search=search)
    chosen(len(f))
    # Without copies there are fewer fingerprints, for which another plan may be the best.
    return _expanded(f, bits, chosen, copies == "all", running.count(threads), most)


def _expanded(
    f: U64,
    bits: int,
    chosen: Callable[[int], Plan],
    every: bool,
    threads: int,
    most: int | None,
) -> Iterator[tuple[Rows, Rows]]:
    """Give the pairs of identical fingerprints, then those of the different ones, expanded."""
    groups = same.collapse(f, threads)
    if most is not None and every and groups.pairs() > most:
        raise too_many(groups.pairs(), "all")
    yield from same.within(groups, every)
    first = None
    if len(groups.first):
        first = same.distinct(len(f), groups)
        f = f[first]
    for left, right in _distinct(f, bits, [(0, bits)], chosen(len(f)), threads):
        i, j = np.minimum(left, right), np.maximum(left, right)
        if first is None:
            yield i, j
            continue
        i, j = first[i].astype(np.int64), first[j].astype(np.int64)
        if every:
            for a, b in same.across(groups, i, j):
                yield np.minimum(a, b), np.maximum(a, b)
        else:
            yield i, j


def _distinct(
    f: U64, bits: int, columns: Sequence[Piece], chosen: Plan, threads: int
) -> Iterator[tuple[Rows, Rows]]:
    """Give the pairs within ``chosen.distance`` of fingerprints that are all different.

    Parameters
    ----------
    f : uint64[n, words]
    bits : int
    columns : sequence of (start, width)
        The bits in which they differ; the plan is for as many.
    chosen : Plan
    threads : int

    Yields
    ------
    i, j : int64[m]
        Each pair once, either way round, in blocks.
    """
    if chosen.search == "exhaustive":
        yield from running.merged(baselines.exhaustive(f, chosen.distance, threads), threads)
    elif chosen.search == "probe":
        yield from baselines.probe_pairs(f, bits, chosen.distance)
    elif chosen.search == "neighbours":
        yield from baselines.neighbour_pairs(f, bits, chosen.distance)
    else:
        yield from _by_tables(f, bits, columns, chosen, threads)


def _by_tables(
    f: U64, bits: int, columns: Sequence[Piece], chosen: Plan, threads: int
) -> Iterator[tuple[Rows, Rows]]:
    """Give the same, table by table."""
    keys = keys_shown(chosen, columns, WORD - row_bits(len(f)))
    masks = [mask_of(bits, key) for key in keys]
    buffers = [np.empty(len(f), dtype=np.uint64) for _ in range(min(threads, len(keys)))]

    def table(t: int) -> Iterator[tuple[Rows, Rows]]:
        buffer = buffers.pop()
        try:
            for i, j, x in _in_table(f, bits, columns, keys[t], chosen.distance, buffer):
                new = np.ones(len(i), dtype=np.bool_)
                for mask in masks[:t]:
                    new &= (x & mask).any(axis=1)
                yield i[new], j[new]
        finally:
            buffers.append(buffer)

    yield from running.merged((table(t) for t in range(len(keys))), threads)


def _in_table(
    f: U64, bits: int, columns: Sequence[Piece], key: list[Piece], distance: int, buffer: U64
) -> Iterator[tuple[Rows, Rows, U64]]:
    """Give the pairs with equal keys in one table and how they differ, in blocks."""
    n = len(f)
    table = packed(f, bits, columns, key, buffer)
    rest = without(columns, key)
    place = 0
    for start, stop in [*long_runs(table, width(key), long_run(width(rest), distance)), (n, n)]:
        for left, right in walk(table, place, start, width(key), distance):
            i, j = rows_of(left, n), rows_of(right, n)
            x = difference(f, i, f, j)
            near = ones(x) <= distance
            yield i[near], j[near], x[near]
        if start < stop:
            rows = rows_of(table[start:stop], n)
            rows.sort()
            below = plan(width(rest), min(distance, width(rest)), len(rows))
            for i, j in _distinct(f[rows], bits, rest, below, threads=1):
                yield rows[i], rows[j], difference(f, rows[i], f, rows[j])
        place = stop
