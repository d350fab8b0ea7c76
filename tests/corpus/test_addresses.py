"""One record of a file as a SOURCE: by number, by name, in each format."""

import gzip
import json
from pathlib import Path

import pytest
from record_forms import FORMS, Row, as_jsonl, as_table
from support import Command

from lab.corpora.made import near, prose, write

TEXTS = [prose(1), prose(2) + '，"第二行\n完"', near(prose(1)), prose(4), prose(5)]
ROWS: list[Row] = [{"key": f"k{n}", "text": text} for n, text in enumerate(TEXTS, 1)]


def names(out: bytes) -> list[str]:
    """The documents of fingerprint lines, without the header."""
    return [line.split("  ", 1)[1] for line in out.decode().splitlines()[1:]]


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_the_record_is_the_one_that_results_name(
    simdup: Command, tmp_path: Path, form: str, compressed: bool
) -> None:
    content = FORMS[form](ROWS)
    path = f"r.{form}" + ".gz" * compressed
    (tmp_path / path).write_bytes(gzip.compress(content) if compressed else content)
    whole = simdup("fingerprint", path, "--recipe", "default,idf=builtin").lines
    for n in range(1, 6):
        alone = simdup("fingerprint", f"{path}#{n}", "--recipe", "default,idf=builtin").lines
        assert alone == [whole[0], whole[n]]
    named = simdup(
        "fingerprint", f"{path}#k2", "--id-field", "key", "--recipe", "default,idf=builtin"
    ).lines
    assert named[1].split()[0] == whole[2].split()[0]
    assert named[1].split()[1] == "k2"


def test_records_of_a_long_file_are_found_in_every_batch(simdup: Command, tmp_path: Path) -> None:
    rows: list[Row] = [{"text": f"{n} " + prose(n, 3000)} for n in range(1, 101)]
    (tmp_path / "r.jsonl").write_bytes(b"\n".join([as_jsonl(rows[:50]), as_jsonl(rows[50:])]))
    (tmp_path / "r.csv").write_bytes(as_table(rows))
    for path in ("r.jsonl", "r.csv"):
        for n in (1, 37, 51, 100):
            write(tmp_path, {"one.txt": rows[n - 1]["text"]})
            ran = simdup("compare", f"{path}#{n}", "one.txt", "-f", "jsonl")
            assert (ran.status, json.loads(ran.out)["similarity"]) == (0, 1), (path, n)


def test_nothing_is_read_behind_the_record(simdup: Command, tmp_path: Path) -> None:
    rows: list[Row] = [{"text": prose(n, 5000)} for n in range(1, 100)]
    content = gzip.compress(as_jsonl(rows))
    (tmp_path / "r.jsonl.gz").write_bytes(content[: len(content) * 3 // 4])  # damaged
    assert names(simdup("fingerprint", "r.jsonl.gz#2").out) == ["r.jsonl.gz#2"]
    ran = simdup("fingerprint", "r.jsonl.gz#99")
    assert ran.status == 2
    assert "simdup: r.jsonl.gz#99: damaged gzip data" in ran.err


def test_a_real_file_of_that_name_wins(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(ROWS))
    (tmp_path / "r.jsonl#5").write_text(TEXTS[3], "utf-8")
    ran = simdup("compare", "r.jsonl#5", "r.jsonl#4", "-f", "jsonl")
    assert json.loads(ran.out)["similarity"] == 1
    (tmp_path / "a#1.jsonl").write_bytes(as_jsonl(ROWS))
    assert names(simdup("fingerprint", "a#1.jsonl#3").out) == ["a#1.jsonl#3"]


def test_a_name_wins_over_a_number(simdup: Command, tmp_path: Path) -> None:
    rows: list[Row] = [{"id": "3", "text": TEXTS[0]}, {"id": 1, "text": TEXTS[1]},
                       {"id": "a#b", "text": TEXTS[3]}]  # fmt: skip
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(rows))
    for address, name in (("3", "3"), ("1", "1"), ("2", "1"), ("a#b", "a#b")):
        ran = simdup("fingerprint", f"r.jsonl#{address}", "--id-field", "id")
        assert names(ran.out) == [name], address


@pytest.mark.parametrize(
    ("address", "options", "said"),
    [
        ("r.jsonl#6", (), "r.jsonl#6: no such record: there are 5, counted from 1"),
        ("r.jsonl#0", (), "r.jsonl#0: no such record: there are 5, counted from 1"),
        ("r.jsonl#02", (), "r.jsonl#02: no such record: there are 5, counted from 1"),
        ("r.jsonl#k2", (), "r.jsonl#k2: no such record: there are 5, counted from 1"),
        ("r.jsonl#" + "9" * 5000, (), "no such record"),
        ("r.jsonl#k9", ("--id-field", "key"), "no such record among 5; near it: 'k5', 'k4', 'k3'"),
        ("r.jsonl#", (), "r.jsonl#: no such file or folder"),
        ("none.jsonl#1", (), "none.jsonl#1: no such file or folder"),
        ("a.txt#1", (), "a.txt#1: a.txt holds no records: see --input-format"),
        ("bad.jsonl#2", (), "bad.jsonl#2: not valid JSON"),
        ("bad.jsonl#1", ("--field", "body"), "no field 'body'"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_one_clear_error(
    simdup: Command, tmp_path: Path, address: str, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(ROWS))
    (tmp_path / "bad.jsonl").write_bytes(as_jsonl(ROWS[:1]) + b"not json\n")
    write(tmp_path, {"a.txt": prose(1)})
    ran = simdup("compare", address, "a.txt", *options)
    assert (ran.status, ran.out) == (2, b"")
    assert said in ran.err
    assert all(line.startswith("hint: ") for line in ran.err.splitlines()[1:])
    scanned = simdup("scan", address, "a.txt", *options)
    assert scanned.status == 2
    assert "no field" in said or said in scanned.err


def test_a_file_of_faulty_records_alone_says_no_more_than_they_do(
    simdup: Command, tmp_path: Path
) -> None:
    (tmp_path / "bad.jsonl").write_bytes(b"not json\n")
    write(tmp_path, {"a.txt": prose(1)})
    ran = simdup("scan", "bad.jsonl", "a.txt", "-q")
    assert (ran.status, ran.err) == (2, "simdup: bad.jsonl#1: not valid JSON\n")


def test_an_empty_record_that_was_named_is_an_error(simdup: Command, tmp_path: Path) -> None:
    rows: list[Row] = [{"id": "x", "text": " "}, {"id": "y", "text": TEXTS[0]}]
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(rows))
    for options in ((), ("--id-field", "id")):
        address = "r.jsonl#x" if options else "r.jsonl#1"
        ran = simdup("scan", address, "r.jsonl#2", *options)
        assert ran.status == 2, options
        assert "empty" in ran.err


def clusters(out: bytes) -> list[list[str]]:
    lines = [json.loads(line) for line in out.splitlines()]
    return [[d["document"] for d in x["documents"]] for x in lines if x["type"] == "cluster"]


def test_a_file_that_is_listed_whole_has_its_records(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c/r.jsonl").write_bytes(as_jsonl(ROWS))
    for given in (("c/r.jsonl#1", "c"), ("c", "c/r.jsonl#1"), ("c/r.jsonl#1", "c/r.jsonl#3")):
        ran = simdup("scan", *given, "-f", "jsonl")
        assert (ran.status, clusters(ran.out)) == (0, [["c/r.jsonl#1", "c/r.jsonl#3"]]), given


def test_records_are_references_queries_and_no_corpus(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(ROWS))
    write(tmp_path, {"near.txt": near(TEXTS[3]), "other.txt": prose(9)})
    ran = simdup("scan", "near.txt", "other.txt", "--reference", "r.jsonl#4", "-f", "jsonl")
    assert clusters(ran.out) == [["r.jsonl#4", "near.txt"]]
    both = simdup("scan", "r.jsonl#1", "--reference", "r.jsonl")
    assert both.status == 2
    assert "r.jsonl#1: cannot be a SOURCE: its file is a reference" in both.err
    simdup("index", "build", "i", "r.jsonl")
    assert b"r.jsonl#4" in simdup("query", "i", "r.jsonl#4").out
    assert simdup("dedupe", "r.jsonl#1", "-o", "out").status == 2
    assert not (tmp_path / "out").exists()
    assert simdup("scan", "r.jsonl#1", "-o", "r.jsonl", "-f", "jsonl").status == 2
    assert (tmp_path / "r.jsonl").read_bytes() == as_jsonl(ROWS)


def test_a_page_in_a_record(simdup: Command, tmp_path: Path) -> None:
    page = f"<html><body><p>{TEXTS[0]}</p></body></html>"
    (tmp_path / "r.jsonl").write_bytes(as_jsonl([{"text": page}]))
    write(tmp_path, {"a.txt": TEXTS[0]})
    pages = ("--input-format", "html", "--extract", "all")
    asked = ("compare", "r.jsonl#1", "a.txt", "-f", "jsonl", *pages)
    assert json.loads(simdup(*asked).out)["similarity"] == 1
