"""Candidates: all pairs that share a band key, each once.

Each row has one key per band; rows with equal keys in some band are candidates. Each band is
sorted, so rows with equal keys are adjacent. As in `joins`, only the first band that proposes a
pair reports it; the keys of the pair show which one that is, so no pairs need to be stored. Rows
that agree in all bands are one row in the search, and are expanded only in the output.

Memory: 40 bytes per row, and chunks of pairs; it does not grow with the number of candidates. The
time does: each candidate is processed once for each band that proposes it.

References
----------
J. Leskovec, A. Rajaraman, J. Ullman, "Mining of massive datasets", section 3.4.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from simdup.search.arrays import U32, U64, RowPairs, iter_ranges, run_starts
from simdup.search.duplicates import collapse, expand

# Candidates in a chunk: with 16 bands their keys take 8 MB twice.
CHUNK = 1 << 16


def neighbours(bands: Iterable[U32 | U64]) -> Iterator[RowPairs]:
    """Yield enough pairs to connect all rows that share a key: neighbours in sorted order.

    `bands` are the keys of all rows, one band at a time.
    """
    for keys in bands:
        order = np.argsort(keys, kind="stable")
        equal = np.flatnonzero(np.diff(keys[order]) == 0)
        yield order[equal], order[equal + 1]


def candidates(keys: U32 | U64) -> Iterator[RowPairs]:
    """Yield the pairs of rows that have an equal key in any band.

    Parameters
    ----------
    keys : uint32[n, bands] or uint64[n, bands]

    Yields
    ------
    i, j : int64[m]
        i < j, each pair once, in undefined order; a chunk has at most 2**18.
    """
    groups = collapse(keys.astype(np.uint64, copy=False))
    distinct = keys if groups.distinct is None else keys[groups.distinct]
    yield from expand(groups, _iter_candidates(distinct), every=True)


def _iter_candidates(keys: U32 | U64) -> Iterator[RowPairs]:
    """Yield the pairs among distinct rows, in chunks."""
    for band in range(keys.shape[1]):
        # Stable, so that the smaller of two rows comes first.
        order = np.argsort(keys[:, band], kind="stable")
        inside = keys[order, band]
        ends = np.append(run_starts(inside)[1:], len(inside))
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
