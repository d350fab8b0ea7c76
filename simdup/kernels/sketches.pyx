"""Shingles of texts, and MinHash: signatures that keep the Jaccard similarity of two sets.

*Shingles* are the runs of n characters or words of a text; `simdup.text.shingles` says why.

*MinHash.*  Put all possible elements in random order.  The first element of set A equals the first
element of set B exactly if the first element of their union is in both.  This has the probability
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

Shingles take time proportional to the text.  A signature takes that of its set and its bins, at
most `ROUNDS` times, and for bins that are still empty that of a small set, or of the distinct ones
of a large set's elements.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from simdup.kernels.arrays cimport GOLDEN, cuts, mix, require

cdef uint64_t EMPTY = <uint64_t>0xFFFFFFFFFFFFFFFF

cdef enum:
    # Before each bin has an order of its own.  With 8, sets of 20 to 600 elements take the least
    # time, with 128 bins.
    ROUNDS = 8
    # Elements for each bin: that many leave none of 256 empty, but for a chance of 2**-38.
    MANY = 32

ctypedef fused items_t:
    uint32_t
    uint64_t


cdef inline uint64_t stream(uint64_t key, int number) noexcept nogil:
    """`simdup.base.mix64.stream`."""
    return mix(key + <uint64_t>(number + 1) * GOLDEN)


cdef inline int bin_of(uint64_t drawn, int size) noexcept nogil:
    """Return the bin that the high bits of a hash select."""
    return <int>((drawn >> 32) * <uint64_t>size >> 32)


def runs(const int64_t[::1] starts, const items_t[::1] items, int n):
    """Return the hashes of all runs of n items within each text.

    A text with fewer items has all of them as its only run; an empty one has none.

    Parameters
    ----------
    starts : int64[texts + 1]
    items : uint32[m] or uint64[m]
    n : int
        At least 1.

    Returns
    -------
    starts : int64[texts + 1]
    hashes : uint64[runs]
        A polynomial over the items modulo 2**64, which begins with the length.

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    """
    require(n > 0 and cuts(starts, items.shape[0]))
    cdef int64_t texts = starts.shape[0] - 1, text, at, out = 0, size, length, i
    cdef uint64_t value
    new_starts, made = np.zeros(texts + 1, np.int64), np.empty(items.shape[0], np.uint64)
    cdef int64_t[::1] ends = new_starts
    cdef uint64_t[::1] hashes = made
    with nogil:
        for text in range(texts):
            size = starts[text + 1] - starts[text]
            length = min(<int64_t>n, size)
            if length:
                for at in range(starts[text], starts[text + 1] - length + 1):
                    value = items[at] + <uint64_t>length
                    for i in range(1, length):
                        value = value * GOLDEN + items[at + i]
                    hashes[out] = value
                    out += 1
            ends[text + 1] = out
    return new_starts, made[:out]


def signatures(const int64_t[::1] starts, const uint64_t[::1] hashes, int size):
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

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    """
    require(size > 0 and cuts(starts, hashes.shape[0]))
    cdef int64_t sets = starts.shape[0] - 1, one, longest = 1, count, i
    cdef int bin
    made = np.empty((sets, size), np.uint32)
    cdef uint32_t[:, ::1] out = made
    for one in range(sets):
        longest = max(longest, starts[one + 1] - starts[one])
    held = np.empty(longest, np.uint64)
    cdef uint64_t[::1] keys = held, least = np.empty(size, np.uint64), rest
    cdef uint8_t[::1] filled = np.empty(size, np.uint8)
    with nogil:
        for one in range(sets):
            count = starts[one + 1] - starts[one]
            if count and first_round(&hashes[starts[one]], count, &keys[0], &least[0], size):
                if count > MANY * size:
                    # Only repetitions leave bins empty: a megabyte of one letter is one element.
                    with gil:
                        rest = np.unique(held[:count])
                        count = rest.shape[0]
                        memcpy(&keys[0], &rest[0], 8 * count)
                later_rounds(&keys[0], count, &least[0], &filled[0], size)
            for bin in range(size):
                out[one, bin] = <uint32_t>(least[bin] if count else EMPTY)
    return made


cdef bint first_round(const uint64_t *hashes, int64_t count, uint64_t *keys, uint64_t *least,
                      int size) noexcept nogil:
    """Draw each element once, write what was drawn, and return whether bins are empty."""
    cdef int64_t i
    cdef int bin
    cdef uint64_t drawn
    cdef bint empty = False
    for bin in range(size):
        least[bin] = EMPTY
    for i in range(count):
        drawn = mix(hashes[i])
        keys[i] = drawn
        bin = bin_of(drawn, size)
        if drawn < least[bin]:
            least[bin] = drawn
    for bin in range(size):
        empty |= least[bin] == EMPTY
    return empty


cdef void later_rounds(const uint64_t *keys, int64_t count, uint64_t *least, uint8_t *filled,
                       int size) noexcept nogil:
    """Fill the bins that are empty: each keeps the smallest of the first round that reaches it."""
    cdef int64_t i
    cdef int number, bin, left
    cdef uint64_t drawn
    for number in range(1, ROUNDS):
        left = 0
        for bin in range(size):
            filled[bin] = least[bin] != EMPTY
            left += not filled[bin]
        if left == 0:
            return
        for i in range(count):
            drawn = stream(keys[i], number)
            bin = bin_of(drawn, size)
            if not filled[bin] and drawn < least[bin]:
                least[bin] = drawn
    for bin in range(size):
        if least[bin] == EMPTY:
            for i in range(count):
                drawn = stream(keys[i], ROUNDS + bin)
                if drawn < least[bin]:
                    least[bin] = drawn
