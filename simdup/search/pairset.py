"""Ordered pairs of rows, a bit for each: many pairs of few rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simdup.search.arrays import RowIds


class PairSet:
    """A set of ordered pairs of n rows, in n * n bits."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._bits = np.zeros((n, -(-n // 8)), np.uint8)

    def add(self, i: RowIds, j: RowIds) -> None:
        """Add the pairs (i[k], j[k])."""
        np.bitwise_or.at(self._bits, (i, j // 8), np.uint8(128) >> (j % 8).astype(np.uint8))

    def after(self, row: int) -> NDArray[np.bool_]:
        """Return which rows are the second of a pair of which this one is the first."""
        return np.unpackbits(self._bits[row], count=self._n).view(np.bool_)
