"""Shingles: a document as the set of its runs of n characters, or of n words.

Runs keep the order that single words lose, so two documents with the same vocabulary differ, and
a change affects only the few runs that it touches.  MinHash, verification and the index share the
hashes made here.  So the probability of finding a pair depends on exactly the measure that verifies
it.

Many documents share one array: document i is ``hashes[starts[i]:starts[i + 1]]``.

References
----------
A. Broder, "On the resemblance and containment of documents", SEQUENCES 1997, section 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.kernels.sets import distinct
from simdup.kernels.sketches import runs
from simdup.model.criteria import Shingling
from simdup.text.characters import PreparedText, ends_of, to_codes
from simdup.text.counts import REMEMBERED_TERMS, term_hash

# Distinct hashes of one document's shingles, ascending.
Shingles = NDArray[np.uint64]


class Sets(NamedTuple):
    """Sets of 64-bit hashes, one for each document."""

    starts: NDArray[np.int64]  # int64[documents + 1]: where each set begins, and the end
    # uint64[entries]: the elements in the order of the text; an element may occur twice.
    hashes: NDArray[np.uint64]


class Shingler:
    """Cuts texts into shingles; `words` cuts a text into its words, in order."""

    def __init__(self, shingling: Shingling, words: Callable[[str], list[str]] = str.split) -> None:
        self.shingling = shingling
        self._words = words
        self._term_hashes = _TermHashes()

    def text_of(self, prepared: PreparedText) -> str:
        """Return the form of a text that is cut into shingles."""
        return prepared.spaced if self.shingling.by_words else prepared.compact

    def shingles(self, text: str) -> Shingles:
        """Return the distinct shingles of one text; see `text_of`."""
        return self.distinct_sets([text]).hashes

    def sets(self, texts: Sequence[str]) -> Sets:
        """Return the shingles of many texts; see `text_of`."""
        if not self.shingling.by_words:
            return Sets(*runs(ends_of(texts), to_codes("".join(texts)), self.shingling.n))
        cut = [self._words(text) for text in texts]
        starts = np.cumsum([0, *map(len, cut)], dtype=np.int64)
        items = self._hash_words(list(chain.from_iterable(cut)))
        return Sets(*runs(starts, items, self.shingling.n))

    def distinct_sets(self, texts: Iterable[str]) -> Sets:
        """Return the distinct shingles of many texts, ascending in each; see `text_of`."""
        return Sets(*distinct(*self.sets(list(texts))))

    def _hash_words(self, words: list[str]) -> NDArray[np.uint64]:
        if len(self._term_hashes) > REMEMBERED_TERMS:
            self._term_hashes.clear()
        return np.fromiter(map(self._term_hashes.__getitem__, words), np.uint64, len(words))


class _TermHashes(dict[str, int]):
    """Caches the term hash of each term."""

    def __missing__(self, term: str) -> int:
        value = self[term] = int.from_bytes(term_hash(term), "big")
        return value
