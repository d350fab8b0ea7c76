"""Identical documents, of which only the first is compared with others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdup.clustering.clusters import DocumentPair, ScannedDocuments
from simdup.features.text import DIGEST_BYTES
from simdup.model.criteria import Measures
from simdup.search.arrays import U64, RowIds
from simdup.search.duplicates import collapse


@dataclass(frozen=True, slots=True)
class Copies:
    """Which documents are identical."""

    first_of: dict[int, int]  # for each copy, the first identical document
    copies_of: dict[int, list[int]]  # for each first document, its copies, ascending
    distinct: RowIds  # documents with terms that are not copies, ascending
    sizes: RowIds  # int64[documents]: how many documents each distinct one represents

    def of(self, first: int) -> list[int]:
        """Return a distinct document and its copies, ascending."""
        return [first, *self.copies_of.get(first, ())]

    def pairs(self, identical: Measures, firsts: RowIds) -> list[DocumentPair]:
        """Return the pairs of the given first documents with their copies."""
        wanted = set(firsts[self.sizes[firsts] > 1].tolist())
        return [
            DocumentPair(first, copy, 0, identical)
            for first in sorted(wanted)
            for copy in self.copies_of[first]
        ]


def find_copies(documents: ScannedDocuments) -> Copies:
    """Find identical documents: those with equal texts or, without texts, equal fingerprints.

    If titles decide, these are equal too.

    Documents without terms are not copies of each other.  A reference that is identical to an
    earlier one adds nothing, and is left out.
    """
    prints = documents.fingerprints
    rows = np.flatnonzero(prints.terms > 0)
    groups = collapse(_content(documents, rows))
    distinct = rows if groups.distinct is None else rows[groups.distinct]
    sizes = np.ones(len(prints.terms), np.int64)
    copies_of: dict[int, list[int]] = {}
    for start, size in zip(groups.starts.tolist(), groups.sizes.tolist(), strict=True):
        first, *others = rows[groups.members[start : start + size]].tolist()
        copies_of[first] = [one for one in others if one not in documents.references]
        sizes[first] += len(copies_of[first])
    first_of = {copy: first for first, others in copies_of.items() for copy in others}
    return Copies(first_of, copies_of, distinct, sizes)


def _content(documents: ScannedDocuments, rows: RowIds) -> U64:
    """Return the values that identical documents share (uint64[rows, words])."""
    columns = [documents.fingerprints.values[rows]]
    if documents.digests is not None:
        columns.append(documents.digests.view(np.uint64).reshape(-1, DIGEST_BYTES // 8)[rows])
    if documents.titles is not None:
        columns.append(documents.titles[rows, np.newaxis])
    return np.concatenate(columns, axis=1)
