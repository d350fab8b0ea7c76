"""Sought seeds: which texts can share a passage with the other side, by their seeds alone.

One side was read, and its seeds are sought in each text of the other.  Most texts have none of
them, or one or two by chance, which make no passage.

A run of n symbols has n - (k + w - 1) + 1 windows, each of which has chosen a seed that both texts
have chosen, and a seed is chosen by at most w windows.  So s seeds of one run are of at most
s * w + k + w - 2 symbols, and s seeds of any number of runs, each with a seed at least, of at most
s * (2 * w + k - 2): that many seeds a passage has at least.  (Rows have no seeds, but do not count
as length either.)  One of them starts it, so it is not common.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.winnowing import Window
from simdup.search.arrays import I64, U64, Bools, Members


def least_seeds(criteria: PassageCriteria) -> int:
    """Return how many seeds two texts share at least if they share a passage."""
    k, w = Window.of(criteria.min_run)
    return -(-criteria.min_length // (2 * w + k - 2))


class SoughtSeeds(NamedTuple):
    """The seeds of one side."""

    hashes: Members
    counts: I64  # how often each occurs
    rare: Bools  # whether each starts passages
    least: int  # see `least_seeds`

    @classmethod
    def of(cls, hashes: U64, common: Members, least: int, once: bool = False) -> SoughtSeeds:
        """Return what is sought of the seeds of texts, one by one.

        `once` says that those of the other side come one by one, too, and are counted there.
        """
        each, counts = np.unique(hashes, return_counts=True)
        if once:
            counts = np.ones_like(counts)
        return cls(Members(each), counts.astype(np.int64), ~common(each), least)

    def enough(self, hashes: U64, ends: I64) -> Bools:
        """Return which texts may share a passage.

        Parameters
        ----------
        hashes : uint64[seeds]
            Of the texts, one after the other.
        ends : int64[texts]
            Where those of each text end.
        """
        rows = np.flatnonzero(self.hashes(hashes))
        known = self.hashes.places(hashes[rows])
        owners = np.searchsorted(ends, rows, "right")
        counts = np.bincount(owners, self.counts[known], len(ends))
        rare = np.bincount(owners, self.rare[known], len(ends))
        found: Bools = (counts >= self.least) & (rare > 0)
        return found
