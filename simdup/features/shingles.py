"""Sets of runs of words or characters: what MinHash sees of a document.

A document is the set of its pairs of neighbouring words, or of its runs of n characters, each known
by a 64-bit hash.  Runs carry the order that single words lose, so two documents of the same
vocabulary are told apart, and a change costs the few runs that it touches.

Many documents stand in one array, one after another: document i is
``hashes[starts[i]:starts[i + 1]]``.  A run that occurs twice stands there twice, which a minimum
does not mind.
"""

from __future__ import annotations

from collections.abc import Sequence
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


# A run a, b, c is (a * multiplier + b) * multiplier + c modulo 2^64, with an odd multiplier, which
# loses nothing and tells the order.  This one is 2^64 divided by the golden ratio.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

# What the gaps between words stand as until they are dropped; no term of any text is known by it.
_GAP = 0


class TermHashes(dict[str, int]):
    """The term hash of every term that is asked for, remembered.

    Examples
    --------
    >>> TermHashes().rows([["a", "b"], []]).starts.tolist()
    [0, 2, 2]
    """

    def __init__(self) -> None:
        super().__init__({"\n": _GAP})

    def __missing__(self, term: str) -> int:
        value = self[term] = int.from_bytes(term_hash(term), "big")
        return value

    def rows(self, documents: Sequence[Sequence[str]]) -> Sets:
        """Return the term hashes of a block of documents' tokens, in their order.

        Line feeds, which stand for gaps between words, are left out.
        """
        if len(self) > REMEMBERED_TERMS:
            self.clear()
            self["\n"] = _GAP
        starts = np.cumsum([0, *map(len, documents)], dtype=np.int64)
        every = map(self.__getitem__, chain.from_iterable(documents))
        hashes = np.fromiter(every, np.uint64, int(starts[-1]))
        terms = hashes != _GAP
        before = np.concatenate([[0], np.cumsum(terms)])
        return Sets(before[starts], hashes[terms])


def word_bigrams(terms: Sets) -> Sets:
    """Return the bigrams of documents given as term hashes in their order.

    A document of a single term has that one as its only element, an empty one has none.
    """
    return runs(terms.starts, terms.hashes, 2)


def character_grams(texts: Sequence[str], n: int) -> Sets:
    """Return the runs of n characters of folded texts without white space.

    A shorter text has itself as its only element, an empty one has none: the sets are those whose
    Jaccard coefficient is the resemblance of the texts, which verification measures.
    """
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), "<u4")
    return runs(starts, codes.astype(np.uint64), n)


def runs(starts: NDArray[np.int64], items: NDArray[np.uint64], n: int) -> Sets:
    """Return the hashes of all runs of n items within a document, or of all it has if fewer."""
    lengths = np.diff(starts)
    sizes = np.where(lengths >= n, lengths - n + 1, lengths > 0)
    # The document of each item, and the place behind its last run.  Runs that reach over it into
    # the next document are made with the others, and dropped.
    inside = np.arange(len(items)) < np.repeat(starts[:-1] + sizes, lengths)
    hashes = np.zeros(len(items), np.uint64)
    every = max(len(items) - n + 1, 0)
    hashes[:every] = n
    for offset in range(n if every else 0):
        hashes[:every] *= _MULTIPLIER
        hashes[:every] += items[offset : offset + every]
    for length in range(1, n):
        short = starts[:-1][lengths == length]
        hash_ = np.full(len(short), length, np.uint64)
        for offset in range(length):
            hash_ = hash_ * _MULTIPLIER + items[short + offset]
        hashes[short] = hash_
    return Sets(np.concatenate([[0], np.cumsum(sizes)]), hashes[inside])
