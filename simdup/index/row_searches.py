"""The searches of an index: rows with a near fingerprint, and rows that agree in a band.

They propose pairs of a document that is asked about and a row of the index, which
`simdup.near.candidates` joins.  A document from a fingerprint line has no sketch, and so no
bands.  How many documents are asked about at a time, and how they are searched, makes no
difference.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from simdup.index.sections import sketched
from simdup.model.criteria import LEAST_SIMILARITY, Criteria
from simdup.model.table import Documents, Side
from simdup.near.candidates import Search, candidates, distances
from simdup.search.allpairs import iter_pairs
from simdup.search.arrays import U64, Bools, RowIds, RowPairs
from simdup.search.equal_keys import neighbours
from simdup.search.queries import Searcher, SearchSetup
from simdup.text.families import Banding, bbit_estimate
from simdup.text.sketch_bands import (
    AskedBands,
    BandSearcher,
    RowSketches,
    Sketches,
    SketchSource,
    agree,
    all_keys,
    sketch_banding,
)  # fmt: skip

# The most documents tried at a time: their look-ups take 16 MB, and their band keys 50 MB.
_QUERIES = 1 << 17
# The most pairs at a time: 16 bytes each, and about 100 if they become matches.
MOST = 1 << 20


class NearRows(Search):
    """Proposes rows whose fingerprints are within the distance."""

    name = "simhash"

    def __init__(self, values: U64, setup: SearchSetup) -> None:
        self.searcher = Searcher(values, setup)
        self._ball = setup.ball

    def append(self, rows: Documents) -> None:
        """Append rows."""
        self.searcher.append(rows["fingerprint"])

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) it proposes."""
        near: Bools = distances(a, b) <= self._ball.distance
        return near

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield the pairs of a document and a row, each once."""
        with closing(self.searcher.find(documents["fingerprint"])) as chunks:
            yield from chunks

    def links(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield the pairs that it would propose among documents."""
        ball = self._ball
        found = iter_pairs(documents["fingerprint"], ball.distance, ball.bits, threads=1)
        yield from ((pairs.i, pairs.j) for pairs in found)


class AgreeingRows(Search):
    """Proposes rows that agree in a band of their sketches, which must be similar enough."""

    name = "minhash"

    def __init__(
        self, source: SketchSource, banding: Banding, similarity: float, threads: int
    ) -> None:
        self._banding = banding
        self._similarity = similarity
        self._bands = BandSearcher(source, banding, threads)

    def append(self, first: int, rows: Documents) -> None:
        """Append rows, of which this is the first, and which are in the file by now."""
        places, sketches = sketched(rows)
        self._bands.append(first + places, sketches)

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) it proposes."""
        proposed: Bools = (a["terms"] > 0) & (b["terms"] > 0)
        if len(some := np.flatnonzero(proposed)):
            one, other = a.take(some)["sketch"], b.take(some)["sketch"]
            proposed[some] = agree(one, other, self._banding) & self._likely(one, other)
        return proposed

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield the pairs of a document and a row, each once."""
        places, own = sketched(documents)
        if not len(places):
            return

        def work(bands: AskedBands, chunk: RowSketches) -> RowPairs:
            rows, sketches = chunk
            found, total = [(rows[:0], rows[:0])], 0
            for i, j in bands.join(sketches):
                likely = np.flatnonzero(self._likely(own[i], sketches[j]))
                found.append((places[i[likely]], rows[j[likely]]))
                total += len(likely)
                # Then fewer documents are tried.
                if total > MOST:
                    break
            asked, held = map(np.concatenate, zip(*found, strict=True))
            return asked, held

        with closing(self._bands.join(own, work)) as chunks:
            yield from chunks

    def links(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield pairs that connect what it would propose among documents, and perhaps more."""
        places, sketches = sketched(documents)
        for i, j in neighbours(all_keys(sketches, self._banding).T):
            yield places[i], places[j]

    def _likely(self, a: Sketches, b: Sketches) -> NDArray[np.bool_]:
        if not self._similarity:
            return np.ones(len(a), np.bool_)
        return bbit_estimate(a, b) >= self._similarity


class IndexRows:
    """The rows of an index, and the searches of the criteria that propose them."""

    def __init__(
        self, values: U64, source: SketchSource, setup: SearchSetup, criteria: Criteria
    ) -> None:
        self._near = NearRows(values, setup)
        self._agreeing: AgreeingRows | None = None
        self._tried = _QUERIES
        self.searches: list[Search] = []
        if "simhash" in criteria.searches:
            self.searches.append(self._near)
        if "minhash" in criteria.searches:
            banding = sketch_banding(max(criteria.similarity, LEAST_SIMILARITY))
            least = criteria.similarity if criteria.verify else 0.0
            self._agreeing = AgreeingRows(source, banding, least, setup.threads)
            self.searches.append(self._agreeing)

    @property
    def documents(self) -> Documents:
        """What is known of all rows: their fingerprints."""
        return Documents({"fingerprint": self._near.searcher.values})

    def append(self, rows: Documents) -> None:
        """Append rows, which are in the file by now."""
        if self._agreeing is not None:
            self._agreeing.append(len(self._near.searcher.values), rows)
        self._near.append(rows)

    def find_first(self, asked: Documents, rows: range, most: int) -> tuple[Documents, RowPairs]:
        """Find the candidates of the first of some documents, at most `most` of them together.

        Returns
        -------
        Documents
            Those that were answered, at least one.  Earlier successes determine how many are tried.
        int64[m], int64[m]
            The candidates, by document and by row.
        """
        while True:
            some = asked.take(np.array(rows[: self._tried], np.int64))
            found = self._gather(some, most if len(some) > 1 else sys.maxsize)
            if found is None:
                self._tried = max(len(some) // 4, 1)
                continue
            if 2 * len(found) <= most:
                self._tried = min(max(self._tried, 2 * len(some)), _QUERIES)
            return some, (found >> 32, found & 0xFFFFFFFF)

    def _gather(self, asked: Documents, most: int) -> RowIds | None:
        """Return all candidates as document << 32 | row, ascending; None if there are more."""
        found, total = [np.zeros(0, np.int64)], 0
        for i, j in candidates(asked, self.documents, self.searches):
            found.append(i << 32 | j)
            total += len(i)
            if total > most:
                return None
        return np.sort(np.concatenate(found))
