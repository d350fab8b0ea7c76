"""Prefix lists: which sets may have a Jaccard similarity of at least s, by their rarest elements.

Put the elements of all sets in one order, rare ones first.  Sets x and y with a similarity of s or
more share at least s / (1 + s) * (|x| + |y|) elements.  At the first element that both have, no
more than what is left of either set can be shared, so in both at least that many are left.  This
first element therefore lies among the first (1 - s) |x| + 1 of x, its *prefix*, and sets of which
no prefixes meet need not be compared at all.  Texts that share all but a number have all that is
common to them at the end, where too little is left, and numbers of their own in front.

The order decides how much is saved, never what is found; so how often an element occurs is counted
in a table of fixed size, in which some elements share a count.

Elements that always occur together, as those of a template do, give one list and not hundreds: a
list is dropped if each of its sets has some earlier element too.

References
----------
S. Chaudhuri, V. Ganti, R. Kaushik, "A primitive operator for similarity joins", ICDE 2006.
R. Bayardo, Y. Ma, R. Srikant, "Scaling up all pairs similarity search", WWW 2007.
C. Xiao, W. Wang, X. Lin, J. Yu, "Efficient similarity joins for near duplicate detection", WWW
2008: the bound by what is left.
"""

from __future__ import annotations

import numpy as np

from simdup.mix64 import mix64
from simdup.search.arrays import U64, RowIds
from simdup.search.lists import Lists

# The largest table of counts has 64 MB; smaller ones have eight counts for each element.
_SLOT_BITS = 24
# A share of sizes is computed with 16 digits: this keeps a set that just meets the bound.
_EXACT = 1 - 1e-9


class Prefixes:
    """Collects the prefixes of n sets: all are counted first, then added.

    `elements` is about how many they have together.
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
            Their elements, each once a set.
        """
        self.sizes[rows] = np.diff(starts)
        np.add.at(self._times, self._slots(hashes), np.uint32(1))

    def add(self, rows: RowIds, starts: RowIds, hashes: U64, met: bool = False) -> None:
        """Add the prefixes of sets that were counted; see `count`.

        With `met`, only elements that are in the prefix of a set that was added before.
        """
        sizes = np.diff(starts)
        times = self._times[self._slots(hashes)]
        several = times > 1
        which = np.repeat(np.arange(len(rows)), sizes)
        # Elements that nobody else has come first and are in no list.
        alone = np.bincount(which[~several], minlength=len(rows))
        which, hashes, times = which[several], hashes[several], times[several]
        order = np.lexsort((hashes, times, which))
        which, hashes = which[order], hashes[order]
        firsts = np.searchsorted(which, np.arange(len(rows)))
        rest = (sizes - alone)[which] - (np.arange(len(which)) - firsts[which])
        inside = rest >= self._similarity * _EXACT * sizes[which]
        if met:
            inside &= np.isin(hashes, self._known)
        self._hashes.append(hashes[inside])
        self._rows.append(rows[which[inside]])
        self._rest.append(rest[inside])

    def remember(self) -> None:
        """Remember which elements have been added, for sets that are added later."""
        self._known = np.unique(np.concatenate([np.zeros(0, np.uint64), *self._hashes]))

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
        """Return each element's place in the table of counts."""
        return (mix64(hashes) & np.uint64(len(self._times) - 1)).astype(np.int64)


def _without_nested(lists: Lists, n: int) -> Lists:
    """Drop each list of which all rows are in one earlier list too.

    The earlier list that is tried is the one before, in the order of the first row.
    """
    if not len(lists):
        return lists
    by_row = np.lexsort((lists.lists, lists.rows))
    before = np.full(len(lists), -1, np.int64)
    same = lists.rows[by_row][1:] == lists.rows[by_row][:-1]
    before[by_row[1:][same]] = lists.lists[by_row[:-1][same]]
    starts, _ = lists.bounds
    wanted = before[starts] * n + lists.rows
    # Lists rise, and rows within them: so do these.
    places = lists.lists * n + lists.rows
    found = places[np.minimum(np.searchsorted(places, wanted), len(places) - 1)] == wanted
    missing = np.bincount(lists.lists, ~found, minlength=int(lists.lists.max()) + 1)
    return lists.take(missing[lists.lists] > 0)


def odd_sketches(starts: RowIds, hashes: U64, words: int) -> U64:
    """Return the odd sketches of sets: bit b tells whether the number of elements in it is odd.

    Elements of both sets cancel out in the exclusive or of two sketches, and each element of one
    set only changes one bit: two sets differ in at least as many elements as their sketches in
    bits.  That bound is never wrong, and good where a sketch has as many bits as sets differ in.

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


def least_difference(sketches: U64, i: RowIds, j: RowIds) -> RowIds:
    """Return in how many elements sets side by side differ at least, by their odd sketches."""
    differ = np.bitwise_count(sketches[i] ^ sketches[j])
    bits: RowIds = differ.sum(axis=1, dtype=np.int64)
    return bits
