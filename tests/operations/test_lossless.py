"""Lossless cleaning: only what the kept document contains is removed."""

import csv
import io
import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command, examples, leaders

from lab.corpora.made import near, prose, write
from lab.oracles import plain
from simdup import SimdupError, compare, dedupe, scan
from simdup.model.settings import RunOptions

SENTENCES = [prose(seed, 30) for seed in range(1, 12)]
# Texts of the same sentences: each leaves out some, and begins at another one.
TEXTS = st.lists(
    st.tuples(st.sets(st.integers(0, 10), min_size=7), st.integers(0, 2)), min_size=2, max_size=9
)


def page(sentences: set[int], start: int) -> str:
    chosen = sorted(sentences)
    return "".join(SENTENCES[i] for i in chosen[start:] + chosen[:start])


def covered(kept: str, text: str) -> float:
    """The share of a text's shingles that the kept one has."""
    found, known = plain.shingles(plain.solid(text)), plain.shingles(plain.solid(kept))
    return len(found & known) / len(found)


def alike(a: str, b: str) -> bool:
    return plain.resemblance(plain.solid(a), plain.solid(b)) >= 0.5


@pytest.mark.parametrize("keep", ["first", "longest", "shortest"])
@examples(12)
@given(found=TEXTS)
def test_what_is_removed_is_what_brute_force_removes(
    keep: str, found: list[tuple[set[int], int]]
) -> None:
    texts = [page(*one) for one in found]
    sign = {"first": 0, "longest": -1, "shortest": 1}[keep]
    order = sorted(range(len(texts)), key=lambda i: (sign * len(plain.solid(texts[i])), i))
    near = {frozenset(two) for two in combinations(order, 2) if alike(*(texts[one] for one in two))}
    kept_for, _ = leaders(
        order,
        lambda a, b: frozenset((a, b)) in near,
        lambda kept, one: covered(texts[kept], texts[one]) >= 0.98,
    )
    spared: dict[int, int] = {}
    for two in combinations((one for one in order if one not in kept_for), 2):
        if frozenset(two) in near:
            spared.setdefault(two[1], two[0])
    cleaned = dedupe(
        # All pairs are candidates: the search is not what is tried here.
        enumerate(texts), keep=keep, lossless=True, similarity=0.5, method="simhash",
        distance=64, recipe="plain", run=RunOptions(jobs=1),
    )  # fmt: skip
    assert {int(one.document): int(one.kept) for one in cleaned.removed} == kept_for
    for one in cleaned.removed:
        kept, text = texts[int(one.kept)], texts[int(one.document)]
        assert one.covered == pytest.approx(covered(kept, text))
        assert one.covered >= 0.98
    assert {one.name: one.kept for one in cleaned.result.spared} == spared
    for each in cleaned.result.spared:
        assert each.covered == pytest.approx(covered(texts[each.kept], texts[each.name]))


def test_the_kept_copy_decides_what_is_lost() -> None:
    """Of identical texts the preferred one is kept: what is contained in it goes, not the other."""
    long, short = page(set(range(11)), 0), page(set(range(10)), 0)
    data = [("a", long), ("b", short), ("z", long)]
    cleaned = dedupe(data, lossless=True, prefer="z", similarity=0.5)
    assert [(one.document, one.kept) for one in cleaned.removed] == [("a", "z"), ("b", "z")]
    cleaned = dedupe(data, lossless=True, prefer="b", similarity=0.5)
    assert [(one.document, one.kept) for one in cleaned.removed] == [("z", "a")]
    assert [(one.name, one.kept) for one in cleaned.result.spared] == [("a", "b")]


def test_the_report_shows_what_would_be_lost(simdup: Command, tmp_path: Path) -> None:
    text = prose(1)
    write(
        tmp_path / "in", {"a.txt": text, "b.txt": text + "今年还多了一句\x1b[31m重要的话，不能删。"}
    )
    ran = simdup("dedupe", "in", "-o", "out", "--lossless", "--removed", "gone.csv")
    assert ran.status == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.txt", "b.txt"]
    said = ran.err.partition("Spared 1 document that the kept one does not contain.")[2]
    assert "in/b.txt" in said
    assert "beside in/a.txt" in said
    assert "[+今年还多了一句\\x1b[31m重要的话，不能删。+]" in said
    assert next(csv.reader(io.StringIO((tmp_path / "gone.csv").read_text())))[5:7] == [
        "covered", "measure",
    ]  # fmt: skip
    ran = simdup("dedupe", "in", "-o", "out2", "--lossless", "-k", "longest")
    assert [path.name for path in (tmp_path / "out2").iterdir()] == ["b.txt"]
    assert "Spared" not in ran.err


def test_compare_asks_whether_the_second_is_contained_in_the_first() -> None:
    text = prose(1)
    longer = text + prose(2, 20)
    asked: dict[str, Any] = {"lossless": True, "similarity": 0.5}
    assert compare(longer, text, **asked).duplicates
    assert not compare(text, longer, **asked).duplicates


def test_what_contradicts_it_is_refused(simdup: Command, tmp_path: Path) -> None:
    data = [("a", prose(1)), ("b", near(prose(1)))]
    with pytest.raises(SimdupError, match="needs verification"):
        dedupe(data, lossless=True, verify=False)
    with pytest.raises(TypeError, match="lossless: expected True or False"):
        scan(data, lossless="yes")  # type: ignore[arg-type]
    write(tmp_path / "in", dict(data))
    assert simdup("index", "build", "seen.index", "in").status == 0
    ran = simdup("dedupe", "in", "--reference", "seen.index", "-o", "out", "--lossless")
    assert ran.status == 2
    assert "--lossless: seen.index is an index, which has no texts to measure" in ran.err


def test_a_family_costs_as_much_as_it_has_documents() -> None:
    """Pages of a template are compared with the first one, not each with each."""
    chance = random.Random(3)
    base = page(set(range(11)), 0)

    def checked(many: int) -> int:
        own = ["".join(chance.choices("天地玄黄宇宙洪荒日月盈昃", k=chance.randint(0, 90)))
               for _ in range(many)]  # fmt: skip
        found = dedupe(enumerate(base + one for one in own), lossless=True, keep="longest")
        assert found.removed
        assert found.result.spared
        assert found.result.summary.unchecked == 0
        return found.result.summary.checked

    assert checked(500) <= 2.5 * checked(250)


TABLETS = page(set(range(11)), 0)
# Facts in several spellings, and what they say.
SAID = {
    "3": "3", "三": "3", "5": "5", "五": "5", "1,000": "1000", "1000": "1000", "AB-12": "AB-12",
    "AB-13": "AB-13", "2024-01-05": "5.1.24", "2024年1月5日": "5.1.24", "2024-05-01": "1.5.24",
    "5 Jan 2024": "5.1.24", "1 May 2024": "1.5.24", "10mg": "10 mg", "10 mg": "10 mg",
}  # fmt: skip


@examples(10)
@given(st.lists(st.sampled_from(sorted(SAID)), min_size=2, max_size=8))
def test_a_fact_that_only_the_removed_text_has_is_a_loss(facts: list[str]) -> None:
    """However long the text: one number, date or code, in whatever spelling."""
    texts = [f"{TABLETS * 2}每日第{fact}次{TABLETS}" for fact in facts]
    first: dict[str, int] = {}
    expected = {i: first.setdefault(SAID[one], i) for i, one in enumerate(facts)}
    cleaned = dedupe(enumerate(texts), lossless=True, run=RunOptions(jobs=1))
    removed = {int(one.document): int(one.kept) for one in cleaned.removed}
    assert removed == {i: kept for i, kept in expected.items() if i != kept}
    assert {one.name for one in cleaned.result.spared} == set(first.values()) - {0}
    assert all(one.facts for one in cleaned.result.spared)


def test_the_account_names_what_was_given_up(simdup: Command, tmp_path: Path) -> None:
    text = "".join(prose(seed, 90) for seed in range(20, 36))
    leaflet = f"{text}服用3片，批号AB-12。{prose(7)}"
    write(tmp_path / "in", {
        "a.txt": leaflet, "b.txt": leaflet.replace("3片", "5片"), "c.txt": leaflet + "仅此一句。",
    })  # fmt: skip
    ran = simdup("dedupe", "in", "-o", "out", "--lossless", "--removed", "gone.jsonl")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.txt", "b.txt"]
    assert "beside in/a.txt; only here 1 number, date or code: 5\n" in ran.err
    assert "[+5+]" in ran.err
    _, _, said = ran.err.partition("1 removed document has up to 0.")
    assert "in/c.txt" in said
    assert "[+仅此一句。+]" in said
    removed, spared = map(json.loads, (tmp_path / "gone.jsonl").read_text("utf-8").splitlines())
    assert (removed["document"], spared["document"]) == ("in/c.txt", "in/b.txt")
    assert spared["covered"] > 0.98
    assert spared["facts"] == ["5"]
    assert not compare(leaflet, leaflet.replace("AB-12", "AB-21"), lossless=True).duplicates
    assert "98% of its text, and every number" in " ".join(simdup("dedupe", "--help").text.split())
