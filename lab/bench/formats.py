"""Formats: how fast plain files, JSON lines, CSV, Parquet and HTML are read, compressed or not.

The same passages of real texts are fingerprinted with the built-in table in every format. "share of
unpacking" is the part of the CPU time that decompression, or finding the main text, takes alone.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from lab import measuring
from lab.corpora import real
from lab.measuring import SIMDUP, Ran
from lab.reporting import Table
from lab.trial import Trial

LONG, SHORT = 3500, 350  # characters of a passage: about 10 kB and 1 kB
PLAIN = "files of 10 kB"


class Form(NamedTuple):
    """The same texts in one format: where they are, how many, bytes of text."""

    path: Path
    documents: int
    size: int


def run(trial: Trial) -> Iterator[Table]:
    """Fingerprint every format, in turn."""
    forms = _write(trial.folder, trial.pick(200_000, 30_000_000))
    works = [lambda form=form: _fingerprint(form.path) for form in forms.values()]
    taken = dict(zip(forms, measuring.in_turn(trial.rounds, *works), strict=True))
    rows = []
    for name, form in forms.items():
        seconds = statistics.median(ran.seconds for ran in taken[name])
        plain = [ran.cpu / forms[PLAIN].size for ran in taken[PLAIN]]
        own = [ran.cpu / form.size for ran in taken[name]]
        share = _unpacking(form.path) / statistics.median(ran.cpu for ran in taken[name])
        megabytes = form.size / 1e6
        rates = (form.documents / seconds, megabytes / seconds)
        rows.append((name, *rates, measuring.ratio(plain, own), share))
    columns = ("format", "documents/s", "MB/s", "ratio", "share of unpacking")
    note = "ratio: CPU time per byte of text, plain files to this format"
    yield Table("Formats", columns, rows, note)


def _fingerprint(path: Path) -> Ran:
    command = [*SIMDUP, "fingerprint", "--idf", "builtin", "-q", "-o", os.devnull, str(path)]
    return measuring.run(command)


def _write(place: Path, size: int) -> dict[str, Form]:
    """Write the same texts in every format."""
    texts, short = real.passages(size, LONG), real.passages(size, SHORT)
    forms = {
        PLAIN: _folder(place / "plain", ".txt", texts, str),
        "files of 1 kB": _folder(place / "short", ".txt", short, str),
    }
    held = len(texts), forms[PLAIN].size
    table = io.StringIO(newline="")
    csv.writer(table).writerows([["text"], *([text] for text in texts)])
    contents = {"jsonl": _json_lines(texts), "csv": table.getvalue()}
    path = place / "short.jsonl"
    path.write_text(_json_lines(short), encoding="utf-8")
    forms["jsonl of 1 kB"] = forms["files of 1 kB"]._replace(path=path)
    for name, content in contents.items():
        for suffix, opened in (("", open), (".gz", gzip.open), (".zst", _zstd().open)):
            path = place / f"texts.{name}{suffix}"
            with opened(path, "wb") as file:
                file.write(content.encode())
            forms[name + suffix] = Form(path, *held)
    if find_spec("pyarrow"):
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"text": texts}), place / "texts.parquet", compression="zstd")
        forms["parquet"] = Form(place / "texts.parquet", *held)
    if find_spec("justext"):
        forms["html"] = _folder(place / "html", ".html", texts, _page)._replace(size=held[1])
    return forms


def _folder(place: Path, suffix: str, texts: list[str], wrap: Callable[[str], str]) -> Form:
    size = 0
    for number, text in enumerate(texts):
        path = place / str(number // 1000) / f"{number}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        size += path.write_bytes(wrap(text).encode())
    return Form(place, len(texts), size)


def _json_lines(texts: list[str]) -> str:
    return "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)


def _page(text: str) -> str:
    """Return a page around a text."""
    body = "".join(f"<p>{line}</p>" for line in text.splitlines() if line.strip())
    return f"<html><body><ul>{'<li><a href=/>首页</a></li>' * 20}</ul>{body}</body></html>"


def _zstd() -> Any:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return zstd


def _unpacking(path: Path) -> float:
    """Return the CPU seconds of decompression alone; 0 for uncompressed files."""
    started = time.process_time()
    if path.suffix in (".gz", ".zst"):
        with (gzip if path.suffix == ".gz" else _zstd()).open(path, "rb") as stream:
            while stream.read(1 << 19):
                pass
    elif path.name == "html":
        from simdup.corpus.html import extract_text

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
