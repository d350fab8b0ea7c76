"""Resemblance: how much of two texts is the same, exactly.

The Jaccard coefficient of the sets of all runs of n characters (shingles) of the two texts:
what they share, of all that either has.  1 means the same set, 0 nothing in common.  It knows
nothing of words, so it decides for every script alike, and moved paragraphs cost it little.

References
----------
A. Broder, "On the resemblance and containment of documents", SEQUENCES 1997, section 2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Shingles = NDArray[np.uint64]

# A shingle stands as the value of a polynomial over its characters modulo 2^64.  Two of one corpus
# fall together with probability 2^-64 a pair; the multiplier is 2^64 divided by the golden ratio,
# made odd, so that every character moves all higher bits.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def shingles(text: str, n: int = 5) -> Shingles:
    """Return the set of a text's shingles.

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
    codes = np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.uint64)
    if not len(codes):
        return codes
    n = min(n, len(codes))
    count = len(codes) - n + 1
    hashes = codes[:count] + np.uint64(n)
    for offset in range(1, n):
        hashes *= _MULTIPLIER
        hashes += codes[offset : offset + count]
    hashes.sort()
    distinct = np.empty(count, np.bool_)
    distinct[0] = True
    np.not_equal(hashes[1:], hashes[:-1], out=distinct[1:])
    return hashes[distinct]


def resemblance(a: Shingles, b: Shingles) -> float:
    """Return the share that two sets of shingles have in common, 0 to 1.

    Two empty sets have nothing in common.
    """
    if not len(a) or not len(b):
        return 0.0
    both = np.concatenate((a, b))
    # Each set is free of repetitions, so what stands twice in a row stands in both.  Sorting beats
    # look-ups here: 4,000 values sort in 15 us, 2,000 binary searches take 40.
    both.sort()
    common = int(np.count_nonzero(both[1:] == both[:-1]))
    return common / (len(both) - common)
