"""Find all pairs of sets above a Jaccard similarity exactly, as the truth for tuning.

How many elements two sets share is an entry of the product of the matrix "which set has which
element" and its transpose.  Both are sparse, so the product costs, for each element, the square of
the number of sets that have it; elements of one set only are left out.

References
----------
Every pair is counted, by the definition in A. Broder, "On the resemblance and containment of
documents", SEQUENCES 1997; nothing is filtered or sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.features.shingles import Shingles

# Sets compared with all others at a time: 2 MB of counts for a sample of 2,000.
_CHUNK = 256


class Similar(NamedTuple):
    """Pairs of sets, ordered by (i, j)."""

    i: NDArray[np.int64]  # int64[pairs]: positions of the sets, i < j
    j: NDArray[np.int64]  # int64[pairs]
    similarity: NDArray[np.float64]  # float64[pairs]: above 0, up to 1


def similar_pairs(sets: Sequence[Shingles], least: float) -> Similar:
    """Return all pairs of sets with at least this Jaccard similarity, which is above 0.

    Sets must not contain repetitions; `Shingler.shingles` returns such sets.
    """
    from scipy.sparse import csr_matrix

    sizes = np.array([len(one) for one in sets], np.int64)
    every = np.concatenate([np.zeros(0, np.uint64), *sets])
    elements, columns, times = np.unique(every, return_inverse=True, return_counts=True)
    rows = np.repeat(np.arange(len(sets)), sizes)
    several = times[columns] > 1
    shape = (len(sets), len(elements))
    ones = np.ones(np.count_nonzero(several), np.int32)
    has = csr_matrix((ones, (rows[several], columns[several])), shape=shape)
    owned = has.T.tocsr()
    found = []
    for first in range(0, len(sets), _CHUNK):
        shared = (has[first : first + _CHUNK] @ owned).tocoo()
        i, j, common = shared.row.astype(np.int64) + first, shared.col.astype(np.int64), shared.data
        share = common / (sizes[i] + sizes[j] - common)
        high = (i < j) & (share >= least)
        i, j, share = i[high], j[high], share[high]
        order = np.lexsort((j, i))
        found.append((i[order], j[order], share[order]))
    nothing = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    return Similar(*(np.concatenate(parts) for parts in zip(nothing, *found, strict=True)))
