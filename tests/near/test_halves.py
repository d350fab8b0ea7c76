"""Texts that share much, but not enough: comparing all pairs is cheaper than being clever."""

import random
from itertools import combinations

import pytest

from lab.oracles.plain import clusters, resemblance
from simdup import Result, scan
from simdup.near import bounds

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def halves(many: int, seed: int = 1, words: int = 60) -> list[str]:
    """Records that share half of their words; the others are from a small vocabulary."""
    chance = random.Random(seed)

    def several(count: int) -> list[str]:
        return ["".join(chance.choices(LETTERS, k=6)) for _ in range(count)]

    common, vocabulary = several(words // 2), several(4 * words)
    return [" ".join([*chance.sample(vocabulary, words // 2), *common]) for _ in range(many)]


def found(texts: list[str], **fields: object) -> Result:
    return scan(list(enumerate(texts)), "plain", jobs=1, **fields)  # type: ignore[arg-type]


def groups(result: Result) -> set[frozenset[object]]:
    return {frozenset(one.name for one in each.members) for each in result.clusters}


def test_records_that_share_half_of_their_words() -> None:
    texts = halves(240)
    similarities = {
        pair: resemblance(texts[pair[0]], texts[pair[1]])
        for pair in combinations(range(len(texts)), 2)
    }
    true = {pair for pair, similarity in similarities.items() if similarity >= 0.4}
    assert true
    # Nearly all of the others are just below.
    assert sum(similarity > 0.33 for similarity in similarities.values()) > 20_000
    result = found(texts, similarity=0.4, method="minhash")
    assert result.summary.unchecked == 0
    assert result.summary.checked <= len(similarities)
    assert groups(result) == {one for one in clusters(true, []).values() if len(one) > 1}
    for pair in result.pairs:
        assert pair.similarity == similarities[pair.a, pair.b]


def test_where_not_all_pairs_can_be_compared_none_is_checked_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = halves(240)
    whole = found(texts, similarity=0.4, method="minhash")
    monkeypatch.setattr(bounds, "MANY_DOCUMENTS", 0)
    monkeypatch.setattr(bounds, "FEW_DOCUMENTS", 0)
    result = found(texts, similarity=0.4, method="minhash")
    assert result.clusters == whole.clusters
    assert result.summary.unchecked == 0
    assert result.summary.checked <= 240 * 239 // 2
