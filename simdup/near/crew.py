"""A crew: processes that fingerprint and measure the documents of a counted corpus.

Each document is a small task, but together they are most of the work of a scan after counting.  If
it pays off, processes are forked once the counts are complete, so that they share them.  The result
does not depend on the number of processes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from simdup.base.workers import Workers
from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.settings import RunOptions
from simdup.near.measures import measured, unmeasured
from simdup.near.texts import CACHE_BYTES, Texts
from simdup.search.arrays import RowIds
from simdup.text.fingerprinter import (
    Fingerprints,
    fingerprint,
    fingerprint_rows,
    of_documents,
)
from simdup.text.weights import Weighting

_Rows: TypeAlias = tuple[int, int]
_Numbers: TypeAlias = tuple[RowIds, RowIds]

# With at least this many count entries (some 4 MB of text), starting processes pays off: before two
# have started, one has fingerprinted that much.
WORTH_CREW = 1 << 20
# Count entries per task: 0.1 s.
_ENTRIES = 1 << 18
# Pairs per task: 5 to 50 ms.  Fewer than twice as many are one task.
_PAIRS = 256


@dataclass(frozen=True, slots=True)
class Work:
    """The data that the processes of a crew work on."""

    weighting: Weighting
    texts: Texts
    criteria: Criteria

    def measure(self, room: int) -> Callable[[RowIds, RowIds], MeasuredPairs]:
        """Return what measures pairs of rows, with caches of `room` bytes."""
        texts = replace(self.texts, weights_of=self.weighting.document, room=room, memory={})
        return partial(measured, texts=texts, criteria=self.criteria)


class Crew:
    """Fingerprints and measures documents, in separate processes if these pay off."""

    def __init__(self, work: Work, run: RunOptions) -> None:
        self._work = work
        self._progress = run.progress
        self._workers: Workers[_Rows | _Numbers, Fingerprints | MeasuredPairs] | None = None
        self._process = os.getpid()
        if run.processes > 1 and work.weighting.counts.starts[-1] >= WORTH_CREW:
            self._workers = Workers(run.processes, partial(_start, work))
        # With other processes, this one measures few pairs.
        room = CACHE_BYTES if self._workers is None else CACHE_BYTES // 4
        self._measure = work.measure(room)

    def __enter__(self) -> Crew:
        """Return the crew."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the processes."""
        if self._workers is not None:
            self._workers.close()

    def fingerprints(self) -> Fingerprints:
        """Return the fingerprints of all documents."""
        weighting = self._work.weighting
        total = len(weighting.counts.starts) - 1
        self._progress("fingerprinting", 0, total)
        if self._workers is None:
            found = fingerprint(weighting)
            self._progress("fingerprinting", total, total)
            return found
        starts = weighting.counts.starts
        bounds = np.unique(np.searchsorted(starts, np.arange(0, starts[-1], _ENTRIES)))
        bounds = np.unique(np.append(bounds, (0, len(starts) - 1))).tolist()
        tasks = list(pairwise(bounds))
        parts, done = list[Fingerprints](), 0
        for part in self._workers.map(tasks):
            if isinstance(part, Fingerprints):
                parts.append(part)
                done += len(part.values)
                self._progress("fingerprinting", done, total)
        every = Fingerprints(
            np.concatenate([part.values for part in parts]),
            weighting.recipe.bits,
            np.concatenate([part.terms for part in parts]),
        )
        return of_documents(every, weighting)

    def measure(self, a: RowIds, b: RowIds) -> MeasuredPairs:
        """Measure each pair (a[k], b[k]) of documents."""
        if not self._work.criteria.verify:
            return unmeasured(a, b)
        # A process that was forked from this one measures alone.
        workers = self._workers if os.getpid() == self._process else None
        if workers is None or len(a) < 2 * _PAIRS:
            return self._measure(a, b)
        parts = workers.map(_tasks(a, b))
        return MeasuredPairs.concat([part for part in parts if isinstance(part, MeasuredPairs)])


def _tasks(a: RowIds, b: RowIds) -> Iterator[_Numbers]:
    for first in range(0, len(a), _PAIRS):
        yield a[first : first + _PAIRS], b[first : first + _PAIRS]


def _start(work: Work, number: int) -> Callable[[_Rows | _Numbers], Fingerprints | MeasuredPairs]:
    """Return the function that does a task in a process of the crew."""
    measure = work.measure(CACHE_BYTES // 4)

    def do(task: _Rows | _Numbers) -> Fingerprints | MeasuredPairs:
        first, second = task
        if isinstance(first, int) and isinstance(second, int):
            return fingerprint_rows(work.weighting, first, second)
        return measure(first, second)  # type: ignore[arg-type]

    return do
