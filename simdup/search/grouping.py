"""Large groups: rows joined along lists of what they have in common, by a check.

A list is of rows with a common band key, block of bits or rare element.  Rows that belong together
share a list, so the pairs of all lists include all pairs that matter.  In a long list, most pairs
add nothing: once two rows are known to be in one group, no pair of that group needs a check.  A
`Walk` leaves these out without visiting them (`simdup.kernels.groups`), so a group of m rows costs
O(m), not O(m * m).

Lists of elements (`Prefixes`) store how much of each set is left from an element on.  This bounds
what two sets can share, and rejects most pairs without reading the sets.

Rows of one kind never belong together.  Among twenty thousand rows of one kind and a hundred of
another, whoever looks for the partners of a row skips those of its own kind without visiting them.

Sets that may have a Jaccard similarity of at least s are found by rare elements or by parts.

*Prefixes.*  Put the elements of all sets in one order, rare ones first.  Sets x and y with a
similarity of s or more share at least s / (1 + s) * (|x| + |y|) elements.  From the first common
element on, each set must have at least that many elements left.  So this element is among the first
(1 - s) |x| + 1 of x, its *prefix*, and sets whose prefixes have no common element need not be
compared.  Texts of one template that differ in a number have their own numbers in front, and
everything common at the end.

The order affects only how much is saved, not what is found.  So the frequencies of elements are
counted in a table of fixed size, in which some elements share a count.

Elements that always occur together, such as those of a template, give one list instead of hundreds:
a list is dropped if all of its sets share some earlier element too.

*Parts.*  Sets x and y with a similarity of s or more differ in at most d = 2 (1 - s) / (1 + s) |y|
elements, where |y| is the larger size.  Cut all possible elements into p > d / 2 parts by a hash:
in one part x and y differ in at most one element.  This is the pigeonhole principle that finds
fingerprints within a Hamming distance, with parts of a set instead of blocks of bits.  Parts that
differ in at most one element are found by keys: one for the whole part, and one for the part
without each of its elements in turn.

This works where prefixes do not: texts made of the same few words in any order share elements with
all others, but hardly ever a part.

Similar sets differ in size by a factor of at most 1 / s.  So powers of 1 / s divide sizes into
classes, and a set of one class has parts for this class and for the next.

*Groups* are connected components, stars, or each row's first partner.  A check may be expensive, so
none of these functions checks all pairs: a `Walk` says which ones matter.  What is `Known` of a
pair is remembered, so that none is checked twice.  The results equal those of checking all pairs.

References
----------
B. Galler, M. Fischer, "An improved equivalence algorithm", CACM 7 (1964).
Y. Shiloach, U. Vishkin, "An O(log n) parallel connectivity algorithm", J. Algorithms 3 (1982): all
pairs of a chunk are hooked at once, then all paths are shortened.
S. Chaudhuri, V. Ganti, R. Kaushik, "A primitive operator for similarity joins", ICDE 2006.
R. Bayardo, Y. Ma, R. Srikant, "Scaling up all pairs similarity search", WWW 2007.
C. Xiao, W. Wang, X. Lin, J. Yu, "Efficient similarity joins for near duplicate detection", WWW
2008: the bound by the elements left.
A. Arasu, V. Ganti, R. Kaushik, "Efficient exact set-similarity joins", VLDB 2006: PartEnum.
D. Deng, G. Li, H. Wen, J. Feng, "An efficient partition based method for exact set similarity
joins", VLDB 2015: parts without one element.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64
from simdup.kernels.groups import ALL, FIRST, JOIN, STAR, PairBounds, Walk
from simdup.search.arrays import (
    U64,
    Bools,
    RowIds,
    RowPairs,
    contains,
    distinct,
    pack,
    read_rows,
    row_bits,
    run_starts,
)


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of rows; entries are ordered by list, then by row."""

    lists: RowIds  # int64[entries]: the number of each entry's list
    rows: RowIds  # int64[entries]
    # int64[entries]: for lists of elements, how many of the row's elements do not come before
    # this one in the common order; None if pairs are not bounded.
    rest: RowIds | None = None
    # int64[rows]: rows of equal kinds never belong together; None if all may.
    kinds: RowIds | None = None
    # bool[entries]: which rows others in the list may take; None for all (see `stars`).
    takeable: Bools | None = None

    @classmethod
    def none(cls) -> Lists:
        """Return no lists."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    @classmethod
    def of_keys(cls, columns: Iterable[NDArray[np.unsignedinteger]]) -> Lists:
        """Return the lists of rows with an equal key in a column."""
        return cls.concat(map(cls.of_key, columns))

    @classmethod
    def of_key(cls, key: NDArray[np.unsignedinteger]) -> Lists:
        """Return the lists of rows with an equal key (one for each of n rows)."""
        n = len(key)
        return cls.of_entries(pack(mix64(key.astype(np.uint64)), np.arange(n), n), n)

    @classmethod
    def of_entries(cls, entries: U64, n: int) -> Lists:
        """Return the lists of rows with an equal key; see `pack`.  This sorts the entries."""
        entries.sort()
        starts = run_starts(entries >> np.uint64(row_bits(n)))
        sizes = np.diff(starts, append=len(entries))
        rows = read_rows(entries[np.repeat(sizes > 1, sizes)], n)
        sizes = sizes[sizes > 1]
        return cls(np.repeat(np.arange(len(sizes)), sizes), rows)

    def of_rows(self, rows: RowIds) -> Lists:
        """Return the lists of keys with other, ascending numbers of the rows."""
        return Lists(self.lists, rows[self.rows])

    @classmethod
    def of_pairs(cls, i: RowIds, j: RowIds) -> Lists:
        """Return a list for each pair of rows, i < j."""
        return cls(np.repeat(np.arange(len(i)), 2), np.stack([i, j], 1).ravel())

    @classmethod
    def concat(cls, parts: Iterable[Lists]) -> Lists:
        """Return the lists of all parts, one after the other; bounds on pairs are dropped."""
        every = [part for part in parts if len(part)] or [cls.none()]
        firsts = np.cumsum([0, *(int(part.lists[-1]) + 1 for part in every[:-1])])
        return cls(
            np.concatenate([part.lists + first for part, first in zip(every, firsts, strict=True)]),
            np.concatenate([part.rows for part in every]),
            takeable=np.concatenate([part._all_takeable for part in every]),
        )

    def of_kinds(self, kinds: RowIds | None) -> Lists:
        """Return the lists for rows of these kinds (int64[rows]), without lists of one kind."""
        lists = replace(self, kinds=kinds)
        return lists if kinds is None else lists.take(np.ones(len(self), np.bool_))

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.rows)

    def take(self, entries: Bools) -> Lists:
        """Return some of the entries, except those that would be alone, or with their kind only."""
        kept = np.flatnonzero(entries)
        starts = run_starts(self.lists[kept])
        sizes = np.diff(starts, append=len(kept))
        good = sizes > 1
        if self.kinds is not None:
            good = _several(self.kinds[self.rows[kept]], starts)
        return self._of(kept[np.repeat(good, sizes)])

    @property
    def _all_takeable(self) -> Bools:
        return np.ones(len(self), np.bool_) if self.takeable is None else self.takeable

    def count_pairs(self) -> int:
        """Count the pairs of all lists, without those of one kind."""
        pairs = _pairs(np.diff(run_starts(self.lists), append=len(self)))
        if self.kinds is None:
            return pairs
        kinds = self.kinds[self.rows]
        order = np.lexsort((kinds, self.lists))
        return pairs - _pairs(
            np.diff(run_starts(self.lists[order], kinds[order]), append=len(self))
        )

    def walk(self, way: int, bounds: PairBounds, asking: RowIds, **more: Any) -> Walk:
        """Return the questions of rows, `asking`, about those that they share lists with."""
        ordered = self
        if "ranks" in more:
            order = np.lexsort((more["ranks"][self.rows], self.lists))
            ordered = self._of(order)
        more |= {"rest": ordered.rest, "takeable": ordered.takeable, "kinds": self.kinds}
        return Walk(way, ordered.lists, ordered.rows, bounds, asking, **more)

    def _of(self, entries: RowIds) -> Lists:
        rest = None if self.rest is None else self.rest[entries]
        takeable = None if self.takeable is None else self.takeable[entries]
        return Lists(self.lists[entries], self.rows[entries], rest, self.kinds, takeable)


def _pairs(sizes: RowIds) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _several(values: RowIds, starts: RowIds) -> Bools:
    """Return which lists have several values, given those of entries and where lists begin."""
    changes = np.append(False, values[1:] != values[:-1])
    changes[starts] = False
    several: Bools = (
        np.add.reduceat(changes.astype(np.int64), starts) > 0 if len(starts) else changes[:0]
    )
    return several


def kinds_of(groups: RowIds) -> RowIds:
    """Return the kinds of rows (int64[n]) of groups; rows of the group -1 are each of their own."""
    return np.where(groups < 0, groups.max(initial=0) + 1 + np.arange(len(groups)), groups)


# -- prefixes and parts: lists of rows that may be similar --

# The largest table of counts takes 64 MB; smaller ones have eight counts per element.
_SLOT_BITS = 24
# A tolerance for rounding errors, so that a set that just meets the bound is kept.
_EXACT = 1 - 1e-9
# The minimum width of a class, for similarities near 1.
_WIDTH = 1.05


class Prefixes:
    """Collects the prefixes of n sets: all are counted first, then added.

    `elements` is their approximate total number of elements.
    """

    def __init__(self, n: int, elements: int, similarity: float) -> None:
        self._similarity = similarity
        self._times = np.zeros(1 << min((8 * elements).bit_length(), _SLOT_BITS), np.uint32)
        self._hashes: list[U64] = []
        self._rows: list[RowIds] = []
        self._rest: list[RowIds] = []
        self.sizes = np.zeros(n, np.int64)  # of each set

    def count(self, rows: RowIds, starts: RowIds, hashes: U64) -> None:
        """Count the elements of some sets.

        Parameters
        ----------
        rows : int64[sets]
            Their numbers.
        starts : int64[sets + 1]
            Where each begins in `hashes`, and the end.
        hashes : uint64[entries]
            Their elements, each once per set.
        """
        self.sizes[rows] = np.diff(starts)
        np.add.at(self._times, self._slots(hashes), np.uint32(1))

    def add(
        self, rows: RowIds, starts: RowIds, hashes: U64, *, met: bool = False, whole: bool = False
    ) -> None:
        """Add the prefixes of sets that were counted, or the `whole` sets; see `count`.

        With `met`, add only elements in the prefix of a set that was added before.
        """
        which, hashes, rest = self._in_order(starts, hashes)
        inside = np.isin(hashes, self._known) if met else np.ones(len(hashes), np.bool_)
        if not whole:
            inside &= rest >= self._similarity * _EXACT * np.diff(starts)[which]
        self._rows.append(rows[which[inside]])
        self._hashes.append(hashes[inside])
        self._rest.append(rest[inside])

    def _in_order(self, starts: RowIds, hashes: U64) -> tuple[RowIds, U64, RowIds]:
        """Return the elements of sets in the common order, but those of a single set.

        Beside each element come its set, and how many elements of the set do not precede it.
        """
        sizes = np.diff(starts)
        times = self._times[self._slots(hashes)]
        several = times > 1
        which = np.repeat(np.arange(len(sizes)), sizes)
        # Elements of a single set come first and are in no list.
        alone = np.bincount(which[~several], minlength=len(sizes))
        which, hashes, times = which[several], hashes[several], times[several]
        order = np.lexsort((hashes, times, which))
        which, hashes = which[order], hashes[order]
        firsts = np.searchsorted(which, np.arange(len(sizes)))
        rest = (sizes - alone)[which] - (np.arange(len(which)) - firsts[which])
        return which, hashes, rest

    def remember(self, *, drop: bool = False) -> None:
        """Record which elements have been added, for sets that are added later.

        With `drop`, these alone are left of what was added.
        """
        self._known = distinct(np.concatenate([np.zeros(0, np.uint64), *self._hashes]))
        if drop:
            self._hashes, self._rows, self._rest = [], [], []

    def holder_lists(self) -> Lists:
        """Return the lists of sets with a common element, which is in the prefix of one of them.

        Where it is in the prefix of a set, the set is takeable: another one may contain it.
        """
        found = self.lists()
        assert found.rest is not None
        takeable = found.rest >= self._similarity * _EXACT * self.sizes[found.rows]
        return Lists(found.lists, found.rows, takeable=takeable)

    def lists(self) -> Lists:
        """Return the lists of sets with a common element in their prefixes."""
        nothing = np.zeros(0, np.int64)
        hashes = np.concatenate([np.zeros(0, np.uint64), *self._hashes])
        rows = np.concatenate([nothing, *self._rows])
        rest = np.concatenate([nothing, *self._rest])
        order = np.lexsort((rows, hashes, self._times[self._slots(hashes)]))
        hashes = hashes[order]
        numbers = np.cumsum(np.append(0, hashes[1:] != hashes[:-1])) if len(hashes) else nothing
        every = Lists(numbers, rows[order], rest[order])
        return _without_nested(every.take(np.ones(len(every), np.bool_)), len(self.sizes))

    def _slots(self, hashes: U64) -> RowIds:
        """Return the position of each element in the table of counts."""
        return (mix64(hashes) & np.uint64(len(self._times) - 1)).astype(np.int64)


def _without_nested(lists: Lists, n: int) -> Lists:
    """Drop each list whose rows are all in one earlier list.

    The only earlier list that is tried is the previous one with the same first row.
    """
    if not len(lists):
        return lists
    by_row = np.lexsort((lists.lists, lists.rows))
    before = np.full(len(lists), -1, np.int64)
    same = lists.rows[by_row][1:] == lists.rows[by_row][:-1]
    before[by_row[1:][same]] = lists.lists[by_row[:-1][same]]
    wanted = before[np.searchsorted(lists.lists, lists.lists)] * n + lists.rows
    # Lists are ascending, and rows within them, so these are too.
    places = lists.lists * n + lists.rows
    found = contains(places, wanted)
    missing = np.bincount(lists.lists, ~found, minlength=int(lists.lists.max()) + 1)
    return lists.take(missing[lists.lists] > 0)


class Parts:
    """Makes lists of the parts of sets, for a similarity above 0.

    `sizes` (int64[n]) has the sizes of all sets.
    """

    def __init__(self, similarity: float, sizes: RowIds) -> None:
        self._similarity = similarity
        self._width = max(1 / similarity, _WIDTH)
        logarithms = np.log(np.maximum(sizes, 1)) / math.log(self._width)
        self._classes = np.floor(logarithms).astype(np.int64)
        self._present = distinct(self._classes)

    def lists(self, blocks: Iterable[tuple[RowIds, tuple[RowIds, U64]]]) -> Lists:
        """Return the lists of sets with a part in which they differ in at most one element.

        Parameters
        ----------
        blocks : iterable of (rows, (starts, hashes))
            Sets, some at a time: their numbers; where each begins in `hashes`, and the end; and
            their elements, each once per set.
        """
        entries = [np.zeros(0, np.uint64)]
        for rows, (starts, hashes) in blocks:
            which = np.repeat(np.arange(len(rows)), np.diff(starts))
            for more in (0, 1):
                classes = self._classes[rows] + more
                met = np.isin(classes, self._present)
                parts = np.where(met, self._count(classes), 0)
                entries += self._entries(rows, parts, which[met[which]], hashes[met[which]])
        every = np.concatenate(entries)
        entries.clear()
        return Lists.of_entries(every, len(self._classes))

    def _entries(self, rows: RowIds, parts: RowIds, which: RowIds, hashes: U64) -> tuple[U64, U64]:
        """Return entries for sets cut into `parts` (int64[sets]); `which`: each element's set."""
        set_of = np.repeat(np.arange(len(rows)), parts)
        firsts = np.cumsum(parts) - parts
        # Equal numbers of parts mean equal classes.
        number = parts[set_of] << 32 | (np.arange(len(set_of)) - firsts[set_of])
        keys = mix64(number.astype(np.uint64))
        scaled = (mix64(hashes) >> np.uint64(32)) * parts[which].astype(np.uint64)
        places = firsts[which] + (scaled >> np.uint64(32)).astype(np.int64)
        values = mix64(hashes + np.uint64(1))
        np.add.at(keys, places, values)
        n = len(self._classes)
        return (
            pack(mix64(keys), rows[set_of], n),
            pack(mix64(keys[places] - values), rows[which], n),
        )

    def _count(self, classes: RowIds) -> RowIds:
        """Return into how many parts the sets of a class are cut."""
        # The logarithm may be slightly off if a size is a power of the width.
        most = np.ceil(self._width ** (classes + 1) * (1 + 1e-9))
        share = 2 * (1 - self._similarity) / (1 + self._similarity)
        parts: RowIds = np.floor((share * most + 1e-6) / 2).astype(np.int64) + 1
        return parts


# -- groups along lists --


class Forest:
    """Disjoint sets of the rows 0 to n - 1, each identified by its smallest row."""

    def __init__(self, n: int) -> None:
        # int64[n]: the smallest row in the set of each row.
        self.roots: RowIds = np.arange(n)

    def join(self, i: RowIds, j: RowIds) -> None:
        """Join the sets of each pair of rows; the order of pairs does not matter."""
        while True:
            a, b = self.roots[i], self.roots[j]
            apart = a != b
            if not apart.any():
                return
            i, j, a, b = i[apart], j[apart], a[apart], b[apart]
            np.minimum.at(self.roots, np.maximum(a, b), np.minimum(a, b))
            while not np.array_equal(shorter := self.roots[self.roots], self.roots):
                self.roots = shorter


# Returns which pairs (i[k], j[k]) of rows belong together.
Test = Callable[[RowIds, RowIds], Bools]
Look = Callable[[RowIds, RowIds], NDArray[np.uint8]]

# The cost of visiting a pair, in compared elements.
LOOK = 64
# Visits in a second or two: whoever interrupts does not wait longer.
_AT_ONCE = 1 << 26
# What is known of a pair is in the last bits of a value.
_CODE, _CODES = np.uint64(3), np.uint64(7)


class Known:
    """What is known of pairs of n rows: each is looked at once."""

    def __init__(self, n: int) -> None:
        self._n = n
        # Pairs with what is known of them, sorted; each array is over twice as long as the next.
        self._known: list[U64] = []

    def of(self, i: RowIds, j: RowIds, look: Look) -> NDArray[np.uint8]:
        """Return what is known of pairs, in either order; look at those that are new.

        `look` returns what there is to know of pairs i < j: uint8[pairs], below 8.
        """
        pairs, places = np.unique(self._pairs(i, j), return_inverse=True)
        missing = np.ones(len(pairs), np.bool_)
        found = np.zeros(len(pairs), np.uint8)
        for known in self._known:
            at = np.minimum(np.searchsorted(known, pairs << _CODE), len(known) - 1)
            same = known[at] >> _CODE == pairs
            found[same] = known[at[same]] & _CODES
            missing &= ~same
        new = pairs[missing]
        found[missing] = look(*np.divmod(new.astype(np.int64), self._n))
        self._add(new, found[missing])
        return found[places]

    def add(self, i: RowIds, j: RowIds, found: NDArray[np.uint8]) -> None:
        """Add what was found elsewhere of distinct pairs, in either order."""
        self._add(self._pairs(i, j), found)

    def _pairs(self, i: RowIds, j: RowIds) -> U64:
        return (np.minimum(i, j) * self._n + np.maximum(i, j)).astype(np.uint64)

    def _add(self, pairs: U64, found: NDArray[np.uint8]) -> None:
        if not len(pairs):
            return
        new = np.sort(pairs << _CODE | found)
        while self._known and len(self._known[-1]) <= 2 * len(new):
            new = np.concatenate([self._known.pop(), new])
            new.sort()
        self._known.append(new)


@dataclass(slots=True)
class Budget:
    """A limit on operations; what is beyond it is counted but not done."""

    left: float
    unchecked: int = 0  # an upper bound: some pairs may be counted more than once

    def afford(self, costs: RowIds) -> int:
        """Spend the costs of pairs, and return how many of them, from the first, fit the budget."""
        paid = int(np.searchsorted(np.cumsum(costs), self.left, "right"))
        self.left -= float(costs[:paid].sum())
        if paid < len(costs):
            self.left = 0
            self.unchecked += len(costs) - paid
        return paid

    def questions(self, walk: Walk) -> Iterator[RowPairs]:
        """Yield the questions of a walk, as long as its visits fit the budget."""
        while not walk.done and self.left >= LOOK:
            before = walk.visits
            i, j = walk.questions(int(min(self.left / LOOK, _AT_ONCE)))
            self.left -= LOOK * (walk.visits - before)
            if len(i):
                yield i, j
        self.unchecked += walk.left


def connect(lists: Lists, bounds: PairBounds, roots: RowIds, check: Test, budget: Budget) -> RowIds:
    """Return the set of each row, by its smallest row: joined with all that pass the check.

    `roots` (int64[n]) are the sets to begin with.
    """
    walk = lists.walk(JOIN, bounds, distinct(lists.rows), roots=roots)
    for i, j in budget.questions(walk):
        walk.answer(check(i, j))
    return walk.roots


def stars(
    lists: Lists,
    bounds: PairBounds,
    order: RowIds,
    check: Test,
    budget: Budget,
    directed: bool = False,
) -> RowIds:
    """Return the centre of each row; of those that are not in `order`, -1.

    In this order, each free row takes all free rows with which it passes the check, the row first.
    Beyond the budget, rows are their own centres.

    Parameters
    ----------
    directed : bool
        Whether a row only takes what it contains.
    """
    ranks = np.full(bounds.rows, -1)
    ranks[order] = np.arange(len(order))
    some = lists.take(ranks[lists.rows] >= 0)
    walk = some.walk(STAR, bounds, order, ranks=ranks, directed=directed)
    for i, j in budget.questions(walk):
        walk.answer(check(j, i))
    centres = np.full(bounds.rows, -1)
    found = walk.found[order]
    centres[order] = np.where(found < bounds.rows, order[np.minimum(found, len(order) - 1)], order)
    return centres


def first_partners(
    lists: Lists,
    bounds: PairBounds,
    wanted: RowIds,
    check: Test,
    budget: Budget,
    parts: RowIds | None = None,
    directed: bool = False,
) -> RowIds:
    """Return the first row with which each wanted row passes the check, or -1.

    Beyond the budget, it is the first of those that were checked.

    Parameters
    ----------
    parts : int64[n], optional
        The first row is of another part than the wanted one, and not of part -1.
    directed : bool
        Whether the first row must contain the wanted one.
    """
    walk = lists.walk(FIRST, bounds, wanted, parts=parts, directed=directed)
    for i, j in budget.questions(walk):
        walk.answer(check(i, j))
    found = walk.found[wanted]
    return np.where(found < bounds.rows, found, -1)


def possible_pairs(lists: Lists, bounds: PairBounds, test: Test, most: int) -> Lists:
    """Return a list for each pair that passes a test, or all lists if there are too many pairs."""
    pairs, walk = [np.zeros((2, 0), np.int64)], lists.walk(ALL, bounds, distinct(lists.rows))
    for i, j in Budget(sys.maxsize).questions(walk):
        good = test(i, j)
        pairs.append(np.stack([j[good], i[good]]))
        most -= pairs[-1].shape[1]
        if most < 0:
            return lists
    return Lists.of_pairs(*np.concatenate(pairs, axis=1))
