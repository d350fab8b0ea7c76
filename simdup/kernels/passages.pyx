"""Equal runs of symbols around seeds, and what two stretches have in common.

*Runs.*  Seeds on one diagonal, with one distance between their two places, that lie in one run
extend to the same run.  So seeds come in order of diagonals and places, and those that lie in the
run before are passed over: however long a copy is, it is gone through once.

*In common* is the longest common subsequence, by the rows of the usual table.

References
----------
R. Wagner, M. Fischer, "The string-to-string correction problem", JACM 21, 1974.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t

import numpy as np


cdef void require(bint good) except *:
    if not good:
        raise ValueError("places outside of the symbols")


def equal_runs(const uint32_t[::1] symbols, const uint64_t[::1] seeds, int64_t k):
    """Return the maximal equal runs around seeds, each once.

    Parameters
    ----------
    symbols : uint32[m]
        All texts; a symbol behind each is in no other place.
    seeds : uint64[n]
        Ascending: the distance from the first place to the second, times 2**32, and the first.
    k : int
        Symbols from a seed on that are equal at least: seeds may be equal by their hashes only.

    Returns
    -------
    a, b, lengths : int64[runs]
        Where each begins, by diagonals, and its length.

    Raises
    ------
    ValueError
        If seeds are not in order, or not places of `symbols`.
    """
    cdef int64_t n = symbols.shape[0], count = seeds.shape[0], seed, runs = 0
    cdef int64_t a, gap, left, right, last = 0, end = -1
    for seed in range(count):
        require(not seed or seeds[seed - 1] <= seeds[seed])
        require(<int64_t>(seeds[seed] >> 32) + <int64_t><uint32_t>seeds[seed] < n)
    made = np.empty((3, count), np.int64)
    cdef int64_t[:, ::1] found = made
    with nogil:
        for seed in range(count):
            gap, a = <int64_t>(seeds[seed] >> 32), <int64_t><uint32_t>seeds[seed]
            if gap == last and a < end or not gap:
                continue
            right, left = 0, 0
            while a + gap + right < n and symbols[a + right] == symbols[a + gap + right]:
                right += 1
            if right < k:
                continue
            while left < a and symbols[a - left - 1] == symbols[a + gap - left - 1]:
                left += 1
            found[0, runs], found[1, runs] = a - left, a + gap - left
            found[2, runs] = left + right
            last, end = gap, a + right
            runs += 1
    return made[0, :runs], made[1, :runs], made[2, :runs]


def common_lengths(const uint32_t[::1] symbols, const int64_t[:, ::1] a, const int64_t[:, ::1] b):
    """Return the length of the longest common subsequence of each pair of stretches.

    Parameters
    ----------
    symbols : uint32[m]
    a, b : int64[n, 2]
        Where each stretch begins and ends.  The time is the product of both lengths.

    Returns
    -------
    int64[n]

    Raises
    ------
    ValueError
        If a stretch is not one of `symbols`.
    """
    cdef int64_t n = symbols.shape[0], count = a.shape[0], pair, i, j, above, before, widest = 0
    require(b.shape[0] == count and a.shape[1] == 2 and b.shape[1] == 2)
    for pair in range(count):
        require(0 <= a[pair, 0] <= n and a[pair, 1] <= n)
        require(0 <= b[pair, 0] <= n and b[pair, 1] <= n)
        widest = max(widest, b[pair, 1] - b[pair, 0])
    made = np.zeros(count, np.int64)
    cdef int64_t[::1] found = made, row = np.empty(widest + 1, np.int64)
    with nogil:
        for pair in range(count):
            if a[pair, 0] >= a[pair, 1] or b[pair, 0] >= b[pair, 1]:
                continue
            row[:] = 0
            for i in range(a[pair, 0], a[pair, 1]):
                before = 0  # of the row above, one place before
                for j in range(b[pair, 1] - b[pair, 0]):
                    above = row[j + 1]
                    if symbols[i] == symbols[b[pair, 0] + j]:
                        row[j + 1] = before + 1
                    else:
                        row[j + 1] = max(above, row[j])
                    before = above
            found[pair] = row[b[pair, 1] - b[pair, 0]]
    return made
