"""Candidates: all pairs that share a band key, each once.

Each row has one key a band; rows whose keys in some band are equal are candidates. Each band is
sorted, so rows of equal keys are adjacent. As in `joins`, only the first band that proposes a pair
reports it, which the pair's own keys tell, so no pair needs to be remembered. Rows that agree in
all bands are one row to the search and become many again in the output only.

Memory: 40 bytes a row, and chunks of pairs; none that grows with the number of candidates. The
time grows with it: each candidate is looked at once for each band that proposes it.

References
----------
J. Leskovec, A. Rajaraman, J. Ullman, "Mining of massive datasets", section 3.4.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from simdup.search.arrays import U64, RowPairs, iter_ranges
from simdup.search.duplicates import collapse, expand

U32 = NDArray[np.uint32]

# Candidates in a chunk: with 16 bands their keys take 8 MB twice.
CHUNK = 1 << 16


def neighbours(bands: Iterable[U32 | U64]) -> Iterator[RowPairs]:
    """Yield pairs of rows that connect what shares a key: those that are adjacent once sorted.

    `bands` are the keys of all rows, a band at a time.
    """
    for keys in bands:
        order = np.argsort(keys, kind="stable")
        equal = np.flatnonzero(np.diff(keys[order]) == 0)
        yield order[equal], order[equal + 1]


def candidates(keys: U32 | U64, copies: str = "all") -> Iterator[RowPairs]:
    """Yield the pairs of rows that have an equal key in any band.

    Parameters
    ----------
    keys : uint32[n, bands] or uint64[n, bands]
    copies : {"all", "first"}
        With ``first``, of rows with all keys equal each pairs with the first only, and only the
        first with others.

    Yields
    ------
    i, j : int64[m]
        i < j, each pair once, in no order; a chunk holds at most 2**18.
    """
    groups = collapse(keys.astype(np.uint64, copy=False))
    distinct = keys if groups.distinct is None else keys[groups.distinct]
    yield from expand(groups, _iter_candidates(distinct), copies == "all")


def _iter_candidates(keys: U32 | U64) -> Iterator[RowPairs]:
    """Yield the pairs among rows that all differ somewhere, in chunks."""
    for band in range(keys.shape[1]):
        # Stable, so that of two rows the smaller comes first.
        order = np.argsort(keys[:, band], kind="stable")
        inside = keys[order, band]
        ends = np.append(np.flatnonzero(inside[1:] != inside[:-1]) + 1, len(inside))
        sizes = np.diff(ends, prepend=0)
        after = np.repeat(ends, sizes) - np.arange(len(inside)) - 1
        positions = np.flatnonzero(after)
        for which, offset in iter_ranges(after[positions], CHUNK):
            left = positions[which]
            i, j = order[left], order[left + 1 + offset]
            if band:
                new = ~(keys[i, :band] == keys[j, :band]).any(axis=1)
                i, j = i[new], j[new]
            if len(i):
                yield i, j
