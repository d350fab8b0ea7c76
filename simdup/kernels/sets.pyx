"""Sets of hashes, and how many elements pairs of them share.

Sets lie one after the other in one array: set i is ``hashes[starts[i]:starts[i + 1]]``.

*To order them*, elements are dealt out by their highest byte, then those with the same one by the
next, until few are left.  Hashes are spread evenly, so one byte or two are enough; whatever they
are, eight passes are.

*To compare two*, both are gone through together, always on in the one whose element is smaller: a
pair takes time proportional to both sets.  If one has many times as many elements, those of the
other are looked up in it instead.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from simdup.kernels.arrays cimport cuts, require, shared

cdef enum:
    # So many are sorted by insertion.
    FEW = 24


cdef void sort(uint64_t *a, uint64_t *spare, int64_t n, int shift) noexcept nogil:
    """Sort values whose bytes above `shift` are equal."""
    cdef int64_t[257] begins
    cdef int64_t i, j, low = 0, high
    cdef uint64_t held
    if n <= FEW:
        for i in range(1, n):
            held, j = a[i], i - 1
            while j >= 0 and a[j] > held:
                a[j + 1] = a[j]
                j -= 1
            a[j + 1] = held
        return
    memset(begins, 0, sizeof(begins))
    for i in range(n):
        begins[(a[i] >> shift & 255) + 1] += 1
    for i in range(256):
        begins[i + 1] += begins[i]
    for i in range(n):
        j = a[i] >> shift & 255
        spare[begins[j]] = a[i]
        begins[j] += 1
    memcpy(a, spare, 8 * n)
    if shift:
        for i in range(256):
            high = begins[i]
            if high - low > 1:
                sort(a + low, spare, high - low, shift - 8)
            low = high


def distinct(const int64_t[::1] starts, const uint64_t[::1] hashes):
    """Return sets without repetitions, each ascending.

    Parameters
    ----------
    starts : int64[sets + 1]
    hashes : uint64[m]

    Returns
    -------
    starts : int64[sets + 1]
    hashes : uint64[...]

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    """
    require(cuts(starts, hashes.shape[0]))
    cdef int64_t sets = starts.shape[0] - 1, one, at, out = 0, first, n, longest = 1
    for one in range(sets):
        longest = max(longest, starts[one + 1] - starts[one])
    new_starts, made = np.zeros(sets + 1, np.int64), np.array(hashes)
    cdef int64_t[::1] ends = new_starts
    cdef uint64_t[::1] values = made, spare = np.empty(longest, np.uint64)
    with nogil:
        for one in range(sets):
            first, n = starts[one], starts[one + 1] - starts[one]
            if n:
                sort(&values[first], &spare[0], n, 56)
            for at in range(first, first + n):
                if at == first or values[at] != values[out - 1]:
                    values[out] = values[at]
                    out += 1
            ends[one + 1] = out
    return new_starts, made[:out]


def common(const int64_t[::1] starts, const uint64_t[::1] hashes, const int64_t[::1] i,
           const int64_t[::1] j):
    """Return how many elements the sets of each pair share.

    Parameters
    ----------
    starts, hashes : int64[sets + 1], uint64[m]
        As from `distinct`.
    i, j : int64[pairs]
        Sets, by number.

    Returns
    -------
    int64[pairs]

    Raises
    ------
    ValueError
        If the arrays do not fit each other.
    """
    cdef int64_t pairs = i.shape[0], sets = starts.shape[0] - 1, pair
    cdef bint good = j.shape[0] == pairs and cuts(starts, hashes.shape[0])
    if good:
        for pair in range(pairs):
            good &= 0 <= i[pair] < sets and 0 <= j[pair] < sets
    require(good)
    made = np.empty(pairs, np.int64)
    cdef int64_t[::1] found = made
    with nogil:
        for pair in range(pairs):
            found[pair] = shared(hashes, starts[i[pair]], starts[i[pair] + 1], starts[j[pair]],
                                 starts[j[pair] + 1])
    return made
