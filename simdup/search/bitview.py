"""Fingerprints seen through the bits in which they may still differ.

A search starts with all bits. Fingerprints that share the key of a table agree on it, so one level
down only the other bits matter: the same fingerprints, seen through fewer *columns*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError
from simdup.search.arrays import CHUNK, U32, U64, WORD, RowIds, count_words, mix_rows
from simdup.search.ball import HammingBall, check_bits
from simdup.search.pieces import Piece, Pieces, cut, merge_pieces, subtract, width


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
