"""Lists of rows that have something in common: a band key, a block of bits, a rare element.

Rows that belong together share a list, so the pairs of all lists include all pairs that matter.  In
a long list, most pairs add nothing: once two rows are known to be in one group, no pair of that
group needs a check.  A `Walk` leaves these out without visiting them (`simdup.kernels.groups`), so
a group of m rows costs O(m), not O(m * m).

Lists of elements (`prefixes`) store how much of each set is left from an element on.  This bounds
what two sets can share, and rejects most pairs without reading the sets.

Rows of one kind never belong together.  Among twenty thousand rows of one kind and a hundred of
another, whoever looks for the partners of a row skips those of its own kind without visiting them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.kernels.groups import PairBounds, Walk
from simdup.mix64 import mix64
from simdup.search.arrays import U64, Bools, RowIds, read_rows, row_bits, run_starts


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


def pack(keys: U64, rows: RowIds, n: int) -> U64:
    """Return entries (uint64): the high bits of keys, which are mixed, and rows below n.

    Keys that differ only in their low bits make one list.
    """
    bits = np.uint64(row_bits(n))
    return keys >> bits << bits | rows.astype(np.uint64)


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
