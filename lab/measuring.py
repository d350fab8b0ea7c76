"""What benchmarks measure with: clocks, simdup in processes of its own, memory."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

Figure = TypeVar("Figure")

CHECKOUT = Path(__file__).resolve().parents[1]
SIMDUP = [sys.executable, "-m", "simdup"]

# Processes of simdup, where a benchmark does not vary them.
JOBS = "2"
MB = 1e6

# Seconds between two samples of the memory. A sample of three processes of 100 MB takes 2 ms.
_SAMPLE = 0.02
_ROLLUP = Path("/proc/self/smaps_rollup")


def environment(**changes: str) -> dict[str, str]:
    """Return variables with which Python imports this checkout, in UTF-8 and without colours."""
    left_out = ("NO_COLOR", "FORCE_COLOR", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return kept | {"PYTHONPATH": str(CHECKOUT), "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"} | changes


class Ran(NamedTuple):
    """A program that has ended.

    Its seconds, the CPU seconds of all its processes that it waited for, its output, and if that
    was sampled, its peak memory in MB.
    """

    seconds: float
    cpu: float
    output: bytes
    peak: float | None = None

    @property
    def records(self) -> list[dict[str, Any]]:
        """Its output as JSON lines; the last one is the summary of a command."""
        return [json.loads(line) for line in self.output.splitlines()]


def simdup(*arguments: object, statuses: Sequence[int] = (0,)) -> Ran:
    """Run a command of simdup to its end."""
    return run([*SIMDUP, *map(str, arguments)], statuses=statuses)


def run(
    command: Sequence[str],
    entered: bytes = b"",
    statuses: Sequence[int] = (0,),
    *,
    sampled: bool = False,
    **variables: str,
) -> Ran:
    """Run a program to its end. It reads and writes files, so it never waits for a pipe.

    Its memory is sampled every 20 ms on demand, on Linux only: the proportional set size (PSS) of
    it and its children. A page that n processes share counts one n-th in each, so the sum is what
    they hold together. Pages of mapped files count too. A shorter peak may be missed.
    """
    with (
        tempfile.TemporaryFile() as source,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        source.write(entered)
        source.seek(0)
        streams: dict[str, Any] = {"stdin": source, "stdout": output, "stderr": errors}
        before, started = os.times(), time.perf_counter()
        with subprocess.Popen(
            command, **streams, env=environment(**variables), cwd=CHECKOUT
        ) as process:
            peak = _peak(process) if sampled and _ROLLUP.exists() else None
        seconds, after = time.perf_counter() - started, os.times()
        output.seek(0)
        errors.seek(0)
        if process.returncode not in statuses:
            raise SystemExit(f"{' '.join(command)}: {errors.read().decode(errors='replace')}")
        cpu = sum(after[2:4]) - sum(before[2:4])  # those of children that have ended
        return Ran(seconds, cpu, output.read(), peak)


def clock(work: Callable[[], object]) -> float:
    """Return the seconds that a piece of work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def fastest(work: Callable[[], object], times: int = 3) -> float:
    """Return the shortest of a few times: other work on the machine can only add to it."""
    return min(clock(work) for _ in range(times))


def in_turn(rounds: int, *works: Callable[[], Figure]) -> list[list[Figure]]:
    """Measure several works in turns, so that a slow minute of the machine affects all of them."""
    turns = [[work() for work in works] for _ in range(rounds)]
    return [list(figures) for figures in zip(*turns, strict=True)]


def ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """Return the median of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def median_seconds(runs: Iterable[Ran]) -> float:
    """Return the median of the times from start to end."""
    return statistics.median(ran.seconds for ran in runs)


def peak_memory(*arguments: object) -> float | None:
    """Return the most MB that a command of simdup and its workers held at one time; Linux only."""
    return run([*SIMDUP, *map(str, arguments)], sampled=True).peak


def _peak(process: subprocess.Popen[bytes]) -> float:
    """Return the most MB that a process and its children hold until it ends."""
    peak = 0
    while process.poll() is None:
        peak = max(peak, _held(process.pid))
        time.sleep(_SAMPLE)
    return peak / MB


def _held(process: int) -> int:
    """Return the bytes that a process and all its descendants hold."""

    family, held = [process], 0
    for member in family:
        with suppress(OSError):  # it has ended meanwhile
            for line in Path(f"/proc/{member}/smaps_rollup").read_text().splitlines():
                held += int(line.split()[1]) * 1024 if line.startswith("Pss:") else 0
            for children in Path(f"/proc/{member}/task").glob("*/children"):
                family += map(int, children.read_text().split())
    return held
