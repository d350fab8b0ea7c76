"""Which rows of an index are near a fingerprint: by scan, or by tables once they pay.

Comparing one fingerprint with 10**7 means going through 80 MB, a hundredth of a second; sorting
tables of them takes some seconds.  So rows are scanned at first.  Every scan's cost is estimated by
the cost model of `search`, and when the scans together would cost more than sorting tables, the
tables are sorted: the total is never more than twice the least possible, however many queries
come.  Rows that are added later are scanned until they have cost as much.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup import search
from simdup.search import threads as running
from simdup.search.arrays import U64, Rows, differing
from simdup.search.plans import COSTS
from simdup.search.queries import Found, SearchIndex

# Rows that are compared at a time. Of 4,096, 16,384, 32,768 and 131,072, one query against 10**6
# takes 1.9, 1.1, 1.0 and 0.8 ms; 64 queries against 10**7 take 29, 12.7, 11.4 and 12.7 ms each.
_CHUNK = 1 << 15
# Comparisons from which on threads are worth starting: 10 ms of them.
_WORTH_THREADS = 10_000_000


class SearchSetup(NamedTuple):
    """What the rows of an index are searched for, and how.

    Attributes
    ----------
    bits, distance : int
        Bits of a fingerprint; how many may differ.
    threads : int
        Threads to search with.
    compress : bool
        Whether tables are kept compressed.
    """

    bits: int
    distance: int
    threads: int = 1
    compress: bool = False


class Searcher:
    """Finds rows within one distance.

    Parameters
    ----------
    values : uint64[n, words]
        The rows' fingerprints.
    setup : SearchSetup
        What they are searched for, and how.
    """

    def __init__(self, values: U64, setup: SearchSetup) -> None:
        self._setup = setup._replace(distance=min(setup.distance, setup.bits))
        self._index: SearchIndex | None = None
        self._base = values[:0]  # the rows in the tables
        self._loose = [values]  # the rows after them, each part larger than all later ones
        self._asked = 0
        self._spent = 0.0

    def append(self, values: U64) -> None:
        """Add rows after the last."""
        if not len(values):
            return
        while self._loose and len(self._loose[-1]) <= len(values):
            values = np.concatenate([self._loose.pop(), values])
        self._loose.append(values)

    @property
    def tables(self) -> bool:
        """Whether there are tables."""
        return self._index is not None

    def near(self, asked: U64) -> Found:
        """Return which rows each of the fingerprints has near it, by query and row."""
        loose = sum(map(len, self._loose))
        cost = COSTS.scan * len(asked) * loose * asked.shape[1]
        self._asked += len(asked)
        chosen = search.plan(
            self._setup.bits, self._setup.distance, max(len(self._base) + loose + self._asked, 1)
        )
        if chosen.search == "tables" and self._spent + cost > chosen.seconds:
            self._build()
        else:
            self._spent += cost
        parts: list[Found] = []
        first = len(self._base)
        if self._index is not None:
            parts.append(search.query(self._index, asked, threads=self._setup.threads))
        for values in self._loose:
            found = self._scan(asked, values)
            parts.append(Found(found.query, found.row + first, found.distance))
            first += len(values)
        if len(parts) == 1:
            return parts[0]
        query, row, apart = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((row, query))
        return Found(query[order], row[order], apart[order])

    def _build(self) -> None:
        """Sort tables of all rows."""
        self._base = np.concatenate([self._base, *self._loose])
        self._loose, self._spent = [], 0.0
        self._index = search.build(
            self._base,
            self._setup.bits,
            self._setup.distance,
            self._setup.compress,
            threads=self._setup.threads,
        )

    def _scan(self, asked: U64, values: U64) -> Found:
        work = len(asked) * len(values)
        threads = self._setup.threads if work >= _WORTH_THREADS else 1
        parts = (
            _scanned(asked, values, self._setup.distance, at, threads) for at in range(threads)
        )
        blocks = list(running.merged(parts, threads))
        query, row = (
            np.concatenate([np.zeros(0, np.int64), *(block[at] for block in blocks)])
            for at in (0, 1)
        )
        order = np.lexsort((row, query))
        query, row = query[order], row[order]
        return Found(query, row, differing(asked, query, values, row))


def _scanned(
    asked: U64, values: U64, distance: int, first: int, step: int
) -> Iterator[tuple[Rows, Rows]]:
    """Compare fingerprints with all rows of every `step`-th stretch: blocks of (query, row).

    Stretch by stretch, so that rows come from memory once however many are asked, and query by
    query: the square blocks of `search.baselines` take three times as long where few are asked.
    """
    differ = np.empty(_CHUNK, np.uint64)
    for low in range(first * _CHUNK, len(values), step * _CHUNK):
        some = values[low : low + _CHUNK]
        x = differ[: len(some)]
        for query in range(len(asked)):
            far: NDArray[np.integer] = np.bitwise_count(
                np.bitwise_xor(some[:, 0], asked[query, 0], out=x)
            )
            for word in range(1, values.shape[1]):
                np.bitwise_xor(some[:, word], asked[query, word], out=x)
                far = far + np.bitwise_count(x).astype(np.uint16)
            near = np.flatnonzero(far <= distance)
            if len(near):
                yield np.full(len(near), query), near + low
