"""How many elements sets share: exactly, for all pairs of them.

That is an entry of the product of the matrix "which set has which element" and its transpose.  The
product of a sparse matrix costs, for each element, the square of the number of sets that have it;
so elements that many sets have are in a dense one, and those of one set only are left out.

References
----------
Every pair is counted, by the definition in A. Broder, "On the resemblance and containment of
documents", SEQUENCES 1997; nothing is filtered or sampled.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.features.shingles import Sets
from simdup.model.measures import MeasuredPairs
from simdup.search.arrays import U64, RowIds

# Sets compared with all others at a time: 10 MB of counts for 10,000.
ROWS = 256
# Elements that at least this share of the sets have are in the dense matrix.  5,000 texts of 360
# shingles, half of them common: 1.0 s with 1/32 to 1/64, 1.2 s with 1/128, 9 s without.
_FREQUENT = 1 / 64
# Numbers in a dense matrix: 64 MB.
_DENSE = 1 << 24
# Elements that are numbered at a time: 80 MB.
_PART = 1 << 21

NO_PAIRS = MeasuredPairs(
    {"a": np.zeros(0, np.int64), "b": np.zeros(0, np.int64), "similarity": np.zeros(0)}
)


class SharedElements:
    """Counts the elements that each two of some sets share."""

    def __init__(self, sets: Sets) -> None:
        self.sizes: RowIds = np.diff(sets.starts)
        parts = -(-len(sets.hashes) // _PART)
        rows = np.repeat(np.arange(len(self.sizes)), self.sizes)
        own = [sets.hashes % np.uint64(max(parts, 1)) == part for part in range(parts)]
        self._parts = [_ReducedSets(len(self.sizes), rows[some], sets.hashes[some]) for some in own]

    def count(self, first: int, last: int) -> NDArray[np.float32]:
        """Return what the sets from `first` to `last` share with each set from `first` on."""
        # Whole numbers are exact up to 2**24.
        counts = np.zeros((last - first, len(self.sizes) - first), np.float32)
        for part in self._parts:
            part.add(first, last, counts)
        return counts

    def similar(self, least: float) -> MeasuredPairs:
        """Return all pairs of sets with at least this Jaccard similarity, ordered.

        The sets, known by their places, have no repetitions; `least` is above 0.
        """
        sizes, found = self.sizes, [NO_PAIRS]
        for first in range(0, len(sizes), ROWS):
            counts = self.count(first, min(first + ROWS, len(sizes)))
            i, j = np.nonzero(np.triu(counts, 1))
            common = counts[i, j].astype(np.int64)
            i, j = i + first, j + first
            share = common / (sizes[i] + sizes[j] - common)
            pairs = MeasuredPairs({"a": i, "b": j, "similarity": share})
            found.append(pairs.take(share >= least))
        return MeasuredPairs.concat(found)


class _ReducedSets:
    """Sets reduced to some of all elements."""

    def __init__(self, n: int, rows: RowIds, hashes: U64) -> None:
        from scipy.sparse import csr_matrix

        _, columns, times = np.unique(hashes, return_inverse=True, return_counts=True)
        frequent = times > max(n * _FREQUENT, 1)
        self._n = n

        def matrix(chosen: NDArray[np.bool_]) -> Any:
            numbers = np.cumsum(chosen) - 1
            some = chosen[columns]
            ones = np.ones(int(np.count_nonzero(some)), np.float32)
            shape = n, int(np.count_nonzero(chosen))
            return csr_matrix((ones, (rows[some], numbers[columns[some]])), shape=shape)

        self._rare = matrix((times > 1) & ~frequent)
        self._frequent = matrix(frequent).tocsc()

    def add(self, first: int, last: int, counts: NDArray[np.float32]) -> None:
        """Add what some sets share to the counts; see `SharedElements.count`."""
        if self._rare.nnz:
            counts += (self._rare[first:last] @ self._rare[first:].T).toarray()
        for dense in self._dense():
            counts += dense[first:last] @ dense[first:].T

    def _dense(self) -> Iterator[NDArray[np.float32]]:
        columns, step = self._frequent.shape[1], max(_DENSE // max(self._n, 1), 1)
        if 0 < columns <= step:
            yield self._whole
            return
        for low in range(0, columns, step):
            yield self._frequent[:, low : low + step].toarray()

    @cached_property
    def _whole(self) -> NDArray[np.float32]:
        whole: NDArray[np.float32] = np.ascontiguousarray(self._frequent.toarray())
        return whole
