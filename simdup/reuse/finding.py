"""Finding: from texts to the passages they share, one range of texts after the other.

Seeds of one text after the other are paired with those of later texts, extended, joined and
aligned.  What is in memory at a time depends on the pairs of a few texts, never on all pairs, and
ranges can be worked on in any order, by any number of processes.

Whoever copies a paragraph changes a word here and there, so equal runs that follow each other in
both texts become one passage (`kernels.passages.chains`).  Where two runs overlap, as they do
around a word that was left out, the second one begins where the first ends; more than `gap` they do
not overlap.

How much of what lies between joined runs is equal, the longest common subsequence of both sides of
each gap says.

References
----------
D. Smith, R. Cordell, A. Mullen, "Computational methods for uncovering reprinted texts in
antebellum newspapers", American Literary History 27, 2015: the same steps on millions of pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from simdup.kernels.passages import chains, common_lengths, equal_runs
from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.seeds import MARGIN, Place, SeedIndex, index_seeds, iter_pairs
from simdup.reuse.symbols import (
    HOLE,
    Symbols,
    SymbolTexts,
    end_marks,
    hole_marks,
    is_hole,
)
from simdup.reuse.winnowing import Seeds, Window, row_symbols
from simdup.search.arrays import I64, U32, U64, Bools, combine_rows, run_starts

# Pairs of seeds that are extended at a time, and that a range of texts has, if it has several.
_PAIRS = 1 << 18
_SOURCE, _REFERENCE = 0, 1


@dataclass(frozen=True, slots=True)
class Passages:
    """Passages by pair of texts; positions are symbols of a text, from 0."""

    texts: I64  # int64[passages, 2]: the pair
    a: I64  # int64[passages, 2]: where each begins and ends in the first text
    b: I64
    lengths: I64  # equal symbols
    similarities: NDArray[np.float64]

    def take(self, rows: I64 | Bools) -> Passages:
        """Return some of the passages."""
        return Passages(
            self.texts[rows], self.a[rows], self.b[rows], self.lengths[rows],
            self.similarities[rows],
        )  # fmt: skip


class Runs(NamedTuple):
    """Equal runs: where each begins in either text, and its length."""

    a: I64
    b: I64
    lengths: I64

    def take(self, rows: I64) -> Runs:
        """Return some of the runs."""
        return Runs(*(column[rows] for column in self))


class Sides(NamedTuple):
    """What is compared with what: one of the references with one that is none, and only what is of
    different groups and has the same key.  There is a `Sides` of documents, and one of their texts.
    """

    sources: Bools
    references: Bools
    groups: I64  # -1 for a text whose documents are of several groups, or of none
    keys: U64  # 0 for all where nothing has to be the same

    @classmethod
    def every(cls, count: int) -> Sides:
        """Return that all of so many are compared with each other."""
        every = np.ones(count, np.bool_)
        return cls(every, every, np.full(count, -1), np.zeros(count, np.uint64))

    @property
    def free(self) -> bool:
        """Whether all are compared with each other."""
        alike = self.keys == self.keys[:1]
        return bool((self.sources & self.references & (self.groups < 0) & alike).all())

    def take(self, rows: I64) -> Sides:
        """Return those of some documents."""
        return Sides(*(cast(Any, column)[rows] for column in self))

    def allow(self, a: I64 | U32, b: I64 | U32) -> Bools:
        """Return which pairs are compared."""
        crossed = self.sources[a] & self.references[b] | self.references[a] & self.sources[b]
        apart = (self.groups[a] != self.groups[b]) | (self.groups[a] < 0)
        allowed: Bools = crossed & apart & (self.keys[a] == self.keys[b])
        return allowed

    def opposed(self, rows: I64, values: Sequence[Hashable]) -> Bools:
        """Return which of some rows are compared with one of these that has another value."""
        if self.free:
            return np.full(len(rows), len(set(values)) > 1)
        columns = (column[rows].tolist() for column in self)
        each = list(zip(values, *columns, strict=True))
        # How many are on either side, with a value, with a group, and with both: time grows with
        # rows, not with their pairs.
        counts = Counter[Hashable]()
        for value, source, reference, group, key in each:
            for side in [_SOURCE] * source + [_REFERENCE] * reference:
                counts.update((side, key, v, g) for v in (value, None) for g in (group, None))

        def others(side: int, value: Hashable, group: int, key: int) -> int:
            """Return how many of a side have another value and are of another group."""
            found = counts[side, key, None, None] - counts[side, key, value, None]
            same = counts[side, key, None, group] - counts[side, key, value, group]
            return found - same if group >= 0 else found

        opposite = (
            any(others(side, value, group, key)
                for side in [_REFERENCE] * source + [_SOURCE] * reference)
            for value, source, reference, group, key in each
        )  # fmt: skip
        return np.fromiter(opposite, np.bool_, len(rows))


@dataclass(frozen=True)
class Finder:
    """Texts with their seeds, ready to be compared."""

    starts: I64  # int64[texts + 1]
    symbols: Symbols  # all texts, an end mark behind each, and a margin on either side
    index: SeedIndex
    rows: I64  # symbols that do not count, see `winnowing`
    criteria: PassageCriteria
    sides: Sides

    @classmethod
    def of(cls, texts: SymbolTexts, seeds: Seeds, criteria: PassageCriteria) -> Finder:
        """Return the finder of texts that were cut and winnowed together."""
        starts, symbols = surround(texts)
        owners = np.searchsorted(texts.starts, seeds.positions, "right") - 1
        moved = seeds.positions + (starts[:-1] - texts.starts[:-1])[owners]
        sides = Sides.every(len(starts) - 1)
        place = Place.of(symbols, criteria, sides.keys)
        index = index_seeds(seeds._replace(positions=moved), starts, place)
        return cls.indexed(starts, symbols, index, criteria, sides)

    @classmethod
    def indexed(
        cls, starts: I64, symbols: Symbols, index: SeedIndex, criteria: PassageCriteria,
        sides: Sides,
    ) -> Finder:  # fmt: skip
        """Return the finder of texts that are surrounded, and whose seeds are indexed.

        The hashes of seeds are mixed with the keys of their texts.
        """
        rows = row_symbols(symbols, Window.of(criteria.min_run).k)
        return cls(starts, symbols, index, rows, criteria, sides)

    def ranges(self) -> list[tuple[int, int]]:
        """Return ranges of texts that are about the same work.

        Behind the last reference, no text is compared with a later one.
        """
        count = int(np.flatnonzero(self.sides.references).max(initial=-1)) + 1
        work = np.append(0, np.cumsum(self.index.partners))[self.index.first_seeds(count)]
        cuts = np.searchsorted(work, np.arange(_PAIRS, int(work[-1]), _PAIRS))
        return list(pairwise(np.unique([0, *cuts.tolist(), count]).tolist()))

    def find(self, low: int, high: int) -> Passages:
        """Return the passages that the texts from `low` to `high` share with later ones."""
        runs = self._runs(low, high)
        texts = np.stack([np.searchsorted(self.starts, side, "right") - 1 for side in runs[:2]], 1)
        pairs = texts[:, 0] * len(self.starts) + texts[:, 1]
        # What follows what is asked of the shorter text, so it does not depend on the input order.
        turned = self._turned(texts, pairs)
        runs = Runs(
            np.where(turned, runs.b, runs.a), np.where(turned, runs.a, runs.b), runs.lengths
        )
        order = np.lexsort((runs.b, runs.a, pairs))
        texts = np.where(turned[:, None], texts[:, ::-1], texts)
        found = self._chained(runs.take(order), texts[order], pairs[order])
        starts = self.starts[found.texts]
        a, b = found.a - starts[:, :1], found.b - starts[:, 1:]
        back = (found.texts[:, 0] > found.texts[:, 1])[:, None]
        return outermost(
            replace(
                found,
                texts=np.sort(found.texts, axis=1),
                a=np.where(back, b, a),
                b=np.where(back, a, b),
            )
        )

    def _turned(self, texts: I64, pairs: I64) -> Bools:
        """Return the rows whose second text is shorter, or sorts first among equally long ones."""
        sizes = np.diff(self.starts)[texts]
        turned: Bools = sizes[:, 0] > sizes[:, 1]
        equal = np.flatnonzero(sizes[:, 0] == sizes[:, 1])
        _, firsts, pair_of = np.unique(pairs[equal], return_index=True, return_inverse=True)
        before = [self._sorts_before(b, a) for a, b in texts[equal[firsts]].tolist()]
        turned[equal] = np.array(before, np.bool_)[pair_of]
        return turned

    def _sorts_before(self, a: int, b: int) -> bool:
        """Return whether of two texts of one length the first has the smaller symbols."""
        x, y = (self.symbols[self.starts[text] : self.starts[text + 1] - 1] for text in (a, b))
        # What a template has is another symbol in each text.
        differing = np.flatnonzero((x != y) & ~(is_hole(x) & is_hole(y)))
        return bool(len(differing)) and bool(x[differing[0]] < y[differing[0]])

    def _runs(self, low: int, high: int) -> Runs:
        """Return the equal runs of some texts and later ones, each once, by where they begin."""
        index, k = self.index, Window.of(self.criteria.min_run).k
        parts = [Runs(*np.zeros((3, 0), np.int64))]
        first, end = np.searchsorted(index.texts, [low, high]).tolist()
        for i, j in iter_pairs(index, first, end, _PAIRS):
            if not self.sides.free:
                allowed = self.sides.allow(index.texts[i], index.texts[j])
                i, j = i[allowed], j[allowed]
            found = extend(self.symbols, index.positions[i], index.positions[j], k)
            parts.append(found.take(np.flatnonzero(self._own(found) >= k)))
        runs = Runs(*map(np.concatenate, zip(*parts, strict=True)))
        keys = combine_rows(runs.a, runs.b)
        order = np.argsort(keys)
        return runs.take(order[run_starts(keys[order])])

    def _own(self, runs: Runs) -> I64:
        """Return how many symbols of runs are not in too many texts."""
        a, b = (self.index.crowded.within(side, runs.lengths) for side in runs[:2])
        own: I64 = runs.lengths - np.maximum(a, b)
        return own

    def _chained(self, runs: Runs, texts: I64, pairs: I64) -> Passages:
        """Return the chains of runs that are long enough; positions are those of the runs."""
        least = self.criteria.min_length
        first, before, overlaps = chains(*runs, pairs, self.criteria.gap, least)
        own = runs.lengths - overlaps
        # Few runs are left of most texts.
        rows = np.flatnonzero(_sums(first, own)[first] >= least)
        runs, own, overlaps, texts = runs.take(rows), own[rows], overlaps[rows], texts[rows]
        first, joined = np.searchsorted(rows, first[rows]), np.flatnonzero(before[rows] >= 0)
        before = np.searchsorted(rows, before[rows[joined]])
        ends_a, ends_b = runs.a + runs.lengths, runs.b + runs.lengths
        in_rows = np.searchsorted(self.rows, ends_a) - np.searchsorted(self.rows, ends_a - own)
        lengths = _sums(first, own - in_rows)
        last_a, last_b = np.zeros((2, len(rows)), np.int64)
        np.maximum.at(last_a, first, ends_a)
        np.maximum.at(last_b, first, ends_b)
        gaps_a = np.stack([ends_a[before], (runs.a + overlaps)[joined]], 1)
        gaps_b = np.stack([ends_b[before], (runs.b + overlaps)[joined]], 1)
        aligned = _sums(first, own)
        np.add.at(aligned, first[joined], common_lengths(self.symbols, gaps_a, gaps_b))
        kept = np.flatnonzero((first == np.arange(len(rows))) & (lengths >= least))
        a = np.stack([runs.a, last_a], 1)[kept]
        b = np.stack([runs.b, last_b], 1)[kept]
        sizes = (a[:, 1] - a[:, 0]) + (b[:, 1] - b[:, 0])
        return Passages(texts[kept], a, b, lengths[kept], 2 * aligned[kept] / sizes)


def surround(texts: SymbolTexts) -> tuple[I64, Symbols]:
    """Return where texts begin, and their symbols with end marks and a margin on either side."""
    count = len(texts.starts) - 1
    starts = texts.starts + np.arange(count + 1) + MARGIN
    symbols = np.full(int(starts[-1]) + MARGIN, HOLE)
    numbers = np.repeat(np.arange(count), np.diff(texts.starts))
    own = np.where(texts.symbols == HOLE, hole_marks(numbers), texts.symbols)
    symbols[np.arange(len(own)) + numbers + MARGIN] = own
    symbols[starts[1:] - 1] = end_marks(np.arange(count))
    return starts, symbols


def extend(symbols: Symbols, a: I64, b: I64, k: int) -> Runs:
    """Return the maximal equal runs around pairs of positions, a before b, each once.

    `k` is how many symbols a run has at least; seeds may be equal by their hashes only.
    """
    seeds = combine_rows(b - a, a)
    seeds.sort()
    return Runs(*equal_runs(symbols, seeds, k))


def _sums(rows: I64, values: I64) -> I64:
    """Return the sum of the values of each row."""
    found = np.zeros(len(rows), np.int64)
    np.add.at(found, rows, values)
    return found


def outermost(found: Passages) -> Passages:
    """Leave out passages that lie within others of the same pair on both sides.

    A phrase that comes again and again in both texts says nothing that the passages around it do
    not.  What passages cover stays the same.
    """
    order = np.lexsort((found.b[:, 0], found.a[:, 0], *found.texts.T[::-1]))
    found = found.take(order)
    pairs = np.cumsum(new_pairs(found), dtype=np.int64)
    return found.take(~(_within(pairs, found.a) & _within(pairs, found.b)))


def new_pairs(found: Passages) -> Bools:
    """Return which passages are of another pair than the one before."""
    new: Bools = (np.diff(found.texts, axis=0, prepend=-1) != 0).any(axis=1)
    return new


def _within(pairs: I64, spans: I64) -> Bools:
    """Return which spans lie within another one of their pair; of equal ones all but the first."""
    order = np.lexsort((-spans[:, 1], spans[:, 0], pairs))
    found = np.zeros(len(pairs), np.bool_)
    found[order] = _reach(pairs[order], spans[order, 1]) >= spans[order, 1]
    return found


def _reach(pairs: I64, ends: I64) -> I64:
    """Return for each span the farthest end of those before it in its pair; 0 or less for none."""
    # Far apart, pairs do not reach each other.
    far = pairs * (int(ends.max(initial=0)) + 1)
    return np.maximum.accumulate(np.append(0, ends + far))[:-1] - far


def covered_anew(pairs: I64, spans: I64) -> I64:
    """Return how many symbols each span covers that no other one of its pair, before it, does."""
    order = np.lexsort((spans[:, 0], pairs))
    begins, ends = spans[order].T
    found = np.zeros(len(pairs), np.int64)
    found[order] = np.maximum(ends - np.maximum(begins, _reach(pairs[order], ends)), 0)
    return found
