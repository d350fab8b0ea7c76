"""Sought seeds: which texts can share a passage with one of the other side, by their seeds alone.

One side was read, and its seeds are sought in each text of the other.  Most texts have none of
them, or one or two by chance, which make no passage.

A run of n symbols has n - (k + w - 1) + 1 windows, each of which has chosen a seed that both texts
have chosen, and a seed is chosen by at most w windows.  So s seeds of one run are of at most
s * w + k + w - 2 symbols, and s seeds of any number of runs, each with a seed at least, of at most
s * (2 * w + k - 2): that many seeds two texts have in common at least.  (Rows have no seeds, but do
not count as length either.)  One of them starts the passage, so it is not common.

Seeds are counted for each pair of texts.  Those that are common, or that very many texts of the
first side have, count for all of its texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.winnowing import Window
from simdup.search.arrays import (
    I64,
    U64,
    Bools,
    Members,
    combine_rows,
    ranges,
    run_starts,
    split_rows,
)

# Texts that a seed is counted for one by one.
_LISTED = 256


def least_seeds(criteria: PassageCriteria, symbols: int | I64) -> I64:
    """Return how many seeds two texts share at least if they share so many symbols that count."""
    k, w = Window.of(criteria.min_run)
    return np.maximum(-(-np.asarray(symbols, np.int64) // (2 * w + k - 2)), 1)


class SoughtSeeds(NamedTuple):
    """The seeds of texts that were read."""

    hashes: Members
    rare: Bools  # whether each starts passages
    most: I64  # how often one text has it
    firsts: I64  # int64[hashes + 1]: where the texts that have it begin, if they are listed
    texts: I64
    counts: I64  # how often each of these has it
    needs: I64  # of each text: how many of its seeds another one must have

    @classmethod
    def of(
        cls, hashes: U64, owners: I64, common: Members, needs: I64, once: bool = False
    ) -> SoughtSeeds:
        """Return what is sought of the seeds of texts.

        Parameters
        ----------
        hashes, owners : uint64[seeds], int64[seeds]
            Each seed, and the number of its text.
        common : Members
            Seeds that start no passage.
        needs : int64[texts]
            See `least_seeds`.
        once : bool
            Whether a repeated seed counts once here, as it is counted on the other side.
        """
        order = np.lexsort((owners, hashes))
        hashes, owners = hashes[order], owners[order]
        entries = run_starts(hashes, owners)
        counts = np.diff(entries, append=len(hashes))
        if once:
            counts = np.ones_like(counts)
        each, texts = hashes[entries], owners[entries]
        new = run_starts(each)
        sizes = np.diff(new, append=len(each))
        rare = ~common(each[new])
        most = np.maximum.reduceat(counts, new) if len(new) else counts
        listed = rare & (sizes <= _LISTED)
        kept = np.repeat(listed, sizes)
        firsts = np.append(0, np.cumsum(np.where(listed, sizes, 0)))
        return cls(Members(each[new]), rare, most, firsts, texts[kept], counts[kept], needs)

    def enough(self, hashes: U64, ends: I64) -> Bools:
        """Return which texts may share a passage with one that was read.

        Parameters
        ----------
        hashes : uint64[seeds]
            Of the texts, one after the other.
        ends : int64[texts]
            Where those of each text end.
        """
        found = np.zeros(len(ends), np.bool_)
        rows = np.flatnonzero(self.hashes(hashes))
        if not len(rows):
            return found
        known = self.hashes.places(hashes[rows])
        owners = np.searchsorted(ends, rows, "right")
        sizes = np.diff(self.firsts)[known]
        alone = sizes > 0
        wide = np.bincount(owners[~alone], self.most[known[~alone]], len(ends))
        starting = np.bincount(owners[~alone], self.rare[known[~alone]], len(ends)) > 0
        found |= starting & (wide >= self.needs.min())
        entries = ranges(self.firsts[known[alone]], sizes[alone])
        pairs = combine_rows(np.repeat(owners[alone], sizes[alone]), self.texts[entries])
        order = np.argsort(pairs, kind="stable")
        pairs, counts = pairs[order], self.counts[entries[order]]
        new = run_starts(pairs)
        if len(new):
            owner, text = split_rows(pairs[new])
            sums = np.add.reduceat(counts, new) + wide[owner]
            found[owner[sums >= self.needs[text]]] = True
        return found
