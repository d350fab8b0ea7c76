"""Whole scans: speed compared with a plain pipeline, memory, short files, other methods.

Programs run as a user runs them, start-up included. The files have just been written, so the system
has them in memory: disks are not measured. Only idle cores give fair ratios: whatever else runs
takes more from simdup's processes than from the one process of the plain pipeline.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from lab import measuring
from lab.corpora import real
from lab.corpora.real import Corpus
from lab.measuring import BASELINE, SIMDUP, clock, in_turn, peak_memory, ratio
from lab.reporting import Cell, Table
from lab.trial import Trial, say

JOBS = "2"
MB = 1e6
COLUMNS = (
    "corpus", "MB", "documents", "s", "CPU s", "MB/s", "documents/s", "peak MB",
    "beside", "s beside", "ratio",
)  # fmt: skip

SIMHASH = ("--method", "simhash")

# Seconds, and CPU seconds.
Times = tuple[float, float]


class Case(NamedTuple):
    """A scan, and the work to compare it with."""

    name: str
    corpus: Corpus
    beside: str
    other: Callable[[], Times]
    how: tuple[str, ...] = ()


def run(trial: Trial) -> Iterator[Table]:
    """Scan real texts, passages of them, and many short files."""
    whole = real.real(trial.folder / "real", trial.pick(200, None))
    large = real.large(trial.folder / "large", trial.pick(2_000_000, 300_000_000))
    short = real.short(trial.folder / "short", trial.pick(3000, 100_000))
    cases = [
        Case("laws and manual", whole, *_plain_pipeline(whole, trial.pick(5e5, None))),
        Case("passages of them", large, *_plain_pipeline(large, trial.pick(5e5, 16e6))),
        Case("short texts", short, "opening and reading", lambda: _read(short)),
        Case("laws and manual, auto", whole, "simhash", lambda: _scan(whole, SIMHASH)),
        Case(
            "laws and manual, minhash", whole, "simhash", lambda: _scan(whole, SIMHASH),
            ("--method", "minhash"),
        ),
    ]  # fmt: skip
    note = f"{JOBS} jobs; peak: PSS of all processes; ratio: seconds beside to seconds"
    yield Table("Scans", COLUMNS, [_row(case, trial.rounds) for case in cases], note)


def _row(case: Case, rounds: int) -> tuple[Cell, ...]:
    say(f"scan of {case.name}")
    corpus = case.corpus
    ours, theirs = in_turn(rounds, lambda: _scan(corpus, case.how), case.other)
    (seconds, cpu), (their_seconds, _) = _medians(ours), _medians(theirs)
    peak = peak_memory(_command(corpus, case.how))
    megabytes = corpus.size / MB
    return (
        case.name, megabytes, corpus.documents, seconds, cpu, megabytes / seconds,
        corpus.documents / seconds, peak and peak / MB,
        case.beside, their_seconds, ratio([s for s, _ in theirs], [s for s, _ in ours]),
    )  # fmt: skip


def _command(corpus: Corpus, how: tuple[str, ...]) -> list[str]:
    return [*SIMDUP, "scan", "-q", "-j", JOBS, "-f", "jsonl", *how, str(corpus.folder)]


def _scan(corpus: Corpus, how: tuple[str, ...] = ()) -> Times:
    """Return the times of a scan, which must have read every document."""
    ran = measuring.run(_command(corpus, how))
    summary = json.loads(ran.output.splitlines()[-1])
    met = summary["documents"] + summary["skipped"]
    if met != corpus.documents:
        raise SystemExit(f"benchmarks: {met} documents of {corpus.documents}")
    return ran.seconds, ran.cpu


def _plain_pipeline(corpus: Corpus, sample: float | None) -> tuple[str, Callable[[], Times]]:
    """Return the name and the work of the plain pipeline, scaled from a sample of some bytes."""
    files = corpus.files()
    if sample is not None and sample < corpus.size:
        random.Random(0).shuffle(files)
        files = sorted(files[: max(1, round(len(files) * sample / corpus.size))])
    given = "\n".join(files).encode()
    measuring.run(BASELINE)  # writes jieba's cache

    def work() -> Times:
        ran = measuring.run(BASELINE, given)
        said = json.loads(ran.output)
        # Only the work grows with the texts: start-up and dictionary count once.
        more = corpus.size / said["size"] - 1
        return ran.seconds + said["working"] * more, ran.cpu + said["working_cpu"] * more

    scaled = f", scaled from {len(files):,} files" if len(files) < corpus.documents else ""
    return "plain pipeline" + scaled, work


def _read(corpus: Corpus) -> Times:
    return clock(lambda: [Path(name).read_bytes() for name in corpus.files()]), 0.0


def _medians(rounds: list[Times]) -> Times:
    seconds, cpu = zip(*rounds, strict=True)
    return statistics.median(seconds), statistics.median(cpu)
