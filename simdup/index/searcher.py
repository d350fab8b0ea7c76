"""Which rows of an index are near a fingerprint: by scan, or by tables once they pay.

Comparing one fingerprint with 10**7 takes 80 MB of reading, a few hundredths of a second; sorting
tables of them takes some seconds.  So rows are scanned at first.  Every scan's cost is reckoned
by the cost model of `search.plans`, and when the scans together would cost more than sorting
tables does, the tables are sorted: at no time has more than twice the least been spent, however
many queries come.  Rows that are added later are scanned again until they have cost as much.
"""

from __future__ import annotations

import numpy as np

from simdup import search
from simdup.search import threads as running
from simdup.search.arrays import U64, differing
from simdup.search.plans import COSTS
from simdup.search.queries import Found, SearchIndex
from simdup.search.ways import scan_queries


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

    def near(self, asked: U64) -> Found:
        """Return which rows each of the fingerprints has near it, by query and row."""
        loose = sum(map(len, self._loose))
        cost = COSTS.scan * len(asked) * loose * asked.shape[1]
        self._asked += len(asked)
        chosen = search.plan(
            self._bits, self._distance, max(len(self._base) + loose + self._asked, 1)
        )
        if chosen.search == "tables" and self._spent + cost > chosen.seconds:
            self._build()
        else:
            self._spent += cost
        parts: list[Found] = []
        first = len(self._base)
        if self._tabled is not None:
            parts.append(search.query(self._tabled, asked, threads=self._threads))
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
        self._tabled = search.build(
            self._base, self._bits, self._distance, self._compress, threads=self._threads
        )

    def _scan(self, asked: U64, values: U64) -> Found:
        scans = scan_queries(asked, values, self._distance, self._threads)
        blocks = list(running.merged(scans, self._threads))
        query, row = (
            np.concatenate([np.zeros(0, np.int64), *(block[at] for block in blocks)])
            for at in (0, 1)
        )
        order = np.lexsort((row, query))
        query, row = query[order], row[order]
        return Found(query, row, differing(asked, query, values, row))
