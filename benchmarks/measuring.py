"""What several measures share: clocks, memory, and the table they fill."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

Figure = TypeVar("Figure")

CHECKOUT = Path(__file__).resolve().parents[1]
SIMDUP = [sys.executable, "-m", "simdup"]
BASELINE = [sys.executable, "-m", "benchmarks.baseline"]

# Between two looks at the memory.  One look at three processes of 100 MB takes some 2 ms.
_LOOK = 0.02


class Row(NamedTuple):
    """A line of the table.

    Attributes
    ----------
    measure : str
        What was measured.
    found : str
        simdup's figure.
    beside : str
        The figure of what it is held against.
    ratio : str
        The one by the other.
    target : str
        What was to be reached.
    reached : bool or None
        Whether it was; None where the run was not the one that the target is for.
    """

    measure: str
    found: str
    beside: str
    ratio: str
    target: str
    reached: bool | None


HEADS = ("measure", "simdup", "baseline or floor", "ratio", "target", "reached")


def table(rows: Sequence[Row]) -> str:
    """Return rows as a table in Markdown."""
    answers = {True: "yes", False: "NO", None: "-"}
    cells = [HEADS, *((*row[:-1], answers[row.reached]) for row in rows)]
    return aligned(cells)


def aligned(cells: Sequence[Sequence[str]]) -> str:
    """Return cells, the first row the heads, as an aligned table in Markdown."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    padded = [[c.ljust(w) for c, w in zip(row, widths, strict=True)] for row in cells]
    padded.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(row) + " |" for row in padded)


def say(what: str) -> None:
    """Tell on standard error what goes on."""
    print(f"benchmarks: {what}", file=sys.stderr, flush=True)


def environment() -> dict[str, str]:
    """Return the environment in which this checkout is what Python imports."""
    return os.environ | {"PYTHONPATH": str(CHECKOUT)}


class Ran(NamedTuple):
    """A program that has ended.

    Attributes
    ----------
    seconds : float
        From start to end.
    cpu : float
        Seconds of work of its processes together, of the system for them included.
    output : bytes
        Its standard output.
    """

    seconds: float
    cpu: float
    output: bytes


def run(command: Sequence[str], given: bytes = b"", statuses: Sequence[int] = (0,)) -> Ran:
    """Run a program to its end; all it reads and writes are files, so that it waits for nobody."""
    with (
        tempfile.TemporaryFile() as source,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
    ):
        source.write(given)
        source.seek(0)
        before = os.times()
        started = time.perf_counter()
        done = subprocess.run(
            command,
            stdin=source,
            stdout=output,
            stderr=errors,
            env=environment(),
            cwd=CHECKOUT,
            check=False,
        )
        seconds = time.perf_counter() - started
        after = os.times()
        output.seek(0)
        errors.seek(0)
        if done.returncode not in statuses:
            raise SystemExit(f"{' '.join(command)}: {errors.read().decode(errors='replace')}")
        cpu = sum(after[2:4]) - sum(before[2:4])  # those of children that have ended
        return Ran(seconds, cpu, output.read())


def in_turn(rounds: int, *works: Callable[[], Figure]) -> list[list[Figure]]:
    """Measure works by turns, so that a slow minute of the machine is slow for all of them."""
    figures: list[list[Figure]] = [[] for _ in works]
    for _ in range(rounds):
        for work, of_work in zip(works, figures, strict=True):
            of_work.append(work())
    return figures


def ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """Return the median of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def peak_memory(command: Sequence[str]) -> int | None:
    """Return the most bytes that a program and its children held at one time; Linux only.

    The proportional set size (PSS): a page that n processes share counts one n-th in each, so that
    the sum is what they hold together.  Pages of mapped files count too.  Looked at every 20 ms: a
    peak that is shorter may be missed.
    """
    if not Path("/proc/self/smaps_rollup").exists():
        return None
    peak = 0
    with tempfile.TemporaryFile() as sink:
        process = subprocess.Popen(
            command, stdout=sink, stderr=sink, env=environment(), cwd=CHECKOUT
        )
        while process.poll() is None:
            peak = max(peak, sum(map(_held, _family(process.pid))))
            time.sleep(_LOOK)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: status {process.returncode}")
    return peak


def _family(process: int) -> list[int]:
    """Return a process and all its descendants."""
    members = [process]
    for member in members:
        for children in Path(f"/proc/{member}/task").glob("*/children"):
            members += map(int, _content(children).split())
    return members


def _held(process: int) -> int:
    for line in _content(Path(f"/proc/{process}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _content(path: Path) -> str:
    """Return a file's content, nothing where its process has ended meanwhile."""
    try:
        return path.read_text()
    except OSError:
        return ""
