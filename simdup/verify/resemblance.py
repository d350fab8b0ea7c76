"""Resemblance and containment: how much of two texts is the same, exactly.

A text is taken for the set of its shingles: all runs of n characters, or of n words.  Of two sets,
resemblance is the share that both have of all that either has (their Jaccard coefficient);
containment is the share of the smaller set that lies in the larger, so an excerpt is contained in
its source however long that is.  Neither knows what words mean, so they decide for every script
alike, and moved paragraphs cost them little.

References
----------
A. Broder, "On the resemblance and containment of documents", SEQUENCES 1997, section 2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from simdup.features.hashing import term_hash

Shingles = NDArray[np.uint64]

# A shingle stands as the value of a polynomial over its items modulo 2^64.  Two of one corpus fall
# together with probability 2^-64 a pair; the multiplier is 2^64 divided by the golden ratio, made
# odd, so that every item moves all higher bits.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def shingler(shingle: int | str, words: Callable[[str], list[str]]) -> Callable[[str], Shingles]:
    """Return the function from a folded text to its shingles.

    Parameters
    ----------
    shingle : int or str
        ``N`` characters without white space, or ``words:N``.
    words : callable
        Cuts a text into its words, in their order.
    """
    kind, _, count = str(shingle).rpartition(":")
    n = int(count)
    if kind == "words":
        return lambda text: word_shingles(words(text), n)
    return lambda text: shingles(text, n)


def shingles(text: str, n: int = 5) -> Shingles:
    """Return the set of a text's runs of n characters.

    Parameters
    ----------
    text : str
        A folded text without white space.
    n : int
        Characters of a shingle; a shorter text is one shingle, an empty one has none.

    Returns
    -------
    uint64[shingles]
        Distinct hashes, rising.
    """
    return _runs(np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.uint64), n)


def word_shingles(words: list[str], n: int) -> Shingles:
    """Return the set of the runs of n words, as `shingles` does for characters."""
    hashes = b"".join(map(term_hash, words))
    return _runs(np.frombuffer(hashes, ">u8").astype(np.uint64), n)


def _runs(items: NDArray[np.uint64], n: int) -> Shingles:
    if not len(items):
        return items
    n = min(n, len(items))
    count = len(items) - n + 1
    hashes = items[:count] + np.uint64(n)
    for offset in range(1, n):
        hashes *= _MULTIPLIER
        hashes += items[offset : offset + count]
    hashes.sort()
    distinct = np.empty(count, np.bool_)
    distinct[0] = True
    np.not_equal(hashes[1:], hashes[:-1], out=distinct[1:])
    return hashes[distinct]


def common(a: Shingles, b: Shingles) -> int:
    """Return how many values two sets share."""
    both = np.concatenate((a, b))
    # Each set is free of repetitions, so what stands twice in a row stands in both.  A stable sort
    # finds two rising runs and merges them: 2 x 2,000 values take 8 us, where 2,000 binary searches
    # take 27 and the default sort 28 to 90.
    both.sort(kind="stable")
    return int(np.count_nonzero(both[1:] == both[:-1]))


def resemblance(a: Shingles, b: Shingles) -> float:
    """Return the share that two sets of shingles have in common, 0 to 1; 0 for empty sets."""
    return of_either(common(a, b), len(a), len(b))


def containment(a: Shingles, b: Shingles) -> float:
    """Return the share of the smaller set that lies in the larger, 0 to 1; 0 for empty sets."""
    return of_smaller(common(a, b), len(a), len(b))


def of_either(shared: int, a: int, b: int) -> float:
    """Return the resemblance of two sets of these sizes that share so many."""
    return shared / max(a + b - shared, 1)


def of_smaller(shared: int, a: int, b: int) -> float:
    """Return the containment of two sets of these sizes that share so many."""
    return shared / max(min(a, b), 1)
