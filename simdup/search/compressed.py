"""A sorted array of uint64 in fewer bits; any part of it can be read without the rest.

The idea (Elias 1974, Fano 1971; the paper compresses its tables too, WWW 2007, section 3.2):
n sorted values below U have log2(U / n) + 1.44 bits of information each. Split each value into a
high and a low part, where the low part has l = floor(log2(U / n)) bits. The low parts are stored
unchanged. The high parts grow slowly, from 0 to at most 2 n, so they are stored as unary deltas:
for every value as many zeros as its high part has grown, then a one. This gives n ones and at most
2 n zeros, l + 1 + U / (n 2**l) bits per value in total, within 0.6 of the bound for any values.

Values are stored in blocks of 128. Their low parts fill 2 l words exactly, and the directory has
the high part of each block's first value. This is enough to find a block by a binary search, and to
locate its ones: the i-th one is at bit (high part of value i) + i.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.search.arrays import CHUNK, U32, U64, RowIds, distinct, iter_ranges

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
