"""Resemblance: the Jaccard coefficient of sets of character runs, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import held, shingles

from lab.oracles import plain
from simdup import Recipe, SimdupError, compare, scan
from simdup.corpus.spool import Slot
from simdup.model.criteria import Criteria
from simdup.near.measures import measured
from simdup.near.walk import LARGE

PLAIN = Recipe(tokens="chars:1", fold=False)


def similarity(a: str, b: str, shingle: int = 5) -> float:
    return compare(a, b, PLAIN, shingle=shingle, method="simhash").similarity


few_letters = st.text("ab河岸 \n\u3000😀", max_size=30)


@given(few_letters, few_letters, st.integers(1, 8))
def test_as_sets_have_it(a: str, b: str, n: int) -> None:
    assert similarity(a, b, n) == plain.similarity(a, b, plain.resemblance(a, b, n))


@given(st.text(st.characters(exclude_categories=["Cs"])), st.data())
def test_any_text_and_an_edit_of_it(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    other = text[:place] + data.draw(st.text("天x", max_size=3)) + text[place + 1 :]
    assert similarity(text, other) == plain.similarity(text, other)


@given(few_letters, st.integers(1, 8))
def test_a_set_of_shingles_is_as_large_as_it_should_be(text: str, n: int) -> None:
    found = shingles(plain.solid(text), n)
    assert len(found) == len(plain.shingles(text, n))
    assert (found[1:] > found[:-1]).all()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("abcdefg", "abcdefg", 1.0),
        ("abcdefg", "abcdefx", 2 / 4),
        ("abcdefg", "uvwxyz", 0.0),
        ("abc", "abc", 1.0),  # shorter than a shingle: one shingle
        ("abc", "abd", 0.0),
        ("abc", "abcde", 0.0),
        ("a b\nc", "abc", 1.0),  # white space is not text
        ("aaaaaaaaaa", "aaaaa", 0.9999),  # a set knows no repetitions
        ("", "abc", 0.0),
        ("", "", 0.0),
        (" ", "\n", 0.0),
    ],
)
def test_examples(a: str, b: str, expected: float) -> None:
    assert similarity(a, b) == expected


def test_moved_paragraphs_cost_little() -> None:
    parts = [f"第{n}段说的是第{n}件事，和别的{n * 7}段都没有关系。" for n in range(20)]
    moved = parts[10:] + parts[:10]
    assert similarity("".join(parts), "".join(moved)) > 0.95


def test_texts_of_different_length_classes() -> None:
    # A run of zeros is a shingle, and a shorter run of zeros is another one.
    assert similarity("\0" * 4, "\0" * 3) == 0
    assert similarity("\0" * 9, "\0" * 8) == 0.9999


def test_a_pair_must_have_the_requested_similarity() -> None:
    a, b = "abcdefghijklmnopqrstuvwxy z", "abcdefghijklmnopqrstuvwxy 0"
    exact = plain.resemblance(a, b)
    recipe = Recipe(tokens="chars:2", fold=False)
    for least, near in ((exact, True), (exact + 1e-12, False)):
        criteria = Criteria(distance=64, similarity=least, method="simhash")
        assert compare(a, b, recipe, criteria).duplicates == near
        assert len(scan([("a", a), ("b", b)], recipe, criteria).pairs) == near


LONG = "".join(chr(0x4E00 + n * 7 % 997) for n in range(300))
UNEQUAL = [
    ("明天下午三点开会，请准时到场。", "明天下午三点开会！请准时到场！！👍"),  # equal letters
    (LONG + LONG, LONG + LONG + LONG),  # equal shingles
]
EQUAL = [
    ("明天下午三点开会，请准时到场。", "明天下午 三點開會,請準時到場。\n"),
    (LONG, " ".join(LONG)),
]


@pytest.mark.parametrize("method", ["auto", "minhash", "simhash"])
@pytest.mark.parametrize(("a", "b"), [*UNEQUAL, *EQUAL])
def test_only_equal_texts_have_a_similarity_of_1(a: str, b: str, method: str) -> None:
    if method == "simhash" and (a, b) == UNEQUAL[0]:
        pytest.skip("short texts are measured by their shingles")
    asked = {"method": method, "distance": 64} if method != "minhash" else {"method": method}
    equal = (a, b) in EQUAL
    found = compare(a, b, **asked)
    assert found.duplicates
    assert found.similarity == (1 if equal else 0.9999)
    for least in (0.8, 0.9999, 1):
        assert compare(a, b, similarity=least, **asked).duplicates == (equal or least < 1)
        (*pairs,) = scan([("a", a), ("b", b)], similarity=least, **asked).pairs
        assert [one.similarity for one in pairs] == [found.similarity] * (equal or least < 1)


def test_in_a_large_group_too_only_equal_texts_have_a_similarity_of_1() -> None:
    # Runs of one letter are one shingle, however long.
    texts = [LONG + "哈" * (10 + n // 2) for n in range(4 * LARGE)]
    pairs = scan(enumerate(texts), similarity=1, jobs=1).pairs
    assert [(p.a, p.b) for p in pairs] == [(n, n + 1) for n in range(0, len(texts), 2)]
    (cluster,) = scan(enumerate(texts), jobs=1).clusters
    assert {m.similarity for m in cluster.members} == {None, 1, 0.9999}
    assert [m.name for m in cluster.members if m.similarity == 1] == [1]


@pytest.mark.parametrize("wrong", [{"similarity": 1.1}, {"similarity": -0.1}, {"shingle": 0}])
def test_invalid_criteria(wrong: dict[str, float]) -> None:
    with pytest.raises(SimdupError, match="invalid value"):
        compare("a", "b", **wrong)  # type: ignore[arg-type]


def test_a_small_cache_changes_nothing() -> None:
    texts = ["".join(chr(0x4E00 + (n * k) % 97) for k in range(200)) for n in range(1, 9)]
    known = held(texts)
    pairs = [(a, b) for a in range(8) for b in range(a)]
    expected = [plain.resemblance(texts[a], texts[b]) for a, b in pairs]
    for cache_bytes, least, most in ((1 << 20, 8, 8), (1, 31, 56)):
        asked: list[int] = []

        def read(slot: Slot, asked: list[int] = asked) -> bytes:
            asked.append(slot.start)
            return known.read(slot)

        texts_read = replace(known, read=read, room=cache_bytes, memory={})
        each = (measured(*np.array([pair]).T, texts_read, Criteria()) for pair in pairs)
        found = [pair["similarity"][0] for pair in each]
        assert found == expected
        assert least <= len(asked) <= most
