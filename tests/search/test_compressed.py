import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from lab.oracles.search import table_bytes
from simdup.search import arrays, tables
from simdup.search.tables import BLOCK, compress_table, decompress, decompress_window

U64 = st.integers(0, (1 << 64) - 1)
FEW_BITS = st.integers(0, 64).flatmap(lambda bits: st.integers(0, (1 << bits) - 1))


def ascending(values):
    return np.sort(np.array(values, dtype=np.uint64))


@examples(200)
@given(st.lists(U64 | FEW_BITS, max_size=700) | st.lists(st.integers(0, 3), max_size=400))
def test_decompress_inverts_compress(values):
    plain = ascending(values)
    table = compress_table(plain)
    blocks = np.arange(-(-len(plain) // BLOCK))
    assert (decompress(table, blocks) == plain).all()
    for block in blocks:
        part = decompress(table, np.array([block]))
        assert (part == plain[block * BLOCK : (block + 1) * BLOCK]).all()


@examples(200)
@given(st.lists(U64 | FEW_BITS, max_size=500), st.lists(st.tuples(U64 | FEW_BITS, FEW_BITS)))
def test_a_window_contains_all_values_between_its_ends(values, wanted):
    plain = ascending(values)
    low = np.array([one for one, _ in wanted], dtype=np.uint64)
    high = np.array([min(one + more, (1 << 64) - 1) for one, more in wanted], dtype=np.uint64)
    found = decompress_window(compress_table(plain), low, high)
    assert (np.sort(found) == found).all()
    for a, b in zip(low, high, strict=True):
        inside = plain[(plain >= a) & (plain <= b)]
        assert found[(found >= a) & (found <= b)].tolist() == inside.tolist()


def test_a_window_decompresses_only_the_blocks_hit():
    plain = ascending(np.random.default_rng(1).integers(0, 1 << 64, 100_000, dtype=np.uint64))
    one = plain[50_000:50_001]
    assert len(decompress_window(compress_table(plain), one, one)) <= 2 * BLOCK


@pytest.mark.parametrize("n", [100_000, 300_000, 1_000_000])
def test_random_values_come_within_two_percent_of_the_bound(n):
    plain = ascending(np.random.default_rng(2).integers(0, 1 << 64, n, dtype=np.uint64))
    bound = 64 - math.log2(n) + 1 / math.log(2)
    bits = 8 * table_bytes(compress_table(plain)) / n
    # Between powers of two of n, the code itself is up to 1.4 % above the bound.
    assert bound < bits < 1.025 * bound


def test_equal_values_take_next_to_nothing():
    assert table_bytes(compress_table(np.full(100_000, 7, dtype=np.uint64))) < 20_000


def test_the_chunk_size_does_not_change_the_result(monkeypatch):
    plain = ascending(np.random.default_rng(3).integers(0, 1 << 64, 5000, dtype=np.uint64))
    expected = compress_table(plain)
    for chunk in (1, 300, 1 << 12):
        monkeypatch.setattr(tables, "CHUNK", chunk)
        table = compress_table(plain)
        assert (table.lows == expected.lows).all()
        assert (table.highs == expected.highs).all()
        assert (table.heads == expected.heads).all()
    assert arrays.CHUNK > 300
