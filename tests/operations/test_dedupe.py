"""Dedupe: the corpus without its redundant documents, and what must never happen."""

import csv
import gzip
import io
import json
import math
import os
import random
import re
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest
from support import Command, command, environment, process

from lab.corpora.made import near, prose, write
from lab.oracles import plain
from simdup.corpus.compression import compress, decompress
from simdup.show.summary import size_words

TEXTS = [prose(1), prose(2), near(prose(1)), prose(3), prose(2), prose(4)]
STAY = [0, 1, 3, 5]


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def json_lines() -> list[bytes]:
    """Lines as people and programs write them: spaces, escapes, CR, other fields, blank lines."""
    spell = [
        lambda text: json.dumps({"text": text}).encode(),
        lambda text: json.dumps({"id": 7, "text": text}, ensure_ascii=False).encode(),
        lambda text: b'{ "x": [1,  2],\t"text" :' + json.dumps(text).encode() + b" }\r",
    ]
    return [spell[n % 3](text) + b"\n" for n, text in enumerate(TEXTS)]


def test_json_lines_stay_byte_for_byte(simdup: Command, tmp_path: Path) -> None:
    lines = json_lines()
    odd = [b"\n", b"{broken\n", b'{"text": null}\n', b'{"text": ""}']
    (tmp_path / "r.jsonl").write_bytes(b"".join(lines + odd))
    ran = simdup("dedupe", "r.jsonl", "-o", "out.jsonl", "--removed", "gone.jsonl")
    assert ran.status == 2, "two records could not be read"
    assert (tmp_path / "out.jsonl").read_bytes() == b"".join([lines[n] for n in STAY] + odd)
    gone = [json.loads(line) for line in (tmp_path / "gone.jsonl").read_bytes().splitlines()]
    assert [(g["document"], g["reason"], g["kept"]) for g in gone] == [
        ("r.jsonl#3", "near-duplicate", "r.jsonl#1"),
        ("r.jsonl#5", "exact copy", "r.jsonl#2"),
    ]
    assert gone[1]["similarity"] == 1
    assert gone[1]["distance"] == 0
    assert 0.8 <= gone[0]["similarity"] < 1


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_tables_keep_header_quotes_and_packing(
    simdup: Command, tmp_path: Path, packing: str
) -> None:
    head = b"\xef\xbb\xbfid,text\r\n"
    rows = ['{},"{}"\r\n'.format(n, t.replace('"', '""')).encode() for n, t in enumerate(TEXTS)]
    name = f"t.csv{packing}"
    kind = {"": "", ".gz": "gzip", ".zst": "zstd"}[packing]
    stream = io.BytesIO()
    with compress(stream, kind) as target:
        target.write(head + b"".join(rows))
    (tmp_path / name).write_bytes(stream.getvalue())
    assert simdup("dedupe", name, "-o", "out" + packing).status == 0
    with (tmp_path / f"out{packing}").open("rb") as file, decompress(file, kind) as content:
        assert content.read() == head + b"".join(rows[n] for n in STAY)
    assert simdup("dedupe", name, "-o", "plain.csv").status == 0
    assert (tmp_path / "plain.csv").read_bytes() == head + b"".join(rows[n] for n in STAY)
    ran = simdup("dedupe", name, "-o", "out.jsonl")
    assert (ran.status, "records keep their format, CSV" in ran.err) == (2, True)
    ran = simdup("dedupe", name, "-o", "out.csv.bz2")
    assert (ran.status, ".bz2 files are not written" in ran.err) == (2, True)
    assert not (tmp_path / "out.csv.bz2").exists()


@pytest.mark.parametrize(
    ("suffix", "codecs"), [("", ["ZSTD", "GZIP"]), (".gz", ["UNCOMPRESSED", "SNAPPY"])]
)
def test_parquet_keeps_schema_and_compression(
    simdup: Command, tmp_path: Path, suffix: str, codecs: list[str]
) -> None:
    pa = pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
    import pyarrow.parquet as pq

    table = pa.table({"text": TEXTS, "n": pa.array(range(6), pa.int16())})
    table = table.replace_schema_metadata({"made by": "a test"})
    stream = io.BytesIO()
    asked = dict(
        zip(("text", "n"), (c.replace("UNCOMPRESSED", "none") for c in codecs), strict=True)
    )
    pq.write_table(table, stream, compression=asked, row_group_size=2)
    content = stream.getvalue()
    name = f"r.parquet{suffix}"
    (tmp_path / name).write_bytes(gzip.compress(content) if suffix else content)
    assert simdup("dedupe", name, "-o", f"out.parquet{suffix}").status == 0
    out = (tmp_path / f"out.parquet{suffix}").read_bytes()
    cleaned = pq.ParquetFile(io.BytesIO(gzip.decompress(out) if suffix else out))
    assert cleaned.read().to_pylist() == [table.to_pylist()[n] for n in STAY]
    assert cleaned.schema_arrow.equals(table.schema, check_metadata=True)
    group = cleaned.metadata.row_group(0)
    assert [group.column(at).compression for at in range(2)] == codecs


def test_a_pipe(simdup: Command) -> None:
    lines = json_lines()
    ran = simdup("dedupe", "-", "--input-format", "jsonl", "-o", "-", stdin=b"".join(lines))
    assert (ran.status, ran.out) == (0, b"".join(lines[n] for n in STAY))
    squeezed = gzip.compress(b"".join(lines))
    ran = simdup("dedupe", "-", "--input-format", "jsonl", "-o", "-", "-q", stdin=squeezed)
    assert gzip.decompress(ran.out) == b"".join(lines[n] for n in STAY)


def make_corpus(folder: Path) -> Path:
    write(folder, {f"{'abc'[n % 3]}/{n}.txt": text for n, text in enumerate(TEXTS)})
    (folder / "c" / "r.jsonl").write_bytes(b"".join(json_lines()) + b'{"text": "alone"}\n')
    (folder / "b" / "pure.jsonl").write_bytes(json.dumps({"text": prose(50)}).encode())
    (folder / "picture.bin").write_bytes(bytes(range(256)))
    (folder / "empty.txt").write_bytes(b"")
    return folder


def test_folders_to_folders(simdup: Command, tmp_path: Path) -> None:
    source = make_corpus(tmp_path / "in")
    before = state(source)
    ran = simdup("dedupe", "in", "-o", "out", "--removed", "gone.csv", "-q")
    assert (ran.status, ran.out, ran.err) == (0, b"", "")
    assert state(source) == before
    expected = tree(source)
    gone = (tmp_path / "gone.csv").read_text().splitlines()
    assert gone[0] == "document,reason,distance,similarity,kept,measure,facts,beginning"
    removed = {line.split(",")[0].removeprefix("in/") for line in gone[1:]}
    assert removed == {"c/2.txt", "b/4.txt"} | {f"c/r.jsonl#{n}" for n in range(1, 7)}
    for name in list(expected):
        if name in removed:
            del expected[name]
    lines = expected["c/r.jsonl"].splitlines(keepends=True)
    expected["c/r.jsonl"] = b"".join(
        line for n, line in enumerate(lines, 1) if f"c/r.jsonl#{n}" not in removed
    )
    assert tree(tmp_path / "out") == expected
    assert expected["c/r.jsonl"] == b'{"text": "alone"}\n', "the files before it hold the rest"
    again = simdup("scan", "out", "--check", "-q")
    assert again.status == 0


def test_several_sources_keep_their_paths(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "x" / "old", {"1.txt": TEXTS[0], "2.txt": TEXTS[1]})
    write(tmp_path / "x" / "new", {"1.txt": TEXTS[2], "3.txt": TEXTS[3]})
    assert simdup("dedupe", "x/old", "x/new", "-o", "deep/er/out").status == 0
    assert simdup("dedupe", "x/old", "x/new", "-o", "out").status == 0
    assert set(tree(tmp_path / "out")) == {"old/1.txt", "old/2.txt", "new/3.txt"}
    names = "x/new/1.txt\0x/old/1.txt\0"
    ran = simdup("dedupe", "--files-from", "-", "-0", "-o", "out2", stdin=names.encode())
    assert (ran.status, set(tree(tmp_path / "out2"))) == (0, {"new/1.txt"})


def test_a_single_file_of_records_into_a_folder(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(b"".join(json_lines()))
    assert simdup("dedupe", "r.jsonl", "-o", "out/").status == 0
    assert set(tree(tmp_path / "out")) == {"r.jsonl"}


def test_dry_run_writes_nothing_and_lists(simdup: Command, tmp_path: Path) -> None:
    make_corpus(tmp_path / "in")
    before = set(os.listdir(tmp_path))
    ran = simdup("dedupe", "in", "--dry-run", "-o", "out")
    assert (ran.status, set(os.listdir(tmp_path))) == (0, before)
    assert len(ran.lines) == 9
    assert ran.lines[1].startswith("in/b/4.txt,exact copy,0,1.0000,in/b/1.txt")
    assert simdup("dedupe", "in").status == 2


def test_refused_targets(simdup: Command, tmp_path: Path) -> None:
    make_corpus(tmp_path / "in")
    (tmp_path / "link").symlink_to("in")
    os.link(tmp_path / "in" / "c" / "r.jsonl", tmp_path / "hard.jsonl")
    write(tmp_path, {"full/x": "x", "file": "x"})
    before = state(tmp_path)
    for source, target, why in [
        ("in", "in", "is a SOURCE itself"),
        ("in", "in/sub/out", "is inside a SOURCE"),
        ("in", "link", "is a SOURCE itself"),
        ("in", "link/out", "is inside a SOURCE"),
        ("in/a", "in", "contains a SOURCE"),
        ("in/c/r.jsonl", "in/c/r.jsonl", "is a SOURCE itself"),
        ("in/c/r.jsonl", "hard.jsonl", "is a SOURCE itself"),
    ]:
        for force in ((), ("--force",)):
            ran = simdup("dedupe", source, "-o", target, *force)
            assert (ran.status, why in ran.err) == (2, True), (source, target, ran.err)
    for target in ("full", "file"):
        ran = simdup("dedupe", "in", "-o", target)
        assert (ran.status, "not empty" in ran.err) == (2, True)
    assert simdup("dedupe", "in", "-o", "file", "--force").status == 2, "a file is not a folder"
    ran = simdup("dedupe", "in", "-o", "out", "--removed", "in/list.csv")
    assert (ran.status, "is inside a SOURCE" in ran.err) == (2, True)
    ran = simdup("dedupe", "in", "-o", "out", "--removed", "out/list.csv")
    assert (ran.status, "is inside OUT" in ran.err) == (2, True)
    ran = simdup("dedupe", "-", "--input-format", "jsonl", "-o", "in", "--force", stdin=b"{}")
    assert (ran.status, "is a folder" in ran.err) == (2, True)
    ran = simdup("dedupe", "-", "-o", "out", stdin=b"text")
    assert (ran.status, "must be records" in ran.err) == (2, True)
    ran = simdup("dedupe", "in", "-o", "out", "--reference", "out")
    assert (ran.status, "is a SOURCE itself" in ran.err) == (2, True)
    assert state(tmp_path) == before


def test_force_replaces_only_files_with_the_same_names(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "in", {"1.txt": TEXTS[0], "2.txt": TEXTS[2]})
    write(tmp_path / "out", {"1.txt": "old", "2.txt": "old", "mine.txt": "mine"})
    ran = simdup("dedupe", "in", "-o", "out", "--force")
    assert ran.status == 0
    for name in ("out/2.txt", "out/mine.txt"):
        assert f"simdup: {name}: left in place; not part of the result" in ran.err
    assert tree(tmp_path / "out") == {
        "1.txt": TEXTS[0].encode(),
        "2.txt": b"old",
        "mine.txt": b"mine",
    }


def test_references_are_never_redundant_nor_written(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "old", {"1.txt": TEXTS[0], "2.txt": TEXTS[0], "3.txt": TEXTS[5]})
    write(tmp_path / "new", {"a.txt": TEXTS[2], "b.txt": TEXTS[3], "c.txt": TEXTS[3]})
    ran = simdup("dedupe", "new", "-o", "out", "--reference", "old", "--removed", "-")
    assert ran.status == 0
    rows = [line.split(",") for line in ran.lines[1:]]
    assert [(row[0], row[4]) for row in rows] == [
        ("new/a.txt", "old/1.txt"),
        ("new/c.txt", "new/b.txt"),
    ]
    assert set(tree(tmp_path / "out")) == {"b.txt"}
    ran = simdup("scan", "new", "--reference", "old", "--keep", "longest", "-f", "jsonl")
    clusters = [json.loads(line) for line in ran.lines][:-1]
    roles = {d["document"]: d["role"] for c in clusters for d in c["documents"]}
    assert roles["old/1.txt"] == "kept"
    assert roles["new/a.txt"] == "redundant"
    assert "old/3.txt" not in roles, "what only references share is nobody's business"
    assert json.loads(ran.lines[-1])["redundant"] == 2


CHAIN = [f"{random.Random(n).getrandbits(40):x}" for n in range(200)]


def link(number: int) -> str:
    """A text near the previous and the next ones, but not near others."""
    return " ".join(CHAIN[number * 3 : number * 3 + 40])


def records(*texts: str) -> bytes:
    return b"".join(json.dumps({"text": text}).encode() + b"\n" for text in texts)


@pytest.mark.parametrize("seed", range(2))
def test_every_removed_document_is_near_one_that_stays(
    simdup: Command, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    texts = [link(chance.randrange(40)) for _ in range(60)]
    write(tmp_path / "old", {f"{n:02}": text for n, text in enumerate(texts[:15])})
    write(tmp_path / "new", {f"{n:02}": text for n, text in enumerate(texts[15:])})
    for least, more in (("0.8", ()), ("0.7", ("--reference", "old")), ("0.9", ("-k", "longest"))):
        out = ("-o", f"out{least}", "--removed", "-", "--method", "simhash", "-d", "64")
        arguments = ("new", *out, "-s", least, *more)
        ran = simdup("dedupe", *arguments)
        rows = list(csv.reader(ran.lines[1:]))
        assert rows
        gone = {row[0] for row in rows}
        asked = ("-s", least, "--method", "simhash", "-d", "64", *more, "--list", "redundant")
        assert set(simdup("scan", "new", *asked).lines) == gone
        for name, _, _, similarity, kept, *_ in rows:
            assert kept not in gone
            alike = plain.resemblance(*((tmp_path / one).read_text() for one in (name, kept)))
            assert alike >= float(least)
            assert similarity == f"{math.floor(round(alike * 1e4, 6)) / 1e4:.4f}"
        assert gone.isdisjoint(f"new/{name}" for name in tree(tmp_path / f"out{least}"))


def test_a_document_near_the_second_reference_is_redundant(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "old", {"1": link(0), "2": link(2)})
    write(tmp_path / "new", {"between": link(1), "near 2": link(3), "far": link(4)})
    ran = simdup("scan", "new", "--reference", "old", "-f", "jsonl")
    (cluster, summary) = map(json.loads, ran.lines)
    kept = {one["document"]: one["kept"] for one in cluster["documents"]}
    assert kept == {
        "old/1": "old/1", "old/2": "old/2", "new/between": "old/1", "new/near 2": "old/2",
        "new/far": "new/far",
    }  # fmt: skip
    assert summary["redundant"] == 2
    staying = simdup("scan", "new", "--reference", "old", "--list", "kept", "-q").lines
    assert staying == ["new/far"]
    ran = simdup("dedupe", "new", "--reference", "old", "--removed", "-", "--dry-run")
    assert [row[0::4][:2] for row in csv.reader(ran.lines[1:])] == [
        ["new/between", "old/1"], ["new/near 2", "old/2"],
    ]  # fmt: skip


def test_the_report_says_how_much_stays(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_bytes(b"".join(json_lines()))
    before = len(b"".join(json_lines()))
    after = sum(len(json_lines()[n]) for n in STAY)
    sizes = f"{size_words(after)} of {size_words(before)} ({1 - after / before:.0%} saved)"
    ran = simdup("dedupe", "r.jsonl", "-o", "o.jsonl", "--removed", "gone.csv")
    assert ran.err.splitlines()[-2:] == [
        f"Wrote o.jsonl: 4 of 6 documents stay, {sizes}.",
        "Wrote gone.csv: 2 removed documents.",
    ]
    told = simdup("dedupe", "r.jsonl", "-o", "o.jsonl.gz").err
    assert told.endswith("\nWrote o.jsonl.gz: 4 of 6 documents stay.\n"), "sizes do not compare"
    told = simdup("dedupe", "r.jsonl", "-o", "-").err
    assert "\nWrote to standard output: 4 of 6 documents stay" in told
    told = simdup("dedupe", "r.jsonl", "--dry-run").err
    assert told.endswith("\nWrote no corpus: 4 of 6 documents stay.\n")
    write(tmp_path / "in", {str(n): text for n, text in enumerate(TEXTS)})
    write(tmp_path / "out", {"2": "of another run, and no part of this one"})
    after = sum(len(TEXTS[n].encode()) for n in STAY)
    before = sum(len(text.encode()) for text in TEXTS)
    told = simdup("dedupe", "in", "-o", "out", "--force").err
    sizes = f"{size_words(after)} of {size_words(before)} ({1 - after / before:.0%} saved)"
    assert told.endswith(f"\nWrote out: 4 of 6 documents stay, {sizes}.\n")
    assert "Wrote" not in simdup("dedupe", "missing", "-o", "none").err


def test_preferred_documents_stay(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path / "c", {"a/1.txt": TEXTS[0], "gold/2.txt": TEXTS[2], "z.md": TEXTS[0]})
    for options, kept in [
        ((), "c/a/1.txt"),
        (("--prefer", "*/gold/*"), "c/gold/2.txt"),
        (("--prefer", "*.md", "--prefer", "*/gold/*"), "c/z.md"),
        (("--prefer", "*.html"), "c/a/1.txt"),
        (("--prefer", "*.txt", "--keep", "oldest"), "c/gold/2.txt"),
    ]:
        os.utime(tmp_path / "c" / "gold" / "2.txt", (9e8, 9e8))
        os.utime(tmp_path / "c" / "z.md", (1e8, 1e8))
        line = simdup("scan", "c", "-f", "jsonl", *options).lines[0]
        assert json.loads(line)["documents"][0]["document"] == kept
    (tmp_path / "r.jsonl").write_bytes(b"".join(json_lines()))
    line = simdup("scan", "c", "r.jsonl", "-f", "jsonl", "--prefer", "r.jsonl").lines[0]
    assert json.loads(line)["documents"][0]["document"] == "r.jsonl#1"


def test_records_of_one_name_are_not_mixed_up(simdup: Command, tmp_path: Path) -> None:
    """A file may have the name of a record of another file."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "r.jsonl").write_bytes(b"".join(json_lines()))
    (tmp_path / "in" / "r.jsonl#3").write_text(prose(77))
    assert simdup("dedupe", "in", "-o", "out").status == 0
    assert set(tree(tmp_path / "out")) == {"r.jsonl", "r.jsonl#3"}
    same = [json.dumps({"id": "x", "text": text}).encode() + b"\n" for text in TEXTS]
    (tmp_path / "r.jsonl").write_bytes(b"".join(same))
    assert simdup("dedupe", "r.jsonl", "-o", "o.jsonl", "--id-field", "id").status == 0
    assert (tmp_path / "o.jsonl").read_bytes() == b"".join(same[n] for n in STAY)


def test_a_damaged_file_of_records_is_not_cut_short(simdup: Command, tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(json_lines() * 20))
    write(tmp_path / "in", {"a.txt": TEXTS[0]})
    (tmp_path / "in" / "r.jsonl.gz").write_bytes(whole[:-20])
    ran = simdup("dedupe", "in", "-o", "out")
    assert (ran.status, "damaged gzip data" in ran.err) == (2, True)
    assert tree(tmp_path / "out") == tree(tmp_path / "in")
    ran = simdup("dedupe", "in/r.jsonl.gz", "-o", "r.jsonl.gz")
    assert (ran.status, "damaged gzip data" in ran.err) == (2, True)
    assert not (tmp_path / "r.jsonl.gz").exists()


def test_what_stays_in_a_file_that_is_kept_whole_is_counted(
    simdup: Command, tmp_path: Path
) -> None:
    rows = "".join(json.dumps({"text": prose(n)}) + "\n" for n in range(40)).encode()
    packed = gzip.compress(rows)
    write(tmp_path, {"c/a.jsonl": rows.decode(), "eval.jsonl": rows.decode().split("\n")[0] + "\n"})
    (tmp_path / "c" / "b.jsonl.gz").write_bytes(packed[: len(packed) * 9 // 10])
    ran = simdup("dedupe", "c", "-o", "clean")
    assert ran.status == 2
    read = int(re.findall(r"Read (\d+) documents", ran.err)[0])
    assert f"simdup: c/b.jsonl.gz: {read - 40} redundant in it; it was not read to its" in ran.err
    assert f"\n{read - 40} of the redundant stay: their files are kept whole.\n" in ran.err
    assert f"{read} of {read} documents stay" in ran.err
    assert "of the redundant stay" in simdup("dedupe", "c", "--dry-run").err
    ran = simdup("dedupe", "c", "-o", "lines", "--unit", "line")
    assert re.search(r"simdup: c/b.jsonl.gz: \d+ lines repeated in it; it was not read", ran.err)
    ran = simdup("decontaminate", "c", "-o", "left", "--against", "eval.jsonl")
    assert "simdup: c/b.jsonl.gz: 1 document with a leak in it; it was not read" in ran.err
    assert "1 document that has evaluation text could not be changed, and stays.\n" in ran.err


def test_a_source_that_changes_stops_it(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.jsonl").write_bytes(b"".join(json_lines()))
    meddle(monkeypatch, lambda: (tmp_path / "r.jsonl").write_bytes(b"other"))
    ran = simdup("dedupe", "r.jsonl", "-o", "out.jsonl")
    assert (ran.status, "changed while it was read" in ran.err) == (2, True)
    assert not (tmp_path / "out.jsonl").exists()


def start_work(folder: Path, target: str) -> subprocess.Popen[bytes]:
    """Start a run, and return when it has begun to read, with a spool in `tmp`."""
    write(folder / "in", {f"{n}.txt": prose(n, 200) for n in range(600)})
    (folder / "tmp").mkdir()
    running = subprocess.Popen(
        command("dedupe", "in", "-o", target, "-q", "-j", "2"),
        cwd=folder,
        env=environment(TMPDIR=str(folder / "tmp")),
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 20
    while not os.listdir(folder / "tmp") and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.1)
    return running


def test_two_runs_into_one_place(tmp_path: Path) -> None:
    write(tmp_path / "in", {f"{n}.txt": prose(n, 40) for n in range(300)})
    arguments = command("dedupe", "in", "-o", "out", "-q", "--no-progress")
    runs = []
    for _ in range(3):
        runs.append(
            subprocess.Popen(arguments, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE)
        )
        time.sleep(0.1)
    said = [run.communicate(timeout=60)[1].decode() for run in runs]
    assert sorted(run.returncode for run in runs) == [0, 2, 2], said
    # It depends on when the first one ends what the others find.
    refusals = (
        "another simdup is writing to it (process",
        "something was created in it during the run",
        "not empty",
    )
    for run, err in zip(runs, said, strict=True):
        assert run.returncode == 0 or any(refusal in err for refusal in refusals), err
    assert tree(tmp_path / "out") == tree(tmp_path / "in")
    assert set(os.listdir(tmp_path)) == {"in", "out"}


def meddle(monkeypatch: pytest.MonkeyPatch, how: Callable[[], object]) -> None:
    """Do something between reading and writing."""
    import simdup.operations.dedupe as deduping

    examine = deduping.examine

    def and_meddle(*given: Any, **options: Any) -> object:
        found = examine(*given, **options)
        how()
        return found

    monkeypatch.setattr(deduping, "examine", and_meddle)


@pytest.mark.parametrize("kind", ["vanished", "changed", "reference"])
def test_documents_redundant_because_of_a_lost_source_stay(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    source = write(tmp_path / "in", {"0.txt": TEXTS[1], "2.txt": TEXTS[2], "9.txt": TEXTS[1]})
    (source / "r.jsonl").write_bytes(json.dumps({"text": TEXTS[0]}).encode() + b"\n" + b"{}\n")
    first = write(tmp_path / ("ref" if kind == "reference" else "in"), {"1.txt": TEXTS[0]})
    lost = first / "1.txt"
    meddle(monkeypatch, lost.unlink if kind == "vanished" else lambda: lost.write_text("other"))
    more = ("--reference", "ref") if kind == "reference" else ()
    options = ("--field", "text", "--removed", "gone.csv", *more)
    ran = simdup("dedupe", "in", "-o", "out", *options)
    assert ran.status == 2
    assert f"{first.name}/1.txt: " in ran.err
    assert ("vanished during the run" if kind == "vanished" else "changed while") in ran.err
    found = tree(tmp_path / "out")
    expected = {name: content for name, content in tree(source).items() if name != "9.txt"}
    assert found == expected
    gone = [line.split(",")[0] for line in (tmp_path / "gone.csv").read_text().splitlines()[1:]]
    assert gone == ["in/9.txt"]


def test_a_source_that_vanishes_while_it_is_copied(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "in", {"a.txt": prose(9), "b.txt": TEXTS[0], "a0.txt": TEXTS[2]})
    from simdup.corpus import rewriting

    opened = rewriting.open_regular

    def and_remove(path: str) -> IO[bytes]:
        if path.endswith("a0.txt"):
            os.unlink(path)
        return opened(path)

    monkeypatch.setattr(rewriting, "open_regular", and_remove)
    ran = simdup("dedupe", "in", "-o", "out")
    assert (ran.status, "in/a0.txt: no such file or folder" in ran.err) == (2, True)
    assert tree(tmp_path / "out") == tree(source)
    assert "b.txt" in tree(source)


def test_a_source_that_becomes_a_named_pipe_is_named(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "in", {"a.txt": TEXTS[0], "b.txt": TEXTS[2], "c.txt": TEXTS[1]})
    lost = source / "a.txt"

    def replace() -> None:
        lost.unlink()
        os.mkfifo(lost)

    meddle(monkeypatch, replace)
    ran = simdup("dedupe", "in", "-o", "out")
    assert (ran.status, "in/a.txt: no longer a regular file" in ran.err) == (2, True)
    assert sorted(tree(tmp_path / "out")) == ["b.txt", "c.txt"]


def test_a_redundant_source_that_changed_stays(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "in", {"a.txt": TEXTS[0], "b.txt": TEXTS[2]})
    meddle(monkeypatch, lambda: (source / "b.txt").write_text("quite another text"))
    ran = simdup("dedupe", "in", "-o", "out", "--removed", "-")
    assert (ran.status, len(ran.lines)) == (2, 1)
    assert tree(tmp_path / "out") == tree(source)


def test_a_reference_that_vanishes_stops_a_single_file(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.jsonl").write_bytes(b"".join(json_lines()))
    write(tmp_path, {"ref/1.txt": TEXTS[0]})
    meddle(monkeypatch, (tmp_path / "ref" / "1.txt").unlink)
    ran = simdup("dedupe", "r.jsonl", "-o", "out.jsonl", "--reference", "ref")
    assert (ran.status, "ref/1.txt: no such file" in ran.err) == (2, True)
    assert not (tmp_path / "out.jsonl").exists()


def stats(folder: Path) -> dict[str, tuple[int, int]]:
    found = [folder, *folder.rglob("*")]
    return {
        str(path.relative_to(folder)): (path.stat().st_mode, path.stat().st_mtime_ns)
        for path in found
    }


def test_modes_and_times_are_kept(simdup: Command, tmp_path: Path) -> None:
    source = make_corpus(tmp_path / "in")
    modes = iter([0o600, 0o640, 0o400, 0o755] * 9)
    for number, path in enumerate(sorted(source.rglob("*"), reverse=True)):
        path.chmod(next(modes) if path.is_file() else 0o700)
        os.utime(path, ns=(10**18 + number * 10**9 + 7,) * 2)
    (source / "a").chmod(0o500)
    source.chmod(0o700)
    os.utime(source, (8e8, 8e8))
    assert simdup("dedupe", "in", "-o", "out", "-q").status == 0
    found = stats(tmp_path / "out")
    expected = stats(source)
    assert "c/r.jsonl" in found, "the one that is written anew"
    assert found == {name: expected[name] for name in found}
    (tmp_path / "empty").mkdir(mode=0o711)
    assert simdup("dedupe", "in", "-o", "empty", "-q").status == 0
    assert stat.S_IMODE((tmp_path / "empty").stat().st_mode) == 0o711
    (tmp_path / "r.jsonl").write_bytes(b"".join(json_lines()))
    (tmp_path / "r.jsonl").chmod(0o600)
    os.utime(tmp_path / "r.jsonl", (8e8, 8e8))
    assert simdup("dedupe", "r.jsonl", "-o", "out.jsonl", "-q").status == 0
    assert stats(tmp_path / "out.jsonl") == stats(tmp_path / "r.jsonl")


def test_force_into_a_folder_with_files_changes_it_at_the_end_only(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "in", {"a/1.txt": TEXTS[0], "a/2.txt": TEXTS[1], "b/3.txt": TEXTS[3]})
    write(tmp_path / "out", {"a/1.txt": "old", "b": "a file where a folder goes"})
    (tmp_path / "out").chmod(0o750)
    before = state(tmp_path / "out")
    ran = simdup("dedupe", "in", "-o", "out", "--force")
    assert (ran.status, "out/b: is a file, but a folder in the SOURCEs" in ran.err) == (2, True)
    assert state(tmp_path / "out") == before
    (tmp_path / "out" / "b").unlink()
    assert simdup("dedupe", "in", "-o", "out", "--force").status == 0
    assert tree(tmp_path / "out") == tree(source)
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o750
    assert not [name for name in os.listdir(tmp_path / "out") if name.startswith(".")]


@pytest.mark.parametrize("source", ["in", "r.jsonl"])
def test_files_that_appear_at_the_target_meanwhile_stay(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    write(tmp_path, {"in/1.txt": TEXTS[0]})
    (tmp_path / "r.jsonl").write_bytes(b"".join(json_lines()))
    theirs = tmp_path / "out" / "theirs" if source == "in" else tmp_path / "out"

    def appear() -> None:
        theirs.parent.mkdir(exist_ok=True)
        theirs.write_text("theirs")

    meddle(monkeypatch, appear)
    ran = simdup("dedupe", source, "-o", "out")
    assert (ran.status, "out: was created by another program during the run" in ran.err) == (
        2,
        True,
    )
    assert theirs.read_text() == "theirs"
    assert set(os.listdir(tmp_path)) == {"in", "r.jsonl", "out"}


def test_sources_with_the_same_place_in_out_are_an_error(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"x/f.txt": TEXTS[0], "y/sub/e.txt": TEXTS[1], "y/f.txt": TEXTS[3]})
    (tmp_path / "x" / "link").symlink_to(tmp_path / "y" / "sub")
    ran = simdup("dedupe", "x/f.txt", "x/link/../f.txt", "-o", "out")
    assert (ran.status, "would have the same place in OUT as x/f.txt" in ran.err) == (2, True)
    assert set(os.listdir(tmp_path)) == {"x", "y"}


def test_no_output_overwrites_a_source(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"in/a.txt": TEXTS[0], "in/b.txt": TEXTS[2], "c.txt": TEXTS[1]})
    os.link(tmp_path / "c.txt", tmp_path / "hard")
    (tmp_path / "link").symlink_to("c.txt")
    before = state(tmp_path)
    for verb in ("scan", "fit", "fingerprint"):
        for sources, out in [
            (["c.txt", "in"], "c.txt"),
            (["c.txt"], "hard"),
            (["c.txt"], "link"),
            (["in"], "in/a.txt"),
            (["c.txt", "."], "./in/../in/b.txt"),
        ]:
            more = ("-f", "text") if verb == "scan" else ()
            ran = simdup(verb, *sources, "-o", out, *more)
            assert (ran.status, "SOURCE" in ran.err) == (2, True), (verb, out, ran.err)
    ran = simdup("scan", "in", "--reference", "c.txt", "-f", "csv", "-o", "c.txt")
    assert (ran.status, "is a SOURCE itself" in ran.err) == (2, True)
    assert simdup("dedupe", "in", "-o", "out", "--removed", "in/a.txt").status == 2
    assert state(tmp_path) == before
    assert simdup("fingerprint", "in", "-o", "prints").status == 0
    assert simdup("index", "build", "i", "in", "-q").status == 0
    before = state(tmp_path)
    for arguments in (
        ("cluster", "prints", "-f", "csv", "-o", "prints"),
        ("pairs", "prints", "-o", "prints"),
        ("query", "i", "in", "-f", "csv", "-o", "in/a.txt"),
        ("query", "i", "in", "-f", "csv", "-o", "i"),
        ("index", "export", "i", "-o", "i"),
        ("compare", "in/a.txt", "in/b.txt", "-f", "text", "-o", "in/b.txt"),
    ):
        ran = simdup(*arguments)
        assert (ran.status, "is a SOURCE itself" in ran.err or "is inside a" in ran.err) == (
            2,
            True,
        )
    assert state(tmp_path) == before


def test_results_in_a_source_are_written_again(simdup: Command, tmp_path: Path) -> None:
    write(tmp_path, {"a.md": TEXTS[0], "b.md": TEXTS[0]})
    for arguments in (
        ("scan", ".", "-o", "found.csv"),
        ("scan", ".", "-o", "found.jsonl"),
        ("scan", ".", "-o", "found.txt"),
        ("scan", ".", "-o", "found.txt", "--glob", "*.md"),
        ("scan", ".", "-o", "found.out", "--exclude", "found.*", "-f", "text"),
        ("fit", ".", "-o", "model"),
        ("fingerprint", ".", "-o", "prints"),
    ):
        for _ in range(2):
            ran = simdup(*arguments)
            assert "SOURCE" not in ran.err, ran.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_stopped_it_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    running = start_work(tmp_path, "deep/out")
    assert not (tmp_path / "deep" / "out").exists()
    running.send_signal(number)
    assert running.wait(30) == 128 + number
    assert os.listdir(tmp_path / "tmp") == []
    assert set(os.listdir(tmp_path)) == {"in", "tmp"}


def test_leftovers_of_a_killed_run_are_removed_by_the_next(tmp_path: Path) -> None:
    running = start_work(tmp_path, "out")
    running.kill()
    running.wait()
    assert os.listdir(tmp_path / "tmp")
    assert len(os.listdir(tmp_path)) == 4, "a work folder and a lock"
    write(tmp_path / "few", {"1.txt": TEXTS[0]})
    ran = process("dedupe", "few", "-o", "out", cwd=tmp_path, TMPDIR=str(tmp_path / "tmp"))
    assert ran.status == 0, ran.err
    assert os.listdir(tmp_path / "tmp") == []
    assert set(os.listdir(tmp_path)) == {"in", "few", "tmp", "out"}


def test_a_folder_on_a_disk_of_its_own_is_filled(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write(tmp_path / "in", {"a/1.txt": TEXTS[0], "2.txt": TEXTS[1]})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".simdup-1-abcdefgh").mkdir()
    monkeypatch.setattr(os.path, "ismount", lambda path: os.path.basename(path) == "out")
    number = (tmp_path / "out").stat().st_ino
    assert simdup("dedupe", "in", "-o", "out").status == 0
    assert (tmp_path / "out").stat().st_ino == number, "it cannot be replaced"
    assert tree(tmp_path / "out") == tree(source)
    assert set(os.listdir(tmp_path / "out")) == {"a", "2.txt"}
