"""What several loops need: a mixer, a check, and sets that lie one after the other in an array."""

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    static const uint64_t GOLDEN = UINT64_C(0x9E3779B97F4A7C15);  /* 2**64 / the golden ratio */
    """
    const uint64_t GOLDEN


cdef inline void require(bint good, str what="arrays that do not fit each other") except *:
    """Check what crosses the border: no input can make a loop read outside of its arrays."""
    if not good:
        raise ValueError(what)


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    """`simdup.base.mix64.mix64`."""
    value ^= value >> 32
    value *= GOLDEN
    value ^= value >> 32
    value *= GOLDEN
    return value ^ value >> 32


cdef inline bint cuts(const int64_t[::1] starts, int64_t size) noexcept:
    """Return whether `starts` cuts an array of a size into parts."""
    cdef int64_t i
    cdef bint good = starts.shape[0] > 0 and starts[0] == 0 and starts[starts.shape[0] - 1] == size
    for i in range(starts.shape[0] - 1):
        good &= starts[i] <= starts[i + 1]
    return good


ctypedef fused element:
    uint32_t
    uint64_t


cdef inline int64_t look_up(const element[::1] hashes, int64_t low, int64_t high,
                            element value) noexcept nogil:
    """Return where the first element that is not below a value is."""
    cdef int64_t middle
    while low < high:
        middle = low + (high - low) // 2
        if hashes[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline int64_t shared(const element[::1] hashes, int64_t a, int64_t last_a, int64_t b,
                           int64_t last_b) noexcept nogil:
    """Return how many elements two ascending sets share, given where they begin and end."""
    cdef int64_t found = 0
    cdef element x, y
    if last_a - a > last_b - b:
        a, last_a, b, last_b = b, last_b, a, last_a
    if (last_a - a) * 16 < last_b - b:  # where one is so much larger, look the others up in it
        while a < last_a and b < last_b:
            b = look_up(hashes, b, last_b, hashes[a])
            found += b < last_b and hashes[b] == hashes[a]
            a += 1
    while a < last_a and b < last_b:
        x, y = hashes[a], hashes[b]
        found += x == y
        a += x <= y
        b += y <= x
    return found
