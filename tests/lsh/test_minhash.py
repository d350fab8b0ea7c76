"""MinHash: signatures, byte sketches and the sets they are made of, against plain Python."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import families

from simdup.features.hashing import term_hash
from simdup.features.shingles import Sets, Shingler
from simdup.lsh import bbit, minhash
from simdup.model.shingling import Shingling
from simdup.verify.resemblance import resemblance


def rows(sets: list[list[int]]) -> Sets:
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return Sets(starts, np.array([x for one in sets for x in one], np.uint64))


hashes = st.integers(0, 2**64 - 1)


@given(st.lists(st.lists(hashes, max_size=40), max_size=6), st.integers(1, 20))
def test_signatures_are_those_of_plain_python(sets: list[list[int]], size: int) -> None:
    found = minhash.signatures(*rows(sets), size)
    assert found.tolist() == [families.minhash(one, size, minhash.ROUNDS) for one in sets]


def test_sets_large_and_small_and_blocks_of_them() -> None:
    maker = random.Random(1)
    sets = [[maker.getrandbits(64) for _ in range(n)] for n in (1, 3, 0, 50, 400, 2, 90)]
    assert minhash.signatures(*rows(sets), 16).tolist() == [
        families.minhash(one, 16, minhash.ROUNDS) for one in sets
    ]
    many = [[maker.getrandbits(64) for _ in range(maker.randrange(60))] for _ in range(3000)]
    whole = minhash.signatures(*rows(many), 64)
    apart = np.concatenate([minhash.signatures(*rows([one]), 64) for one in many])
    assert np.array_equal(whole, apart)


@given(st.lists(hashes, min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_neither_order_nor_repetition_matters(elements: list[int], maker: random.Random) -> None:
    again = elements + maker.choices(elements, k=5)
    maker.shuffle(again)
    found = minhash.signatures(*rows([elements, again]), 32)
    assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize(
    ("shared", "only_a", "only_b"),
    [(4, 1, 1), (2, 1, 9), (40, 5, 5), (20, 20, 20), (200, 20, 30), (900, 50, 50), (30, 0, 600)],
)
def test_places_agree_as_often_as_the_sets_do(shared: int, only_a: int, only_b: int) -> None:
    """Whatever the sizes: sets that fill all places, sets that do not, one of each."""
    maker = np.random.default_rng(shared)
    trials, size = 300, 64
    sets = []
    for _ in range(trials):
        every = maker.integers(0, 2**64, shared + only_a + only_b, dtype=np.uint64).tolist()
        sets += [every[: shared + only_a], every[:shared] + every[shared + only_a :]]
    found = minhash.signatures(*rows(sets), size)
    agree = (found[::2] == found[1::2]).mean()
    p = shared / (shared + only_a + only_b)
    assert abs(agree - p) < 4 * math.sqrt(p * (1 - p) / (trials * size))


def test_an_empty_set_has_all_ones() -> None:
    assert (minhash.signatures(*rows([[], [1]]), 8)[0] == 0xFFFFFFFF).all()
    assert minhash.signatures(*rows([]), 8).shape == (0, 8)


def test_the_signature_is_the_same_on_every_platform() -> None:
    elements = np.arange(10, dtype=np.uint64)
    assert minhash.signatures(np.array([0, 10]), elements, 4).tolist() == [SIGNATURE]


SIGNATURE = [0, 3721487594, 3010095482, 3850460875]


@pytest.mark.parametrize("jaccard", [0.0, 0.1, 0.5, 0.8, 1.0])
def test_byte_sketches_estimate_with_the_error_they_state(jaccard: float) -> None:
    maker = np.random.default_rng(5)
    union = 500
    shared = round(jaccard * union)
    estimates = []
    for _ in range(200):
        every = maker.integers(0, 2**64, union, dtype=np.uint64)
        half = shared + (union - shared) // 2
        a = bbit.bbit_sketch(every[:half])
        b = bbit.bbit_sketch(np.concatenate([every[:shared], every[half:]]))
        estimates.append(float(bbit.estimate(a, b)))
    stated = bbit.standard_error(jaccard)
    # Cut off at 0, an estimate of nothing lies above it on average, by less than its error.
    assert abs(np.mean(estimates) - jaccard) <= 4 * stated / math.sqrt(200) + stated * (not jaccard)
    assert np.std(estimates) <= 1.25 * stated + 1e-12


def test_estimates_take_many_sketches_at_once() -> None:
    sets = np.array([[1, 2, 3], [1, 2, 3], [7, 8, 9]], np.uint64)
    sketches = np.array([bbit.bbit_sketch(one) for one in sets])
    assert sketches.dtype == np.uint8
    assert sketches.shape == (3, 128)
    estimate = bbit.estimate(sketches[:1], sketches)
    assert estimate.tolist()[:2] == [1, 1]
    assert estimate[2] < 0.05


words = st.lists(st.sampled_from(["早", "安", "world", "好"]), max_size=8)


@given(st.lists(words, max_size=5))
def test_word_bigrams_are_pairs_of_neighbours(documents: list[list[str]]) -> None:
    found = Shingler(Shingling(2, "words")).sets([" ".join(tokens) for tokens in documents])
    for number, tokens in enumerate(documents):
        terms = [int.from_bytes(term_hash(t), "big") for t in tokens]
        runs = [terms[i : i + 2] for i in range(max(len(terms) - 1, bool(terms)))]
        mine = found.hashes[found.starts[number] : found.starts[number + 1]].tolist()
        assert mine == [families.polynomial(run) for run in runs]


@given(st.lists(st.text(max_size=12), max_size=5), st.integers(1, 6))
def test_character_grams_are_runs_of_characters(texts: list[str], n: int) -> None:
    found = Shingler(Shingling(n)).sets(texts)
    assert len(found.starts) == len(texts) + 1
    for number, text in enumerate(texts):
        size = min(n, len(text))
        runs = [text[i : i + size] for i in range(len(text) - size + 1)] if text else []
        mine = found.hashes[found.starts[number] : found.starts[number + 1]].tolist()
        assert mine == [families.polynomial([ord(c) for c in run]) for run in runs]


@given(st.text("ab", max_size=30), st.text("ab", max_size=30), st.integers(1, 6))
def test_character_grams_have_the_resemblance_of_the_texts(a: str, b: str, n: int) -> None:
    shingler = Shingler(Shingling(n))
    found = shingler.sets([a, b])
    one, other = (set(found.hashes[slice(*found.starts[i : i + 2])].tolist()) for i in (0, 1))
    jaccard = len(one & other) / max(len(one | other), 1)
    assert jaccard == resemblance(shingler.shingles(a), shingler.shingles(b))


def test_term_hashes_are_remembered_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    shingler = Shingler(Shingling(1, "words"))
    before = shingler.sets(["a b", "", "c"])
    assert before.starts.tolist() == [0, 2, 2, 3]
    monkeypatch.setattr("simdup.features.shingles.REMEMBERED_TERMS", 2)
    after = shingler.sets(["a b", "", "c"])
    assert after.hashes.tolist() == before.hashes.tolist()
