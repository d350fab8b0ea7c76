"""Bands of sketches, compared with a look at every byte."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import examples

from simdup import SimdupError
from simdup.text import sketch_bands
from simdup.text.families import BBIT, SKETCH_BYTES, Banding, proposed
from simdup.text.sketch_bands import RECALL, AskedBands, Sketches, all_keys, sketch_banding

BANDINGS = st.integers(1, SKETCH_BYTES).flatmap(
    lambda rows: st.builds(Banding, st.just(rows), st.integers(1, SKETCH_BYTES // rows))
)


def sketches(count: int, seed: int, values: int) -> Sketches:
    """Random sketches of so few values that some bands agree."""
    return np.random.default_rng(seed).integers(0, values, (count, SKETCH_BYTES), dtype=np.uint8)


def agree(a: list[int], b: list[int], banding: Banding) -> bool:
    cuts = range(0, banding.size, banding.rows)
    return any(a[cut : cut + banding.rows] == b[cut : cut + banding.rows] for cut in cuts)


@examples(75)
@given(BANDINGS, st.integers(0, 9), st.integers(0, 9), st.integers(1, 3), st.integers(0, 10**6))
def test_a_join_finds_what_agrees_in_a_band_once(
    banding: Banding, asked: int, held: int, values: int, seed: int
) -> None:
    a, b = sketches(asked, seed, values), sketches(held, seed + 1, values)
    found = [
        pair
        for i, j in AskedBands(a, banding).join(b)
        for pair in zip(i.tolist(), j.tolist(), strict=True)
    ]
    expected = [
        (i, j)
        for i, one in enumerate(a.tolist())
        for j, other in enumerate(b.tolist())
        if agree(one, other, banding)
    ]
    assert sorted(found) == expected


def test_sketches_that_agree_in_one_band_only_are_found() -> None:
    a, b = np.zeros((1, SKETCH_BYTES), np.uint8), np.ones((1, SKETCH_BYTES), np.uint8)
    b[0, 6:12] = 0
    for asked in (1, 5):  # compared byte by byte, and by keys
        bands = AskedBands(np.repeat(a, asked, axis=0), Banding(6, 16))
        assert [(len(i), set(j.tolist())) for i, j in bands.join(b)] == [(asked, {0})]


@examples(50)
@given(BANDINGS, st.integers(1, 3), st.integers(0, 10**6))
def test_keys_are_equal_where_all_bytes_are(banding: Banding, values: int, seed: int) -> None:
    some = sketches(8, seed, values)
    keys = all_keys(some, banding)
    assert keys.shape == (8, banding.bands)
    for band in range(banding.bands):
        cut = some[:, band * banding.rows : (band + 1) * banding.rows]
        equal = (cut[:, None] == cut[None]).all(axis=2)
        assert ((keys[:, None, band] == keys[None, :, band]) == equal).all()


def test_chunks_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, banding = sketches(30, 1, 2), sketches(200, 2, 2), Banding(3, 35)

    def pairs() -> list[tuple[int, int]]:
        chunks = AskedBands(a, banding).join(b)
        return sorted(pair for i, j in chunks for pair in zip(i.tolist(), j.tolist(), strict=True))

    expected = pairs()
    assert len(expected) > 1000
    for chunk, few, rows in ((7, 2, 9), (1 << 16, 50, 9), (100, 50, 1 << 14)):
        monkeypatch.setattr(sketch_bands, "_CHUNK", chunk)
        monkeypatch.setattr(sketch_bands, "_FEW", few)
        monkeypatch.setattr(sketch_bands, "_ROWS", rows)
        assert pairs() == expected


@pytest.mark.parametrize("similarity", [0.2, 0.35, 0.5, 0.65, 0.8, 0.87, 0.95, 0.99, 1.0])
def test_bands_keep_their_promise_with_128_bytes(similarity: float) -> None:
    banding = sketch_banding(similarity)
    assert banding.size <= SKETCH_BYTES
    assert proposed(BBIT, 1 - similarity, banding) >= RECALL
    # Longer bands would break it: they would need more bytes.
    longer = Banding(banding.rows + 1, SKETCH_BYTES // (banding.rows + 1))
    assert longer.bands == 0 or proposed(BBIT, 1 - similarity, longer) < RECALL


def test_the_bands_of_the_default_similarity() -> None:
    banding = sketch_banding(0.8)
    assert banding == (6, 16)
    assert proposed(BBIT, 0.2, banding) == pytest.approx(0.9925, abs=5e-5)


def test_a_similarity_that_128_bytes_cannot_find_is_an_error() -> None:
    with pytest.raises(SimdupError, match="cannot reach"):
        sketch_banding(0.01)
