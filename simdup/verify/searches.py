"""The searches that propose pairs of documents.

Simhash proposes documents whose fingerprints are within the distance.  Band keys propose documents
that share one, unless their sketches show that they are far below the similarity.  Pairs that share
passages are listed beforehand.

Each search is first prepared for the documents of a run.  Then it answers questions about any
of them, in rows of a table: which of some pairs it proposes, all pairs that it proposes, pairs that
are enough to connect these, lists of rows of which each proposed pair shares one, and which of its
bands are equal in one pair.  `simdup.index.row_searches` has those between documents and an index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import Mask
from simdup.features.weights import Weighting
from simdup.fingerprints.bands import Keys, Signatures, minhash_fewest, pstable_signatures
from simdup.fingerprints.edit_bands import EditSignatures
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.fingerprints.near import iter_near_pairs, near_pairs
from simdup.ingest.collection import Collection
from simdup.lsh.simhash import to_hex
from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.model.table import Documents, Side
from simdup.reuse.sharing import TextSeeds, least_share, sharing_pairs
from simdup.search import banding
from simdup.search.arrays import U64, RowIds, RowPairs, hamming_distances
from simdup.search.ball import HammingBall
from simdup.search.bitview import block_keys
from simdup.search.lists import Lists
from simdup.search.pieces import cut


def distances(a: Side, b: Side) -> NDArray[np.int16]:
    """Return the Hamming distance of the fingerprints of each pair (a[k], b[k])."""
    return hamming_distances(a.table["fingerprint"], a.rows, b.table["fingerprint"], b.rows)


@dataclass(frozen=True, slots=True)
class NearFingerprints:
    """Proposes documents whose fingerprints are within the distance of the criteria."""

    settings: Settings
    name: str = "simhash"

    def prepared(self, documents: Documents, numbers: RowIds) -> NearFingerprints:
        """Return the search itself: blocking keys are mixed into the fingerprints."""
        return self

    def propose(self, a: Side, b: Side) -> Mask:
        """Return which pairs (a[k], b[k]) it proposes."""
        near: Mask = distances(a, b) <= self.settings.criteria.distance
        return near

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, i < j, each once."""
        settings = self.settings
        found = near_pairs(self._prints(documents), settings.criteria.distance, settings.run)
        yield found.i, found.j

    def links(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield pairs that connect what it proposes, and perhaps more."""
        settings, prints = self.settings, self._prints(documents)
        for pairs in iter_near_pairs(prints, settings.criteria.distance, settings.run):
            yield pairs.i, pairs.j

    def lists(self, documents: Documents) -> Iterator[Lists]:
        """Yield lists of rows; each proposed pair shares one."""
        yield from map(Lists.of_key, self.blocks(documents))

    def blocks(self, documents: Documents) -> list[U64]:
        """Return the blocks of fingerprints of which near documents share one."""
        prints = self._prints(documents)
        distance = min(self.settings.criteria.distance, prints.bits)
        return block_keys(prints.values, HammingBall(prints.bits, distance))

    def equal_bands(self, documents: Documents, i: int, j: int) -> list[bool]:
        """Return which of distance + 1 blocks are equal: at least one, if so few bits differ."""
        bits = self.settings.recipe.bits
        a, b = to_hex(documents["fingerprint"][[i, j]], bits)
        different = format(int(a, 16) ^ int(b, 16), f"0{bits}b")
        count = min(self.settings.criteria.distance + 1, bits)
        return ["1" not in different[start : start + size] for start, size in cut(bits, count)]

    def _prints(self, documents: Documents) -> Fingerprints:
        bits = self.settings.recipe.bits
        return Fingerprints(documents["fingerprint"], bits, documents["terms"])


@dataclass(frozen=True, slots=True)
class EqualKeys:
    """Proposes documents that share a band key."""

    name: str
    signatures: Signatures | EditSignatures  # of documents by number

    @classmethod
    def of_vectors(cls, weighting: Weighting, criteria: Criteria) -> EqualKeys:
        """Return the search by p-stable projections of TF-IDF vectors."""
        return cls("pstable", pstable_signatures(weighting, criteria))

    @classmethod
    def of_texts(cls, texts: Documents, rows: RowIds, criteria: Criteria) -> EqualKeys:
        """Return the search by MinHash; `rows` are those of the texts of documents."""
        fewest = minhash_fewest(criteria)
        return cls("minhash", Signatures(texts["keys"], texts["sketch"], fewest, rows))

    @classmethod
    def of_forms(cls, forms: Documents, rows: RowIds, criteria: Criteria) -> EqualKeys:
        """Return the search among short texts; `rows` are those of the forms of documents."""
        return cls("minhash", EditSignatures.of(forms, criteria, rows))

    def prepared(self, documents: Documents, numbers: RowIds) -> EqualKeys:
        """Return the search with blocking keys mixed into its keys, if there are any."""
        if "blocking_key" not in documents:
            return self
        return replace(self, signatures=self.signatures.masked(documents["blocking_key"]))

    def propose(self, a: Side, b: Side) -> Mask:
        """Return which pairs (a[k], b[k]) it proposes."""
        return self.signatures.propose(a["number"], b["number"])

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, i < j, each once."""
        places, rows = self._rows(documents)
        for a, b in banding.candidates(self.signatures.keys[rows]):
            # They share a key, so only their sketches are asked.
            good = np.flatnonzero(self.signatures.may_reach(rows[a], rows[b]))
            yield places[a[good]], places[b[good]]

    def links(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield pairs that connect what it proposes, and perhaps more."""
        places, rows = self._rows(documents)
        for a, b in banding.neighbours(self._columns(rows)):
            yield places[a], places[b]

    def lists(self, documents: Documents) -> Iterator[Lists]:
        """Yield lists of rows; each proposed pair shares one."""
        places, rows = self._rows(documents)
        yield from (Lists.of_key(column).of_rows(places) for column in self._columns(rows))

    def equal_bands(self, documents: Documents, i: int, j: int) -> list[bool]:
        """Return which bands have the same key."""
        a, b = documents["number"][[i, j]].tolist()
        return self.signatures.equal_bands(a, b)

    def _rows(self, documents: Documents) -> tuple[RowIds, RowIds]:
        """Return the rows of documents with keys, and the rows of their keys."""
        rows = self.signatures.row_of[documents["number"]]
        places = np.flatnonzero(rows >= 0)
        return places, rows[places]

    def _columns(self, rows: RowIds) -> Iterator[Keys]:
        """Yield the keys of rows, one band at a time."""
        keys = self.signatures.keys
        return (keys[rows, band] for band in range(keys.shape[1]))


@dataclass(frozen=True)
class ListedPairs:
    """Proposes pairs that are known, by number, in order; the smaller number first."""

    a: RowIds = field(default_factory=lambda: np.zeros(0, np.int64))
    b: RowIds = field(default_factory=lambda: np.zeros(0, np.int64))
    name: str = "passages"

    def prepared(self, documents: Documents, numbers: RowIds) -> ListedPairs:
        """Return the search itself."""
        return self

    def propose(self, a: Side, b: Side) -> Mask:
        """Return which pairs (a[k], b[k]) it proposes."""
        if not len(self.a):
            return np.zeros(len(a.rows), np.bool_)
        one, other = a["number"], b["number"]
        keys = self.a << 32 | self.b
        asked = np.minimum(one, other) << 32 | np.maximum(one, other)
        places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
        listed: Mask = keys[places] == asked
        return listed

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, i < j, each once."""
        numbers = documents["number"]
        firsts = np.searchsorted(self.a, numbers)
        counts = np.searchsorted(self.a, numbers, "right") - firsts
        offsets = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        others = self.b[np.repeat(firsts, counts) + offsets]
        here = np.isin(others, numbers)
        i = np.repeat(np.arange(len(numbers)), counts)[here]
        yield i, np.searchsorted(numbers, others[here])

    def links(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield pairs that connect what it proposes, and perhaps more."""
        yield from self.pairs(documents)

    def lists(self, documents: Documents) -> Iterator[Lists]:
        """Yield lists of rows; each proposed pair shares one."""
        for i, j in self.pairs(documents):
            yield Lists.of_pairs(i, j)

    def equal_bands(self, documents: Documents, i: int, j: int) -> list[bool]:
        """Return whether it proposes the pair."""
        a, b = (Side(documents, np.array([row])) for row in (i, j))
        found: list[bool] = self.propose(a, b).tolist()
        return found


@dataclass(frozen=True, kw_only=True)
class SharedPassages(ListedPairs):
    """Lists the pairs of documents that share enough passages once it is prepared; before, none."""

    seeds: TextSeeds
    text_of: RowIds  # the text of each document
    containment: float

    def prepared(self, documents: Documents, numbers: RowIds) -> ListedPairs:
        """Return the pairs among some documents, by number."""
        i, j = sharing_pairs(self.seeds, self.text_of[numbers], least_share(self.containment))
        return ListedPairs(numbers[i], numbers[j])


Search: TypeAlias = NearFingerprints | EqualKeys | ListedPairs


def searches_of(corpus: Collection, weighting: Weighting, settings: Settings) -> list[Search]:
    """Return the searches that the criteria ask for, if documents have what they need."""
    criteria = settings.criteria
    searches: list[Search] = []
    if criteria.method == "pstable":
        searches.append(EqualKeys.of_vectors(weighting, criteria))
    if "keys" in corpus.texts:
        searches.append(EqualKeys.of_texts(corpus.texts, corpus.text_of, criteria))
    if "form_keys" in corpus.forms and len(corpus.forms):
        searches.append(EqualKeys.of_forms(corpus.forms, corpus["form"], criteria))
    if "simhash" in criteria.searches:
        searches.append(NearFingerprints(settings))
    if "seeds" in corpus.texts:
        containment = criteria.containment or 0
        searches.append(
            SharedPassages(seeds=corpus.seeds(), text_of=corpus.text_of, containment=containment)
        )
    return searches
