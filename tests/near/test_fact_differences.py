"""`same` facts: texts that contradict each other are no pair, whichever way pairs are found."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import Command

from lab.corpora.made import prose
from simdup import Index, SimdupError, compare, dedupe, passages, scan
from simdup.near import join
from simdup.near.fact_differences import differences
from simdup.show.result import Result
from simdup.show.verdict import verdict
from simdup.show.words import ENGLISH
from simdup.text.characters import PreparedText

TEXT = (
    "The patient takes {} of the drug each morning with water, and reports to the ward nurse. "
    "The dose {} be changed without asking the doctor first, and the chart hangs beside the bed "
    "for everybody to read at any time of the day."
)
TEN, TWENTY = TEXT.format("10 mg", "must"), TEXT.format("20 mg", "must")
MORE = " Thank you."


def clusters(found: Result) -> list[list[Any]]:
    return sorted(sorted(one.name for one in cluster.members) for cluster in found.clusters)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"containment": 0.9},
        {"lossless": True, "keep": "longest"},
        {"all_pairs": True},
        {"method": "minhash"},
        {"same": ("title", "facts")},
    ],
    ids=str,
)
def test_texts_that_differ_in_a_fact_are_no_pair(fields: dict[str, Any]) -> None:
    title = "Ward 7\n"
    texts = {
        "a": title + TEN, "b": title + TWENTY, "c": title + TEN + MORE, "d": title + TWENTY + MORE,
        "e": title + TEN,
    }  # fmt: skip
    assert clusters(scan(texts, jobs=1)) == [["a", "b", "c", "d", "e"]]
    fields = {"same": "facts", **fields}
    assert clusters(scan(texts, jobs=1, **fields)) == [["a", "c", "e"], ["b", "d"]]


@pytest.mark.parametrize(
    ("other", "agree"),
    [
        (TEXT.format("10 milligrams", "must"), True),
        (TEXT.format("20 mg", "must"), False),
        (TEXT.format("10 mg", "must not"), False),
        (TEN.replace("everybody", "anybody"), True),
    ],
)
def test_values_and_negation_are_facts_and_wording_is_none(other: str, agree: bool) -> None:
    assert bool(scan({"a": TEN, "b": other}, same="facts")) == agree
    assert compare(TEN, other, same="facts").duplicates == agree


def test_texts_without_facts_agree() -> None:
    text = "The old harbour sleeps in the fog until the boats come home with the tide. " * 2
    assert clusters(scan([(0, text), (1, f"{text} And so it is.")], same="facts")) == [[0, 1]]


def test_what_is_equal_but_for_white_space_agrees() -> None:
    assert clusters(scan({"a": TEN, "b": TEN.replace("10", "1 0")}, same="facts")) == [["a", "b"]]


def test_dedupe_keeps_a_document_of_each_reading() -> None:
    cleaned = dedupe({"a": TEN, "b": TWENTY, "c": TEN + MORE, "d": TWENTY + MORE}, same="facts")
    assert [(one.document, one.kept) for one in cleaned.removed] == [("c", "a"), ("d", "b")]


@pytest.fixture
def family() -> dict[str, str]:
    """Texts that are all near each other, of three readings."""
    lines = [f"Line {one} of the manifest is the same in all of the copies." for one in "abcdefgh"]
    return {
        str(i): "\n".join([*lines, f"The ship has {value} tons of coal on board.", *lines[::-1]])
        + f" Copied by {'abcdefghijklmnopqrstuvwxyz'[i % 26]}{'xyz'[i // 26]}."
        for i, value in enumerate([10, 20, 30] * 24)
    }


def test_a_large_family_is_parted_by_facts(
    family: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(family) > join.LARGE
    found = scan(family, same="facts", jobs=1)
    assert [len(cluster.members) for cluster in found.clusters] == [24, 24, 24]
    monkeypatch.setattr(join, "LARGE", len(family))
    assert scan(family, same="facts", jobs=1).clusters == found.clusters


def test_processes_find_the_same(family: dict[str, str]) -> None:
    one, two = (scan(family, same="facts", jobs=jobs) for jobs in (1, 2))
    assert one.clusters == two.clusters


def test_a_comparison_says_that_facts_differ() -> None:
    found = compare(TEN, TWENTY, same="facts")
    assert not found.duplicates
    sentence = verdict(found, (TEN, TWENTY), ENGLISH).sentence(ENGLISH)
    assert sentence.startswith("not near-duplicates: they differ in 1 fact")
    (field,) = found.fields
    assert (field.a, field.b) == ("10 mg", "20 mg")
    assert compare(TEN, TWENTY).duplicates


def test_a_field_with_this_name_is_told_by_its_prefix() -> None:
    rows = [
        {"id": 1, "text": TEN, "facts": "x"},
        {"id": 2, "text": TWENTY, "facts": "x"},
        {"id": 3, "text": TEN + MORE, "facts": "y"},
    ]
    assert clusters(scan(rows, same="facts")) == [[1, 3]]
    assert clusters(scan(rows, same="field:facts")) == [[1, 2]]
    assert clusters(scan(rows, same=("facts", "field:facts"))) == []
    assert clusters(scan(rows, across="field:facts")) == [[1, 2, 3]]


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"across": "facts"}, "facts is for `same` only"),
        ({"same": "facts", "verify": False}, "`same` facts needs verification"),
    ],
)
def test_facts_are_refused_where_they_make_no_sense(fields: dict[str, Any], what: str) -> None:
    with pytest.raises(SimdupError, match=what):
        scan({"a": TEN}, **fields)


def test_passages_do_not_ask_for_facts() -> None:
    with pytest.raises(SimdupError, match="whatever the facts") as refused:
        passages({"a": TEN}, same="facts")
    assert refused.value.hint == "a field of records with this name is field:facts"


def test_an_index_has_no_facts(tmp_path: Path) -> None:
    path = str(tmp_path / "known.index")
    Index.build(path, {"a": TEN}).close()
    with pytest.raises(SimdupError, match="no texts whose facts"):
        scan({"b": TWENTY}, references=path, same="facts")


def test_differences_do_not_depend_on_the_order_of_a_pair() -> None:
    texts = [PreparedText(text) for text in (TEN, TWENTY, TEN.upper(), TEN + MORE)]
    a, b = np.array([0, 1, 0, 1]), np.array([1, 0, 3, 3])
    found = differences(texts.__getitem__, a, b)
    assert [[(fact.kind, fact.a, fact.b) for fact in facts] for facts in found] == [
        [("amount", "10 mg", "20 mg")], [("amount", "20 mg", "10 mg")], [],
        [("amount", "20 mg", "10 mg")],
    ]  # fmt: skip


# -- what differs though it is redundant --


def contents(*texts: str) -> str:
    return "".join(json.dumps({"id": f"d{i}", "text": text}) + "\n" for i, text in enumerate(texts))


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ((TEN, TEN, TEN + MORE), None),
        ((TEN, TWENTY, TEN), "1 of the removed differs in a fact from what stays."),
        (
            (TEN, TWENTY, TEN + MORE, TWENTY + MORE),
            "2 of the removed differ in a fact from what stays.",
        ),
    ],
)
def test_dedupe_counts_what_differs(
    simdup: Command, tmp_path: Path, texts: tuple[str, ...], said: str | None
) -> None:
    (tmp_path / "in.jsonl").write_text(contents(*texts), "utf-8")
    ran = simdup("dedupe", "in.jsonl", "-o", "out.jsonl")
    lines = [line for line in ran.err.splitlines() if "in a fact" in line]
    assert lines == ([] if said is None else [said])


def test_removed_documents_name_their_facts(simdup: Command, tmp_path: Path) -> None:
    other = TEXT.format("20 mg", "must not")
    (tmp_path / "in.jsonl").write_text(contents(TEN, TEN + MORE, other, TEN), "utf-8")
    arguments = ("dedupe", "in.jsonl", "--id-field", "id", "--dry-run", "-q")
    rows = csv.DictReader(simdup(*arguments).out.decode().splitlines())
    assert {row["document"]: row["facts"] for row in rows} == {
        "d1": "", "d2": "20 mg -> 10 mg; not -> (nothing)", "d3": "",
    }  # fmt: skip
    simdup(*arguments, "--removed", "gone.jsonl")
    lines = map(json.loads, (tmp_path / "gone.jsonl").read_text().splitlines())
    assert {line["document"]: line["facts"] for line in lines} == {
        "d1": [],
        "d2": [
            {"kind": "amount", "a": "20 mg", "b": "10 mg"},
            {"kind": "negation", "a": "not", "b": ""},
        ],
        "d3": [],
    }


def test_a_scan_counts_where_a_page_shows_facts(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(contents(TEN, TWENTY, TEN + MORE), "utf-8")
    said = "1 of the redundant differs in a fact from what is kept."
    assert said in simdup("scan", "in.jsonl", "-o", "page.html").err
    for more in ((), ("-f", "csv"), ("-f", "jsonl"), ("--pairs",), ("--list", "redundant")):
        assert said not in simdup("scan", "in.jsonl", *more).err
    unverified = simdup("scan", "in.jsonl", "-o", "other.html", "--no-verify", "-d", "9")
    assert "in a fact" not in unverified.err


def test_a_baseline_leaves_the_new_ones(simdup: Command, tmp_path: Path) -> None:
    ferry = (
        "The ferry leaves from the old pier behind the market hall, and takes {} minutes to the "
        "island, where a bus waits for those who want to see the lighthouse before it is dark."
    )
    (tmp_path / "in.jsonl").write_text(contents(TEN, TWENTY), "utf-8")
    simdup("scan", "in.jsonl", "--baseline", "known", "--update-baseline")
    more = contents(TEN, TWENTY, ferry.format(40), ferry.format(50))
    (tmp_path / "in.jsonl").write_text(more, "utf-8")
    ran = simdup("scan", "in.jsonl", "--baseline", "known", "-o", "page.html", "-s", "0.5")
    assert "1 of the redundant differs in a fact from what is kept." in ran.err


def test_python_finds_facts_where_asked() -> None:
    texts = {"a": TEN, "b": TWENTY, "c": TEN + MORE, "d": TEN.upper()}
    unasked, found = scan(texts), scan(texts, facts=True)
    assert unasked.facts is unasked.summary.facts_differ is None
    assert found.clusters == unasked.clusters
    assert found.facts is not None
    assert found.summary.facts_differ == 1
    assert {number: [fact[1:3] for fact in facts] for number, facts in found.facts.items()} == {
        1: [("20 mg", "10 mg")]
    }
    assert scan(texts, facts=True, same="facts").summary.facts_differ == 0


def test_facts_of_removed_documents_do_not_depend_on_processes() -> None:
    texts = {f"{i}{one}": f"{prose(i, 400)} {text}" for i in range(150) for one, text in
             enumerate((TEN, TWENTY))}  # fmt: skip
    alone, together = (dedupe(texts, jobs=jobs) for jobs in (1, 2))
    assert alone.removed == together.removed
    assert sum(bool(one.facts) for one in alone.removed) == 150


def test_of_an_index_facts_are_known_where_a_document_has_the_text(
    simdup: Command, tmp_path: Path
) -> None:
    Index.build(str(tmp_path / "known.index"), {"a": TEN}).close()
    arguments = ("in.jsonl", "--reference", "known.index", "--dry-run", "--removed", "gone.jsonl")
    known = []
    for texts in ([TWENTY], [TWENTY, TEN]):
        (tmp_path / "in.jsonl").write_text(contents(*texts), "utf-8")
        ran = simdup("dedupe", *arguments, "--force")
        near = json.loads((tmp_path / "gone.jsonl").read_text().splitlines()[0])
        known.append(("facts" in near, "in a fact" in ran.err))
    assert known == [(False, False), (True, True)]
