"""The shingles of a family's documents: bounds on similarity, and lists of similar ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simdup.features.shingles import Sets
from simdup.model.criteria import LOSSLESS, Criteria
from simdup.search.arrays import U64, RowIds
from simdup.search.lists import Lists
from simdup.search.parts import Parts
from simdup.search.prefixes import Prefixes, least_difference, odd_sketches
from simdup.verify.join import SharedElements

# Up to this many pairs per document, all pairs of the lists are checked.  This takes 50 us per
# document, as long as making its shingles once.
FEW_PAIRS = 512
# Shingles sorted at a time: 8 MB.
_BLOCK = 1 << 20
# Shingles kept in memory for the next pass: 128 MB.
_KEPT = 1 << 24
# The most shingles of which it is counted exactly what any two documents share: 180 MB.
_COUNTED = 1 << 23
# Documents in the sample that decides the kind of lists.
_SAMPLE = 4096
# Words of the largest odd sketch: enough for texts that differ in up to some 2,000 shingles.
_WORDS = 32


class FamilySets:
    """The sets of shingles of a family's documents, by their places.

    Parameters
    ----------
    read : callable
        Returns the distinct shingles of documents, by their places.
    lengths : int64[n]
        About how many shingles each document has.
    criteria : Criteria
        With a similarity above 0.
    """

    def __init__(self, read: Callable[[RowIds], Sets], lengths: RowIds, criteria: Criteria) -> None:
        self._read = read
        self._lengths = lengths
        self._similarity = criteria.similarity
        self._covering = criteria.covering or 0.0

    def may_reach(self, i: RowIds, j: RowIds, directed: bool = False) -> NDArray[np.bool_]:
        """Return which pairs may meet the criteria; odd sketches never reject one that does.

        With `directed`, i[k] must contain j[k].
        """
        sketches, sizes = self._sketches
        # Sets that differ in d of a + b elements share (a + b - d) / 2.
        share = (1 - self._similarity) / (1 + self._similarity)
        most = share * (sizes[i] + sizes[j])
        if directed:
            most = np.minimum(most, sizes[i] + (1 - 2 * self._covering) * sizes[j])
        return least_difference(sketches, i, j) <= most + 1e-6

    @property
    def few(self) -> bool:
        """Whether there are few enough shingles for `shared`."""
        return int(self._lengths.sum()) <= _COUNTED

    @cached_property
    def shared(self) -> SharedElements:
        """What any two documents share."""
        starts, hashes = [np.zeros(1, np.int64)], [np.zeros(0, np.uint64)]
        for _, sets in self._all():
            starts.append(sets.starts[1:] + starts[-1][-1])
            hashes.append(sets.hashes)
        return SharedElements(Sets(np.concatenate(starts), np.concatenate(hashes)))

    def reach(self, i: RowIds, j: RowIds, shared: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return which pairs have the similarity, given what they share."""
        one, other = self.shared.sizes[i], self.shared.sizes[j]
        good: NDArray[np.bool_] = shared / np.maximum(one + other - shared, 1) >= self._similarity
        return good

    def holder_lists(self) -> Lists:
        """Return lists in which each document meets all that may contain it.

        Of its rarest shingles, more than may be lost, another one must have at least one.
        """
        prefixes = Prefixes(len(self._lengths), int(self._lengths.sum()), LOSSLESS)
        for places, sets in self._all():
            prefixes.count(places, *sets)
        for places, sets in self._all():
            prefixes.add(places, *sets)
        prefixes.remember()
        prefixes.forget()
        for places, sets in self._all():
            prefixes.add_holders(places, *sets)
        return prefixes.holder_lists()

    def lists(self, settled: NDArray[np.bool_]) -> Lists:
        """Return lists in which all pairs with the similarity meet.

        Pairs of two documents that are `settled` (bool[n]) need not meet.
        """
        found, sketches = self._prefixes(settled), self._sketches
        if found.count_pairs() > FEW_PAIRS * len(settled):
            # Parts take more memory, so a sample decides whether they pay off.
            sample = np.arange(0, len(settled), -(-len(settled) // _SAMPLE))
            alike = found.take(np.isin(found.rows, sample))
            parts = Parts(self._similarity, sketches[1])
            if parts.lists(self._some(sample)).count_pairs() < alike.count_pairs():
                found = parts.lists(self._all())
        # From here on, sketches and lists are enough.
        self.__dict__.pop("_remembered", None)
        return found

    def _prefixes(self, settled: NDArray[np.bool_]) -> Lists:
        prefixes = Prefixes(len(settled), int(self._lengths.sum()), self._similarity)
        for places, sets in self._all():
            prefixes.count(places, *sets)
        for places, sets in self._some(np.flatnonzero(~settled)):
            prefixes.add(places, *sets)
        prefixes.remember()
        for places, sets in self._some(np.flatnonzero(settled)):
            prefixes.add(places, *sets, met=True)
        return prefixes.lists()

    @cached_property
    def _sketches(self) -> tuple[U64, RowIds]:
        """Odd sketches of the documents' shingles, and the number of shingles of each."""
        words = 1
        while words < _WORDS and 64 * words < self._lengths.mean():
            words *= 2
        sketches, sizes = [], []
        for _, sets in self._all():
            sketches.append(odd_sketches(*sets, words))
            sizes.append(np.diff(sets.starts))
        return np.concatenate(sketches), np.concatenate(sizes)

    def _all(self) -> Iterator[tuple[RowIds, Sets]]:
        """Yield the shingles of all documents, some at a time."""
        every = np.arange(len(self._lengths))
        yield from self._remembered if self._lengths.sum() <= _KEPT else self._some(every)

    @cached_property
    def _remembered(self) -> list[tuple[RowIds, Sets]]:
        return list(self._some(np.arange(len(self._lengths))))

    def _some(self, places: RowIds) -> Iterator[tuple[RowIds, Sets]]:
        """Yield the shingles of some documents, some at a time."""
        ends = np.cumsum(self._lengths[places])
        for block in np.split(places, np.flatnonzero(np.diff(ends // _BLOCK)) + 1):
            if len(block):
                yield block, self._read(block)
