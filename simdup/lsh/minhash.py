"""MinHash: signatures that keep the Jaccard similarity of two sets.

Put all possible elements in one random order.  The first element of a set A and that of a set B
are the same exactly if the first of their union lies in both: with probability
|A and B| / |A or B|, their Jaccard similarity.  A signature has `size` bins, each with an order of
its own, and two signatures agree in that share of their bins, give or take.

*One permutation.*  An order for each bin hashes every element `size` times.  Instead each element
is hashed once: the top of the hash says which bin it belongs to, and in each bin the smallest hash
counts.  A set with many times `size` elements fills all bins this way.

*Small sets* leave bins empty.  In the next round all elements are hashed again, with another hash,
to fill the empty bins; those that are still empty after `ROUNDS` rounds follow the classic rule, an
order of all elements for that bin alone.  So in each bin the elements are ordered by (round in
which they reach it, hash), and that is a random order like any other: every bin agrees with exactly
the probability above, whatever the sizes of the two sets, and a small set's signature may be
compared with a large one's.

References
----------
A. Broder, "On the resemblance and containment of documents", SEQUENCES 1997.
P. Li, A. Owen, C.-H. Zhang, "One permutation hashing", NIPS 2012: one round.
S. Dahlgaard, M. Knudsen, M. Thorup, "Fast similarity sketching", FOCS 2017, section 2: rounds
until all bins are filled.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simdup.features.counts import iter_chunks
from simdup.mix64 import mix64, stream

# Rounds before the classic rule.  For 128 bins, microseconds a set of 20, 80, 200 and 600
# elements: 18, 44, 67, 91 after 1 round; 16, 28, 18, 11 after 4; 16, 20, 10, 12 after 8; 15, 11,
# 11, 14 after 16.
ROUNDS = 8

# Elements and bins that are worked on at once.
_CHUNK = 1 << 16

_EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)


def signatures(
    starts: NDArray[np.int64], hashes: NDArray[np.uint64], size: int
) -> NDArray[np.uint32]:
    """Return the MinHash signatures of sets.

    Parameters
    ----------
    starts : int64[sets + 1]
        Where each set begins in `hashes`, and the end.
    hashes : uint64[entries]
        Elements; repetitions within a set do not matter, nor does the order.
    size : int
        Bins of a signature.

    Returns
    -------
    uint32[sets, size]
        The low halves of the smallest hashes: different elements look alike with probability
        2**-32.  An empty set has all ones; it resembles nothing and must not be compared.
    """
    result = np.empty((len(starts) - 1, size), np.uint32)
    # Each set costs its elements and its bins.
    for first, last in iter_chunks(starts + np.arange(len(starts)) * size, _CHUNK):
        begin, end = int(starts[first]), int(starts[last])
        chunk = _smallest(starts[first : last + 1] - begin, hashes[begin:end], size)
        result[first:last] = chunk.astype(np.uint32)  # the low half
    return result


def _smallest(
    starts: NDArray[np.int64], hashes: NDArray[np.uint64], size: int
) -> NDArray[np.uint64]:
    """Return the smallest hash of each set in each bin, of the first round that reached it."""
    sets = len(starts) - 1
    smallest = np.full(sets * size, _EMPTY)
    row = np.repeat(np.arange(0, sets * size, size), np.diff(starts))
    keys = mix64(hashes)
    for number in range(ROUNDS):
        drawn = keys if number == 0 else stream(keys, number)
        top = drawn >> np.uint64(32)
        bins = row + ((top * np.uint64(size)) >> np.uint64(32)).astype(np.int64)
        if number:
            empty = (smallest == _EMPTY)[bins]
            bins, drawn = bins[empty], drawn[empty]
        np.minimum.at(smallest, bins, drawn)
        # Only sets with empty bins go on.
        unfilled = (smallest.reshape(sets, size) == _EMPTY).any(axis=1)[row // size]
        row, keys = row[unfilled], keys[unfilled]
    for number in range(size):
        bins = row + number
        empty = smallest[bins] == _EMPTY
        if empty.any():
            np.minimum.at(smallest, bins[empty], stream(keys[empty], ROUNDS + number))
    return smallest.reshape(sets, size)
