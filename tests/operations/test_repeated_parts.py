"""`dedupe --unit`: corpora without parts that earlier documents have, in every form."""

import csv
import gzip
import json
from itertools import permutations
from pathlib import Path

import pytest
from record_forms import FORMS
from support import Command

from lab.corpora.made import write
from simdup import SimdupError, dedupe

A = "甲乙丙丁这个句子长到可以被删去，因为它超过了二十个字。"
B = "Another sentence that is long enough to be cut from the documents. "
OWN = ["一。", "二。", "三。"]
TEXTS = [A + OWN[0], OWN[1] + A + B, B + A + OWN[2]]
LEFT = [A + OWN[0], OWN[1] + B, OWN[2]]


@pytest.mark.parametrize("form", FORMS)
def test_records_of_every_format(form: str, simdup: Command, tmp_path: Path) -> None:
    content = FORMS[form]({"id": f"n{i}", "text": text} for i, text in enumerate(TEXTS))
    source, out = tmp_path / f"a.{form}", tmp_path / f"b.{form}"
    source.write_bytes(content)
    ran = simdup("dedupe", source, "--unit", "sentence", "-o", out, "--id-field", "id")
    assert (ran.status, ran.text) == (0, "")
    assert "3 sentences cut from 2 of 3 documents" in ran.err
    again = FORMS[form]({"id": f"n{i}", "text": text} for i, text in enumerate(LEFT))
    if form == "json":  # what is written anew is in one line
        assert json.loads(out.read_bytes()) == json.loads(again)
    elif form != "parquet":
        assert out.read_bytes() == again
    ran = simdup("dedupe", out, "--unit", "sentence", "--dry-run", "-q")
    assert ran.text == "document,start,end,kept,kept_start,kept_end,text\n"


def test_a_folder_of_texts_in_several_encodings(simdup: Command, tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    codecs = ("gb18030", "utf-16", "utf-8-sig")
    long = "这是每篇都有的前言，用来说明编码。"
    write(source, {"empty.txt": "", "sub/same.txt": "没有重复的一篇。"})
    for name, text, codec in zip("abc", TEXTS, codecs, strict=True):
        (source / f"{name}.txt").write_bytes((long * 5 + "\n" + text).encode(codec))
    ran = simdup("dedupe", source, "--unit", "sentence", "-o", out)
    assert ran.status == 0, ran.err
    for name, text, codec in zip("abc", LEFT, codecs, strict=True):
        assert (out / f"{name}.txt").read_bytes() == (long * 5 + "\n" + text).encode(codec)
    assert (out / "sub/same.txt").exists()
    assert (out / "empty.txt").exists()
    ran = simdup("dedupe", source, "--unit", "sentence", "-o", out)
    assert ran.status == 2
    assert "is not empty" in ran.err
    assert simdup("dedupe", source, "--unit", "sentence", "-o", out, "--force").status == 0


def test_lists_of_what_was_cut(simdup: Command, tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(FORMS["jsonl"]({"text": text} for text in TEXTS))
    for name in ("removed.csv", "removed.jsonl"):
        out = tmp_path / f"out-{name}.jsonl"
        ran = simdup(
            "dedupe", source, "--unit", "sentence", "-o", out, "--removed", tmp_path / name
        )
        assert "3 sentences." in ran.err
    rows = list(csv.DictReader((tmp_path / "removed.csv").read_text("utf-8").splitlines()))
    lines = [json.loads(line) for line in (tmp_path / "removed.jsonl").read_text().splitlines()]
    assert [{k: str(v) for k, v in line.items() if k != "type"} for line in lines] == rows
    assert {line["type"] for line in lines} == {"removed_part"}
    for row in rows:
        text, kept = (TEXTS[int(row[name][-1]) - 1] for name in ("document", "kept"))
        cut = text[int(row["start"]) : int(row["end"])]
        assert row["text"] == cut
        assert cut.strip() == kept[int(row["kept_start"]) : int(row["kept_end"])]
    ran = simdup("dedupe", source, "--unit", "sentence", "--dry-run")
    assert ran.text == (tmp_path / "removed.csv").read_text("utf-8")
    ran = simdup("dedupe", source, "--unit", "line", "-o", "x", "--removed", tmp_path / "x.html")
    assert "unknown suffix '.html'" in ran.err


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_no_copies_keep_nothing_that_several_documents_have(
    simdup: Command, tmp_path: Path, order: tuple[int, ...]
) -> None:
    own = [f"Only document number {n} has this sentence." for n in range(4)]
    notice, menu = "This notice is on every page of it.", "Home, products, prices and contact."
    texts = [
        f"{notice}\n{own[0]}\n", f"{own[1]}\n{notice}\n{menu}\n",
        f"{menu}\n{menu}\n{own[2]}\n", f"{own[3]}\n{own[3]}\n",
    ]  # fmt: skip
    source = tmp_path / "a.jsonl"
    source.write_bytes(FORMS["jsonl"]({"id": f"n{i}", "text": texts[i]} for i in order))
    told = ("--id-field", "id", "--unit", "line", "--copies", "0", "-q")
    for name in ("removed.csv", "removed.jsonl"):
        removed = tmp_path / name
        ran = simdup("dedupe", source, *told, "-o", f"out-{name}.jsonl", "--removed", removed)
        assert (ran.status, ran.err) == (0, "")
    left = [
        json.loads(line) for line in (tmp_path / "out-removed.csv.jsonl").read_text().splitlines()
    ]
    assert [row["text"] for row in left] == [f"{own[i]}\n" for i in order]
    rows = list(csv.DictReader((tmp_path / "removed.csv").read_text("utf-8").splitlines()))
    rows = [row for row in rows if row["document"] != "n3"]
    assert {(row["kept"], row["kept_start"], row["kept_end"]) for row in rows} == {("", "", "")}
    lines = [json.loads(line) for line in (tmp_path / "removed.jsonl").read_text().splitlines()]
    assert {line["kept"] for line in lines} == {None, "n3"}  # which directly repeats itself
    assert {line["kept_start"] for line in lines} == {None, 0}


def test_streams_and_compression(simdup: Command, tmp_path: Path) -> None:
    content = FORMS["jsonl"]({"text": text} for text in TEXTS)
    want = FORMS["jsonl"]({"text": text} for text in LEFT)
    source, out = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"
    source.write_bytes(gzip.compress(content))
    assert simdup("dedupe", source, "--unit", "sentence", "-o", out).status == 0
    assert gzip.decompress(out.read_bytes()) == want
    ran = simdup(
        "dedupe", "-", "--input-format", "jsonl", "--unit", "sentence", "-o", "-", stdin=content
    )
    assert ran.out == want


def test_copies_length_and_texts_without_anything_left(simdup: Command, tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(FORMS["jsonl"]({"text": text} for text in [A, A, A, "短。", "短。"]))

    def left(*options: str) -> list[str]:
        ran = simdup("dedupe", source, "-o", "-", "--unit", "line", *options)
        return [json.loads(line)["text"] for line in ran.text.splitlines()]

    assert left() == [A, "", "", "短。", "短。"]
    assert left("--copies", "2") == [A, A, "", "短。", "短。"]
    assert left("--min-length", "1") == [A, "", "", "短。", ""]
    assert (
        "2 documents have no text left"
        in simdup("dedupe", source, "--unit", "line", "--dry-run").err
    )


def test_what_cannot_be_cut_is_kept_whole_and_named(simdup: Command, tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    page = f"<html><body><p>{A}</p><p>{A}</p></body></html>"
    broken = f"{A}{B}".encode() + b"\xff" + "后面。".encode()
    write(source, {"a.txt": A, "b.html": page})
    (source / "c.txt").write_bytes(broken)
    for options in (["--dry-run"], ["-o", out, "--removed", tmp_path / "r.csv"]):
        ran = simdup("dedupe", source, "--unit", "sentence", *options)
        assert ran.status == 2
        assert "b.html: nothing can be cut from a page: set --extract to none" in ran.err
        assert "c.txt: read as utf-8 with 1 bad character replaced" in ran.err
        assert "0 sentences cut from 0 of 3 documents" in ran.err
    assert (out / "b.html").read_text("utf-8") == page
    assert (out / "c.txt").read_bytes() == broken
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 1


def test_options_for_whole_documents_are_refused(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": A})
    for options in (
        ["-s", "0.5"], ["--method", "simhash"], ["--keep", "longest"], ["--lossless"],
        ["--reference", "x"], ["--max-removed", "0.5"], ["--strip", "x"], ["--index", "i"],
        ["--recipe", "plain"], ["--annotate"],
    ):  # fmt: skip
        ran = simdup("dedupe", tmp_path, "-o", tmp_path / "out", "--unit", "line", *options)
        assert ran.status == 2
        assert "--unit cuts parts that an earlier document has; remove --" in ran.err
    assert not (tmp_path / "out").exists()


def test_an_account_by_field_or_folder(simdup: Command, tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "removed.jsonl"
    sources = ["甲", "乙", "乙"]
    source.write_bytes(FORMS["jsonl"](
        {"text": text, "from": name} for text, name in zip(TEXTS, sources, strict=True)
    ))  # fmt: skip
    options = ["--unit", "sentence", "--dry-run", "--by"]
    ran = simdup("dedupe", source, *options, "from", "--removed", out)
    assert "documents   changed    share  bytes removed  from" in ran.err
    assert "        2         2   100.0%      229 bytes  乙" in ran.err
    parts = [line for line in map(json.loads, out.read_text().splitlines()) if "name" in line]
    sizes = [len(text.encode()) for text in TEXTS]
    lost = sum(sizes) - sum(len(text.encode()) for text in LEFT)
    assert [tuple(part.values()) for part in parts] == [
        ("part", "乙", 2, 2, sizes[1] + sizes[2], lost), ("part", "甲", 1, 0, sizes[0], 0),
    ]  # fmt: skip
    ran = simdup("dedupe", source, *options, "from", "--lang", "zh")
    assert "有删减" in ran.err
    assert "no record has a field" in simdup("dedupe", source, *options, "nothing").err
    write(tmp_path / "in", {"x/a.txt": TEXTS[0], "y/b.txt": TEXTS[1], "y/c.txt": TEXTS[2]})
    found = dedupe(tmp_path / "in", unit="sentence", by="folder")
    assert [(Path(str(one.name)).name, *one[1:]) for one in found.parts] == [
        ("y", 2, 2, sizes[1] + sizes[2], lost), ("x", 1, 0, sizes[0], 0),
    ]  # fmt: skip
    rows = [{"text": text, "from": name} for text, name in zip(TEXTS, sources, strict=True)]
    assert [part.name for part in dedupe(rows, unit="sentence", by="from").parts] == ["乙", "甲"]


def test_from_python(tmp_path: Path) -> None:
    pairs = list(zip("abc", TEXTS, strict=True))
    found = dedupe(pairs, unit="sentence")
    assert found.data == list(zip("abc", LEFT, strict=True))
    assert dedupe(dict(pairs), unit="sentence").data == dict(found.data)
    assert dedupe(tuple(pairs), unit="sentence").data == tuple(found.data)
    assert dedupe(iter(pairs), unit="sentence").data == found.data
    records = [{"id": i, "body": {"t": text}, "n": 1} for i, text in pairs]
    assert dedupe(records, unit="sentence", text="body.t").data == [
        {"id": i, "body": {"t": text}, "n": 1} for i, text in found.data
    ]
    write(tmp_path, dict(pairs))
    files = dedupe(tmp_path, unit="sentence", output=tmp_path.parent / "out")
    assert files.data == [str(tmp_path / name) for name in "abc"]
    assert [(tmp_path.parent / "out" / name).read_text("utf-8") for name in "abc"] == LEFT
    for name, value in (("similarity", 0.5), ("max_removed", 0.5)):
        with pytest.raises(SimdupError, match=f"{name}: has no effect with `unit`"):
            dedupe(pairs, unit="sentence", **{name: value})
    with pytest.raises(SimdupError, match="data that is not in files"):
        dedupe(pairs, unit="line", output="out")


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_tables(kind: str) -> None:
    library = pytest.importorskip(kind)
    make = library.table if kind == "pyarrow" else library.DataFrame
    table = make({"n": [1, 2, 3], "text": TEXTS, "more": ["", "X", ""]})
    found = dedupe(table, unit="sentence").data
    assert type(found) is type(table)
    want = make({"n": [1, 2, 3], "text": LEFT, "more": ["", "X", ""]})
    assert found.equals(want)
    two = dedupe(table, unit="sentence", text=("text", "more")).data
    assert two.equals(want)
