"""`simdup decontaminate`: what it says, its status, its evidence, and what it refuses."""

import json
import os
from pathlib import Path

import pytest
from record_forms import FORMS
from support import Command

Q1 = "The keeper of the northern lighthouse counts every boat that passes before the storm."
Q2 = "下列关于海洋潮汐成因的说法，正确的是哪一项？甲、月球引力；乙、地球自转；丙、太阳辐射。"
Q3 = "Nobody has copied this text about ropes, knots, old sails and older captains."
A = "A page about gardens.\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkdir("evals")
    texts = [A, A + Q1, f"{A}{Q2}{A}"]
    rows = [{"name": f"n{i}", "text": text} for i, text in enumerate(texts)]
    Path("train.jsonl").write_bytes(FORMS["jsonl"](rows))
    Path("evals/one.jsonl").write_bytes(FORMS["jsonl"]({"text": q} for q in (Q1, Q3)))
    Path("evals/two.csv").write_bytes(FORMS["csv"]({"text": q} for q in (Q2, "短")))
    Path("q.jsonl").write_bytes(FORMS["jsonl"]([{"question": Q1[:30], "answer": Q1[31:]}]))


def test_without_o_nothing_is_written(simdup: Command, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    ran = simdup("decontaminate", "train.jsonl", "--against", "evals")
    assert (ran.status, ran.text) == (0, "")
    lines = ran.err.splitlines()
    assert lines[0].startswith("Read 3 documents and 4 evaluation texts in ")
    assert lines[1:] == [
        "Lengths of the evaluation texts: 1 to 43 units; the median is 29.",
        "50.0 % of evals/one.jsonl leaked: 1 of 2.",
        "50.0 % of evals/two.csv leaked: 1 of 2.",
        "Would leave out 2 documents that have evaluation text.",
        (
            "1 evaluation text has fewer than 15 units that count: it is found only in a document "
            "with no other text. --min-run sets the number."
        ),
    ]
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(("rate", "status"), [("0", 1), ("0.49", 1), ("0.5", 0), ("1", 0)])
def test_a_higher_rate_of_any_file_is_a_no(simdup: Command, rate: str, status: int) -> None:
    ran = simdup("decontaminate", "train.jsonl", "--against", "evals", "--check", rate, "-q")
    assert (ran.status, ran.err) == (status, "")
    Path("train.jsonl").write_text('{"text": "' + A.strip() + '"}\n{"no": 1}\n')
    ran = simdup("decontaminate", "train.jsonl", "--against", "evals", "--check", rate)
    assert ran.status == 2


def test_what_is_written_has_no_leak(simdup: Command) -> None:
    against = ("--against", "evals")
    for out, *options in (("a.jsonl",), ("b.jsonl", "--mask"), ("c/", "--mask")):
        ran = simdup("decontaminate", "train.jsonl", *against, "-o", out, *options)
        assert ran.status == 0
        assert f"Wrote {out.strip('/')}" in ran.err
        assert simdup("decontaminate", out, *against, "--check", "0").status == 0
    assert "Cut evaluation text from 2 documents." in ran.err
    rows = [json.loads(line) for line in Path("b.jsonl").read_text("utf-8").splitlines()]
    assert [one["text"] for one in rows] == [A, A, A + A]
    assert Path("c/train.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    again = simdup("decontaminate", "train.jsonl", *against, "-o", "c", "--mask")
    assert "already exists and is not empty" in again.err
    again = simdup("decontaminate", "train.jsonl", *against, "-o", "c", "--mask", "--force")
    assert again.status == 0


def test_evidence(simdup: Command) -> None:
    more = ("--id-field", "name", "--against", "q.jsonl", "--against-field", "question",
            "--against-field", "answer", "--evidence")  # fmt: skip
    Path("q.jsonl").write_bytes(
        FORMS["jsonl"]([{"name": "e\u202e1", "question": Q1[:4], "answer": Q1[4:]}])
    )
    ran = simdup("decontaminate", "train.jsonl", *more, "e.jsonl")
    assert "Wrote e.jsonl: 1 leak." in ran.err
    leak, summary = map(json.loads, Path("e.jsonl").read_text("utf-8").splitlines())
    assert (leak["document"], leak["eval"], leak["share"]) == ("n1", "e\u202e1", 1)
    ((start, end),) = leak["spans"]
    assert (A + Q1)[start:end] == Q1
    assert (summary["type"], summary["leaks"], summary["evaluations"]) == ("summary", 1, 1)
    ran = simdup("decontaminate", "train.jsonl", *more, "-", "-q")
    assert json.loads(ran.lines[0]) == leak
    ran = simdup("decontaminate", "train.jsonl", *more, "e.csv")
    assert (ran.status, "unknown suffix '.csv'" in ran.err) == (2, True)


def test_evaluation_records_may_have_another_id_field(simdup: Command) -> None:
    rows = [{"name": "n", "key": "k1", "text": Q1}, {"key": "k2", "text": Q3}]
    Path("k.jsonl").write_bytes(FORMS["jsonl"](rows))
    names = ("--id-field", "name", "--against-id-field", "key", "--evidence", "-", "-q")
    ran = simdup("decontaminate", "train.jsonl", "--against", "k.jsonl", *names)
    leak, summary = map(json.loads, ran.lines)
    assert (leak["document"], leak["eval"], summary["evaluations"]) == ("n1", "k1", 2)
    ran = simdup("decontaminate", "train.jsonl", "--against", "k.jsonl", "--against-id-field", "no")
    assert (ran.status, "no field 'no' (fields: 'name' = 'n', 'key' = " in ran.err) == (2, True)


def test_standard_streams(simdup: Command) -> None:
    records = Path("train.jsonl").read_bytes()
    options = ("--input-format", "jsonl", "--against")
    ran = simdup("decontaminate", "-", *options, "evals/one.jsonl", "-o", "-", stdin=records)
    assert ran.out == b"".join(records.splitlines(keepends=True)[::2])
    asked = Path("evals/one.jsonl").read_bytes()
    ran = simdup("decontaminate", "train.jsonl", *options, "-", stdin=asked)
    assert "50.0 % of - leaked: 1 of 2." in ran.err
    ran = simdup("decontaminate", "-", *options, "-", stdin=asked)
    assert (ran.status, "only one of SOURCE and EVAL can be standard" in ran.err) == (2, True)


@pytest.mark.parametrize(("call", "what"), [
    ("train.jsonl", "missing --against EVAL"),
    ("train.jsonl --against no", "no: no such file or folder"),
    ("no --against evals", "no: no such file or folder"),
    ("train.jsonl --against evals --against no", "no: no such file or folder"),
    ("train.jsonl --against empty", "has no text"),
    ("train.jsonl --against evals --against-field question", "no field 'question'"),
    ("train.jsonl --against q.jsonl", "no field 'text'"),
    ("train.jsonl --against evals -o - --evidence -", "cannot both be standard output"),
    ("train.jsonl --against evals -o x.jsonl --evidence x.jsonl", "is OUT itself"),
    ("train.jsonl --against evals -o train.jsonl", "is a SOURCE itself"),
    ("train.jsonl --against evals -o evals/new.jsonl", "is inside a SOURCE: evals"),
    ("train.jsonl --against evals -o evals --force", "is a SOURCE itself"),
    ("train.jsonl --against evals --evidence evals/one.jsonl", "is inside a SOURCE: evals"),
    ("train.jsonl#1 --against evals", "a single record is not a corpus"),
    ("evals --against train.jsonl -o -", "only a single file of records"),
    ("train.jsonl --against evals --share 0", "--share"),
    ("train.jsonl --against evals --min-run 1", "--min-run: 1 is less than 2"),
    ("train.jsonl --against evals --check 1.5", "--check"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(
    simdup: Command, tmp_path: Path, call: str, what: str
) -> None:
    Path("empty").mkdir()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    ran = simdup("decontaminate", *call.split())
    assert ran.status == 2
    assert what in ran.err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_notes_are_about_the_sources(simdup: Command) -> None:
    """Evaluation texts need no pages, and no folder."""
    Path("page.html").write_text(f"<html><body><p>{A}</p></body></html>")
    ran = simdup("decontaminate", "page.html", "--against", "q.jsonl", "--against-field",
                 "answer", "--extract", "all")  # fmt: skip
    assert "has no effect" not in ran.err
    ran = simdup("decontaminate", ".", "--against", "evals/one.jsonl")
    assert "evals/one.jsonl: is both a SOURCE and an EVAL, so all its texts are leaks" in ran.err
