"""The short texts of a family: bounds on their edit similarity, and lists of similar ones."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import by_edit, formed, may_reach, short
from simdup.fingerprints.edit_bands import EditSignatures
from simdup.mix64 import mix64
from simdup.search.arrays import U64, RowIds
from simdup.search.lists import Lists
from simdup.verify.compared import ComparedDocuments
from simdup.verify.family_sets import FEW_PAIRS
from simdup.verify.searches import NearFingerprints

# In a family of up to so many texts, all pairs are looked at; in larger ones so many at least.
# This takes a second or two.
_SMALL = 512
FEW = 1 << 20
# How many bands in a row two texts must share, one after the other, until few pairs are left.
_WIDTHS = (1, 2, 3, 4, 6, 9, 13, 20)


class FamilyForms:
    """The short texts among a family's documents, by their rows in `compared`."""

    def __init__(self, compared: ComparedDocuments) -> None:
        self._compared = compared
        self._documents = compared.documents
        found = (getattr(one, "signatures", None) for one in compared.searches)
        # Those of the search whose band keys propose short texts, if there is one.
        self._signatures = [one for one in found if isinstance(one, EditSignatures)]
        self.has = formed(self._documents)  # bool[n]: which have a form

    @property
    def decides_all(self) -> bool:
        """Whether no pair of the family is measured by its shingles."""
        return bool(short(self._documents).all())

    @property
    def places(self) -> RowIds:
        """The documents that have a form."""
        return np.flatnonzero(self.has)

    def measure(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs are measured by edit similarity."""
        return by_edit(self._documents, i, j)

    def may_reach(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs may have the similarity; none that has it is rejected.

        Those that are not measured by edit similarity may have it.
        """
        possible = ~self.measure(i, j)
        edited = np.flatnonzero(~possible)
        possible[edited] = may_reach(self._documents, i[edited], j[edited])
        for signatures in self._signatures:
            edited = edited[possible[edited]]
            a, b = (signatures.rows(self._compared.numbers[rows[edited]]) for rows in (i, j))
            possible[edited] = signatures.may_reach(a, b)
        return possible

    def lists(self) -> tuple[Lists, int]:
        """Return lists in which similar forms meet, and how many pairs were left out.

        Where too many forms with the same numbers share a block of fingerprints, none is listed by
        it.
        """
        found, left_out = self._by_bands()
        numbers = self._documents["numbers"][self.places]
        blocks = (
            block
            for search in self._compared.searches
            if isinstance(search, NearFingerprints)
            for block in search.blocks(self._documents)
        )
        near = Lists.of_keys(mix64(block[self.places]) ^ numbers for block in blocks)
        # Where no band keys propose pairs, nothing else does.
        if self._signatures and (pairs := near.count_pairs()) > self._most:
            left_out += pairs
        else:
            found = Lists.concat([found, near])
        return found.of_rows(self.places), left_out

    def _by_bands(self) -> tuple[Lists, int]:
        """Return lists of forms, by their rows, that share band keys.

        Where single bands are shared by too many, as in a template, only texts that share several
        in a row are listed: the more similar two texts are, the longer are such rows.
        """
        if not self._signatures:
            return Lists.none(), 0
        (signatures,) = self._signatures
        keys = signatures.keys[signatures.row_of[self._compared.numbers[self.places]]]
        columns = list(keys.astype(np.uint64).T)
        columns, exact = columns[: signatures.bands], columns[signatures.bands :]
        every = found = Lists.of_keys(columns)
        for width in _WIDTHS[1:]:
            if found.count_pairs() <= self._most or width > len(columns):
                break
            rows = (columns[first : first + width] for first in range(len(columns) - width + 1))
            found = Lists.of_keys(map(_mixed, rows))
        left_out = every.count_pairs() - found.count_pairs()
        # Whoever shares one of these is similar.
        return Lists.concat([found, Lists.of_keys(exact)]), left_out

    @property
    def _most(self) -> int:
        """The most pairs of lists to look at."""
        n = len(self.places)
        return sys.maxsize if n <= _SMALL else max(FEW_PAIRS * n, FEW)


def _mixed(columns: list[U64]) -> U64:
    keys = columns[0]
    for column in columns[1:]:
        keys = mix64(keys) + column
    return keys
