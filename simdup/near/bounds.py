"""Which documents may meet the criteria: what rules pairs out without comparing their texts.

`Bounds` asks two that know better: `SetBounds` for texts that are measured by their shingles, and
the forms of short ones, measured by edit similarity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simdup.kernels.leaders import PairBounds, odd_sketches
from simdup.model.criteria import SHORT
from simdup.near.candidates import Candidates
from simdup.near.rules import formed, short
from simdup.search.arrays import U64, RowIds
from simdup.search.grouping import Lists, Prefixes
from simdup.text.bands import EditSignatures
from simdup.text.shingles import Sets

# Pairs in a chunk: the indexes of their rows take 1 MB.
_CHUNK = 1 << 16
# Documents of which all pairs may be compared: 2**27 pairs take two minutes, their results 34 MB.
# Fewer where nothing but the measures rules pairs out, 10 us each, or pairs would be left out.
MANY_DOCUMENTS, FEW_DOCUMENTS = 1 << 14, 1 << 12
# Fewer still where the texts of pairs are aligned, 3 ms for two pages.
_ALIGNED_DOCUMENTS = 1 << 9

# An edit similarity costs as much as the shingles of a text so many times as long: some 5 us.
_EDIT_COST = 4
# Where shingles do not decide, vectors are compared: few terms, whatever the text.
_VECTOR_COST = 64

# Shingles sorted at a time: 8 MB.
_BLOCK = 1 << 20
# The most shingles that are held, to count exactly what two documents share: 128 MB.
_HELD = 1 << 24
# Words of the largest odd sketch: enough for texts that differ in up to some 2,000 shingles.
_WORDS = 32


class Bounds:
    """Bounds on the measures of some documents, known by their rows in `compared`."""

    def __init__(self, compared: Candidates) -> None:
        self._compared = compared
        self._criteria = compared.criteria

    @property
    def affordable(self) -> bool:
        """Whether all pairs of the documents may be compared."""
        if self._criteria.same_facts:
            return len(self._compared) <= _ALIGNED_DOCUMENTS
        exact = self.sets is not None and self.sets.few
        return len(self._compared) <= (MANY_DOCUMENTS if exact else FEW_DOCUMENTS)

    def every(self) -> Iterator[tuple[RowIds, RowIds, NDArray[np.bool_]]]:
        """Yield all pairs i < j, in chunks, and which of them may meet the criteria."""
        n, first = len(self._compared), 0
        while first < n:
            last = min(first + max(_CHUNK // (n - first), 1), n)
            i, j = np.triu_indices(last - first, 1, n - first)
            yield i + first, j + first, self.pairs.possible(i + first, j + first)
            first = last

    @cached_property
    def pairs(self) -> PairBounds:
        """What rules out pairs; none that meets the criteria is rejected."""
        bounds = self.of_forms
        self.add_sets()
        return bounds

    @cached_property
    def of_forms(self) -> PairBounds:
        """What rules out pairs of short texts, for which no text is read."""
        bounds = PairBounds(len(self._compared), self._criteria.similarity)
        if self.formed:
            documents, n = self._compared.documents, len(self._compared)
            singles, doubles = np.zeros((n, 0), np.uint64), np.zeros((n, 0), np.uint64)
            for search in self._compared.searches:
                signatures = getattr(search, "signatures", None)
                if isinstance(signatures, EditSignatures):
                    rows = np.maximum(signatures.rows(self._compared.numbers), 0)
                    singles, doubles = (sketches[rows] for sketches in signatures.sketches)
            bounds.by_forms(documents["letters"], documents["facts"], SHORT, singles, doubles)
        return bounds

    def add_sets(self) -> None:
        """Let shingles rule out pairs too, if they decide: all texts are read."""
        if self.sets is not None:
            self.of_forms.by_sets(*self.sets.sketches, *self.sets.held)

    @cached_property
    def lengths(self) -> RowIds:
        """About how many shingles each document has."""
        documents = self._compared.documents
        return documents["length"] if "length" in documents else np.ones(len(documents), np.int64)

    @cached_property
    def costs(self) -> RowIds:
        """What a comparison of each document costs, in shingles."""
        if not self._criteria.by_texts:
            return np.full(len(self._compared), _VECTOR_COST)
        if not self.formed:
            return self.lengths
        return self.lengths * np.where(formed(self._compared.documents), _EDIT_COST, 1)

    @cached_property
    def formed(self) -> bool:
        """Whether the forms of short texts decide about some pairs."""
        return self._criteria.by_texts and bool(formed(self._compared.documents).any())

    @cached_property
    def sets(self) -> SetBounds | None:
        """The shingles of the documents, if these decide about some pairs."""
        if not self._criteria.by_texts or bool(short(self._compared.documents).all()):
            return None
        numbers, read = self._compared.numbers, self._compared.sets_of
        similarity = self._criteria.similarity
        return SetBounds(lambda rows: read(numbers[rows]), self.lengths, similarity)


class SetBounds:
    """The sets of shingles of documents, by their rows.

    Parameters
    ----------
    read : callable
        Returns the distinct shingles of documents, by their places.
    lengths : int64[n]
        About how many shingles each document has.
    similarity : float
        The least one of a pair, above 0.
    """

    def __init__(self, read: Callable[[RowIds], Sets], lengths: RowIds, similarity: float) -> None:
        self._read = read
        self._lengths = lengths
        self._similarity = similarity

    @property
    def few(self) -> bool:
        """Whether there are few enough shingles to hold them all."""
        return int(self._lengths.sum()) <= _HELD

    @cached_property
    def held(self) -> Sets:
        """The shingles of all documents, ascending; no sets if there are too many."""
        places = np.arange(len(self._lengths) if self.few else 0)
        # No text has more shingles than characters, but an empty one.
        hashes = np.empty(int(np.maximum(self._lengths[places], 1).sum()), np.uint64)
        starts = [np.zeros(1, np.int64)]
        for block in self._blocks(places):
            sets, first = self._read(block), int(starts[-1][-1])
            hashes[first : first + len(sets.hashes)] = sets.hashes
            starts.append(sets.starts[1:] + first)
        return Sets(np.concatenate(starts), hashes[: starts[-1][-1]])

    def lists(self, rows: RowIds) -> Lists:
        """Return lists in which all pairs of some documents with the similarity meet."""
        prefixes = Prefixes(len(self._lengths), int(self._lengths[rows].sum()), self._similarity)
        for block, sets in self._some(rows):
            prefixes.count(block, *sets)
        for block, sets in self._some(rows):
            prefixes.add(block, *sets)
        return prefixes.lists()

    @cached_property
    def sketches(self) -> tuple[U64, RowIds]:
        """Odd sketches of the documents' shingles, and the number of shingles of each."""
        words = 1
        while words < _WORDS and 64 * words < self._lengths.mean():
            words *= 2
        sketches, sizes = [], []
        for _, sets in self._some(np.arange(len(self._lengths))):
            sketches.append(odd_sketches(*sets, words))
            sizes.append(np.diff(sets.starts))
        return np.concatenate(sketches), np.concatenate(sizes)

    def _some(self, places: RowIds) -> Iterator[tuple[RowIds, Sets]]:
        """Yield the shingles of some documents, some at a time."""
        read = self._held_sets if self.few else self._read
        return ((block, read(block)) for block in self._blocks(places))

    def _held_sets(self, places: RowIds) -> Sets:
        firsts, sizes = self.held.starts[places], np.diff(self.held.starts)[places]
        starts = np.append(0, np.cumsum(sizes))
        entries = np.arange(starts[-1]) + np.repeat(firsts - starts[:-1], sizes)
        return Sets(starts, self.held.hashes[entries])

    def _blocks(self, places: RowIds) -> list[RowIds]:
        ends = np.cumsum(self._lengths[places])
        blocks = np.split(places, np.flatnonzero(np.diff(ends // _BLOCK)) + 1)
        return [block for block in blocks if len(block)]
