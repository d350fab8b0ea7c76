"""Find the rows of an index near a fingerprint: by a scan, or by tables once they pay off.

Comparing one fingerprint with 10**7 others means reading 80 MB, which takes a hundredth of a
second; sorting tables of them takes some seconds.  So rows are scanned at first.  The cost model of
`search` estimates the cost of every scan.  When the scans together would cost more than sorting
tables, the tables are sorted.  So the total is never more than twice the minimum, for any number of
queries.  Rows that are added later are scanned until their scans have cost as much.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup import search
from simdup.search import HammingBall, Hits, SearchIndex
from simdup.search.arrays import U64, RowIds, hamming_distances
from simdup.search.costs import COSTS
from simdup.search.threads import interleave

# Rows compared at a time. With 4,096, 16,384, 32,768 and 131,072, one query against 10**6 rows
# takes 1.9, 1.1, 1.0 and 0.8 ms; 64 queries against 10**7 take 29, 12.7, 11.4 and 12.7 ms each.
_CHUNK = 1 << 15
# With this many comparisons (10 ms), starting threads pays off.
_WORTH_THREADS = 10_000_000


class SearchSetup(NamedTuple):
    """How the rows of an index are searched."""

    ball: HammingBall  # bits of a fingerprint, and how many may differ
    threads: int = 1
    compress: bool = False  # whether tables are kept compressed


class Searcher:
    """Finds rows, given by their fingerprints (uint64[n, words]), within a distance."""

    def __init__(self, values: U64, setup: SearchSetup) -> None:
        self._setup = setup
        self._tables: SearchIndex | None = None
        self._base = values[:0]  # the rows in the tables
        self._loose = [values]  # the rows after those; each part is larger than all later ones
        self._asked = 0
        self._spent = 0.0

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._base) + sum(map(len, self._loose))

    def append(self, values: U64) -> None:
        """Append rows."""
        while self._loose and len(self._loose[-1]) <= len(values):
            values = np.concatenate([self._loose.pop(), values])
        self._loose.append(values)

    @property
    def has_tables(self) -> bool:
        """Whether tables have been sorted."""
        return self._tables is not None

    def near(self, asked: U64) -> Hits:
        """Return the rows near each of the fingerprints, by query and row."""
        hits = self.gather(asked, sys.maxsize)
        assert hits is not None
        return hits

    def distances(self, asked: U64, query: RowIds, row: RowIds) -> NDArray[np.int16]:
        """Return the distances of fingerprints and rows, m of each, given by number."""
        found = np.empty(len(row), np.int16)
        first = 0
        for values in (self._base, *self._loose):
            here = np.flatnonzero((row >= first) & (row < first + len(values)))
            found[here] = hamming_distances(asked, query[here], values, row[here] - first)
            first += len(values)
        return found

    def values(self, rows: RowIds) -> U64:
        """Return the fingerprints of some rows (uint64[m, words])."""
        found = np.empty((len(rows), self._base.shape[1]), np.uint64)
        first = 0
        for values in (self._base, *self._loose):
            here = np.flatnonzero((rows >= first) & (rows < first + len(values)))
            found[here] = values[rows[here] - first]
            first += len(values)
        return found

    def gather(self, asked: U64, most: int) -> Hits | None:
        """Return all hits, ordered, or None if there are more than allowed."""
        found, total = list[Hits](), 0
        with closing(self._find(asked)) as chunks:
            for hits in chunks:
                total += len(hits.query)
                if total > most:
                    return None
                found.append(hits)
        return Hits.concat(found).ordered()

    def _find(self, asked: U64) -> Generator[Hits, None, None]:
        """Yield all hits, in chunks, in undefined order."""
        loose = sum(map(len, self._loose))
        cost = COSTS.scan * len(asked) * loose * asked.shape[1]
        self._asked += len(asked)
        work = max(len(self._base) + loose + self._asked, 1)
        chosen = search.plan(self._setup.ball, work)
        if chosen.search == "tables" and self._spent + cost > chosen.seconds:
            self._build()
        else:
            self._spent += cost
        if self._tables is not None:
            yield from search.iter_hits(self._tables, asked, threads=self._setup.threads)
        first = len(self._base)
        for values in self._loose:
            for hits in self._scan(asked, values):
                yield hits._replace(row=hits.row + first)
            first += len(values)

    def _build(self) -> None:
        """Build tables of all rows."""
        self._base = np.concatenate([self._base, *self._loose])
        self._loose, self._spent = [], 0.0
        ball, threads, compress = self._setup
        self._tables = search.build(self._base, ball.bits, ball.distance, compress, threads=threads)

    def _scan(self, asked: U64, values: U64) -> Iterator[Hits]:
        work = len(asked) * len(values)
        threads = self._setup.threads if work >= _WORTH_THREADS else 1
        distance = self._setup.ball.distance
        parts = (_compare(asked, values, distance, slice(i, None, threads)) for i in range(threads))
        return interleave(parts, threads)


def _compare(asked: U64, values: U64, distance: int, chunks: slice) -> Iterator[Hits]:
    """Compare fingerprints with all rows of some of the chunks, and yield the hits.

    This goes chunk by chunk, so that rows are loaded from memory once for all queries, and query
    by query: the square tiles of `search.baselines` take three times as long for few queries.
    """
    differ = np.empty(_CHUNK, np.uint64)
    for low in range(0, len(values), _CHUNK)[chunks]:
        some = values[low : low + _CHUNK]
        x = differ[: len(some)]
        for query in range(len(asked)):
            distances: NDArray[np.integer] = np.bitwise_count(
                np.bitwise_xor(some[:, 0], asked[query, 0], out=x)
            )
            for word in range(1, values.shape[1]):
                np.bitwise_xor(some[:, word], asked[query, word], out=x)
                distances = distances + np.bitwise_count(x).astype(np.uint16)
            near = np.flatnonzero(distances <= distance)
            if len(near):
                yield Hits(np.full(len(near), query), near + low, distances[near].astype(np.int16))
