"""The cosine of two TF-IDF vectors with all terms: whether two texts are about the same things.

Resemblance does not recognize templates: two pages made from one template share most of their
characters, whatever they say.  The cosine gives more weight to rare terms that they do not share.

References
----------
G. Salton, A. Wong, C. Yang, "A vector space model for automatic indexing", CACM 18 (1975).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.features.counts import CsrRows


class Vector(NamedTuple):
    """A sparse vector of length 1."""

    columns: NDArray[np.int32]  # int32[terms]: term numbers, ascending
    weights: NDArray[np.float64]  # float64[terms]: weights, whose squares sum to 1

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.columns.nbytes + self.weights.nbytes


def vector(document: CsrRows) -> Vector:
    """Return the vector of a document's term weights, scaled to length 1 (or all 0)."""
    order = np.argsort(document.columns)
    columns, weights = document.columns[order], document.values[order]
    length = float(np.sqrt(np.cumsum(weights * weights)[-1])) if len(weights) else 0.0
    return Vector(columns, weights / length if length else weights)


def cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of the angle between two vectors, 0 to 1 if no weight is negative.

    It is 0 if one of them has no terms.
    """
    if len(a.columns) > len(b.columns):
        a, b = b, a
    if not len(a.columns):
        return 0.0
    position = np.minimum(np.searchsorted(b.columns, a.columns), len(b.columns) - 1)
    shared = b.columns[position] == a.columns
    products = a.weights[shared] * b.weights[position[shared]]
    # Summed one by one, in order, so that the result does not depend on SIMD widths.
    return min(float(np.cumsum(products)[-1]), 1.0) if len(products) else 0.0
