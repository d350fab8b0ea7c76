"""Compute the exact measures of candidate pairs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.clusters import Measured
from simdup.features.shingles import Shingles
from simdup.model.criteria import Criteria, Measures
from simdup.verify.cosine import Vector, cosine
from simdup.verify.resemblance import common

# Bytes of the cache of shingles, and of that of vectors: some 8,000 pages of 2,000 characters.
CACHE_BYTES = 1 << 27


class _Sized(Protocol):
    @property
    def nbytes(self) -> int: ...


Made = TypeVar("Made", bound=_Sized)


class _Cache(Generic[Made]):
    """Caches what `make` returns for documents, up to a size; drops the least recently used."""

    def __init__(self, make: Callable[[int], Made], room: int) -> None:
        self._make = make
        self._room = room
        self._made: OrderedDict[int, Made] = OrderedDict()

    def of(self, document: int) -> Made:
        known = self._made.get(document)
        if known is not None:
            self._made.move_to_end(document)
            return known
        made = self._made[document] = self._make(document)
        self._room -= made.nbytes
        while self._room < 0 and len(self._made) > 2:
            self._room += self._made.popitem(last=False)[1].nbytes
        return made


class Verifier:
    """Computes the measures of pairs that the criteria need.

    `shingles_of` and `vector_of` return the shingles and the TF-IDF vector of a document by its
    number; the vector is made only if the cosine is needed.
    """

    def __init__(
        self,
        shingles_of: Callable[[int], Shingles],
        vector_of: Callable[[int], Vector],
        criteria: Criteria,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._shingles = _Cache(shingles_of, cache_bytes)
        self._vectors = _Cache(vector_of, cache_bytes)
        self._containment = criteria.containment
        self._angle = criteria.cosine is not None

    def measure(self, a: int, b: int) -> Measures:
        """Return the measures of documents `a` and `b`."""
        (measures,) = self.measure_all(np.array([a]), np.array([b])).each(1)
        return measures

    def measure_all(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> Measured:
        """Return the measures of each pair (a[k], b[k])."""
        of = self._shingles.of
        pairs = list(zip(a.tolist(), b.tolist(), strict=True))
        sets = ((of(one), of(other)) for one, other in pairs)
        counted = [(common(one, other), len(one), len(other)) for one, other in sets]
        shared, first, second = np.array(counted, np.int64).reshape(-1, 3).T
        similarities = shared / np.maximum(first + second - shared, 1)
        cosines = np.array([self.cosine(*pair) for pair in pairs]) if self._angle else None
        if self._containment is None:
            return Measured(similarities, None, cosines)
        shares = shared / np.maximum([first, second], 1)
        one, other = (shares >= self._containment).astype(np.int8)
        return Measured(similarities, shares.max(axis=0), cosines, one + 2 * other)

    def cosine(self, a: int, b: int) -> float:
        """Return the cosine of the vectors of `a` and `b`."""
        return cosine(self._vectors.of(a), self._vectors.of(b))
