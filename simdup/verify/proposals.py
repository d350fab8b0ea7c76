"""The candidates that the searches of a scan propose.

Simhash proposes documents whose fingerprints are within the distance.  MinHash proposes documents
that share a band key, unless their sketches show that they are far below the similarity.  Pairs
that share passages are listed beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simdup.fingerprints.bands import Signatures
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.fingerprints.near import iter_near_pairs, near_pairs
from simdup.model.settings import Settings
from simdup.search import banding
from simdup.search.arrays import U64, RowIds, RowPairs, hamming_distances
from simdup.search.ball import HammingBall
from simdup.search.bitview import block_keys
from simdup.search.forest import Forest
from simdup.search.grouping import LOOK, Budget, Check, connect
from simdup.search.lists import Lists
from simdup.verify.listed import ListedPairs

# Candidates that connect more documents than this are not all verified: see `families`.
LARGE = 64

# The most visits per document to find out which documents with common keys candidates connect.
# With p-stable keys for a cosine of 0.7, which half of all pairs share, a scan of 15,855 texts took
# 108 s; with 4,096 visits and smaller sketches it did not end in 280 s.
VISITS = 1 << 10


@dataclass(frozen=True, slots=True)
class Proposals:
    """Documents that may be near-duplicates, and the searches that propose pairs of them."""

    rows: RowIds  # int64[n]: their numbers, ascending
    fingerprints: Fingerprints
    signatures: Signatures | None  # of all documents; None if band keys propose nothing
    references: NDArray[np.bool_]  # bool[n]: documents that are not compared with each other
    settings: Settings
    listed: ListedPairs | None = None  # pairs that share passages; None if these propose nothing
    # uint64[n]: only documents with equal ones are pairs; None if titles do not decide.
    titles: U64 | None = None

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.rows)

    def take(self, rows: RowIds) -> Proposals:
        """Return some of the documents, by their ascending places here."""
        if len(rows) == len(self):
            return self
        prints = self.fingerprints
        return replace(
            self,
            rows=self.rows[rows],
            fingerprints=replace(prints, values=prints.values[rows], terms=prints.terms[rows]),
            references=self.references[rows],
            titles=None if self.titles is None else self.titles[rows],
            listed=None if self.listed is None else self.listed.among(self.rows[rows]),
        )

    @property
    def by_distance(self) -> bool:
        """Whether near fingerprints propose pairs."""
        return "simhash" in self.settings.criteria.searches

    def distances(self, i: RowIds, j: RowIds) -> NDArray[np.int16]:
        """Return the Hamming distance of each pair (i[k], j[k])."""
        values = self.fingerprints.values
        return hamming_distances(values, i, values, j)

    def near(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs simhash proposes."""
        if not self.by_distance:
            return np.zeros(len(i), np.bool_)
        return self._useful(i, j) & (self.distances(i, j) <= self.settings.criteria.distance)

    def alike(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs band keys propose."""
        if self.signatures is None:
            return np.zeros(len(i), np.bool_)
        return self._useful(i, j) & self.signatures.propose(self.rows[i], self.rows[j])

    def sharing(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs are proposed because they share passages."""
        if self.listed is None:
            return np.zeros(len(i), np.bool_)
        return self._useful(i, j) & self.listed.hold(self.rows[i], self.rows[j])

    def proposed_by(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs each search of the criteria proposes (bool[searches, pairs])."""
        searches = self.settings.criteria.searches
        propose = {"simhash": self.near, "passages": self.sharing}
        return np.stack([propose.get(search, self.alike)(i, j) for search in searches])

    def test(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs are candidates."""
        proposed: NDArray[np.bool_] = np.logical_or.reduce(self.proposed_by(i, j))
        return proposed

    def _useful(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        useful: NDArray[np.bool_] = ~(self.references[i] & self.references[j])
        return useful if self.titles is None else useful & (self.titles[i] == self.titles[j])

    def components(self, weights: RowIds) -> RowIds:
        """Return the component of each document, by its smallest document.

        `weights` (int64[n]) says how many documents each one represents.  Components of at most
        `LARGE` documents are found without visiting single pairs; visits pay off for larger ones.
        """
        forest = Forest(len(self))
        if self.by_distance:
            criteria, run = self.settings.criteria, self.settings.run
            for pairs in iter_near_pairs(self.fingerprints, criteria.distance, run):
                forest.join(pairs.i, pairs.j)
        if self.signatures is not None:
            for i, j in banding.neighbours(self.signatures.columns(self.rows)):
                forest.join(i, j)
        if self.listed is not None:
            forest.join(*self.listed.places(self.rows))
        roots = forest.roots.copy()
        if self.signatures is None and self.titles is None:
            return roots
        # Rows that share a key are joined above, even if their sketches or titles differ.
        for members in groups_of(roots, np.bincount(roots, weights)[roots] > LARGE):
            exact = Forest(len(members))
            some = self.take(members)
            budget = Budget(float(VISITS * LOOK * len(members)))
            connect(some.lists(), exact, Check(some.test, _all), budget)
            # Where it costs too much, they stay together: only more is left to the family.
            if not budget.unchecked:
                roots[members] = members[exact.roots]
        return roots

    def lists(self) -> Lists:
        """Return lists of rows with equal keys or blocks; each candidate pair shares a list."""
        known = self.signatures
        columns = [] if known is None else list(known.columns(self.rows))
        if self.by_distance:
            prints = self.fingerprints
            distance = min(self.settings.criteria.distance, prints.bits)
            columns += block_keys(prints.values, HammingBall(prints.bits, distance))
        keys = [column.astype(np.uint64) for column in columns]
        found = Lists.of_keys(
            np.stack(keys, axis=1) if keys else np.zeros((len(self), 0), np.uint64)
        )
        return found if self.listed is None else found.with_pairs(*self.listed.places(self.rows))

    def pairs(self) -> Iterator[RowPairs]:
        """Yield all candidates, i < j, each once, in chunks, in undefined order."""
        for i, j in self._near_pairs():
            useful = self._useful(i, j)
            yield i[useful], j[useful]
        if self.signatures is not None:
            known = self.signatures
            for i, j in banding.candidates(known.keys[known.rows(self.rows)]):
                # These have already been yielded.
                new = self.alike(i, j) & ~self.near(i, j)
                yield i[new], j[new]
        if self.listed is not None:
            i, j = self.listed.places(self.rows)
            new = self._useful(i, j) & ~self.near(i, j) & ~self.alike(i, j)
            yield i[new], j[new]

    def _near_pairs(self) -> Iterator[RowPairs]:
        if self.by_distance:
            criteria, run = self.settings.criteria, self.settings.run
            found = near_pairs(self.fingerprints, criteria.distance, run)
            yield found.i, found.j


def _all(i: RowIds, j: RowIds) -> NDArray[np.bool_]:
    return np.ones(len(i), np.bool_)


def groups_of(roots: RowIds, chosen: NDArray[np.bool_]) -> list[RowIds]:
    """Return the chosen rows of each root."""
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(roots[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(roots[rows])) + 1) if len(rows) else []
