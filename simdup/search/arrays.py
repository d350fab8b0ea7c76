"""Fingerprints as arrays: what is allowed, how far apart two are, and their bits in another order.

Everything in the search is an array of whole numbers. A set of n fingerprints is ``uint64[n, w]``
with w = ceil(bits / 64) words, the most significant word first and the unused high bits zero; a
fingerprint is named by its row. Bits are counted from the most significant one, which is 0, and a
*piece* ``(start, width)`` is a stretch of consecutive bits.
"""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError

U64: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int64]
Piece: TypeAlias = tuple[int, int]

MOST_BITS = 256
WORD = 64
# The stretch that is worked on at a time. Its two or three temporary arrays should stay in the
# caches, and each step should be long enough that threads do not meet at the interpreter's lock.
# Processor seconds for 10**7 fingerprints, 10 tables, two threads: 2**15 2.88, 2**16 2.74,
# 2**17 2.75, 2**18 2.86; for 10**6: 0.257, 0.250, 0.220, 0.214.
STRETCH = 1 << 17


def words(bits: int) -> int:
    """Count the 64-bit words of a fingerprint of so many bits."""
    return -(-bits // WORD)


def checked_bits(bits: int) -> int:
    """Give `bits` back if a fingerprint can have so many, else raise `SimdupError`."""
    if isinstance(bits, bool) or not isinstance(bits, int | np.integer):
        raise SimdupError("bits", f"a whole number is needed, not {bits!r}")
    if not 1 <= bits <= MOST_BITS:
        raise SimdupError("bits", f"{bits} is not within 1 to {MOST_BITS}")
    return int(bits)


def checked_distance(distance: int, bits: int) -> int:
    """Give `distance` back if two fingerprints can be so far apart, else raise `SimdupError`."""
    if isinstance(distance, bool) or not isinstance(distance, int | np.integer):
        raise SimdupError("distance", f"a whole number is needed, not {distance!r}")
    if not 0 <= distance <= bits:
        raise SimdupError("distance", f"{distance} is not within 0 to {bits}, the bits")
    return int(distance)


def checked(fingerprints: NDArray[Any], bits: int) -> U64:
    """Give fingerprints as ``uint64[n, words]``, without a copy.

    Parameters
    ----------
    fingerprints : uint64[n] or uint64[n, words]
        One word is enough up to 64 bits.
    bits : int
        1 to 256.

    Raises
    ------
    SimdupError
        Not an array of uint64, not of that shape, or with bits set above the `bits` lowest.
    """
    wanted = words(checked_bits(bits))
    given = fingerprints
    if not isinstance(given, np.ndarray) or given.dtype != np.uint64:
        kind = given.dtype if isinstance(given, np.ndarray) else type(given).__name__
        raise SimdupError("fingerprints", f"an array of uint64 is needed, not {kind}")
    if given.ndim == 1 and (wanted == 1 or given.size == 0):
        given = given.reshape(-1, wanted)
    if given.ndim != 2 or given.shape[1] != wanted:
        raise SimdupError(
            "fingerprints",
            f"{bits} bits are {wanted} word(s) each, shape (n, {wanted}), not {given.shape}",
        )
    if len(given) > 1 << 32:
        raise SimdupError("fingerprints", f"{len(given):,} are more than 2**32")
    top = bits - WORD * (wanted - 1)
    if len(given) and int(given[:, 0].max()) >> top:
        raise SimdupError(
            "fingerprints", f"a fingerprint has bits set above its {bits} lowest", "see bits"
        )
    return given


def row_bits(n: int) -> int:
    """Count the bits that hold any row number below `n`."""
    return max(n - 1, 0).bit_length()


def rows_of(values: U64, n: int) -> Rows:
    """Give the row numbers that stand at the end of some values, of n rows in all."""
    return (values & np.uint64((1 << row_bits(n)) - 1)).astype(np.int64)


def difference(a: U64, i: Rows, b: U64, j: Rows) -> U64:
    """XOR of rows `i` of `a` and rows `j` of `b`, m of each: uint64[m, words]."""
    result = np.empty((len(i), a.shape[1]), dtype=np.uint64)
    for word in range(a.shape[1]):
        np.bitwise_xor(a[:, word][i], b[:, word][j], out=result[:, word])
    return result


def ones(values: U64) -> NDArray[np.int16]:
    """Count the bits that are set in each row of uint64[m, words]."""
    total = np.bitwise_count(values[:, 0]).astype(np.int16)
    for word in range(1, values.shape[1]):
        total += np.bitwise_count(values[:, word])
    return total


def differing(a: U64, i: Rows, b: U64, j: Rows) -> NDArray[np.int16]:
    """Hamming distances between rows `i` of `a` and rows `j` of `b`, m of each."""
    result = np.empty(len(i), dtype=np.int16)
    for low in range(0, len(i), STRETCH):
        high = low + STRETCH
        result[low:high] = ones(difference(a, i[low:high], b, j[low:high]))
    return result


def located(columns: Sequence[Piece], start: int, width: int) -> list[Piece]:
    """Find bits `start` to `start + width` of the bits that `columns` name, laid end to end.

    >>> located([(0, 8), (20, 8)], 4, 8)
    [(4, 4), (20, 4)]
    """
    pieces: list[Piece] = []
    for first, length in columns:
        low, high = max(start, 0), min(start + width, length)
        if low < high:
            pieces.append((first + low, high - low))
        start -= length
    return pieces


def without(columns: Sequence[Piece], taken: Sequence[Piece]) -> list[Piece]:
    """Give the bits of `columns` that are not in `taken`, in order.

    >>> without([(0, 16)], [(4, 4)])
    [(0, 4), (8, 8)]
    """
    for start, width in taken:
        rest: list[Piece] = []
        for first, length in columns:
            below = min(max(start - first, 0), length)
            above = min(max(first + length - start - width, 0), length)
            rest += [(first, below), (first + length - above, above)]
        columns = [piece for piece in rest if piece[1]]
    return list(columns)


def front(
    fingerprints: U64, bits: int, pieces: Sequence[Piece], room: int, out: U64 | None = None
) -> U64:
    """Write the bits of `pieces` one after another at the front of a uint64, at most `room` bits.

    Parameters
    ----------
    fingerprints : uint64[n, words]
    bits : int
    pieces : sequence of (start, width)
        Without overlaps.
    room : int
        0 to 64; what does not fit is cut off.
    out : uint64[n], optional
        Where the result goes.

    Returns
    -------
    uint64[n]
        The lowest ``64 - room`` bits are zero.
    """
    n = len(fingerprints)
    out = np.empty(n, dtype=np.uint64) if out is None else out
    moves = _moves(bits, pieces, room)
    scratch = np.empty(min(n, STRETCH), dtype=np.uint64)
    for low in range(0, n, STRETCH):
        high = min(low + STRETCH, n)
        moved, target = scratch[: high - low], out[low:high]
        target.fill(0)
        for word, shift, mask in moves:
            source = fingerprints[low:high, word]
            if shift >= 0:
                np.right_shift(source, np.uint64(shift), out=moved)
            else:
                np.left_shift(source, np.uint64(-shift), out=moved)
            np.bitwise_and(moved, mask, out=moved)
            np.bitwise_or(target, moved, out=target)
    return out


def _moves(bits: int, pieces: Sequence[Piece], room: int) -> list[tuple[int, int, np.uint64]]:
    """Say for each piece in which word it lies, how far to the right it goes, where it lands."""
    unused = WORD * words(bits) - bits
    moves = []
    place = 0
    for start, width in pieces:
        at, end = start + unused, start + unused + width
        while at < end and place < room:
            word, offset = divmod(at, WORD)
            length = min(end - at, WORD - offset, room - place)
            mask = ((1 << length) - 1) << (WORD - place - length)
            moves.append((word, place - offset, np.uint64(mask)))
            at, place = at + length, place + length
    return moves


def mixed(fingerprints: U64) -> U64:
    """Mix all bits of each fingerprint into one uint64; equal ones stay equal.

    A multiplication by an odd number and a shift-xor are bijections of 64 bits, so different
    fingerprints of one word never collide before they are cut short, and in the high bits of the
    outcome no skew of the input is left. The multiplier is 2**64 / golden ratio, made odd (Knuth,
    The Art of Computer Programming 3, 6.4).
    """
    factor = np.uint64(0x9E3779B97F4A7C15)
    result = np.zeros(len(fingerprints), dtype=np.uint64)
    for word in range(fingerprints.shape[1]):
        result ^= fingerprints[:, word]
        for _ in range(2):
            result *= factor
            result ^= result >> np.uint64(32)
    result *= factor
    return result


def spread(counts: Rows, most: int) -> Iterator[tuple[Rows, Rows]]:
    """Count out ``0 .. counts[c] - 1`` for every c, in blocks of at most `most`.

    Yields
    ------
    which : int64[m]
        The c.
    offset : int64[m]
        The number within it.

    Examples
    --------
    >>> [(w.tolist(), o.tolist()) for w, o in spread(np.array([2, 0, 3]), 4)]
    [([0, 0, 2, 2], [0, 1, 0, 1]), ([2], [2])]
    """
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    for low in range(0, total, most):
        high = min(low + most, total)
        first = int(np.searchsorted(ends, low, side="right"))
        last = int(np.searchsorted(ends, high, side="left")) + 1
        inside = np.minimum(ends[first:last], high)
        here = np.diff(inside, prepend=low)
        which = np.repeat(np.arange(first, last), here)
        offset = np.arange(low, high) - (ends - counts)[first:last].repeat(here)
        yield which, offset
