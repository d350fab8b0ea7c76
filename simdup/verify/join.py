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

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import by_edit, formed, may_reach
from simdup.features.shingles import Sets, Shingles
from simdup.model.table import Side
from simdup.search.arrays import U64, RowIds
from simdup.verify.document_texts import Texts

# Sets compared with all others at a time: 10 MB of counts for 10,000.
ROWS = 256
# Elements that at least this share of the sets have are in the dense matrix.  5,000 texts of 360
# shingles, half of them common: 1.0 s with 1/32 to 1/64, 1.2 s with 1/128, 9 s without.
_FREQUENT = 1 / 64
# Numbers in a dense matrix: 64 MB.
_DENSE = 1 << 24
# Elements that are numbered at a time: 80 MB.
_PART = 1 << 21
# Similarities of 32 bits are lower by up to so much.
_ROUNDED = 1e-6


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
        """Add what some sets share to the counts; see `Shared.count`."""
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


class Similar(NamedTuple):
    """Pairs of sets or texts, ordered by (i, j)."""

    i: NDArray[np.int64]  # int64[pairs]: their positions or numbers, i < j
    j: NDArray[np.int64]  # int64[pairs]
    similarity: NDArray[np.float64]  # float64[pairs]: above 0, up to 1

    def where(self, good: NDArray[np.bool_]) -> Similar:
        """Return some of the pairs."""
        return Similar(self.i[good], self.j[good], self.similarity[good])

    def of(self, documents: RowIds) -> Similar:
        """Return the pairs of documents, of which these are the places."""
        return Similar(documents[self.i], documents[self.j], self.similarity)


NO_PAIRS = Similar(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


def similar_pairs(sets: Sequence[Shingles], least: float) -> Similar:
    """Return all pairs of sets with at least this Jaccard similarity, which is above 0.

    Sets must not contain repetitions; `Shingler.shingles` returns such sets.
    """
    starts = np.cumsum([0, *map(len, sets)])
    shared = SharedElements(Sets(starts, np.concatenate([np.zeros(0, np.uint64), *sets])))
    sizes, found = shared.sizes, [NO_PAIRS]
    for first in range(0, len(sets), ROWS):
        counts = shared.count(first, min(first + ROWS, len(sets)))
        i, j = np.nonzero(np.triu(counts, 1))
        common = counts[i, j].astype(np.int64)
        i, j = i + first, j + first
        share = common / (sizes[i] + sizes[j] - common)
        high = share >= least
        found.append(Similar(i[high], j[high], share[high]))
    return joined(found)


def edited_pairs(texts: Texts, least: float) -> Similar:
    """Return all pairs of texts with at least this edit similarity, if that is their measure."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    some = np.flatnonzero(formed(texts.documents))
    forms = texts.forms(some.tolist())
    found = [NO_PAIRS]
    for first in range(0, len(some), ROWS):
        share = cdist(
            forms[first : first + ROWS],
            forms[first:],
            scorer=Levenshtein.normalized_similarity,
            score_cutoff=least - _ROUNDED,
            dtype=np.float32,
        )
        i, j = np.nonzero(np.triu(share, 1))
        found.append(edited(texts, some[i + first], some[j + first], least))
    return joined(found)


def edited(texts: Texts, i: RowIds, j: RowIds, least: float) -> Similar:
    """Return which pairs have at least an edit similarity, if that is their measure."""
    a, b = Side(texts.documents, i), Side(texts.documents, j)
    good = by_edit(a, b) & may_reach(a, b)
    i, j = i[good], j[good]
    found = Similar(i, j, texts.edit_similarities(i, j))
    return found.where(found.similarity >= least)


def joined(parts: Sequence[Similar]) -> Similar:
    """Return the pairs of all parts, ordered."""
    i, j, share = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((j, i))
    return Similar(i[order], j[order], share[order])
