"""Texts of several fields of records: what a report says of them."""

import json
from pathlib import Path

import pytest

from lab.corpora.made import prose, write
from simdup import scan
from simdup.model.reading import Reading

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


def test_a_report_says_how_many_records_lack_a_field(tmp_path: Path) -> None:
    said = notes(tmp_path, records(), FIELDS)
    assert said[0] == "8 of 40 documents have no text in at least one of the fields"
    assert not any("no text" in one for one in notes(tmp_path, records(), FIELDS[:2]))


def test_fields_that_keep_records_apart_get_a_hint(tmp_path: Path) -> None:
    said = (
        "40 documents share their 'title' with another one, none of them in a cluster with it: "
        "the other fields differ; 'title' alone may find more"
    )
    assert notes(tmp_path, records(), ("title", "authors")) == [said]
    assert notes(tmp_path, records(), ("title",)) == []


@pytest.mark.parametrize("fields", [("venue", "title", "authors"), ("authors", "title")])
def test_what_many_records_share_names_none_of_them(
    tmp_path: Path, fields: tuple[str, ...]
) -> None:
    said = notes(tmp_path, records("Nobody knows who wrote all of these texts"), fields)
    assert not any("share" in one for one in said)
