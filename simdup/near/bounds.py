"""Which documents may meet the criteria: what rules pairs out without comparing their texts.

`Bounds` asks two that know better: `SetBounds` for texts that are measured by their shingles, and
`FormBounds` for short ones, measured by edit similarity.  Each says which pairs may have the
similarity, and gives lists in which all pairs that have it meet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64, mix_columns
from simdup.kernels import groups
from simdup.model.criteria import LOSSLESS, SHORT, Criteria
from simdup.near.candidates import Candidates, NearFingerprints
from simdup.near.rules import formed, short
from simdup.search.arrays import U64, RowIds
from simdup.search.grouping import Lists, Parts, Prefixes
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

# Up to this many pairs per document, all pairs of the lists are checked.  This takes 50 us per
# document, as long as making its shingles once.
FEW_PAIRS = 512
# Shingles sorted at a time: 8 MB.
_BLOCK = 1 << 20
# The most shingles that are held, to count exactly what two documents share: 128 MB.
_HELD = 1 << 24
# Documents in the sample that decides the kind of lists, and in one that only counts their pairs.
_SAMPLE, _COUNTING = 4096, 512
# Words of the largest odd sketch: enough for texts that differ in up to some 2,000 shingles.
_WORDS = 32

# In a group of up to so many texts, all pairs are looked at; in larger ones so many at least.
# This takes a second or two.
_SMALL = 512
FEW = 1 << 20
# How many bands in a row two texts must share, one after the other, until few pairs are left.
_WIDTHS = (1, 2, 3, 4, 6, 9, 13, 20)


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
        exact = self.sets is None or self.sets.few
        known = self.sets is not None or self.forms is not None or not self._criteria.verify
        return len(self._compared) <= (MANY_DOCUMENTS if exact and known else FEW_DOCUMENTS)

    def every(self) -> Iterator[tuple[RowIds, RowIds, NDArray[np.bool_]]]:
        """Yield all pairs i < j, in chunks, and which of them may meet the criteria."""
        n, first = len(self._compared), 0
        while first < n:
            last = min(first + max(_CHUNK // (n - first), 1), n)
            i, j = np.triu_indices(last - first, 1, n - first)
            yield i + first, j + first, self.pairs.possible(i + first, j + first)
            first = last

    @cached_property
    def pairs(self) -> groups.PairBounds:
        """What rules out pairs; none that meets the criteria is rejected."""
        criteria = self._criteria
        bounds = groups.PairBounds(len(self._compared), criteria.similarity, criteria.covering or 0)
        if self.sets is not None:
            bounds.by_sets(*self.sets.sketches, *self.sets.held)
        if self.forms is not None:
            self.forms.bound(bounds)
        return bounds

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
        forms = self.forms
        return self.lengths * (1 if forms is None else np.where(forms.has, _EDIT_COST, 1))

    @cached_property
    def forms(self) -> FormBounds | None:
        """The forms of short texts, if they decide and there are any."""
        forms = FormBounds(self._compared)
        return forms if self._criteria.by_texts and forms.has.any() else None

    @cached_property
    def sets(self) -> SetBounds | None:
        """The shingles of the documents, if these decide."""
        if not self._criteria.by_texts or (self.forms is not None and self.forms.decides_all):
            return None
        numbers, read = self._compared.numbers, self._compared.sets_of
        return SetBounds(lambda rows: read(numbers[rows]), self.lengths, self._criteria)


class SetBounds:
    """The sets of shingles of a large group's documents, by their places.

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
        self._criteria = criteria
        self._similarity = criteria.similarity

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

    def holder_lists(self) -> Lists:
        """Return lists in which each document meets all that may contain it.

        Of its rarest shingles, more than may be lost, another one must have at least one.
        """
        prefixes = Prefixes(len(self._lengths), int(self._lengths.sum()), LOSSLESS)
        for places, sets in self._all():
            prefixes.count(places, *sets)
        for places, sets in self._all():
            prefixes.add(places, *sets)
        prefixes.remember(drop=True)
        for places, sets in self._all():
            prefixes.add(places, *sets, met=True, whole=True)
        return prefixes.holder_lists()

    def lists(self, settled: NDArray[np.bool_]) -> Lists:
        """Return lists in which all pairs with the similarity meet.

        Pairs of two documents that are `settled` (bool[n]) need not meet.
        """
        found = self._prefixes(settled)
        if found.count_pairs() > FEW_PAIRS * len(settled):
            # Parts take more memory, so a sample decides whether they pay off.
            sample = np.arange(0, len(settled), -(-len(settled) // _SAMPLE))
            alike = found.take(np.isin(found.rows, sample))
            parts = Parts(self._similarity, self.sketches[1])
            if parts.lists(self._some(sample)).count_pairs() < alike.count_pairs():
                found = parts.lists(self._all())
        return found

    def count_pairs(self, settled: NDArray[np.bool_]) -> int:
        """Return about how many pairs meet in the lists, by those of a sample; see `lists`."""
        step = -(-len(settled) // _COUNTING)
        rows = np.arange(0, len(settled), step)
        lengths, criteria = self._lengths[rows], self._criteria
        some = SetBounds(lambda places: self._read(rows[places]), lengths, criteria)
        return step * step * some.lists(settled[rows]).count_pairs()

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
    def sketches(self) -> tuple[U64, RowIds]:
        """Odd sketches of the documents' shingles, and the number of shingles of each."""
        words = 1
        while words < _WORDS and 64 * words < self._lengths.mean():
            words *= 2
        sketches, sizes = [], []
        for _, sets in self._all():
            sketches.append(groups.odd_sketches(*sets, words))
            sizes.append(np.diff(sets.starts))
        return np.concatenate(sketches), np.concatenate(sizes)

    def _all(self) -> Iterator[tuple[RowIds, Sets]]:
        """Yield the shingles of all documents, some at a time."""
        return self._some(np.arange(len(self._lengths)))

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


class FormBounds:
    """The short texts among a large group's documents, by their rows in `compared`."""

    def __init__(self, compared: Candidates) -> None:
        self._compared = compared
        self._documents = compared.documents
        found = (getattr(one, "signatures", None) for one in compared.searches)
        # Those of the search whose band keys propose short texts, if there is one.
        self._signatures = [one for one in found if isinstance(one, EditSignatures)]
        self.has = formed(self._documents)  # bool[n]: which have a form

    @property
    def decides_all(self) -> bool:
        """Whether no pair of the group is measured by its shingles."""
        return bool(short(self._documents).all())

    @property
    def places(self) -> RowIds:
        """The documents that have a form."""
        return np.flatnonzero(self.has)

    def bound(self, bounds: groups.PairBounds) -> None:
        """Tell bounds what is known of the forms."""
        documents, n = self._documents, len(self._documents)
        singles, doubles = np.zeros((n, 0), np.uint64), np.zeros((n, 0), np.uint64)
        for signatures in self._signatures:
            rows = np.maximum(signatures.rows(self._compared.numbers), 0)
            singles, doubles = (sketches[rows] for sketches in signatures.sketches)
        bounds.by_forms(documents["letters"], documents["facts"], SHORT, singles, doubles)

    def lists(self) -> tuple[Lists, int]:
        """Return lists in which similar forms meet, and how many pairs were left out.

        Where too many forms with the same numbers share a block of fingerprints, none is listed by
        it.
        """
        found, left_out = self._by_bands()
        numbers = self._documents["facts"][self.places]
        blocks = (
            block
            for search in self._compared.searches
            if isinstance(search, NearFingerprints)
            for block in search.blocks(self._documents)
        )
        near = Lists.of_keys(mix64(block[self.places]) ^ numbers for block in blocks)
        # Where no band keys propose pairs, nothing else does.
        if self._signatures and (pairs := near.count_pairs()) > self._most:
            left_out += pairs
        else:
            found = Lists.concat([found, near])
        return found.of_rows(self.places), left_out

    def _by_bands(self) -> tuple[Lists, int]:
        """Return lists of forms, by their rows, that share band keys.

        Where single bands are shared by too many, as in a template, only texts that share several
        in a row are listed: the more similar two texts are, the longer are such rows.
        """
        if not self._signatures:
            return Lists.none(), 0
        (signatures,) = self._signatures
        keys = signatures.keys[signatures.row_of[self._compared.numbers[self.places]]]
        columns = list(keys.astype(np.uint64).T)
        columns, exact = columns[: signatures.bands], columns[signatures.bands :]
        every = found = Lists.of_keys(columns)
        for width in _WIDTHS[1:]:
            if found.count_pairs() <= self._most or width > len(columns):
                break
            rows = (columns[first : first + width] for first in range(len(columns) - width + 1))
            found = Lists.of_keys(map(mix_columns, rows))
        left_out = every.count_pairs() - found.count_pairs()
        # Whoever shares one of these is similar.
        return Lists.concat([found, Lists.of_keys(exact)]), left_out

    @property
    def _most(self) -> int:
        """The most pairs of lists to look at."""
        n = len(self.places)
        return sys.maxsize if n <= _SMALL else max(FEW_PAIRS * n, FEW)
