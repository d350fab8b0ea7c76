"""Sets of bigrams: what MinHash sees of a document.

A document is the set of its pairs of neighbouring words, or of neighbouring characters, each known
by a 64-bit hash.  Pairs carry the order that single words lose, so two documents of the same
vocabulary are told apart, and one changed word costs two of them only.

Many documents stand in one array, one after another: document i is
``hashes[starts[i]:starts[i + 1]]``.  A bigram that occurs twice stands there twice, which a
minimum does not mind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.features.counts import REMEMBERED_TERMS
from simdup.features.hashing import term_hash


class Sets(NamedTuple):
    """Sets of 64-bit hashes, one a document.

    Attributes
    ----------
    starts : int64[documents + 1]
        Where each begins, and the end.
    hashes : uint64[entries]
        Their elements, in the documents' own order; repetitions do not matter.
    """

    starts: NDArray[np.int64]
    hashes: NDArray[np.uint64]


# The pair (a, b) of words becomes a * multiplier + b modulo 2^64: an odd multiplier loses nothing,
# and tells (a, b) from (b, a).  This one is 2^64 divided by the golden ratio.
_WORDS = np.uint64(0x9E3779B97F4A7C15)
# Two code points fit side by side.
_CHARACTERS = np.uint64(1 << 32)


class TermHashes(dict[str, int]):
    """The term hash of every term that is asked for, remembered.

    Examples
    --------
    >>> TermHashes().rows([["a", "b"], []]).starts.tolist()
    [0, 2, 2]
    """

    def __missing__(self, term: str) -> int:
        value = self[term] = int.from_bytes(term_hash(term), "big")
        return value

    def rows(self, documents: Iterable[Sequence[str]]) -> Sets:
        """Return the term hashes of a block of documents' tokens, in their order.

        Line feeds, which stand for gaps between words, are left out.
        """
        if len(self) > REMEMBERED_TERMS:
            self.clear()
        terms = [[token for token in tokens if token != "\n"] for tokens in documents]
        starts = np.cumsum([0, *map(len, terms)], dtype=np.int64)
        every = map(self.__getitem__, chain.from_iterable(terms))
        return Sets(starts, np.fromiter(every, np.uint64, int(starts[-1])))


def word_bigrams(terms: Sets) -> Sets:
    """Return the bigrams of documents given as term hashes in their order.

    A document of a single term has that one as its only element, an empty one has none.
    """
    return _bigrams(terms.starts, terms.hashes, _WORDS)


def character_bigrams(texts: Sequence[str]) -> Sets:
    """Return the character bigrams of folded texts without white space.

    A text of a single character has that one as its only element, an empty one has none.
    """
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), "<u4")
    return _bigrams(starts, codes.astype(np.uint64), _CHARACTERS)


def _bigrams(starts: NDArray[np.int64], items: NDArray[np.uint64], multiplier: np.uint64) -> Sets:
    """Return items[i] * multiplier + items[i + 1] of all neighbours within a document."""
    lengths = np.diff(starts)
    last = np.zeros(len(items), np.bool_)
    last[starts[1:][lengths > 0] - 1] = True
    alone = np.zeros(len(items), np.bool_)
    alone[starts[1:][lengths == 1] - 1] = True
    hashes = items * multiplier
    hashes[:-1] += np.where(last[:-1], np.uint64(0), items[1:])
    sizes = lengths - (lengths > 1)
    return Sets(np.concatenate([[0], np.cumsum(sizes)]), hashes[~last | alone])
