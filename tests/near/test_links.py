"""Decisions in large clusters, of which not all pairs are listed."""

import random
from pathlib import Path

import pytest
from support import leaders

from lab.corpora.made import write
from lab.oracles.plain import resemblance
from simdup import Criteria, Result, scan
from simdup.model.clusters import FEW
from simdup.model.decisions import Decision, Decisions
from simdup.model.settings import RunOptions
from simdup.near import join, walk

LETTERS = "岸树芽云洋虫星桥路竹梅兰菊荷墨笔纸杯盘铺柜窗柱梯砖瓦钉绳线布衫帽鞋袜伞扇镜"
LEAST = 0.6


def chains(seed: int) -> list[str]:
    """Texts that are each near only the next ones, and copies of some, in any order."""
    chance = random.Random(seed)
    whole = "".join(chance.choices(LETTERS, k=260))
    texts = [whole[6 * i : 6 * i + 60] for i in range(24)]
    texts += chance.choices(texts, k=chance.randint(0, 4))
    chance.shuffle(texts)
    return texts


@pytest.fixture(autouse=True)
def _small_families(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "LARGE", 3)
    monkeypatch.setattr(walk, "LARGE", 3)


def found(texts: list[str], decisions: Decisions, **more: object) -> Result:
    # All pairs are candidates, so brute force gives the same clusters.
    criteria = Criteria(similarity=LEAST, method="simhash", distance=64, decisions=decisions)
    return scan(list(enumerate(texts)), "plain", criteria, run=RunOptions(jobs=1), **more)  # type: ignore[arg-type]


def clusters(result: Result) -> set[frozenset[object]]:
    return {frozenset(one.name for one in each.members) for each in result.clusters}


@pytest.mark.parametrize("seed", range(6))
def test_decisions_divide_as_the_definition_says(seed: int) -> None:
    texts = chains(seed)

    def near(i: int, j: int) -> bool:
        return resemblance(texts[i], texts[j]) >= LEAST

    whole = found(texts, Decisions())
    order = range(len(texts))
    assert clusters(whole) == leaders(order, near)[1]
    names = [*max(clusters(whole), key=len)]
    assert len(names) > FEW
    chance = random.Random(seed)
    for _ in range(4):
        named = chance.sample(names, chance.randint(2, 4))
        result = found(texts, Decisions((Decision("distinct", tuple(map(str, named))),)))
        taken_by, groups = leaders(order, near, distinct=lambda i, j: {i, j} <= set(named))  # noqa: B023
        assert clusters(result) == groups
        beside = {m.number: m.beside for one in result.clusters for m in one.members}
        assert {i: kept for i, kept in beside.items() if i != kept} == taken_by


def test_names_that_begin_with_a_dot_are_divided_alike() -> None:
    """Listed pairs connect a cluster only where its documents are known to be named."""
    texts = chains(0)
    ends = (Decision("distinct", ("c/0", f"c/{len(texts) // 2}")),)

    def divided(prefix: str) -> list[tuple[list[str], list[tuple[str, str]]]]:
        criteria = Criteria(
            similarity=LEAST, method="simhash", distance=64, decisions=Decisions(ends)
        )
        named = {f"{prefix}c/{i}": text for i, text in enumerate(texts)}
        found = scan(named, "plain", criteria, run=RunOptions(jobs=1))
        cut = len(prefix)
        return [
            ([one.name[cut:] for one in each.members],
             [(pair.a[cut:], pair.b[cut:]) for pair in each.pairs])
            for each in found.clusters
        ]  # fmt: skip

    assert divided("./") == divided("")


def test_a_decision_about_others_changes_nothing() -> None:
    texts = chains(1)
    whole = found(texts, Decisions())
    other = found(texts, Decisions((Decision("distinct", ("0", "elsewhere")),)))
    assert [(one.members, one.pairs) for one in other.clusters] == [
        (one.members, one.pairs) for one in whole.clusters
    ]


def test_references_and_copies(tmp_path: Path) -> None:
    """References make no pairs with each other, but with copies of others."""
    texts = chains(2)
    write(tmp_path, {f"known/{i:02}": one for i, one in enumerate(texts[::3])})
    references = [str(tmp_path / "known")]
    whole = found(texts, Decisions(), references=references)
    cluster = max(whole.clusters, key=lambda one: len(one.members))
    first, *_, last = sorted(
        (one.name for one in cluster.members if isinstance(one.name, int)),
        key=lambda name: texts[name],
    )
    result = found(
        texts, Decisions((Decision("distinct", (str(first), str(last))),)), references=references
    )
    members = {one.name for one in cluster.members}
    left = set().union(*(part & members for part in clusters(result)))
    assert members - left <= {first, last}
