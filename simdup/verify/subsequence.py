"""A longest common subsequence of two sequences.

The table of lengths grows by at most one from cell to cell, so a row is a number with a bit a cell,
and the next row takes five operations on such numbers, whatever their length (Hyyro 2004).  Where
all rows would take too much memory, the second sequence is halved, and the last rows of both halves
tell where to cut the first (Hirschberg 1975).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

# Cells of a table whose rows are kept, a bit each: 128 MB.
_MOST_CELLS = 1 << 30


def longest_common(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the places of the elements in common, rising; time grows with len(a) * len(b)."""
    if not a or not b:
        return []
    if len(a) * len(b) <= _MOST_CELLS or len(b) == 1:
        return _trace(a, b)
    half = len(b) // 2
    front, back = _lengths(a, b[:half]), _lengths(a[::-1], b[half:][::-1])
    cut = int(np.argmax(front + back[::-1]))
    later = longest_common(a[cut:], b[half:])
    return longest_common(a[:cut], b[:half]) + [(cut + i, half + j) for i, j in later]


def _rows(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[int]:
    """Yield a row for each element of `b`: bit i is 0 where a[i] makes the length grow by one."""
    places: dict[Hashable, int] = {}
    known = set(b)
    for i, one in enumerate(a):
        if one in known:
            places[one] = places.get(one, 0) | 1 << i
    full = (1 << len(a)) - 1
    row = full
    for one in b:
        matches = row & places.get(one, 0)
        if matches:
            row = ((row + matches) | (row - matches)) & full
        yield row


def _trace(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Walk back through the table from its end."""
    rows = [(1 << len(a)) - 1, *_rows(a, b)]
    found: list[tuple[int, int]] = []
    i, j = len(a) - 1, len(b)
    while i >= 0 and j:
        if rows[j] >> i & 1:
            i -= 1  # a[i] adds nothing to what a[:i] has in common with b[:j]
        elif rows[j - 1] >> i & 1:
            found.append((i, j - 1))
            i, j = i - 1, j - 1
        else:
            j -= 1
    return found[::-1]


def _lengths(a: Sequence[Hashable], b: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return how much each beginning of `a` has in common with `b` (int64[len(a) + 1])."""
    (row,) = deque(_rows(a, b), maxlen=1)
    content = np.frombuffer(row.to_bytes(len(a) // 8 + 1, "little"), np.uint8)
    bits = np.unpackbits(content, bitorder="little")[: len(a)]
    return np.concatenate([[0], np.cumsum(1 - bits.astype(np.int64))])
