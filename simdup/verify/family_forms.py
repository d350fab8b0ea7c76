"""The short texts of a family: bounds on their edit similarity, and lists of similar ones."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import ShortTexts
from simdup.fingerprints.edit_bands import EditSignatures
from simdup.mix64 import mix64
from simdup.model.criteria import SHORT
from simdup.search.arrays import U64, RowIds
from simdup.search.lists import Lists
from simdup.verify.family_sets import FEW_PAIRS

# In a family of up to so many texts, all pairs are looked at; in larger ones so many at least.
# This takes a second or two.
_SMALL = 512
FEW = 1 << 20
# How many bands in a row two texts must share, one after the other, until few pairs are left.
_WIDTHS = (1, 2, 3, 4, 6, 9, 13, 20)


class FamilyForms:
    """The short texts among a family's documents.

    Parameters
    ----------
    short : ShortTexts
    documents : int64[n]
        The numbers of the family's documents; in what follows, they are known by their places.
    signatures : EditSignatures or None
        None if band keys propose nothing.
    """

    def __init__(
        self, short: ShortTexts, documents: RowIds, signatures: EditSignatures | None
    ) -> None:
        self._short = short
        self._documents = documents
        self._signatures = signatures
        self.has = short.has(documents)  # bool[n]: which have a form

    @property
    def decides_all(self) -> bool:
        """Whether no pair of the family is measured by its shingles."""
        return bool(self.has.all() and self._short.lengths[self._rows].max() < SHORT)

    @property
    def places(self) -> RowIds:
        """The documents that have a form."""
        return np.flatnonzero(self.has)

    def measure(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs are measured by edit similarity."""
        return self._short.measures(self._documents[i], self._documents[j])

    def may_reach(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs may have the similarity; none that has it is rejected.

        Those that are not measured by edit similarity may have it.
        """
        possible = ~self.measure(i, j)
        edited = np.flatnonzero(~possible)
        a, b = self._documents[i[edited]], self._documents[j[edited]]
        possible[edited] = self._short.may_reach(a, b)
        if self._signatures is not None:
            some = np.flatnonzero(possible[edited])
            rows = self._signatures.rows
            possible[edited[some]] = self._signatures.may_reach(rows(a[some]), rows(b[some]))
        return possible

    def lists(self, blocks: list[U64]) -> tuple[Lists, int]:
        """Return lists in which similar forms meet, and how many pairs were left out.

        `blocks` are the columns of blocks of fingerprints, if these propose pairs.  Where too many
        forms with the same numbers share a block, none is listed by it.
        """
        found, left_out = self._by_bands()
        numbers = self._short.numbers[self._rows]
        near = _lists([mix64(block[self.places]) ^ numbers for block in blocks])
        # Where no band keys propose pairs, nothing else does.
        if self._signatures is not None and (pairs := near.count_pairs()) > self._most:
            left_out += pairs
        else:
            found = found.joined(near)
        return found.of_rows(self.places), left_out

    def _by_bands(self) -> tuple[Lists, int]:
        """Return lists of forms, by their rows, that share band keys.

        Where single bands are shared by too many, as in a template, only texts that share several
        in a row are listed: the more similar two texts are, the longer are such rows.
        """
        if self._signatures is None:
            return Lists.none(), 0
        documents = self._documents[self.places]
        columns = [column.astype(np.uint64) for column in self._signatures.columns(documents)]
        columns, exact = columns[: self._signatures.bands], columns[self._signatures.bands :]
        every = found = _lists(columns)
        for width in _WIDTHS[1:]:
            if found.count_pairs() <= self._most or width > len(columns):
                break
            rows = (columns[first : first + width] for first in range(len(columns) - width + 1))
            found = _lists([_mixed(row) for row in rows])
        left_out = every.count_pairs() - found.count_pairs()
        # Whoever shares one of these is similar.
        return found.joined(_lists(exact)), left_out

    @property
    def _most(self) -> int:
        """The most pairs of lists to look at."""
        n = len(self.places)
        return sys.maxsize if n <= _SMALL else max(FEW_PAIRS * n, FEW)

    @property
    def _rows(self) -> RowIds:
        return self._short.row_of[self._documents[self.places]]


def _lists(columns: list[U64]) -> Lists:
    return Lists.of_keys(np.stack(columns, axis=1)) if columns else Lists.none()


def _mixed(columns: list[U64]) -> U64:
    keys = columns[0]
    for column in columns[1:]:
        keys = mix64(keys) + column
    return keys
