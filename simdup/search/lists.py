"""Lists of rows that have something in common: a band key, a block of bits, a rare element.

Rows that belong together share a list, so the pairs of all lists include all pairs that matter.  In
a long list, most pairs add nothing: once two rows are known to be in one group, no pair of that
group needs a check.  `Lists.pairs_between` leaves these out without visiting them, so a group of m
rows costs O(m), not O(m * m).

Lists of elements (`prefixes`) store how much of each set is left from an element on.  This bounds
what two sets can share, and rejects most pairs without reading the sets.

Rows of one kind never belong together.  Among twenty thousand rows of one kind and a hundred of
another, whoever looks for the partners of a row skips those of its own kind without visiting them,
however they are mixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.mix64 import mix64
from simdup.search.arrays import (
    U64,
    Bools,
    RowIds,
    RowPairs,
    distinct,
    iter_ranges,
    read_rows,
    row_bits,
    run_starts,
)

# Pairs in a chunk: their row numbers take 1 MB.
CHUNK = 1 << 16
# Kinds take the place of groups where that visits so many times fewer pairs: groups skip pairs that
# are joined already, so with kinds of about the same size they are better.
FEWER = 4


@dataclass(frozen=True, eq=False)
class Lists:
    """Lists of rows; entries are ordered by list, then by row."""

    lists: RowIds  # int64[entries]: the number of each entry's list
    rows: RowIds  # int64[entries]
    # int64[entries]: for lists of elements, how many of the row's elements do not come before
    # this one in the common order; None if pairs are not bounded.
    rest: RowIds | None = None
    # float64[rows]: two sets must share as many elements as the sum of their values here.
    asked: NDArray[np.float64] | None = None
    # int64[rows]: rows of equal kinds never belong together; None if all may.
    kinds: RowIds | None = None
    # bool[entries]: which rows others in the list may take; None for all (see `grouping.stars`).
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
        kept = kept[np.repeat(good, sizes)]
        rest = None if self.rest is None else self.rest[kept]
        takeable = None if self.takeable is None else self.takeable[kept]
        return replace(
            self, lists=self.lists[kept], rows=self.rows[kept], rest=rest, takeable=takeable
        )

    def takeable_first(self) -> tuple[Lists, RowIds]:
        """Return the lists with takeable entries first, and how many each entry's list has."""
        takeable = self._all_takeable
        order = np.lexsort((self.rows, ~takeable, self.lists))
        rest = None if self.rest is None else self.rest[order]
        counts = np.bincount(self.lists, takeable).astype(np.int64)
        lists = replace(self, rows=self.rows[order], rest=rest, takeable=takeable[order])
        return lists, counts[self.lists]

    @property
    def _all_takeable(self) -> Bools:
        return np.ones(len(self), np.bool_) if self.takeable is None else self.takeable

    @cached_property
    def starts(self) -> RowIds:
        """Where the lists begin (int64[lists])."""
        return run_starts(self.lists)

    @cached_property
    def sizes(self) -> RowIds:
        """How many entries each list has (int64[lists])."""
        return np.diff(self.starts, append=len(self))

    @cached_property
    def bounds(self) -> tuple[RowIds, RowIds]:
        """Where the list of each entry begins and ends (int64[entries] each)."""
        ends = self.starts + self.sizes
        return np.repeat(self.starts, self.sizes), np.repeat(ends, self.sizes)

    def count_pairs(self) -> int:
        """Count the pairs of all lists, without those of one kind."""
        pairs = int((self.sizes * (self.sizes - 1) // 2).sum())
        return pairs if self.kinds is None else pairs - self._runs.count_pairs()

    def between(self, groups: RowIds) -> Lists:
        """Return the lists with rows of several groups (int64[rows])."""
        return self.take(np.repeat(_several(groups[self.rows], self.starts), self.sizes))

    def pairs_between(self, groups: RowIds, most: int) -> Iterator[RowPairs]:
        """Yield the pairs of rows of different groups in each list.

        The largest group of a list comes last, and its rows begin no pair.  Every other row is
        paired with at most `most` rows, from the end of the list.  Where that visits few pairs, the
        kinds of rows take the place of their groups.

        Yields
        ------
        a, b : int64[m]
            Entries, in undefined order, once for every list that a pair shares; at most `CHUNK`.
            See `rows_of`.
        """
        order, tails = _tails(self, groups[self.rows], most)
        if self.kinds is not None:
            by_kind = _tails(self, self.kinds[self.rows], most)
            if FEWER * by_kind[1].sum() < tails.sum():
                order, tails = by_kind
        _, ends = self.bounds
        for which, offset in iter_ranges(tails, CHUNK):
            yield order[which], order[ends[which] - 1 - offset]

    def rows_of(self, a: RowIds, b: RowIds) -> RowPairs:
        """Return the rows of pairs of entries that may belong together."""
        i, j = self.rows[a], self.rows[b]
        possible = _possible(self, a, b) & (i != j)
        return i[possible], j[possible]

    def of_possible(self, possible: Callable[..., Bools], most: int) -> Lists:
        """Return a list for each pair of rows that is possible, or all if these are too many."""
        n = int(self.rows.max(initial=-1)) + 1
        found, waiting, held = np.zeros(0, np.int64), list[RowIds](), 0
        for one, other in self.pairs_between(np.arange(n), n):
            i, j = self.rows_of(one, other)
            good = possible(i, j)
            i, j = i[good], j[good]
            waiting.append(np.minimum(i, j) * n + np.maximum(i, j))
            held += len(i)
            if held > most:  # many are the same
                found, waiting, held = distinct(np.concatenate([found, *waiting])), [], 0
                if len(found) > most:
                    return self
        return Lists.of_pairs(*np.divmod(distinct(np.concatenate([found, *waiting])), n))

    def complete_to(self, entries: RowIds, most: int, n: int) -> RowIds:
        """Return the row (int64[n]) up to which the heads of entries have all partners; n: all."""
        longer = entries[self._others(entries) > most]
        complete = np.full(n, n, np.int64)
        last = self._places(longer, np.full(len(longer), most - 1))
        np.minimum.at(complete, self.rows[longer], self.rows[last])
        return complete

    @cached_property
    def _runs(self) -> KindRuns:
        kinds = np.zeros(0, np.int64) if self.kinds is None else self.kinds[self.rows]
        return KindRuns.of(self.lists, kinds, np.arange(len(self)) - self.bounds[0])

    def _others(self, entries: RowIds) -> RowIds:
        """Return how many entries of the list of each entry may belong to it."""
        starts, ends = self.bounds
        sizes = ends[entries] - starts[entries]
        return sizes if self.kinds is None else sizes - self._runs.sizes[self._runs.run_of[entries]]

    def _places(self, entries: RowIds, rank: RowIds) -> RowIds:
        """Return the entries that are the k-th of these, for the k of each entry."""
        starts, _ = self.bounds
        return starts[entries] + (rank if self.kinds is None else self._runs.place(entries, rank))

    def heads(self, entries: RowIds, most: RowIds | int) -> Iterator[tuple[RowIds, RowIds]]:
        """Yield pairs of entries: with the first `most` of other kinds in the list of each.

        `most` is one number for all, or one for each; see `rows_of`.
        """
        for which, offset in iter_ranges(np.minimum(self._others(entries), most), CHUNK):
            a = entries[which]
            yield a, self._places(a, offset)

    def count_heads(self, entries: RowIds) -> int:
        """Count the entries of other kinds in the list of each entry."""
        return int(self._others(entries).sum())


def pack(keys: U64, rows: RowIds, n: int) -> U64:
    """Return entries (uint64): the high bits of keys, which are mixed, and rows below n.

    Keys that differ only in their low bits make one list.
    """
    bits = np.uint64(row_bits(n))
    return keys >> bits << bits | rows.astype(np.uint64)


def _possible(lists: Lists, a: RowIds, b: RowIds) -> Bools:
    """Return which pairs of entries of the same list may share as much as they must.

    Elements have the same order in all sets.  Two sets that share enough have a first common
    element; from there on, neither set has fewer elements left than they share.
    """
    possible = np.ones(len(a), np.bool_)
    if lists.kinds is not None:
        possible &= lists.kinds[lists.rows[a]] != lists.kinds[lists.rows[b]]
    if lists.rest is not None and lists.asked is not None:
        least = lists.asked[lists.rows[a]] + lists.asked[lists.rows[b]]
        possible &= np.minimum(lists.rest[a], lists.rest[b]) >= least
    return possible


def _tails(lists: Lists, own: RowIds, most: int) -> tuple[RowIds, RowIds]:
    """Return the entries in order, and with how many of its list's end each is paired."""
    order = np.lexsort((own, lists.lists))
    lengths = np.empty(len(lists), np.int64)
    sizes = np.diff(run_starts(lists.lists[order], own[order]), append=len(lists))
    lengths[order] = np.repeat(sizes, sizes)
    room = own if lists.rest is None else lists.rest
    order = np.lexsort((room, own, lengths, lists.lists))
    starts = run_starts(lists.lists[order], own[order])
    sizes = np.diff(starts, append=len(lists))
    run_ends = np.repeat(starts + sizes, sizes)
    return order, np.minimum(lists.bounds[1] - run_ends, most)


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


class KindRuns(NamedTuple):
    """The entries of each kind in each list: a run; runs are ordered by list."""

    run_of: RowIds  # int64[entries]: the run of each entry
    starts: RowIds  # int64[runs]: where each begins among all entries, ordered by run
    sizes: RowIds  # int64[runs]
    # int64[entries], ordered by run: how many entries of other kinds come before this one in its
    # list, and the run before that; ascending.
    keys: RowIds

    @classmethod
    def of(cls, lists: RowIds, kinds: RowIds, places: RowIds) -> KindRuns:
        """Return the runs of entries, given list, kind and place in the list of each."""
        order = np.lexsort((places, kinds, lists))
        starts = run_starts(lists[order], kinds[order])
        sizes = np.diff(starts, append=len(order))
        runs = np.repeat(np.arange(len(starts)), sizes)
        run_of = np.empty(len(order), np.int64)
        run_of[order] = runs
        own = np.arange(len(order)) - np.repeat(starts, sizes)
        keys = runs * (len(order) + 1) + places[order] - own
        return cls(run_of, starts, sizes, keys)

    def place(self, entries: RowIds, rank: RowIds) -> RowIds:
        """Return the places in their lists of the entries of other kinds with these ranks.

        The k-th of them comes after k others, and after those of the entry's own kind before which
        there are at most k.
        """
        runs = self.run_of[entries]
        before = np.searchsorted(self.keys, runs * (len(self.run_of) + 1) + rank, "right")
        return rank + before - self.starts[runs]

    def count_pairs(self) -> int:
        """Count the pairs of entries of one kind in all lists."""
        return int((self.sizes * (self.sizes - 1) // 2).sum())
