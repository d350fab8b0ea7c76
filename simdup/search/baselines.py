"""The other ways to search: the plain scan, and the two extremes that the paper weighs.

*Exhaustive* compares everything with everything: no idea, no memory, n**2 / 2 comparisons. It is
what small sets and large distances want, and what the others are checked against.

*Probe* and *neighbours* are the ends between which tables lie (WWW 2007, section 3, "Exact
solutions"; for 64 bits and distance 3 each fingerprint has C(64,0) + .. + C(64,3) = 43,745
neighbours). Probe keeps the fingerprints sorted and looks all neighbours of the query up: little
memory, many lookups. Neighbours stores all neighbours of all fingerprints, sorted, and looks the
query up once: one lookup, 43,745 times the memory. Both are complete by definition.

Both keep their values sorted by a mix of all bits (`duplicates.by_mix`), where no skew is left;
what a lookup finds is confirmed by comparing the fingerprints.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.search.arrays import (
    U64,
    Rows,
    differing,
    mixed,
    row_bits,
    rows_of,
    spread,
    words,
)
from simdup.search.duplicates import BLOCK, by_mix
from simdup.search.plans import variants

# A scan's stretch, in a core's second-level cache. Measured at n = 20,000, a pair: 32 x 512 1.7 ns,
# 32 x 1024 1.05 ns, 32 x 2048 1.03 ns, 64 x 2048 1.01 ns; at n = 1,000 1.4, 1.3, 1.3, 1.2 ns.
FEW, MANY = 32, 2048


def exhaustive(f: U64, distance: int, parts: int) -> list[Iterator[tuple[Rows, Rows]]]:
    """Compare all with all: `parts` generators that share the work, of blocks of pairs i < j."""
    return [_scan(f, f, distance, part * FEW, parts * FEW, True) for part in range(parts)]


def scan_queries(
    queries: U64, f: U64, distance: int, parts: int
) -> list[Iterator[tuple[Rows, Rows]]]:
    """Compare all queries with all fingerprints: generators of blocks of (query, row)."""
    return [_scan(queries, f, distance, part * FEW, parts * FEW, False) for part in range(parts)]


def _scan(
    a: U64, b: U64, distance: int, first: int, step: int, later: bool
) -> Iterator[tuple[Rows, Rows]]:
    for low in range(first, len(a), step):
        for at in range(low if later else 0, len(b), MANY):
            far: NDArray[Any] = np.bitwise_count(a[low : low + FEW, 0, None] ^ b[at : at + MANY, 0])
            for word in range(1, a.shape[1]):
                more = np.bitwise_count(a[low : low + FEW, word, None] ^ b[at : at + MANY, word])
                far = np.add(far, more, dtype=np.uint16)
            i, j = np.divmod(np.flatnonzero(far <= distance), far.shape[1])
            i, j = i + low, j + at
            if later:
                i, j = i[i < j], j[i < j]
            if len(i):
                yield i, j


def flips(bits: int, distance: int) -> Iterator[U64]:
    """Give the differences that a neighbour can have: uint64[words] with up to `distance` bits."""
    places = [(words(bits) - 1 - bit // 64, np.uint64(1 << bit % 64)) for bit in range(bits)]
    for flipped in range(distance + 1):
        for chosen in combinations(places, flipped):
            mask = np.zeros(words(bits), dtype=np.uint64)
            for word, bit in chosen:
                mask[word] |= bit
            yield mask


def probe_pairs(f: U64, bits: int, distance: int) -> Iterator[tuple[Rows, Rows]]:
    """Give the pairs i < j by looking up all variants of each fingerprint, in blocks."""
    for i, j in probe(f, by_mix(f), f, bits, distance):
        if (i < j).any():
            yield i[i < j], j[i < j]


def probe(
    f: U64, table: U64, queries: U64, bits: int, distance: int
) -> Iterator[tuple[Rows, Rows]]:
    """Look all variants of the queries up in ``table = by_mix(f)``: blocks of (query, row)."""
    for mask in flips(bits, distance):
        for low in range(0, len(queries), BLOCK):
            variant = queries[low : low + BLOCK] ^ mask
            for query, place in equal_fronts(table, mixed(variant), len(f)):
                row = rows_of(table[place], len(f))
                hit = differing(variant, query, f, row) == 0
                yield query[hit] + low, row[hit]


def neighbour_pairs(f: U64, bits: int, distance: int) -> Iterator[tuple[Rows, Rows]]:
    """Give the pairs i < j by looking each fingerprint up among all neighbours, in blocks."""
    for i, j in neighbours(f, all_neighbours(f, bits, distance), f, distance):
        if (i < j).any():
            yield i[i < j], j[i < j]


def all_neighbours(f: U64, bits: int, distance: int) -> U64:
    """Give all neighbours of all fingerprints: a mix of the neighbour's bits, then the row; sorted.

    Returns
    -------
    uint64[n * variants]
    """
    n, many = len(f), variants(bits, distance)
    row = np.uint64(row_bits(n))
    rows = np.arange(n, dtype=np.uint64)
    table = np.empty((many, n), dtype=np.uint64)
    for place, mask in enumerate(flips(bits, distance)):
        table[place] = (mixed(f ^ mask) >> row << row) | rows
    flat = table.reshape(-1)
    flat.sort()
    return flat


def neighbours(f: U64, table: U64, queries: U64, distance: int) -> Iterator[tuple[Rows, Rows]]:
    """Look the queries up in ``table = all_neighbours(f, ..)``: blocks of (query, row)."""
    for low in range(0, len(queries), BLOCK):
        for query, place in equal_fronts(table, mixed(queries[low : low + BLOCK]), len(f)):
            query += low
            row = rows_of(table[place], len(f))
            # An accident of mixing may bring a pair that is none, or a pair twice: different
            # neighbours of one row with equal fronts. Same front, same row: they are adjacent.
            hit = differing(queries, query, f, row) <= distance
            hit[1:] &= (query[1:] != query[:-1]) | (row[1:] != row[:-1])
            yield query[hit], row[hit]


def equal_fronts(table: U64, wanted: U64, n: int) -> Iterator[tuple[Rows, Rows]]:
    """Find the places of a sorted table whose front is that of `wanted`: blocks of (index, place).

    The last ``row_bits(n)`` bits of a value are not its front.
    """
    last = np.uint64((1 << row_bits(n)) - 1)
    begin = np.searchsorted(table, wanted & ~last, side="left")
    counts = np.searchsorted(table, wanted | last, side="right") - begin
    for which, offset in spread(counts, BLOCK):
        yield which, begin[which] + offset
