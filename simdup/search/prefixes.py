"""Prefix lists: find sets that may have a Jaccard similarity of at least s, by rare elements.

Put the elements of all sets in one order, rare ones first.  Sets x and y with a similarity of s or
more share at least s / (1 + s) * (|x| + |y|) elements.  From the first common element on, each set
must have at least that many elements left.  So this element is among the first (1 - s) |x| + 1 of
x, its *prefix*, and sets whose prefixes have no common element need not be compared.  Texts of one
template that differ in a number have their own numbers in front, and everything common at the end.

The order affects only how much is saved, not what is found.  So the frequencies of elements are
counted in a table of fixed size, in which some elements share a count.

Elements that always occur together, such as those of a template, give one list instead of hundreds:
a list is dropped if all of its sets share some earlier element too.

References
----------
S. Chaudhuri, V. Ganti, R. Kaushik, "A primitive operator for similarity joins", ICDE 2006.
R. Bayardo, Y. Ma, R. Srikant, "Scaling up all pairs similarity search", WWW 2007.
C. Xiao, W. Wang, X. Lin, J. Yu, "Efficient similarity joins for near duplicate detection", WWW
2008: the bound by the elements left.
"""

from __future__ import annotations

import numpy as np

from simdup.mix64 import mix64
from simdup.search.arrays import U64, RowIds
from simdup.search.lists import Lists

# The largest table of counts takes 64 MB; smaller ones have eight counts per element.
_SLOT_BITS = 24
# A tolerance for rounding errors, so that a set that just meets the bound is kept.
_EXACT = 1 - 1e-9


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

    def add(self, rows: RowIds, starts: RowIds, hashes: U64, met: bool = False) -> None:
        """Add the prefixes of sets that were counted; see `count`.

        With `met`, add only elements in the prefix of a set that was added before.
        """
        which, hashes, rest = self._in_order(starts, hashes)
        inside = rest >= self._similarity * _EXACT * np.diff(starts)[which]
        if met:
            inside &= np.isin(hashes, self._known)
        self._keep(rows[which[inside]], hashes[inside], rest[inside])

    def add_holders(self, rows: RowIds, starts: RowIds, hashes: U64) -> None:
        """Add all elements of sets that are in the prefix of a set that was added before."""
        which, hashes, rest = self._in_order(starts, hashes)
        inside = np.isin(hashes, self._known)
        self._keep(rows[which[inside]], hashes[inside], rest[inside])

    def _keep(self, rows: RowIds, hashes: U64, rest: RowIds) -> None:
        self._rows.append(rows)
        self._hashes.append(hashes)
        self._rest.append(rest)

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

    def remember(self) -> None:
        """Record which elements have been added, for sets that are added later."""
        self._known = np.unique(np.concatenate([np.zeros(0, np.uint64), *self._hashes]))

    def forget(self) -> None:
        """Drop what was added, but what is remembered."""
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
        share = self._similarity / (1 + self._similarity)
        asked = (share * _EXACT * self.sizes).astype(np.float64)
        every = Lists(numbers, rows[order], rest[order], asked)
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
    starts, _ = lists.bounds
    wanted = before[starts] * n + lists.rows
    # Lists are ascending, and rows within them, so these are too.
    places = lists.lists * n + lists.rows
    found = places[np.minimum(np.searchsorted(places, wanted), len(places) - 1)] == wanted
    missing = np.bincount(lists.lists, ~found, minlength=int(lists.lists.max()) + 1)
    return lists.take(missing[lists.lists] > 0)


def odd_sketches(starts: RowIds, hashes: U64, words: int) -> U64:
    """Return the odd sketches of sets: bit b says whether an odd number of elements map to it.

    In the exclusive or of two sketches, common elements cancel out, and every other element changes
    one bit.  So two sets differ in at least as many elements as their sketches differ in bits.
    This bound is never wrong, and it is good if a sketch has as many bits as sets have differences.

    Parameters
    ----------
    starts, hashes
        As in `Prefixes.count`.
    words : int
        Words of a sketch, a power of 2.

    Returns
    -------
    uint64[sets, words]

    References
    ----------
    M. Mitzenmacher, R. Pagh, N. Pham, "Efficient estimation for high similarities using odd
    sketches", WWW 2014.
    """
    sketches = np.zeros((len(starts) - 1) * words, np.uint64)
    which = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    mixed = mix64(hashes)
    places = which * words + (mixed >> np.uint64(32)).astype(np.int64) % words
    np.bitwise_xor.at(sketches, places, np.uint64(1) << (mixed & np.uint64(63)))
    return sketches.reshape(-1, words)
