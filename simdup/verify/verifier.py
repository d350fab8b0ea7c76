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
from simdup.search.arrays import RowIds
from simdup.verify.cosine import Vector, cosine
from simdup.verify.edits import Edits
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
    number; the vector is made only if the cosine is needed.  `edits` measures pairs with a short
    text, if there are any.  `lost` returns the facts of a document that another one lacks; where
    nothing is to be lost, there are none.
    """

    def __init__(
        self,
        shingles_of: Callable[[int], Shingles],
        vector_of: Callable[[int], Vector],
        criteria: Criteria,
        cache_bytes: int = CACHE_BYTES,
        edits: Edits | None = None,
        lost: Callable[[int, int], list[str]] | None = None,
    ) -> None:
        self._shingles = _Cache(shingles_of, cache_bytes)
        self._vectors = _Cache(vector_of, cache_bytes)
        self._edits = edits
        self._containment = criteria.containment is not None
        self._angle = criteria.cosine is not None
        self._covering = criteria.covering
        self._lost = lost if criteria.lossless else None

    def measure(self, a: int, b: int) -> Measures:
        """Return the measures of documents `a` and `b`."""
        (measures,) = self.measure_all(np.array([a]), np.array([b])).each(1)
        return measures

    def measure_all(self, a: RowIds, b: RowIds) -> Measured:
        """Return the measures of each pair (a[k], b[k])."""
        edited, same_numbers = np.zeros(len(a), np.bool_), None
        if self._edits is not None:
            edited = self._edits.short.measures(a, b)
            same_numbers = ~edited
            same_numbers[edited] = self._edits.short.same_numbers(a[edited], b[edited])
        counted = ~edited
        if self._covering is not None:
            counted = np.ones(len(a), np.bool_)
        shared, first, second = np.zeros((3, len(a)), np.int64)
        shared[counted], first[counted], second[counted] = self._count(a[counted], b[counted])
        similarities = shared / np.maximum(first + second - shared, 1)
        if self._edits is not None and edited.any():
            similarities[edited] = self._edits.similarities(a[edited], b[edited])
        cosines = None
        if self._angle:
            cosines = np.array([self.cosine(*pair) for pair in _each(a, b)])
        found = Measured(similarities, cosine=cosines, same_numbers=same_numbers)
        if self._covering is None:
            return found
        shares = shared / np.maximum([first, second], 1)
        one, other = shares >= self._covering
        if self._lost is not None:
            one[one] = self._without_loss(a[one], b[one])
            other[other] = self._without_loss(b[other], a[other])
        found = found._replace(contained=(one + 2 * other).astype(np.int8), covered=shares.T)
        return found._replace(containment=shares.max(axis=0)) if self._containment else found

    def _count(self, a: RowIds, b: RowIds) -> RowIds:
        """Return the shingles that pairs share, those of `a` and those of `b` (int64[3, pairs])."""
        of = self._shingles.of
        sets = ((of(one), of(other)) for one, other in _each(a, b))
        counted = [(common(one, other), len(one), len(other)) for one, other in sets]
        return np.array(counted, np.int64).reshape(-1, 3).T

    def _without_loss(self, removed: RowIds, kept: RowIds) -> NDArray[np.bool_]:
        """Return which of the documents have no fact that the kept one lacks."""
        assert self._lost is not None
        return np.array([not self._lost(*pair) for pair in _each(removed, kept)], np.bool_)

    def cosine(self, a: int, b: int) -> float:
        """Return the cosine of the vectors of `a` and `b`."""
        return cosine(self._vectors.of(a), self._vectors.of(b))


def _each(a: RowIds, b: RowIds) -> list[tuple[int, int]]:
    return list(zip(a.tolist(), b.tolist(), strict=True))
