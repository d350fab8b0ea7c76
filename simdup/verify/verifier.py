"""The exact measures on candidate pairs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from simdup.model.criteria import Criteria, Measures
from simdup.verify.cosine import Vector, cosine
from simdup.verify.resemblance import Shingles, common, of_either, of_smaller

# What is kept at hand of shingles, and of vectors, in bytes: the documents of some 10,000 pages of
# 2,000 characters.
CACHE_BYTES = 1 << 28


class _Sized(Protocol):
    @property
    def nbytes(self) -> int: ...


Made = TypeVar("Made", bound=_Sized)


class _AtHand(Generic[Made]):
    """Makes things of documents once while there is room; what is longest unused goes first."""

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
    """Measures pairs of documents, looking at each while it is at hand.

    Parameters
    ----------
    shingles_of : callable
        Gives the shingles of a document's number.
    vector_of : callable
        Gives its TF-IDF vector; called only where the cosine is asked for.
    criteria : Criteria
        Which measures are wanted.
    """

    def __init__(
        self,
        shingles_of: Callable[[int], Shingles],
        vector_of: Callable[[int], Vector],
        criteria: Criteria,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._shingles = _AtHand(shingles_of, cache_bytes)
        self._vectors = _AtHand(vector_of, cache_bytes)
        self._contained = criteria.containment is not None
        self._angle = criteria.cosine is not None

    def measure(self, a: int, b: int) -> Measures:
        """Return what documents `a` and `b` have in common."""
        one, other = self._shingles.of(a), self._shingles.of(b)
        # Counted once for both measures.
        sizes = common(one, other), len(one), len(other)
        return Measures(
            similarity=of_either(*sizes),
            containment=of_smaller(*sizes) if self._contained else None,
            cosine=self.cosine(a, b) if self._angle else None,
        )

    def cosine(self, a: int, b: int) -> float:
        """Return the cosine of the vectors of `a` and `b`."""
        return cosine(self._vectors.of(a), self._vectors.of(b))
