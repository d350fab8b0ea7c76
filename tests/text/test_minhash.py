"""MinHash: signatures compared with plain Python."""

import math
import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import shingles

from lab.oracles import families, plain
from simdup.kernels import sketches
from simdup.model.criteria import Shingling
from simdup.text.counts import term_hash
from simdup.text.shingles import Sets, Shingler


def rows(sets: list[list[int]]) -> Sets:
    starts = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return Sets(starts, np.array([x for one in sets for x in one], np.uint64))


ROUNDS = 8

hashes = st.integers(0, 2**64 - 1)


@given(st.lists(st.lists(hashes, max_size=40), max_size=6), st.integers(1, 20))
def test_signatures_are_those_of_plain_python(sets: list[list[int]], size: int) -> None:
    found = sketches.signatures(*rows(sets), size)
    assert found.tolist() == [families.minhash(one, size, ROUNDS) for one in sets]


def test_sets_large_and_small_and_blocks_of_them() -> None:
    maker = random.Random(1)
    sets = [[maker.getrandbits(64) for _ in range(n)] for n in (1, 3, 0, 50, 400, 2, 90)]
    assert sketches.signatures(*rows(sets), 16).tolist() == [
        families.minhash(one, 16, ROUNDS) for one in sets
    ]
    many = [[maker.getrandbits(64) for _ in range(maker.randrange(60))] for _ in range(3000)]
    whole = sketches.signatures(*rows(many), 64)
    apart = np.concatenate([sketches.signatures(*rows([one]), 64) for one in many])
    assert np.array_equal(whole, apart)


@pytest.mark.parametrize(
    ("shared", "only_a", "only_b"),
    [(4, 1, 1), (2, 1, 9), (40, 5, 5), (20, 20, 20), (200, 20, 30), (900, 50, 50), (30, 0, 600)],
)
def test_places_agree_as_often_as_the_sets_do(shared: int, only_a: int, only_b: int) -> None:
    """For all sizes: sets that fill all bins, sets that do not, one of each."""
    maker = np.random.default_rng(shared)
    trials, size = 300, 64
    sets = []
    for _ in range(trials):
        every = maker.integers(0, 2**64, shared + only_a + only_b, dtype=np.uint64).tolist()
        sets += [every[: shared + only_a], every[:shared] + every[shared + only_a :]]
    found = sketches.signatures(*rows(sets), size)
    agree = (found[::2] == found[1::2]).mean()
    p = shared / (shared + only_a + only_b)
    assert abs(agree - p) < 4 * math.sqrt(p * (1 - p) / (trials * size))


def test_a_few_elements_a_great_many_times() -> None:
    """The text of one letter: each round went over all of its shingles."""
    few = [7, 2**63, 5]
    sets = [few * 300, [1, 2], few[:1] * 2000, list(range(200)), [], few]
    assert sketches.signatures(*rows(sets), 8).tolist() == [
        families.minhash(one, 8, ROUNDS) for one in sets
    ]
    starts, elements = np.array([0, 4_000_000]), np.ones(4_000_000, np.uint64)
    begun = time.process_time()
    sketches.signatures(starts, elements, 128)
    assert time.process_time() - begun < 5


def test_an_empty_set_has_all_ones() -> None:
    assert (sketches.signatures(*rows([[], [1]]), 8)[0] == 0xFFFFFFFF).all()
    assert sketches.signatures(*rows([]), 8).shape == (0, 8)


def test_the_signature_is_the_same_on_every_platform() -> None:
    elements = np.arange(10, dtype=np.uint64)
    assert sketches.signatures(np.array([0, 10]), elements, 4).tolist() == [SIGNATURE]


SIGNATURE = [0, 3721487594, 3010095482, 3850460875]


words = st.lists(st.sampled_from(["早", "安", "world", "好"]), max_size=8)


@given(st.lists(words, max_size=5), st.integers(1, 3))
def test_sets_of_words_are_runs_of_words(documents: list[list[str]], n: int) -> None:
    shingler = Shingler(Shingling(n, "words"))
    found = shingler.sets([" ".join(tokens) for tokens in documents])
    for number, tokens in enumerate(documents):
        terms = [int.from_bytes(term_hash(t), "big") for t in tokens]
        size = min(n, len(terms))
        runs = [terms[i : i + size] for i in range(len(terms) - size + 1)] if terms else []
        mine = found.hashes[found.starts[number] : found.starts[number + 1]].tolist()
        assert mine == [families.polynomial(run) for run in runs]


@given(st.lists(st.text(max_size=12), max_size=5), st.integers(1, 6))
def test_sets_of_characters_are_runs_of_characters(texts: list[str], n: int) -> None:
    found = Shingler(Shingling(n)).sets(texts)
    assert len(found.starts) == len(texts) + 1
    for number, text in enumerate(texts):
        size = min(n, len(text))
        runs = [text[i : i + size] for i in range(len(text) - size + 1)] if text else []
        mine = found.hashes[found.starts[number] : found.starts[number + 1]].tolist()
        assert mine == [families.polynomial([ord(c) for c in run]) for run in runs]


@given(st.text("ab", max_size=30), st.text("ab", max_size=30), st.integers(1, 6))
def test_sets_have_the_similarity_that_verification_measures(a: str, b: str, n: int) -> None:
    found = Shingler(Shingling(n)).sets([a, b])
    one, other = (set(found.hashes[slice(*found.starts[i : i + 2])].tolist()) for i in (0, 1))
    verified = (set(shingles(text, n).tolist()) for text in (a, b))
    assert plain.jaccard(one, other) == plain.jaccard(*verified)


def test_term_hashes_are_remembered_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    shingler = Shingler(Shingling(2, "words"))
    before = shingler.sets(["a b", "", "c"])
    assert before.starts.tolist() == [0, 1, 1, 2]
    monkeypatch.setattr("simdup.text.shingles.REMEMBERED_TERMS", 2)
    after = shingler.sets(["a b", "", "c"])
    assert after.hashes.tolist() == before.hashes.tolist()
