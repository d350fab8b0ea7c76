"""Which pairs of documents are measured by edit similarity."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simdup.features.short_texts import Forms
from simdup.model.criteria import SHORT, Criteria
from simdup.search.arrays import RowIds


@dataclass(frozen=True)
class ShortTexts:
    """The documents whose forms are known (`simdup.features.short_texts`); can be pickled.

    These are all short ones, whose form has fewer than `SHORT` characters, and all others that may
    be similar to one; see `longest_form`.  A pair with a short one is measured by edit similarity.
    """

    row_of: RowIds  # int64[documents]: the row of each document's form, -1 for none
    lengths: RowIds  # int64[rows]: characters
    numbers: NDArray[np.uint64]  # uint64[rows]: as `compared_numbers` returns them

    def has(self, documents: RowIds) -> NDArray[np.bool_]:
        """Return which documents may be similar to a short one."""
        return self.row_of[documents] >= 0

    def numbered(self, documents: RowIds) -> NDArray[np.bool_]:
        """Return which documents are pairs only with texts that have the same numbers."""
        found = self._short[documents]
        found[found] = self.numbers[self.row_of[documents[found]]] != 0
        return found

    def measures(self, a: RowIds, b: RowIds) -> NDArray[np.bool_]:
        """Return which of the pairs (a[k], b[k]) are measured by edit similarity."""
        return self._short[a] | self._short[b]

    def may_reach(self, a: RowIds, b: RowIds) -> NDArray[np.bool_]:
        """Return which of the pairs that are measured by it may be similar enough.

        Other numbers forbid it, and so does a text that is too long to have its form here.
        """
        return self.has(a) & self.has(b) & self.same_numbers(a, b)

    def same_numbers(self, a: RowIds, b: RowIds) -> NDArray[np.bool_]:
        """Return which pairs, measured by edit similarity, have no different numbers.

        What is too long to be similar anyway has none.
        """
        i, j = self.row_of[a], self.row_of[b]
        same: NDArray[np.bool_] = self.numbers[i] == self.numbers[j]
        return same | (i < 0) | (j < 0)

    @cached_property
    def _short(self) -> NDArray[np.bool_]:
        """Which documents are short (bool[documents])."""
        short = self.row_of >= 0
        short[short] = self.lengths[self.row_of[short]] < SHORT
        return short


def longest_form(criteria: Criteria) -> int:
    """Return the characters of the longest form that can be similar enough to a short one."""
    if not criteria.edits_decide:
        return SHORT - 1
    return int(min(SHORT / criteria.similarity + 1e-9, sys.maxsize))


def compared_numbers(forms: Forms, criteria: Criteria) -> NDArray[np.uint64]:
    """Return a hash of each form's numbers (uint64[forms]); all 0 if they do not matter."""
    if criteria.numbers and criteria.edits_decide:
        return forms.number_hashes
    return np.zeros(len(forms.texts), np.uint64)
