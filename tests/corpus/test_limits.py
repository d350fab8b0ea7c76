"""Documents above --max-size are skipped, wherever they are; the run continues."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import time
import tracemalloc
from collections import deque
from pathlib import Path

import pytest
from record_forms import as_array
from support import Command, environment

from lab.corpora.made import near, prose, write
from simdup.corpus import compression
from simdup.corpus.compression import compress
from simdup.corpus.delimited import csv_rows, decode_latin_1
from simdup.corpus.lines import Oversized

MEGABYTE = 1 << 20

# Prints the most memory it took, in MB, as the last line of standard error. (getrusage counts that
# of the process that started it, too.)
MEASURED = """
import re, sys
from simdup.cli import main
try:
    main()
finally:
    status = open("/proc/self/status").read()
    print(int(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1]) // 1024, file=sys.stderr)
"""


def bomb(path: Path, before: bytes, after: bytes, megabytes: int, filling: bytes = b"a ") -> None:
    piece = filling * (MEGABYTE // len(filling))
    kind = {".zst": "zstd", ".gz": "gzip"}[path.suffix]
    with open(path, "wb") as file, compress(file, kind) as stream:
        stream.write(before)
        for _ in range(megabytes):
            stream.write(piece)
        stream.write(after)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_bombs_are_skipped_in_bounded_memory(tmp_path: Path) -> None:
    """Earlier, they ended the run with an error about memory."""
    corpus = write(tmp_path / "c", {"a.txt": prose(1), "z.txt": near(prose(1))})
    row = json.dumps({"text": prose(2)}).encode() + b"\n"
    bomb(corpus / "bomb.txt.zst", b"", b"", 200)
    bomb(corpus / "bomb.html.gz", b"<p>", b"</p>", 30)
    bomb(corpus / "bomb.jsonl.zst", row + b'{"text": "', b'"}\n' + row, 200)
    bomb(corpus / "quote.csv.zst", b'text\n"', b"", 30, b"never closed, and on it goes,\n")
    for jobs in ("1", "2"):
        scanned_beside_bombs(tmp_path, jobs)


def scanned_beside_bombs(folder: Path, jobs: str) -> None:
    options = ["-f", "jsonl", "-j", jobs, "--max-size", "3M", "--extract", "all"]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "scan", "c", *options],
        cwd=folder, env=environment(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    *_, last = done.stderr.splitlines()
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    why = "larger than 3 MB: see --max-size"
    assert done.returncode == 2
    assert {x["document"]: x["reason"] for x in lines if x["type"] == "skipped"} == {
        "c/bomb.txt.zst": why,
        "c/bomb.html.gz": why,
        "c/bomb.jsonl.zst#2": f"line 2: {why}",
        "c/quote.csv.zst#1": f"line 2: {why}",
    }
    clusters = [[d["document"] for d in x["documents"]] for x in lines if x["type"] == "cluster"]
    assert sorted(clusters) == [
        ["c/a.txt", "c/z.txt"], ["c/bomb.jsonl.zst#1", "c/bomb.jsonl.zst#3"],
    ]  # fmt: skip
    assert int(last) < 200, "MB"


def table(texts: list[str], delimiter: str) -> bytes:
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter).writerows([["text", "n"], *([t, "1"] for t in texts)])
    return written.getvalue().encode()


@pytest.mark.parametrize(
    ("line", "size"),
    [
        ("x", 3_000),
        ("x", 600_000),  # more than what is read at once
        ('he said "so",\n', 3_000),
        ('he said "so",\n', 600_000),
        ("x x y\r\n", 3_000),
    ],
    ids=range(5),
)
@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_records_keep_their_numbers_around_larger_ones(
    simdup: Command, tmp_path: Path, form: str, line: str, size: int
) -> None:
    large = line * (size // len(line))
    texts = [prose(1), large, large, prose(2), prose(1), large, prose(2)]
    if form == "jsonl":
        content = "".join(json.dumps({"text": text}) + "\n" for text in texts).encode()
    elif form == "json":
        content = as_array([{"text": text} for text in texts])
    elif form == "parquet":
        pa = pytest.importorskip("pyarrow", reason="needs the extra simdup[parquet]")
        import pyarrow.parquet as pq

        buffer = io.BytesIO()
        pq.write_table(pa.table({"text": texts}), buffer)
        content = buffer.getvalue()
    else:
        content = table(texts, "," if form == "csv" else "\t")
    name = f"r.{form}"
    (tmp_path / name).write_bytes(content)
    limit = ("--max-size", "2900", "--recipe", "default,tokens=split", "--shingle", "words:1")
    ran = simdup("scan", name, "-f", "jsonl", *limit)
    lines = [json.loads(one) for one in ran.lines]
    clusters = [[d["document"] for d in x["documents"]] for x in lines if x["type"] == "cluster"]
    assert clusters == [[f"{name}#1", f"{name}#5"], [f"{name}#4", f"{name}#7"]]
    skipped = {x["document"]: x["reason"] for x in lines if x["type"] == "skipped"}
    assert list(skipped) == [f"{name}#{n}" for n in (2, 3, 6)]
    assert ran.status == 2
    if form == "parquet":
        return
    assert simdup("dedupe", name, "-o", f"clean.{form}", *limit).status == 2
    kept = [prose(1), large, large, prose(2), large]
    if form == "jsonl":
        expected = "".join(json.dumps({"text": text}) + "\n" for text in kept).encode()
    elif form == "json":
        expected = as_array([{"text": text} for text in kept])
    else:
        expected = table(kept, "," if form == "csv" else "\t")
    assert (tmp_path / f"clean.{form}").read_bytes() == expected


def test_files_of_more_than_the_limit_and_of_just_as_much(simdup: Command, tmp_path: Path) -> None:
    text = prose(1, 600)
    size = len(text.encode())
    write(tmp_path, {"a.txt": text, "b.txt": text, "c.txt": text + "."})
    ran = simdup("scan", "a.txt", "b.txt", "c.txt", "--max-size", str(size))
    assert ran.status == 2
    assert f"simdup: c.txt: larger than {size} bytes: see --max-size" in ran.err
    assert "2 documents" in ran.err
    ran = simdup("compare", "a.txt", "c.txt", "--max-size", "1k")
    assert (ran.status, ran.err) == (2, "simdup: a.txt: larger than 1 kB: see --max-size\n")
    ran = simdup("scan", "-", "--max-size", "100", stdin=text.encode())
    assert (ran.status, "standard input: larger than 100 bytes" in ran.err) == (2, True)


def test_empty_frames_do_not_take_long(simdup: Command, tmp_path: Path) -> None:
    """Earlier, 8 MB took 10 s: no byte of content was there for a limit to see."""
    frame = bytes.fromhex("28b52ffd2000010000")
    write(tmp_path / "c", {"a.txt": prose(1)})
    (tmp_path / "c/b.txt.zst").write_bytes(frame * (8 << 20 >> 3))
    started = time.process_time()
    ran = simdup("scan", "c", "-j", "1")
    assert time.process_time() - started < 5
    said = "simdup: c/b.txt.zst: zstd data in too many frames for its size"
    assert (ran.status, ran.err.splitlines()[0]) == (2, said)


def test_records_may_be_frames_of_their_own(
    simdup: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "_FRAMES", 20)
    rows = [json.dumps({"text": f"lantern {n}"}).encode() + b"\n" for n in range(500)]
    with open(tmp_path / "r.jsonl.zst", "wb") as file:
        # More frames than are always read.
        for row in rows:
            with compress(file, "zstd") as frame:
                frame.write(row)
    assert len(simdup("fingerprint", "r.jsonl.zst", "-j", "1").lines) == 1 + 500


OPTIONS = [
    "scan c --decisions ZERO", "scan c --baseline ZERO", "scan c --update-baseline --baseline ZERO",
    "scan c --dict ZERO", "scan c --recipe default,idf=ZERO", "scan c --config ZERO",
    "query ZERO c",
    "scan --files-from ZERO", "evaluate ZERO c/a.txt", "pairs ZERO", "cluster ZERO",
]  # fmt: skip

# Runs one command after another, and prints the status of each below what it said.
ALL = """
import sys
from simdup.cli import main
for call in sys.argv[1:]:
    try:
        main(call.split())
    except SystemExit as left:
        print("status", left.code, file=sys.stderr, flush=True)
"""


def limited(*calls: str, cwd: Path) -> list[str]:
    """What commands say that fail, in one process whose memory and time end soon."""
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    done = subprocess.run(
        [sys.executable, "-c", ALL, *calls], cwd=cwd, env=environment(), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60, check=True, preexec_fn=limit,
    )  # fmt: skip
    said = done.stderr.split("status 2\n")
    assert (len(said), said.pop()) == (len(calls) + 1, "")
    return said


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no /dev/zero here")
def test_options_read_no_device(tmp_path: Path) -> None:
    """Earlier, memory grew until the run was killed."""
    write(tmp_path / "c", {"a.txt": prose(1)})
    calls = [typed.replace("ZERO", "/dev/zero") for typed in OPTIONS]
    fault = "(not a regular file|a device, not a file|is not a simdup index)"
    for typed, said in zip(calls, limited(*calls, cwd=tmp_path), strict=True):
        assert re.match(rf"simdup: /dev/zero: {fault}\n", said), typed


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_options_do_not_wait_for_a_pipe(tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.txt": prose(1)})
    os.mkfifo(tmp_path / "pipe")
    names = {"decisions": "scan c", "baseline": "scan c", "recipe": "scan c",
             "dict": "dedupe c --dry-run", "index": "dedupe c --dry-run"}  # fmt: skip
    write(tmp_path, {f"{name}.toml": f"{name} = 'pipe'" for name in names})
    write(tmp_path, {"recipe.toml": "recipe = 'default,idf=pipe'"})
    calls = [f"{typed} --config {name}.toml" for name, typed in names.items()]
    for typed, said in zip(calls, limited(*calls, cwd=tmp_path), strict=True):
        assert said.startswith("simdup: pipe: not a regular file\n"), typed


def test_a_file_of_an_option_is_limited(tmp_path: Path) -> None:
    write(tmp_path / "c", {"a.txt": prose(1)})
    with open(tmp_path / "large", "wb") as file:
        file.truncate(1 << 40)
    names = ["decisions", "baseline", "dict", "recipe default,idf=large", "config"]
    calls = [f"scan c --{name} {'' if ' ' in name else 'large'}" for name in names]
    for name, said in zip(names, limited(*calls, cwd=tmp_path), strict=True):
        most = 1 if name == "config" else 1024
        assert said.startswith(f"simdup: large: larger than {most} MB\n"), name


def test_the_default_is_100_megabytes(simdup: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(prose(1))
    (tmp_path / "b.txt").write_text(prose(1))
    with open(tmp_path / "c.txt", "wb") as file:
        file.truncate((100 << 20) + 1)
    ran = simdup("scan", "a.txt", "b.txt", "c.txt")
    assert ran.status == 2
    assert "simdup: c.txt: larger than 100 MB: see --max-size\n" in ran.err


def test_a_record_of_many_short_lines_takes_its_size_in_memory() -> None:
    """An unclosed quote; as a list of lines, its content took twenty times its size."""
    line = b"ab\n"
    raw = io.BytesIO(b'text\n"' + line * (MEGABYTE // 4))
    rows = csv_rows(raw, ",", decode_latin_1, MEGABYTE // 4)
    tracemalloc.start()
    try:
        [last] = deque(rows, maxlen=1)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert last == (b"", Oversized.END)
    # The CSV reader stores each character in four bytes, twice while its buffer grows.
    assert most < 4 * MEGABYTE
