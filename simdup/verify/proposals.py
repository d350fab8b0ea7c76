"""The candidates that the searches of a scan propose.

Simhash proposes documents whose fingerprints are within the distance.  MinHash proposes documents
that share a band key, unless their sketches show that they are far below the similarity.  Pairs
that share passages are listed beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.clusters import differ
from simdup.clustering.short_texts import ShortTexts
from simdup.fingerprints.bands import Signatures
from simdup.fingerprints.edit_bands import EditSignatures
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.fingerprints.near import iter_near_pairs, near_pairs
from simdup.model.criteria import FEW_TERMS
from simdup.model.settings import Settings
from simdup.search import banding
from simdup.search.arrays import U64, RowIds, RowPairs, hamming_distances
from simdup.search.ball import HammingBall
from simdup.search.bitview import block_keys
from simdup.search.forest import Forest
from simdup.search.grouping import LOOK, Budget, Check, connect
from simdup.search.kinds import kinds_of
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
    short: ShortTexts | None = None
    edited: EditSignatures | None = None  # of short texts; None if band keys propose nothing
    # uint64[n]: only documents with equal ones are pairs; None if titles do not decide.
    titles: U64 | None = None
    # int64[n] each: documents of one group are never pairs, see `ScannedDocuments`; identical
    # documents have equal contents.  None if groups do not decide.
    groups: RowIds | None = None
    contents: RowIds | None = None

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
            groups=None if self.groups is None else self.groups[rows],
            contents=None if self.contents is None else self.contents[rows],
            listed=None if self.listed is None else self.listed.among(self.rows[rows]),
        )

    @property
    def by_distance(self) -> bool:
        """Whether near fingerprints propose pairs."""
        return "simhash" in self.settings.criteria.searches

    @property
    def banded(self) -> list[Signatures | EditSignatures]:
        """The signatures whose band keys propose pairs."""
        return [one for one in (self.signatures, self.edited) if one is not None]

    def distances(self, i: RowIds, j: RowIds) -> NDArray[np.int16]:
        """Return the Hamming distance of each pair (i[k], j[k])."""
        values = self.fingerprints.values
        return hamming_distances(values, i, values, j)

    def near(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs simhash proposes."""
        if not self.by_distance:
            return np.zeros(len(i), np.bool_)
        return self.useful(i, j) & (self.distances(i, j) <= self.settings.criteria.distance)

    def alike(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs band keys propose."""
        proposed = np.zeros(len(i), np.bool_)
        for known in self.banded:
            proposed |= known.propose(self.rows[i], self.rows[j])
        return self.useful(i, j) & proposed

    def sharing(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs are proposed because they share passages."""
        if self.listed is None:
            return np.zeros(len(i), np.bool_)
        return self.useful(i, j) & self.listed.hold(self.rows[i], self.rows[j])

    def proposed_by(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs each search of the criteria proposes (bool[searches, pairs])."""
        searches = self.settings.criteria.searches
        propose = {"simhash": self.near, "passages": self.sharing}
        return np.stack([propose.get(search, self.alike)(i, j) for search in searches])

    def test(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs are candidates."""
        proposed: NDArray[np.bool_] = np.logical_or.reduce(self.proposed_by(i, j))
        return proposed

    def useful(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs may be candidates: no rule about documents forbids it."""
        useful: NDArray[np.bool_] = ~(self.references[i] & self.references[j])
        terms = self.fingerprints.terms
        some = np.flatnonzero(np.minimum(terms[i], terms[j]) < FEW_TERMS)
        if len(some):
            a, b = self.rows[i[some]], self.rows[j[some]]
            known = self.contents
            same = False if known is None else known[i[some]] == known[j[some]]
            useful[some] &= same if self.short is None else same | self.short.measures(a, b)
        if self.groups is not None:
            useful &= differ(self.groups, i, j)
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
        for known in self.banded:
            places = known.places(self.rows)
            for i, j in banding.neighbours(known.columns(self.rows[places])):
                forest.join(places[i], places[j])
        if self.listed is not None:
            forest.join(*self.listed.places(self.rows))
        roots = forest.roots.copy()
        rules = (self.short, self.titles, self.groups)
        if not self.banded and all(one is None for one in rules):
            return roots
        # Rows that share a key are joined above, even if their sketches or titles differ, or their
        # group is the same, or a rule for texts with few terms keeps them apart.
        for members in groups_of(roots, np.bincount(roots, weights)[roots] > LARGE):
            some = self.take(members)
            budget = Budget(float(VISITS * LOOK * len(members)))
            exact = Forest(len(members))
            connect(some.lists(), exact, Check(some.test, _all), budget)
            # Where it costs too much, they stay together: only more is left to the family.
            if not budget.unchecked:
                roots[members] = members[exact.roots]
        return roots

    def lists(self) -> Lists:
        """Return lists of rows with equal keys or blocks; each candidate pair shares a list."""
        n = len(self)
        found = Lists.none()
        for known in self.banded:
            places = known.places(self.rows)
            columns = list(known.columns(self.rows[places]))
            found = found.joined(_lists_of(columns, len(places)).of_rows(places))
        if self.by_distance:
            found = found.joined(_lists_of(self.blocks(), n))
        if self.listed is not None:
            found = found.with_pairs(*self.listed.places(self.rows))
        return found.of_kinds(self.kinds)

    @property
    def kinds(self) -> RowIds | None:
        """Equal numbers for documents of one group (int64[n]); None if all may be pairs."""
        return None if self.groups is None else kinds_of(self.groups)

    def blocks(self) -> list[U64]:
        """Return the blocks of fingerprints of which near documents share one."""
        prints = self.fingerprints
        distance = min(self.settings.criteria.distance, prints.bits)
        return block_keys(prints.values, HammingBall(prints.bits, distance))

    def pairs(self) -> Iterator[RowPairs]:
        """Yield all candidates, i < j, each once, in chunks, in undefined order."""
        for i, j in self._near_pairs():
            useful = self.useful(i, j)
            yield i[useful], j[useful]
        for known in self.banded:
            # What these propose has already been yielded.
            before = None if known is self.signatures else self.signatures
            earlier = replace(self, signatures=before, edited=None)
            places = known.places(self.rows)
            keys = _stacked(list(known.columns(self.rows[places])), len(places))
            for a, b in banding.candidates(keys):
                i, j = places[a], places[b]
                own = self.useful(i, j) & known.propose(self.rows[i], self.rows[j])
                new = own & ~earlier.near(i, j) & ~earlier.alike(i, j)
                yield i[new], j[new]
        if self.listed is not None:
            i, j = self.listed.places(self.rows)
            new = self.useful(i, j) & ~self.near(i, j) & ~self.alike(i, j)
            yield i[new], j[new]

    def _near_pairs(self) -> Iterator[RowPairs]:
        if self.by_distance:
            criteria, run = self.settings.criteria, self.settings.run
            found = near_pairs(self.fingerprints, criteria.distance, run)
            yield found.i, found.j


def _lists_of(columns: Sequence[NDArray[np.unsignedinteger]], n: int) -> Lists:
    """Return the lists of n rows with an equal key in a column."""
    return Lists.of_keys(_stacked(columns, n))


def _stacked(columns: Sequence[NDArray[np.unsignedinteger]], n: int) -> U64:
    keys = [column.astype(np.uint64) for column in columns]
    return np.stack(keys, axis=1) if keys else np.zeros((n, 0), np.uint64)


def _all(i: RowIds, j: RowIds) -> NDArray[np.bool_]:
    return np.ones(len(i), np.bool_)


def groups_of(roots: RowIds, chosen: NDArray[np.bool_]) -> list[RowIds]:
    """Return the chosen rows of each root."""
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(roots[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(roots[rows])) + 1) if len(rows) else []
