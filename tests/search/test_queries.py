import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from lab.oracles.search import (
    clustered,
    compared,
    hits,
    planted,
    table_bytes,
    tuples,
    words_of,
)
from simdup.base.errors import SimdupError
from simdup.search import equal_keys, queries
from simdup.search.queries import build

SMALL = examples(100)


def oracle(asked, numbers, distance):
    return [
        (i, j)
        for i, a in enumerate(asked)
        for j, b in enumerate(numbers)
        if (a ^ b).bit_count() <= distance
    ]


@SMALL
@given(clustered(), st.data(), st.booleans(), st.sampled_from(["auto", 4, 10, 16, 20]))
def test_finds_exactly_the_fingerprints_within_the_distance(drawn, data, compress, shape):
    numbers, bits = drawn
    cut = data.draw(st.integers(0, len(numbers)))
    distance = data.draw(st.integers(0, min(bits, 5)))
    f = words_of(numbers, bits)
    index = build(f[:cut], bits, distance, compress, tables=shape, threads=1)
    found = hits(index, f[cut:], threads=1)
    assert tuples(found) == oracle(numbers[cut:], numbers[:cut], distance)


@pytest.mark.parametrize("bits", [40, 64, 160])
@pytest.mark.parametrize("compress", [False, True])
def test_all_threads_and_chunk_sizes_give_the_same_arrays(bits, compress, monkeypatch):
    f = planted(3000, bits=bits, near=0.5)
    f[100:150] = f[2500]
    expected = compared(f[2000:], f[:2000])
    assert len(expected) > 150
    monkeypatch.setattr(queries, "MIN_PARALLEL_QUERIES", 1)
    for batch, few, pairs, threads in ((1 << 18, 1 << 14, 1 << 18, 1), (350, 32, 166, 3)):
        monkeypatch.setattr(queries, "BATCH", batch)
        monkeypatch.setattr(queries, "BATCH_COMPRESSED", few)
        monkeypatch.setattr(equal_keys, "PAIRS", pairs)
        for shape in (4, 10, 16, 20):
            index = build(f[:2000], bits, 3, compress, tables=shape, threads=threads)
            assert tuples(hits(index, f[2000:], threads=threads)) == expected


def test_a_heavy_run_is_found_after_queries_without_hits(monkeypatch):
    monkeypatch.setattr(queries, "PAIRS", 10_000)
    f = planted(4000, near=0.5) & np.uint64(0xFFFFFFFFFFFF) | np.uint64(7 << 48)
    asked = np.concatenate([f[3000:], f[:50] ^ np.uint64(1 << 48)])
    sizes = []
    below = queries._join_below

    def counted(*arguments):
        sizes.append(len(arguments[0].left))
        return below(*arguments)

    monkeypatch.setattr(queries, "_join_below", counted)
    found = hits(build(f[:3000], tables=4), asked)
    assert tuples(found) == compared(asked, f[:3000])
    assert max(sizes) == 1000


def test_one_query_and_none():
    f = planted(5000)
    index = build(f)
    assert (0, 7) in tuples(hits(index, f[7:8]))
    assert tuples(hits(index, f[:0])) == []
    assert tuples(hits(build(f[:0]), f[:3])) == []
    assert tuples(hits(build(f[:0], compress=True, tables=4), f[:3])) == []


def test_invalid_queries_raise():
    index = build(planted(100))
    with pytest.raises(SimdupError, match="expected shape"):
        hits(index, planted(3, bits=128))
    with pytest.raises(SimdupError, match="uint64"):
        hits(index, [1, 2])


def test_compressed_tables_are_smaller():
    f = planted(100_000, near=0)
    tables = (build(f, compress=compress, tables=10).tables for compress in (True, False))
    small, plain = (sum(map(table_bytes, some)) for some in tables)
    assert small < 0.8 * plain
