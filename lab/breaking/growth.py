"""Processor time and memory of parsers and searches, as their input doubles twice."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lab.breaking.growth_parsers import PARSERS
from lab.breaking.growth_search import SEARCHES
from lab.breaking.growth_texts import TEXTS
from lab.breaking.probes import Probe, Work
from lab.reporting import Cell, Table
from lab.trial import Trial, say

# What a doubling may cost. Linear work takes 2 times as long, sorting 2.1 times, quadratic work 4.
MOST = 2.5
# Below these, constants and the noise of the machine hide how something grows.
LEAST_SECONDS = 0.01
LEAST_MEGABYTES = 2.0
# Where megabytes take less than that, a larger input would show how memory is slower than caches.
MOST_DOUBLINGS = 1

GROUPS = {"Parsers": PARSERS, "Texts": TEXTS, "Searches and results": SEARCHES}


class Growth(NamedTuple):
    """How the work of a probe grows: by which factor with each doubling."""

    probe: Probe
    seconds: float
    memory: float


def run(trial: Trial) -> Iterator[Table]:
    """Measure everything; a doubling that costs more than `MOST` times as much is a failure."""
    gc.freeze()  # what is imported need not be looked through again and again
    for title, probes in GROUPS.items():
        grown_by_name: dict[str, list[Growth]] = defaultdict(list)
        for number, probe in enumerate(probes):
            folder = trial.folder / f"{title.split()[0]}-{number}"
            folder.mkdir()
            grown = measure(probe, folder)
            grown_by_name[probe.name].append(grown)
            say(f"{probe.name}, {probe.shape}: x {grown.seconds:.2f}, memory x {grown.memory:.2f}")
            for what in faults(grown):
                trial.fail(what)
        columns = ("what", "shapes", "times as long", "for", "times the memory")
        yield Table(title, columns, [_row(name, shapes) for name, shapes in grown_by_name.items()])


def _row(name: str, shapes: Sequence[Growth]) -> tuple[Cell, ...]:
    worst = max(shapes, key=lambda one: one.seconds)
    memory = max(one.memory for one in shapes)
    return (name, len(shapes), worst.seconds, worst.probe.shape, memory)


def faults(grown: Growth) -> Iterator[str]:
    """Yield what grew too fast."""
    for what, figure in (("processor time", grown.seconds), ("memory", grown.memory)):
        if figure > MOST:
            probe = grown.probe
            yield f"{probe.name}, {probe.shape}: {what} grows {figure:.2f} times a doubling"


def measure(probe: Probe, folder: Path) -> Growth:
    """Measure n, 2n and 4n, where n is a size that takes ten milliseconds or more.

    What is slow there by chance, because the machine is shared or a cache is full, is not slow at
    twice the size too, nor another time.
    """
    size = _enough(probe, folder)
    grown = _growth(probe, folder, size)
    for again in (2, 1):
        if next(faults(grown), None):
            other = _growth(probe, folder, again * size)
            grown = Growth(probe, *map(min, grown[1:], other[1:]))
    return grown


def _enough(probe: Probe, folder: Path) -> int:
    size = probe.size
    for _ in range(MOST_DOUBLINGS):
        if seconds(probe.make(size, folder), 1) >= LEAST_SECONDS:
            break
        size *= 2
    return size


def _growth(probe: Probe, folder: Path, size: int) -> Growth:
    works = [probe.make(size * step, folder) for step in (1, 2, 4)]
    # By turns: a slow second of the machine is shared by all sizes.
    rounds = [[seconds(work, 1) for work in works] for _ in range(3)]
    took = [min(times) for times in zip(*rounds, strict=True)]
    held = [megabytes(work) for work in works]
    return Growth(probe, a_doubling(took, LEAST_SECONDS), a_doubling(held, LEAST_MEGABYTES))


def a_doubling(figures: Sequence[float], least: float, doublings: int = 2) -> float:
    """Return by what factor figures grow with each doubling; small figures count as `least`.

    It is a mean over all of them: one alone is noisy, and may be that of a block of a fixed size
    that is filled.
    """
    first, *_, last = (max(figure, least) for figure in figures)
    return float((last / first) ** (1 / doublings))


def seconds(work: Work, rounds: int) -> float:
    """Return the least processor time of a few rounds, that of all threads included."""
    least = float("inf")
    for _ in range(rounds):
        gc.collect()
        started = time.process_time()
        work()
        least = min(least, time.process_time() - started)
    return least


def megabytes(work: Work) -> float:
    """Return the most memory that Python and numpy held at a time, beside what they held before."""
    gc.collect()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
