"""`same` facts: texts that contradict each other are no pair, whichever way pairs are found."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simdup import Index, SimdupError, compare, dedupe, passages, scan
from simdup.near import pair_groups
from simdup.near.fact_differences import differences
from simdup.show.comparison_output import reason
from simdup.show.result import Result
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
        {"linkage": "star"},
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


@pytest.mark.parametrize("linkage", ["single", "star"])
def test_a_large_family_is_parted_by_facts(
    family: dict[str, str], linkage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(family) > pair_groups.LARGE
    found = scan(family, same="facts", linkage=linkage, jobs=1)
    assert [len(cluster.members) for cluster in found.clusters] == [24, 24, 24]
    monkeypatch.setattr(pair_groups, "LARGE", len(family))
    assert clusters(scan(family, same="facts", linkage=linkage, jobs=1)) == clusters(found)


def test_processes_find_the_same(family: dict[str, str]) -> None:
    one, two = (scan(family, same="facts", jobs=jobs) for jobs in (1, 2))
    assert one.clusters == two.clusters


def test_a_comparison_says_that_facts_differ() -> None:
    found = compare(TEN, TWENTY, same="facts")
    assert not found.duplicates
    assert reason(found) == "they do not agree in facts."
    (verdict,) = found.fields
    assert (verdict.a, verdict.b) == ("10 mg", "20 mg")
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
