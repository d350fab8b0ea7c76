"""Part lists: find sets that may have a Jaccard similarity of at least s, by nearly equal parts.

Sets x and y with a similarity of s or more differ in at most d = 2 (1 - s) / (1 + s) |y| elements,
where |y| is the larger size.  Cut all possible elements into p > d / 2 parts by a hash: in one part
x and y differ in at most one element.  This is the pigeonhole principle that finds fingerprints
within a Hamming distance, with parts of a set instead of blocks of bits.  Parts that differ in at
most one element are found by keys: one for the whole part, and one for the part without each of its
elements in turn.

This works where prefixes do not: texts made of the same few words in any order share elements with
all others, but hardly ever a part.

Similar sets differ in size by a factor of at most 1 / s.  So powers of 1 / s divide sizes into
classes, and a set of one class has parts for this class and for the next.

References
----------
A. Arasu, V. Ganti, R. Kaushik, "Efficient exact set-similarity joins", VLDB 2006: PartEnum.
D. Deng, G. Li, H. Wen, J. Feng, "An efficient partition based method for exact set similarity
joins", VLDB 2015: parts without one element.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from simdup.mix64 import mix64
from simdup.search.arrays import U64, RowIds
from simdup.search.lists import Lists, pack

# The minimum width of a class, for similarities near 1.
_WIDTH = 1.05


class Parts:
    """Makes lists of the parts of sets, for a similarity above 0.

    `sizes` (int64[n]) has the sizes of all sets.
    """

    def __init__(self, similarity: float, sizes: RowIds) -> None:
        self._similarity = similarity
        self._width = max(1 / similarity, _WIDTH)
        logarithms = np.log(np.maximum(sizes, 1)) / math.log(self._width)
        self._classes = np.floor(logarithms).astype(np.int64)
        self._present = np.unique(self._classes)

    def lists(self, blocks: Iterable[tuple[RowIds, tuple[RowIds, U64]]]) -> Lists:
        """Return the lists of sets with a part in which they differ in at most one element.

        Parameters
        ----------
        blocks : iterable of (rows, (starts, hashes))
            Sets, some at a time: their numbers; where each begins in `hashes`, and the end; and
            their elements, each once per set.
        """
        entries = [np.zeros(0, np.uint64)]
        for rows, (starts, hashes) in blocks:
            which = np.repeat(np.arange(len(rows)), np.diff(starts))
            for more in (0, 1):
                classes = self._classes[rows] + more
                met = np.isin(classes, self._present)
                parts = np.where(met, self._count(classes), 0)
                entries += self._entries(rows, parts, which[met[which]], hashes[met[which]])
        every = np.concatenate(entries)
        entries.clear()
        return Lists.of_entries(every, len(self._classes))

    def _entries(self, rows: RowIds, parts: RowIds, which: RowIds, hashes: U64) -> tuple[U64, U64]:
        """Return entries for sets cut into `parts` (int64[sets]); `which`: each element's set."""
        set_of = np.repeat(np.arange(len(rows)), parts)
        firsts = np.cumsum(parts) - parts
        # Equal numbers of parts mean equal classes.
        number = parts[set_of] << 32 | (np.arange(len(set_of)) - firsts[set_of])
        keys = mix64(number.astype(np.uint64))
        scaled = (mix64(hashes) >> np.uint64(32)) * parts[which].astype(np.uint64)
        places = firsts[which] + (scaled >> np.uint64(32)).astype(np.int64)
        values = mix64(hashes + np.uint64(1))
        np.add.at(keys, places, values)
        n = len(self._classes)
        return (
            pack(mix64(keys), rows[set_of], n),
            pack(mix64(keys[places] - values), rows[which], n),
        )

    def _count(self, classes: RowIds) -> RowIds:
        """Return into how many parts the sets of a class are cut."""
        # The logarithm may be slightly off if a size is a power of the width.
        most = np.ceil(self._width ** (classes + 1) * (1 + 1e-9))
        share = 2 * (1 - self._similarity) / (1 + self._similarity)
        parts: RowIds = np.floor((share * most + 1e-6) / 2).astype(np.int64) + 1
        return parts
