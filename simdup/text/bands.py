"""Band keys of documents, for the methods that search by signatures.

Blocking keys are mixed into fingerprints and band keys where only documents of one key are pairs,
such as those with the same title.  Ten thousand pages of one template are fifty million candidates,
nearly all of them of different titles.  With a mask that depends on the key, the fingerprints of
equal keys differ in the same bits as before, and those of different keys in half of all bits.
Chance may bring some of these together, so whoever uses the candidates compares the keys too.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64, stream
from simdup.kernels.sketches import signatures
from simdup.model.criteria import LEAST_SIMILARITY, Criteria
from simdup.model.table import Documents
from simdup.search.arrays import U32, U64, Bools, RowIds, count_equal
from simdup.text.families import MINHASH, Banding, bands, choose, fewest_agreeing
from simdup.text.shingles import Sets

# Band keys: uint32[documents, bands] of MinHash, uint64 of p-stable projections.
Keys = U32 | U64

# The share of pairs at the similarity, or at the cosine, that share a key.
RECALL = 0.999

# The most hashes of a signature: 512 bytes per document.
BUDGET = 128

# The share of pairs at the similarity that a sketch may reject by chance.
LOSS = 1e-3


class Banded(Protocol):
    """What proposes documents that share a band key; they are known by their numbers."""

    @property
    def keys(self) -> Keys:
        """Band keys (uint[rows, bands])."""

    @property
    def row_of(self) -> RowIds:
        """The row of each document, -1 for none (int64[documents])."""

    def propose(self, a: RowIds, b: RowIds) -> Bools:
        """Return which pairs share a key and may reach the similarity."""

    def may_reach(self, i: RowIds, j: RowIds) -> Bools:
        """Return which pairs of rows may reach the similarity."""

    def equal_bands(self, a: int, b: int) -> list[bool]:
        """Return which bands of two documents have the same key."""

    def masked(self, blocking: U64) -> Self:
        """Return signatures of documents with a mask for the blocking key of each."""


class Signatures(NamedTuple):
    """Band keys and sketches that propose pairs of documents."""

    keys: Keys
    sketches: NDArray[np.uint8]  # uint8[rows, size]: the low byte of each hash of the signatures
    fewest: int  # how many bytes of two sketches must be equal
    row_of: RowIds  # int64[documents]: the row of each

    @classmethod
    def of(cls, texts: Documents, criteria: Criteria, row_of: RowIds) -> Signatures:
        """Return the signatures of texts by MinHash, from their columns."""
        return cls(texts["keys"], texts["sketch"], minhash_fewest(criteria), row_of)

    def propose(self, a: RowIds, b: RowIds) -> Bools:
        """Return which pairs share a key and are not far below the similarity."""
        i, j = self.row_of[a], self.row_of[b]
        # Sketches first: they are smaller than keys, and most pairs asked about share a key.
        proposed = self.may_reach(i, j)
        some = np.flatnonzero(proposed)
        proposed[some] = (self.keys[i[some]] == self.keys[j[some]]).any(axis=1)
        return proposed

    def may_reach(self, i: RowIds, j: RowIds) -> Bools:
        """Return which pairs of rows are not far below the similarity."""
        likely: Bools = count_equal(self.sketches, i, self.sketches, j) >= self.fewest
        return likely

    def equal_bands(self, a: int, b: int) -> list[bool]:
        """Return which bands of two documents have the same key."""
        equal: list[bool] = (self.keys[self.row_of[a]] == self.keys[self.row_of[b]]).tolist()
        return equal

    def masked(self, blocking: U64) -> Signatures:
        """Return signatures of documents with a mask for the blocking key of each."""
        keys, rows = self.keys[self.row_of], np.arange(len(blocking))
        masked: Keys = np.bitwise_xor(keys, mix64(blocking).astype(keys.dtype)[:, np.newaxis])
        return Signatures(masked, self.sketches[self.row_of], self.fewest, rows)


def mask_fingerprints(values: U64, bits: int, blocking: U64) -> U64:
    """Return fingerprints (uint64[n, words]) with a mask for each blocking key (uint64[n])."""
    keys = mix64(blocking)
    masks = np.stack([stream(keys, word) for word in range(values.shape[1])], axis=1)
    if unused := -bits % 64:
        masks[:, 0] >>= np.uint64(unused)
    masked: U64 = values ^ masks
    return masked


def _similarity(criteria: Criteria) -> float:
    """Return the similarity from which on pairs are to be found.

    If passages find excerpts and no similarity is asked for, that of two texts of one length with
    the containment is enough.
    """
    if "passages" not in criteria.searches or criteria.similarity:
        return criteria.similarity
    contained = criteria.containment or 0
    return contained / (2 - contained)


def minhash_banding(criteria: Criteria) -> Banding:
    """Return the rows and bands that find pairs at the wanted similarity."""
    return banding_at(max(_similarity(criteria), LEAST_SIMILARITY))


def banding_at(similarity: float) -> Banding:
    """Return the rows and bands that find sets with a similarity."""
    return choose(MINHASH, 1 - similarity, RECALL, BUDGET)


def minhash_signatures(sets: Sets, criteria: Criteria) -> Signatures:
    """Return the band keys and sketches of documents given as sets of shingles.

    Verification counts the same shingles, so the probability of finding a pair depends on exactly
    the measure it must meet, for a poem of 20 characters as well as for a law.
    """
    banding = minhash_banding(criteria)
    hashes = signatures(*sets, banding.size)
    # Half a key is enough: sketches reject keys that are equal by chance.
    keys = bands(hashes, banding).astype(np.uint32)
    rows = np.arange(len(keys))
    return Signatures(keys, hashes.astype(np.uint8), minhash_fewest(criteria), rows)


def minhash_fewest(criteria: Criteria) -> int:
    """Return how many bytes of two sketches must be equal."""
    return fewest_agreeing(_similarity(criteria), minhash_banding(criteria).size, LOSS)
