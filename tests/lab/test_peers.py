"""What is measured beside other tools: quality, lines to write, distinct results."""

from pathlib import Path

import pytest

from lab.bench import peers
from lab.bench.peers import Corpus, Outcome
from lab.measuring import Ran
from lab.trial import Trial

RAN = Ran(0, 0, b"")


def outcome(clusters: list[set[str]], kept: str) -> Outcome:
    return Outcome(frozenset(map(frozenset, clusters)), frozenset(kept), RAN)


def test_quality_of_an_example(tmp_path: Path) -> None:
    pairs = [("a", "b"), ("b", "c"), ("d", "e")]
    corpus = Corpus("example", dict.fromkeys("abcdefg", ""), pairs, tmp_path / "docs.jsonl")
    # True clusters: a b c and d e, so 4 pairs. Found: a b and f g, so 1 of 2 is right.
    figures = peers._quality(corpus, outcome([{"a", "b"}, {"f", "g"}], kept="acdef"))
    assert (figures["precision"], figures["recall"]) == (0.5, 0.25)
    # b has a, which stays; g has nothing that does. e stays beside d, while a and c differ.
    assert (figures["removed"], figures["removed without need"], figures["left"]) == (2, 1, 1)


def test_what_is_removed_with_all_its_copies_is_removed_without_need(tmp_path: Path) -> None:
    corpus = Corpus("example", dict.fromkeys("abc", ""), [("a", "b")], tmp_path / "docs.jsonl")
    figures = peers._quality(corpus, outcome([{"a", "b"}], kept="c"))
    assert (figures["recall"], figures["removed without need"], figures["left"]) == (1, 2, 0)


def test_simdup_runs_and_gives_one_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "TOOLS", ())
    tools, total = peers.peers(Trial(tmp_path, "small", 1))
    rows = [dict(zip(tools.columns, row, strict=True)) for row in tools.rows]
    assert {row["corpus"] for row in rows} == {"mixed"}
    assert all(row["precision"] == 1 and row["lines"] == 1 for row in rows)
    assert rows[-1]["distinct results"] == 1
    assert len(total.rows) == 2
