"""Fields of records: which there are, dots, numbers and dates."""

import json
import math
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given
from record_forms import FORMS, Row, as_jsonl, as_parquet, as_table
from support import Command

from lab.corpora.made import prose, write
from simdup import SimdupError, scan
from simdup.corpus.record_fields import MISSING, find_field
from simdup.corpus.records import as_number
from simdup.corpus.shapes import list_fields

ROWS: list[Row] = [
    {"id": f"k{n}", "story": prose(n % 2), "title": f"t{n}", "date": f"2024-05-0{4 - n}"}
    for n in range(4)
]


LISTED = (
    f"(fields: 'id' = 'k0', 'story' = '{' '.join(prose(0).split())[:23]}...', 'title' = 't0', "
    "'date' = '2024-05-04')\n"
)
NAMED = "(fields: 'id', 'story', 'title', 'date')\n"


# A field that no record has.


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", ["scan", "fingerprint", "dedupe", "index"])
def test_a_field_that_no_record_has_is_one_error(
    simdup: Command, tmp_path: Path, form: str, command: str
) -> None:
    """Earlier, there was one line per record, and an empty result with status 2."""
    (tmp_path / f"r.{form}").write_bytes(FORMS[form](ROWS))
    before = sorted(tmp_path.iterdir())
    arguments = {
        "scan": ["scan", "-o", "x.csv"], "fingerprint": ["fingerprint", "-o", "p"],
        "dedupe": ["dedupe", "-o", f"out.{form}", "--removed", "x.csv"],
        "index": ["index", "build", "i"],
    }[command]  # fmt: skip
    ran = simdup(*arguments, f"r.{form}")
    assert ran.status == 2
    assert ran.err == f"simdup: --field: no record has a field 'text' {LISTED}hint: --field story\n"
    assert sorted(tmp_path.iterdir()) == before
    assert simdup(*arguments, f"r.{form}", "--field", "story").status == 0


def test_a_name_that_no_record_has_is_one_error(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(ROWS))
    ran = simdup("scan", "r.jsonl", "--field", "story", "--id-field", "key")
    assert (ran.status, ran.out) == (2, b"")
    assert ran.err == f"simdup: --id-field: no record has a field 'key' {LISTED}"


def test_the_names_of_fields_may_be_hostile_and_many(simdup: Command, tmp_path: Path) -> None:
    row = {"\x1b[2J" + "x" * 500: 1, "a b; `fit`": prose(1)} | {f"f{n}": {} for n in range(500)}
    (tmp_path / "r.jsonl").write_bytes(as_jsonl([row] * 3))
    ran = simdup("scan", "r.jsonl")
    assert "\x1b" not in ran.err
    assert "and 38 more)\n" in ran.err
    assert len(ran.err) < 500
    assert ran.err.count("\n") == 2


def test_files_of_records_among_other_files(simdup: Command, tmp_path: Path) -> None:
    """A missing default field does not end a run; a missing requested field does."""
    write(tmp_path / "c", {"a.txt": prose(1), "b.txt": prose(1)})
    (tmp_path / "c" / "r.jsonl").write_bytes(as_jsonl(ROWS))
    ran = simdup("scan", "c", "--list", "redundant")
    assert (ran.status, ran.lines) == (2, ["c/b.txt"])
    assert ran.err.startswith("simdup: c/r.jsonl: 4 records, first on line 1: no field 'text'\n")
    assert simdup("scan", "c", "--field", "body").err.startswith("simdup: --field: no record has")


def test_records_with_the_same_fault_are_one_line(simdup: Command, tmp_path: Path) -> None:
    """Earlier, each was a line; in JSONL, each still is."""
    rows = [{"text": prose(1)}, {"name": ""}, {"name": ""}, {"text": None}, {"name": ""}]
    for name in ("a#1.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(as_jsonl(rows) + b"{\n")
    ran = simdup("scan", "a#1.jsonl", "b.jsonl", "-q", "-f", "jsonl")
    assert (ran.status, ran.err.splitlines()) == (
        2,
        [
            f"simdup: {line}"
            for name in ("a#1.jsonl", "b.jsonl")
            for line in (
                f"{name}: 3 records, first on line 2: no field 'text'",
                f"{name}#4: field 'text' is null",
                f"{name}#6: not valid JSON",
            )
        ],
    )
    assert sum(json.loads(line)["type"] == "skipped" for line in ran.lines) == 10


# Dots.


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_dots_reach_into_objects(simdup: Command, tmp_path: Path, form: str) -> None:
    rows = [
        {"meta": {"key": {"id": f"k{n}"}}, "body": {"content": prose(n % 2), "n": 4 - n}}
        for n in range(4)
    ]
    (tmp_path / f"r.{form}").write_bytes(FORMS[form](rows))
    options = ("--id-field", "meta.key.id", "--keep", "max:body.n", "--list", "kept")
    ran = simdup("scan", f"r.{form}", "--field", "body.content", *options)
    assert (ran.status, ran.lines) == (0, ["k0", "k1"])
    ran = simdup("scan", f"r.{form}")
    assert "(fields: 'meta.key.id' = 'k0', 'body.content' = " in ran.err
    assert ran.err.endswith("\nhint: --field body.content\n")
    ran = simdup("scan", f"r.{form}", "--field", "body.content.x")
    assert "no record has a field 'body.content.x'" in ran.err


def test_a_field_whose_own_name_has_dots_wins() -> None:
    values = {"a.b": 1, "a": {"b": 2, "c.d": 3, "c": {"d": 4, "e": None}}}
    assert [find_field(values, name) for name in ("a.b", "a.c.d", "a.c.e")] == [1, 3, None]
    assert find_field(values, "a.c.f") is find_field(values, "a.b.c") is MISSING
    assert list_fields(values) == {"a.b": "1", "a.c.d": "3", "a.c.e": ""}


# Numbers and dates.


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("keep", "kept"),
    [("max:date", [0, 1]), ("min:date", [2, 3]), ("max:score", [2, 3]), ("min:score", [1, 2])],
)
def test_the_record_with_the_largest_or_smallest_value_is_kept(
    simdup: Command, tmp_path: Path, form: str, keep: str, kept: list[int]
) -> None:
    """Records with a missing or invalid score come last; of equals, the first is kept."""
    scores = ["", "7", "-1e3", "7.5"]
    rows = [row | {"score": score} for row, score in zip(ROWS, scores, strict=True)]
    (tmp_path / f"r.{form}").write_bytes(FORMS[form](rows))
    options = ("--field", "story", "--keep", keep, "--list", "kept")
    for jobs in "12":
        ran = simdup("scan", f"r.{form}", "-j", jobs, *options)
        assert (ran.status, ran.lines) == (0, [f"r.{form}#{n + 1}" for n in kept])


def test_values_of_several_files_and_of_references(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(as_jsonl([{"text": prose(1)}]))
    (tmp_path / "b.csv").write_bytes(as_table([{"text": prose(1), "n": 3}]))
    write(tmp_path, {"c.txt": prose(1)})
    arguments = ("--keep", "max:n", "--list", "kept")
    assert simdup("scan", "a.jsonl", "b.csv", "c.txt", *arguments).lines == ["b.csv#1"]
    ran = simdup("scan", "b.csv", "c.txt", "--reference", "a.jsonl", *arguments)
    assert (ran.status, ran.lines) == (0, [])


def test_a_value_that_no_record_has_is_an_error(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(ROWS))
    (tmp_path / "r.parquet").write_bytes(as_parquet(ROWS))
    for name in ("r.jsonl", "r.parquet"):
        ran = simdup("scan", name, "--field", "story", "--keep", "max:score", "-o", "x.csv")
        assert ran.status == 2
        assert ran.err == f"simdup: --keep: no record has a field 'score' {NAMED}"
    assert not (tmp_path / "x.csv").exists()
    (tmp_path / "t.jsonl").write_bytes(as_jsonl([{"text": prose(1)}]))
    for data in ("t.jsonl", [("a", "b")]):
        with pytest.raises(SimdupError, match="no record has a field 'n'"):
            scan(data, keep="min:n")
    for keep in ("max:", "max", "middle:n", ":n"):
        with pytest.raises(SimdupError, match=r"expected one of first, .*, max:FIELD, min:FIELD"):
            scan("r.jsonl", keep=keep)


def test_times_of_parquet(simdup: Command, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
    import pyarrow.parquet as pq

    decimals = pa.array([1, 3, 2], pa.int32()).cast(pa.decimal128(12, 2))
    days = pa.array([1, 3, 2], pa.int32()).cast(pa.date32())
    kinds = (pa.date32(), pa.date64(), pa.timestamp("ns"), pa.timestamp("s", "Asia/Shanghai"))
    for number, column in enumerate([decimals, *map(days.cast, kinds)]):
        table = pa.table({"text": [prose(1)] * 3, "when": column})
        pq.write_table(table, tmp_path / f"{number}.parquet")
        ran = simdup("scan", f"{number}.parquet", "--keep", "max:when", "--list", "kept")
        assert (ran.status, ran.lines) == (0, [f"{number}.parquet#2"])


@given(st.datetimes(), st.datetimes(), st.sampled_from([" ", "T"]))
def test_dates_are_in_the_order_of_time(one: datetime, other: datetime, mark: str) -> None:
    a, b = (as_number(time.isoformat(mark)) for time in (one, other))
    assert a == pytest.approx(one.replace(tzinfo=UTC).timestamp(), abs=1e-3)
    assert (a < b) <= (one < other)
    assert as_number(str(one.date())) <= a


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (3, 3), ("3", 3), (" -2.5e1 ", -25), (Decimal("2.50"), 2.5), (10**400, math.nan),
        (math.inf, math.nan), ("nan", math.nan), (True, math.nan), (None, math.nan),
        ("", math.nan), ([1], math.nan),
        ("1970-01-02", 86400), ("1970-01-01T00:00:01Z", 1), ("1970-01-01T01:00+01:00", 0),
        ("1970/1/2", 86400), ("1970.01.02", 86400), (" 1970年1月2日", 86400),
        ("1970年1月1日 1:00", 3600), ("1970/01/01 01:00:01", 3601), ("1970/13/1", math.nan),
        ("1 May 2024", math.nan), ("05/01/2024", math.nan),
        ("0001-01-01T00:00+23:00", -62135679600),
    ],
)  # fmt: skip
def test_what_is_a_number(value: object, number: float) -> None:
    assert as_number(value) == pytest.approx(number, nan_ok=True)


@given(st.integers(-(10**30), 10**30), st.integers(-2, 2))
def test_whole_numbers_have_all_their_digits(number: int, more: int) -> None:
    """A float has 16 digits, ids and nanoseconds have 19."""
    for spell in (int, str, Decimal):
        assert as_number(spell(number)) - as_number(spell(number + more)) == -more


@pytest.mark.parametrize("form", FORMS)
def test_large_ids_differ_in_their_last_digit(simdup: Command, tmp_path: Path, form: str) -> None:
    rows = [{"text": prose(1), "id": 1800000000000000000 + n} for n in (1, 3, 2)]
    (tmp_path / f"r.{form}").write_bytes(FORMS[form](rows))
    ran = simdup("scan", f"r.{form}", "--keep", "max:id", "--list", "kept")
    assert (ran.status, ran.lines) == (0, [f"r.{form}#2"])


def test_how_many_have_no_value_is_noted(simdup: Command, tmp_path: Path) -> None:
    rows = [{"text": prose(1), "when": when} for when in ("May 2024", "2024年5月1日", None)]
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(rows))
    ran = simdup("scan", "r.jsonl", "--keep", "max:when", "--list", "kept")
    assert (ran.status, ran.lines) == (0, ["r.jsonl#2"])
    assert "--keep: 2 of 3 documents without a number, date or time in 'when'" in ran.err
    assert "--keep" not in simdup("scan", "r.jsonl", "--keep", "longest").err
