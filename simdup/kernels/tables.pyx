"""A table of words with values, read from the lines ``word value`` of a file.

Each line goes into the slot that a hash of its word names, or into the next free one.  A slot has
half of the hash beside the number of the line, so words are compared only where these are equal.

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


cdef class Values:
    """Words with values.

    Parameters
    ----------
    content : bytes
        Lines of a word, a space and a number; of equal words the last one counts.

    Attributes
    ----------
    median : float
        That of the values of all lines.

    Raises
    ------
    ValueError
        If a line is none, or there are none.
    """

    cdef const uint8_t[::1] content
    cdef uint64_t[::1] slots  # half a hash, and the number of a line from 1 on; 0 is free
    cdef int32_t[::1] begins  # of each line
    cdef double[::1] values
    cdef readonly double median

    def __init__(self, bytes content):
        cdef int64_t n = len(content), line, at = 0, begin, end, room = 2
        cdef int64_t lines = content.count(b"\n") + (not content.endswith(b"\n"))
        cdef uint64_t hash
        if not n or n >= 1 << 31:
            raise ValueError("no lines of words with values")
        while 2 * room < 3 * lines:
            room *= 2
        values = np.empty(lines)
        self.content, self.values = content, values
        self.slots, self.begins = np.zeros(room, np.uint64), np.empty(lines, np.int32)
        cdef const uint8_t *text = &self.content[0]
        for line in range(lines):
            begin = at
            while at < n and text[at] != 32 and text[at] != 10:
                at += 1
            end = at + 1
            while end < n and text[end] != 32 and text[end] != 10:
                end += 1
            if at >= n or text[at] != 32 or end < n and text[end] != 10:
                raise ValueError(f"line {line + 1} is not a word with a value")
            self.begins[line], self.values[line] = <int32_t>begin, number(text, at + 1, end)
            if self.values[line] < 0:
                self.values[line] = float(content[at + 1:end])
            hash = hash_of(text + begin, at - begin)
            self.slots[self.slot(text + begin, at - begin, hash)] = hash >> 32 << 32 | (line + 1)
            at = end + 1
        # `np.median` imports masked arrays, which takes longer than all of this.
        values = np.sort(values)
        self.median = (values[(lines - 1) // 2] + values[lines // 2]) / 2

    cdef int64_t slot(self, const uint8_t *word, int64_t size, uint64_t hash) noexcept nogil:
        """Return the slot of a word, or the one where it would be."""
        cdef uint64_t last = self.slots.shape[0] - 1, place = hash & last, held
        cdef int64_t begin
        while True:
            held = self.slots[place]
            if held == 0:
                return place
            if held >> 32 == hash >> 32:
                begin = self.begins[(held & 0xFFFFFFFFU) - 1]
                # The space behind it is compared too, so that none is only the beginning.
                if (begin + size < self.content.shape[0] and self.content[begin + size] == 32
                        and not memcmp(&self.content[begin], word, size)):
                    return place
            place = (place + 1) & last

    def of(self, words):
        """Return the value of each of some words (bytes), the median without one: float64[words]."""
        made = np.full(len(words), self.median)
        cdef double[::1] found = made
        cdef const uint8_t *text
        cdef int64_t i, size
        cdef uint64_t held
        cdef bytes word
        for i, word in enumerate(words):
            text, size = word, len(word)
            held = self.slots[self.slot(text, size, hash_of(text, size))]
            if held:
                found[i] = self.values[(held & 0xFFFFFFFFU) - 1]
        return made


cdef inline uint64_t hash_of(const uint8_t *word, int64_t size) noexcept nogil:
    cdef uint64_t hash = size
    cdef int64_t i
    for i in range(size):
        hash = (hash ^ word[i]) * <uint64_t>0x100000001B3
    return mix(hash)
