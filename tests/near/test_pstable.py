"""p-stable projections compared with plain Python, and the probabilities of Datar et al."""

import hashlib
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.oracles import families
from simdup.near.methods import pstable as lsh

vectors = st.dictionaries(st.integers(0, 2**64 - 1), st.floats(0, 8), max_size=12)


def rows(
    documents: list[dict[int, float]],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *map(len, documents)], dtype=np.int64)
    hashes = np.array([term for one in documents for term in one], np.uint64)
    return starts, hashes, np.array([w for one in documents for w in one.values()], np.float64)


@given(st.lists(vectors, max_size=4), st.integers(1, 9), st.floats(0.1, 5))
def test_signatures_are_those_of_plain_python(
    documents: list[dict[int, float]], size: int, width: float
) -> None:
    found = lsh.pstable_cells(*rows(documents), size, width)
    assert found.tolist() == [families.pstable(one, size, width) for one in documents]


def test_the_order_of_terms_and_the_company_of_documents_do_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    maker = np.random.default_rng(3)
    documents = [
        dict(zip(maker.integers(0, 99, 30).tolist(), maker.random(30).tolist(), strict=True))
        for _ in range(50)
    ]
    whole = lsh.pstable_cells(*rows(documents), 12, 0.5)
    turned = [dict(reversed(one.items())) for one in documents]
    monkeypatch.setattr(lsh, "_DRAWN", 40 * 12)
    assert np.array_equal(lsh.pstable_cells(*rows(turned), 12, 0.5), whole)


def test_the_deviates_are_normal_and_the_same_everywhere() -> None:
    table = lsh._deviates()
    assert hashlib.sha256((table * 65536).astype("<i8").tobytes()).hexdigest() == TABLE
    assert np.array_equal(table, -table[::-1])
    assert np.all(np.diff(table) > 0)
    drawn = lsh.deviates(np.arange(2000, dtype=np.uint64), 50)
    assert abs(drawn.mean()) < 4 / math.sqrt(drawn.size)
    assert abs((drawn**2).mean() - 1) < 4 * math.sqrt(2 / drawn.size)
    assert abs((drawn**4).mean() - 3) < 4 * math.sqrt(96 / drawn.size)
    between = np.corrcoef(drawn, rowvar=False) - np.eye(50)
    assert np.abs(between).max() < 5 / math.sqrt(2000)


TABLE = "3a59d87ddb1b41691332775a5b7e189f40dc7fa1d2c05c0e2481754ef7e52f7c"


def test_collision_probability_is_the_integral_of_the_paper() -> None:
    """Datar et al.: the integral of 1/c f(t/c) (1 - t/w) over t from 0 to w, f of |N(0, 1)|."""
    steps = 20_000
    for distance in (0.1, 0.5, 1.0, 3.0):
        for width in (0.3, 1.0, 4.0):
            t = (np.arange(steps) + 0.5) * width / steps
            f = math.sqrt(2 / math.pi) * np.exp(-((t / distance) ** 2) / 2)
            integral = float((f / distance * (1 - t / width)).sum() * width / steps)
            assert lsh.pstable_collision(distance, width) == pytest.approx(integral, abs=1e-6)
    assert lsh.pstable_collision(0, 1) == 1


@pytest.mark.parametrize("distance", [0.1, 0.4, 0.8, math.sqrt(2)])
def test_cells_are_shared_as_often_as_the_paper_says(distance: float) -> None:
    """Pairs of unit vectors of 40 terms at a Euclidean distance, 0.7 the width."""
    maker = np.random.default_rng(7)
    trials, size, width = 300, 40, 0.7
    cosine = 1 - distance**2 / 2
    documents = []
    for _ in range(trials):
        u, v = maker.normal(size=(2, 40))
        u /= np.linalg.norm(u)
        v -= (v @ u) * u
        v /= np.linalg.norm(v)
        terms = maker.integers(0, 2**64, 40, dtype=np.uint64).tolist()
        near = cosine * u + math.sqrt(1 - cosine**2) * v
        documents += [dict(zip(terms, x.tolist(), strict=True)) for x in (u, near)]
    found = lsh.pstable_cells(*rows(documents), size, width)
    p = lsh.pstable_collision(distance, width)
    error = math.sqrt(p * (1 - p) / (trials * size))
    assert abs((found[::2] == found[1::2]).mean() - p) < 4 * error


def test_unit_vectors() -> None:
    starts = np.array([0, 2, 2, 4, 5])
    weights = np.array([3.0, 4.0, 0.0, 0.0, 7.0])
    assert lsh.unit_vectors(starts, weights).tolist() == [0.6, 0.8, 0, 0, 1]


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40), st.randoms())
def test_the_length_of_a_vector_does_not_depend_on_the_order_of_its_terms(
    weights: list[float], chance: random.Random
) -> None:
    turned = chance.sample(weights, len(weights))
    starts = np.array([0, len(weights)], np.int64)
    one, other = (lsh.unit_vectors(starts, np.array(each)) for each in (weights, turned))
    assert sorted(one) == sorted(other)
