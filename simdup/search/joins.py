"""The common parts of the self-join in `allpairs` and the join in `queries`.

*Each pair once.* A pair may have equal keys in several tables, but only the first of these
reports it. The pair alone determines which tables find it: table t does if and only if the two
fingerprints agree on the bits of key t. So tables are independent, and any number of them can be
searched at the same time, in any order, with the same result.

*Long runs.* If n fingerprints share a key, comparing all of them takes n**2 / 2 steps. But they
agree on the key, so their differences are in the other bits. Finding near ones is the same problem
with fewer fingerprints of fewer bits, and is solved one level down, with its own plan.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from simdup.search.arrays import U64, RowIds, RowPairs, count_ones, xor_rows
from simdup.search.bitview import BitView
from simdup.search.pieces import Pieces
from simdup.search.threads import interleave

NearPairs: TypeAlias = tuple[RowIds, RowIds, U64]
"""Rows i, j: int64[m] of both sides, and the bits in which they differ: uint64[m, words]."""


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """Two views to join: which rows of `left` are within `distance` of which rows of `right`.

    Both show the same columns. In a self-join they are the same view.
    """

    left: BitView
    right: BitView
    distance: int

    def compare(self, i: RowIds, j: RowIds) -> NearPairs:
        """Compare candidates, m of each, and return those within the distance."""
        x = xor_rows(self.left.fingerprints, i, self.right.fingerprints, j)
        near = count_ones(x) <= self.distance
        return i[near], j[near], x[near]

    def lift(self, i: RowIds, j: RowIds, pairs: Iterable[RowPairs]) -> Iterator[NearPairs]:
        """Yield the pairs found one level down, among rows `i` of `left` and `j` of `right`."""
        for a, b in pairs:
            left, right = i[a], j[b]
            x = xor_rows(self.left.fingerprints, left, self.right.fingerprints, right)
            yield left, right, x


def join_tables(
    join: Join, keys: list[Pieces], search_table: Callable[[int], Iterator[NearPairs]], threads: int
) -> Iterator[RowPairs]:
    """Search all tables, `threads` at a time, and yield each pair once, in chunks.

    ``search_table(t)`` yields the matches with equal keys in the table of ``keys[t]``.
    """
    masks = [join.left.mask(key) for key in keys]

    def search(t: int) -> Iterator[RowPairs]:
        for i, j, x in search_table(t):
            new = np.ones(len(i), dtype=np.bool_)
            for mask in masks[:t]:
                new &= (x & mask).any(axis=1)
            yield i[new], j[new]

    return interleave(map(search, range(len(keys))), threads)
