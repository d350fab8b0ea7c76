"""Seeds: which chosen k-grams start passages, and which pairs of them are worth a look.

Equal k-grams of two texts lie in an equal run.  But a run of a thousand symbols has hundreds of
them, and one is enough: a pair is left out if the seeds just before, at the same distance in both
texts, are a pair as well.  Seeds of a group are sorted by what comes before them, their context,
and those of one context are never paired.

A k-gram does not start passages if it occurs in more texts than `most`; and of one that a text
repeats, only the first few occurrences do.  Such seeds are no context either: a pair behind one
of them is looked at.

*Borders* are where common text begins and ends, though winnowing chose other k-grams there.
Whether a k-gram is chosen depends on its window.  Of a notice that all documents have, windows
within it choose the same k-grams everywhere, and these are known to be common.  But a window over
its edge may choose another one: in each document by what comes before the notice.  So k-grams
beside the first and the last common ones are counted where they are, chosen or not.

*References.*  Texts may be compared with some that are there before, the references.  Then common
is what too many of these have (`common_grams`), however many others have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simdup.base.mix64 import GOLDEN, mix64
from simdup.kernels.sketches import runs
from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.symbols import Symbols, SymbolTexts
from simdup.reuse.winnowing import Seeds, Window, positions_of
from simdup.search.arrays import (
    I64,
    U32,
    U64,
    Bools,
    Members,
    distinct,
    iter_ranges,
    pack,
    read_rows,
    row_bits,
    run_starts,
)

# Symbols on either side of all texts: k-grams beside the first and the last one are looked up too.
MARGIN = 4096
# K-grams that are counted at a time, if one common k-gram does not have more.
_AT_ONCE = 1 << 19


class Crowd(NamedTuple):
    """Seeds that occur in too many texts."""

    seeds: I64  # by number, rising
    groups: U64  # of each


def common_beside(seeds: Seeds, texts: U32, crowd: Crowd, place: Place) -> tuple[I64, U64]:
    """Return the positions and the hashes of common k-grams beside the known ones.

    Parameters
    ----------
    seeds : Seeds
        Of all texts, in order.
    texts : uint32[seeds]
        The text of each.
    crowd : Crowd
        The common ones, some.
    place : Place
        Where k-grams are looked up.
    """
    order = np.argsort(crowd.groups, kind="stable")
    members, groups = crowd.seeds[order], crowd.groups[order].astype(np.int64)
    positions, hashes = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
    for step, near in _edges(seeds.positions[crowd.seeds], crowd.groups, place.k):
        distance = step
        # Where one is not common, those beyond are not.
        while len(near) and abs(distance) < place.k:
            firsts = np.searchsorted(groups, near)
            counts = np.searchsorted(groups, near, "right") - firsts
            going = [near[:0]]
            for rows in _parts(counts):
                for which, offsets in iter_ranges(counts[rows], int(counts[rows].sum())):
                    own = members[firsts[rows][which] + offsets]
                    there = seeds.positions[own] + distance
                    found = place.hashes(there, texts[own])
                    many = _in_many(which, found, texts[own], place.most)
                    positions.append(there[many])
                    hashes.append(distinct(found[many]))
                    going.append(near[rows][distinct(which[many])])
            near = np.concatenate(going)
            distance += step
    return distinct(np.concatenate(positions)), np.concatenate(hashes)


class Place(NamedTuple):
    """Where k-grams are looked up, and when they are common."""

    symbols: Symbols
    k: int
    most: int  # texts that may have one that is not
    keys: U64  # of each text: k-grams of texts of other keys are other ones

    @classmethod
    def of(cls, symbols: Symbols, criteria: PassageCriteria, keys: U64) -> Place:
        """Return where the k-grams of texts are, and when they are common.

        That depends on how many texts have the key that most of them have.
        """
        texts = int(np.unique(keys, return_counts=True)[1].max(initial=0))
        k, most = Window.of(criteria.min_run).k, criteria.most_documents(texts)
        return cls(symbols, k, most, mix64(keys))

    def hashes(self, positions: I64, texts: U32) -> U64:
        """Return the hashes of the k-grams at positions, beside seeds of some texts."""
        grams = np.lib.stride_tricks.sliding_window_view(self.symbols, self.k)[positions]
        hashes = mix64(runs(np.arange(len(grams) + 1) * self.k, grams.ravel(), self.k)[1])
        return hashes ^ self.keys[texts]


def _edges(positions: I64, groups: U64, k: int) -> list[tuple[int, I64]]:
    """Return the groups of common k-grams that no other one comes before, and after."""
    apart = np.diff(positions) >= k
    return [
        (step, distinct(groups[np.insert(apart, at, True)]).astype(np.int64))
        for step, at in ((-1, 0), (1, len(apart)))
    ]


def _parts(counts: I64) -> Iterator[slice]:
    """Yield ranges of rows that have about as many k-grams."""
    parts = np.cumsum(counts) // _AT_ONCE
    edges = run_starts(parts).tolist()
    yield from map(slice, edges, [*edges[1:], len(counts)])


def _in_many(which: I64, hashes: U64, texts: U32, most: int) -> Bools:
    """Return which k-grams more texts than `most` have beside the same common k-gram."""
    order = np.lexsort((texts, hashes, which))
    which, hashes, texts = which[order], hashes[order], texts[order]
    new = (np.diff(which, prepend=-1) != 0) | (np.diff(hashes, prepend=~hashes[:1]) != 0)
    distinct = new | (np.diff(texts.astype(np.int64), prepend=-1) != 0)
    firsts = np.flatnonzero(new)
    many = np.add.reduceat(distinct, firsts, dtype=np.int64) > most
    found = np.empty(len(order), np.bool_)
    found[order] = many[np.cumsum(new) - 1]
    return found


# Occurrences of a k-gram in one text that start passages.  The same line a thousand times in two
# texts is a million pairs, and all of them say one thing.
REPEATS = 8

# Seeds that are sorted at a time, at 100 bytes each.
_PART = 1 << 19


class Stretches(NamedTuple):
    """Where texts have what too many of them have: a bit for each symbol."""

    bits: U64
    sums: I64  # bits set before each word, and in all

    @classmethod
    def of(cls, positions: I64, k: int, size: int) -> Stretches:
        """Return what the k-grams at some positions, ascending, cover of so many symbols."""
        new, edges = np.diff(positions, prepend=-k - 1) > k, np.zeros(size // 64 * 64 + 64, np.int8)
        edges[positions[new]] = 1
        edges[np.append(positions[:-1][new[1:]], positions[-1:]) + k] = -1
        flags = np.cumsum(edges, dtype=np.int8)
        bits = np.packbits(flags.view(np.bool_), bitorder="little").view(np.uint64)
        return cls(bits, np.append(0, np.cumsum(np.bitwise_count(bits), dtype=np.int64)))

    def __or__(self, other: Stretches) -> Stretches:
        """Return where either is."""
        bits = self.bits | other.bits
        return Stretches(bits, np.append(0, np.cumsum(np.bitwise_count(bits), dtype=np.int64)))

    def within(self, starts: I64, lengths: I64) -> I64:
        """Return how many symbols of runs lie in them."""
        return self._before(starts + lengths) - self._before(starts)

    def by_text(self, starts: I64) -> I64:
        """Return how many symbols of each text lie in them."""
        return self.within(starts[:-1], np.diff(starts))

    def _before(self, positions: I64) -> I64:
        words = positions >> 6
        lower = (np.uint64(1) << (positions & 63).astype(np.uint64)) - np.uint64(1)
        before: I64 = self.sums[words] + np.bitwise_count(self.bits[words] & lower)
        return before


class SeedIndex(NamedTuple):
    """The seeds that start passages.

    Seeds are numbered in the order of the texts; `order` has their numbers group by group, and
    within a group context by context.
    """

    positions: I64  # of each seed
    texts: U32  # of each seed
    order: U32
    ranks: U32  # where each seed is in `order`
    groups: U32  # of each seed: the first and the last but one place in `order` of its group
    group_ends: U32
    contexts: U32  # of each seed: the same of its context
    context_ends: U32
    common: int  # distinct k-grams that occur in too many texts
    crowded: Stretches  # where these are
    repeated: int  # occurrences of k-grams that a text has repeated too often

    @property
    def partners(self) -> I64:
        """How many seeds of its group each has outside its context."""
        before = self.contexts.astype(np.int64) - self.groups
        return before + self.group_ends - self.context_ends

    def first_seeds(self, texts: int) -> I64:
        """Return the number of the first seed of each text, and of all (int64[texts + 1])."""
        return np.searchsorted(self.texts, np.arange(texts + 1))


def index_seeds(seeds: Seeds, starts: I64, place: Place) -> SeedIndex:
    """Group the seeds of texts by their k-grams.

    Parameters
    ----------
    seeds : Seeds
        Of all texts, in order.
    starts : int64[texts + 1]
        Where each text begins.
    place : Place
        The texts, and in how many of them a k-gram that starts passages may occur.
    """
    texts = _texts_of(seeds, starts)
    found = _group(seeds.hashes, texts, place.most)
    kept, groups, common = found.seeds, found.groups, found.common
    crowded = seeds.positions[found.crowd.seeds]
    if len(crowded):
        beside, more = common_beside(seeds, texts, found.crowd, place)
        rare = ~np.isin(seeds.hashes[kept], more)
        crowded = distinct(np.concatenate([crowded, beside, seeds.positions[kept[~rare]]]))
        common += len(distinct(seeds.hashes[kept[~rare]]))
        kept, groups = kept[rare], groups[rare]
    stretches = Stretches.of(crowded, place.k, len(place.symbols))
    about = common, stretches, found.repeated
    return _indexed(kept, groups, seeds.positions[kept], texts[kept], place.k, about)


def common_grams(seeds: Seeds, starts: I64, place: Place) -> U64:
    """Return the hashes, ascending, of the k-grams that too many texts have.

    The parameters are those of `index_seeds`.
    """
    texts = _texts_of(seeds, starts)
    crowd = _group(seeds.hashes, texts, place.most).crowd
    beside = [common_beside(seeds, texts, crowd, place)[1]] if len(crowd.seeds) else []
    return distinct(np.concatenate([seeds.hashes[crowd.seeds], *beside]))


def index_known(
    seeds: Seeds, starts: I64, place: Place, common: Members, sources: Bools
) -> SeedIndex:
    """Group the seeds of texts by their k-grams, where it is known which are common.

    The other parameters are those of `index_seeds`; in how many texts a k-gram occurs does not
    matter.  Where common ones are is looked up in the `sources` (bool[texts]) only: a run is equal
    in both of its texts.
    """
    texts, rare = _texts_of(seeds, starts), np.flatnonzero(~common(seeds.hashes))
    found = _group(seeds.hashes[rare], texts[rare], len(starts))
    kept = rare[found.seeds]
    crowded = [np.zeros(0, np.int64)]
    edges = np.flatnonzero(np.diff(sources, prepend=False, append=False))
    for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        texts_there = SymbolTexts(starts[first : end + 1] - starts[first],
                                  place.symbols[starts[first] : starts[end]])  # fmt: skip
        found_there = positions_of(common, texts_there, place.k, place.keys[first:end])
        crowded.append(found_there + starts[first])
    stretches = Stretches.of(np.concatenate(crowded), place.k, len(place.symbols))
    about = len(common), stretches, found.repeated
    return _indexed(kept, found.groups, seeds.positions[kept], texts[kept], place.k, about)


def _texts_of(seeds: Seeds, starts: I64) -> U32:
    """Return the text of each seed."""
    return (np.searchsorted(starts, seeds.positions, "right") - 1).astype(np.uint32)


def _indexed(
    kept: I64, groups: U64, positions: I64, texts: U32, k: int, about: tuple[int, Stretches, int]
) -> SeedIndex:
    """Return the index of the seeds that start passages, of which `kept` are the numbers."""
    contexts = _contexts(kept, groups, positions, texts, k)
    # Seeds of one context are next to each other, but for a chance of 2**-32; then some pairs are
    # looked at needlessly.
    order = np.argsort((groups << np.uint64(32)) | (contexts * GOLDEN >> np.uint64(32)))
    group_first, group_ends = _ranges(groups[order])
    first_of, ends = _ranges(groups[order], contexts[order])
    ranks = np.empty(len(order), np.uint32)
    ranks[order] = np.arange(len(order), dtype=np.uint32)
    return SeedIndex(
        positions, texts, order.astype(np.uint32), ranks, group_first[ranks], group_ends[ranks],
        first_of[ranks], ends[ranks], *about,
    )  # fmt: skip


class _Grouped(NamedTuple):
    """Seeds that may start passages, in order, and those that occur in too many texts."""

    seeds: I64
    groups: U64
    crowd: Crowd
    common: int
    repeated: int


def _group(hashes: U64, texts: U32, most: int) -> _Grouped:
    """Group seeds by their hashes, part by part."""
    bits = max(len(hashes) // _PART, 1).bit_length() - 1
    numbers, groups = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
    crowd_numbers, crowd_groups = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
    common = repeated = known = 0
    part_of = np.zeros(len(hashes), np.uint16)
    for low in range(0, len(hashes) if bits else 0, _PART):
        part_of[low : low + _PART] = hashes[low : low + _PART] >> np.uint64(64 - bits)
    for part in range(1 << bits):
        own = np.flatnonzero(part_of == part)
        # What the part does not tell, and below it the number: sorted, groups are in order.
        below = np.uint64(row_bits(len(own)))
        values = (hashes[own] << np.uint64(bits)) >> below << below
        values |= np.arange(len(own), dtype=np.uint64)
        values.sort()
        sorted_numbers = own[read_rows(values, len(own))]
        new, starts, few = _count_texts(values >> below, texts[sorted_numbers])
        group = np.cumsum(new) - 1
        common += int(np.count_nonzero(few > most))
        crowded, fit = (few > most)[group], ((few > 1) & (few <= most))[group]
        early = _ranks(starts) < REPEATS
        repeated += int(np.count_nonzero(fit & ~early))
        fit &= early
        for flags, into, of in (
            (fit, numbers, groups), (crowded, crowd_numbers, crowd_groups),
        ):  # fmt: skip
            into.append(sorted_numbers[flags])
            of.append(group[flags].astype(np.uint64) + np.uint64(known))
        known += len(few)
    crowd = Crowd(*_in_order(crowd_numbers, crowd_groups))
    return _Grouped(*_in_order(numbers, groups), crowd, common, repeated)


def _in_order(numbers: list[I64], groups: list[U64]) -> tuple[I64, U64]:
    """Return seeds by number, and their groups."""
    every = np.concatenate(numbers)
    order = np.argsort(every)
    return every[order], np.concatenate(groups)[order]


def _count_texts(keys: U64, texts: U32) -> tuple[Bools, Bools, I64]:
    """Return where a key is new, where a key or a text is, and the distinct texts of each key."""
    if not len(keys):
        return np.zeros(0, np.bool_), np.zeros(0, np.bool_), np.zeros(0, np.int64)
    new = np.diff(keys, prepend=~keys[:1]) != 0
    starts = new | (np.diff(texts, prepend=texts[:1]) != 0)
    return new, starts, np.add.reduceat(starts, np.flatnonzero(new), dtype=np.int64)


def _ranks(starts: Bools) -> I64:
    """Return the place of each row in its run, from 0; runs begin where a flag is set."""
    rows = np.arange(len(starts))
    return rows - np.maximum.accumulate(np.where(starts, rows, 0))


def _contexts(kept: I64, groups: U64, positions: I64, texts: U32, k: int) -> U64:
    """Return what comes before each seed: the group of the last one and its distance.

    Where that one does not start passages, the context is the seed's own.
    """
    alone = np.arange(len(kept), dtype=np.uint64) | np.uint64(1 << 63)
    distances = np.diff(positions, prepend=-1)
    follows = (np.diff(kept, prepend=-2) == 1) & (distances <= k)
    follows &= np.diff(texts.astype(np.int64), prepend=-1) == 0
    before = np.roll(groups, 1)
    return np.where(follows, before << np.uint64(16) | distances.astype(np.uint64), alone)


def _ranges(*keys: U64) -> tuple[U32, U32]:
    """Return for each row the first and the end of the run of equal keys that it is in."""
    firsts = run_starts(*keys)
    sizes = np.diff(np.append(firsts, len(keys[0])))
    return (
        np.repeat(firsts, sizes).astype(np.uint32),
        np.repeat(firsts + sizes, sizes).astype(np.uint32),
    )


def iter_pairs(index: SeedIndex, low: int, high: int, chunk: int) -> Iterator[tuple[I64, I64]]:
    """Yield pairs of seeds, those from `low` to `high` with seeds of later texts, in chunks."""
    first, end = index.contexts[low:high].astype(np.int64), index.context_ends[low:high]
    groups = index.groups[low:high].astype(np.int64)
    for which, offsets in iter_ranges(index.partners[low:high], chunk):
        places = groups[which] + offsets
        # The own context is jumped over.
        places += np.where(places >= first[which], end[which] - first[which], 0)
        others = index.order[places].astype(np.int64)
        seeds = which + low
        later = index.texts[others] > index.texts[seeds]
        yield seeds[later], others[later]


# Pairs of seeds that a range of texts has.
_FIRST_PAIRS = 1 << 20


class FirstPairs(NamedTuple):
    """Pairs of equal seeds, each with the first text that has it: positions, rising in b."""

    a: I64
    b: I64

    def within(self, low: int, high: int) -> FirstPairs:
        """Return the pairs whose later seed is between two positions."""
        return FirstPairs(*(side[slice(*np.searchsorted(self.b, [low, high]))] for side in self))

    def ranges(self, starts: I64) -> list[tuple[int, int]]:
        """Return ranges of texts, which begin at `starts`, that have about as many pairs."""
        work = np.searchsorted(self.b, starts)
        cuts = np.searchsorted(work, np.arange(_FIRST_PAIRS, int(work[-1]), _FIRST_PAIRS))
        return list(pairwise(sorted({0, *cuts.tolist(), len(starts) - 1})))


def pair_with_first(seeds: Seeds, starts: I64) -> FirstPairs:
    """Pair each seed with the first one that is equal, if that is in another text.

    Of m texts with a seed there are m - 1 pairs, so that nothing is too common.

    Parameters
    ----------
    seeds : Seeds
        Of all texts, in order.
    starts : int64[texts + 1]
        Where each text begins.
    """
    count = len(seeds.hashes)
    # Equal in their upper bits, some differ: runs begin where symbols are equal.
    values = pack(seeds.hashes, np.arange(count), count)
    values.sort()
    order = read_rows(values, count)
    texts = np.searchsorted(seeds.positions, starts).astype(np.int64)
    texts = np.repeat(np.arange(len(starts) - 1), np.diff(texts))[order]
    keys, rows = values >> np.uint64(row_bits(count)), np.arange(count)
    new = np.diff(keys, prepend=~keys[:1]) != 0
    new_text = new | (np.diff(texts, prepend=-1) != 0)
    group = np.maximum.accumulate(np.where(new, rows, 0))
    own = np.maximum.accumulate(np.where(new_text, rows, 0))
    early = rows - own < REPEATS
    paired = np.flatnonzero((own > group) & early)
    a, b = order[group[paired]], order[paired]
    by_b = np.lexsort((a, b))
    return FirstPairs(seeds.positions[a[by_b]], seeds.positions[b[by_b]])
