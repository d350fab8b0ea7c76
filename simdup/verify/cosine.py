"""Cosine of two TF-IDF vectors, all terms: whether two texts are about the same things.

Resemblance is blind to templates: two pages of one form share most of their characters whatever
they say.  The cosine weighs what they do not share by how rare it is.

References
----------
G. Salton, A. Wong, C. Yang, "A vector space model for automatic indexing", CACM 18 (1975).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Vector(NamedTuple):
    """A sparse vector of length 1.

    Attributes
    ----------
    columns : int32[terms]
        Term numbers, rising.
    weights : float64[terms]
        Weights, whose squares sum to 1.
    """

    columns: NDArray[np.int32]
    weights: NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.columns.nbytes + self.weights.nbytes


def vector(columns: NDArray[np.int32], weights: NDArray[np.float64]) -> Vector:
    """Return the vector of these term weights, scaled to length 1 (or all 0)."""
    order = np.argsort(columns)
    weights = weights[order]
    length = float(np.sqrt(np.cumsum(weights * weights)[-1])) if len(weights) else 0.0
    return Vector(columns[order], weights / length if length else weights)


def cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of the angle between two vectors, 0 to 1 for weights that are none below 0.

    Vectors without terms have nothing in common.
    """
    if len(a.columns) > len(b.columns):
        a, b = b, a
    if not len(a.columns):
        return 0.0
    at = np.minimum(np.searchsorted(b.columns, a.columns), len(b.columns) - 1)
    shared = b.columns[at] == a.columns
    products = a.weights[shared] * b.weights[at[shared]]
    # Summed one by one, in order: the result does not hang on a processor's vector width.
    return min(float(np.cumsum(products)[-1]), 1.0) if len(products) else 0.0
