"""All pairs within a distance (Manku, Jain, Das Sarma, WWW 2007, section 3, as a self-join).

The paper looks one fingerprint up in the tables. To find all pairs, no lookup is needed: each
table is sorted once, and fingerprints of equal keys are adjacent (`tables.walk`). `tables` says
why each pair is reported once and why long runs of equal keys are not slow.

Memory: one table per thread, at 8 bytes per fingerprint; with duplicates, 12 bytes more for the
distinct fingerprints and their rows; 26 bytes per pair for `all_pairs`, a constant amount for
`iter_pairs`.

*Skew.*  `plans` assumes random fingerprints.  Where bits are constant, rare or repeat each other,
many fingerprints share a key, and tables may cost more than comparing all.  So bits that never
differ are left out, and the runs of equal keys are counted in a sample first.  `queries` asks the
same of a join (`prefers_scan`), and compares all by the same tiles (`compare_all`).

*Baselines* need no tables.  *Exhaustive* compares everything with everything: no memory, n**2 / 2
comparisons. It is best for small sets and large distances, and the reference for checking the
others.  *Probe* and *neighbours* are two extremes, with tables in between (section 3, "Exact
solutions"; for 64 bits and distance 3 each fingerprint has C(64,0) + .. + C(64,3) = 43,745
neighbours). Probe keeps the fingerprints sorted and looks up all neighbours of the query: little
memory, many lookups. Neighbours stores all neighbours of all fingerprints, sorted, and looks up the
query: one lookup, 43,745 times the memory. Both are complete by definition, and keep their values
sorted by a mix of all bits (`equal_keys.sort_by_mix`), which removes skew; comparing the
fingerprints confirms what a lookup finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import invalid
from simdup.base.system import free_memory
from simdup.search.arrays import (
    U64,
    WORD,
    RowIds,
    RowPairs,
    combine_rows,
    count_words,
    find_packed,
    hamming_distances,
    iter_ranges,
    mix_rows,
    pack,
    read_rows,
    run_starts,
)
from simdup.search.equal_keys import PAIRS, collapse, expand, sort_by_mix
from simdup.search.plans import COSTS, HammingBall, Pieces, Plan, long_run, plan, width
from simdup.search.tables import (
    BitView,
    Join,
    NearPairs,
    build_table,
    find_long_runs,
    join_tables,
    table_keys,
    walk,
)
from simdup.search.threads import count_threads, interleave, too_many

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
        See `plans.plan`. The result is the same.
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
    ball, every = HammingBall(bits, distance), _pairs_every(copies)
    choose = _chooser(ball, len(view), tables, search)
    limit = (free_memory() if memory is None else memory) // PAIR_BYTES
    found: list[U64] = []
    total = 0
    for i, j in _iter_rows(view, choose, every, count_threads(threads), limit):
        total += len(i)
        if total > limit:
            raise too_many(total, copies)
        found.append(combine_rows(i, j))
    both = np.concatenate(found) if found else np.empty(0, dtype=np.uint64)
    found.clear()
    both.sort()
    # In place, as the result may fill the memory.
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
    ball, every = HammingBall(bits, distance), _pairs_every(copies)
    choose = _chooser(ball, len(view), tables, search)
    f = view.fingerprints
    chunks = _iter_rows(view, choose, every, count_threads(threads))
    return (Pairs(i, j, hamming_distances(f, i, f, j)) for i, j in chunks)


def _pairs_every(copies: str) -> bool:
    """Return whether identical fingerprints are all paired; raise if `copies` is invalid."""
    if copies not in ("all", "first"):
        raise invalid("copies", copies, "'all' or 'first'")
    return copies == "all"


def _chooser(
    ball: HammingBall, n: int, tables: int | str, search: str
) -> Callable[[BitView], tuple[BitView, Plan]]:
    """Return what chooses the plan for at most n fingerprints, and the bits that it looks at."""
    plan(ball, n, tables, search)

    def choose(view: BitView) -> tuple[BitView, Plan]:
        chosen = plan(ball, len(view), tables, search)
        if chosen.search != "tables":
            return view, chosen
        varying = view.varying()
        if not varying.width:
            return view, plan(ball, len(view), search="exhaustive")
        if tables == "auto":
            return varying, choose_plan(varying, ball.distance)
        return varying, plan(varying.ball(ball.distance), len(view), tables)

    return choose


def _iter_rows(
    view: BitView,
    choose: Callable[[BitView], tuple[BitView, Plan]],
    every: bool,
    threads: int,
    limit: int | None = None,
) -> Iterator[RowPairs]:
    """Yield the pairs of identical fingerprints, then those of the distinct ones, expanded."""
    groups = collapse(view.fingerprints, threads)
    if limit is not None and every and groups.count_pairs() > limit:
        raise too_many(groups.count_pairs(), "all")
    if groups.distinct is not None:
        view = view.take(groups.distinct)
    # Without duplicates there are fewer fingerprints, and another plan may be best.
    pairs = _join_distinct(*choose(view), threads)
    yield from expand(groups, pairs, every)


def _join_distinct(view: BitView, chosen: Plan, threads: int) -> Iterator[RowPairs]:
    """Return the pairs of distinct fingerprints, each once, in either order, in chunks.

    The plan must be for the number of bits that the view shows.
    """
    f, ball = view.fingerprints, chosen.ball
    if chosen.search == "tables":
        return _join_by_tables(view, chosen, threads)
    if chosen.search == "exhaustive":
        return interleave(compare_all(f, f, ball.distance, threads, later=True), threads)
    look_up = probe if chosen.search == "probe" else find_neighbours
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
            chosen = choose_plan(below, distance)
            yield from join.lift(rows, rows, _join_distinct(below, chosen, threads=1))
        done = stop


# Fingerprints in a sample: their keys are counted in 40 us, half of what a table costs at least.
_SAMPLE = 512
# A table of a run costs so much more: its keys are counted several times, on each level.
_OVERHEAD = 4 * COSTS.table


def choose_plan(view: BitView, distance: int) -> Plan:
    """Return the cheaper one of the plan for random fingerprints and the scan."""
    n = len(view)
    chosen = plan(view.ball(distance), n)
    if chosen.search != "tables":
        return chosen
    scan = plan(view.ball(distance), n, search="exhaustive")
    return scan if _seconds(_sample(view), n, chosen, scan.seconds) > scan.seconds else chosen


def prefers_scan(left: BitView, right: BitView, keys: Sequence[Pieces], distance: int) -> bool:
    """Return whether comparing all is cheaper than joining two views by tables of these keys."""
    price = count_words(left.bits) * COSTS.scan
    most, seconds = len(left) * len(right) * price, 0.0
    if most <= len(keys) * COSTS.table:
        return True
    one, other = _sample(left), _sample(right)
    both = one.beside(other)
    scales = len(left) / len(one), len(right) / len(other)
    for key in keys:
        seconds += len(left) * COSTS.lookup
        rest = both.without(key)
        for rows in _runs(both, key):
            of_left = int(np.count_nonzero(rows < len(one)))
            sizes = of_left * scales[0], (len(rows) - of_left) * scales[1]
            pairs = sizes[0] * sizes[1]
            if pairs > PAIRS and rest.width:
                below = _seconds_below(rest.take(rows), sum(sizes), distance, most - seconds)
                seconds += min(below, pairs * price)
            else:
                seconds += pairs * COSTS.candidate
        if seconds > most:
            return True
    return False


def _sample(view: BitView) -> BitView:
    rows = np.linspace(0, len(view) - 1, min(len(view), _SAMPLE))
    return view.take(rows.astype(np.int64))


def _seconds(sample: BitView, n: float, chosen: Plan, most: float, overhead: float = 0.0) -> float:
    """Return what tables of n fingerprints would cost, by a sample of them, or more than `most`.

    `overhead` is added for each table.
    """
    distance, scale = chosen.ball.distance, n / max(len(sample), 1)
    seconds = 0.0
    for key in table_keys(chosen, sample, int(n)):
        seconds += COSTS.search_tables(int(n), 1, 0) + overhead
        rest = sample.without(key)
        longest = long_run(rest.ball(distance)) if rest.width else None
        for rows in _runs(sample, key):
            size = len(rows) * scale
            pairs = len(rows) * (len(rows) - 1) / 2 * scale * scale
            if longest is None or size <= longest:
                seconds += pairs * COSTS.candidate
            else:
                below = rest.take(rows)
                seconds += _seconds_below(below, size, distance, most - seconds)
        if seconds > most:
            break
    return seconds


def _seconds_below(sample: BitView, n: float, distance: int, most: float) -> float:
    """Return what a run of n fingerprints would cost, by a sample of them, or more than `most`."""
    view = sample.varying()
    ball = view.ball(distance) if view.width else sample.ball(distance)
    scan = plan(ball, int(n), search="exhaustive")
    chosen = plan(ball, int(n))
    if chosen.search != "tables" or not view.width:
        return scan.seconds
    most = min(most, scan.seconds)
    return min(_seconds(view, n, chosen, most, _OVERHEAD), scan.seconds)


def _runs(view: BitView, key: Pieces) -> list[RowIds]:
    """Return the rows of each run of several equal keys."""
    values: U64 = np.empty(len(view), np.uint64)
    view.pack(key, width(key), values)
    order = np.argsort(values, kind="stable")
    values = values[order]
    starts = run_starts(values)
    sizes = np.diff(starts, append=len(values))
    several = np.flatnonzero(sizes > 1)
    runs = zip(starts[several].tolist(), sizes[several].tolist(), strict=True)
    return [order[start : start + size] for start, size in runs]


# No tile is narrower than 8,192 / 3 columns: numpy would copy what is broadcast into its buffer,
# and a comparison would take 0.5 instead of 0.18 ns. With fewer rows a tile is as large: one row
# against 10**6 others takes a third of the time of 1 x 2048.
TILE_ROWS, TILE = 32, 1 << 17


def compare_all(
    a: U64, b: U64, distance: int, parts: int, later: bool = False
) -> list[Iterator[RowPairs]]:
    """Compare all rows of `a` with all of `b`, or only with `later` rows.

    Return `parts` generators that share the work; they yield chunks of (row of `a`, row of `b`).
    """
    # Of equal height: a low tile beside high ones would be a small one.
    height = max(-(-len(a) // max(-(-len(a) // TILE_ROWS), 1)), 1)
    width = TILE // height

    def tiles(part: int) -> Iterator[tuple[slice, slice]]:
        every = (
            (slice(low, low + height), slice(left, left + width))
            for low in range(0, len(a), height)
            for left in range(low if later else 0, len(b), width)
        )
        return islice(every, part, None, parts)

    return [_compare(a, b, distance, tiles(part), later) for part in range(parts)]


def _compare(
    a: U64, b: U64, distance: int, tiles: Iterator[tuple[slice, slice]], later: bool
) -> Iterator[RowPairs]:
    # One array for all tiles: the allocator would fetch the pages of each anew.
    held = np.empty(TILE, np.uint64)
    for here, there in tiles:
        rows, columns = a[here], b[there]
        x = held[: len(rows) * len(columns)].reshape(len(rows), -1)
        distances: NDArray[Any] = np.bitwise_count(
            np.bitwise_xor(rows[:, 0, None], columns[:, 0], out=x)
        )
        for word in range(1, a.shape[1]):
            more = np.bitwise_count(np.bitwise_xor(rows[:, word, None], columns[:, word], out=x))
            distances = np.add(distances, more, dtype=np.uint16)
        i, j = np.divmod(np.flatnonzero(distances <= distance), distances.shape[1])
        i, j = i + here.start, j + there.start
        if later:
            i, j = i[i < j], j[i < j]
        if len(i):
            yield i, j


def iter_flips(ball: HammingBall) -> Iterator[U64]:
    """Yield all differences within a ball: uint64[words], up to k bits set."""
    words = count_words(ball.bits)
    bits = [(words - 1 - bit // WORD, np.uint64(1 << bit % WORD)) for bit in range(ball.bits)]
    for flipped in range(ball.distance + 1):
        for chosen in combinations(bits, flipped):
            mask = np.zeros(words, dtype=np.uint64)
            for word, bit in chosen:
                mask[word] |= bit
            yield mask


def probe(f: U64, ball: HammingBall) -> Iterator[RowPairs]:
    """Look up all variants of each fingerprint, and yield the pairs of rows, in both orders."""
    table = sort_by_mix(f)
    for mask in iter_flips(ball):
        for low in range(0, len(f), PAIRS):
            variant = f[low : low + PAIRS] ^ mask
            for query, position in _find_fronts(table, mix_rows(variant), len(f)):
                row = read_rows(table[position], len(f))
                hit = hamming_distances(variant, query, f, row) == 0
                yield query[hit] + low, row[hit]


def find_neighbours(f: U64, ball: HammingBall) -> Iterator[RowPairs]:
    """Look up each fingerprint among the neighbours of all; yield as `probe` does."""
    table = _store_neighbours(f, ball)
    for low in range(0, len(f), PAIRS):
        for query, position in _find_fronts(table, mix_rows(f[low : low + PAIRS]), len(f)):
            query += low
            row = read_rows(table[position], len(f))
            # A collision of the mix may yield a false pair, or a pair twice: different
            # neighbours of one row with equal fronts. Same front, same row: they are adjacent.
            hit = hamming_distances(f, query, f, row) <= ball.distance
            hit[1:] &= (query[1:] != query[:-1]) | (row[1:] != row[:-1])
            yield query[hit], row[hit]


def _store_neighbours(f: U64, ball: HammingBall) -> U64:
    """Return uint64[n * ball.volume], sorted: all neighbours, mixed, then their rows."""
    n = len(f)
    rows = np.arange(n)
    table = np.empty((ball.volume, n), dtype=np.uint64)
    for variant, mask in zip(table, iter_flips(ball), strict=True):
        variant[:] = pack(mix_rows(f ^ mask), rows, n)
    flat = table.reshape(-1)
    flat.sort()
    return flat


def _find_fronts(table: U64, wanted: U64, n: int) -> Iterator[RowPairs]:
    """Yield chunks of (index into `wanted`, position in `table`) where the fronts are equal."""
    begin, counts = find_packed(table, wanted, n)
    for which, offset in iter_ranges(counts, PAIRS):
        yield which, begin[which] + offset
