"""Titles mixed into fingerprints and band keys."""

import numpy as np
import pytest

from simdup.search.arrays import count_words, hamming_distances
from simdup.text.bands import Signatures, mask_fingerprints

TITLES = np.array([5, 5, 7, 5, 7], np.uint64)
SAME = [(0, 1), (0, 3), (1, 3), (2, 4)]
OTHER = [(0, 2), (0, 4), (1, 2), (1, 4), (2, 3), (3, 4)]


@pytest.mark.parametrize("bits", [8, 32, 64, 72, 256])
def test_only_equal_titles_keep_their_distance(bits: int) -> None:
    words = count_words(bits)
    values = np.random.default_rng(2).integers(0, 1 << 63, (5, words), dtype=np.uint64)
    values[:, 0] &= np.uint64(2 ** (bits - 64 * (words - 1)) - 1)
    masked = mask_fingerprints(values, bits, TITLES)
    for i, j in SAME:
        pair = np.array([i]), np.array([j])
        before = hamming_distances(values, pair[0], values, pair[1])
        assert hamming_distances(masked, pair[0], masked, pair[1]) == before
    assert all((masked[i] ^ masked[j] != values[i] ^ values[j]).any() for i, j in OTHER)
    # The unused high bits stay zero.
    assert all(int(value) >> (bits - 64 * (words - 1)) == 0 for value in masked[:, 0])


@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
def test_only_equal_titles_share_band_keys(kind: type) -> None:
    # The second document is a copy of the first, the last two have the same text.
    keys, row_of = np.array([[1, 2], [1, 3], [1, 2]], kind), np.array([0, 0, 1, 2, 2])
    sketches = np.arange(12, dtype=np.uint8).reshape(3, 4)
    masked = Signatures(keys, sketches, 0, row_of).masked(TITLES)
    every = np.array([*SAME, *OTHER])
    proposed = masked.propose(*every.T)
    assert proposed.tolist() == [True] * len(SAME) + [False] * len(OTHER)
    assert (masked.sketches == sketches[row_of]).all()
