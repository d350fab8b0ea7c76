"""Short parallels share a phrase or its characters alone, and nothing else than function words."""

import pytest

from lab.bench.parallels import auc
from lab.corpora.parallels import (
    INSERTED,
    REPLACED,
    SWAPPED,
    UNCHANGED,
    Parallel,
    bigrams,
    letters,
    parallels,
)

COUNT = 300


@pytest.fixture(scope="module", params=(73, 74, 75))
def made(request: pytest.FixtureRequest) -> list[Parallel]:
    return parallels(COUNT, request.param)


def test_a_seed_makes_the_same_pairs() -> None:
    assert parallels(40, 5) == parallels(40, 5)
    assert parallels(40, 5) != parallels(40, 6)


def test_scrambled_phrases_share_no_bigram(made: list[Parallel]) -> None:
    for one in made:
        if not one.true:
            first, second = one.phrases
            assert bigrams(first).isdisjoint(bigrams(second))
            # One of the texts has no bigram of the phrase of the other, in either order.
            assert bigrams(first).isdisjoint(bigrams(one.texts[1])) or bigrams(second).isdisjoint(
                bigrams(one.texts[0])
            )
            most = {UNCHANGED: 0, SWAPPED: 0, INSERTED: 1, REPLACED: 2}[one.change]
            assert len(set(first) ^ set(second)) == most


def test_characters_do_not_tell_the_pairs_apart(made: list[Parallel]) -> None:
    scores: dict[bool, list[float]] = {True: [], False: []}
    for one in made:
        a, b = (set(letters(text)) for text in one.texts)
        scores[one.true].append(len(a & b) / min(len(a), len(b)))
    assert auc(scores[True], scores[False]) == pytest.approx(0.5, abs=0.06)


def test_what_they_share_beside_the_phrase_is_the_same(made: list[Parallel]) -> None:
    rest: dict[bool, list[float]] = {True: [], False: []}
    for one in made:
        a, b = (
            bigrams(letters(text).replace(phrase, "|", 1).replace("|", "。"))
            for text, phrase in zip(one.texts, one.phrases, strict=True)
        )
        rest[one.true].append(len(a & b) / max(1, min(len(a), len(b))))
    assert auc(rest[True], rest[False]) == pytest.approx(0.5, abs=0.06)


def test_auc_counts_ties_half() -> None:
    assert auc([1, 1], [0, 0]) == 1
    assert auc([0.5], [0.5]) == 0.5
    assert auc([0, 1], [0.5]) == 0.5
