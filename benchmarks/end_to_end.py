"""How fast simdup's main job is, and in how much memory: one table.

    python -m benchmarks.end_to_end                      all but the slow comparison of engines
    python -m benchmarks.end_to_end --quick              smaller corpora, one round
    python -m benchmarks.end_to_end --only short start   some measures

Programs are run as a user runs them, in processes of their own; their start is in the figures
unless a row says otherwise.  The files have just been written, so the system has them in memory:
disks are not measured.  What is compared is run by turns; a figure is the median of the rounds, a
ratio the median of the rounds' ratios.  Only idle cores give fair ratios: whatever else runs takes
more from simdup's processes than from the one process of the baseline.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import corpora
from benchmarks.corpora import Corpus
from benchmarks.measuring import (
    BASELINE,
    SIMDUP,
    Row,
    in_turn,
    peak_memory,
    ratio,
    run,
    say,
    table,
)

JOBS = "2"
MB = 1e6


class Bench(NamedTuple):
    """How to measure: a folder for corpora, rounds, and whether to keep it short."""

    folder: Path
    rounds: int
    quick: bool


def measure_real(bench: Bench) -> list[Row]:
    """Scan all laws and manual pages."""
    corpus = corpora.real(bench.folder / "real")
    sample = 4 * MB if bench.quick else None
    return _against_baseline("laws + vsdocs", corpus, bench, sample, 10, 600, as_meant=True)


def measure_large(bench: Bench) -> list[Row]:
    """Scan 300 MB of passages with edits."""
    corpus = corpora.large(bench.folder / "large", 60_000_000 if bench.quick else 300_000_000)
    sample = 4 * MB if bench.quick else 16 * MB
    return _against_baseline("passages", corpus, bench, sample, 14, 1200, not bench.quick)


def _against_baseline(
    name: str,
    corpus: Corpus,
    bench: Bench,
    sample: float | None,
    times: float,
    megabytes: float,
    as_meant: bool,
) -> list[Row]:
    """Measure a scan's speed against the plain pipeline's, and its memory."""
    files = corpus.files()
    if sample is not None:
        random.Random(0).shuffle(files)
        files = sorted(files[: max(1, round(len(files) * sample / corpus.size))])
    given = "\n".join(files).encode()
    run(BASELINE)  # lays down jieba's cache

    def plain() -> tuple[float, float]:
        ran = run(BASELINE, given)
        said = json.loads(ran.output)
        # Only the work grows with the texts: start and dictionary count once.
        more = corpus.size / said["size"] - 1
        return ran.seconds + said["working"] * more, ran.cpu + said["working_cpu"] * more

    scans, plains = in_turn(bench.rounds, lambda: _scan(corpus), plain)
    (ours, our_cpu), (theirs, their_cpu) = map(_medians, (scans, plains))
    faster = ratio([seconds for seconds, _ in plains], [seconds for seconds, _ in scans])
    title = f"scan of {name}, {corpus.size / MB:.0f} MB, {corpus.documents:,} files"
    scaled = "" if sample is None else f", scaled from {len(files):,} files"
    peak = peak_memory(_scan_command(corpus))
    held = "?" if peak is None else f"{peak / MB:.0f} MB"
    return [
        Row(
            f"{title}, {JOBS} jobs",
            f"{ours:.2f} s, {corpus.size / MB / ours:.1f} MB/s (CPU {our_cpu:.1f} s)",
            f"{theirs:.1f} s, {corpus.size / MB / theirs:.2f} MB/s (CPU {their_cpu:.1f} s){scaled}",
            f"{faster:.1f}x",
            f"at least {times}x",
            faster >= times if as_meant else None,
        ),
        Row(
            f"peak memory of it, {JOBS} jobs (PSS)",
            held,
            "",
            "",
            f"under {megabytes:,.0f} MB",
            peak < megabytes * MB if as_meant and peak is not None else None,
        ),
    ]


def _scan_command(corpus: Corpus) -> list[str]:
    return [*SIMDUP, "scan", "-j", JOBS, "-f", "jsonl", str(corpus.folder)]


def _scan(corpus: Corpus) -> tuple[float, float]:
    """Return the seconds and CPU seconds of a scan, which must have met every document."""
    ran = run(_scan_command(corpus))
    summary = json.loads(ran.output.splitlines()[-1])
    met = summary["documents"] + summary["skipped"]
    if met != corpus.documents:
        raise SystemExit(f"benchmarks: {met} documents of {corpus.documents}")
    return ran.seconds, ran.cpu


def _medians(rounds: list[tuple[float, float]]) -> tuple[float, float]:
    seconds, cpu = zip(*rounds, strict=True)
    return statistics.median(seconds), statistics.median(cpu)


def measure_start(bench: Bench) -> list[Row]:
    """Start the programs that have little to do."""
    pages = [text for _, text in corpora.texts("vsdocs")][:2]
    paths = [str(path) for path in _written(pages, bench.folder / "pages")]
    floor = [sys.executable, "-c", "pass"]
    commands = [
        floor,
        [sys.executable, "-c", "import simdup"],
        [*SIMDUP, "--help"],
        [*SIMDUP, "compare", *paths],
    ]
    works = [lambda command=command: run(command, statuses=(0, 1)).seconds for command in commands]
    bare, imported, helped, compared = in_turn(7 if bench.quick else 21, *works)
    above = statistics.median(a - b for a, b in zip(imported, bare, strict=True))
    beside = f"{_ms(statistics.median(bare))} an empty program"
    rows = [
        ("import simdup, without the interpreter's start", above, 0.03),
        ("simdup --help", statistics.median(helped), 0.15),
        ("simdup compare of two manual pages", statistics.median(compared), 0.5),
    ]
    return [Row(n, _ms(t), beside, "", f"under {_ms(limit)}", t < limit) for n, t, limit in rows]


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"


def _written(contents: list[str], folder: Path) -> list[Path]:
    return [Path(path) for path in corpora.write(contents, folder).files()]


def measure_short(bench: Bench) -> list[Row]:
    """Scan many short files."""
    corpus = corpora.short(bench.folder / "short", 20_000 if bench.quick else 100_000)
    names = corpus.files()

    def only_read() -> float:
        started = time.perf_counter()
        for name in names:
            with open(name, "rb") as file:
                file.read()
        return time.perf_counter() - started

    scans, readings = in_turn(bench.rounds, lambda: _scan(corpus), lambda: (only_read(), 0.0))
    (seconds, cpu), (reading, _) = map(_medians, (scans, readings))
    rate, floor = corpus.documents / seconds, corpus.documents / reading
    return [
        Row(
            f"scan of {corpus.documents:,} short files, {corpus.size / MB:.0f} MB, {JOBS} jobs",
            f"{seconds:.2f} s, {rate:,.0f} documents/s (CPU {cpu:.1f} s)",
            f"{reading:.2f} s, {floor:,.0f} documents/s to open and read them",
            "",
            "over 5,000 documents/s",
            None if bench.quick else rate > 5000,
        )
    ]


def measure_verification(bench: Bench) -> list[Row]:
    """Verify pairs of documents of 2,000 characters in this process."""
    from simdup.model.criteria import Criteria
    from simdup.verify.cosine import Vector
    from simdup.verify.resemblance import shingles
    from simdup.verify.verifier import Verifier

    pairs = 2000
    texts = corpora.edited_pairs(pairs, 2000)
    sets = [{text[i : i + 5] for i in range(len(text) - 4)} for text in texts]
    numbers = range(0, 2 * pairs, 2)

    def no_vector(document: int) -> Vector:
        raise AssertionError(f"nobody asked for the cosine of {document}")

    def verifier() -> Verifier:
        return Verifier(lambda i: shingles(texts[i]), no_vector, Criteria(), cache_bytes=1 << 30)

    # As much as they need, so that nothing is shingled twice.
    warm = verifier()
    for i in numbers:
        warm.measure(i, i + 1)

    def cached() -> float:
        return _clocked(lambda: [warm.measure(i, i + 1) for i in numbers])

    def cold() -> float:
        fresh = verifier()
        return _clocked(lambda: [fresh.measure(i, i + 1) for i in numbers])

    def plain() -> float:
        return _clocked(
            lambda: [len(sets[i] & sets[i + 1]) / len(sets[i] | sets[i + 1]) for i in numbers]
        )

    figures = in_turn(bench.rounds + 2, cached, cold, plain)
    rates = [pairs / statistics.median(of_work) for of_work in figures]
    beside = f"{rates[2]:,.0f} pairs/s of Python sets made before"
    return [
        Row(
            "verification, 2,000 characters, shingles cached",
            f"{rates[0]:,.0f} pairs/s",
            beside,
            f"{ratio(figures[2], figures[0]):.1f}x",
            "over 20,000 pairs/s",
            rates[0] > 20_000,
        ),
        Row(
            "the same, both texts shingled for each pair",
            f"{rates[1]:,.0f} pairs/s",
            beside,
            f"{ratio(figures[2], figures[1]):.1f}x",
            "",
            None,
        ),
    ]


def _clocked(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def measure_engines(bench: Bench) -> list[Row]:
    """Cut all real texts with both engines, and compare what each makes of them."""
    return [row for name in ("laws", "vsdocs", "poems") for row in _engines(name, bench)]


def _engines(name: str, bench: Bench) -> list[Row]:
    from simdup.features.folding import fold
    from simdup.features.tokens import tokenizer
    from simdup.model.recipe import Recipe

    folded = [fold(text) for _, text in corpora.texts(name)]
    size = sum(len(text.encode()) for text in folded)
    cut = {engine: tokenizer(Recipe(), engine) for engine in ("rjieba", "jieba")}
    for tokenize in cut.values():
        tokenize("第一次会读词典")
    seconds = dict.fromkeys(cut, 0.0)
    different = 0
    # Text by text and by turns: both meet the same minutes of the machine.
    for text in folded:
        made = []
        for engine, tokenize in cut.items():
            started = time.perf_counter()
            made.append(tokenize(text))
            seconds[engine] += time.perf_counter() - started
        different += made[0] != made[1]
    corpus = corpora.write((text for _, text in corpora.texts(name)), bench.folder / name)
    command = [*SIMDUP, "fingerprint", "-j", JOBS, str(corpus.folder), "--segmenter"]
    runs = [run([*command, engine]) for engine in cut]
    same = runs[0].output == runs[1].output
    lines = runs[0].output.count(b"\n") - 1
    speeds = {engine: size / MB / seconds[engine] for engine in cut}
    return [
        Row(
            f"cutting {name}, {size / MB:.1f} MB, folded: rjieba beside jieba",
            f"{speeds['rjieba']:.1f} MB/s, {different} texts cut otherwise",
            f"{speeds['jieba']:.2f} MB/s",
            f"{seconds['jieba'] / seconds['rjieba']:.1f}x",
            "the same words",
            not different,
        ),
        Row(
            f"fingerprint of {name} by either engine, {lines:,} lines",
            f"{runs[0].seconds:.2f} s, {'the same' if same else 'OTHER'} bytes",
            f"{runs[1].seconds:.2f} s",
            f"{runs[1].seconds / runs[0].seconds:.1f}x",
            "the same bytes",
            same,
        ),
    ]


MEASURES: dict[str, Callable[[Bench], list[Row]]] = {
    "start": measure_start,
    "verification": measure_verification,
    "real": measure_real,
    "short": measure_short,
    "large": measure_large,
    "engines": measure_engines,
}
USUAL = [name for name in MEASURES if name != "engines"]


def main() -> None:
    """Measure what is asked for and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.end_to_end",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="smaller corpora, one round")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=MEASURES,
        default=USUAL,
        metavar="NAME",
        help="of " + ", ".join(MEASURES),
    )
    parser.add_argument("--rounds", type=int, help="rounds of the long measures [3]")
    given = parser.parse_args()
    corpora.data_folder()
    rows: list[Row] = []
    for name in given.only:
        say(name)
        with tempfile.TemporaryDirectory(prefix="simdup-bench-") as folder:
            rounds = given.rounds or (1 if given.quick else 3)
            rows += MEASURES[name](Bench(Path(folder), rounds, given.quick))
    load = f", load {os.getloadavg()[0]:.1f} now" if hasattr(os, "getloadavg") else ""
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores{load}; one MB is 10^6 bytes\n"
    )
    print(table(rows))


if __name__ == "__main__":
    main()
