"""Records: JSON lines, CSV, TSV, Parquet, each compressed or not, through the command."""

import gzip
import io
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from record_forms import FORMS, Row, as_array, as_jsonl, as_parquet, as_table, as_tsv
from support import Command, command, environment, process

from lab.corpora.made import near, prose
from simdup.corpus.compression import compress
from simdup.corpus.delimited import csv_rows

# Copies, an edit, commas, quotes and line ends, which a table has to quote.
TEXTS = [
    prose(1),
    prose(2) + '他说："好",\n第二行\r\n"完"',
    near(prose(1)),
    prose(3),
    prose(2) + '他说："好",\n第二行\r\n"完"',
]
ROWS: list[Row] = [{"n": n, "text": text, "key": f"k{n}"} for n, text in enumerate(TEXTS)]


def pack(content: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        return gzip.compress(content)
    if not suffix:
        return content
    stream = io.BytesIO()
    with compress(stream, "zstd") as target:
        target.write(content)
    return stream.getvalue()


def found(out: bytes) -> list[list[str]]:
    lines = [json.loads(line) for line in out.splitlines()]
    return [[d["document"] for d in x["documents"]] for x in lines if x["type"] == "cluster"]


def skips(out: bytes) -> dict[str, str]:
    lines = [json.loads(line) for line in out.splitlines()]
    return {x["document"]: x["reason"] for x in lines if x["type"] == "skipped"}


@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
@pytest.mark.parametrize("form", FORMS)
def test_every_format_in_every_compression(
    simdup: Command, tmp_path: Path, form: str, compression: str
) -> None:
    name = f"r.{form}{compression}"
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / name).write_bytes(pack(FORMS[form](ROWS), compression))
    ran = simdup("scan", "c", "-f", "jsonl")
    assert ran.status == 0, ran.err
    assert found(ran.out) == [[f"c/{name}#{a}", f"c/{name}#{b}"] for a, b in ((1, 3), (2, 5))]
    ran = simdup("scan", "c", "-f", "jsonl", "--id-field", "key")
    assert found(ran.out) == [["k0", "k2"], ["k1", "k4"]]


@pytest.mark.parametrize("compression", ["", ".gz", ".zst"])
@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_every_format_on_standard_input(simdup: Command, form: str, compression: str) -> None:
    content = pack(FORMS[form](ROWS), compression)
    ran = simdup("scan", "-", "--input-format", form, "-f", "jsonl", stdin=content)
    assert ran.status == 0, ran.err
    assert found(ran.out) == [["-#1", "-#3"], ["-#2", "-#5"]]


def test_input_format_overrides_the_suffix(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "feed.log").write_bytes(as_jsonl(ROWS))
    assert simdup("scan", "feed.log", "-f", "jsonl", "--input-format", "jsonl").status == 0
    (tmp_path / "t.csv").write_bytes(as_table(ROWS))
    out = simdup("scan", "t.csv", "-f", "jsonl", "--input-format", "text").lines
    assert json.loads(out[-1])["documents"] == 1
    (tmp_path / "gz.tsv.gz").write_bytes(pack(as_table(ROWS), ".gz"))
    out = simdup("scan", "gz.tsv.gz", "-f", "jsonl", "--input-format", "csv").lines
    assert json.loads(out[-1])["documents"] == 5


def test_broken_rows_of_a_table_are_reported_by_line(simdup: Command, tmp_path: Path) -> None:
    text = prose(1)
    lines = [
        b"id,text,note",
        b"1," + text.replace("\n", "").encode() + b",x",
        b"",
        b"2,only two",
        b'3,"a ""quoted"" line\nend",x',
        b'4,"stray" quote,x',
        b"5,\xff\xfe,x",
        b"6,,x",
        b"7," + text.replace("\n", "").encode() + b",x",
        b'8,"never closed,x',
        b"9,swallowed,x",
    ]
    (tmp_path / "t.csv").write_bytes(b"\n".join(lines))
    ran = simdup("scan", "t.csv", "-f", "jsonl", "--encoding", "utf-8")
    assert ran.status == 2
    assert found(ran.out) == [["t.csv#1", "t.csv#7"]]
    assert skips(ran.out) == {
        "t.csv#2": "line 4: 2 fields, but 3 columns",
        "t.csv#4": "line 7: not valid CSV: misplaced quote",
        "t.csv#5": "line 8: not valid utf-8",
        "t.csv#6": "empty",
        "t.csv#8": "line 11: not valid CSV: misplaced quote",
    }


def test_null_and_values_that_are_not_strings(simdup: Command, tmp_path: Path) -> None:
    rows = [{"text": None}, {"text": 1.5}, {"text": ["a", 1]}, {"other": "x"}, {"text": prose(1)}]
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(rows))
    ran = simdup("scan", "r.jsonl", "-f", "jsonl")
    assert ran.status == 2
    assert skips(ran.out) == {
        "r.jsonl#1": "line 1: field 'text' is null",
        "r.jsonl#2": "line 2: field 'text' is not a string",
        "r.jsonl#3": "line 3: field 'text' is not a string",
        "r.jsonl#4": "line 4: no field 'text'",
    }
    (tmp_path / "r.parquet").write_bytes(as_parquet([{"text": None}, {"text": prose(1)}]))
    ran = simdup("scan", "r.parquet", "-f", "jsonl")
    assert ran.status == 2
    assert skips(ran.out) == {"r.parquet#1": "row 1: field 'text' is null"}


@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "parquet"])
def test_several_fields_are_one_text(simdup: Command, tmp_path: Path, form: str) -> None:
    """A document whose title is in its text equals one with a title of its own."""
    title, body = "图书馆延长开放时间的通知", prose(1)
    rows = [{"t": title, "b": body}, {"t": "", "b": f"{title}{body}"}, {"t": "x", "b": prose(2)}]
    (tmp_path / f"r.{form}").write_bytes(FORMS[form](rows))
    ran = simdup("scan", f"r.{form}", "--field", "t", "--field", "b", "-f", "jsonl", "-s", "1")
    assert (ran.status, found(ran.out)) == (0, [[f"r.{form}#1", f"r.{form}#2"]])
    ran = simdup("scan", f"r.{form}", "--field", "b", "--field", "nowhere")
    assert ran.status == 2
    assert "no record has a field 'nowhere' (fields: 't' = '图书馆" in ran.err
    assert ran.err.endswith("\nhint: name the text with --field, which may be repeated\n")


def test_of_several_fields_one_may_be_null(simdup: Command, tmp_path: Path) -> None:
    rows = [{"t": None, "b": prose(1)}, {"t": None, "b": None}, {"b": prose(1)}]
    (tmp_path / "r.jsonl").write_bytes(as_jsonl(rows))
    ran = simdup("scan", "r.jsonl", "--field", "t", "--field", "b", "-f", "jsonl")
    assert skips(ran.out) == {
        "r.jsonl#2": "line 2: field 't' is null",
        "r.jsonl#3": "line 3: no field 't'",
    }
    assert json.loads(ran.lines[-1])["documents"] == 1


def test_a_table_without_the_field(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_bytes(as_tsv(ROWS))
    (tmp_path / "t.parquet").write_bytes(as_parquet(ROWS))
    for name in ("t.tsv", "t.parquet"):
        ran = simdup("scan", name, "--field", "body")
        assert ran.status == 2
        assert "no record has a field 'body' (fields: 'n' = '0', 'text' = " in ran.err
    ran = simdup("scan", "t.parquet", "--field", "n")
    assert ran.status == 2
    assert "no record has a text in the field 'n'" in ran.err
    assert simdup("scan", "t.parquet", "--field", "key", "--id-field", "n").status == 0


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "utf-8-sig"])
def test_a_table_in_another_encoding(simdup: Command, tmp_path: Path, encoding: str) -> None:
    text = "圖書館延長開放時間，讀者可以在晚間繼續閱讀與學習。" * 8
    rows = [{"標題": f"第{n}期", "內容": text} for n in range(3)]
    (tmp_path / "t.csv").write_bytes(as_table(rows).decode().encode(encoding))
    ran = simdup("scan", "t.csv", "-f", "jsonl", "--field", "內容", "--id-field", "標題")
    assert (ran.status, found(ran.out)) == (0, [["第0期", "第1期", "第2期"]])


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
@pytest.mark.parametrize("form", ["jsonl", "csv", "tsv"])
def test_nuls_in_records_are_padding(
    simdup: Command, tmp_path: Path, form: str, encoding: str
) -> None:
    content = FORMS[form](ROWS).decode().encode(encoding)
    (tmp_path / f"clean.{form}").write_bytes(content)
    character = TEXTS[0][50].encode(encoding)
    broken = content.replace(character, character[:1] + b"\0" + character[1:], 1)
    broken = broken.replace(b'"', b'"\0', 1) + bytes(4096)  # a file cut to whole blocks
    (tmp_path / f"padded.{form}").write_bytes(broken)
    told = ["--encoding", encoding] if form == "jsonl" else []
    clean, padded = (
        simdup("scan", f"{name}.{form}", "-f", "jsonl", *told) for name in ("clean", "padded")
    )
    assert (clean.status, padded.status) == (0, 0)
    assert found(padded.out.replace(b"padded", b"clean")) == found(clean.out)
    assert f"padded.{form}#1: read as {encoding} with " in padded.err


@pytest.mark.parametrize(
    "name", ["r.jsonl.gz", "r.json.gz", "r.csv.zst", "a.txt.gz", "r.parquet", "r.parquet.gz"]
)
def test_damaged_files_do_not_stop_the_rest(simdup: Command, tmp_path: Path, name: str) -> None:
    if "parquet" in name:
        pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
    stem, _, compression = name.rpartition(".")
    form = stem.rpartition(".")[2]
    content = TEXTS[0].encode() if form == "txt" else FORMS.get(form, as_jsonl)(ROWS * 50)
    whole = pack(content, "." + compression if compression != "parquet" else "")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "z.txt").write_text(prose(9))
    for damaged in (whole[: len(whole) // 2], b"no such format", b""):
        (tmp_path / "c" / name).write_bytes(damaged)
        ran = simdup("scan", "c", "-f", "jsonl")
        if damaged or "parquet" in name:
            assert (ran.status, f"c/{name}" in ran.err) == (2, True), ran.err
        assert json.loads(ran.lines[-1])["documents"] >= 1


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_empty_compressed_files_are_empty(simdup: Command, tmp_path: Path, kind: str) -> None:
    """What is written of nothing, two of these in a row, and no byte at all."""
    compressed = io.BytesIO()
    with compress(compressed, kind):
        pass
    nothing = compressed.getvalue()
    suffix = {"gzip": ".gz", "zstd": ".zst"}[kind]
    assert nothing, "other programs take a file without a byte for a cut one"
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "a.txt").write_text(TEXTS[0])
    for content in (nothing, nothing * 2, b""):
        for stem in ("e.txt", "e.jsonl"):
            (tmp_path / "c" / f"{stem}{suffix}").write_bytes(content)
        ran = simdup("scan", "c")
        assert (ran.status, "1 skipped (1 empty)" in ran.err) == (0, True), ran.err
        assert f"e.txt{suffix}: empty" in simdup("scan", f"c/e.txt{suffix}").err
    (tmp_path / "c" / f"e.txt{suffix}").write_bytes(nothing[:5])
    assert simdup("scan", "c").status == 2, "a cut file is damaged"


def test_members_of_gzip_and_frames_of_zstd_follow_each_other(
    simdup: Command, tmp_path: Path
) -> None:
    for compression in (".gz", ".zst"):
        halves = [pack(as_jsonl(part), compression) for part in (ROWS[:2], ROWS[2:])]
        (tmp_path / f"r.jsonl{compression}").write_bytes(b"".join(halves))
        out = simdup("scan", f"r.jsonl{compression}", "-f", "jsonl").lines
        assert json.loads(out[-1])["documents"] == 5


def test_processes_and_pieces_do_not_matter(simdup: Command, tmp_path: Path) -> None:
    """Records larger and smaller than a batch, with quoted line ends at its borders."""
    chance = random.Random(4)
    pool = [f'"{prose(n)}",' for n in range(90)]
    rows = [
        {"text": "\n".join(chance.choices(pool, k=size)), "key": n}
        for n, size in enumerate([1] * 40 + [30] * 30 + [1200] + [1] * 40)
    ]
    contents = {
        "a.csv": as_table(rows),
        "a.tsv": as_tsv(rows),
        "a.jsonl": as_jsonl(rows),
        "a.json": as_array(rows),
    }
    summaries = []
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        for jobs in ("1", "2"):
            options = (
                "-j",
                jobs,
                "-f",
                "jsonl",
                "--id-field",
                "key",
                "-q",
                "--recipe",
                "default,tokens=split",
            )
            ran = simdup("scan", name, *options)
            assert ran.status == 0, ran.err
            summary = json.loads(ran.lines[-1])
            del summary["seconds"]
            summaries.append((ran.lines[:-1], summary))
    assert summaries[0][1]["documents"] == len(rows)
    assert all(one == summaries[0] for one in summaries)


def test_parquet_row_groups_dictionaries_and_many_rows(simdup: Command, tmp_path: Path) -> None:
    rows = [{"text": prose(n % 60)} for n in range(3000)]
    (tmp_path / "r.parquet").write_bytes(as_parquet(rows, row_group_size=700, compression="zstd"))
    ran = simdup("scan", "r.parquet", "-f", "jsonl", "-q", "-j", "1")
    clusters = found(ran.out)
    assert len(clusters) == 60
    assert clusters[0][:3] == ["r.parquet#1", "r.parquet#61", "r.parquet#121"]
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"text": pa.array([r["text"] for r in rows[:99]]).dictionary_encode()})
    pq.write_table(table, tmp_path / "d.parquet")
    assert len(found(simdup("scan", "d.parquet", "-f", "jsonl", "-q").out)) == 39


def test_the_missing_extra_is_one_sentence(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.parquet").write_bytes(b"whatever")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    ran = simdup("scan", "r.parquet")
    assert ran.status == 2
    assert ran.err.splitlines()[:2] == [
        "simdup: r.parquet: reading Parquet needs pyarrow",
        "hint: python -m pip install 'simdup[parquet]'",
    ]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_a_slow_writer_is_answered_line_by_line(form: str) -> None:
    lines = FORMS[form]([{"text": prose(n).replace("\n", "")} for n in range(3)]).splitlines(True)
    head = [] if form == "jsonl" else [lines.pop(0)]
    arguments = (
        "fingerprint",
        "-",
        "--input-format",
        form,
        "--recipe",
        "default,idf=builtin",
        "-q",
        "-j",
        "2",
    )
    with subprocess.Popen(
        command(*arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        os.write(running.stdin.fileno(), b"".join(head))
        assert running.stdout.readline().startswith(b"# simdup")
        for number, line in enumerate(lines, 1):
            os.write(running.stdin.fileno(), line)
            assert running.stdout.readline().rstrip().endswith(b"-#%d" % number)
        running.stdin.close()


def test_cutting_agrees_with_the_csv_module() -> None:
    chance = random.Random(7)
    for _ in range(300):
        raw = bytes(chance.choices(b'a,"\n\r ', k=chance.randrange(30)))
        pieces = list(csv_rows(io.BytesIO(raw), ",", bytes.decode))
        assert b"".join(piece for piece, _ in pieces) == raw
        for piece, row in pieces:
            alone = list(csv_rows(io.BytesIO(piece), ",", bytes.decode))
            assert [fields for _, fields in alone] == [row]


@pytest.mark.parametrize("encoding", ["hz", "utf-7", "iso2022_jp", "cp037", "utf-32"])
def test_tables_in_encodings_that_hide_commas_are_refused(
    simdup: Command, tmp_path: Path, encoding: str
) -> None:
    """Earlier, this was an internal error or garbage."""
    (tmp_path / "t.csv").write_bytes("text,n\n東京,1\n".encode(encoding, "replace"))
    (tmp_path / "a.txt").write_text(prose(1), "utf-8")
    ran = simdup("scan", "t.csv", "a.txt", "--encoding", encoding)
    assert ran.status == 2
    assert f"t.csv: CSV in {encoding} is not supported" in ran.err


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_a_quoted_header_after_a_byte_order_mark(
    simdup: Command, tmp_path: Path, form: str
) -> None:
    """Earlier, the error was: no field 'text' among '"text"'."""
    delimiter = {"csv": ",", "tsv": "\t"}[form]
    head = f'\ufeff"text"{delimiter}"a\nb"\n'.encode()
    rows = [f'"{text}"{delimiter}1\n'.encode() for text in (prose(1), prose(2), prose(1))]
    (tmp_path / f"t.{form}").write_bytes(head + b"".join(rows))
    ran = simdup("scan", f"t.{form}", "-f", "jsonl")
    assert (ran.status, found(ran.out)) == (0, [[f"t.{form}#1", f"t.{form}#3"]])
    assert simdup("dedupe", f"t.{form}", "-o", f"o.{form}").status == 0
    assert (tmp_path / f"o.{form}").read_bytes() == head + rows[0] + rows[1]


def test_dedupe_keeps_a_damaged_parquet_file(simdup: Command, tmp_path: Path) -> None:
    """Earlier, this was an internal error for a single file."""
    rows = [{"text": prose(n)} for n in (1, 2, 1)] * 100
    whole = as_parquet(rows, compression="snappy", use_dictionary=False)
    (tmp_path / "c").mkdir()
    for name, content in {
        "cut": whole[: len(whole) // 2],
        "flipped": whole[:2000] + bytes(2000) + whole[4000:],
        "no": b"no such format",
    }.items():
        (tmp_path / "c" / f"{name}.parquet").write_bytes(content)
        ran = simdup("dedupe", f"c/{name}.parquet", "-o", f"{name}.parquet")
        assert (ran.status, "internal" in ran.err) == (2, False), ran.err
        assert f"c/{name}.parquet: not Parquet" in ran.err
        assert (tmp_path / f"{name}.parquet").read_bytes() == content


def test_a_parquet_column_whose_name_is_no_text(simdup: Command, tmp_path: Path) -> None:
    content = as_parquet([{"text": prose(1), "title": "x"}], store_schema=False)
    (tmp_path / "a.parquet").write_bytes(content.replace(b"title", b"tit\xffe"))
    ran = simdup("scan", "a.parquet")
    assert ran.status == 2
    assert ran.err.startswith("simdup: a.parquet: not Parquet: 'utf-8' codec can't decode")


def test_damage_that_makes_pyarrow_end_the_process(tmp_path: Path) -> None:
    """Found by fuzzing: what is said of the column `title` is damaged."""
    pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
    shutil.copy(Path(__file__).with_name("samples") / "damaged.parquet", tmp_path / "a.parquet")
    whole = process("fingerprint", "a.parquet", "--recipe", "default,idf=builtin", cwd=tmp_path)
    assert (whole.status, len(whole.lines)) == (2, 3)  # a header, two texts, one that is null
    for arguments in (
        ("scan", "a.parquet", "--field", "title"),
        ("scan", "a.parquet", "--field", "x"),
        ("dedupe", "a.parquet", "--annotate", "-o", "b.parquet"),
    ):
        ran = process(*arguments, cwd=tmp_path)
        assert (ran.status, ran.err.lower().count(": not parquet: ")) == (2, 1)
