"""Records compared field by field, as people do it: a library, a comparison, a cleaned file."""

import csv
import json
from pathlib import Path

import pytest
from support import ROOT, Command

LIBRARY = ROOT / "examples" / "library" / "records.jsonl"
FIELDS = ("--match", "title:0.9,authors:0.5", "--differ", "doi,year:1,pages", "--id-field", "key")
CLUSTERS = [["A1", "B1", "C1"], ["A3", "B3"], ["A4", "B4"], ["A6", "B6"]]
RECORDS = [json.loads(line) for line in LIBRARY.read_text("utf-8").splitlines()]


def clusters_in(lines: list[str]) -> list[list[str]]:
    found = [json.loads(line) for line in lines]
    return [
        [one["document"] for one in line["documents"]]
        for line in found
        if line["type"] == "cluster"
    ]


def test_a_library(simdup: Command) -> None:
    ran = simdup("scan", LIBRARY, *FIELDS, "-f", "jsonl")
    assert ran.status == 0
    assert clusters_in(ran.lines) == CLUSTERS
    assert "4 records have a 'title' that different works share, such as 'Editorial'" in ran.err
    assert "fields at least title:0.9, authors:0.5, no conflict in doi, year:1, pages" in ran.err
    assert json.loads(ran.lines[-1])["candidates_by"].keys() == {"fields"}


def test_titles_alone_join_editorials(simdup: Command) -> None:
    ran = simdup("scan", LIBRARY, "--field", "title", "--id-field", "key", "-f", "jsonl")
    assert ["A4", "A5", "B4", "C4"] in clusters_in(ran.lines)


@pytest.mark.parametrize("suffix", ["json", "csv", "tsv", "parquet"])
def test_other_files_of_records(simdup: Command, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"records.{suffix}"
    names = list(dict.fromkeys(name for one in RECORDS for name in one))
    rows = [{name: str(one.get(name, "")) for name in names} for one in RECORDS]
    if suffix == "json":
        path.write_text(json.dumps(RECORDS), "utf-8")
    elif suffix == "parquet":
        polars = pytest.importorskip("polars")
        polars.DataFrame(rows).write_parquet(path)
    else:
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, names, delimiter="," if suffix == "csv" else "\t")
            writer.writeheader()
            writer.writerows(rows)
    assert clusters_in(simdup("scan", path, *FIELDS, "-f", "jsonl").lines) == CLUSTERS


def test_cleaning_keeps_what_is_no_copy(simdup: Command, tmp_path: Path) -> None:
    out = tmp_path / "clean.jsonl"
    ran = simdup("dedupe", LIBRARY, *FIELDS, "-o", out)
    assert ran.status == 0
    left = [json.loads(line)["key"] for line in out.read_text("utf-8").splitlines()]
    assert left == ["A1", "A2", "A3", "A4", "A5", "C4", "A6", "A7"]


def test_a_comparison_shows_each_field(simdup: Command) -> None:
    ran = simdup("compare", f"{LIBRARY}#1", f"{LIBRARY}#3", *FIELDS)
    assert ran.status == 0
    assert ran.lines[0].startswith("near-duplicates: every field that both have agrees")
    shown = [line.split() for line in ran.lines]
    assert ["title", "0.9900", "at", "least", "0.9"] in shown
    assert ["year", "equal", "within", "1"] in shown
    assert ["pages", "missing", "in", "b"] in shown


def test_a_comparison_names_the_fields_that_differ(simdup: Command) -> None:
    ran = simdup("compare", f"{LIBRARY}#7", f"{LIBRARY}#8", *FIELDS)
    assert ran.status == 1
    assert ran.lines[0] == "not near-duplicates: they differ in authors."
    parts = simdup("compare", f"{LIBRARY}#4", f"{LIBRARY}#5", *FIELDS, "--lang", "zh")
    assert "两篇的 title, pages 不同" in parts.lines[0].replace("，", ", ")


def test_records_without_a_field_in_common_are_no_pair(simdup: Command, tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_text('{"title": "Preface to a book"}\n{"authors": "Preface to a book"}\n', "utf-8")
    ran = simdup("compare", f"{path}#1", f"{path}#2", "--match", "title:0.9,authors:0.5")
    assert ran.status == 1
    assert ran.lines[0] == "not near-duplicates: they have no field to match in common."


def test_a_comparison_as_jsonl(simdup: Command) -> None:
    ran = simdup("compare", f"{LIBRARY}#1", f"{LIBRARY}#2", *FIELDS, "-f", "jsonl")
    (found,) = map(json.loads, ran.lines)
    assert [one["field"] for one in found["fields"]] == [
        "title", "authors", "doi", "year", "pages"
    ]  # fmt: skip
    assert found["fields"][0]["similarity"] == 1
    assert found["fields"][2] == {
        "field": "doi", "a": "10.99999/jnl.2018.0211",
        "b": "https://doi.org/10.99999/JNL.2018.0211",
        "rule": "differ", "similarity": None, "wanted": 0, "good": True,
    }  # fmt: skip
    assert found["proposed_by"] == ["fields"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--match", "titel:0.9"), "no record has a field 'titel'"),
        (("--match", "title:0.9", "--differ", "dio"), "no record has a field 'dio'"),
        (("--match", "title"), "invalid value 'title' (expected FIELD:S, with S from 0 to 1"),
        (
            ("--match", "title:0.9", "--differ", "year:x"),
            "invalid value 'year:x' (expected FIELD or FIELD:TOLERANCE",
        ),
        (("--match", "title:0.9", "--field", "title"), "the fields of --match are the text"),
        (("--match", "title:0.9", "--method", "minhash"), "its fields propose the pairs"),
    ],
)
def test_mistakes_are_one_line(simdup: Command, options: tuple[str, ...], message: str) -> None:
    ran = simdup("scan", LIBRARY, *options)
    assert ran.status == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_what_is_no_record_has_no_fields(simdup: Command) -> None:
    ran = simdup("scan", ROOT / "examples" / "corpus", "--match", "title:0.9")
    assert ran.status == 2
    assert "--match: has no effect: no SOURCE contains records" in ran.err


def test_a_field_that_is_always_empty_is_noted(simdup: Command, tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("title,year,doi\nA study of carp,2019,\nA study of pike,2020,\n", "utf-8")
    ran = simdup("scan", path, "--match", "title:0.9", "--differ", "year,doi")
    assert ran.status == 0
    assert "--differ: no record has a value in 'doi'" in ran.err


def test_an_index_has_no_fields(simdup: Command, tmp_path: Path) -> None:
    index = tmp_path / "seen.index"
    assert simdup("index", "build", index, LIBRARY, "--field", "title").status == 0
    ran = simdup("scan", LIBRARY, *FIELDS, "--reference", index)
    assert ran.status == 2
    assert "is an index, which has no fields of records" in ran.err


def test_the_fullest_record_is_kept(simdup: Command, tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    bare = {"key": "bare", "title": "A study of carp in northern lakes"}
    full = bare | {"key": "full", "authors": "Osei, D.", "doi": "10.99999/a", "pages": "1-9"}
    lines = (json.dumps(one) for one in (bare, full, full | {"key": "again"}))
    path.write_text("\n".join(lines), "utf-8")
    out = tmp_path / "clean.jsonl"
    assert simdup("dedupe", path, *FIELDS[:2], "--id-field", "key", "-o", out).status == 0
    assert json.loads(out.read_text("utf-8"))["key"] == "full"
    first = tmp_path / "first.jsonl"
    simdup("dedupe", path, *FIELDS[:2], "--id-field", "key", "-o", first, "--keep", "first")
    assert json.loads(first.read_text("utf-8"))["key"] == "bare"
    ran = simdup("scan", path, "--field", "title", "--keep", "fullest")
    assert ran.status == 2
    assert "no fields of records are named" in ran.err


def test_texts_beside_records_are_noted(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text(LIBRARY.read_text("utf-8"), "utf-8")
    (tmp_path / "note.txt").write_text("A note beside them.", "utf-8")
    ran = simdup("scan", tmp_path, *FIELDS, "-f", "jsonl")
    assert clusters_in(ran.lines) == CLUSTERS
    assert "--match: 1 without fields, compared with none" in ran.err
