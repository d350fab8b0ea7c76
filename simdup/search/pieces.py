"""Arithmetic of pieces, the runs of bits that make up blocks, keys and views.

A *piece* ``(start, width)`` is a run of consecutive bits of a fingerprint. Bits are counted from
the most significant one, which is 0.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import TypeAlias

Piece: TypeAlias = tuple[int, int]
Pieces: TypeAlias = tuple[Piece, ...]


def width(pieces: Sequence[Piece]) -> int:
    """Count the bits of some pieces."""
    return sum(length for _, length in pieces)


def cut(bits: int, blocks: int) -> Pieces:
    """Cut `bits` bits into `blocks` pieces whose sizes differ by at most one.

    >>> cut(64, 5)
    ((0, 13), (13, 13), (26, 13), (39, 13), (52, 12))
    """
    small, larger = divmod(bits, blocks)
    sizes = [small + (block < larger) for block in range(blocks)]
    return tuple(zip(accumulate(sizes, initial=0), sizes, strict=False))


def locate(columns: Sequence[Piece], start: int, width: int) -> Pieces:
    """Locate bits `start` to `start + width` in the concatenation of `columns`.

    >>> locate([(0, 8), (20, 8)], 4, 8)
    ((4, 4), (20, 4))
    """
    pieces: list[Piece] = []
    for first, length in columns:
        low, high = max(start, 0), min(start + width, length)
        if low < high:
            pieces.append((first + low, high - low))
        start -= length
    return tuple(pieces)


def subtract(columns: Sequence[Piece], key: Sequence[Piece]) -> Pieces:
    """Return the bits of `columns` that are not in `key`, in order.

    >>> subtract([(0, 16)], [(4, 4)])
    ((0, 4), (8, 8))
    """
    for start, width in key:
        rest: list[Piece] = []
        for first, length in columns:
            below = min(max(start - first, 0), length)
            above = min(max(first + length - start - width, 0), length)
            rest += [(first, below), (first + length - above, above)]
        columns = [piece for piece in rest if piece[1]]
    return tuple(columns)


def merge_pieces(pieces: Sequence[Piece]) -> Pieces:
    """Merge adjacent pieces, so that they are moved as one.

    >>> merge_pieces([(0, 4), (4, 4), (12, 4)])
    ((0, 8), (12, 4))
    """
    merged: list[Piece] = []
    for start, length in pieces:
        if merged and sum(merged[-1]) == start:
            merged[-1] = (merged[-1][0], merged[-1][1] + length)
        else:
            merged.append((start, length))
    return tuple(merged)
