"""Arrays of fingerprints and of row numbers, and the operations that every search needs.

A set of n fingerprints is ``uint64[n, words]`` with ``words = ceil(bits / 64)``, the most
significant word first and the unused high bits zero. A fingerprint is identified by its row.
"""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import mix64

U64: TypeAlias = NDArray[np.uint64]
U32: TypeAlias = NDArray[np.uint32]
I64: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
RowIds: TypeAlias = NDArray[np.int64]
RowPairs: TypeAlias = tuple[RowIds, RowIds]
Scalar = TypeVar("Scalar", bound=np.generic)

WORD = 64
# Values processed at a time. The two or three temporary arrays should stay in the caches, and
# each step should be long enough that threads do not contend for the interpreter's lock.
# Processor seconds for 10**7 fingerprints, 10 tables, two threads: 2**15 2.88, 2**16 2.74,
# 2**17 2.75, 2**18 2.86; for 10**6: 0.257, 0.250, 0.220, 0.214.
CHUNK = 1 << 17


def count_words(bits: int) -> int:
    """Count the 64-bit words of a fingerprint of `bits` bits."""
    return -(-bits // WORD)


def row_bits(n: int) -> int:
    """Count the bits that hold any row number below `n`."""
    return max(n - 1, 0).bit_length()


def read_rows(values: U64, n: int) -> RowIds:
    """Return the row numbers, below n, in the lowest bits of values."""
    return (values & np.uint64((1 << row_bits(n)) - 1)).astype(np.int64)


def pack(keys: U64, rows: RowIds, n: int) -> U64:
    """Return entries (uint64): the high bits of keys, which are mixed, and rows below n.

    Keys that differ only in their low bits have equal *fronts*.
    """
    bits = np.uint64(row_bits(n))
    entries: U64 = keys >> bits
    entries <<= bits
    entries |= rows.view(np.uint64)
    return entries


def find_packed(entries: U64, keys: U64, n: int) -> RowPairs:
    """Return where the entries with the front of each key begin, and how many these are.

    `entries` are sorted; see `pack`.
    """
    last = np.uint64((1 << row_bits(n)) - 1)
    begin = np.searchsorted(entries, keys & ~last, side="left")
    return begin, np.searchsorted(entries, keys | last, side="right") - begin


def combine_rows(high: RowIds, low: RowIds) -> U64:
    """Put two row numbers below 2**32 into one value, which sorts by `high`, then `low`."""
    return high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64)


def split_rows(values: U64) -> RowPairs:
    """Return the row numbers that `combine_rows` put into values."""
    high, low = values >> np.uint64(32), values & np.uint64(0xFFFFFFFF)
    return high.astype(np.int64), low.astype(np.int64)


def xor_rows(a: U64, i: RowIds, b: U64, j: RowIds) -> U64:
    """XOR rows `i` of `a` with rows `j` of `b`, m of each: uint64[m, words]."""
    result = a.take(i, axis=0)
    result ^= b.take(j, axis=0)
    return result


def count_ones(values: U64) -> NDArray[np.int16]:
    """Count the bits set in each row of uint64[m, words]."""
    total = np.bitwise_count(values[:, 0]).astype(np.int16)
    for word in range(1, values.shape[1]):
        total += np.bitwise_count(values[:, word])
    return total


def hamming_distances(a: U64, i: RowIds, b: U64, j: RowIds) -> NDArray[np.int16]:
    """Return the Hamming distances between rows `i` of `a` and rows `j` of `b`, m of each."""
    result = np.empty(len(i), dtype=np.int16)
    # So that the rows stay in a cache of 512 kB.
    step = max((CHUNK >> 2) // a.shape[1], 1)
    for low in range(0, len(i), step):
        high = low + step
        result[low:high] = count_ones(xor_rows(a, i[low:high], b, j[low:high]))
    return result


def count_equal(
    a: NDArray[np.uint8], i: RowIds, b: NDArray[np.uint8], j: RowIds
) -> NDArray[np.uint16]:
    """Count the equal bytes of rows `i` of `a` and rows `j` of `b`, m of each."""
    result = np.empty(len(i), dtype=np.uint16)
    step = max((CHUNK << 1) // a.shape[1], 1)
    for low in range(0, len(i), step):
        high = low + step
        equal = a.take(i[low:high], axis=0) == b.take(j[low:high], axis=0)
        # A row of 72 bytes takes 28 ns this way, and 70 ns with `count_nonzero`.
        result[low:high] = np.einsum("ij->i", equal.view(np.uint8), dtype=np.uint16)
    return result


def mix_rows(fingerprints: U64) -> U64:
    """Mix all bits of each fingerprint into one uint64; equal ones stay equal.

    `mix64` is a bijection, so different fingerprints of one word never collide unless truncated,
    and no skew of the input remains in the high bits.
    """
    result = mix64(fingerprints[:, 0])
    for word in range(1, fingerprints.shape[1]):
        result = mix64(result ^ fingerprints[:, word])
    return result


def run_starts(*columns: NDArray[Any]) -> RowIds:
    """Return where runs of equal rows begin, in several parallel columns.

    >>> run_starts(np.array([3, 3, 5, 5, 5, 3])).tolist()
    [0, 2, 5]
    """
    new = np.zeros(len(columns[0]), np.bool_)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(new)


def distinct(values: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return the distinct values, ascending.

    A million 64-bit values take 55 ms; `np.unique`, which fills a hash table first, a second.
    """
    ordered = np.sort(values)
    return ordered[run_starts(ordered)]


def contains(ordered: NDArray[Any], asked: NDArray[Any]) -> Bools:
    """Return which numbers occur in a sorted array."""
    if not len(ordered):
        return np.zeros(len(asked), np.bool_)
    position = np.minimum(np.searchsorted(ordered, asked), len(ordered) - 1)
    found: Bools = ordered[position] == asked
    return found


class Members:
    """Mixed 64-bit numbers, ascending, that many others are looked up among.

    Most of what is looked up is not there.  A table of first bits says so in a tenth of the time
    that a search takes.
    """

    def __init__(self, ordered: U64) -> None:
        bits = min(max(16 * len(ordered), 1 << 18).bit_length(), 24)
        self.ordered, self._shift = ordered, np.uint64(WORD - bits)
        self._marks = np.zeros(1 << bits, np.bool_)
        self._marks[ordered >> self._shift] = True

    def __len__(self) -> int:
        """Return how many numbers there are."""
        return len(self.ordered)

    def __call__(self, asked: U64) -> Bools:
        """Return which of some numbers are among them."""
        found: Bools = self._marks[asked >> self._shift]
        rows = np.flatnonzero(found)
        found[rows] = contains(self.ordered, asked[rows])
        return found

    def places(self, known: U64) -> RowIds:
        """Return the place of each of some numbers that are among them."""
        return np.searchsorted(self.ordered, known)


def ranges(firsts: RowIds, counts: RowIds) -> RowIds:
    """Return as many numbers as `counts` has from each first one on, one range after the other.

    >>> ranges(np.array([5, 0, 2]), np.array([2, 0, 3])).tolist()
    [5, 6, 2, 3, 4]
    """
    before = np.cumsum(counts) - counts
    found: RowIds = np.repeat(firsts - before, counts) + np.arange(int(counts.sum()))
    return found


def iter_ranges(counts: RowIds, chunk: int) -> Iterator[RowPairs]:
    """Yield every c and each number of ``range(counts[c])``, in chunks of at most `chunk`.

    >>> [(w.tolist(), o.tolist()) for w, o in iter_ranges(np.array([2, 0, 3]), 4)]
    [([0, 0, 2, 2], [0, 1, 0, 1]), ([2], [2])]
    """
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    for low in range(0, total, chunk):
        high = min(low + chunk, total)
        first = int(np.searchsorted(ends, low, side="right"))
        last = int(np.searchsorted(ends, high, side="left")) + 1
        inside = np.minimum(ends[first:last], high)
        here = np.diff(inside, prepend=low)
        which = np.repeat(np.arange(first, last), here)
        starts = ends[first:last] - counts[first:last]
        offset = np.arange(low, high) - starts.repeat(here)
        yield which, offset


def components(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the groups of numbers that pairs connect (single linkage).

    Groups are ascending, and sorted by size, largest first, then by their first number.

    References
    ----------
    B. Galler, M. Fischer, "An improved equivalence algorithm", CACM 7 (1964): the forest that
    `root` climbs; the smaller number always becomes the root, so the result needs no order.
    """
    parent: dict[int, int] = {}

    def root(number: int) -> int:
        while (above := parent.setdefault(number, number)) != number:
            parent[number] = number = parent[above]
        return number

    for a, b in pairs:
        low, high = sorted((root(a), root(b)))
        parent[high] = low
    groups: dict[int, list[int]] = {}
    for number in sorted(parent):
        groups.setdefault(root(number), []).append(number)
    return ordered(groups.values())


def ordered(groups: Iterable[list[int]]) -> list[list[int]]:
    """Return groups sorted by size, largest first, then by their first number."""
    return sorted(groups, key=lambda group: (-len(group), group[0]))
