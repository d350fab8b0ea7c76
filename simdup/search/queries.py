"""Batch queries: find the fingerprints of an index within a distance of each query.

The paper looks up each query in each table (WWW 2007, section 3), and answers a million of them by
reading the table instead of the queries from disk (section 3.3). Here, a batch of queries becomes a
table too: the same key in front, sorted. Two sorted tables are joined by binary searches that go
through memory in one direction, for one query as well as for a million.

As in `allpairs`, only the first table that finds a pair reports it. If many queries hit a long run
of equal keys, a *heavy run*, the two are joined one level down (see `tables`).

A table may be compressed; then the blocks that queries hit are decompressed and
searched.

Few queries do not pay for tables: a `Searcher` scans rows first.
"""

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from simdup.search.allpairs import choose_plan, compare_all, prefers_scan
from simdup.search.arrays import (
    U64,
    WORD,
    RowIds,
    RowPairs,
    iter_ranges,
    read_rows,
    row_bits,
    run_starts,
)
from simdup.search.equal_keys import PAIRS, Duplicates, collapse, expand_rows
from simdup.search.plans import COSTS, HammingBall, Pieces, Plan, plan, width
from simdup.search.tables import (
    BitView,
    Compressed,
    Join,
    NearPairs,
    build_table,
    compress_table,
    decompress_window,
    join_tables,
    table_keys,
)
from simdup.search.threads import count_threads, interleave

# Queries joined at a time: a trade-off between passes and the size of temporary arrays.
BATCH = 1 << 18
# With compressed tables: at most this many blocks of 1 kB. 10**5 queries against 10**7: 2**9
# 1.47 s, 2**11 0.71 s, 2**12 0.58 s, 2**13 0.52 s, 2**14 0.60 s.
BATCH_COMPRESSED = 1 << 13
# With fewer queries, threads save less time than starting them takes. Against 10**6, one thread
# and two: 100 queries 2.3 and 3.3 ms, 1,000 6.5 and 7.9 ms, 3,000 20.6 and 12.5 ms.
MIN_PARALLEL_QUERIES = 3_000

# With this many comparisons (10 ms), starting threads pays off.
_WORTH_THREADS = 10_000_000

Table: TypeAlias = "U64 | Compressed"


@dataclass(frozen=True, slots=True, eq=False)
class SearchIndex:
    """Fingerprints ready to be queried, from `build`."""

    view: BitView  # the distinct fingerprints
    duplicates: Duplicates
    plan: Plan
    keys: list[Pieces]  # the bits in front of each table
    tables: list[Table]  # sorted, uint64[m] each, one for each key


def build(
    fingerprints: U64,
    bits: int = 64,
    distance: int = 3,
    compress: bool = False,
    *,
    tables: int | str = "auto",
    threads: int | None = None,
) -> SearchIndex:
    """Build the tables that queries will be joined with.

    Parameters
    ----------
    fingerprints : uint64[n] or uint64[n, words]
        The array is kept, not copied, unless some are equal.
    bits, distance : int
        As for `all_pairs`.
    compress : bool
        Store about 42 instead of 64 bits per value (at 10**7), which makes queries slower.
    tables, threads
        As for `all_pairs`.

    Raises
    ------
    SimdupError
        Invalid input.
    """
    view = BitView.of_all_bits(fingerprints, bits)
    ball = HammingBall(bits, distance)
    groups = collapse(view.fingerprints, count_threads(threads))
    if groups.distinct is not None:
        view = view.take(groups.distinct)
    chosen = plan(ball, len(view), tables)
    keys = table_keys(chosen, view, max(len(view), BATCH))

    def sort_table(key: Pieces) -> Table:
        table = build_table(view, key, np.empty(len(view), dtype=np.uint64))
        return compress_table(table) if compress else table

    with ThreadPoolExecutor(count_threads(threads)) as pool:
        built = list(pool.map(sort_table, keys))
    return SearchIndex(view, groups, chosen, keys, built)


def iter_hits(
    index: SearchIndex, fingerprints: U64, *, threads: int | None = None
) -> Iterator[RowPairs]:
    """Find the fingerprints of an index within its distance of each query.

    Parameters
    ----------
    index : SearchIndex
        From `build`.
    fingerprints : uint64[q] or uint64[q, words]
        One or a million queries.
    threads : int, optional
        By default one per core.

    Yields
    ------
    query, row : int64[m]
        Each hit once, in undefined order, without keeping all: the number of a query and a row of
        the index. Each duplicate in the index is found.

    Raises
    ------
    SimdupError
        Invalid input.
    """
    asked = BitView.of_all_bits(fingerprints, index.plan.ball.bits)
    if not len(index.view):
        return
    threads = 1 if len(asked) < MIN_PARALLEL_QUERIES else count_threads(threads)
    for low in range(0, len(asked), BATCH):
        some = asked.take(slice(low, low + BATCH))
        for i, found in _search_batch(index, some, threads):
            for which, row in expand_rows(index.duplicates, found):
                yield i[which] + low, row


def _search_batch(index: SearchIndex, asked: BitView, threads: int) -> Iterator[RowPairs]:
    """Return the pairs of a query and a distinct fingerprint, each once, in chunks."""
    view, keys, distance = index.view, index.keys, index.plan.ball.distance
    if not keys or prefers_scan(asked, view, keys, distance):
        parts = compare_all(asked.fingerprints, view.fingerprints, distance, threads)
        return interleave(parts, threads)
    join = Join(asked, view, distance)
    return join_tables(join, keys, lambda t: _search_table(join, keys[t], index.tables[t]), threads)


def _search_table(join: Join, key: Pieces, whole: Table) -> Iterator[NearPairs]:
    """Yield the matches with equal keys in one table, in chunks."""
    q, n = len(join.left), len(join.right)
    values = build_table(join.left, key, np.empty(q, dtype=np.uint64))
    tail = np.uint64((1 << (WORD - width(key))) - 1)
    # The bits of a fingerprint in both tables; lower bits are a row number in one of them.
    hidden = np.uint64(row_bits(max(n, q)))
    step = BATCH_COMPRESSED if isinstance(whole, Compressed) else q
    for first in range(0, q, step):
        some = values[first : first + step]
        low, high = some & ~tail, some | tail
        table = decompress_window(whole, low, high) if isinstance(whole, Compressed) else whole
        begin = np.searchsorted(table, low, side="left")
        count = np.zeros(len(some), dtype=np.int64)
        # Most queries hit no equal key: the next value shows it, without a second binary search.
        met = np.flatnonzero(table[np.minimum(begin, len(table) - 1)] - low <= high - low)
        count[met] = np.searchsorted(table, high[met], side="right") - begin[met]
        for start, stop in _find_heavy_runs(begin, count, met):
            run = slice(int(begin[start]), int(begin[start] + count[start]))
            queries, rows = read_rows(some[start:stop], q), read_rows(table[run], n)
            left, right = join.left.take(queries).without(key), join.right.take(rows).without(key)
            both = left.beside(right).varying()
            chosen = choose_plan(both, join.distance) if both.width else None
            if chosen is not None and chosen.search == "tables":
                count[start:stop] = 0
                below = Join(left.showing(both), right.showing(both), join.distance)
                yield from join.lift(queries, rows, _join_below(below, chosen))
        for which, offset in iter_ranges(count, PAIRS):
            near, mine = table[begin[which] + offset], some[which]
            likely = np.bitwise_count((near ^ mine) >> hidden) <= join.distance
            yield join.compare(read_rows(mine[likely], q), read_rows(near[likely], n))


def _find_heavy_runs(begin: RowIds, count: RowIds, met: RowIds) -> list[tuple[int, int]]:
    """Find the queries that may better be joined with their run one level down: (first, last + 1).

    Queries with equal keys are adjacent and hit the same run. `begin` and `count`, int64[q],
    describe the run of each query; `met`, int64[m], are the queries that hit a run.
    """
    heads = run_starts(begin[met])
    sizes = np.diff(heads, append=len(met))
    starts = met[heads]
    # A quarter of a million comparisons take less time than the calls for a single table.
    large = count[starts] * sizes > PAIRS
    return [
        (start, start + size)
        for start, size in zip(starts[large].tolist(), sizes[large].tolist(), strict=True)
    ]


def _join_below(below: Join, chosen: Plan) -> Iterator[RowPairs]:
    """Join some queries with a run of equal keys by the rest of their bits."""
    left, right = below.left, below.right
    keys = table_keys(chosen, right, max(len(left), len(right)))
    buffer = np.empty(len(right), dtype=np.uint64)

    def search_table(t: int) -> Iterator[NearPairs]:
        return _search_table(below, keys[t], build_table(right, keys[t], buffer))

    return join_tables(below, keys, search_table, threads=1)


class SearchSetup(NamedTuple):
    """How the rows of an index are searched."""

    ball: HammingBall  # bits of a fingerprint, and how many may differ
    threads: int = 1
    compress: bool = False  # whether tables are kept compressed


class Searcher:
    """Finds rows, given by their fingerprints (uint64[n, words]), within a distance.

    Comparing one fingerprint with 10**7 others means reading 80 MB, which takes a hundredth of a
    second; sorting tables of them takes some seconds.  So rows are scanned at first, and tables are
    sorted once scans would cost more.  So the total is never more than twice the minimum, for any
    number of queries.  Rows that are added later are scanned until their scans have cost as much.
    """

    def __init__(self, values: U64, setup: SearchSetup) -> None:
        self._setup = setup
        self._tables: SearchIndex | None = None
        self._tabled = 0  # rows in the tables; those after them are scanned
        self._held = values  # has room for more rows
        self._rows = len(values)
        self._asked = 0
        self._spent = 0.0

    @property
    def values(self) -> U64:
        """The fingerprints of all rows (uint64[n, words])."""
        return self._held[: self._rows]

    def append(self, values: U64) -> None:
        """Append rows."""
        first, self._rows = self._rows, self._rows + len(values)
        if self._rows > len(self._held):
            held = np.empty((2 * self._rows, values.shape[1]), np.uint64)
            held[:first] = self._held[:first]
            self._held = held
        self._held[first : self._rows] = values

    def find(self, asked: U64) -> Generator[RowPairs, None, None]:
        """Yield all hits, in chunks, in undefined order."""
        cost = COSTS.scan * len(asked) * (self._rows - self._tabled) * asked.shape[1]
        self._asked += len(asked)
        work = max(self._rows + self._asked, 1)
        chosen = plan(self._setup.ball, work)
        if chosen.search == "tables" and self._spent + cost > chosen.seconds:
            self._build()
        else:
            self._spent += cost
        if self._tables is not None:
            yield from iter_hits(self._tables, asked, threads=self._setup.threads)
        first = self._tabled
        values = self.values[first:]
        work = len(asked) * len(values)
        threads = self._setup.threads if work >= _WORTH_THREADS else 1
        parts = compare_all(asked, values, self._setup.ball.distance, threads)
        for query, row in interleave(parts, threads):
            yield query, row + first

    def _build(self) -> None:
        """Build tables of all rows."""
        self._tabled, self._spent = self._rows, 0.0
        ball, threads, compress = self._setup
        self._tables = build(self.values, ball.bits, ball.distance, compress, threads=threads)
