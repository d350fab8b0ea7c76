"""Pieces, balls and costs: what plans of a search are made of.

A *piece* ``(start, width)`` is a run of consecutive bits of a fingerprint; blocks, keys and views
are made of them. Bits are counted from
the most significant one, which is 0.

A *ball* is what a search looks for: fingerprints within a Hamming distance of each other.

The *cost model* of the search: seconds on one core, from the number of fingerprints.  A table costs
one sort and three passes, a candidate a few operations, and a plain scan one comparison per pair.
Only the ratios of these costs matter for a plan.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np

from simdup.base.errors import invalid

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


MAX_BITS = 256


@dataclass(frozen=True, slots=True)
class HammingBall:
    """All fingerprints within a Hamming distance of one fingerprint.

    Attributes
    ----------
    bits : int
        Bits of a fingerprint, 1 to 256.
    distance : int
        The radius, 0 to `bits`.
    """

    bits: int
    distance: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", check_bits(self.bits))
        object.__setattr__(self, "distance", _check("distance", self.distance, 0, self.bits))

    @property
    def volume(self) -> int:
        """The number of fingerprints in the ball: 43,745 for 64 bits and distance 3."""
        return sum(math.comb(self.bits, flipped) for flipped in range(self.distance + 1))


def check_bits(bits: Any) -> int:
    """Return `bits` if a fingerprint can have as many, else raise `SimdupError`."""
    return _check("bits", bits, 1, MAX_BITS)


def _check(field: str, value: Any, least: int, most: int) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise invalid(field, value, f"a whole number from {least} to {most}")
    return int(value)


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds on one core, measured with numpy 2.4 on a 2 GHz server core (AVX2 sorting).

    Processor seconds of `all_pairs`, random fingerprints:

    ======= ========= ========= ========= =========
    n       4 tables  10 tables 16 tables 20 tables
    ======= ========= ========= ========= =========
    10**4   0.0012    0.0032    0.0047    0.0057
    10**5   0.0114    0.0169    0.0255    0.0305
    10**6   0.168     0.173     0.260     0.321
    10**7             2.04      3.01      3.71
    ======= ========= ========= ========= =========
    """

    sort: float = 0.55e-9  # per value and doubling of n: 10**6 10.9 ms, 10**7 123 ms
    passes: float = 4.0e-9  # per value: pack 2.9 ns, walk 0.8 ns
    candidate: float = 3.0e-9  # per pair with equal keys, by the differences in the table above
    scan: float = 1.1e-9  # per pair and word, compared directly
    table: float = 80e-6  # per table of any size, for the calls themselves: n = 1,000
    lookup: float = 150e-9  # per binary search in an array larger than the caches

    def search_tables(self, n: int, tables: int, candidates: float) -> float:
        """Return the seconds that building and walking the tables of n fingerprints takes."""
        each = n * (self.sort * math.log2(max(n, 2)) + self.passes) + self.table
        return tables * each + candidates * self.candidate


COSTS = Costs()
