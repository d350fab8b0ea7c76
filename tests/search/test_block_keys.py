"""Fingerprints within a distance have a key in common."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simdup.search.plans import HammingBall
from simdup.search.tables import block_keys


@given(st.sampled_from([8, 64, 128]), st.data())
def test_near_fingerprints_share_a_key(bits: int, data: st.DataObject) -> None:
    distance = data.draw(st.integers(0, min(bits, 20)))
    value = data.draw(st.integers(0, 2**bits - 1))
    flipped = data.draw(st.sets(st.integers(0, bits - 1), max_size=distance))
    other = value ^ sum(1 << bit for bit in flipped)
    words = -(-bits // 64)
    rows = [
        [one >> 64 * word & (1 << 64) - 1 for word in reversed(range(words))]
        for one in (value, other)
    ]
    keys = block_keys(np.array(rows, np.uint64), HammingBall(bits, distance))
    assert len(keys) == min(distance + 1, bits)
    assert any(key[0] == key[1] for key in keys)


def test_far_fingerprints_mostly_do_not() -> None:
    values = np.arange(1000, dtype=np.uint64)[:, None] * np.uint64(0x9E3779B97F4A7C15)
    keys = block_keys(values, HammingBall(64, 3))
    assert all(len(np.unique(key)) > 900 for key in keys)
