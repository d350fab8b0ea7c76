"""The values of some words, in the lines ``word value`` of a file.

A comparison of two texts asks for a few hundred of 270,000 words.  So it is the words that are
asked for which are put into a table, each into the slot that a hash of its bytes names or the next
free one, and the file is gone through once, without a table of its own.

A decimal of at most 15 digits is a whole number divided by a power of ten.  Both are exact in 64
bits, so the quotient is rounded once, as `float` rounds it; `float` reads all others.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcmp

import numpy as np

from simdup.kernels.arrays cimport mix

cdef enum:
    DIGITS = 15


cdef inline double number(const uint8_t *text, int64_t at, int64_t end) noexcept nogil:
    """Return a decimal, -1 for what only `float` reads."""
    cdef int64_t value = 0, tens = 1, digits = 0
    cdef bint fraction = False
    while at < end:
        if 48 <= text[at] < 58 and digits < DIGITS:
            value = 10 * value + text[at] - 48
            tens = 10 * tens if fraction else tens
            digits += 1
        elif text[at] == 46 and digits and not fraction:
            fraction = True
        else:
            return -1
        at += 1
    return <double>value / <double>tens if digits else -1


def values_of(bytes content, words):
    """Return the value of each of some words, for others the median of all lines.

    Parameters
    ----------
    content : bytes
        Lines of a word, a space and a number; of equal words the last one counts.
    words : sequence of bytes

    Returns
    -------
    float64[words]

    Raises
    ------
    ValueError
        If a line is none, or there are none.
    """
    cdef int64_t n = len(content), lines = content.count(b"\n"), line, at = 0, word, end, place
    cdef int64_t count = len(words), room = 2
    if not n:
        raise ValueError("no lines")
    lines += content[n - 1] != 10
    while room < 2 * count + 2:
        room *= 2
    cdef const uint8_t *text = content
    joined = b"".join(words) + b" "
    cdef const uint8_t *asked = joined
    cdef int64_t[::1] begins = np.cumsum([0, *map(len, words)], dtype=np.int64)
    cdef int32_t[::1] slots = np.full(room, -1, np.int32)
    values, made = np.empty(lines), np.full(count, np.nan)
    cdef double[::1] every = values, found = made
    for word in range(count):
        place = slot(slots, asked, begins, asked + begins[word], begins[word + 1] - begins[word])
        if slots[place] < 0:
            slots[place] = <int32_t>word
    for line in range(lines):
        word = at
        while at < n and text[at] != 32 and text[at] != 10:
            at += 1
        end = at + 1
        while end < n and text[end] != 32 and text[end] != 10:
            end += 1
        if at >= n or text[at] != 32 or end < n and text[end] != 10:
            raise ValueError(f"line {line + 1} is not a word with a value")
        every[line] = number(text, at + 1, end)
        if every[line] < 0:
            every[line] = float(content[at + 1:end])
        place = slots[slot(slots, asked, begins, text + word, at - word)]
        if place >= 0:
            found[place] = every[line]
        at = end + 1
    for word in range(count):
        place = slot(slots, asked, begins, asked + begins[word], begins[word + 1] - begins[word])
        found[word] = found[slots[place]]
    made[np.isnan(made)] = np.median(values)
    return made


cdef int64_t slot(const int32_t[::1] slots, const uint8_t *asked, const int64_t[::1] begins,
                  const uint8_t *word, int64_t size) noexcept nogil:
    """Return the slot of a word, or the one where it would be."""
    cdef uint64_t hash = size, last = slots.shape[0] - 1
    cdef int64_t i, other
    for i in range(size):
        hash = (hash ^ word[i]) * <uint64_t>0x100000001B3
    hash = mix(hash) & last
    other = slots[hash]
    while other >= 0 and (begins[other + 1] - begins[other] != size
                          or memcmp(asked + begins[other], word, size)):
        hash = (hash + 1) & last
        other = slots[hash]
    return hash
