"""Shared places: where several copies differ from the first text, and so may from each other.

Copies are compared with the first text that has their seeds.  But at a place it may have nothing,
or other words, or be about something else: then what the copies have there does not contradict it,
and may still contradict what another copy has.  These copies are compared with each other, from the
equal text on either side of the place.

A place is what slots that overlap have in common in the first text.  Copies that have the same
there are a class, and one of them stands for all: of m copies in c classes there are at most m c
pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from simdup.model.readings import WORDING
from simdup.reuse.contradictions import Asked, CopySlots
from simdup.reuse.slot_texts import WORDING_UNITS, FoldedText, SlotText, plain_characters
from simdup.reuse.symbols import Symbols
from simdup.search.arrays import I64, Bools, run_starts

# Characters of folded texts that are kept, and what is known of each: some 100 MB.
_KEPT = 1 << 23
# The copies that have the same at a place, by their rows.
Class = list[int]

# Classes of a place that are compared: of more, those with the most copies.
_CLASSES = 32


class KeptTexts:
    """Folded texts; the first ones are kept, for each is read several times.

    Parameters
    ----------
    read : callable
        Returns a text and its title by the number of the text.
    starts : int64[texts + 1]
        Where the symbols of each begin.
    """

    def __init__(self, read: Callable[[int], tuple[str, str]], starts: I64) -> None:
        self._read, self._starts, self._left = read, starts, _KEPT
        self._kept = dict[int, FoldedText]()

    def __call__(self, text: int) -> FoldedText:
        """Return a text by its number."""
        found = self._kept.get(text)
        if found is None:
            found = FoldedText.of(*self._read(text), int(self._starts[text]))
            self._left -= len(found.text)
            if self._left >= 0:
                self._kept[text] = found
        return found


def seeds_beside(slots: CopySlots, asked: Asked) -> tuple[I64, I64]:
    """Return seeds of copies that may contradict each other, the earlier text first."""
    copies, (symbols, k) = Copies.silent(slots), (asked.finder.symbols, asked.finder.k)
    return copies.seeds(copies.pairs(symbols, asked), k)


class Copies(NamedTuple):
    """What copies have at places of a first text, place by place."""

    places: I64  # ascending
    spans: I64  # int64[n, 2]: symbols of all texts, about the same ones of the first text
    rooms: I64  # int64[n, 2]: the symbols on either side that are equal in the first text
    texts: I64
    shown: Bools  # whether there may be a fact
    told: Bools  # whether it was compared with what the first text has

    @classmethod
    def silent(cls, slots: CopySlots) -> Copies:
        """Return those of places where one may have a fact that was not compared."""
        order = np.lexsort((slots.copies[:, 0], slots.first[:, 0]))
        first, shown, told = slots.first[order], slots.shown[order], slots.told[order]
        begins, ends = first.T
        new = np.append(True, begins[1:] > np.maximum.accumulate(ends)[:-1])[: len(order)]
        places, starts = np.cumsum(new) - 1, np.flatnonzero(new)
        shifts = np.stack([begins[starts], np.maximum.reduceat(ends, starts)], 1)[places] - first
        rooms = slots.rooms[order] - np.abs(shifts)
        near = rooms.min(axis=1, initial=0) >= 0
        several = np.bincount(places, near) > 1
        silent = np.bincount(places, near & shown & ~told) > 0
        kept = np.flatnonzero(near & (several & silent)[places])
        rows = order[kept]
        return cls(places[kept], slots.copies[rows] + shifts[kept], rooms[kept], slots.texts[rows],
                   shown[kept], told[kept])  # fmt: skip

    def pairs(self, symbols: Symbols, asked: Asked) -> I64:
        """Return copies that are to be compared (int64[pairs, 2])."""
        # Where facts may be anything, no word sets copies apart from each other.
        usual = asked.terms is None and WORDING not in asked.kinds
        places, bounds = list[list[Class]](), run_starts(self.places).tolist()
        for low, high in pairwise([*bounds, len(self.places)]):
            said = dict[bytes, Class]()
            for row, (start, end) in enumerate(self.spans[low:high].tolist(), low):
                said.setdefault(symbols[start:end].tobytes(), []).append(row)
            places.append(self._alike(said.values(), symbols if usual else symbols[:0]))
        firsts = np.array([one[0] for classes in places for one in classes], np.int64)
        parts = dict(zip(firsts.tolist(), asked.parts(self.spans[firsts]), strict=True))
        found = [
            pair for classes in places for group in _groups(classes, parts, asked)
            for pair in _star(group)
        ]  # fmt: skip
        every = np.array(found, np.int64).reshape(-1, 2)
        apart: I64 = every[self.texts[every[:, 0]] != self.texts[every[:, 1]]]
        return apart

    def _alike(self, classes: Iterable[Class], symbols: Symbols) -> list[Class]:
        """Return the classes of which hardly a word, but a fact may set one apart from another."""
        most = sorted(classes, key=len, reverse=True)[:_CLASSES]
        plain = [plain_characters(symbols[slice(*self.spans[one[0]])]) for one in most]
        shown = [bool(self.shown[one].any()) for one in most]
        told = [bool(self.told[one].all()) for one in most]
        found = set[int]()
        for a, b in combinations(range(len(most)), 2):
            wording = max(len(plain[a] - plain[b]), len(plain[b] - plain[a]))
            if wording <= WORDING_UNITS and (shown[a] or shown[b]) and not (told[a] and told[b]):
                found |= {a, b}
        return [most[number] for number in sorted(found)]

    def seeds(self, pairs: I64, k: int) -> tuple[I64, I64]:
        """Return where `k` symbols beside the copies of pairs are equal, the earlier text first."""
        near = [(self.rooms[pairs, side] >= k).all(axis=1) for side in (0, 1)]
        found = np.concatenate([self.spans[pairs[near[0]], 0] - k, self.spans[pairs[near[1]], 1]])
        found.sort(axis=1)
        return found[:, 0], found[:, 1]


def _groups(
    classes: Sequence[Class], parts: Mapping[int, SlotText], asked: Asked
) -> list[list[Class]]:
    """Return classes of one place in groups: each can be compared with the first of its group."""
    groups = list[list[Class]]()
    for one in classes:
        for group in groups:
            if asked.claims(parts[group[0][0]], parts[one[0]]):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _star(group: Sequence[Class]) -> Iterator[tuple[int, int]]:
    """Yield pairs that connect the copies of a group: with the first of it, and of the second."""
    first, *others = group
    if others:
        yield from ((row, others[0][0]) for row in first)
        yield from ((first[0], row) for other in others for row in other)
