"""Large families that cost more than their budget: users learn how many pairs were left out."""

import json
import random
from itertools import combinations
from pathlib import Path

import pytest
from support import Command

from lab.corpora.made import prose, write
from simdup import Result, scan
from simdup.near import bounds, candidates, large_groups, pair_groups

SIZES = (12, 9)


@pytest.fixture(autouse=True)
def _small_families(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat clusters of a few documents as families, of which not all pairs can be compared."""
    monkeypatch.setattr(pair_groups, "LARGE", 3)
    monkeypatch.setattr(candidates, "LARGE", 3)
    monkeypatch.setattr(bounds, "MANY_DOCUMENTS", 0)
    monkeypatch.setattr(bounds, "FEW_DOCUMENTS", 0)


def template(seed: int, many: int) -> list[str]:
    """Texts of one page, each with some characters of its own: all of them are near-duplicates."""
    chance, page = random.Random(seed), prose(seed, 60)
    return [page + "".join(map(chr, chance.sample(range(0x4E00, 0x9F00), 8))) for _ in range(many)]


TEXTS = [text for seed, many in enumerate(SIZES) for text in template(seed, many)]
# Every pair of each family.
EVERY = sum(len(list(combinations(range(many), 2))) for many in SIZES)


def found(linkage: str, all_pairs: bool = False) -> Result:
    data = list(enumerate(TEXTS))
    return scan(data, "plain", method="minhash", linkage=linkage, all_pairs=all_pairs, jobs=1)


@pytest.mark.parametrize("linkage", ["single", "star"])
@pytest.mark.parametrize("comparisons", [0, 1, 4])
def test_pairs_beyond_the_budget_of_families_are_counted(
    linkage: str, comparisons: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    every, within = found(linkage, all_pairs=True), found(linkage).summary
    all_ = sum(SIZES) * (sum(SIZES) - 1) // 2
    assert (every.summary.candidates, every.summary.unchecked) == (all_, 0)
    assert (within.redundant, within.unchecked) == (sum(SIZES) - len(SIZES), 0)
    monkeypatch.setattr(large_groups, "COMPARISONS", comparisons)
    result = found(linkage)
    redundant = {m.number for one in result.clusters for m in one.members[1:]}
    left = sum(redundant.isdisjoint((pair.a, pair.b)) for pair in every.pairs)
    assert left <= result.summary.unchecked <= EVERY - result.summary.candidates
    assert bool(result.summary.candidates) == bool(redundant) == bool(comparisons)
    assert comparisons or result.summary.unchecked == EVERY


def test_a_report_says_how_many_pairs_were_left_unchecked(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {f"c/{i:02}.txt": text for i, text in enumerate(TEXTS)})
    sentence = f"Up to {EVERY} pairs would have cost too much and were left unchecked"
    command = ["scan", "c", "--method", "minhash", "-j", "1"]
    assert "unchecked" not in simdup(*command).err
    monkeypatch.setattr(large_groups, "COMPARISONS", 0)
    assert sentence in simdup(*command).err
    lines = map(json.loads, simdup(*command, "--format", "jsonl").lines)
    (summary,) = (one for one in lines if one.get("type") == "summary")
    assert (summary["unchecked"], summary["candidates"]) == (EVERY, 0)


@pytest.mark.parametrize("linkage", ["single", "star"])
@pytest.mark.parametrize("checks", [0, 5])
def test_no_more_pairs_are_checked_than_are_remembered(
    linkage: str, checks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_groups, "CHECKS", checks)
    summary = found(linkage).summary
    assert summary.candidates <= checks * len(SIZES)
    assert 0 < summary.unchecked <= EVERY - summary.candidates
