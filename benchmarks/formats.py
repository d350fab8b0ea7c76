"""How fast each format is read: documents and megabytes of text a second, beside plain files.

Passages of real texts of about 10 kB, the same in every format, are fingerprinted with the built-in
table; so are the same texts in files of 1 kB, and in HTML pages.  The formats take turns; the
figures are medians, the ratio is that of the rounds to plain files.  "unpacking" is the share of
the processor's time that decompression takes, or finding the main text, measured alone.

    python -m benchmarks.formats [MEGABYTES [ROUNDS]]
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from simdup.corpus.compression import compress, decompress
from simdup.corpus.html import extract_text

ROOT = Path(__file__).resolve().parents[1]
LONG, SHORT = 3500, 350  # characters of a passage: about 10 kB and 1 kB


def passages(folder: Path, megabytes: float, length: int) -> Iterator[str]:
    """Yield passages of the texts of `laws` and `vsdocs`, again and again with another number."""
    texts = []
    for name in ("laws", "vsdocs"):
        with gzip.open(folder / name / "docs.jsonl.gz", "rt", encoding="utf-8") as lines:
            texts += [json.loads(line)["text"] for line in lines]
    done = turn = 0
    while True:
        for text in texts:
            for start in range(0, len(text), length):
                passage = f"{turn} {text[start : start + length]}"
                yield passage
                done += len(passage.encode())
                if done > megabytes * 1e6:
                    return
        turn += 1


def write(place: Path, megabytes: float, data: Path) -> dict[str, tuple[Path, int, int]]:
    """Write the same texts in every format; return place, documents and bytes of text of each."""
    made: dict[str, tuple[Path, int, int]] = {}
    texts = list(passages(data, megabytes, LONG))
    size = sum(len(text.encode()) for text in texts)

    def add(name: str, path: Path) -> None:
        made[name] = (path, len(texts), size)

    def folder(name: str, suffix: str, held: list[str], wrap: Callable[[str], str]) -> Path:
        for number, text in enumerate(held):
            path = place / name / str(number // 1000) / f"{number}{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wrap(text).encode())
        return place / name

    add("files of 10 kB", folder("plain", ".txt", texts, str))
    short = list(passages(data, megabytes, SHORT))
    files = folder("short", ".txt", short, str)
    made["files of 1 kB"] = (files, len(short), sum(len(text.encode()) for text in short))
    lines = "".join(json.dumps({"text": t}, ensure_ascii=False) + "\n" for t in texts).encode()
    table = io.StringIO(newline="")
    csv.writer(table).writerows([["text"], *([text] for text in texts)])
    contents = {"jsonl": lines, "csv": table.getvalue().encode()}
    for form, content in contents.items():
        for suffix, compression in (("", ""), (".gz", "gzip"), (".zst", "zstd")):
            path = place / f"r.{form}{suffix}"
            with path.open("wb") as file, compress(file, compression) as stream:
                stream.write(content)
            add(path.name[2:], path)
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"text": texts}), place / "r.parquet", compression="zstd")
        add("parquet", place / "r.parquet")
    except ImportError:
        print("pyarrow is not installed: Parquet is not measured")
    try:
        import justext  # noqa: F401

        add("html", folder("html", ".html", texts, page))
    except ImportError:
        print("justext is not installed: HTML is not measured")
    return made


def page(text: str) -> str:
    """Return a page around a text."""
    body = "".join(f"<p>{line}</p>" for line in text.splitlines() if line.strip())
    return f"<html><body><ul>{'<li><a href=/>首页</a></li>' * 20}</ul>{body}</body></html>"


def fingerprint(path: Path) -> tuple[float, float]:
    """Fingerprint a source; return the seconds it took, and those of the processors."""
    command = [sys.executable, "-m", "simdup", "fingerprint", "--idf", "builtin", "-q", str(path)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    before, started = os.times(), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, check=True)
    after = os.times()
    return time.perf_counter() - started, sum(after[2:4]) - sum(before[2:4])


def unpacking(path: Path) -> float:
    """Return the seconds that unpacking alone takes; 0 where there is nothing to unpack."""
    started = time.process_time()
    compression = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix)
    if compression:
        with path.open("rb") as file, decompress(file, compression) as stream:
            while stream.read(1 << 19):
                pass
    elif path.name == "html":
        for file in path.rglob("*.html"):
            extract_text(file.read_text(encoding="utf-8"), "main")
    elif path.suffix == ".parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as table:
            for _ in table.iter_batches(use_threads=False):
                pass
    else:
        return 0.0
    return time.process_time() - started


def main() -> None:
    """Measure and print."""
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else 30
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    data = Path(os.environ.get("SIMDUP_DATA", ROOT.parent / "shared" / "data"))
    if not data.is_dir():
        raise SystemExit(f"formats: no real texts in {data}: set SIMDUP_DATA")
    with tempfile.TemporaryDirectory() as folder:
        made = write(Path(folder), megabytes, data)
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in made}
        for _ in range(rounds):
            for name, (path, _, _) in made.items():
                taken[name].append(fingerprint(path))
        plain = taken["files of 10 kB"]
        print(f"{'format':<15} {'documents/s':>11} {'MB/s':>6} {'ratio':>6} {'unpacking':>9}")
        for name, (path, documents, size) in made.items():
            seconds = statistics.median(wall for wall, _ in taken[name])
            scale = size / made["files of 10 kB"][2]
            ratio = statistics.median(
                a[1] / b[1] * scale for a, b in zip(plain, taken[name], strict=True)
            )
            share = unpacking(path) / statistics.median(cpu for _, cpu in taken[name])
            print(
                f"{name:<15} {documents / seconds:11,.0f} {size / 1e6 / seconds:6.1f} "
                f"{ratio:6.2f} {share:9.1%}",
                flush=True,
            )
        print("ratio: of processor time a byte of text, plain files to this format")


if __name__ == "__main__":
    main()
