"""Identical documents: only the first of them is compared with others."""

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

    first_of: dict[int, int]  # of each copy the first document that is identical with it
    copies_of: dict[int, list[int]]  # of each first document its copies, rising
    distinct: RowIds  # documents with terms that are no copies, rising
    sizes: RowIds  # int64[documents]: how many documents each distinct one stands for

    def of(self, first: int) -> list[int]:
        """Return a distinct document and its copies, rising."""
        return [first, *self.copies_of.get(first, ())]

    def pairs(self, identical: Measures, firsts: RowIds) -> list[DocumentPair]:
        """Return the pairs of some first documents with their copies."""
        wanted = set(firsts[self.sizes[firsts] > 1].tolist())
        return [
            DocumentPair(first, copy, 0, identical)
            for first in sorted(wanted)
            for copy in self.copies_of[first]
        ]


def find_copies(documents: ScannedDocuments) -> Copies:
    """Find identical documents: with equal texts, or equal fingerprints where there are no texts.

    Documents without terms are no copies of each other.  A reference that is identical with one
    before it tells nothing more, and is left out.
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
    """Return what identical documents have in common (uint64[rows, words])."""
    values = documents.fingerprints.values
    if documents.digests is None:
        return values[rows]
    digests = documents.digests.view(np.uint64).reshape(-1, DIGEST_BYTES // 8)
    return np.concatenate((digests[rows], values[rows]), axis=1)
