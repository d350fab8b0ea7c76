"""All pairs within a distance (Manku, Jain, Das Sarma, WWW 2007, section 3, as a self-join).

The paper looks one fingerprint up in the tables. To find all pairs, no lookup is needed: each
table is sorted once, and fingerprints of equal keys are adjacent (`tables.walk`). `joins` says
why each pair is reported once and why long runs of equal keys are not slow.

Memory: one table per thread, at 8 bytes per fingerprint; with duplicates, 12 bytes more for the
distinct fingerprints and their rows; 26 bytes per pair for `all_pairs`, a constant amount for
`iter_pairs`.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import invalid
from simdup.search import baselines, duplicates, skew
from simdup.search.arrays import U64, RowIds, RowPairs, combine_rows, hamming_distances, read_rows
from simdup.search.bitview import BitView, Join, NearPairs, join_tables
from simdup.search.pieces import HammingBall, Pieces, width
from simdup.search.plans import Plan, long_run, plan
from simdup.search.tables import build_table, find_long_runs, table_keys, walk
from simdup.search.threads import count_threads, free_memory, interleave, too_many

PAIR_BYTES = 26


class Pairs(NamedTuple):
    """Pairs of rows: ``i < j``, and the exact Hamming distance between them.

    Attributes
    ----------
    i, j : int64[m]
    distance : int16[m]
    """

    i: RowIds
    j: RowIds
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
        Word 0 is the most significant; unused high bits are zero.
    distance : int
        0 to `bits`.
    bits : int
        1 to 256.
    copies : {"all", "first"}
        With ``first``, identical fingerprints are paired with the first of them only, and only
        the first is paired with others.
    tables : {"auto", 4, 10, 16, 20}
        See `plans.plan`. The result is the same.
    search : {"tables", "auto", "exhaustive", "probe", "neighbours"}
        See `baselines`. The result is the same.
    threads : int, optional
        By default one per core. The result is the same.
    memory : int, optional
        The most bytes for the result; by default the free memory.

    Returns
    -------
    Pairs
        Ordered by (i, j).

    Raises
    ------
    SimdupError
        Invalid input, or more pairs than fit in memory.
    """
    view = BitView.of_all_bits(fingerprints, bits)
    choose = _chooser(HammingBall(bits, distance), len(view), tables, search)
    limit = (free_memory() if memory is None else memory) // PAIR_BYTES
    found: list[U64] = []
    total = 0
    for i, j in _find(view, choose, copies, threads, limit):
        total += len(i)
        if total > limit:
            raise too_many(total, copies)
        found.append(combine_rows(i, j))
    both = np.concatenate(found) if found else np.empty(0, dtype=np.uint64)
    found.clear()
    both.sort()
    i = (both >> np.uint64(32)).astype(np.int64)
    both &= np.uint64(0xFFFFFFFF)
    j = both.astype(np.int64)
    return Pairs(i, j, hamming_distances(view.fingerprints, i, view.fingerprints, j))


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
    """Find the pairs that `all_pairs` finds, in chunks, without keeping all in memory.

    Each pair comes once, with i < j, in undefined order: as the tables find it, identical ones
    first. A chunk has at most 2**18 pairs; memory does not grow with the number of pairs. The
    parameters are those of `all_pairs`.
    """
    view = BitView.of_all_bits(fingerprints, bits)
    choose = _chooser(HammingBall(bits, distance), len(view), tables, search)
    f = view.fingerprints
    chunks = _find(view, choose, copies, threads, None)
    return (Pairs(i, j, hamming_distances(f, i, f, j)) for i, j in chunks)


def _chooser(
    ball: HammingBall, n: int, tables: int | str, search: str
) -> Callable[[BitView], tuple[BitView, Plan]]:
    """Return what chooses the plan for at most n fingerprints, and the bits that it looks at."""

    plan(ball, n, tables, search)  # refuses what is invalid

    def choose(view: BitView) -> tuple[BitView, Plan]:
        chosen = plan(ball, len(view), tables, search)
        if chosen.search != "tables":
            return view, chosen
        varying = view.varying()
        if not varying.width:
            return view, plan(ball, len(view), search="exhaustive")
        if tables == "auto":
            return varying, skew.choose(varying, ball.distance)
        return varying, plan(varying.ball(ball.distance), len(view), tables)

    return choose


def _find(
    view: BitView,
    choose: Callable[[BitView], tuple[BitView, Plan]],
    copies: str,
    threads: int | None,
    limit: int | None,
) -> Iterator[RowPairs]:
    """Return the rows of all pairs, i < j, each once, in chunks; raise at once if invalid."""
    if copies not in ("all", "first"):
        raise invalid("copies", copies, "'all' or 'first'")
    return _iter_rows(view, choose, copies == "all", count_threads(threads), limit)


def _iter_rows(
    view: BitView,
    choose: Callable[[BitView], tuple[BitView, Plan]],
    every: bool,
    threads: int,
    limit: int | None,
) -> Iterator[RowPairs]:
    """Yield the pairs of identical fingerprints, then those of the distinct ones, expanded."""
    groups = duplicates.collapse(view.fingerprints, threads)
    if limit is not None and every and groups.count_pairs() > limit:
        raise too_many(groups.count_pairs(), "all")
    if groups.distinct is not None:
        view = view.take(groups.distinct)
    # Without duplicates there are fewer fingerprints, and another plan may be best.
    pairs = _join_distinct(*choose(view), threads)
    yield from duplicates.expand(groups, pairs, every)


def _join_distinct(view: BitView, chosen: Plan, threads: int) -> Iterator[RowPairs]:
    """Return the pairs of distinct fingerprints, each once, in either order, in chunks.

    The plan must be for the number of bits that the view shows.
    """
    f, ball = view.fingerprints, chosen.ball
    if chosen.search == "tables":
        return _join_by_tables(view, chosen, threads)
    if chosen.search == "exhaustive":
        return interleave(baselines.scan(f, f, ball.distance, threads, later=True), threads)
    look_up = baselines.probe if chosen.search == "probe" else baselines.find_neighbours
    return ((i[i < j], j[i < j]) for i, j in look_up(f, ball))


def _join_by_tables(view: BitView, chosen: Plan, threads: int) -> Iterator[RowPairs]:
    """Yield the pairs of distinct fingerprints, table by table."""
    join = Join(view, view, chosen.ball.distance)
    keys = table_keys(chosen, view, len(view))
    buffers = [np.empty(len(view), dtype=np.uint64) for _ in range(min(threads, len(keys)))]

    def search_table(t: int) -> Iterator[NearPairs]:
        buffer = buffers.pop()
        try:
            yield from _search_table(join, keys[t], buffer)
        finally:
            buffers.append(buffer)

    yield from join_tables(join, keys, search_table, threads)


def _search_table(join: Join, key: Pieces, buffer: U64) -> Iterator[NearPairs]:
    """Yield the matches with equal keys in one table, in chunks."""
    view, distance, key_bits = join.left, join.distance, width(key)
    n = len(view)
    table = build_table(view, key, buffer)
    rest = view.without(key)
    longest = long_run(rest.ball(distance)) if rest.width else None
    done = 0
    for start, stop in [*find_long_runs(table, key_bits, longest), (n, n)]:
        for left, right in walk(table, done, start, key_bits, distance):
            yield join.compare(read_rows(left, n), read_rows(right, n))
        if start < stop:
            rows = read_rows(table[start:stop], n)
            rows.sort()
            # Distinct fingerprints with equal keys differ in some other bit.
            below = rest.take(rows).varying()
            chosen = skew.choose(below, distance)
            yield from join.lift(rows, rows, _join_distinct(below, chosen, threads=1))
        done = stop
