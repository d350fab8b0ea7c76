"""The exact measures on candidate pairs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from simdup.verify.resemblance import Shingles, resemblance, shingles

# Shingles that are kept at hand, in bytes: the documents of some 10,000 pages of 2,000 characters.
CACHE_BYTES = 1 << 28


class Verifier:
    """Measures pairs of documents by their texts, shingling each text once while it is at hand.

    Parameters
    ----------
    text_of : callable
        Gives the folded text without white space of a document's number.
    n : int
        Characters of a shingle.
    cache_bytes : int
        How much of shingles is kept; those longest unused go first.
    """

    def __init__(
        self, text_of: Callable[[int], str], n: int = 5, cache_bytes: int = CACHE_BYTES
    ) -> None:
        self._text_of = text_of
        self._n = n
        self._room = cache_bytes
        self._cache: OrderedDict[int, Shingles] = OrderedDict()

    def similarity(self, a: int, b: int) -> float:
        """Return the resemblance of documents `a` and `b`, 0 to 1."""
        return resemblance(self._shingles(a), self._shingles(b))

    def _shingles(self, document: int) -> Shingles:
        known = self._cache.get(document)
        if known is not None:
            self._cache.move_to_end(document)
            return known
        made = self._cache[document] = shingles(self._text_of(document), self._n)
        self._room -= made.nbytes
        while self._room < 0 and len(self._cache) > 2:
            self._room += self._cache.popitem(last=False)[1].nbytes
        return made
