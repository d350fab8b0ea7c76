"""Which rows of an index become candidates: by fingerprint, by a band of the sketch, or by both.

A document from a fingerprint line has no sketch, and so no bands.  How many documents are asked
about at a time, and how they are searched, makes no difference.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.index.sections import U64, RowIds, sketched
from simdup.lsh.bbit import estimate
from simdup.lsh.families import Banding
from simdup.lsh.sketch_bands import (
    AskedBands,
    BandSearcher,
    RowSketches,
    Sketches,
    SketchSource,
    sketch_banding,
)  # fmt: skip
from simdup.model.criteria import LEAST_SIMILARITY, Criteria
from simdup.model.table import Documents
from simdup.search import Hits
from simdup.search.queries import Searcher, SearchSetup

# The most documents tried at a time: their look-ups take 16 MB, and their band keys 50 MB.
_QUERIES = 1 << 17


class Searches(NamedTuple):
    """How candidates are found."""

    setup: SearchSetup
    near: bool = True  # whether near fingerprints propose pairs
    banding: Banding | None = None  # the bands that propose pairs; None if sketches do not
    similarity: float = 0.0  # pairs of which sketches estimate less cannot match

    @classmethod
    def of(cls, setup: SearchSetup, criteria: Criteria) -> Searches:
        """Return how candidates of these criteria are found."""
        banding = None
        if "minhash" in criteria.searches:
            banding = sketch_banding(max(criteria.similarity, LEAST_SIMILARITY))
        least = criteria.similarity if criteria.verify else 0.0
        return cls(setup, "simhash" in criteria.searches, banding, least)


class CandidateCounts(NamedTuple):
    """How many pairs are candidates, in all and by search."""

    pairs: int = 0
    simhash: int = 0
    minhash: int = 0

    @classmethod
    def sum(cls, several: Sequence[CandidateCounts]) -> CandidateCounts:
        """Add up."""
        return cls(*map(sum, zip(cls(), *several, strict=True)))


NO_CANDIDATES = CandidateCounts()


class Candidates(NamedTuple):
    """The candidates of some documents that may match, and how many there were."""

    hits: Hits
    counts: CandidateCounts


class CandidateSearcher:
    """Finds the candidates of documents among the rows of an index."""

    def __init__(self, values: U64, source: SketchSource, searches: Searches) -> None:
        self._near = Searcher(values, searches.setup)
        self._searches = searches
        self._tried = _QUERIES
        self._bands = None
        if searches.banding is not None:
            self._bands = BandSearcher(source, searches.banding, searches.setup.threads)

    @classmethod
    def among(cls, documents: Documents, searches: Searches) -> CandidateSearcher:
        """Return what finds candidates among documents that are in memory."""
        source = SketchSource(
            lambda: iter([sketched(documents)]), lambda rows: documents["sketch"][rows]
        )
        return cls(documents["fingerprint"], source, searches)

    def append(self, documents: Documents) -> None:
        """Append documents, which are in the file by now."""
        if self._bands is not None:
            rows, sketches = sketched(documents)
            self._bands.append(len(self._near) + rows, sketches)
        self._near.append(documents["fingerprint"])

    def fingerprints(self, rows: RowIds) -> U64:
        """Return the fingerprints of some rows (uint64[m, words])."""
        return self._near.values(rows)

    def find_first(self, asked: Documents, rows: range, most: int) -> tuple[Documents, Candidates]:
        """Answer the first of some documents, as many as together have at most `most` hits.

        Returns
        -------
        Documents
            Those that were answered, at least one.  Earlier successes determine how many are tried.
        Candidates
            Their hits by document and row.
        """
        while True:
            some = asked.take(np.array(rows[: self._tried], np.int64))
            found = self._gather(some, most if len(some) > 1 else sys.maxsize)
            if found is None:
                self._tried = max(len(some) // 4, 1)
                continue
            if 2 * len(found.hits.query) <= most:
                self._tried = min(max(self._tried, 2 * len(some)), _QUERIES)
            return some, found

    def _gather(self, asked: Documents, most: int) -> Candidates | None:
        """Return all hits, ordered, or None if there are more than allowed."""
        near = Hits.concat([])
        if self._searches.near:
            found = self._near.gather(asked["fingerprint"], most)
            if found is None:
                return None
            near = found
        counts = CandidateCounts(len(near.query), len(near.query), 0)
        if self._bands is None or not asked["terms"].any():
            return Candidates(near, counts)
        more = self._join(asked, most - len(near.query))
        if more is None:
            return None
        return Candidates(
            Hits.concat([near, more.hits]).ordered(), CandidateCounts.sum([counts, more.counts])
        )

    def _join(self, asked: Documents, most: int) -> Candidates | None:
        """Return what bands propose and fingerprints do not; None if too much may match."""
        assert self._bands is not None
        documents, own = sketched(asked)

        def work(bands: AskedBands, chunk: RowSketches) -> Candidates:
            rows, sketches = chunk
            kept, counts, total = list[Hits](), CandidateCounts(), 0
            for i, j in bands.join(sketches):
                query, row = documents[i], rows[j]
                hits = Hits(query, row, self._near.distances(asked["fingerprint"], query, row))
                new = self._new(hits)
                counts = CandidateCounts.sum(
                    [counts, CandidateCounts(int(np.count_nonzero(new)), 0, len(i))]
                )
                likely = np.flatnonzero(new & self._likely(own[i], sketches[j]))
                kept.append(hits.take(likely))
                total += len(likely)
                if total > most:
                    break
            return Candidates(Hits.concat(kept), counts)

        parts, total = list[Candidates](), 0
        with closing(self._bands.join(own, work)) as chunks:
            for part in chunks:
                parts.append(part)
                total += len(part.hits.query)
                if total > most:
                    return None
        hits = Hits.concat([part.hits for part in parts])
        return Candidates(hits, CandidateCounts.sum([part.counts for part in parts]))

    def _new(self, hits: Hits) -> NDArray[np.bool_]:
        """Return which hits of bands are not hits of fingerprints too."""
        if not self._searches.near:
            return np.ones(len(hits.query), np.bool_)
        return hits.distance > self._searches.setup.ball.distance

    def _likely(self, a: Sketches, b: Sketches) -> NDArray[np.bool_]:
        """Return which pairs of sketches are similar enough."""
        if not self._searches.similarity:
            return np.ones(len(a), np.bool_)
        return estimate(a, b) >= self._searches.similarity
