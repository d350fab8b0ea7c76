"""Groups: a passage with all its places, once, however many documents have it.

Of m texts with a notice there are m (m - 1) / 2 pairs, and all of them say one thing.  So each seed
is paired with the first text that has it (`seeds.pair_with_first`): then a notice costs its places.
But the first text that has a few symbols is often another one than the first that has the passage.
So where a seed is, longer grams are looked up too, up to those of a whole passage.  And each text
is compared in full with a few: those that are first for most of its seeds.

*Links* are chains of equal runs of such pairs, as of passages: a span of either text.  Where less
than three quarters of a span are equal, the link is cut at its widest gap.

*Places.*  Two spans of one text are one place if they have three quarters of the longer one in
common.  The longest come first: a span that is a place takes the others in.

*Groups.*  The image of a place in another text is what a link leads to, if three quarters of both
are equal.  Places that are each other's images, directly or through others, are a group.  So if
texts 1 and 2 share ABC, and 3 has B only, there are two groups: ABC in 1 and 2, B in 1, 2 and 3.  A
group whose places all lie in those of another one says nothing new and is left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simdup.base.mix64 import mix64
from simdup.kernels.sketches import runs
from simdup.model.shared_passages import LONGEST_RUN, PassageCriteria
from simdup.reuse.finding import extend
from simdup.reuse.overlaps import Holders
from simdup.reuse.seeds import REPEATS, FirstPairs, pair_with_first
from simdup.reuse.slots import Alignment
from simdup.reuse.symbols import Symbols, SymbolTexts
from simdup.reuse.winnowing import Seeds, Window, row_symbols
from simdup.search.arrays import (
    I64,
    U64,
    combine_rows,
    components,
    contains,
    distinct,
    iter_ranges,
    ranges,
    run_starts,
    split_rows,
)

# Symbols whose grams are hashed at a time, and places and links that are compared at a time.
_PART = 1 << 20
# What spans have in common that are one place, and a place and its image: to a person, they are
# the same.
_MOST_OF = 0.75
# Shorter grams are in many texts by chance: then they are not looked at.
_TELLING = 8
# Texts that each text is compared with in full: those that are first for most of its seeds.
_RELATIVES = 8


@dataclass(frozen=True)
class GroupFinder:
    """Texts with pairs of seeds, ready to be linked."""

    starts: I64  # int64[texts + 1]
    symbols: Symbols  # all texts, an end mark behind each, and a margin on either side
    pairs: FirstPairs
    rows: I64  # symbols that do not count, see `winnowing`
    criteria: PassageCriteria

    @classmethod
    def of(
        cls, texts: SymbolTexts, seeds: Seeds, keys: U64, criteria: PassageCriteria
    ) -> GroupFinder:
        """Return the finder of texts that are surrounded, with their seeds and their keys."""
        starts, symbols = texts
        k = Window.of(criteria.min_run).k
        longest = min(max(criteria.min_length, k), LONGEST_RUN)
        salts = np.repeat(mix64(keys), np.diff(np.searchsorted(seeds.positions, starts)))
        parts, rare = list[U64](), seeds
        for size, hashes in _grams(seeds, symbols, k, longest):
            grams = Seeds(hashes if size == k else hashes ^ salts, seeds.positions)
            if size < min(_TELLING, longest):
                most = criteria.most_documents(len(starts) - 1)
                grams = _in_few(grams, starts, most)
                rare = grams if size == k else rare
            parts.append(combine_rows(*pair_with_first(grams, starts, again=True)[::-1]))
        every = distinct(np.concatenate(parts))
        near = _pairs_of_relatives(rare, starts, every)
        b, a = split_rows(distinct(np.concatenate([every, *near])))
        return cls(starts, symbols, FirstPairs(a, b), row_symbols(symbols, k), criteria)

    def ranges(self) -> list[tuple[int, int]]:
        """Return ranges of texts that are about the same work."""
        return self.pairs.ranges(self.starts)

    def find(self, low: int, high: int) -> Alignment:
        """Return the equal runs of the links from the texts from `low` to `high` to earlier ones.

        The weight of a run is how many of its symbols count.
        """
        pairs = self.pairs.within(*self.starts[[low, high]].tolist())
        found = extend(self.symbols, *pairs, Window.of(self.criteria.min_run).k)
        least = self.criteria.min_length
        chained = Alignment.of(found, self.starts, self.criteria.gap, least)
        a, _, lengths = chained.runs
        weights = lengths - _between(self.rows, a, a + lengths)
        whole = _cut_where_sparse(chained._replace(weights=weights), least)
        sums = np.bincount(whole.chains, whole.weights)
        return whole.take(np.flatnonzero(sums[whole.chains] >= least))


def _cut_where_sparse(aligned: Alignment, least: int) -> Alignment:
    """Return chains cut at their widest gaps until three quarters of either side are equal."""
    (a, b, lengths), chains, weights = aligned
    ends_a, ends_b = a + lengths, b + lengths
    gaps = np.maximum(a[1:] - ends_a[:-1], b[1:] - ends_b[:-1])
    equal, counted = (np.append(0, np.cumsum(column)) for column in (lengths, weights))
    low = run_starts(chains)
    high = np.append(low, len(chains))[1:]
    new = np.zeros(len(chains), np.bool_)
    while len(low):
        new[low] = True
        size = np.maximum(ends_a[high - 1] - a[low], ends_b[high - 1] - b[low])
        sparse = _MOST_OF * size > equal[high] - equal[low]
        sparse &= counted[high] - counted[low] >= least
        low, high = low[sparse], high[sparse]
        if len(low):
            places = ranges(low, high - low - 1)
            part = np.repeat(np.arange(len(low)), high - low - 1)
            widest = np.maximum.reduceat(gaps[places], run_starts(part))
            at = np.flatnonzero(gaps[places] == widest[part])
            middle = places[at[run_starts(part[at])]] + 1
            low, high = np.append(low, middle), np.append(middle, high)
    return aligned._replace(chains=np.cumsum(new) - 1)


def _pairs_of_relatives(seeds: Seeds, starts: I64, pairs: U64) -> Iterator[U64]:
    """Yield the pairs of equal seeds of each text and its nearest relatives, with the later first.

    Parameters
    ----------
    seeds : Seeds
        Of all texts, in order.
    starts : int64[texts + 1]
        Where each text begins.
    pairs : uint64[pairs]
        Seeds that are paired already: see `combine_rows`.
    """
    b, a = (np.searchsorted(starts, side, "right") - 1 for side in split_rows(pairs))
    keys, counts = np.unique(combine_rows(b, a), return_counts=True)
    text, other = split_rows(keys)
    order = np.lexsort((other, -counts, text))
    text, other = text[order], other[order]
    ranks = np.arange(len(text)) - np.searchsorted(text, text)
    text, other = text[ranks < _RELATIVES], other[ranks < _RELATIVES]
    firsts = np.searchsorted(seeds.positions, starts)
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(firsts))
    # Seeds of several texts, by their hashes, then texts, then positions.
    order = np.argsort(seeds.hashes, kind="stable")
    groups = np.cumsum(np.diff(seeds.hashes[order], prepend=~seeds.hashes[:1]) != 0) - 1
    holders = combine_rows(groups, owners[order])
    new = run_starts(holders)
    kept = np.bincount(groups[new], minlength=1) > 1
    group = np.full(len(order), -1)
    group[order] = np.where(kept[groups], groups, -1) if len(order) else group
    ends = np.append(new[1:], len(holders))
    holders = holders[new]
    for which, offsets in iter_ranges(np.diff(firsts)[text], _PART):
        seed = firsts[text[which]] + offsets
        which, seed = which[group[seed] >= 0], seed[group[seed] >= 0]
        asked = combine_rows(group[seed], other[which])
        place = np.minimum(np.searchsorted(holders, asked), len(holders) - 1)
        known = np.flatnonzero(holders[place] == asked)
        sizes = np.minimum(ends[place[known]] - new[place[known]], REPEATS)
        for one, offset in iter_ranges(sizes, _PART):
            found = order[new[place[known[one]]] + offset]
            yield combine_rows(seeds.positions[seed[known[one]]], seeds.positions[found])


def _between(ordered: I64, low: I64, high: I64) -> I64:
    """Return how many numbers of a sorted array are from each `low` to each `high`."""
    return np.searchsorted(ordered, high) - np.searchsorted(ordered, low)


def _grams(seeds: Seeds, symbols: Symbols, k: int, longest: int) -> Iterator[tuple[int, U64]]:
    """Yield sizes, and hashes of the grams where seeds are: k symbols, twice that, ... `longest`.

    Each is made of two of the last size.
    """
    yield k, seeds.hashes
    sizes = [k]
    while 2 * sizes[-1] < longest:
        sizes.append(2 * sizes[-1])
    if sizes[-1] < longest:
        sizes.append(longest)
    found = [[np.zeros(0, np.uint64)] for _ in sizes[1:]]
    for low in range(0, len(symbols) - longest, _PART):
        part = symbols[low : low + _PART + longest]
        bounds = np.searchsorted(seeds.positions, [low, low + _PART])
        own = seeds.positions[slice(*bounds.tolist())] - low
        hashes = runs(np.array([0, len(part)]), part, k)[1]
        for (size, longer), into in zip(pairwise(sizes), found, strict=True):
            step = longer - size
            hashes = mix64(hashes[:-step]) + hashes[step:]
            into.append(hashes[own])
    for size, each in zip(sizes[1:], found, strict=True):
        yield size, mix64(np.concatenate(each))


def _in_few(grams: Seeds, starts: I64, most: int) -> Seeds:
    """Return the grams that at most so many texts have."""
    if not len(grams.hashes):
        return grams
    owners = np.searchsorted(starts, grams.positions, "right")
    order = np.argsort(grams.hashes, kind="stable")
    hashes, owners = grams.hashes[order], owners[order]
    new = np.diff(hashes, prepend=~hashes[:1]) != 0
    new_text = new | (np.diff(owners, prepend=-1) != 0)
    few = np.add.reduceat(new_text, np.flatnonzero(new), dtype=np.int64) <= most
    kept = np.sort(order[few[np.cumsum(new) - 1]])
    return Seeds(grams.hashes[kept], grams.positions[kept])


class Spans:
    """Spans of texts, by their lengths and where they begin: of each length, few are at a place."""

    def __init__(self, spans: I64) -> None:
        self._spans = spans
        begins, ends = spans.T
        # Lengths below 2 ** bits, and not below half of that.
        bits = np.frexp(ends - begins)[1]
        order = np.lexsort((begins, bits))
        edges = [*run_starts(bits[order]).tolist(), len(order)]
        self._parts = [(int(bits[order[low]]), order[low:high]) for low, high in pairwise(edges)]

    def mostly_in(self, asked: I64, whole: bool = False) -> Iterator[tuple[I64, I64]]:
        """Yield pairs of an asked span (int64[n, 2]) and a span that has most of it, or all."""
        begins, ends = asked.T
        share = 1 if whole else _MOST_OF
        least = np.ceil(share * (ends - begins)).astype(np.int64)
        for bits, rows in self._parts:
            starts = self._spans[rows, 0]
            low = np.searchsorted(starts, begins + least - (1 << bits), "right")
            high = np.searchsorted(starts, ends - least, "right")
            counts = np.where(least < 1 << bits, np.maximum(high - low, 0), 0)
            for which, offsets in iter_ranges(counts, _PART):
                found = rows[low[which] + offsets]
                common = np.minimum(self._spans[found, 1], ends[which])
                common -= np.maximum(self._spans[found, 0], begins[which])
                kept = common >= least[which]
                yield which[kept], found[kept]


class _Links:
    """The sides of links: a span of one text, and runs that lead to the other text."""

    def __init__(self, aligned: Alignment, rows: I64, least: int) -> None:
        (a, b, lengths), chains, _ = aligned
        self._rows, self._least = rows, least
        self._own, self._other = np.concatenate([a, b]), np.concatenate([b, a])
        self._lengths = np.tile(lengths, 2)
        # Those that count, and all.
        counted = self._lengths - _between(rows, self._own, self._own + self._lengths)
        sums = np.cumsum([counted, self._lengths], axis=1)
        self._before = np.concatenate([np.zeros((2, 1), np.int64), sums], axis=1)
        self._sides = np.concatenate([chains, chains + int(chains.max(initial=-1)) + 1])
        # The runs of a link are in order in both texts.
        self._keys = combine_rows(self._sides, self._own)
        firsts = run_starts(self._sides)
        lasts = np.append(firsts, len(self._sides))[1:] - 1
        self.spans = np.stack([self._own[firsts], self._own[lasts] + self._lengths[lasts]], 1)
        self._numbers, self._index = self._sides[firsts], Spans(self.spans)

    def images(self, spans: I64) -> tuple[I64, I64]:
        """Return the images of spans, if most of one has an image: its number, and the image."""
        numbers, images = [np.zeros(0, np.int64)], [np.zeros((0, 2), np.int64)]
        for which, links in self._index.mostly_in(spans):
            begins, ends = spans[which].T
            sides = self._numbers[links]
            run, inside, before = self._until(sides, begins)
            last, inside_last, until = self._until(sides, ends)
            # Behind a run, the image begins with the next one.
            behind = (inside == self._lengths[run]) | (run < 0) | (self._sides[run] != sides)
            run = np.minimum(run + behind, len(self._own) - 1)
            first = self._other[run] + np.where(behind, 0, inside)
            end, (units, equal) = self._other[last] + inside_last, until - before
            size = np.maximum(ends - begins, end - first)
            kept = np.flatnonzero((units >= self._least) & (equal >= _MOST_OF * size))
            numbers.append(which[kept])
            images.append(np.stack([first, end], 1)[kept])
        return np.concatenate(numbers), np.concatenate(images)

    def _until(self, sides: I64, borders: I64) -> tuple[I64, I64, I64]:
        """Return the last run of sides before borders, -1 for none at all, how much of it is before
        these, and how many symbols of all runs before them count, and are equal (int64[2, n]).
        """
        run = np.searchsorted(self._keys, combine_rows(sides, borders)) - 1
        own, lengths = self._own[run], self._lengths[run]
        known = (run >= 0) & (self._sides[run] == sides)
        inside = np.where(known, np.minimum(borders - own, lengths), 0)
        part = np.stack([inside - _between(self._rows, own, own + inside), inside])
        whole = ~known | (inside == lengths)
        before = np.where(whole, self._before[:, run + 1], self._before[:, run] + part)
        return run, inside, before


class _Places:
    """Spans that are places; the others are taken in."""

    def __init__(self) -> None:
        self.spans = list[tuple[int, int]]()
        # By their lengths, and where they begin.
        self._cells = defaultdict[tuple[int, int], list[int]](list)

    def add(self, spans: I64) -> I64:
        """Return the number of the place that each span is, or is taken in by."""
        each, rows = np.unique(spans, axis=0, return_inverse=True)
        order = np.argsort(each[:, 0] - each[:, 1], kind="stable")
        numbers = np.zeros(len(each), np.int64)
        for row, (begin, end) in zip(order.tolist(), each[order].tolist(), strict=True):
            number = self._place(begin, end)
            if number < 0:
                number = len(self.spans)
                self.spans.append((begin, end))
                bits = (end - begin).bit_length()
                self._cells[bits, begin >> bits].append(number)
            numbers[row] = number
        return numbers[rows.ravel()]

    def _place(self, begin: int, end: int) -> int:
        """Return the place that has most in common with a span, if it is enough; -1 for none."""
        best, found, size = (0, 0), -1, end - begin
        for bits in range(size.bit_length() - 1, size.bit_length() + 2):
            first = begin + size // 2 - (1 << bits)
            for cell in range(first >> bits, (end >> bits) + 1):
                for number in self._cells.get((bits, cell), ()):
                    low, high = self.spans[number]
                    common = min(end, high) - max(begin, low)
                    if common >= _MOST_OF * max(size, high - low) and (common, -low) > best:
                        best, found = (common, -low), number
        return found


def joined_places(aligned: Alignment, rows: I64, least: int, copies: I64) -> list[I64]:
    """Return the places of each group, in order (int64[n, 2]): symbols of all texts.

    Parameters
    ----------
    aligned : Alignment
        The links.
    rows : int64[m]
        Symbols that do not count, ascending.
    least : int
        Symbols of a passage.
    copies : int64[texts, 2]
        Texts that are places because several documents have them.
    """
    links, places = _Links(aligned, rows, least), _Places()
    numbers = places.add(np.concatenate([links.spans, copies]))
    alone = numbers[len(links.spans) :]
    pairs = [np.stack([alone, alone], 1)]
    done = 0
    while done < len(places.spans):
        fresh = np.array(places.spans[done:], np.int64)
        which, images = links.images(fresh)
        which += done
        done = len(places.spans)
        pairs.append(np.stack([which, places.add(images)], 1))
    every = np.unique(np.concatenate(pairs), axis=0)
    spans = np.array(places.spans, np.int64).reshape(-1, 2)
    return [_united(spans[group]) for group in components(map(tuple, every.tolist()))]


def _united(spans: I64) -> I64:
    """Return spans in order, those that overlap as one."""
    spans = spans[np.argsort(spans[:, 0])]
    reach = np.maximum.accumulate(spans[:, 1])
    firsts = np.flatnonzero(np.append(True, spans[1:, 0] >= reach[:-1]))
    return np.stack([spans[firsts, 0], np.maximum.reduceat(spans[:, 1], firsts)], 1)


class GroupedPassage(NamedTuple):
    """A passage that several documents have."""

    documents: I64  # of each place, in input order
    spans: I64  # int64[places, 2]: symbols of the document's text
    length: int  # symbols of its places, the median


def form_groups(
    places: Sequence[I64], starts: I64, holders: Holders, most: int | None = None
) -> list[GroupedPassage]:
    """Return groups of documents, those first that have most text.

    Parameters
    ----------
    places : sequence of int64[n, 2]
        Of each group: symbols of all texts.
    starts : int64[texts + 1]
        Where each text begins.
    holders : Holders
        The documents of each text.
    most : int, optional
        Groups of more documents are left out.
    """
    kept, groups = list[I64](), list[GroupedPassage]()
    for spans in places:
        texts = np.searchsorted(starts, spans[:, 0], "right") - 1
        counts = np.diff(holders.firsts)[texts]
        documents = holders.order[ranges(holders.firsts[texts], counts)]
        rows = np.repeat(np.arange(len(spans)), counts)
        order = np.lexsort((rows, documents))
        order = order[holders.sides.opposed(documents[order], documents[order].tolist())]
        if len(order):
            documents, rows = documents[order], rows[order]
            kept.append(spans[distinct(rows)])
            own = spans[rows] - starts[texts[rows], None]
            lengths = np.sort(np.diff(own, axis=1).ravel())
            groups.append(GroupedPassage(documents, own, int(lengths[len(lengths) // 2])))
    found = [groups[number] for number in _saying_more(kept)]
    found = [one for one in found if most is None or len(distinct(one.documents)) <= most]
    return sorted(found, key=_order)


def _order(group: GroupedPassage) -> tuple[int, int, int, int]:
    documents = len(distinct(group.documents))
    return -documents, -group.length, int(group.documents[0]), int(group.spans[0, 0])


def _saying_more(groups: Sequence[I64]) -> list[int]:
    """Return the groups that have a place which does not lie in a place of one certain group."""
    if not groups:
        return []
    sizes = np.array(list(map(len, groups)))
    spans, of = np.concatenate(groups), np.repeat(np.arange(len(groups)), sizes)
    found = [np.zeros((0, 3), np.int64)]
    for inner, outer in Spans(spans).mostly_in(spans, whole=True):
        other = of[inner] != of[outer]
        found.append(np.stack([of[inner], of[outer], inner], 1)[other])
    inside = np.unique(np.concatenate(found), axis=0)
    firsts = run_starts(inside[:, 0], inside[:, 1])
    counts = np.diff(np.append(firsts, len(inside)))
    covered = inside[firsts[counts == sizes[inside[firsts, 0]]], :2]
    # Of two that cover each other, the first one stays.
    both = contains(np.sort(combine_rows(*covered.T)), combine_rows(covered[:, 1], covered[:, 0]))
    gone = covered[~both | (covered[:, 0] > covered[:, 1]), 0]
    saying_nothing = set(gone.tolist())
    return [number for number in range(len(groups)) if number not in saying_nothing]
