"""Plans: which tables find every pair, and whether they or the plain scan cost least.

The idea (Manku, Jain, Das Sarma, WWW 2007, section 3.1): cut the bits into b blocks. Two
fingerprints within distance k differ in at most k blocks, because each differing bit affects one
block. So they agree on at least b - k blocks. Build one table for each choice of b - k blocks,
C(b, k) in all, and key it on these blocks: in at least one table the two have equal keys. This
is the pigeonhole principle, and it misses no pair.

More blocks mean more tables to sort, and longer keys. Of n**2 / 2 pairs of random fingerprints,
n**2 / 2**(p + 1) have equal keys of p bits: the expected candidates. For 64 bits and distance 3:

====== ====== ========= ==========================================
tables blocks key bits  the idea
====== ====== ========= ==========================================
4      4      16        k + 1 blocks, one of them equal
10     5      25 or 26  k + 2 blocks, two of them equal
20     6      31 to 33  k + 3 blocks, three of them equal
16     4 x 4  28        nested: one block of four equal, and of the
                        remaining 48 bits, cut in four, one again
====== ====== ========= ==========================================

For other distances, the same four numbers name the same four shapes.

`plan` chooses the cheapest of these cuts by a cost model: seconds on one core, from the number of
fingerprints.  A table costs one sort and three passes, a candidate a few operations, and a plain
scan one comparison per pair; only the ratios matter.  For few fingerprints or a large distance the
plan is the plain scan.

A *piece* ``(start, width)`` is a run of consecutive bits of a fingerprint, counted from the most
significant one, which is 0; blocks, keys and views are made of them.  A *ball* is what a search
looks for: fingerprints within a Hamming distance of each other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations
from typing import Any, TypeAlias

import numpy as np

from simdup.base.errors import SimdupError, invalid
from simdup.search.arrays import WORD, count_words, row_bits

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


SHAPES = {4: 1, 10: 2, 20: 3}  # tables at distance 3: blocks more than the distance
NESTED = 16
SEARCHES = ("auto", "tables", "exhaustive", "probe", "neighbours")
# Far above what any useful plan sorts; prevents building tables forever by mistake.
MAX_TABLES = 1_000
# Ten million lookups take seconds per fingerprint; a scan is faster.
MAX_VARIANTS = 10_000_000
MAX_STORED = 1 << 28  # neighbours of 8 bytes: 2 GiB


@dataclass(frozen=True, slots=True)
class Cut:
    """One way to cut fingerprints, complete for a Hamming ball."""

    ball: HammingBall
    # More than the distance, at most the number of bits; for a nested cut, the distance + 1.
    blocks: int
    nested: bool = False  # whether the bits outside each block are cut again

    @property
    def sizes(self) -> tuple[int, ...]:
        """The blocks' sizes in bits."""
        return tuple(size for _, size in cut(self.ball.bits, self.blocks))

    @property
    def tables(self) -> int:
        """The number of tables."""
        return self.blocks**2 if self.nested else math.comb(self.blocks, self.ball.distance)

    @property
    def keys(self) -> tuple[Pieces, ...]:
        """The bits of every table's key."""
        if self.nested:
            return tuple(self._nested_keys())
        blocks = cut(self.ball.bits, self.blocks)
        chosen = combinations(blocks, self.blocks - self.ball.distance)
        return tuple(merge_pieces(some) for some in chosen)

    def _nested_keys(self) -> Iterator[Pieces]:
        """Yield the keys of the nested cut: each of k + 1 blocks, with each of k + 1 of the rest.

        It is complete because it applies the first cut twice. Two fingerprints agree on one of
        k + 1 blocks, so all their differences, at most k, are in the rest, where they again agree
        on one of k + 1 blocks.
        """
        for outer in cut(self.ball.bits, self.blocks):
            rest = subtract([(0, self.ball.bits)], [outer])
            for start, length in cut(width(rest), self.blocks):
                yield merge_pieces([outer, *locate(rest, start, length)])

    def key_sizes(self) -> Iterator[tuple[int, int]]:
        """Yield the sizes of the keys with their counts, without making the keys."""
        sizes = self.sizes
        if self.nested:
            for outer in sizes:
                for _, inner in cut(self.ball.bits - outer, self.blocks):
                    yield outer + inner, 1
            return
        chosen, small = self.blocks - self.ball.distance, min(sizes)
        larger = sum(size > small for size in sizes)
        for large in range(min(chosen, larger) + 1):
            keys = math.comb(larger, large) * math.comb(self.blocks - larger, chosen - large)
            yield chosen * small + large, keys


@dataclass(frozen=True, slots=True)
class Plan:
    """A way to find every pair within a distance."""

    search: str  # ``tables``, ``exhaustive``, ``probe`` or ``neighbours``
    ball: HammingBall
    n: int  # fingerprints
    cut: Cut | None  # the blocks and keys of the tables; None without tables
    candidates: float  # pairs expected to be compared, of n random fingerprints
    seconds: float  # by the cost model, on one core

    @property
    def tables(self) -> int:
        """The number of tables."""
        return self.cut.tables if self.cut else 0

    @property
    def keys(self) -> tuple[Pieces, ...]:
        """The bits of every table's key."""
        return self.cut.keys if self.cut else ()

    @property
    def key_bits(self) -> tuple[int, ...]:
        """The number of bits of every table's key."""
        return tuple(width(key) for key in self.keys)


def plan(ball: HammingBall, n: int, tables: int | str = "auto", search: str = "auto") -> Plan:
    """Choose blocks and tables for n fingerprints.

    Parameters
    ----------
    ball : HammingBall
        The bits of the fingerprints and the distance to search.
    n : int
        The number of fingerprints.
    tables : {"auto", 4, 10, 16, 20}
        The shape, by its number of tables at distance 3. ``auto`` chooses the cheapest, or the
        scan if no tables are faster.
    search : {"auto", "tables", "exhaustive", "probe", "neighbours"}
        ``auto`` and ``tables`` mean the same: the other three are only used on request.

    Raises
    ------
    SimdupError
        Unknown names; a shape or a search that is infeasible at this distance.
    """
    if search not in SEARCHES:
        raise invalid("search", search, f"one of {', '.join(SEARCHES)}")
    if tables != "auto" and tables not in (*SHAPES, NESTED):
        raise invalid("tables", tables, "one of auto, 4, 10, 16, 20")
    if search in ("exhaustive", "probe", "neighbours"):
        return _plan_baseline(search, ball, n)
    if ball.distance >= ball.bits:
        # All pairs are within the distance, so the scan compares no more than necessary.
        return _plan_baseline("exhaustive", ball, n)
    if tables == "auto":
        return min(alternatives(ball, n), key=lambda one: one.seconds)
    nested = tables == NESTED
    # With fewer bits than blocks, every bit is a block.
    more = 1 if nested else SHAPES[int(tables)]
    chosen = Cut(ball, min(ball.distance + more, ball.bits), nested)
    if chosen.tables > MAX_TABLES:
        raise SimdupError(
            "tables",
            f"{chosen.blocks} blocks at distance {ball.distance} make {chosen.tables:,} tables",
            "set `tables` to auto",
            field="tables",
        )
    return _plan_tables(chosen, n)


def alternatives(ball: HammingBall, n: int) -> Iterator[Plan]:
    """Yield the plans from which ``auto`` chooses, the scan first."""
    yield _plan_baseline("exhaustive", ball, n)
    least = ball.distance + 1
    for blocks in range(least, min(ball.distance + 4, ball.bits) + 1):
        for nested in (False, True) if blocks == least else (False,):
            one = Cut(ball, blocks, nested)
            if one.tables <= MAX_TABLES:
                yield _plan_tables(one, n)


@lru_cache(maxsize=1024)
def long_run(ball: HammingBall) -> int | None:
    """Return the length from which a run of equal keys is better searched one level down.

    The members of a run agree on the key, so they are fingerprints of the remaining bits, those
    of `ball`. The result is the smallest power of two for which tables are faster than the scan,
    or None if a run cannot be so long.
    """
    for doubled in range(8, min(ball.bits, 32)):
        if plan(ball, 1 << doubled).search == "tables":
            return 1 << doubled
    return None


def _plan_tables(chosen: Cut, n: int) -> Plan:
    # The key and a row number share 64 bits (tables.py), so the key may be truncated.
    room = WORD - row_bits(n)
    chance = sum(keys / 2.0 ** min(size, room) for size, keys in chosen.key_sizes())
    candidates = n * (n - 1) / 2 * chance
    seconds = COSTS.search_tables(n, chosen.tables, candidates)
    return Plan("tables", chosen.ball, n, chosen, candidates, seconds)


def _plan_baseline(search: str, ball: HammingBall, n: int) -> Plan:
    pairs = n * (n - 1) / 2
    if search == "exhaustive":
        seconds = pairs * count_words(ball.bits) * COSTS.scan
        return Plan(search, ball, n, None, pairs, seconds)
    variants = ball.volume
    stored = n * variants
    if variants > MAX_VARIANTS or (search == "neighbours" and stored > MAX_STORED):
        raise SimdupError(
            "search",
            f"{n:,} fingerprints have {variants:,} variants each within distance {ball.distance}: "
            f"too many for {search}",
            "set `search` to tables or exhaustive",
            field="search",
        )
    candidates = pairs * variants / 2.0**ball.bits
    if search == "probe":
        return Plan(search, ball, n, None, candidates, stored * COSTS.lookup)
    seconds = stored * COSTS.sort * math.log2(max(stored, 2)) + n * COSTS.lookup
    return Plan(search, ball, n, None, candidates, seconds)
