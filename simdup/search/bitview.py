"""Fingerprints seen through the bits in which they may still differ.

A search starts with all bits. Fingerprints that share the key of a table agree on it, so one level
down only the other bits matter: the same fingerprints, seen through fewer *columns*.

The self-join in `allpairs` and the join in `queries` have two things in common.

*Each pair once.* A pair may have equal keys in several tables, but only the first of these
reports it. The pair alone determines which tables find it: table t does if and only if the two
fingerprints agree on the bits of key t. So tables are independent, and any number of them can be
searched at the same time, in any order, with the same result.

*Long runs.* If n fingerprints share a key, comparing all of them takes n**2 / 2 steps. But they
agree on the key, so their differences are in the other bits. Finding near ones is the same problem
with fewer fingerprints of fewer bits, and is solved one level down, with its own plan.
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
    mix_rows,
    xor_rows,
)
from simdup.search.pieces import (
    HammingBall,
    Piece,
    Pieces,
    check_bits,
    cut,
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
