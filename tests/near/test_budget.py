"""Large components that cost more than their budget: users learn what was not compared."""

import json
import random
from itertools import combinations
from pathlib import Path

import pytest
from support import Command

from lab.corpora.made import prose, write
from simdup import Result, scan
from simdup.near import bounds, join, walk

SIZES = (12, 9)


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Components of a few documents are large, and not all of their pairs can be compared."""
    monkeypatch.setattr(join, "LARGE", 3)
    monkeypatch.setattr(walk, "LARGE", 3)
    for name in ("MANY_DOCUMENTS", "FORMED_DOCUMENTS", "FEW_DOCUMENTS"):
        monkeypatch.setattr(bounds, name, 0)


def template(seed: int, many: int) -> list[str]:
    """Texts of one page, each with some characters of its own: all of them are near-duplicates."""
    chance, page = random.Random(seed), prose(seed, 60)
    return [page + "".join(map(chr, chance.sample(range(0x4E00, 0x9F00), 8))) for _ in range(many)]


TEXTS = [text for seed, many in enumerate(SIZES) for text in template(seed, many)]


def found(all_pairs: bool = False) -> Result:
    return scan(list(enumerate(TEXTS)), "plain", method="minhash", all_pairs=all_pairs, jobs=1)


@pytest.mark.parametrize("comparisons", [0, 1, 4, 400])
def test_documents_beyond_the_budget_are_counted(
    comparisons: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asked to the end has taken all that it may."""
    every = found(all_pairs=True)
    near = {frozenset(pair) for first, many in ((0, 12), (12, 9))
            for pair in combinations(range(first, first + many), 2)}  # fmt: skip
    assert {frozenset((pair.a, pair.b)) for pair in every.pairs} == near
    assert (every.summary.unchecked, found().summary.unchecked) == (0, 0)
    monkeypatch.setattr(walk, "COMPARISONS", comparisons)
    result = found()
    assert set(result.redundant) <= set(every.redundant)
    assert (result.redundant == every.redundant) == (result.summary.unchecked == 0)
    kept = [number for number in range(len(TEXTS)) if number not in result.redundant]
    missed = {max(pair) for pair in combinations(kept, 2) if frozenset(pair) in near}
    assert len(missed) <= result.summary.unchecked <= len(kept)
    assert bool(result.summary.unchecked) == (comparisons < 400)
    assert comparisons or (result.summary.unchecked, result.summary.checked) == (len(TEXTS), 0)


def test_all_pairs_have_no_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "COMPARISONS", 0)
    every = found(all_pairs=True)
    assert (every.summary.unchecked, len(every.redundant)) == (0, len(TEXTS) - len(SIZES))


def test_a_report_says_how_many_documents_were_not_compared_with_all(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {f"c/{i:02}.txt": text for i, text in enumerate(TEXTS)})
    sentence = f"{len(TEXTS)} documents were not compared with all"
    command = ["scan", "c", "--method", "minhash", "-j", "1"]
    assert "not compared with all" not in " ".join(simdup(*command).err.split())
    monkeypatch.setattr(walk, "COMPARISONS", 0)
    assert sentence in " ".join(simdup(*command).err.split())
    lines = map(json.loads, simdup(*command, "--format", "jsonl").lines)
    (summary,) = (one for one in lines if one.get("type") == "summary")
    assert (summary["unchecked"], summary["checked"]) == (len(TEXTS), 0)
