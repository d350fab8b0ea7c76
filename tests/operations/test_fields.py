"""Texts of several fields of records: what a report says of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from lab.corpora.made import prose, write
from simdup import scan
from simdup.model.settings import Reading

FIELDS = ("title", "authors", "venue")


def records(of_all: str = "") -> str:
    """Return twenty records, each with a copy that has other authors; every fifth has no venue."""
    lines = []
    for n in range(20):
        title = prose(n, 20).partition("\n")[0]
        for authors in (prose(100 + n, 30), prose(200 + n, 30)):
            venue = None if n % 5 == 0 else "Annals"
            lines.append({"title": title, "authors": of_all or authors, "venue": venue})
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)


def notes(folder: Path, content: str, fields: tuple[str, ...]) -> list[str]:
    write(folder, {"r.jsonl": content})
    found = scan(str(folder / "r.jsonl"), reading=Reading(field=fields))
    return [what for name, what in found.notes if name == "`field`"]


def as_table(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows)


def as_arrow(rows: list[dict[str, Any]]) -> Any:
    return pytest.importorskip("pyarrow").Table.from_pylist(rows)


@pytest.mark.parametrize(
    ("fields", "jobs"),
    [(FIELDS, 1), (FIELDS, 2), (FIELDS[:2], 1), (("venue", "title"), 1), (("title",), 1)],
)
def test_rows_from_python_have_the_notes_of_the_same_file(
    tmp_path: Path, fields: tuple[str, ...], jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simdup.near.collection.WORTH_WORKERS", 1)
    # Fields of white space and empty ones count as null does.
    content = records().replace("Annals", " ", 3).replace("Annals", "", 2)
    rows = [json.loads(line) for line in content.splitlines()]
    expected = notes(tmp_path, content, fields)
    labels = scan(str(tmp_path / "r.jsonl"), text=fields).labels.tolist()
    for kind in (list, iter, as_table, as_arrow):
        found = scan(kind(rows), text=fields, jobs=jobs)
        assert [what for name, what in found.notes if name == "`field`"] == expected, kind
        assert found.labels.tolist() == labels, kind


def test_a_row_without_a_text_in_any_field_is_skipped_as_a_record_is(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"a": prose(1), "b": None}, {"a": None, "b": None}, {"a": prose(2), "b": 5}, {"a": "x"},
        {"a": prose(1), "b": prose(3)},
    ]  # fmt: skip
    write(tmp_path, {"r.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    passed = scan(rows, text=("a", "b")).skipped
    read = scan(str(tmp_path / "r.jsonl"), text=("a", "b")).skipped
    assert [one.document for one in passed] == [1, 2, 3]
    assert [one.reason for one in passed] == [one.reason.partition(": ")[2] for one in read]


def test_a_report_says_how_many_records_lack_a_field(tmp_path: Path) -> None:
    said = notes(tmp_path, records(), FIELDS)
    assert said[0] == "8 of 40 documents without text in at least one of the fields"
    assert not any("no text" in one for one in notes(tmp_path, records(), FIELDS[:2]))


def test_no_note_proposes_one_of_several_fields(tmp_path: Path) -> None:
    assert notes(tmp_path, records(), ("title", "authors")) == []


@pytest.mark.parametrize("fields", [("venue", "title", "authors"), ("authors", "title")])
def test_what_many_records_share_names_none_of_them(
    tmp_path: Path, fields: tuple[str, ...]
) -> None:
    said = notes(tmp_path, records("Nobody knows who wrote all of these texts"), fields)
    assert not any("share" in one for one in said)
