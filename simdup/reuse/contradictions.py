"""Contradictions: slots in which copies differ in a fact, joined over all copies.

Around a contradiction the texts are copies of each other: between slots that differ in wording, as
many units are equal as copied text has.  A line of a form that everybody fills in for another thing
has fewer.

Claims that contradict each other are one place, and so are those that are equal in copied text.  A
text that has several values at one place has a list there, and says nothing against the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simdup.base.mix64 import mix64
from simdup.model.readings import FACT_KINDS, KINDS, WORDING, FactDifference
from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.finding import Runs, surround
from simdup.reuse.slot_texts import (
    WORDING_UNITS,
    Claim,
    Difference,
    FoldedText,
    Sign,
    SlotText,
    difference,
    least_wording,
    same,
)
from simdup.reuse.slots import COPIED, Alignment, SlotFinder
from simdup.reuse.symbols import SymbolTexts, cut, spans_in
from simdup.reuse.winnowing import Seeds, Window, winnow
from simdup.search.arrays import I64, Bools, components, distinct, iter_ranges, ranges, run_starts
from simdup.text.characters import fold_all

# Units in which readings may differ: more is another text.
_MOST = 16
# Values that are compared with each other: of more, each is another one.
_SEVERAL = 32

# Two versions of a document are copies of each other, however short they are.
_VERSIONS, _VERSION_CONTEXT = PassageCriteria(min_run=8, min_length=16), 4
# Returns seeds between copies: two positions of each pair, in the order of the texts.
Beside = Callable[["CopySlots", "Asked"], tuple[I64, I64]]
# Returns a text by its number.
FoldedTexts = Callable[[int], FoldedText]

# All begin and end with it: a fact at the end of both has equal text on either side, too.
_EDGE = "【〖〔〈〉〕〗】"


def differing_facts(pairs: Sequence[tuple[str, str]]) -> list[list[FactDifference]]:
    """Return the facts in which the texts of each pair contradict each other, in their order."""
    originals = [f"{_EDGE}\n{text}\n{_EDGE}" for pair in pairs for text in pair]
    texts, window = cut(fold_all(originals)), Window.of(_VERSIONS.min_run)
    hashes, positions = winnow(texts, window)
    owners = np.searchsorted(texts.starts, positions, "right") - 1
    starts, symbols = surround(texts)
    # Only both texts of a pair are compared.
    hashes ^= mix64((owners // 2).astype(np.uint64))
    seeds = Seeds(hashes, positions + (starts[:-1] - texts.starts[:-1])[owners])
    texts = SymbolTexts(starts, symbols)
    finder = SlotFinder.of(texts, seeds, starts[:0], _VERSION_CONTEXT, _VERSIONS)
    aligned = Alignment.concat(finder.find(*one) for one in finder.ranges())
    found = dict[int, list[Contradiction]]()
    for place in find_contradictions(
        aligned,
        finder,
        lambda text: FoldedText.of(originals[text], "", int(starts[text])),
        FACT_KINDS,
        least=_VERSIONS.min_length,
    ):
        own = np.searchsorted(starts, place.spans[:, 0], "right") - 1
        if own.tolist() == [own[0], own[0] + 1]:
            found.setdefault(int(own[0]), []).append(place)
    return [
        _located(found.get(text, []), originals[text : text + 2], starts[text : text + 2])
        for text in range(0, len(originals), 2)
    ]


def _located(
    found: Sequence[Contradiction], pair: Sequence[str], starts: I64
) -> list[FactDifference]:
    """Return what the texts of a pair have at each place, and where without their edge."""
    spans = np.array([place.spans for place in found], np.int64).reshape(-1, 2, 2)
    # All places of a text at a time: to look for one takes as long.
    sides = [
        [
            (" ".join(text[start:end].split()), (start - len(_EDGE) - 1, end - len(_EDGE) - 1))
            for start, end in spans_in(text, spans[:, side] - starts[side]).tolist()
        ]
        for side, text in enumerate(pair if found else ())
    ]
    facts = [
        FactDifference(place.kind, a, b, at_a, at_b)
        for place, (a, at_a), (b, at_b) in zip(found, *sides, strict=True)
    ]
    return sorted(facts, key=lambda fact: fact.at_a)


class Contradiction(NamedTuple):
    """Claims that contradict each other, in the order of the texts."""

    kind: str
    spans: I64  # int64[claims, 2]: symbols of all texts
    values: list[str]


def find_contradictions(
    aligned: Alignment,
    finder: SlotFinder,
    texts: FoldedTexts,
    kinds: Collection[str],
    terms: re.Pattern[str] | None = None,
    least: int = COPIED.min_length,
    beside: Beside | None = None,
) -> list[Contradiction]:
    """Return the places where texts contradict each other.

    Parameters
    ----------
    aligned : Alignment
        What is equal.
    finder : SlotFinder
        All texts.
    texts : callable
        Returns a text by its number.
    kinds : collection of str
        The kinds of facts.
    terms : re.Pattern, optional
        What else is a fact.
    least : int
        Equal units of copied text.
    beside : callable, optional
        Returns the seeds of copies that are to be compared with each other, too: the first text
        may say nothing at a place, or something else.
    """
    joined, asked = _Joined(), Asked(finder, texts, kinds, terms, least)
    runs, slots = asked.look(aligned, joined)
    if beside is not None:
        more = asked.look(finder.align(*beside(slots, asked)), joined, many=False)[0]
        runs = Runs(*map(np.concatenate, zip(runs, more, strict=True)))
    joined.spread(runs, finder.margins(runs), finder.starts)
    return list(joined.places(finder.starts))


class CopySlots(NamedTuple):
    """Slots of copies with the first text that may be in copied text."""

    first: I64  # int64[n, 2]: where each begins and ends in the first text
    copies: I64  # int64[n, 2]: and in the copy
    rooms: I64  # int64[n, 2]: the equal symbols before and behind it
    texts: I64  # of the copies
    shown: Bools  # whether the copy may have a fact there
    told: Bools  # whether that was compared with what the first text has


class Asked(NamedTuple):
    """What is asked of copies; see `find_contradictions`."""

    finder: SlotFinder
    texts: FoldedTexts
    kinds: Collection[str]
    terms: re.Pattern[str] | None
    least: int

    def look(
        self, aligned: Alignment, joined: _Joined, many: bool = True
    ) -> tuple[Runs, CopySlots]:
        """Join the claims of slots; return the runs of copied text, and slots that are in it.

        Of `many` slots, most have no fact.
        """
        slots = _Slots.between(*aligned.slots, self.finder.starts)
        before, broken = slots.before, np.zeros(len(aligned.chains), np.bool_)

        def in_copied() -> Bools:
            """Return which slots are in copied text, as far as it is known where it ends."""
            found: Bools = aligned.copied(broken, self.least)[before] & ~broken[before]
            return found

        # What copies have in a slot may contradict each other, however much the first text has.
        near = in_copied() & (np.diff(slots.spans[slots.pairs[:, 1]])[:, 0] <= _MOST)
        if WORDING not in self.kinds:
            # Most slots are known to be wording, or too near to some, without a look at facts.
            broken[before] = aligned.differing(self.finder.symbols) > _MOST
            near |= in_copied()
        wanted, shown = in_copied(), near
        if many and WORDING not in self.kinds:
            signed, shown, wording = slots.signs(self.texts, near, self.terms)
            broken[before] |= wording > WORDING_UNITS
            wanted = in_copied() & signed
        found = slots.differences(self.texts, wanted, self.terms)
        for slot, one in found.items():
            broken[before[slot]] |= one.wording > WORDING_UNITS
        told = in_copied()
        within = told.tolist()
        for slot, one in found.items():
            for kind, x, y in self._claimed(one):
                if within[slot] or kind == WORDING:
                    joined.add(kind, x, y)
        if WORDING in self.kinds:
            broken[:] = False
        runs, rows = aligned.runs, np.flatnonzero(near)
        copied = runs.take(np.flatnonzero(aligned.copied(broken, self.least)))
        rooms = np.stack([runs.lengths[before[rows]], runs.lengths[before[rows] + 1]], 1)
        first, copy = slots.pairs[rows].T
        return copied, CopySlots(
            slots.spans[first], slots.spans[copy], rooms, slots.texts[copy], shown[rows], told[rows]
        )

    def parts(self, spans: I64) -> list[SlotText]:
        """Return what is in spans of symbols (int64[n, 2])."""
        slots = _Slots.between(spans[:, 0], spans, spans, self.finder.starts)
        parts = slots.parts(self.texts, slots.pairs, self.terms)
        return [parts[side] for side in slots.pairs[:, 0].tolist()]

    def claims(self, a: SlotText, b: SlotText) -> list[tuple[str, Claim, Claim]]:
        """Return what two copies claim, one beside the other, if they can be compared."""
        if WORDING in self.kinds:
            return list(self._claimed(difference(a, b)))
        found = difference(a, b) if a.facts or b.facts else None
        return list(self._claimed(found)) if found and found.wording <= WORDING_UNITS else []

    def _claimed(self, difference: Difference) -> Iterator[tuple[str, Claim, Claim]]:
        """Yield the claims of a kind that is asked for, one beside the other."""
        for x, y in difference.claims:
            kind = min(x.kind, y.kind, key=KINDS.index)
            if kind in self.kinds:
                yield kind, x, y


class _Slots(NamedTuple):
    """Slots of pairs of texts: several pairs have one with the same range of a text."""

    before: I64  # int64[slots]: the run before each
    pairs: I64  # int64[slots, 2]: the sides of each
    spans: I64  # int64[sides, 2]: symbols of all texts, ascending
    texts: I64  # int64[sides]
    starts: I64  # of the texts

    @classmethod
    def between(cls, before: I64, a: I64, b: I64, starts: I64) -> _Slots:
        """Return slots from their sides (int64[slots, 2])."""
        sides = np.concatenate([a, b])
        keys, rows = np.unique(sides[:, 0] << 32 | sides[:, 1] - sides[:, 0], return_inverse=True)
        firsts = keys >> 32
        spans = np.stack([firsts, firsts + (keys & 0xFFFFFFFF)], 1)
        texts = np.searchsorted(starts, firsts, "right") - 1
        return cls(before, rows.reshape(2, -1).T, spans, texts, starts)

    def signs(
        self, texts: FoldedTexts, wanted: Bools, terms: re.Pattern[str] | None
    ) -> tuple[Bools, Bools, I64]:
        """Return which slots may have a fact, and of these in which the later text may have it, and
        how much wording each has at least, in units.
        """
        rows, signs = np.flatnonzero(wanted), dict[int, Sign]()
        for side, folded in self._read(texts, self.pairs[rows]):
            signs.update(zip(side.tolist(), folded.signs(terms), strict=True))
        signed, shown, wording = np.zeros((3, len(wanted)), np.int64)
        for row, (i, j) in zip(rows.tolist(), self.pairs[rows].tolist(), strict=True):
            a, b = signs[i], signs[j]
            signed[row], shown[row] = a.fact or b.fact, b.fact
            wording[row] = least_wording(a, b, usual=terms is None)
        return signed != 0, shown != 0, wording

    def differences(
        self, texts: FoldedTexts, wanted: Bools, terms: re.Pattern[str] | None
    ) -> dict[int, Difference]:
        """Return in what both texts differ in some slots, by the number of the slot."""
        rows = np.flatnonzero(wanted)
        parts = self.parts(texts, self.pairs[rows], terms)
        pairs = zip(rows.tolist(), self.pairs[rows].tolist(), strict=True)
        return {row: difference(parts[i], parts[j]) for row, (i, j) in pairs}

    def parts(
        self, texts: FoldedTexts, pairs: I64, terms: re.Pattern[str] | None
    ) -> dict[int, SlotText]:
        """Return what is in the sides of some pairs, by the number of the side."""
        found = dict[int, SlotText]()
        for side, folded in self._read(texts, pairs):
            found.update(zip(side.tolist(), folded.parts(terms), strict=True))
        return found

    def _read(self, texts: FoldedTexts, pairs: I64) -> Iterator[tuple[I64, FoldedText]]:
        """Yield the texts of pairs of sides in order, and which sides each has."""
        sides = distinct(pairs.ravel())
        owners = self.texts[sides]
        for low, high in pairwise([*run_starts(owners).tolist(), len(owners)]):
            yield sides[low:high], texts(int(owners[low])).at(self.spans[sides[low:high]])


def _moved(claim: Claim, by: int) -> Claim:
    return claim._replace(start=claim.start + by, end=claim.end + by, silent=False)


def _values(claims: Sequence[Claim]) -> dict[str, str]:
    """Return for each value what it is a part of, if it is of one only: 5月1日 of 2024年5月1日."""
    each = {claim.value: claim for claim in claims}
    found = dict(zip(each, each, strict=True))
    if len(each) <= _SEVERAL:
        for value, claim in each.items():
            more = [x for x, y in each.items() if len(x) > len(value) and same(claim, y)]
            found[value] = more[0] if len(more) == 1 else value
    return found


class _Joined:
    """Claims that are joined to places."""

    def __init__(self) -> None:
        self.numbers = dict[tuple[int, int], int]()
        self.claims = list[Claim]()
        self.kinds = dict[int, Counter[str]]()
        self.pairs = list[tuple[int, int]]()

    def add(self, kind: str, x: Claim, y: Claim) -> None:
        """Add two claims of one place; of a kind, if they contradict each other."""
        a, b = self._number(x), self._number(y)
        self.pairs.append((a, b))
        if not same(x, y):
            self.kinds.setdefault(a, Counter())[kind] += 1

    def spread(self, runs: Runs, margins: tuple[I64, I64], starts: I64) -> None:
        """Add the claims that equal runs of other texts have, too; see `SlotFinder.margins`."""
        done, (left, right) = 0, (np.tile(one, 2) for one in margins)
        own, other = np.concatenate([runs[:2], runs[1::-1]], axis=1)
        order = np.argsort(own, kind="stable")
        own, shifts = own[order], (other - own)[order]
        begins = own + left[order]
        ends = own + (np.tile(runs.lengths, 2) - right)[order]
        firsts = np.searchsorted(own, starts)
        while done < len(self.claims):
            numbers = np.arange(done, len(self.claims))
            spans = np.array([one[:2] for one in self.claims[done:]], np.int64)
            done = len(self.claims)
            order = np.argsort(spans[:, 0], kind="stable")
            spans, numbers = spans[order], numbers[order]
            # From one copy to the next there are as many rounds as copies: few runs are of each.
            texts = distinct(np.searchsorted(starts, spans[:, 0], "right") - 1)
            near = ranges(firsts[texts], np.diff(firsts)[texts])
            low = np.searchsorted(spans[:, 0], begins[near])
            high = np.searchsorted(spans[:, 0], ends[near], "right")
            for which, offset in iter_ranges(np.maximum(high - low, 0), 1 << 18):
                rows, run = low[which] + offset, near[which]
                inside = spans[rows, 1] <= ends[run]
                rows, by = numbers[rows[inside]].tolist(), shifts[run[inside]].tolist()
                for number, shift in zip(rows, by, strict=True):
                    copy = self._number(_moved(self.claims[number], shift))
                    self.pairs.append((number, copy))

    def _number(self, claim: Claim) -> int:
        number = self.numbers.setdefault(claim[:2], len(self.claims))
        if number == len(self.claims):
            self.claims.append(claim)
        return number

    def places(self, starts: I64) -> Iterator[Contradiction]:
        """Yield what is joined, where several texts have one value each, and not the same."""
        for group in sorted(components(self.pairs)):
            kinds = sum((self.kinds[one] for one in group if one in self.kinds), Counter[str]())
            if not kinds:
                continue
            claims = sorted(self.claims[one] for one in group if not self.claims[one].silent)
            names = _values(claims)
            spans = np.array([one[:2] for one in claims], np.int64)
            texts = np.searchsorted(starts, spans[:, 0], "right").tolist()
            said = dict[int, set[str]]()
            for text, one in zip(texts, claims, strict=True):
                said.setdefault(text, set()).add(names[one.value])
            rows = [row for row, text in enumerate(texts) if len(said[text]) == 1]
            values = [names[claims[row].value] for row in rows]
            if len(set(values)) > 1:
                kind = max(kinds.items(), key=lambda one: (one[1], one[0]))[0]
                yield Contradiction(kind, spans[rows], values)
