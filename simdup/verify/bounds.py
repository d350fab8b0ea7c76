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

from simdup.clustering.short_texts import by_edit, formed, may_reach, short
from simdup.features.shingles import Sets
from simdup.fingerprints.edit_bands import EditSignatures
from simdup.mix64 import mix64, mix_columns
from simdup.model.criteria import LOSSLESS, Criteria
from simdup.model.table import Side
from simdup.search.arrays import U64, RowIds, hamming_distances
from simdup.search.lists import Lists
from simdup.search.prefixes import Parts, Prefixes, odd_sketches
from simdup.verify.candidates import Candidates
from simdup.verify.searches import NearFingerprints
from simdup.verify.shared_elements import ROWS, SharedElements

# Pairs in a chunk: their sketches take 20 MB.
_CHUNK = 1 << 16
# Documents of which all pairs may be compared: 2**27 pairs take two minutes, their results 34 MB.
# Fewer where nothing but the measures rules pairs out, 10 us each, or pairs would be left out.
MANY_DOCUMENTS, FEW_DOCUMENTS = 1 << 14, 1 << 12

# An edit similarity costs as much as the shingles of a text so many times as long: some 5 us.
_EDIT_COST = 4
# Where shingles do not decide, vectors are compared: few terms, whatever the text.
_VECTOR_COST = 64

# Up to this many pairs per document, all pairs of the lists are checked.  This takes 50 us per
# document, as long as making its shingles once.
FEW_PAIRS = 512
# Shingles sorted at a time: 8 MB.
_BLOCK = 1 << 20
# Shingles kept in memory for the next pass: 128 MB.
_KEPT = 1 << 24
# The most shingles of which it is counted exactly what any two documents share: 180 MB.
_COUNTED = 1 << 23
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
        exact = self.sets is None or self.sets.few
        known = self.sets is not None or self.forms is not None or not self._criteria.verify
        return len(self._compared) <= (MANY_DOCUMENTS if exact and known else FEW_DOCUMENTS)

    def possible(self, i: RowIds, j: RowIds, directed: bool = False) -> NDArray[np.bool_]:
        """Return which pairs may meet the criteria; none that does is rejected.

        With `directed`, i[k] must contain j[k].
        """
        good, some = self._by_forms(i, j)
        if self.sets is not None:
            good[some] = self.sets.may_reach(i[some], j[some], directed)
        return good

    def every(self) -> Iterator[tuple[RowIds, RowIds, NDArray[np.bool_]]]:
        """Yield all pairs i < j, in chunks, and which of them may meet the criteria."""
        n, sets = len(self._compared), self.sets
        for first in range(0, n, ROWS):
            last = min(first + ROWS, n)
            shared = None if sets is None or not sets.few else sets.shared.count(first, last)
            step = max(_CHUNK // (n - first), 1)
            for low in range(first, last, step):
                i, j = np.triu_indices(min(low + step, last) - low, 1, n - low)
                i, j = i + low, j + low
                if shared is None or sets is None:
                    yield i, j, self.possible(i, j)
                    continue
                good, some = self._by_forms(i, j)
                a, b = i[some], j[some]
                good[some] = sets.reach(a, b, shared[a - first, b - first])
                yield i, j, good

    def _by_forms(self, i: RowIds, j: RowIds) -> tuple[NDArray[np.bool_], RowIds]:
        """Return which pairs their forms do not rule out, and which others their shingles may."""
        if self.forms is None:
            return np.ones(len(i), np.bool_), np.arange(len(i))
        good = self.forms.may_reach(i, j)
        return good, np.flatnonzero(good & ~self.forms.measure(i, j))

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
        return hamming_distances(sketches, i, sketches, j) <= most + 1e-6

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
        prefixes.remember(drop=True)
        for places, sets in self._all():
            prefixes.add(places, *sets, met=True, whole=True)
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

    def measure(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs are measured by edit similarity."""
        return by_edit(Side(self._documents, i), Side(self._documents, j))

    def may_reach(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return which pairs may have the similarity; none that has it is rejected.

        Those that are not measured by edit similarity may have it.
        """
        possible = ~self.measure(i, j)
        edited = np.flatnonzero(~possible)
        documents = self._documents
        possible[edited] = may_reach(Side(documents, i[edited]), Side(documents, j[edited]))
        for signatures in self._signatures:
            edited = edited[possible[edited]]
            a, b = (signatures.rows(self._compared.numbers[rows[edited]]) for rows in (i, j))
            possible[edited] = signatures.may_reach(a, b)
        return possible

    def lists(self) -> tuple[Lists, int]:
        """Return lists in which similar forms meet, and how many pairs were left out.

        Where too many forms with the same numbers share a block of fingerprints, none is listed by
        it.
        """
        found, left_out = self._by_bands()
        numbers = self._documents["numbers"][self.places]
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
