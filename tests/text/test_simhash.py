"""Simhash: published examples to the digit, and a slow oracle for everything else."""

import functools
import hashlib
import operator
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command

from lab.oracles import plain
from simdup import Recipe, SimdupError, compare, distance, fingerprint, simhash
from simdup.text.simhash import from_sums, simhash_rows, to_hex, to_int

TESTING = "This is a test string for testing"
TESTING_11 = "This is a string testing 11"


def test_three_hashes() -> None:
    assert simhash([0b101101, 0b110010, 0b100001], [3, 1, 5], bits=6) == 0b100001


def test_sums_of_whole_numbers() -> None:
    assert from_sums([-7, 1, -9, 9, 3, 9]) == 0b010111


def test_sums_of_fractions() -> None:
    assert from_sums([0.1, 0.1, 0.1, 0.1, -0.8, -0.3, 0.4, 0.5]) == 0b11110011


def test_string128() -> None:
    first, second = fingerprint(TESTING, "string128"), fingerprint(TESTING_11, "string128")
    assert first == 0x0000000020302202800D8E90E45CC488
    assert second == 0x0000000020342200801D8ECEA45CC9C8
    assert distance(first, second) == 13
    found = compare(TESTING, TESTING_11, "string128")
    assert found.fingerprints == (
        "0000000020302202800d8e90e45cc488",
        "0000000020342200801d8ecea45cc9c8",
    )
    assert (found.distance, found.bits) == (13, 128)
    assert found.ratio == 0.9995148101597323


def news(shared_data: Path, name: str) -> Path:
    return shared_data / "seed003" / f"{name}-split.txt"


@pytest.mark.parametrize(
    ("name", "hexes"),
    [("testNews1", "0008c219"), ("trainNews1", "00003284"), ("trainNews2", "00007600")],
)
def test_bkdr32_fingerprints(shared_data: Path, simdup: Command, name: str, hexes: str) -> None:
    path = news(shared_data, name)
    assert simdup("fingerprint", "--recipe", "bkdr32", path).lines[1:] == [f"{hexes}  {path}"]
    assert fingerprint(path.read_text("gb18030"), "bkdr32") == int(hexes, 16)


@pytest.mark.parametrize(
    ("a", "b", "agreement"),
    [("testNews1", "trainNews2", 0.75), ("trainNews2", "trainNews1", 0.875)],
)
def test_bkdr32_agreement(
    shared_data: Path, simdup: Command, a: str, b: str, agreement: float
) -> None:
    paths = news(shared_data, a), news(shared_data, b)
    found = compare(*(path.read_text("gb18030") for path in paths), recipe="bkdr32")
    assert found.agreement == agreement
    asked = ("compare", "--recipe", "bkdr32", "--no-verify")
    assert simdup(*asked, "-d", "15", *paths).status == 0
    assert simdup(*asked, "-d", "3", *paths).status == 1


def test_plain_is_the_textbook() -> None:
    assert Recipe(cap=0, min_df=0) == Recipe(
        tokens="words", weight="tfidf", idf="auto", min_df=0, top=20, cap=0, hash="blake2b", bits=64
    )
    text = "the quick copper fox jumps over the lazy granite dog"
    assert fingerprint(text, "plain") == fingerprint(text, Recipe(cap=0, min_df=0))


def test_distance() -> None:
    assert distance(0, 0) == 0
    assert distance(0b1011, 0b0010) == 2
    assert distance(0, (1 << 256) - 1) == 256


terms = st.lists(st.tuples(st.integers(0, (1 << 256) - 1), st.integers(0, 1 << 40)), max_size=12)
sizes = st.integers(1, 256)
ties = st.sampled_from(["one", "zero"])


@given(terms, sizes, ties)
def test_simhash_is_the_sign_of_the_votes(
    terms: list[tuple[int, int]], bits: int, ties: str
) -> None:
    hashes, weights = [h for h, _ in terms], [w for _, w in terms]
    assert simhash(hashes, weights, bits, ties) == plain.simhash(hashes, weights, bits, ties)


@given(st.lists(st.tuples(st.integers(0, 255), st.floats(0, 1e6)), max_size=8), st.randoms())
def test_the_order_of_terms_never_matters(
    terms: list[tuple[int, float]], chance: random.Random
) -> None:
    before = simhash([h for h, _ in terms], [w for _, w in terms], bits=8)
    chance.shuffle(terms)
    assert simhash([h for h, _ in terms], [w for _, w in terms], bits=8) == before


def test_fractions_are_summed_without_rounding() -> None:
    # Ten times 0.1 is slightly above 1, and slightly below when summed step by step.
    assert functools.reduce(operator.add, [0.1] * 10) < 1
    for hashes, weights in [([1] * 10 + [0], [0.1] * 10 + [1]), ([0] + [1] * 10, [1] + [0.1] * 10)]:
        assert simhash(hashes, weights, bits=1) == 1


@pytest.mark.parametrize("ties", ["one", "zero"])
def test_ties(ties: str) -> None:
    assert simhash([0b10, 0b01], [4, 4], bits=2, ties=ties) == (0b11 if ties == "one" else 0)
    assert simhash([], [], bits=4, ties=ties) == (0b1111 if ties == "one" else 0)


def test_numpy_hashes_and_weights() -> None:
    hashes = np.array([0xFFFF000000000001, 0x1], np.uint64)
    for kind in (np.int64, np.float64, np.uint8):
        assert simhash(hashes, np.array([2, 3], kind)) == 0x1


def test_weights_beyond_64_bits_are_exact() -> None:
    assert simhash([1, 0, 0], [1 << 90, (1 << 90) - 1, 1], bits=1, ties="zero") == 0
    assert simhash([1, 0], [1 << 90, (1 << 90) - 1], bits=1, ties="zero") == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"hashes": [1], "weights": []},
        {"hashes": [1], "weights": [1], "bits": 0},
        {"hashes": [1], "weights": [1], "ties": "two"},
    ],
)
def test_wrong_arguments(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        simhash(**wrong)


@given(
    st.integers(1, 32),
    ties,
    st.lists(
        # Small weights, too: their sums are 0 or 1.
        st.lists(
            st.tuples(st.integers(0, 9), st.integers(0, 2) | st.integers(0, 1 << 30)),
            min_size=3,
            max_size=3,
        ),
        max_size=5,
    ),
    st.integers(0, 1 << 32),
)
def test_rows_of_documents(
    size: int, ties: str, rows: list[list[tuple[int, int]]], seed: int
) -> None:
    hashes = np.random.default_rng(seed).integers(0, 256, (10, size), np.uint8)
    columns = np.array([[c for c, _ in row] for row in rows], np.int32).reshape(-1, 3)
    weights = np.array([[w for _, w in row] for row in rows], np.int64).reshape(-1, 3)
    found = simhash_rows(hashes, columns, weights, ties)
    numbers = [int.from_bytes(row.tobytes(), "big") for row in hashes]
    expected = [
        plain.simhash([numbers[c] for c, _ in row], [w for _, w in row], size * 8, ties)
        for row in rows
    ]
    assert found.dtype == np.uint64
    assert found.shape == (len(rows), -(-size // 8))
    assert [to_int(row) for row in found] == expected
    assert to_hex(found, size * 8) == [f"{value:0{size * 2}x}" for value in expected]


@pytest.mark.parametrize(("ties", "bits"), [("one", 0b00111), ("zero", 0b00011)])
def test_rows_whose_sums_are_about_zero(ties: str, bits: int) -> None:
    hashes = np.array([[0xFF], [0x00]], np.uint8)
    weights = np.array([(1, 3), (1, 2), (1, 1), (2, 1), (3, 1)], np.int64)
    found = simhash_rows(hashes, np.array([[0, 1]] * 5, np.int32), weights, ties)
    assert found[:, 0].tolist() == [0xFF * (bits >> row & 1) for row in range(4, -1, -1)]


def test_many_documents_are_the_same_as_one_by_one() -> None:
    chance = np.random.default_rng(4)
    hashes = chance.integers(0, 256, (50, 8), np.uint8)
    columns = chance.integers(0, 50, (5000, 6), np.int32)
    weights = chance.integers(0, 1 << 20, (5000, 6), np.int64)
    at_once = simhash_rows(hashes, columns, weights)
    for row in (0, 2047, 2048, 4095, 4096, 4999):
        alone = simhash_rows(hashes, columns[row : row + 1], weights[row : row + 1])
        assert at_once[row] == alone[0]


MOST_BITS = {"blake2b": 256, "md5": 128, "sha1": 160, "sha256": 256, "bkdr": 256, "string": 256}


@pytest.mark.parametrize("bits", [8, 24, 64, 72, 128, 160, 168, 256])
@pytest.mark.parametrize("name", MOST_BITS)
def test_every_hash_at_every_width(name: str, bits: int) -> None:
    if bits > MOST_BITS[name]:
        with pytest.raises(SimdupError, match="bits"):
            Recipe(hash=name, bits=bits)
        return
    recipe = Recipe(tokens="split", hash=name, bits=bits)
    found = fingerprint("one two three four", recipe)
    assert found is not None
    assert 0 <= found < 1 << bits
    assert found == fingerprint("four three two one", recipe)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("blake2b", hashlib.blake2b("河岸".encode()).hexdigest()),
        ("md5", hashlib.md5("河岸".encode(), usedforsecurity=False).hexdigest()),
        ("sha1", hashlib.sha1("河岸".encode(), usedforsecurity=False).hexdigest()),
        ("sha256", hashlib.sha256("河岸".encode()).hexdigest()),
    ],
)
def test_a_single_term_shows_the_first_bits_of_its_digest(name: str, value: str) -> None:
    for bits in (8, 64, 128):
        recipe = Recipe(tokens="split", hash=name, bits=bits)
        assert fingerprint("河岸", recipe) == int(value[: bits // 4], 16)


@given(st.text("ab教育😀ȑ", min_size=1, max_size=40), st.sampled_from([8, 32, 64, 128, 256]))
def test_the_hashes_of_old_programs(term: str, bits: int) -> None:
    for name, twin in (("bkdr", plain.bkdr), ("string", plain.string_hash)):
        recipe = Recipe(tokens="split", fold=False, weight="tf", hash=name, bits=bits)
        assert fingerprint(term, recipe) == twin(term, bits)


def test_texts_with_surrogates_are_read_as_if_from_a_file() -> None:
    for fold in (True, False):
        recipe = Recipe(fold=fold)
        assert fingerprint("河岸 a\ud800b", recipe) == fingerprint("河岸 a\ufffdb", recipe)
        assert compare("一\ud83d\ude00", "一😀", recipe).similarity == 1
