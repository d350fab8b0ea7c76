"""Which pairs of documents are measured by edit similarity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.features.short_texts import LONGEST
from simdup.model.criteria import SHORT, Criteria
from simdup.search.arrays import RowIds


@dataclass(frozen=True)
class ShortTexts:
    """The documents that have a form (`simdup.features.short_texts`); can be pickled.

    A pair is measured by edit similarity if both have one, and the shorter one has fewer than
    `SHORT` characters.
    """

    row_of: RowIds  # int64[documents]: the row of each document's form, -1 for none
    lengths: RowIds  # int64[rows]: characters
    numbers: NDArray[np.uint64]  # uint64[rows]: a hash of the numbers; all 0 if they do not matter
    read: Callable[[int], str]  # returns the form of a row

    def has(self, documents: RowIds) -> NDArray[np.bool_]:
        """Return which documents have a form."""
        return self.row_of[documents] >= 0

    def numbered(self, documents: RowIds) -> NDArray[np.bool_]:
        """Return which documents are pairs only with texts that have the same numbers."""
        rows = self.row_of[documents]
        found: NDArray[np.bool_] = rows >= 0
        rows = rows[found]
        found[found] = (self.lengths[rows] < SHORT) & (self.numbers[rows] != 0)
        return found

    def measures(self, a: RowIds, b: RowIds) -> NDArray[np.bool_]:
        """Return which of the pairs (a[k], b[k]) are measured by edit similarity."""
        i, j = self.row_of[a], self.row_of[b]
        found: NDArray[np.bool_] = (i >= 0) & (j >= 0)
        found[found] = np.minimum(self.lengths[i[found]], self.lengths[j[found]]) < SHORT
        return found

    def same_numbers(self, a: RowIds, b: RowIds) -> NDArray[np.bool_]:
        """Return which pairs of documents with forms have the same numbers."""
        same: NDArray[np.bool_] = self.numbers[self.row_of[a]] == self.numbers[self.row_of[b]]
        return same

    def form(self, document: int) -> str:
        """Return the form of a document that has one."""
        return self.read(int(self.row_of[document]))


def longest_form(criteria: Criteria) -> int:
    """Return the characters of the longest form that can be in a pair with a short text."""
    return min(int(SHORT / criteria.similarity + 1e-9), LONGEST)
