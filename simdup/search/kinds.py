"""Rows of lists by their kind: rows of one kind never belong together.

Among twenty thousand rows of one kind and a hundred of another, whoever looks for the partners of a
row skips those of its own kind without visiting them, however they are mixed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simdup.search.arrays import RowIds


def kinds_of(groups: RowIds) -> RowIds:
    """Return the kinds of rows (int64[n]) of groups; rows of the group -1 are each of their own."""
    return np.where(groups < 0, groups.max(initial=0) + 1 + np.arange(len(groups)), groups)


class KindRuns(NamedTuple):
    """The entries of each kind in each list: a run; runs are ordered by list."""

    run_of: RowIds  # int64[entries]: the run of each entry
    starts: RowIds  # int64[runs]: where each begins among all entries, ordered by run
    sizes: RowIds  # int64[runs]
    # int64[entries], ordered by run: how many entries of other kinds come before this one in its
    # list, and the run before that; ascending.
    keys: RowIds

    @classmethod
    def of(cls, lists: RowIds, kinds: RowIds, places: RowIds) -> KindRuns:
        """Return the runs of entries, given list, kind and place in the list of each."""
        order = np.lexsort((places, kinds, lists))
        changes = (np.diff(lists[order]) != 0) | (np.diff(kinds[order]) != 0)
        starts = np.flatnonzero(np.append(True, changes)) if len(order) else order
        sizes = np.diff(starts, append=len(order))
        runs = np.repeat(np.arange(len(starts)), sizes)
        run_of = np.empty(len(order), np.int64)
        run_of[order] = runs
        own = np.arange(len(order)) - np.repeat(starts, sizes)
        keys = runs * (len(order) + 1) + places[order] - own
        return cls(run_of, starts, sizes, keys)

    def place(self, entries: RowIds, rank: RowIds) -> RowIds:
        """Return the places in their lists of the entries of other kinds with these ranks.

        The k-th of them comes after k others, and after those of the entry's own kind before which
        there are at most k.
        """
        runs = self.run_of[entries]
        before = np.searchsorted(self.keys, runs * (len(self.run_of) + 1) + rank, "right")
        return rank + before - self.starts[runs]

    def count_pairs(self) -> int:
        """Count the pairs of entries of one kind in all lists."""
        return int((self.sizes * (self.sizes - 1) // 2).sum())
