"""MinHash: signatures that keep the Jaccard similarity of two sets.

Put all possible elements in random order.  The first element of set A equals the first element of
set B exactly if the first element of their union is in both.  This has the probability
|A and B| / |A or B|, their Jaccard similarity.  A signature has `size` bins, each with its own
order, and two signatures agree in about that share of their bins.

*One permutation.*  With a separate order for each bin, every element is hashed `size` times.
Instead, each element is hashed once: the high bits of the hash select a bin, and each bin keeps the
smallest hash.  A set with many times `size` elements fills all bins this way.

*Small sets* leave bins empty.  In the next round, all elements are hashed again, with another hash,
to fill the empty bins.  Bins that are still empty after `ROUNDS` rounds use the classic rule: a
separate order of all elements.  So in each bin the elements are ordered by (round in which they
reach it, hash).  This is a random order like any other, so every bin agrees with exactly the
probability above, for sets of any sizes; signatures of small and large sets can be compared.

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
from simdup.search.arrays import run_starts

# Rounds before the classic rule.  For 128 bins, microseconds per set of 20, 80, 200 and 600
# elements: 18, 44, 67, 91 with 1 round; 16, 28, 18, 11 with 4; 16, 20, 10, 12 with 8; 15, 11, 11,
# 14 with 16.
ROUNDS = 8

# Elements and bins processed at a time.
_CHUNK = 1 << 16

# Elements for each bin: that many leave none of 256 empty, but for a chance of 2**-38.
_MANY = 32
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
        Elements; their order, and repetitions within a set, do not matter.
    size : int
        Bins of a signature.

    Returns
    -------
    uint32[sets, size]
        The low halves of the smallest hashes; those of different elements are equal with
        probability 2**-32.  The signature of an empty set is all ones and must not be compared.
    """
    result = np.empty((len(starts) - 1, size), np.uint32)
    # The cost of a set is its number of elements and bins.
    for first, last in iter_chunks(starts + np.arange(len(starts)) * size, _CHUNK):
        begin, end = int(starts[first]), int(starts[last])
        chunk = _smallest(starts[first : last + 1] - begin, hashes[begin:end], size)
        result[first:last] = chunk.astype(np.uint32)  # the low half
    return result


def _smallest(
    starts: NDArray[np.int64], hashes: NDArray[np.uint64], size: int
) -> NDArray[np.uint64]:
    """Return the smallest hash of each set in each bin, from the first round that reaches it."""
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
        # Only sets with empty bins continue.
        unfilled = (smallest.reshape(sets, size) == _EMPTY).any(axis=1)[row // size]
        row, keys = row[unfilled], keys[unfilled]
        if not number:
            row, keys = _without_repetitions(row, keys, size)
    for number in range(size):
        bins = row + number
        empty = smallest[bins] == _EMPTY
        if empty.any():
            np.minimum.at(smallest, bins[empty], stream(keys[empty], ROUNDS + number))
    return smallest.reshape(sets, size)


def _without_repetitions(
    row: NDArray[np.int64], keys: NDArray[np.uint64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return elements once in each set that is too large to leave bins empty without repetitions.

    A megabyte of one letter has one shingle, a million times: each round went over all of them.
    """
    large = (np.bincount(row // size) > _MANY * size)[row // size]
    if not large.any():
        return row, keys
    order = np.lexsort((keys[large], row[large]))
    rows, values = row[large][order], keys[large][order]
    first = run_starts(rows, values)
    return np.append(row[~large], rows[first]), np.append(keys[~large], values[first])
