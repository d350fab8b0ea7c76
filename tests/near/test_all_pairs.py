"""All pairs of few documents: also those that no search proposes."""

import random
from itertools import combinations

import pytest

from lab.oracles.plain import edit_similarity, resemblance
from simdup import Result, scan
from simdup.model import criteria
from simdup.text import bands

HAN = "岸树芽云洋虫星桥路竹梅兰菊荷墨笔纸杯盘铺柜窗柱梯砖瓦钉绳线布衫帽鞋袜伞扇镜"


def texts(many: int, length: int, seed: int = 2) -> list[str]:
    """Texts with more and more of another one's characters changed."""
    chance = random.Random(seed)
    found = []
    for i in range(many):
        if i % 6 == 0:
            first = "".join(chance.choices(HAN, k=length))
        changed = list(first)
        for place in chance.sample(range(length), (i % 6) * length // 40):
            changed[place] = chance.choice(HAN)
        found.append("".join(changed))
    return found


def found(some: list[str], **fields: object) -> Result:
    return scan(list(enumerate(some)), "plain", all_pairs=True, jobs=1, **fields)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _searches_miss_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bands, "RECALL", 0.3)


@pytest.mark.parametrize("method", ["auto", "minhash", "pstable"])
@pytest.mark.parametrize("length", [60, 300])
def test_every_pair_is_found_whatever_the_searches_propose(length: int, method: str) -> None:
    some = texts(90, length)
    edited = length < 120 and method != "pstable"
    measure = edit_similarity if edited else resemblance
    least = 0.85 if edited else 0.5
    result = found(some, similarity=least, method=method)
    true = {
        pair
        for pair in combinations(range(len(some)), 2)
        if measure(some[pair[0]], some[pair[1]]) >= least
    }
    assert {(pair.a, pair.b) for pair in result.pairs} == true
    assert len(true) <= result.summary.checked <= 90 * 89 // 2


def test_of_many_documents_only_candidates_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(criteria, "_FEW_DOCUMENTS", 90)
    some = texts(90, 300)
    result = found(some, similarity=0.5, method="minhash")
    assert result.summary.checked < 90 * 89 // 2 - found(some, similarity=0.5).summary.checked


def test_a_distance_that_is_a_condition_still_is_one() -> None:
    result = found(texts(60, 300), similarity=0.5, method="simhash", distance=8)
    assert all(pair.distance <= 8 for pair in result.pairs)


def test_what_projections_may_miss_is_said_where_a_similarity_is_asked_for() -> None:
    def notes(**fields: object) -> tuple[tuple[str, str], ...]:
        return found(texts(2, 60), method="pstable", **fields).notes

    ((name, what),) = notes(similarity=0.8)
    assert name == "`method`"
    assert "finds pairs with a cosine of" in what
    assert not notes(similarity=0.0)
    assert not notes(similarity=0.0, cosine=0.6)
