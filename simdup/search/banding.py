"""Candidates: all pairs that share a band key, each once.

Each row has one key a band; rows whose keys in some band are equal are candidates.  A band is
sorted, and what belongs together stands together.  As in `allpairs` a pair counts in the first
band that proposes it, which is seen from the pair's own keys, so no pair need be remembered; and
rows that agree in all bands are one row to the search and many again in the output only.

Memory: 40 bytes a row, and blocks of pairs; none that grows with the number of candidates.  The
time grows with it, and each is looked at once for each band that proposes it.

References
----------
J. Leskovec, A. Rajaraman, J. Ullman, "Mining of massive datasets", section 3.4.2.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simdup.search import duplicates as same
from simdup.search.arrays import U64, Rows, spread

# Pairs in a block: with 16 bands their keys take 8 MB twice.
BLOCK = 1 << 16


def candidates(keys: U64, copies: str = "all") -> Iterator[tuple[Rows, Rows]]:
    """Give the pairs of rows that have an equal key in any band.

    Parameters
    ----------
    keys : uint64[n, bands]
    copies : {"all", "first"}
        With ``first``, of rows with all keys equal each pairs with the first only, and only the
        first with others.

    Yields
    ------
    i, j : int64[m]
        i < j, each pair once, in no order; a block holds at most 2^18.
    """
    groups = same.collapse(keys)
    every = copies == "all"
    yield from same.within(groups, every)
    first = same.distinct(len(keys), groups).astype(np.int64)
    for i, j in _distinct(keys[first] if len(groups.first) else keys):
        if not every:
            yield first[i], first[j]
            continue
        for a, b in same.across(groups, first[i], first[j]):
            yield np.minimum(a, b), np.maximum(a, b)


def _distinct(keys: U64) -> Iterator[tuple[Rows, Rows]]:
    """Give the pairs among rows that all differ somewhere, in blocks."""
    for band in range(keys.shape[1]):
        # Stable, so that of two rows the smaller stands first.
        order = np.argsort(keys[:, band], kind="stable")
        inside = keys[order, band]
        ends = np.append(np.flatnonzero(inside[1:] != inside[:-1]) + 1, len(inside))
        sizes = np.diff(ends, prepend=0)
        after = np.repeat(ends, sizes) - np.arange(len(inside)) - 1
        places = np.flatnonzero(after)
        for which, offset in spread(after[places], BLOCK):
            left = places[which]
            i, j = order[left], order[left + 1 + offset]
            if band:
                new = ~(keys[i, :band] == keys[j, :band]).any(axis=1)
                i, j = i[new], j[new]
            if len(i):
                yield i, j
