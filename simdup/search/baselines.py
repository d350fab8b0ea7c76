"""Baselines: the plain scan, and the two extremes that the paper compares with.

*Exhaustive* compares everything with everything: no memory, n**2 / 2 comparisons. It is best for
small sets and large distances, and the reference for checking the others.

*Probe* and *neighbours* are two extremes, with tables in between (WWW 2007, section 3, "Exact
solutions"; for 64 bits and distance 3 each fingerprint has C(64,0) + .. + C(64,3) = 43,745
neighbours). Probe keeps the fingerprints sorted and looks up all neighbours of the query: little
memory, many lookups. Neighbours stores all neighbours of all fingerprints, sorted, and looks up the
query: one lookup, 43,745 times the memory. Both are complete by definition.

Both keep their values sorted by a mix of all bits (`duplicates.sort_by_mix`), which removes skew;
comparing the fingerprints confirms what a lookup finds.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.search.arrays import (
    U64,
    WORD,
    RowPairs,
    count_words,
    hamming_distances,
    iter_ranges,
    mix_rows,
    read_rows,
    row_bits,
)
from simdup.search.duplicates import PAIRS, sort_by_mix
from simdup.search.pieces import HammingBall

# The tile of a scan fits in a core's second-level cache. Measured per pair at n = 20,000: 32 x 512
# 1.7 ns, 32 x 1024 1.05, 32 x 2048 1.03, 64 x 2048 1.01; at n = 1,000 1.4, 1.3, 1.3, 1.2 ns.
TILE_ROWS, TILE_COLUMNS = 32, 2048


def scan(
    a: U64, b: U64, distance: int, parts: int, later: bool = False
) -> list[Iterator[RowPairs]]:
    """Compare all rows of `a` with all of `b`, or only with `later` rows.

    Return `parts` generators that share the work; they yield chunks of (row of `a`, row of `b`).
    """
    shares = [range(part * TILE_ROWS, len(a), parts * TILE_ROWS) for part in range(parts)]
    return [_scan(a, b, distance, starts, later) for starts in shares]


def _scan(a: U64, b: U64, distance: int, starts: range, later: bool) -> Iterator[RowPairs]:
    for low in starts:
        rows = a[low : low + TILE_ROWS, :, None]
        for left in range(low if later else 0, len(b), TILE_COLUMNS):
            columns = b[left : left + TILE_COLUMNS]
            distances: NDArray[Any] = np.bitwise_count(rows[:, 0] ^ columns[:, 0])
            for word in range(1, a.shape[1]):
                more = np.bitwise_count(rows[:, word] ^ columns[:, word])
                distances = np.add(distances, more, dtype=np.uint16)
            i, j = np.divmod(np.flatnonzero(distances <= distance), distances.shape[1])
            i, j = i + low, j + left
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
    row = np.uint64(row_bits(n))
    rows = np.arange(n, dtype=np.uint64)
    table = np.empty((ball.volume, n), dtype=np.uint64)
    for variant, mask in zip(table, iter_flips(ball), strict=True):
        variant[:] = (mix_rows(f ^ mask) >> row << row) | rows
    flat = table.reshape(-1)
    flat.sort()
    return flat


def _find_fronts(table: U64, wanted: U64, n: int) -> Iterator[RowPairs]:
    """Yield chunks of (index into `wanted`, position in `table`) where the fronts are equal.

    The last ``row_bits(n)`` bits of a value do not belong to its front.
    """
    last = np.uint64((1 << row_bits(n)) - 1)
    begin = np.searchsorted(table, wanted & ~last, side="left")
    counts = np.searchsorted(table, wanted | last, side="right") - begin
    for which, offset in iter_ranges(counts, PAIRS):
        yield which, begin[which] + offset
