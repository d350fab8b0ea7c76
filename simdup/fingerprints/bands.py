"""Band keys of documents, for the methods that search by signatures.

Blocking keys are mixed into fingerprints and band keys where only documents of one key are pairs,
such as those with the same title.  Ten thousand pages of one template are fifty million candidates,
nearly all of them of different titles.  With a mask that depends on the key, the fingerprints of
equal keys differ in the same bits as before, and those of different keys in half of all bits.
Chance may bring some of these together, so whoever uses the candidates compares the keys too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError
from simdup.features.shingles import Sets
from simdup.features.weights import Weighting
from simdup.kernels.sketches import signatures
from simdup.lsh import pstable
from simdup.lsh.bbit import fewest_agreeing, fewest_equal
from simdup.lsh.families import MINHASH, Banding, bands, choose, choose_pstable
from simdup.mix64 import mix64, stream
from simdup.model.criteria import LEAST_SIMILARITY, Criteria
from simdup.model.table import Documents
from simdup.search.arrays import U32, U64, Bools, RowIds, count_equal

# Band keys: uint32[documents, bands] of MinHash, uint64 of p-stable projections.
Keys = U32 | U64

# The most hashes of a signature: 512 bytes per document.
BUDGET = 128

# The most cells of a p-stable signature.  With 128, 256 and 512 cells, unrelated documents share a
# key with a probability of 0.075, 0.030 and 0.009 on paper (cosine 0.9, recall 0.99).  Projecting
# 1,500 laws took 0.35 s with 128.
PSTABLE_BUDGET = 512

# The share of pairs at the similarity that a sketch may reject by chance.
LOSS = 1e-3


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
    """Return the rows and bands that find pairs at the wanted similarity and recall."""
    return banding_at(max(_similarity(criteria), LEAST_SIMILARITY), criteria)


def banding_at(similarity: float, criteria: Criteria) -> Banding:
    """Return the rows and bands that find sets with a similarity at the wanted recall."""
    # The usual budget is enough down to a similarity of 0.35; below, it is doubled or more.
    for budget in (BUDGET, 2 * BUDGET, 4 * BUDGET):
        try:
            return choose(MINHASH, 1 - similarity, criteria.recall, budget)
        except SimdupError as error:
            refused = error
    raise refused


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


def pstable_cosine(criteria: Criteria) -> float:
    """Return the cosine from which on p-stable projections find pairs.

    If none is set, it is that of two sets of equal size at the wanted similarity s, 2 s / (1 + s).
    The cosine of a pair with this similarity may be lower: rare words weigh more.
    """
    similarity = max(criteria.similarity, LEAST_SIMILARITY)
    return criteria.cosine or 2 * similarity / (1 + similarity)


def pstable_signatures(weighting: Weighting, criteria: Criteria) -> Signatures:
    """Return the band keys and sketches of the documents' TF-IDF vectors.

    Vectors of length 1 with cosine c have the distance sqrt(2 - 2 c).  A sketch is the cells of
    a vector: of unrelated documents that share a key, hardly any share enough cells.
    """
    _, width, banding = _pstable(criteria)
    counts = weighting.counts
    keys = [np.zeros((0, banding.bands), np.uint64)]
    sketches = [np.zeros((0, banding.size), np.uint8)]
    for starts, columns, weights in weighting.rows():
        scaled = pstable.unit(starts, weights)
        cells = pstable.signatures(starts, counts.ids[columns], scaled, banding.size, width)
        keys.append(bands(cells, banding))
        sketches.append(cells.astype(np.uint8))
    fewest = pstable_fewest(criteria)
    return Signatures(np.concatenate(keys), np.concatenate(sketches), fewest, counts.row_of)


def pstable_fewest(criteria: Criteria) -> int:
    """Return how many bytes of two sketches must be equal."""
    distance, width, banding = _pstable(criteria)
    return fewest_equal(pstable.collision(distance, width), banding.size, LOSS)


def _pstable(criteria: Criteria) -> tuple[float, float, Banding]:
    """Return the distance up to which pairs are to be found, the width of cells, and the bands."""
    distance = math.sqrt(2 - 2 * pstable_cosine(criteria))
    return distance, *choose_pstable(distance, criteria.recall, PSTABLE_BUDGET)
