"""A growing set of 64-bit hashes with bulk look-up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simdup.search.arrays import U64, contains


class KeySet:
    """A growing set of 64-bit hashes: the first look-ups scan all hashes, the fifth sorts them."""

    def __init__(self, given: U64) -> None:
        self._given = given
        self._passes = 0
        self._recent: list[U64] = []

    def copy(self) -> KeySet:
        """Return a copy of the set."""
        other = KeySet(self._given)
        other._passes, other._recent = self._passes, list(self._recent)
        return other

    def add(self, more: U64) -> None:
        """Add hashes."""
        more = np.sort(more)
        while self._recent and len(self._recent[-1]) <= len(more):
            more = np.sort(np.concatenate([self._recent.pop(), more]))
        self._recent.append(more)

    def contain(self, asked: U64) -> NDArray[np.bool_]:
        """Return which of the hashes are in the set."""
        self._passes += 1
        # A scan of 10**6 numbers takes 5 to 10 ms, sorting them some 30 ms.
        if self._passes == 5:
            self._given = np.sort(self._given)
        ordered = self._given if self._passes >= 5 else np.sort(_sieve(self._given, asked))
        found = contains(ordered, asked)
        for part in self._recent:
            found |= contains(part, asked)
        return found


def _sieve(given: U64, asked: U64) -> U64:
    """Return the given hashes that share their first bits with one of `asked`."""
    bits = min(max(len(asked) * 16, 1 << 10).bit_length(), 24)
    shift = np.uint64(64 - bits)
    marks = np.zeros(1 << bits, np.bool_)
    marks[asked >> shift] = True
    kept: U64 = given[marks[given >> shift]]
    return kept
