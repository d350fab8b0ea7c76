"""Measures of the persistent index; they measure and never assert.

Fingerprints are random, which is what those of unrelated texts look like; names are paths of some
25 characters.  `--large` adds an index of 10**7, which takes two minutes to make.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measuring import SIMDUP, aligned, environment, say
from simdup import Index, search

MILLION = 10**6
BATCH = 10**5

HEADS = ("measure", "found", "beside", "ratio", "target")


def numbered(n: int, folder: str, seed: int) -> list[tuple[str, int]]:
    """Names and random fingerprints."""
    values = np.random.default_rng(seed).integers(0, 1 << 64, n, dtype=np.uint64).tolist()
    return [(f"{folder}/{i // 1000:05d}/{i:08d}.txt", value) for i, value in enumerate(values)]


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """The median time of a piece of work."""
    taken = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def command(*arguments: str) -> float:
    """The median time of a command, start-up and all."""
    words = [*SIMDUP, *arguments]
    return seconds(
        lambda: subprocess.run(words, env=environment(), capture_output=True, check=True), 5
    )


def filled(path: str, n: int) -> None:
    """Make an index of n fingerprints, a million at a time."""
    with Index.build(path) as index:
        for first in range(0, n, MILLION):
            say(f"{path}: {first:,}")
            index.add(numbered(min(MILLION, n - first), f"c{first}", first), fingerprints=True)


def opening(path: str, n: int, text: str) -> list[tuple[str, ...]]:
    """What a person waits for, from start to end."""
    size = f"{n:,}"
    one, info = command("query", "-q", path, text), command("index", "info", path)
    names = sum(
        len(name) for first in range(0, n, MILLION) for name, _ in numbered(1, f"c{first}", 0)
    )
    names *= MILLION if n >= MILLION else n
    beside = (os.path.getsize(path) - names) / n
    target = "1 s" if n <= MILLION else "3 s"
    return [
        (f"bytes a document beside name, {size}", f"{beside:.1f}", "", "", "64"),
        (f"index info, {size}", f"{info:.2f} s", "", "", "0.2 s"),
        (f"query of one text against {size}", f"{one:.2f} s", "", "", target),
    ]


def batch(path: str, n: int) -> tuple[str, ...]:
    """A batch of queries, from the opening of the file, beside the same in memory."""
    base = np.array([value for _, value in numbered(n, "c0", 0)], np.uint64)
    rng = np.random.default_rng(1)
    flips = np.uint64(1) << rng.integers(0, 64, BATCH).astype(np.uint64)
    asked = base[rng.integers(0, n, BATCH)] ^ flips
    named = [(f"q{i}", value) for i, value in enumerate(asked.tolist())]

    def kept() -> None:
        with Index.open(path) as index:
            for answer in index.query(named, fingerprints=True):
                assert answer.matches

    def in_memory() -> None:
        search.query(search.build(base), asked)

    here, there = seconds(kept), seconds(in_memory)
    what = f"query of {BATCH:,} fingerprints against {n:,}"
    return what, f"{here:.2f} s", f"{there:.2f} s in memory", f"{here / there:.1f}", "2"


def adding(path: str, folder: Path) -> list[tuple[str, ...]]:
    """What an add costs, beside the same to an empty index."""
    more = numbered(BATCH, "more", 5)
    other = str(folder / "other.index")

    def fresh(to: str | None) -> float:
        taken = []
        for _ in range(3):
            if to is None:
                Index.build(other).close()
            else:
                shutil.copy(to, other)
            with Index.open(other) as index:
                started = time.perf_counter()
                index.add(more, fingerprints=True)
                taken.append(time.perf_counter() - started)
            os.remove(other)
        return statistics.median(taken)

    large, empty = fresh(path), fresh(None)
    shutil.copy(path, other)
    with Index.open(other) as index:
        one = seconds(lambda: index.add([(str(time.time()), 1)], fingerprints=True))
        none = seconds(lambda: index.add(more[:1], fingerprints=True))
    os.remove(other)
    what = f"add of {BATCH:,} fingerprints to {MILLION:,}"
    ratio = f"{large / empty:.1f}"
    return [
        (what, f"{large:.2f} s", f"{empty:.2f} s to none", ratio, "what those cost"),
        (f"add of one to {MILLION:,}", f"{one:.3f} s", f"{none:.3f} s the next time", "", ""),
    ]


def texts(folder: Path) -> list[tuple[str, ...]]:
    """What keeping sketches costs beside fingerprints alone, and what an unchanged text costs."""
    rng = np.random.default_rng(3)
    words = ["".join(map(chr, w)) for w in rng.integers(0x4E00, 0x5E00, (5000, 2)).tolist()]
    lines = (folder / "texts.jsonl").open("w", encoding="utf-8")
    with lines:
        for _ in range(4000):
            text = "".join(words[i] for i in rng.zipf(1.3, 1000) % 5000)
            lines.write(f'{{"text": "{text}"}}\n')
    source, path = str(folder / "texts.jsonl"), str(folder / "texts.index")
    prints = command("fingerprint", "-q", "--idf", "builtin", "-o", os.devnull, source)

    def build() -> None:
        Path(path).unlink(missing_ok=True)
        subprocess.run(
            [*SIMDUP, "index", "build", "-q", "--idf", "builtin", path, source],
            env=environment(),
            check=True,
        )

    built, again = seconds(build), command("index", "add", "-q", path, source)
    size = Path(source).stat().st_size / 1e6
    return [
        (
            f"index build, 4,000 texts, {size:.0f} MB",
            f"{built:.2f} s",
            f"{prints:.2f} s fingerprint",
            f"{built / prints:.1f}",
            "",
        ),
        ("index add of the same", f"{again:.2f} s", "", f"{again / built:.1f}", ""),
    ]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.index",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--large", action="store_true", help="10**7 documents as well")
    given = parser.parse_args()
    rows: list[tuple[str, ...]] = [HEADS]
    with tempfile.TemporaryDirectory(prefix="simdup-bench-") as name:
        folder = Path(name)
        text = folder / "text.txt"
        text.write_text(
            "图书馆今天宣布将延长周末开放时间，方便学生备考复习，读者表示欢迎。", "utf-8"
        )
        path = str(folder / "million.index")
        filled(path, MILLION)
        rows += opening(path, MILLION, str(text))
        say("batch")
        rows.append(batch(path, MILLION))
        say("add")
        rows += adding(path, folder)
        say("texts")
        rows += texts(folder)
        if given.large:
            path = str(folder / "large.index")
            filled(path, 10 * MILLION)
            rows += opening(path, 10 * MILLION, str(text))
    print(aligned(rows))
    load = f", load {os.getloadavg()[0]:.1f} now" if hasattr(os, "getloadavg") else ""
    print(f"\n{sys.version.split()[0]}, numpy {np.__version__}, {os.cpu_count()} cores{load}")


if __name__ == "__main__":
    main()
