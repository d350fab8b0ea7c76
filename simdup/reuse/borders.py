"""Borders: where common text begins and ends, though winnowing chose other k-grams there.

Whether a k-gram is chosen depends on its window.  Of a notice that all documents have, windows
within it choose the same k-grams everywhere, and these are known to be common.  But a window over
its edge may choose another one: in each document by what comes before the notice.  So k-grams
beside the first and the last common ones are counted where they are, chosen or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simdup.features.shingles import hash_runs
from simdup.mix64 import mix64
from simdup.reuse.symbols import Symbols
from simdup.reuse.winnowing import Seeds
from simdup.search.arrays import I64, U32, U64, Bools, distinct, iter_ranges, run_starts

# Symbols on either side of all texts: k-grams beside the first and the last one are looked up too.
MARGIN = 4096
# K-grams that are counted at a time, if one common k-gram does not have more.
_AT_ONCE = 1 << 19


class Crowd(NamedTuple):
    """Seeds that occur in too many texts."""

    seeds: I64  # by number, rising
    groups: U64  # of each


def common_beside(seeds: Seeds, texts: U32, crowd: Crowd, place: Place) -> tuple[I64, U64]:
    """Return the positions and the hashes of common k-grams beside the known ones.

    Parameters
    ----------
    seeds : Seeds
        Of all texts, in order.
    texts : uint32[seeds]
        The text of each.
    crowd : Crowd
        The common ones, some.
    place : Place
        Where k-grams are looked up.
    """
    order = np.argsort(crowd.groups, kind="stable")
    members, groups = crowd.seeds[order], crowd.groups[order].astype(np.int64)
    positions, hashes = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
    for step, near in _edges(seeds.positions[crowd.seeds], crowd.groups, place.k):
        distance = step
        # Where one is not common, those beyond are not.
        while len(near) and abs(distance) < place.k:
            firsts = np.searchsorted(groups, near)
            counts = np.searchsorted(groups, near, "right") - firsts
            going = [near[:0]]
            for rows in _parts(counts):
                for which, offsets in iter_ranges(counts[rows], int(counts[rows].sum())):
                    own = members[firsts[rows][which] + offsets]
                    there = seeds.positions[own] + distance
                    found = place.hashes(there)
                    many = _in_many(which, found, texts[own], place.most)
                    positions.append(there[many])
                    hashes.append(distinct(found[many]))
                    going.append(near[rows][distinct(which[many])])
            near = np.concatenate(going)
            distance += step
    return distinct(np.concatenate(positions)), np.concatenate(hashes)


class Place(NamedTuple):
    """Where k-grams are looked up, and when they are common."""

    symbols: Symbols
    k: int
    most: int  # texts that may have one that is not

    def hashes(self, positions: I64) -> U64:
        """Return the hashes of the k-grams at positions."""
        grams = np.lib.stride_tricks.sliding_window_view(self.symbols, self.k)[positions]
        return mix64(hash_runs(grams.astype(np.uint64), self.k)[:, 0])


def _edges(positions: I64, groups: U64, k: int) -> list[tuple[int, I64]]:
    """Return the groups of common k-grams that no other one comes before, and after."""
    apart = np.diff(positions) >= k
    return [
        (step, distinct(groups[np.insert(apart, at, True)]).astype(np.int64))
        for step, at in ((-1, 0), (1, len(apart)))
    ]


def _parts(counts: I64) -> Iterator[slice]:
    """Yield ranges of rows that have about as many k-grams."""
    parts = np.cumsum(counts) // _AT_ONCE
    edges = run_starts(parts).tolist()
    yield from map(slice, edges, [*edges[1:], len(counts)])


def _in_many(which: I64, hashes: U64, texts: U32, most: int) -> Bools:
    """Return which k-grams more texts than `most` have beside the same common k-gram."""
    order = np.lexsort((texts, hashes, which))
    which, hashes, texts = which[order], hashes[order], texts[order]
    new = (np.diff(which, prepend=-1) != 0) | (np.diff(hashes, prepend=~hashes[:1]) != 0)
    distinct = new | (np.diff(texts.astype(np.int64), prepend=-1) != 0)
    firsts = np.flatnonzero(new)
    many = np.add.reduceat(distinct, firsts, dtype=np.int64) > most
    found = np.empty(len(order), np.bool_)
    found[order] = many[np.cumsum(new) - 1]
    return found
