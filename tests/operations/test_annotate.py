"""`dedupe --annotate`: all records stay, with fields that tell what was found of each."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import Command

from lab.corpora.made import near, prose, write
from simdup import SimdupError, dedupe, scan
from simdup.corpus.changes import UNIQUE, Change, Note
from simdup.corpus.files import File
from simdup.corpus.rewriting import write_changed
from simdup.model.settings import Reading

TEXTS = [prose(1), prose(2), near(prose(1)), prose(3), prose(2)]
ADDED = ("cluster", "role", "kept", "similarity", "measure")


def expected(path: str) -> list[dict[str, object]]:
    """What is added to the five records, by a scan of the same texts."""
    (first, second) = scan([(f"{path}#{n}", text) for n, text in enumerate(TEXTS, 1)]).clusters
    near_one, same = first.members[1], second.members[1]
    figure = int((near_one.similarity or 0) * 10**4) / 10**4
    stays = {"kept": None, "similarity": None, "measure": None}
    found: list[dict[str, object]] = [
        {"cluster": 1, "role": "kept"} | stays,
        {"cluster": 2, "role": "kept"} | stays,
        {"cluster": 1, "role": "redundant", "kept": f"{path}#1", "similarity": figure},
        {"cluster": None, "role": "unique"} | stays,
        {"cluster": 2, "role": "redundant", "kept": f"{path}#2", "similarity": same.similarity},
    ]
    for one in (found[2], found[4]):
        one["measure"] = "jaccard"
    return found


def test_json_lines_keep_what_they_have(simdup: Command, tmp_path: Path) -> None:
    spell = [
        lambda text: json.dumps({"text": text}),
        lambda text: json.dumps({"id": 7, "text": text}, ensure_ascii=False),
        lambda text: '{ "x": [1,  {"role": 2}],\t"text" :' + json.dumps(text) + " }\r",
    ]
    lines = [spell[n % 3](text).encode() for n, text in enumerate(TEXTS)]
    odd = [b"", b"{broken", b'{"text": ""}  ', b"[1, 2]"]
    (tmp_path / "r.jsonl").write_bytes(b"\n".join(lines + odd))
    ran = simdup("dedupe", "r.jsonl", "-o", "out.jsonl", "--annotate")
    assert ran.status == 2, "two records could not be read"
    assert "Wrote out.jsonl: 5 documents, 2 of them redundant" in ran.err
    found = (tmp_path / "out.jsonl").read_bytes().split(b"\n")
    assert len(found) == len(lines + odd)
    for line, before, added in zip(found[:5], lines, expected("r.jsonl"), strict=True):
        assert json.loads(line) == json.loads(before) | added
        assert line.startswith(before.rstrip(b"} \r"))
        assert line.endswith(b"\r") == before.endswith(b"\r")
    assert found[5:7] == odd[:2]
    assert json.loads(found[7]) == {"text": "", **dict.fromkeys(ADDED)}
    assert found[8] == odd[3]


@pytest.mark.parametrize("packing", ["", ".gz"])
def test_arrays(simdup: Command, tmp_path: Path, packing: str) -> None:
    content = json.dumps([{"text": text} for text in TEXTS], indent=1).encode()
    name = f"r.json{packing}"
    (tmp_path / name).write_bytes(gzip.compress(content) if packing else content)
    assert simdup("dedupe", name, "-o", f"out.json{packing}", "--annotate").status == 0
    written = (tmp_path / f"out.json{packing}").read_bytes()
    found = json.loads(gzip.decompress(written) if packing else written)
    assert found == [{"text": t} | a for t, a in zip(TEXTS, expected(name), strict=True)]


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_tables(
    simdup: Command, tmp_path: Path, suffix: str, delimiter: str, encoding: str
) -> None:
    table = io.StringIO()
    rows = csv.writer(table, delimiter=delimiter, lineterminator="\r\n")
    rows.writerows(
        [("编号", "text"), *((f"第{n}号", text) for n, text in enumerate(TEXTS)), ("空", "")]
    )
    name = f"r.{suffix}"
    (tmp_path / name).write_bytes(table.getvalue().encode(encoding))
    options = ("--annotate", "--id-field", "编号")
    assert simdup("dedupe", name, "-o", f"out.{suffix}", *options).status == 0
    written = (tmp_path / f"out.{suffix}").read_bytes()
    assert written.count(b"\r\n") == table.getvalue().count("\r\n")
    text = written.decode(encoding)
    found = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    for number, (row, added) in enumerate(zip(found, expected(name), strict=False)):
        kept = {f"{name}#1": "第0号", f"{name}#2": "第1号"}.get(str(added["kept"]))
        wanted = added | {"kept": kept}
        assert row == {"编号": f"第{number}号", "text": TEXTS[number]} | {
            key: "" if value is None else str(value) for key, value in wanted.items()
        }
    assert [found[5][name] for name in ADDED] == [""] * 5


def test_parquet(simdup: Command, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"text": TEXTS, "n": pa.array(range(5), pa.int16())})
    pq.write_table(table, tmp_path / "r.parquet", row_group_size=2, compression="gzip")
    assert simdup("dedupe", "r.parquet", "-o", "out.parquet", "--annotate").status == 0
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.select(["text", "n"]) == table
    rows = found.select(list(ADDED)).to_pylist()
    assert rows == expected("r.parquet")
    assert pq.ParquetFile(tmp_path / "out.parquet").num_row_groups == 3
    types = ["int64", "string", "string", "double", "string"]
    assert [str(found.schema.field(name).type) for name in ADDED] == types
    pq.write_table(table.append_column("role", pa.array(TEXTS)), tmp_path / "b.parquet")
    ran = simdup("dedupe", "b.parquet", "-o", "none.parquet", "--annotate")
    assert (ran.status, (tmp_path / "none.parquet").exists()) == (2, False)
    assert "b.parquet: already has a field 'role'" in ran.err


def test_folders_of_records(simdup: Command, tmp_path: Path) -> None:
    for name, some in (("in/a.jsonl", TEXTS[:2]), ("in/b/c.jsonl", TEXTS[2:])):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("\n".join(json.dumps({"text": text}) for text in some))
    assert simdup("dedupe", "in", "-o", "out", "--annotate", "--removed", "r.csv").status == 0
    found = [json.loads(line) for name in ("a.jsonl", "b/c.jsonl")
             for line in (tmp_path / "out" / name).read_text().splitlines()]  # fmt: skip
    roles = ["kept", "kept", "redundant", "unique", "redundant"]
    assert [one["role"] for one in found] == roles
    assert [one["kept"] for one in found[2::2]] == ["in/a.jsonl#1", "in/a.jsonl#2"]
    listed = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text())))
    assert [row["document"] for row in listed] == ["in/b/c.jsonl#1", "in/b/c.jsonl#3"]


@pytest.mark.parametrize(
    "record",
    ['{"text": "%s", "role": 1}', '{"\\u0072ole": 1, "text": "%s"}'],
)  # fmt: skip
def test_a_field_of_the_same_name_is_not_overwritten(
    simdup: Command, tmp_path: Path, record: str
) -> None:
    lines = [json.dumps({"text": TEXTS[0]}), record % "天地玄黄宇宙洪荒日月盈昃"]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    ran = simdup("dedupe", "r.jsonl", "-o", "out.jsonl", "--annotate")
    assert ran.status == 2
    assert "r.jsonl#2: already has a field 'role'" in ran.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.jsonl"]
    (tmp_path / "t.csv").write_text("text,kept\na b c d,1\n")
    ran = simdup("dedupe", "t.csv", "-o", "out.csv", "--annotate")
    assert "t.csv: already has a field 'kept'" in ran.err


def test_what_cannot_be_annotated_as_a_whole_is_not_written(
    simdup: Command, tmp_path: Path
) -> None:
    lines = [json.dumps({"text": text}, ensure_ascii=False) for text in TEXTS]
    (tmp_path / "u.jsonl").write_bytes("\n".join(lines).encode("utf-16-le"))
    (tmp_path / "long.csv").write_text(f"text,n\n{'春' * 9},1\n{'秋' * 9},2,3\n")
    (tmp_path / "short.csv").write_text(f"text,n\n{'春' * 9},1\n{'秋' * 9}\n")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode())[:-20])
    files = sorted(path.name for path in tmp_path.iterdir())
    for name, options, said in (
        (
            "u.jsonl",
            ("--encoding", "utf-16-le"),
            "u.jsonl: records in utf-16-le cannot be annotated",
        ),
        ("long.csv", (), "long.csv#2: has not as many fields as there are columns"),
        ("short.csv", (), "short.csv#2: has not as many fields as there are columns"),
        ("cut.jsonl.gz", (), "cut.jsonl.gz: was not read to its end"),
    ):
        out = name.replace(".", "2.", 1)
        ran = simdup("dedupe", name, "-o", out, "--annotate", *options)
        assert ran.status == 2, name
        assert said in ran.err
        assert sorted(path.name for path in tmp_path.iterdir()) == files


VALUES = st.recursive(
    st.none() | st.integers() | st.text(), lambda inner: st.lists(inner), max_leaves=5
)


@given(st.dictionaries(st.text().filter(lambda name: name not in ADDED), VALUES), st.booleans())
def test_any_object_stays_what_it_is(
    tmp_path_factory: pytest.TempPathFactory, record: dict[str, object], ascii_only: bool
) -> None:
    raw = json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass") + b" \n"
    try:
        raw.decode()
    except UnicodeDecodeError:
        return
    path = tmp_path_factory.mktemp("r") / "r.jsonl"
    path.write_bytes(raw * 3)
    file, notes = File(str(path), format="jsonl"), (Note(3, "kept"), UNIQUE, Note())
    noted = Change(file, Reading(), note_of=lambda number: notes[number - 1])
    write_changed(file, target := io.BytesIO(), noted, "")
    for line, note in zip(target.getvalue().splitlines(True), notes, strict=True):
        assert json.loads(line) == record | note._asdict()
        assert line.endswith(b"} \n")


def test_what_it_cannot_do_is_said(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "in", {"a.txt": TEXTS[0]})
    ran = simdup("dedupe", "in", "-o", "out", "--annotate")
    assert (ran.status, (tmp_path / "out").exists()) == (2, False)
    assert "in/a.txt: is one document, and only records can be annotated" in ran.err
    for options, said in (
        (("--dry-run",), "--annotate writes what --dry-run does not"),
        (("-o", "out", "--max-removed", "0.5"), "has no effect with --annotate"),
    ):
        ran = simdup("dedupe", "in", "--annotate", *options)
        assert ran.status == 2
        assert said in ran.err
    with pytest.raises(SimdupError, match="cannot be annotated"):
        dedupe([("a", TEXTS[0])], annotate=True)


def test_from_python_nothing_is_missing(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in TEXTS))
    cleaned = dedupe(tmp_path / "r.jsonl", output=tmp_path / "out.jsonl", annotate=True)
    assert len(cleaned.data) == 5
    assert [str(one.document)[-2:] for one in cleaned.removed] == ["#3", "#5"]
