"""A reference for the search in plain Python, and fingerprints for tests."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from simdup.search.queries import iter_hits
from simdup.search.tables import Compressed


class Hits(NamedTuple):
    """The results of queries: their numbers, and rows of the index."""

    query: np.ndarray
    row: np.ndarray


def oracle(numbers, distance, copies="all"):
    """All pairs within a distance, the slow way."""
    pairs = []
    first = {}
    for j, number in enumerate(numbers):
        if copies == "first" and number in first:
            pairs.append((first[number], j, 0))
            continue
        for i in first.values() if copies == "first" else range(j):
            differing = (numbers[i] ^ number).bit_count()
            if differing <= distance:
                pairs.append((i, j, differing))
        first.setdefault(number, j)
    return sorted(pairs)


def words_of(numbers, bits):
    """Integers as uint64[n, words], the most significant word first."""
    count = -(-bits // 64)
    rows = [[n >> 64 * (count - 1 - w) & (1 << 64) - 1 for w in range(count)] for n in numbers]
    return np.array(rows, dtype=np.uint64).reshape(len(numbers), count)


def numbers_of(fingerprints):
    """uint64[n, words] as integers."""
    rows = fingerprints.reshape(len(fingerprints), -1) if len(fingerprints) else []
    return [int.from_bytes(row.astype(">u8").tobytes(), "big") for row in rows]


def tuples(pairs):
    """The arrays of a result as a list of tuples."""
    return list(zip(*(part.tolist() for part in pairs), strict=True))


def hits(index, asked, threads=None):
    """All hits of queries against `simdup.search.build`, by query and row."""
    return in_order(iter_hits(index, asked, threads=threads))


def in_order(chunks):
    """The hits of all chunks, by query and row."""
    nothing = np.zeros(0, np.int64)
    query, row = map(np.concatenate, zip((nothing, nothing), *chunks, strict=True))
    order = np.argsort(query << 32 | row)
    return Hits(query[order], row[order])


def compared(asked, f, distance=3):
    """The pairs of `hits`, by comparing each query with all fingerprints."""
    asked, f = (part.reshape(len(part), -1) for part in (asked, f))
    found = []
    for query, one in enumerate(asked):
        near = np.flatnonzero(np.bitwise_count(f ^ one).sum(axis=1, dtype=np.int64) <= distance)
        found += [(query, row) for row in near.tolist()]
    return found


def table_bytes(table):
    """Bytes of one table of an index, plain or compressed."""
    parts = (table.lows, table.highs, table.heads) if isinstance(table, Compressed) else (table,)
    return sum(part.nbytes for part in parts)


@st.composite
def clustered(draw, least=0, most=40, bits=None):
    """Numbers of some bits, most of them near or equal to another, and the bits."""
    bits = draw(st.sampled_from([1, 5, *range(8, 257, 8)])) if bits is None else bits
    number = st.integers(0, (1 << bits) - 1)
    centres = draw(st.lists(number, min_size=1, max_size=5))
    flips = st.lists(st.integers(0, bits - 1), max_size=5)
    member = st.tuples(st.sampled_from(centres), flips).map(
        lambda one: one[0] ^ sum(1 << bit for bit in set(one[1]))
    )
    return draw(st.lists(member | number, min_size=least, max_size=most)), bits


def planted(n, seed=1, bits=64, near=0.1, distance=3):
    """uint64[n, words]: random, `near` of them within the distance of another."""
    random = np.random.default_rng(seed)
    count = -(-bits // 64)
    f = random.integers(0, 1 << 64, (n, count), dtype=np.uint64)
    if bits % 64:
        f[:, 0] >>= np.uint64(64 - bits % 64)
    for to in random.permutation(n)[: int(near * n)]:
        f[to] = f[random.integers(n)]
        for bit in random.integers(0, bits, random.integers(0, distance + 1)).tolist():
            f[to, count - 1 - bit // 64] ^= np.uint64(1 << bit % 64)
    return f
