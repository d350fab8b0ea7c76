"""The cosine of the TF-IDF vectors of two texts.

It gives more weight to rare terms that they do not share, so it tells pages of one template apart.

References
----------
G. Salton, A. Wong, C. Yang, "A vector space model for automatic indexing", CACM 18 (1975).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.near.texts import Texts
from simdup.text.counts import CsrRows


class Vector(NamedTuple):
    """A sparse vector of length 1."""

    columns: NDArray[np.int32]  # int32[terms]: term numbers, ascending
    weights: NDArray[np.float64]  # float64[terms]: weights, whose squares sum to 1

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.columns.nbytes + self.weights.nbytes


def measure(pairs: MeasuredPairs, texts: Texts, criteria: Criteria) -> MeasuredPairs:
    """Add ``cosine``."""
    weights_of = texts.weights_of
    if weights_of is None:
        raise ValueError("the weights of terms are not known")

    def vectors(rows: Sequence[int]) -> Iterator[Vector]:
        return (vector(weights_of(row)) for row in rows)

    known = texts.cache("vectors", vectors)
    sides = (pairs[side].tolist() for side in ("a", "b"))
    values = (cosine(*(known.of([row])[0] for row in pair)) for pair in zip(*sides, strict=True))
    return pairs.and_columns(cosine=np.fromiter(values, np.float64, len(pairs)))


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
