"""Borders: k-grams of common text that winnowing chose in few texts only.

Whether a k-gram is chosen depends on its window.  Of a notice that all documents have, windows
within it choose the same k-grams everywhere, and these are known to be common.  But a window over
its edge may choose another one: in each document by what comes before the notice.  So k-grams
beside common ones are counted where they are, chosen or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.features.shingles import hash_runs
from simdup.mix64 import mix64
from simdup.reuse.symbols import Symbols
from simdup.reuse.winnowing import Seeds
from simdup.search.arrays import iter_ranges

I64 = NDArray[np.int64]
U64 = NDArray[np.uint64]
U32 = NDArray[np.uint32]

# Between the edge of common text and its first common k-gram there are hardly more.
_BESIDE = (-2, -1, 1, 2)
# K-grams that are counted at a time, if one common k-gram does not have more.
_AT_ONCE = 1 << 19


class Crowd(NamedTuple):
    """Seeds that occur in too many texts."""

    seeds: I64  # by number, rising
    groups: U64  # of each


def common_beside(seeds: Seeds, texts: U32, candidates: I64, crowd: Crowd, place: Place) -> U64:
    """Return the hashes of candidates beside common k-grams that are common themselves.

    Parameters
    ----------
    seeds : Seeds
        Of all texts, in order.
    texts : uint32[seeds]
        The text of each.
    candidates : int64[m]
        One seed of each k-gram in question.
    crowd : Crowd
        The common ones, some.
    place : Place
        Where k-grams are looked up.
    """
    # Which common k-gram a candidate is beside, and how far.
    beside = [_beside(seeds, texts, candidates, crowd, step) for step in _BESIDE]
    near = np.unique(np.concatenate(beside), axis=0)
    near = near[np.abs(near[:, 1]) <= place.k]
    order = np.argsort(crowd.groups, kind="stable")
    members, groups = crowd.seeds[order], crowd.groups[order].astype(np.int64)
    firsts = np.searchsorted(groups, near[:, 0])
    counts = np.searchsorted(groups, near[:, 0], "right") - firsts
    found = [np.zeros(0, np.uint64)]
    for rows in _parts(counts):
        for which, offsets in iter_ranges(counts[rows], int(counts[rows].sum())):
            own = members[firsts[rows][which] + offsets]
            hashes = place.hashes(seeds.positions[own] + near[rows, 1][which])
            found.append(_in_many(which, hashes, texts[own], place.most))
    return np.intersect1d(np.concatenate(found), seeds.hashes[candidates])


class Place(NamedTuple):
    """Where k-grams are looked up, and when they are common."""

    symbols: Symbols
    k: int
    most: int  # texts that may have one that is not

    def hashes(self, positions: I64) -> U64:
        """Return the hashes of the k-grams at positions."""
        grams = np.lib.stride_tricks.sliding_window_view(self.symbols, self.k)[positions]
        return mix64(hash_runs(grams.astype(np.uint64), self.k)[:, 0])


def _beside(seeds: Seeds, texts: U32, candidates: I64, crowd: Crowd, step: int) -> I64:
    """Return the groups of the common seeds so many places from candidates, and the distances."""
    others = np.clip(candidates + step, 0, len(texts) - 1)
    rows = np.minimum(np.searchsorted(crowd.seeds, others), len(crowd.seeds) - 1)
    fit = (crowd.seeds[rows] == others) & (texts[others] == texts[candidates])
    distances = seeds.positions[candidates] - seeds.positions[others]
    found: I64 = np.stack([crowd.groups[rows].astype(np.int64), distances], 1)[fit]
    return found


def _parts(counts: I64) -> Iterator[slice]:
    """Yield ranges of rows that have about as many k-grams."""
    parts = np.cumsum(counts) // _AT_ONCE
    edges = np.flatnonzero(np.diff(parts, prepend=-1)).tolist()
    yield from map(slice, edges, [*edges[1:], len(counts)])


def _in_many(which: I64, hashes: U64, texts: U32, most: int) -> U64:
    """Return the hashes that more texts than `most` have beside the same common k-gram."""
    order = np.lexsort((texts, hashes, which))
    which, hashes, texts = which[order], hashes[order], texts[order]
    new = (np.diff(which, prepend=-1) != 0) | (np.diff(hashes, prepend=~hashes[:1]) != 0)
    distinct = new | (np.diff(texts.astype(np.int64), prepend=-1) != 0)
    firsts = np.flatnonzero(new)
    many: U64 = hashes[firsts[np.add.reduceat(distinct, firsts, dtype=np.int64) > most]]
    return many
