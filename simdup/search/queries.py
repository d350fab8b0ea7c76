"""Batch queries: which fingerprints of an index lie within a distance of each query.

The paper looks each query up in each table (WWW 2007, section 3), and answers a million of them
by reading the table and not the queries from disk (section 3.3). Here a batch of queries becomes
a table of its own: the same key in front, sorted. Two sorted tables are joined by binary searches
that go through memory in one direction, whether the batch is one query or a million.

What a table finds is treated as in `allpairs`: a pair counts in the first table only that finds
it, and where many queries meet a long run of equal keys, the two are joined by the rest of their
bits, one level down.

A table may be kept compressed (`compressed`); then the blocks that the queries hit are unpacked,
and the search goes on in these.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError
from simdup.search import baselines, compressed
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
    spread,
    without,
)
from simdup.search.compressed import Compressed, window
from simdup.search.memory import room_for
from simdup.search.plans import Plan, plan, width
from simdup.search.tables import keys_shown, mask_of, packed

# Queries joined at a time. Fewer mean more passes, more mean larger temporary arrays.
BATCH = 1 << 18
# The same where blocks are unpacked for them: as many blocks of 1 kB at most. 10**5 queries against
# 10**7: 2**9 1.47 s, 2**11 0.71 s, 2**12 0.58 s, 2**13 0.52 s, 2**14 0.60 s.
BATCH_COMPRESSED = 1 << 13
# Below so many queries threads gain less than they cost to start. Against 10**6, one thread and
# two: 100 queries 2.3 and 3.3 ms, 1,000 6.5 and 7.9 ms, 3,000 20.6 and 12.5 ms.
WORTH_THREADS = 3_000

# What a find takes at the most: in blocks 18 bytes, joined 18, ordered 18, and 16 to order it.
PAIR_BYTES = 70

Table: TypeAlias = "U64 | Compressed"


class Found(NamedTuple):
    """What queries find: query number, row of the index, exact Hamming distance.

    Attributes
    ----------
    query, row : int64[m]
    distance : int16[m]
    """

    query: Rows
    row: Rows
    distance: NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """Fingerprints ready to be asked, from `build`.

    Attributes
    ----------
    bits, distance, rows : int
        Queries may ask for up to `distance`; `rows` fingerprints were given.
    fingerprints : uint64[m, words]
        The different ones.
    first : uint32[m] or None
        The first row that has each; None where it is the row itself.
    copies : Copies
    plan : Plan
    keys : list of list of (start, width)
        The bits in front of each table.
    tables : list
        Sorted, one for each key.
    mixed : uint64[]
        What ``probe`` and ``neighbours`` look fingerprints up in.
    """

    bits: int
    distance: int
    rows: int
    fingerprints: U64
    first: NDArray[np.uint32] | None
    copies: same.Copies
    plan: Plan
    keys: list[list[Piece]]
    tables: list[Table]
    mixed: U64

    @property
    def nbytes(self) -> int:
        """Bytes of the tables and the fingerprints."""
        return sum(int(part.nbytes) for part in (self.fingerprints, self.mixed, *self.tables))


def build(
    fingerprints: U64,
    bits: int = 64,
    distance: int = 3,
    compress: bool = False,
    *,
    tables: int | str = "auto",
    search: str = "tables",
    threads: int | None = None,
) -> SearchIndex:
    """Sort the tables that queries are to be joined with.

    Parameters
    ----------
    fingerprints : uint64[n] or uint64[n, words]
        They are kept, not copied, unless some are equal.
    bits, distance : int
        As for `all_pairs`; queries may ask for less than `distance`.
    compress : bool
        Keep the tables in about 42 of 64 bits (at 10**7), at the price of slower queries.
    tables, search, threads
        As for `all_pairs`.

    Raises
    ------
    SimdupError
        Unfit input.
    """
    f = checked(fingerprints, bits)
    rows = len(f)
    distance = checked_distance(distance, bits)
    groups = same.collapse(f, running.count(threads))
    first = None
    if len(groups.first):
        first = same.distinct(rows, groups)
        f = f[first]
    chosen = plan(bits, distance, len(f), tables, search)
    columns = [(0, bits)]
    keys = keys_shown(chosen, columns, _room(len(f), BATCH))

    def table(t: int) -> Iterator[tuple[int, Table]]:
        plain = packed(f, bits, columns, keys[t], np.empty(len(f), dtype=np.uint64))
        yield t, compressed.compress(plain) if compress else plain

    done = list(running.merged(map(table, range(len(keys))), running.count(threads)))
    done.sort(key=lambda one: one[0])
    lookup = np.empty(0, dtype=np.uint64)
    if chosen.search == "probe":
        lookup = same.by_mix(f)
    elif chosen.search == "neighbours":
        lookup = baselines.all_neighbours(f, bits, distance)
    return SearchIndex(
        bits, distance, rows, f, first, groups, chosen, keys, [one for _, one in done], lookup
    )


def query(
    index: SearchIndex,
    fingerprints: U64,
    distance: int | None = None,
    *,
    threads: int | None = None,
    memory: int | None = None,
) -> Found:
    """Find for every query what the index holds within a distance.

    Parameters
    ----------
    index : SearchIndex
        From `build`.
    fingerprints : uint64[q] or uint64[q, words]
        One or a million queries.
    distance : int, optional
        At most, and by default, that of the index.
    threads : int, optional
        By default one for each core.
    memory : int, optional
        Bytes that the result may take; by default what the machine has free.

    Returns
    -------
    Found
        Ordered by (query, row). Copies in the index are each found.

    Raises
    ------
    SimdupError
        Unfit input; a distance beyond that of the index; more finds than memory for them.
    """
    asked = checked(fingerprints, index.bits)
    distance = index.distance if distance is None else checked_distance(distance, index.bits)
    if distance > index.distance:
        raise SimdupError(
            "distance",
            f"{distance} is beyond the {index.distance} that the index was built for",
            "build it again for that distance",
        )
    most = room_for(PAIR_BYTES, memory)
    found = []
    total = 0
    for block in _rows(index, asked, distance, running.count(threads)):
        total += len(block[0])
        if total > most:
            raise SimdupError(
                "queries",
                f"{total:,} or more finds do not fit in memory",
                "ask fewer at a time, or for a smaller distance",
            )
        found.append(block)
    if not found:
        nothing = np.empty(0, dtype=np.int64)
        return Found(nothing, nothing, nothing.astype(np.int16))
    i, j, apart = (np.concatenate(parts) for parts in zip(*found, strict=True))
    # Both numbers in one value, for sorting by one is faster than by two.
    order = np.argsort(i << 32 | j)
    return Found(i[order], j[order], apart[order])


def _rows(
    index: SearchIndex, asked: U64, distance: int, threads: int
) -> Iterator[tuple[Rows, Rows, NDArray[np.int16]]]:
    """Give query, row and distance, each pair once, in blocks."""
    f = index.fingerprints
    if not len(f):
        return
    if len(asked) < WORTH_THREADS:
        threads = 1
    for low in range(0, len(asked), BATCH):
        some = asked[low : low + BATCH]
        if index.plan.search == "exhaustive":
            blocks = running.merged(baselines.scan_queries(some, f, distance, threads), threads)
        elif index.plan.search == "probe":
            blocks = baselines.probe(f, index.mixed, some, index.bits, distance)
        elif index.plan.search == "neighbours":
            blocks = baselines.neighbours(f, index.mixed, some, distance)
        else:
            blocks = _joined(
                some, f, index.bits, [(0, index.bits)], index.keys,
                index.tables.__getitem__, distance, threads,
            )  # fmt: skip
        for i, j in blocks:
            apart = differing(some, i, f, j)
            if index.first is None:
                yield i + low, j, apart
            else:
                for which, row in same.everyone(index.copies, index.first[j].astype(np.int64)):
                    yield i[which] + low, row, apart[which]


def _joined(
    asked: U64,
    f: U64,
    bits: int,
    columns: Sequence[Piece],
    keys: list[list[Piece]],
    table_of: Callable[[int], Table],
    distance: int,
    threads: int,
) -> Iterator[tuple[Rows, Rows]]:
    """Join queries and fingerprints that may differ in `columns` only, table by table."""
    masks = [mask_of(bits, key) for key in keys]

    def table(t: int) -> Iterator[tuple[Rows, Rows]]:
        for i, j, x in _in_table(asked, f, bits, columns, keys[t], table_of(t), distance):
            new = np.ones(len(i), dtype=np.bool_)
            for mask in masks[:t]:
                new &= (x & mask).any(axis=1)
            yield i[new], j[new]

    yield from running.merged((table(t) for t in range(len(keys))), threads)


def _in_table(
    asked: U64,
    f: U64,
    bits: int,
    columns: Sequence[Piece],
    key: list[Piece],
    whole: Table,
    distance: int,
) -> Iterator[tuple[Rows, Rows, U64]]:
    """Give the pairs with equal keys in one table and how they differ, in blocks."""
    n, q = len(f), len(asked)
    values = packed(asked, bits, columns, key, np.empty(q, dtype=np.uint64))
    rest = without(columns, key)
    tail = np.uint64((1 << (WORD - width(key))) - 1)
    # What both tables show: the rest of a value is row number in one of them.
    hidden = np.uint64(max(row_bits(n), row_bits(q)))
    step = BATCH_COMPRESSED if isinstance(whole, Compressed) else q
    for first in range(0, q, step):
        some = values[first : first + step]
        low, high = some & ~tail, some | tail
        table = window(whole, low, high) if isinstance(whole, Compressed) else whole
        begin = np.searchsorted(table, low, side="left")
        count = np.zeros(len(some), dtype=np.int64)
        # Most queries meet no equal key: the next value tells, without a second binary search.
        met = np.flatnonzero(table[np.minimum(begin, len(table) - 1)] - low <= high - low)
        count[met] = np.searchsorted(table, high[met], side="right") - begin[met]
        for start, stop, at in _crowds(met, begin[met], count[met], width(rest), distance):
            rows, queries = rows_of(table[at : at + count[start]], n), rows_of(some[start:stop], q)
            count[start:stop] = 0
            for i, j in _below(asked[queries], f[rows], bits, rest, distance):
                yield queries[i], rows[j], difference(asked, queries[i], f, rows[j])
        for which, offset in spread(count, same.BLOCK):
            near = table[begin[which] + offset]
            mine = some[which]
            likely = np.bitwise_count((near ^ mine) >> hidden) <= distance
            i, j = rows_of(mine[likely], q), rows_of(near[likely], n)
            x = difference(asked, i, f, j)
            close = ones(x) <= distance
            yield i[close], j[close], x[close]


def _crowds(
    met: Rows, begin: Rows, count: Rows, rest: int, distance: int
) -> list[tuple[int, int, int]]:
    """Find the runs that are better joined one level down: (first query, last + 1, run's start).

    Queries of equal keys stand together and meet the same run; `met` are those that meet one, with
    its begin and its length. Comparing each with each is weighed against a plan for both of them.
    """
    if not rest:
        return []
    heads = np.flatnonzero(np.diff(begin, prepend=-1) != 0)
    sizes = np.diff(heads, append=len(begin))
    # A quarter of a million comparisons take less than the calls for a single table.
    large = count[heads] * sizes > same.BLOCK
    crowds = []
    for head, size in zip(heads[large].tolist(), sizes[large].tolist(), strict=True):
        both = int(count[head]) + size
        if plan(rest, min(distance, rest), both).search == "tables":
            start = int(met[head])
            crowds.append((start, start + size, int(begin[head])))
    return crowds


def _below(
    asked: U64, f: U64, bits: int, columns: Sequence[Piece], distance: int
) -> Iterator[tuple[Rows, Rows]]:
    """Join a crowd of queries with a run of equal keys by the rest of their bits."""
    rest = width(columns)
    chosen = plan(rest, min(distance, rest), len(asked) + len(f))
    keys = keys_shown(chosen, columns, _room(len(f), len(asked)))
    buffer = np.empty(len(f), dtype=np.uint64)
    return _joined(
        asked, f, bits, columns, keys,
        lambda t: packed(f, bits, columns, keys[t], buffer), distance, 1,
    )  # fmt: skip


def _room(n: int, q: int) -> int:
    """Count the bits that a key may have beside the row numbers of either table."""
    return WORD - max(row_bits(n), row_bits(q))
