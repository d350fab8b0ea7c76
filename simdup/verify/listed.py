"""Listed pairs: those that a search finds all at once, not by equal keys."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.search.arrays import RowIds, RowPairs


class ListedPairs(NamedTuple):
    """Pairs of documents by number, in order; the smaller number first."""

    a: RowIds
    b: RowIds

    def hold(self, a: RowIds, b: RowIds) -> NDArray[np.bool_]:
        """Return which pairs (a[k], b[k]) are listed, in either order."""
        if not len(self.a):
            return np.zeros(len(a), np.bool_)
        keys, asked = self._keys(self.a, self.b), self._keys(np.minimum(a, b), np.maximum(a, b))
        places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
        listed: NDArray[np.bool_] = keys[places] == asked
        return listed

    def among(self, documents: RowIds) -> ListedPairs:
        """Return the pairs of some documents, given in ascending order."""
        firsts = np.searchsorted(self.a, documents)
        counts = np.searchsorted(self.a, documents, "right") - firsts
        offsets = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        own = np.repeat(firsts, counts) + offsets
        own = own[np.isin(self.b[own], documents)]
        return ListedPairs(self.a[own], self.b[own])

    def places(self, documents: RowIds) -> RowPairs:
        """Return the pairs by the places of their documents among these, which are ascending."""
        return np.searchsorted(documents, self.a), np.searchsorted(documents, self.b)

    def _keys(self, a: RowIds, b: RowIds) -> RowIds:
        return a << 32 | b
