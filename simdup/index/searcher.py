"""Which rows of an index are near a fingerprint: by scan, or by tables once they pay.

Comparing one fingerprint with 10**7 means going through 80 MB, a hundredth of a second; sorting
tables of them takes some seconds.  So rows are scanned at first.  Every scan's cost is reckoned by
the cost model of `search.plans`, and when the scans together would cost more than sorting tables
does, the tables are sorted: at no time has more than twice the least been spent, however many
queries come.  Rows that are added later are scanned again until they have cost as much.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from simdup import search
from simdup.search import HammingBall, Hits, SearchIndex
from simdup.search.arrays import U64, RowPairs, hamming_distances
from simdup.search.costs import COSTS
from simdup.search.threads import interleave

# Rows that are compared at a time. Of 4,096, 16,384, 32,768 and 131,072, one query against 10**6
# takes 1.9, 1.1, 1.0 and 0.8 ms; 64 queries against 10**7 take 29, 12.7, 11.4 and 12.7 ms each.
_STRETCH = 1 << 15
# Comparisons from which on threads are worth their start: 10 ms of them.
_WORTH_THREADS = 10_000_000


class Searcher:
    """Finds rows within one distance.

    Parameters
    ----------
    values : uint64[n, words]
        The rows' fingerprints.
    bits, distance : int
        Bits of each; how many may differ.
    threads : int
        Threads to search with.
    compress : bool
        Whether tables are kept compressed.
    """

    def __init__(
        self, values: U64, bits: int, distance: int, threads: int = 1, compress: bool = False
    ) -> None:
        self._bits, self._distance = bits, min(distance, bits)
        self._threads, self._compress = threads, compress
        self._tabled: SearchIndex | None = None
        self._base = values[:0]  # the rows in the tables
        self._loose = [values]  # the rows after them, each part larger than all later ones
        self._asked = 0
        self._spent = 0.0

    def append(self, values: U64) -> None:
        """Take in rows after the last."""
        if not len(values):
            return
        while self._loose and len(self._loose[-1]) <= len(values):
            values = np.concatenate([self._loose.pop(), values])
        self._loose.append(values)

    @property
    def tables(self) -> bool:
        """Whether there are tables."""
        return self._tabled is not None

    def near(self, asked: U64) -> Hits:
        """Return which rows each of the fingerprints has near it, by query and row."""
        loose = sum(map(len, self._loose))
        cost = COSTS.scan * len(asked) * loose * asked.shape[1]
        self._asked += len(asked)
        chosen = search.plan(
            HammingBall(self._bits, self._distance),
            max(len(self._base) + loose + self._asked, 1),
        )
        if chosen.search == "tables" and self._spent + cost > chosen.seconds:
            self._build()
        else:
            self._spent += cost
        parts: list[Hits] = []
        first = len(self._base)
        if self._tabled is not None:
            parts.append(search.query(self._tabled, asked, threads=self._threads))
        for values in self._loose:
            found = self._scan(asked, values)
            parts.append(Hits(found.query, found.row + first, found.distance))
            first += len(values)
        if len(parts) == 1:
            return parts[0]
        query, row, apart = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((row, query))
        return Hits(query[order], row[order], apart[order])

    def _build(self) -> None:
        """Sort tables of all rows."""
        self._base = np.concatenate([self._base, *self._loose])
        self._loose, self._spent = [], 0.0
        self._tabled = search.build(
            self._base, self._bits, self._distance, self._compress, threads=self._threads
        )

    def _scan(self, asked: U64, values: U64) -> Hits:
        work = len(asked) * len(values)
        threads = self._threads if work >= _WORTH_THREADS else 1
        parts = (_scanned(asked, values, self._distance, at, threads) for at in range(threads))
        blocks = list(interleave(parts, threads))
        query, row = (
            np.concatenate([np.zeros(0, np.int64), *(block[at] for block in blocks)])
            for at in (0, 1)
        )
        order = np.lexsort((row, query))
        query, row = query[order], row[order]
        return Hits(query, row, hamming_distances(asked, query, values, row))


def _scanned(asked: U64, values: U64, distance: int, first: int, step: int) -> Iterator[RowPairs]:
    """Compare fingerprints with all rows of every `step`-th stretch: blocks of (query, row).

    Stretch by stretch, so that rows come from memory once however many are asked, and query by
    query: the square blocks of `search.baselines` take three times as long where few are asked.
    """
    differ = np.empty(_STRETCH, np.uint64)
    for low in range(first * _STRETCH, len(values), step * _STRETCH):
        some = values[low : low + _STRETCH]
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
