"""Band keys of documents, for the methods that search by signatures."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError
from simdup.features.shingles import Sets
from simdup.features.weights import Weighting
from simdup.lsh import minhash, pstable
from simdup.lsh.families import MINHASH, Banding, bands, choose, choose_pstable
from simdup.model.criteria import Criteria

# Band keys: uint64[documents, bands].
Keys = NDArray[np.uint64]

# Hashes a signature may have: 512 bytes a document.
BUDGET = 128

# The similarity that minhash looks for where none is asked for: that of a text of which a third
# occurs in another one of the same length.
_LEAST_SIMILARITY = 0.2


def minhash_banding(criteria: Criteria) -> Banding:
    """Return the rows and bands that find pairs at the similarity with the recall asked for."""
    similarity = max(criteria.similarity, _LEAST_SIMILARITY)
    # The usual budget is enough down to a similarity of 0.35; below, twice as many or more.
    for budget in (BUDGET, 2 * BUDGET, 4 * BUDGET):
        try:
            return choose(MINHASH, 1 - similarity, criteria.recall, budget)
        except SimdupError as error:
            refused = error
    raise refused


def minhash_keys(sets: Sets, banding: Banding) -> Keys:
    """Return the band keys of documents given as sets of shingles.

    They are the very shingles that verification counts, so the probability to find a pair is that
    of the measure it has to meet, for a poem of 20 characters as for a law.
    """
    return bands(minhash.signatures(*sets, banding.size), banding)


def pstable_keys(weighting: Weighting, criteria: Criteria) -> Keys:
    """Return the band keys of the documents' TF-IDF vectors.

    Vectors of length 1 at a cosine c lie sqrt(2 - 2 c) apart.  Where no cosine is asked for, it is
    that of two sets of equal size at the similarity s asked for: 2 s / (1 + s).
    """
    similarity = max(criteria.similarity, _LEAST_SIMILARITY)
    cosine = criteria.cosine or 2 * similarity / (1 + similarity)
    distance = math.sqrt(2 - 2 * cosine)
    width, banding = choose_pstable(distance, criteria.recall, BUDGET)
    counts = weighting.counts
    keys = [np.zeros((0, banding.bands), np.uint64)]
    for starts, columns, weights in weighting.rows():
        scaled = pstable.unit(starts, weights)
        cells = pstable.signatures(starts, counts.ids[columns], scaled, banding.size, width)
        keys.append(bands(cells, banding))
    every = np.concatenate(keys)
    return every if counts.row_of is None else every[counts.row_of]
