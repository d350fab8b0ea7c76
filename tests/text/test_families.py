"""Properties of all families: collision, bands, the choice of bands, and candidates."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.oracles import families
from simdup.base.errors import SimdupError
from simdup.kernels import sketches
from simdup.near.methods.pstable import UNRELATED, choose_pstable, pstable_cells, pstable_family
from simdup.search import equal_keys as search
from simdup.search.equal_keys import candidates
from simdup.text.families import MINHASH, Banding, Family, bands, choose, proposed
from simdup.text.simhash import simhash_rows

SIMHASH = Family("simhash", lambda distance: 1 - distance)
FAMILIES = [SIMHASH, MINHASH, pstable_family(0.8)]
Block = tuple[np.ndarray, np.ndarray, np.ndarray]


def signatures_of(family: Family, block: Block, size: int) -> np.ndarray:
    """uint32[documents, size], of documents of 60 terms for simhash."""
    starts, hashes, weights = block
    if family.name == "minhash":
        return sketches.signatures(starts, hashes, size)
    if family.name == "pstable":
        return pstable_cells(starts, hashes, weights, size, 0.8)
    terms = hashes.astype(">u8").view(np.uint8).reshape(-1, 8)
    columns = np.arange(len(terms), dtype=np.int32).reshape(-1, 60)
    found = simhash_rows(terms, columns, np.rint(weights * 2**20).astype(np.int64)[columns])
    return np.unpackbits(found.astype(">u8").view(np.uint8), axis=1)[:, :size].astype(np.uint32)


def vectors_at(angle: float, pairs: int, maker: np.random.Generator) -> Block:
    """Pairs of unit vectors with their own 60 terms, at an angle."""
    weights, terms = [], []
    for _ in range(pairs):
        u, v = maker.normal(size=(2, 60))
        u /= np.linalg.norm(u)
        v -= (v @ u) * u
        v /= np.linalg.norm(v)
        weights += [u, math.cos(angle) * u + math.sin(angle) * v]
        terms += [maker.integers(0, 2**64, 60, dtype=np.uint64)] * 2
    return np.arange(2 * pairs + 1) * 60, np.concatenate(terms), np.concatenate(weights)


def sets_at(jaccard: float, pairs: int, maker: np.random.Generator) -> Block:
    """Pairs of sets with 60 elements in their union."""
    shared = round(60 * jaccard)
    half = shared + (60 - shared) // 2
    lengths, hashes = [0], []
    for _ in range(pairs):
        every = maker.integers(0, 2**64, 60, dtype=np.uint64)
        hashes += [every[:half], every[:shared], every[half:]]
        lengths += [half, 60 - half + shared]
    every = np.concatenate(hashes)
    return np.cumsum(lengths), every, np.ones(len(every))


def at(family: Family, distance: float, pairs: int, maker: np.random.Generator) -> Block:
    if family.name == "minhash":
        return sets_at(1 - distance, pairs, maker)
    if family.name == "simhash":
        return vectors_at(math.pi * distance, pairs, maker)
    return vectors_at(2 * math.asin(distance / 2), pairs, maker)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("distance", [0.05, 0.2, 0.5, 0.8])
def test_hashes_collide_as_often_as_p_says(family: Family, distance: float) -> None:
    maker = np.random.default_rng(round(distance * 100))
    pairs, size = 250, 64
    found = signatures_of(family, at(family, distance, pairs, maker), size)
    assert found.shape == (2 * pairs, size)
    assert found.dtype == np.uint32
    p = family.collision(distance)
    error = math.sqrt(p * (1 - p) / (pairs * size))
    assert abs((found[::2] == found[1::2]).mean() - p) < 4 * error


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_bands_propose_as_often_as_the_curve_says(family: Family) -> None:
    maker = np.random.default_rng(11)
    pairs, cut = 1500, Banding(4, 8)
    for distance in (0.1, 0.3, 0.6):
        signatures = signatures_of(family, at(family, distance, pairs, maker), cut.size)
        keys = bands(signatures, cut)
        assert keys.shape == (2 * pairs, 8)
        share = (keys[::2] == keys[1::2]).any(axis=1).mean()
        p = proposed(family, distance, cut)
        assert abs(share - p) < 4 * math.sqrt(p * (1 - p) / pairs)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_families_are_sensitive(family: Family) -> None:
    at_distances = [family.collision(r / 20) for r in range(20)]
    assert at_distances[0] == 1
    assert at_distances == sorted(at_distances, reverse=True)
    near, far = family.collision(0.1), family.collision(0.9)
    assert 0 < math.log(near) / math.log(far) < 1
    assert proposed(family, 0.1, Banding(4, 10)) > near
    assert proposed(family, 0.9, Banding(4, 10)) < far
    assert proposed(family, 0.1, Banding(4, 10)) == pytest.approx(1 - (1 - near**4) ** 10)


def best(family: Family, distance: float, recall: float, budget: int) -> Banding | None:
    p = family.collision(distance)
    able = [
        (-k, bands)
        for k in range(1, budget + 1)
        for bands in range(1, budget // k + 1)
        if 1 - (1 - p**k) ** bands >= recall
    ]
    return Banding(-min(able)[0], min(able)[1]) if able else None


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("recall", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("budget", [16, 64, 128])
def test_the_choice_is_the_best_of_all(family: Family, recall: float, budget: int) -> None:
    for distance in (0.05, 0.1, 0.2, 0.3, 0.5, 0.8):
        wanted = best(family, distance, recall, budget)
        if wanted is None:
            with pytest.raises(SimdupError, match="cannot reach"):
                choose(family, distance, recall, budget)
            continue
        found = choose(family, distance, recall, budget)
        assert found == wanted
        assert proposed(family, distance, found) >= recall


def test_choices_at_the_ends() -> None:
    assert choose(MINHASH, 0, 0.99, 128) == Banding(128, 1)
    for recall in (0, 1, 1.5):
        with pytest.raises(SimdupError, match="recall"):
            choose(MINHASH, 0.2, recall, 128)
    with pytest.raises(SimdupError):
        choose(MINHASH, 1, 0.9, 128)
    assert choose_pstable(0, 0.99, 128)[1] == Banding(128, 1)
    with pytest.raises(SimdupError):
        choose_pstable(0.4, 0.99999999, 4)


def test_the_width_of_cells_parts_near_from_unrelated() -> None:
    for distance in (0.2, 0.45, 0.6):
        width, cut = choose_pstable(distance, 0.95, 128)
        family = pstable_family(width)
        assert proposed(family, distance, cut) >= 0.95
        assert cut.size <= 128
        for width in (0.3, 0.6, 1.2, 2.4):
            other = pstable_family(width)
            try:
                its = choose(other, distance, 0.95, 128)
            except SimdupError:
                continue
            # Steps of a tenth come this near to the best width.
            assert proposed(family, UNRELATED, cut) <= proposed(other, UNRELATED, its) * 1.3


def test_bands_are_equal_if_all_their_hashes_are() -> None:
    maker = np.random.default_rng(2)
    signatures = maker.integers(0, 2, (200, 12)).astype(np.uint32)
    keys = bands(signatures, Banding(3, 4))
    for i, j in combinations(range(60), 2):
        for band in range(4):
            equal = (signatures[i] == signatures[j])[3 * band : 3 * band + 3].all()
            assert (keys[i, band] == keys[j, band]) == equal


@given(st.integers(0, 40), st.integers(1, 5), st.integers(1, 30), st.integers(0, 99))
def test_candidates_are_all_that_share_a_key_each_once(
    n: int, width: int, values: int, seed: int
) -> None:
    keys = np.random.default_rng(seed).integers(0, values, (n, width)).astype(np.uint64)
    found = [pair for i, j in candidates(keys) for pair in zip(i.tolist(), j.tolist(), strict=True)]
    assert len(found) == len(set(found))
    assert set(found) == families.sharing_a_key(keys)


def test_a_key_that_thousands_share_comes_in_blocks() -> None:
    """3,000 rows share a key in two bands: 4.5 million pairs, each once, in bounded blocks."""
    n = 3000
    keys = np.random.default_rng(4).integers(0, 2**64, (n, 4), dtype=np.uint64)
    keys[:, [1, 3]] = 5
    total = 0
    for i, j in candidates(keys):
        assert len(i) <= 1 << 18
        assert (i < j).all()
        total += len(i)
    assert total == n * (n - 1) // 2


def test_rows_equal_in_all_bands_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = np.random.default_rng(4).integers(0, 2**64, (5, 4), dtype=np.uint64)
    keys[1, 2] = keys[0, 2]
    many = np.concatenate([keys, np.repeat(keys[:2], [2000, 1000], axis=0)])
    seen = []
    distinct = search._iter_candidates
    monkeypatch.setattr(
        search, "_iter_candidates", lambda keys: distinct(seen.append(len(keys)) or keys)
    )
    assert sum(len(i) for i, _ in candidates(many)) == 3002 * 3001 // 2
    assert seen == [5]
