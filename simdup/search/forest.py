"""Disjoint sets of row numbers, joined by arrays of pairs.

References
----------
B. Galler, M. Fischer, "An improved equivalence algorithm", CACM 7 (1964).
Y. Shiloach, U. Vishkin, "An O(log n) parallel connectivity algorithm", J. Algorithms 3 (1982): all
pairs of a chunk are hooked at once, then all paths are shortened.
"""

import numpy as np

from simdup.search.arrays import RowIds


class Forest:
    """Disjoint sets of the rows 0 to n - 1, each identified by its smallest row."""

    def __init__(self, n: int) -> None:
        # int64[n]: the smallest row in the set of each row.
        self.roots: RowIds = np.arange(n)

    def join(self, i: RowIds, j: RowIds) -> None:
        """Join the sets of each pair of rows; the order of pairs does not matter."""
        while True:
            a, b = self.roots[i], self.roots[j]
            apart = a != b
            if not apart.any():
                return
            i, j, a, b = i[apart], j[apart], a[apart], b[apart]
            np.minimum.at(self.roots, np.maximum(a, b), np.minimum(a, b))
            while not np.array_equal(shorter := self.roots[self.roots], self.roots):
                self.roots = shorter
