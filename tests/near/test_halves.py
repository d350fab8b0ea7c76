"""Texts that share much, but not enough: comparing all pairs is cheaper than being clever."""

import random
from itertools import combinations

import pytest

from lab.oracles.plain import clusters, edit_similarity, resemblance
from simdup import Result, scan
from simdup.near import bounds

HAN = "岸树芽云洋虫星桥路竹梅兰菊荷墨笔纸杯盘铺柜窗柱梯砖瓦钉绳线布衫帽鞋袜伞扇镜"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def halves(many: int, seed: int = 1, words: int = 60) -> list[str]:
    """Records that share half of their words; the others are from a small vocabulary."""
    chance = random.Random(seed)

    def several(count: int) -> list[str]:
        return ["".join(chance.choices(LETTERS, k=6)) for _ in range(count)]

    common, vocabulary = several(words // 2), several(4 * words)
    return [" ".join([*chance.sample(vocabulary, words // 2), *common]) for _ in range(many)]


def notices(many: int, seed: int = 1) -> list[str]:
    """Short texts of one template."""
    chance = random.Random(seed)

    def some(count: int) -> str:
        return "".join(chance.choices(HAN, k=count))

    head, tail = some(20), some(20)
    return [head + some(chance.randint(6, 12)) + tail for _ in range(many)]


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


@pytest.mark.parametrize("seed", range(3))
def test_a_larger_distance_lists_no_fewer_pairs(seed: int) -> None:
    """Pairs were checked again and again, until there was nothing left to spend on the others."""
    texts = notices(200, seed)
    results = [found(texts, distance=distance) for distance in (3, 32, 64)]
    listed = [len(result.pairs) for result in results]
    assert listed == sorted(listed)
    for result in results:
        assert result.summary.unchecked == 0
        assert result.summary.checked <= 200 * 199 // 2


def test_short_texts_of_one_template_are_all_compared() -> None:
    texts = notices(90)
    true = [
        pair
        for pair in combinations(range(len(texts)), 2)
        if edit_similarity(texts[pair[0]], texts[pair[1]]) >= 0.8
    ]
    result = found(texts, distance=64)
    assert groups(result) == {one for one in clusters(true, []).values() if len(one) > 1}
    assert result.summary.unchecked == 0
