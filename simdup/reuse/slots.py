"""Slots: the places in copied text where copies differ.

Copies of a passage differ from each other in pairs, and of m copies there are m (m - 1) / 2 pairs.
But a copy that is compared with the first one is connected with all: what each of them says at a
place follows from what it says beside the first.  So each seed is paired with the first text that
has it (`seeds.pair_with_first`).  Where the first text differs in some word, seeds with the word of
the others are in these only, and have another first text.
Equal runs and chains are those of `finding`.

A *slot* is what lies between equal runs of two texts.  A run may be known on one side of it only:
the seeds on the other side may have an earlier first text.  So behind each end of a chain, the next
places are looked for where both texts are in step again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simdup.kernels.passages import chains, common_lengths, in_step_again
from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.finding import Runs, extend
from simdup.reuse.seeds import FirstPairs, pair_with_first
from simdup.reuse.symbols import Symbols, SymbolTexts
from simdup.reuse.winnowing import Seeds, Window
from simdup.search.arrays import (
    I64,
    Bools,
    contains,
    distinct,
    run_starts,
)

# Copied text has as many equal units as a passage has by default, and its runs are as near.
COPIED = PassageCriteria(min_length=40)
# Units of a fact, and a word, between a border of lines and equal text.
_BEGINNING = 12
# Differences beyond the end of a chain that are looked behind.
_STEPS = 3


class Alignment(NamedTuple):
    """Equal runs of pairs of texts, chain by chain; slots are between those of one chain."""

    runs: Runs  # positions are those of all texts, `a` in the earlier text
    chains: I64  # the number of the chain of each, ascending
    weights: I64  # the symbols of each, and what the borders of lines beside it count

    @classmethod
    def of(cls, runs: Runs, starts: I64, gap: int, least: int) -> Alignment:
        """Return the runs of chains that have at least so many symbols.

        Parameters
        ----------
        runs : Runs
            Of pairs of texts, each once.
        starts : int64[texts + 1]
            Where each text begins.
        gap : int
            Most symbols between two runs that are joined.
        least : int
            Symbols of a chain.
        """
        a, b = (np.searchsorted(starts, side, "right") - 1 for side in runs[:2])
        pairs = b * len(starts) + a
        order = np.lexsort((runs.b, runs.a, pairs))
        runs, pairs = runs.take(order), pairs[order]
        first, _, overlaps = chains(*runs, pairs, gap, least)
        runs = Runs(runs.a + overlaps, runs.b + overlaps, runs.lengths - overlaps)
        sums = np.bincount(first, runs.lengths, len(first))
        kept = np.flatnonzero(sums[first] >= least)
        kept = kept[np.argsort(first[kept], kind="stable")]
        numbers = np.unique(first[kept], return_inverse=True)[1]
        return cls(runs.take(kept), numbers, runs.lengths[kept])

    @classmethod
    def concat(cls, parts: Iterable[Alignment]) -> Alignment:
        """Return what several ranges of texts have."""
        none = np.zeros(0, np.int64)
        every, count = [cls(Runs(none, none, none), none, none)], 0
        for one in parts:
            every.append(one._replace(chains=one.chains + count))
            count += int(one.chains.max(initial=-1)) + 1
        return cls.joined(every)

    @classmethod
    def joined(cls, parts: Sequence[Alignment]) -> Alignment:
        """Return the runs of several parts, one part after the other."""
        runs = zip(*(one.runs for one in parts), strict=True)
        return cls(
            Runs(*map(np.concatenate, runs)),
            np.concatenate([one.chains for one in parts]),
            np.concatenate([one.weights for one in parts]),
        )

    def take(self, rows: I64) -> Alignment:
        """Return some of the runs."""
        return Alignment(self.runs.take(rows), self.chains[rows], self.weights[rows])

    @property
    def slots(self) -> tuple[I64, I64, I64]:
        """The run before each slot, and where it begins and ends in either text (int64[n, 2])."""
        before = np.flatnonzero(np.diff(self.chains) == 0)
        a, b = (
            np.stack([side[before] + self.runs.lengths[before], side[before + 1]], 1)
            for side in self.runs[:2]
        )
        return before, a, b

    def copied(self, broken: Bools, least: int) -> Bools:
        """Return which runs are in copied text if chains are cut behind the runs of some flags."""
        new = np.diff(self.chains, prepend=-1) != 0
        new[1:] |= broken[:-1]
        stretches = np.cumsum(new) - 1
        sums = np.bincount(stretches, self.weights)
        enough: Bools = sums[stretches] >= least
        return enough

    def differing(self, symbols: Symbols) -> I64:
        """Return the units of each slot that are not common to both texts, on the larger side."""
        _, a, b = self.slots
        return _unlike(symbols, a, b)


@dataclass(frozen=True)
class SlotFinder:
    """Texts with pairs of seeds, ready to be compared."""

    starts: I64  # int64[texts + 1]
    symbols: Symbols  # all texts, an end mark behind each, and a margin on either side
    pairs: FirstPairs
    lines: I64  # where lines begin, and texts begin and end, ascending
    context: int  # equal units on either side of a slot
    criteria: PassageCriteria  # when text is copied

    @classmethod
    def of(
        cls,
        texts: SymbolTexts,
        seeds: Seeds,
        lines: I64,
        context: int,
        criteria: PassageCriteria = COPIED,
    ) -> SlotFinder:
        """Return the finder of texts that are surrounded, with their seeds and their lines."""
        starts = texts.starts
        borders = distinct(np.concatenate([lines, starts[:-1], starts[1:] - 1]))
        return cls(*texts, pair_with_first(seeds, starts), borders, context, criteria)

    @property
    def k(self) -> int:
        """How many symbols are equal behind the positions of a pair."""
        return Window.of(self.criteria.min_run).k

    def ranges(self) -> list[tuple[int, int]]:
        """Return ranges of texts that are about the same work."""
        return self.pairs.ranges(self.starts)

    def find(self, low: int, high: int) -> Alignment:
        """Return the equal runs of the texts from `low` to `high` with earlier ones."""
        return self.align(*self.pairs.within(*self.starts[[low, high]].tolist()))

    def align(self, a: I64, b: I64) -> Alignment:
        """Return the equal runs around pairs of positions, each `a` in the earlier text."""
        runs = extend(self.symbols, a, b, self.k)
        # The other half may be behind a difference.
        least = self.criteria.min_length // 2
        chained = Alignment.of(runs, self.starts, self.criteria.gap, least)
        return self._complete(chained.take(np.flatnonzero(chained.runs.lengths >= self.context)))

    def _complete(self, known: Alignment) -> Alignment:
        """Return chains with the runs within their gaps, and a few behind either end."""
        (a, b, lengths), chain, weights = known
        firsts = run_starts(chain)
        lasts = np.append(firsts, len(chain))[1:] - 1
        parts = [known, *self._within(known)]
        far_a, far_b = a + lengths, b + lengths
        for step, ends, x, y in (
            (-1, firsts, a[firsts], b[firsts]), (1, lasts, far_a[lasts], far_b[lasts])
        ):  # fmt: skip
            chains_left = chain[ends]
            for number in range(_STEPS):
                most_a, most_b = self._reach(x, step), self._reach(y, step)
                i, j, equal = in_step_again(self.symbols, x, y, most_a, most_b, self.context, step)
                alone, on = np.flatnonzero(equal == 0), np.flatnonzero(equal)
                borders, gaps = self._borders(x[alone], y[alone], step)
                parts.append(
                    Alignment(borders, chains_left[alone], gaps).take(np.flatnonzero(gaps > 0))
                )
                if not number:
                    # A border counts as much as equal text beside a slot.
                    weights[ends[alone[gaps == 0]]] += self.context
                x, y = x + step * i, y + step * j
                shift = equal if step < 0 else 0
                beyond = Runs(x - shift, y - shift, equal)
                parts.append(Alignment(beyond.take(on), chains_left[on], equal[on]))
                x, y, chains_left = (x + step * equal)[on], (y + step * equal)[on], chains_left[on]
        every = Alignment.joined(parts)
        return every.take(np.lexsort((every.runs.b, every.runs.a, every.chains)))

    def _borders(self, x: I64, y: I64, step: int) -> tuple[Runs, I64]:
        """Return where the lines of both sides begin or end, as runs of no symbol, and what each
        counts: 0 where it is at once, below 0 where it is too far.
        """
        places = []
        for side in (x, y):
            near = np.searchsorted(self.lines, side, "right" if step < 0 else "left")
            places.append(self.lines[near - (step < 0)])
        gaps = np.maximum(np.abs(x - places[0]), np.abs(y - places[1]))
        near = np.flatnonzero((gaps > 0) & (gaps <= self.criteria.gap))
        spans = (
            np.sort(np.stack([side, place], 1)[near], 1)
            for side, place in zip((x, y), places, strict=True)
        )
        near = near[_unlike(self.symbols, *spans) <= _BEGINNING]
        counts = np.where(gaps > 0, -1, 0)
        counts[near] = self.context
        return Runs(places[0], places[1], np.zeros_like(x)), counts

    def margins(self, runs: Runs) -> tuple[I64, I64]:
        """Return from which symbol of each run on, and how far before its end, a fact is in it.

        A few equal symbols are beside it, or the line of both texts begins or ends there.
        """
        beside = np.full(len(runs.a), self.criteria.min_run // 2)
        found = []
        for step, ends in (
            (1, (runs.a, runs.b)),
            (-1, (runs.a + runs.lengths, runs.b + runs.lengths)),
        ):
            near = np.searchsorted(self.lines, ends[0], "left" if step > 0 else "right")
            lines = self.lines[np.minimum(near - (step < 0), len(self.lines) - 1)]
            distance = (lines - ends[0]) * step
            common = (distance >= 0) & (distance < beside) & (distance <= runs.lengths)
            common &= contains(self.lines, ends[1] + distance * step)
            found.append(np.where(common, distance, beside))
        return found[0], found[1]

    def _within(self, known: Alignment) -> Iterator[Alignment]:
        """Yield the runs within gaps, in which texts may be equal for a while."""
        before, a, b = known.slots
        chain = known.chains[before]
        while len(a):
            most = a[:, 1] - a[:, 0], b[:, 1] - b[:, 0]
            i, j, equal = in_step_again(self.symbols, a[:, 0], b[:, 0], *most, self.context, 1)
            runs = Runs(a[:, 0] + i, b[:, 0] + j, equal)
            ends_a, ends_b = runs.a + equal, runs.b + equal
            inside = np.flatnonzero((equal > 0) & (ends_a < a[:, 1]) & (ends_b < b[:, 1]))
            chain = chain[inside]
            yield Alignment(runs.take(inside), chain, equal[inside])
            a = np.stack([ends_a, a[:, 1]], 1)[inside]
            b = np.stack([ends_b, b[:, 1]], 1)[inside]

    def _reach(self, positions: I64, step: int) -> I64:
        """Return the symbols of a gap that are in the text of each position."""
        texts = self._texts(positions)
        left = (
            self.starts[texts + 1] - 1 - positions if step > 0 else positions - self.starts[texts]
        )
        most: I64 = np.minimum(left, self.criteria.gap)
        return most

    def _texts(self, positions: I64) -> I64:
        return np.searchsorted(self.starts, positions, "right") - 1


def _unlike(symbols: Symbols, a: I64, b: I64) -> I64:
    """Return the units of stretches (int64[n, 2]) that are not common, on the larger side."""
    sizes = np.maximum(a[:, 1] - a[:, 0], b[:, 1] - b[:, 0])
    units: I64 = sizes - common_lengths(symbols, a, b)
    return units
