"""Which documents may meet the criteria: what rules pairs out without comparing their texts.

`Bounds` asks two that know better: `SetBounds` for texts that are measured by their shingles, and
the forms of short ones, measured by edit similarity.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64
from simdup.corpus.spool import spool_folder
from simdup.kernels.leaders import PairBounds, odd_sketches
from simdup.model.criteria import SHORT
from simdup.near.candidates import Candidates
from simdup.near.measures import cost_of
from simdup.near.short import formed, short
from simdup.search.arrays import U32, U64, RowIds, ranges
from simdup.search.grouping import Lists, Prefixes
from simdup.text.characters import to_codes
from simdup.text.shingles import Sets

# Pairs in a chunk: the indexes of their rows take 1 MB.
_CHUNK = 1 << 16
# Documents of which all pairs may be compared: 2**27 pairs take two minutes.  Fewer where edits are
# counted, 0.4 us each, or nothing but the measures rules pairs out, 10 us each.
MANY_DOCUMENTS, FORMED_DOCUMENTS, FEW_DOCUMENTS = 1 << 14, 1 << 13, 1 << 12

# An edit similarity costs as much as the shingles of a text so many times as long: some 5 us.
_EDIT_COST = 4
# What a pair costs whose texts are not compared.
_WITHOUT_TEXTS = 64

# Shingles sorted at a time: 8 MB.
_BLOCK = 1 << 20
# The most shingles that are held in memory, and not in a file: 128 MB.
HELD = 1 << 25
_HALF = np.uint64(32)
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
        if (cost := cost_of(self._criteria)) > 1:
            return len(self._compared) <= FEW_DOCUMENTS / math.sqrt(cost)
        most = FEW_DOCUMENTS if self.sets is None else MANY_DOCUMENTS
        return len(self._compared) <= (FORMED_DOCUMENTS if self.formed else most)

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
        self.add_texts()
        return self.of_forms

    @cached_property
    def of_forms(self) -> PairBounds:
        """What rules out pairs of short texts, for which no text is read."""
        covering = self._criteria.covering or 0
        bounds = PairBounds(len(self._compared), self._criteria.similarity, covering)
        if self.formed:
            documents, n = self._compared.documents, len(self._compared)
            singles, doubles = np.zeros((n, 0), np.uint64), np.zeros((n, 0), np.uint64)
            for search in self._compared.searches:
                singles, doubles = search.form_sketches(documents) or (singles, doubles)
            bounds.by_forms(documents["letters"], documents["facts"], SHORT, singles, doubles)
        return bounds

    def add_texts(self) -> None:
        """Let the texts rule out pairs, if they decide: all are read."""
        bounds, documents = self.of_forms, self._compared.documents
        if self.sets is not None:
            starts, elements, sketches = self.sets.held
            bounds.by_sets(sketches, starts, elements, _room(len(elements)))
        if self.formed:
            rows, sizes = np.flatnonzero(formed(documents)), np.zeros(len(documents), np.int64)
            forms = self._compared.forms_of(self._compared.numbers[rows])
            sizes[rows] = list(map(len, forms))
            bounds.by_letters(np.append(0, np.cumsum(sizes)), to_codes("".join(forms)))

    @cached_property
    def lengths(self) -> RowIds:
        """About how many shingles each document has."""
        documents = self._compared.documents
        return documents["length"] if "length" in documents else np.ones(len(documents), np.int64)

    @cached_property
    def costs(self) -> RowIds:
        """What a comparison of each document costs, in shingles."""
        if not self._criteria.by_texts:
            return np.full(len(self._compared), _WITHOUT_TEXTS)
        if not self.formed:
            return self.lengths
        return self.lengths * np.where(formed(self._compared.documents), _EDIT_COST, 1)

    @cached_property
    def formed(self) -> bool:
        """Whether the forms of short texts decide about some pairs."""
        return self._criteria.by_texts and bool(short(self._compared.documents).any())

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

    @cached_property
    def held(self) -> tuple[RowIds, U32, U64]:
        """Half of each shingle of all documents, ascending, and odd sketches of the shingles.

        Returns
        -------
        starts : int64[n + 1]
            Where each set begins, and the end.
        elements : uint32[starts[-1]]
        sketches : uint64[n, words]
        """
        words = 1
        while words < _WORDS and 64 * words < self._lengths.mean():
            words *= 2
        # No text has more shingles than characters, but an empty one.
        elements = _room(int(np.maximum(self._lengths, 1).sum()))
        starts, sketches = np.zeros(len(self._lengths) + 1, np.int64), []
        for block in self._blocks(np.arange(len(self._lengths))):
            sets, first = self._read(block), starts[block[0]]
            starts[block + 1] = sets.starts[1:] + first
            which = np.repeat(np.arange(len(block)), np.diff(sets.starts)).astype(np.uint64)
            halves = which << _HALF | mix64(sets.hashes) >> _HALF
            halves.sort()
            elements[first : first + len(halves)] = halves.astype(np.uint32)
            sketches.append(odd_sketches(*sets, words))
        return starts, elements[: starts[-1]], np.concatenate(sketches)

    def lists(self, rows: RowIds) -> Lists:
        """Return lists in which all pairs of some documents with the similarity meet."""
        prefixes = Prefixes(len(self._lengths), int(self._lengths[rows].sum()), self._similarity)
        for add in (prefixes.count, prefixes.add):
            for block in self._blocks(rows):
                add(block, *self._sets(block))
        return prefixes.lists()

    def _sets(self, rows: RowIds) -> Sets:
        """Return the sets that are held of some documents."""
        starts, elements, _ = self.held
        sizes = np.diff(starts)[rows]
        places = ranges(starts[rows], sizes)
        return Sets(np.append(0, np.cumsum(sizes)), elements[places].astype(np.uint64))

    def _blocks(self, places: RowIds) -> list[RowIds]:
        ends = np.cumsum(self._lengths[places])
        blocks = np.split(places, np.flatnonzero(np.diff(ends // _BLOCK)) + 1)
        return [block for block in blocks if len(block)]


def _room(size: int) -> U32:
    """Return room for elements: in memory or, for many, in a file that is mapped."""
    if size <= HELD:
        return np.empty(size, np.uint32)
    with spool_folder("the shingles of documents"), tempfile.TemporaryFile() as file:
        file.truncate(4 * size)
        if hasattr(os, "posix_fallocate"):
            # Where there is no room, this raises; a write to the map would end the process.
            os.posix_fallocate(file.fileno(), 0, 4 * size)
        return np.memmap(file, np.uint32, "r+", shape=size)
