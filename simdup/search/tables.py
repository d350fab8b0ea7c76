"""Tables: fingerprints seen through some of their bits, sorted, walked and joined.

A *view* shows fingerprints through the bits, its *columns*, in which they may still differ.  A
search starts with all bits.  Fingerprints that share the key of a table agree on it, so one level
down only the other bits matter.

A *table* of the paper (WWW 2007, section 3) contains the fingerprints with some blocks, the key,
moved to the front, and is sorted. Here it is a single array of uint64: the high bits of each value
are the key, followed by as many of the other bits as fit; the lowest bits are the row number.

    | key | more of the fingerprint | row |

So sorting plain integers, which numpy does fastest, sorts the table; row numbers need no argsort
(which takes as long as ten such sorts) and no lookup. Fingerprints with equal keys are adjacent.
Most false candidates fail on the bits after the key, and only the few that pass are compared as a
whole. If key and row do not fit together, the key is truncated: equal keys have equal prefixes, so
nothing is missed.

The self-join in `allpairs` and the join in `queries` have two things in common.

*Each pair once.* A pair may have equal keys in several tables, but only the first of these
reports it. The pair alone determines which tables find it: table t does if and only if the two
fingerprints agree on the bits of key t. So tables are independent, and any number of them can be
searched at the same time, in any order, with the same result.

*Long runs.* If n fingerprints share a key, comparing all of them takes n**2 / 2 steps. But they
agree on the key, so their differences are in the other bits. Finding near ones is the same problem
with fewer fingerprints of fewer bits, and is solved one level down, with its own plan.

*Compressed*, a sorted array takes fewer bits, and any part of it can be read without the rest.  The
idea (Elias 1974, Fano 1971; the paper compresses its tables too, WWW 2007, section 3.2):
n sorted values below U have log2(U / n) + 1.44 bits of information each. Split each value into a
high and a low part, where the low part has l = floor(log2(U / n)) bits. The low parts are stored
unchanged. The high parts grow slowly, from 0 to at most 2 n, so they are stored as unary deltas:
for every value as many zeros as its high part has grown, then a one. This gives n ones and at most
2 n zeros, l + 1 + U / (n 2**l) bits per value in total, within 0.6 of the bound for any values.

Values are stored in blocks of 128. Their low parts fill 2 l words exactly, and the directory has
the high part of each block's first value. This is enough to find a block by a binary search, and to
locate its ones: the i-th one is at bit (high part of value i) + i.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.search.arrays import (
    CHUNK,
    U32,
    U64,
    WORD,
    RowIds,
    RowPairs,
    count_ones,
    count_words,
    distinct,
    iter_ranges,
    mix_rows,
    row_bits,
    xor_rows,
)
from simdup.search.plans import (
    HammingBall,
    Piece,
    Pieces,
    Plan,
    check_bits,
    cut,
    locate,
    merge_pieces,
    subtract,
    width,
)
from simdup.search.threads import interleave


@dataclass(frozen=True, slots=True, eq=False)
class BitView:
    """Fingerprints and the bits in which they may differ."""

    fingerprints: U64  # uint64[n, words]
    bits: int  # of a fingerprint, 1 to 256
    columns: Pieces  # the bits that may differ, in order and without overlaps

    @classmethod
    def of_all_bits(cls, fingerprints: NDArray[Any], bits: int) -> BitView:
        """Return the view of all bits of some fingerprints, without a copy.

        Parameters
        ----------
        fingerprints : uint64[n] or uint64[n, words]
            One word is enough up to 64 bits.
        bits : int
            1 to 256.

        Raises
        ------
        SimdupError
            If the array has another type or shape, or bits set above the lowest `bits`.
        """
        bits = check_bits(bits)
        return cls(_check(fingerprints, bits), bits, ((0, bits),))

    def __len__(self) -> int:
        return len(self.fingerprints)

    @property
    def width(self) -> int:
        """The number of bits that may differ."""
        return width(self.columns)

    def ball(self, distance: int) -> HammingBall:
        """Return the ball with a distance, for the bits that may differ (at least one)."""
        return HammingBall(self.width, min(distance, self.width))

    def take(self, rows: RowIds | U32 | slice) -> BitView:
        """Return the view of some of the fingerprints."""
        return BitView(self.fingerprints[rows], self.bits, self.columns)

    def without(self, key: Sequence[Piece]) -> BitView:
        """Return the view of the bits that are not in a key."""
        return BitView(self.fingerprints, self.bits, subtract(self.columns, key))

    def beside(self, other: BitView) -> BitView:
        """Return the view of the fingerprints of two views of the same bits."""
        both = np.concatenate([self.fingerprints, other.fingerprints])
        return BitView(both, self.bits, self.columns)

    def showing(self, other: BitView) -> BitView:
        """Return the view of these fingerprints through the columns of another view."""
        return BitView(self.fingerprints, self.bits, other.columns)

    def varying(self) -> BitView:
        """Return the view of the bits that differ between any two of the fingerprints."""
        differing = 0
        for word in range(self.fingerprints.shape[1]):
            column, any_ = self.fingerprints[:, word], np.uint64(0)
            for low in range(0, len(column), CHUNK):
                any_ |= np.bitwise_or.reduce(column[low : low + CHUNK] ^ column[0])
            differing = differing << WORD | int(any_)
        bits = [
            (bit, 1)
            for start, length in self.columns
            for bit in range(start, start + length)
            if differing >> (self.bits - 1 - bit) & 1
        ]
        return BitView(self.fingerprints, self.bits, merge_pieces(bits))

    def mask(self, key: Sequence[Piece]) -> U64:
        """Return uint64[words] with the bits of a key set."""
        number = 0
        for start, length in key:
            number |= ((1 << length) - 1) << (self.bits - start - length)
        words = reversed(range(count_words(self.bits)))
        return np.array([number >> WORD * word & (1 << WORD) - 1 for word in words], np.uint64)

    def pack(self, pieces: Sequence[Piece], room: int, out: U64) -> None:
        """Write the bits of `pieces` one after another into the `room` high bits of uint64[n].

        Pieces do not overlap; bits that do not fit are cut off. Other bits of `out` become zero.
        """
        n = len(self)
        moves = list(self._moves(pieces, room))
        scratch = np.empty(min(n, CHUNK), dtype=np.uint64)
        for low in range(0, n, CHUNK):
            high = min(low + CHUNK, n)
            moved, target = scratch[: high - low], out[low:high]
            target.fill(0)
            for word, shift, mask in moves:
                source = self.fingerprints[low:high, word]
                if shift >= 0:
                    np.right_shift(source, np.uint64(shift), out=moved)
                else:
                    np.left_shift(source, np.uint64(-shift), out=moved)
                np.bitwise_and(moved, mask, out=moved)
                np.bitwise_or(target, moved, out=target)

    def _moves(self, pieces: Sequence[Piece], room: int) -> Iterator[tuple[int, int, np.uint64]]:
        """Yield, for each piece, its word, its right shift and the mask of its destination."""
        unused = WORD * count_words(self.bits) - self.bits
        filled = 0
        for start, length in pieces:
            bit, end = start + unused, start + unused + length
            while bit < end and filled < room:
                word, offset = divmod(bit, WORD)
                moved = min(end - bit, WORD - offset, room - filled)
                mask = ((1 << moved) - 1) << (WORD - filled - moved)
                yield word, filled - offset, np.uint64(mask)
                bit, filled = bit + moved, filled + moved


def block_keys(fingerprints: U64, ball: HammingBall) -> list[U64]:
    """Return keys of fingerprints, one column (uint64[n]) for each of ``distance + 1`` blocks.

    Fingerprints within the distance have an equal key in some column: see `simdup.search.plans`.
    """
    view = BitView.of_all_bits(fingerprints, ball.bits)
    blocks = cut(ball.bits, min(ball.distance + 1, ball.bits))
    # If every bit may differ, any two are near, so all have one key.
    masks = [view.mask([] if len(blocks) == ball.bits else [block]) for block in blocks]
    return [mix_rows(view.fingerprints & mask) for mask in masks]


def _check(fingerprints: NDArray[Any], bits: int) -> U64:
    words = count_words(bits)
    if not isinstance(fingerprints, np.ndarray) or fingerprints.dtype != np.uint64:
        kind = getattr(fingerprints, "dtype", type(fingerprints).__name__)
        raise _unfit(f"expected an array of uint64, not {kind}")
    if fingerprints.ndim == 1 and (words == 1 or fingerprints.size == 0):
        fingerprints = fingerprints.reshape(-1, words)
    if fingerprints.ndim != 2 or fingerprints.shape[1] != words:
        raise _unfit(f"expected shape (n, {words}) for {bits} bits, not {fingerprints.shape}")
    if len(fingerprints) > 1 << 32:
        raise _unfit(f"{len(fingerprints):,} fingerprints are more than 2**32")
    if len(fingerprints) and int(fingerprints[:, 0].max()) >> bits - WORD * (words - 1):
        raise _unfit(f"a fingerprint has more than {bits} bits", "see `bits`")
    return fingerprints


def _unfit(what: str, hint: str = "") -> SimdupError:
    return SimdupError("fingerprints", what, hint, field="fingerprints")


def build_table(view: BitView, key: Sequence[Piece], out: U64) -> U64:
    """Build the sorted table of a view's n fingerprints, with the columns `key` in front.

    Returns
    -------
    uint64[n]
        `out`, which contains the table.
    """
    n = len(view)
    # The longest pieces first: fewer pieces fill the value, and each is moved as one.
    rest = sorted(subtract(view.columns, key), key=lambda piece: -piece[1])
    view.pack([*key, *rest], WORD - row_bits(n), out)
    for low in range(0, n, CHUNK):
        high = min(low + CHUNK, n)
        out[low:high] |= np.arange(low, high, dtype=np.uint64)
    out.sort()
    return out


def table_keys(chosen: Plan, view: BitView, rows: int) -> list[Pieces]:
    """Return the keys of a plan, as pieces of the view's columns.

    A key is truncated to the bits that a table of `rows` rows contains, so that "the keys are
    equal" has one meaning.
    """
    room = WORD - row_bits(rows)
    return [
        locate([piece for part in key for piece in locate(view.columns, *part)], 0, room)
        for key in chosen.keys
    ]


def find_long_runs(table: U64, key: int, longest: int | None) -> list[tuple[int, int]]:
    """Find the runs of equal keys longer than `longest`, as (start, stop) in the table.

    In a sorted table, a run is that long if the `key` high bits of a value and of the value
    `longest` further on agree. So one pass is enough. With None, nothing is found.
    """
    if longest is None or len(table) <= longest:
        return []
    shift = np.uint64(WORD - key)
    found = []
    last = len(table) - longest
    for low in range(0, last, CHUNK):
        high = min(low + CHUNK, last)
        differences = table[low:high] ^ table[low + longest : high + longest]
        keys = table[low:high][differences >> shift == 0] >> shift
        if len(keys):
            found.append(distinct(keys))
    keys = distinct(np.concatenate(found)) if found else np.empty(0, dtype=np.uint64)
    begin = np.searchsorted(table, keys << shift, side="left")
    end = np.searchsorted(table, keys << shift | np.uint64((1 << (WORD - key)) - 1), side="right")
    return list(zip(begin.tolist(), end.tolist(), strict=True))


def walk(table: U64, start: int, stop: int, key: int, distance: int) -> Iterator[tuple[U64, U64]]:
    """Walk the runs of equal keys within ``table[start:stop]`` and yield the likely pairs.

    Each value is compared with the next one, then with the one after that, and so on. In a sorted
    table, a value whose key differs from that of its l-th successor differs from all further ones
    too, so it drops out. The walk ends when all values have dropped out.

    Parameters
    ----------
    table : uint64[n]
        From `build_table`.
    start, stop : int
        Runs must not cross these.
    key : int
        The number of bits of the key; key and row together fit in 64 bits.
    distance : int
        The most bits that may differ after the key.

    Yields
    ------
    left, right : uint64[m]
        Values of the table: candidates that have passed one test, but whose fingerprints still
        have to be compared. Chunks have `CHUNK` to twice as many, the last one may have fewer.
    """
    lefts: list[U64] = []
    rights: list[U64] = []
    waiting = 0
    for left, right in _walk_steps(table, start, stop, key, distance):
        lefts.append(left)
        rights.append(right)
        waiting += len(left)
        if waiting >= CHUNK:
            yield np.concatenate(lefts), np.concatenate(rights)
            lefts, rights, waiting = [], [], 0
    if waiting:
        yield np.concatenate(lefts), np.concatenate(rights)


def _walk_steps(
    table: U64, start: int, stop: int, key: int, distance: int
) -> Iterator[tuple[U64, U64]]:
    """Walk as `walk` does, and yield the results of each step, even if few."""
    row = np.uint64(row_bits(len(table)))
    top = np.uint64((1 << (WORD - key)) - 1)
    differ = np.empty(CHUNK, dtype=np.uint64)
    for low in range(start, stop, CHUNK):
        lag = 1
        active: RowIds | None = None  # positions left; None while these are most of the chunk
        while True:
            if active is None:
                size = min(low + CHUNK, stop - lag) - low
                if size <= 0:
                    break
                here = slice(low, low + size)
                there = slice(low + lag, low + lag + size)
                x = np.bitwise_xor(table[here], table[there], out=differ[:size])
                equal = x <= top
                # Few are selected by position, many by mask. With "few" meaning a half, 4 tables at
                # 10**6 and 10**5 take 0.250 and 0.0135 s; a quarter 0.207 and 0.0117 s, an eighth
                # 0.207 and 0.0109 s, a sixteenth 0.203 and 0.0102 s.
                if 16 * int(np.count_nonzero(equal)) > size:
                    equal &= np.bitwise_count(x >> row) <= distance
                    near = np.flatnonzero(equal) + low
                else:
                    active = np.flatnonzero(equal)
                    near = active[np.bitwise_count(x[active] >> row) <= distance] + low
                    active += low
            else:
                active = active[active < stop - lag]
                x = table[active] ^ table[active + lag]
                equal = x <= top
                active, x = active[equal], x[equal]
                near = active[np.bitwise_count(x >> row) <= distance]
            if len(near):
                yield table[near], table[near + lag]
            if active is not None and not len(active):
                break
            lag += 1


NearPairs: TypeAlias = tuple[RowIds, RowIds, U64]
"""Rows i, j: int64[m] of both sides, and the bits in which they differ: uint64[m, words]."""


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """Two views to join: which rows of `left` are within `distance` of which rows of `right`.

    Both show the same columns. In a self-join they are the same view.
    """

    left: BitView
    right: BitView
    distance: int

    def compare(self, i: RowIds, j: RowIds) -> NearPairs:
        """Compare candidates, m of each, and return those within the distance."""
        x = xor_rows(self.left.fingerprints, i, self.right.fingerprints, j)
        near = count_ones(x) <= self.distance
        return i[near], j[near], x[near]

    def lift(self, i: RowIds, j: RowIds, pairs: Iterable[RowPairs]) -> Iterator[NearPairs]:
        """Yield the pairs found one level down, among rows `i` of `left` and `j` of `right`."""
        for a, b in pairs:
            left, right = i[a], j[b]
            x = xor_rows(self.left.fingerprints, left, self.right.fingerprints, right)
            yield left, right, x


def join_tables(
    join: Join, keys: list[Pieces], search_table: Callable[[int], Iterator[NearPairs]], threads: int
) -> Iterator[RowPairs]:
    """Search all tables, `threads` at a time, and yield each pair once, in chunks.

    ``search_table(t)`` yields the matches with equal keys in the table of ``keys[t]``.
    """
    masks = [join.left.mask(key) for key in keys]

    def search(t: int) -> Iterator[RowPairs]:
        for i, j, x in search_table(t):
            new = np.ones(len(i), dtype=np.bool_)
            for mask in masks[:t]:
                new &= (x & mask).any(axis=1)
            yield i[new], j[new]

    return interleave(map(search, range(len(keys))), threads)


# Values in a block. The directory's 4 bytes are a quarter of a bit per value, 0.6 % at 10**7; with
# 64 values the total would be 2.4 % above the bound, with 256 a query decompresses twice as much.
BLOCK = 128


@dataclass(frozen=True, slots=True, eq=False)
class Compressed:
    """A sorted array."""

    length: int  # in values
    base: int  # the first value; the others are stored as differences from it
    low_bits: int  # l, 0 to 63
    lows: U64  # uint64[blocks, 2 l]: the low parts, bit-packed
    highs: NDArray[np.uint8]  # uint8[]: the high parts in unary, the lowest bit of a byte first
    # uint32[blocks + 1]: the high part of each block's first value, and of the very last value.
    heads: U32


def compress_table(values: U64) -> Compressed:
    """Compress a sorted array: uint64[n], n at most 2**31."""
    n = len(values)
    if not n:
        nothing = np.empty(0, dtype=np.uint8)
        return Compressed(0, 0, 0, np.empty((0, 0), np.uint64), nothing, np.zeros(1, np.uint32))
    base = int(values[0])
    reach = int(values[-1]) - base + 1
    low_bits = max((reach // n).bit_length() - 1, 0)
    blocks = -(-n // BLOCK)
    lows = np.zeros((blocks, 2 * low_bits), dtype=np.uint64)
    heads = np.empty(blocks + 1, dtype=np.uint32)
    last = (reach - 1) >> low_bits
    heads[-1] = last
    unary = np.zeros(last + blocks * BLOCK, dtype=np.bool_)
    step = max(CHUNK // BLOCK, 1)
    for first in range(0, blocks, step):
        part = values[first * BLOCK : (first + step) * BLOCK] - np.uint64(base)
        # The last block is padded with its last value.
        part = np.pad(part, (0, -len(part) % BLOCK), mode="edge")
        high = (part >> np.uint64(low_bits)).astype(np.int64)
        heads[first : first + len(high) // BLOCK] = high[::BLOCK]
        unary[high + np.arange(first * BLOCK, first * BLOCK + len(part))] = True
        _pack_lows(part.reshape(-1, BLOCK), low_bits, lows[first : first + step])
    return Compressed(n, base, low_bits, lows, np.packbits(unary, bitorder="little"), heads)


def decompress(table: Compressed, blocks: RowIds) -> U64:
    """Return the concatenated values of some blocks, int64[m] and ascending: uint64[]."""
    if not len(blocks):
        return np.empty(0, dtype=np.uint64)
    heads = table.heads[blocks].astype(np.int64)
    starts = heads + blocks * BLOCK
    # Up to the start of the next block, where its first one is.
    stops = table.heads[blocks + 1].astype(np.int64) + (blocks + 1) * BLOCK
    stops = np.minimum(stops, 8 * len(table.highs))
    # The concatenated bytes of the blocks, without the bits of their neighbours.
    begin = starts >> 3
    counts = (stops + 7 >> 3) - begin
    ends = np.cumsum(counts)
    source = np.repeat(begin - (ends - counts), counts)
    source += np.arange(ends[-1])
    some = table.highs[source]
    some[ends - counts] &= (0xFF << (starts & 7)).astype(np.uint8)
    some[ends - 1] &= (0xFF >> (-stops & 7)).astype(np.uint8)
    bits = np.unpackbits(some, bitorder="little").view(np.bool_)
    ones = np.flatnonzero(bits).reshape(-1, BLOCK)
    # The position of each one, minus the number of values before it, is the high part.
    high = ones - np.arange(BLOCK)
    high += (heads - ones[:, 0])[:, None]
    result = high.view(np.uint64)
    result <<= np.uint64(table.low_bits)
    result |= _unpack_lows(table.lows[blocks], table.low_bits)
    result += np.uint64(table.base)
    flat: U64 = result.reshape(-1)
    if blocks[-1] == len(table.heads) - 2:
        flat = flat[: len(flat) - (-table.length % BLOCK)]
    return flat


def decompress_window(table: Compressed, low: U64, high: U64) -> U64:
    """Decompress the blocks that may have values from ``low[q]`` to ``high[q]``, uint64[m].

    Returns
    -------
    uint64[]
        Ascending; a binary search in it finds the same as in the whole table.
    """
    if not table.length:
        return np.empty(0, dtype=np.uint64)
    base, shift = np.uint64(table.base), np.uint64(table.low_bits)
    heads = table.heads[:-1]
    # Differences above that of the last value are clipped to it, to fit the directory's type.
    last = np.uint64(table.heads[-1])
    lowest = np.minimum((np.maximum(low, base) - base) >> shift, last).astype(np.uint32)
    highest = np.minimum((np.maximum(high, base) - base) >> shift, last).astype(np.uint32)
    begin = np.maximum(np.searchsorted(heads, lowest, side="left") - 1, 0)
    count = np.maximum(np.searchsorted(heads, highest, side="right") - begin, 1)
    hit = [begin[which] + offset for which, offset in iter_ranges(count, CHUNK)]
    return decompress(table, distinct(np.concatenate(hit)) if hit else np.empty(0, dtype=np.int64))


def _locate_lows(low_bits: int) -> tuple[RowIds, U64]:
    """Return, for each value of a block, the word and the bit at which its low part begins."""
    bits = np.arange(BLOCK) * low_bits
    return bits // 64, (bits % 64).astype(np.uint64)


def _pack_lows(values: U64, low_bits: int, lows: U64) -> None:
    """Write the low parts of ``values[blocks, BLOCK]`` into ``lows[blocks, 2 * low_bits]``."""
    low = values & np.uint64((1 << low_bits) - 1)
    for i, (word, bit) in enumerate(zip(*_locate_lows(low_bits), strict=True)):
        if low_bits:
            lows[:, word] |= low[:, i] << bit
            if int(bit) + low_bits > 64:
                lows[:, word + 1] |= low[:, i] >> (np.uint64(64) - bit)


def _unpack_lows(lows: U64, low_bits: int) -> U64:
    """Read the low parts back: uint64[blocks, BLOCK]."""
    if not low_bits:
        return np.zeros((len(lows), BLOCK), dtype=np.uint64)
    word, bit = _locate_lows(low_bits)
    result = lows.take(word, axis=1)
    result >>= bit
    # Shifted in two steps, because for a value at bit 0 the shift would be 64, which is undefined.
    following = lows.take(np.minimum(word + 1, lows.shape[1] - 1), axis=1)
    following <<= np.uint64(1)
    following <<= np.uint64(63) - bit
    result |= following
    result &= np.uint64((1 << low_bits) - 1)
    return result
