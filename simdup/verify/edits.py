"""Edit similarity: how much of the longer of two short texts stays if one becomes the other.

The distance is the least number of characters inserted, deleted or replaced; the similarity is
1 - distance / length of the longer text.

References
----------
V. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", Soviet
Physics Doklady 10 (1966).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def edit_similarities(a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
    """Return the edit similarity of each pair (a[k], b[k]) of texts that are not empty.

    Examples
    --------
    >>> edit_similarities(["明天下午三点开会"], ["明天下午两点开会"])
    array([0.875])
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    if not len(a):
        return np.zeros(0)
    distances = cpdist(a, b, scorer=Levenshtein.distance, dtype=np.int64)
    longer = np.maximum(list(map(len, a)), list(map(len, b)))
    similarities: NDArray[np.float64] = (longer - distances) / longer
    return similarities
