"""All pairs of sets at a resemblance, exactly: the truth that settings are held to.

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

from simdup.verify.resemblance import Shingles

# Sets that are counted against all others at once: 2 MB of counts for a sample of 2,000.
_BLOCK = 256


class Similar(NamedTuple):
    """Pairs of sets, ordered by (i, j).

    Attributes
    ----------
    i, j : int64[pairs]
        Places of the sets, i < j.
    resemblance : float64[pairs]
        Above 0, up to 1.
    """

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    resemblance: NDArray[np.float64]


def similar_pairs(sets: Sequence[Shingles], least: float) -> Similar:
    """Return all pairs of sets at a resemblance.

    Parameters
    ----------
    sets : sequence of uint64[shingles]
        Each free of repetitions, as `resemblance.shingles` gives them.
    least : float
        Above 0: the least resemblance.
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
    for first in range(0, len(sets), _BLOCK):
        shared = (has[first : first + _BLOCK] @ owned).tocoo()
        i, j, common = shared.row.astype(np.int64) + first, shared.col.astype(np.int64), shared.data
        share = common / (sizes[i] + sizes[j] - common)
        high = (i < j) & (share >= least)
        i, j, share = i[high], j[high], share[high]
        order = np.lexsort((j, i))
        found.append((i[order], j[order], share[order]))
    nothing = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    return Similar(*(np.concatenate(parts) for parts in zip(nothing, *found, strict=True)))
