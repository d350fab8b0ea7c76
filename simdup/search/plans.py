"""Plans: how fingerprints are cut into blocks, and which blocks the tables are keyed on.

The idea (Manku, Jain, Das Sarma, WWW 2007, section 3.1): cut the bits into b blocks. Two
fingerprints within distance k differ in at most k blocks, for every differing bit spoils one
block at most; so they agree on some b - k blocks, whichever. One table for each choice of b - k
blocks, C(b, k) in all, keyed on just these: in at least one of them the two have equal keys.
That is the pigeonhole principle, and it is complete for every pair.

More blocks mean more tables to sort, and longer keys: n**2 / 2 pairs of random fingerprints have
equal keys of p bits n**2 / 2**(p + 1) times, the expected candidates. For 64 bits and distance 3:

====== ====== ========= ==========================================
tables blocks key bits  the idea
====== ====== ========= ==========================================
4      4      16        k + 1 blocks, one of them equal
10     5      25 or 26  k + 2 blocks, two of them equal
20     6      31 to 33  k + 3 blocks, three of them equal
16     4 x 4  28        nested: one block of four equal, and of the
                        remaining 48 bits, cut in four, one again
====== ====== ========= ==========================================

For another distance the same four names stand for the same four shapes. The numbers of bits of
two blocks differ by at most one.

The cost model. A table costs one sort and three passes, a candidate a few operations, a plain
scan one comparison a pair; see `Costs`. `plan` takes the cheapest, which for few fingerprints or
a large distance is the scan.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations

from simdup.errors import SimdupError
from simdup.search.arrays import (
    Piece,
    checked_bits,
    checked_distance,
    located,
    row_bits,
    without,
    words,
)

SHAPES = {4: 1, 10: 2, 20: 3}  # tables at distance 3: blocks more than the distance
NESTED = 16
SEARCHES = ("auto", "tables", "exhaustive", "probe", "neighbours")
# A number that no plan worth its sorting comes near; it keeps a slip from building forever.
MOST_TABLES = 1_000
# Ten million lookups a fingerprint take seconds each; a scan does better.
MOST_VARIANTS = 10_000_000
MOST_STORED = 1 << 28  # neighbours of 8 bytes: 2 GiB


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds on one core, measured with numpy 2.4 on a 2 GHz server core (AVX2 sorting).

    Only their proportions decide a plan. Processor seconds of `all_pairs`, random fingerprints:

    ======= ========= ========= ========= =========
    n       4 tables  10 tables 16 tables 20 tables
    ======= ========= ========= ========= =========
    10**4   0.0012    0.0032    0.0047    0.0057
    10**5   0.0114    0.0169    0.0255    0.0305
    10**6   0.168     0.173     0.260     0.321
    10**7             2.04      3.01      3.71
    ======= ========= ========= ========= =========
    """

    sort: float = 0.55e-9  # a value and a doubling of n: 10**6 10.9 ms, 10**7 123 ms
    passes: float = 4.0e-9  # a value: pack 2.9 ns, walk 0.8 ns
    candidate: float = 3.0e-9  # a pair with equal keys, by the differences in the table above
    scan: float = 1.1e-9  # a pair and a word, compared outright
    table: float = 80e-6  # a table however small, the calls themselves: n = 1,000
    lookup: float = 150e-9  # a binary search in an array beyond the caches


COSTS = Costs()


@dataclass(frozen=True, slots=True)
class Plan:
    """A way to find every pair within a distance.

    Attributes
    ----------
    search : str
        ``tables``, ``exhaustive``, ``probe`` or ``neighbours``.
    bits, distance, n : int
        What it is for.
    blocks : tuple of int
        The blocks' sizes in bits; empty where no table is used.
    nested : bool
        Whether the rest of each block is cut once more.
    candidates : float
        Pairs expected to be compared, of n random fingerprints.
    memory : int
        Bytes beside input and output, for one thread.
    seconds : float
        By the cost model, on one core.
    """

    search: str
    bits: int
    distance: int
    n: int
    blocks: tuple[int, ...]
    nested: bool
    candidates: float
    memory: int
    seconds: float

    @property
    def tables(self) -> int:
        """The number of tables."""
        if not self.blocks:
            return 0
        return _count(len(self.blocks), self.distance, self.nested)

    @property
    def keys(self) -> tuple[tuple[Piece, ...], ...]:
        """For every table the bits of its key."""
        if not self.blocks:
            return ()
        if self.nested:
            return keys_nested(self.bits, self.distance)
        return keys_of_blocks(self.bits, self.distance, len(self.blocks))

    @property
    def key_bits(self) -> tuple[int, ...]:
        """The number of bits of every table's key."""
        return tuple(width(key) for key in self.keys)


def width(pieces: Sequence[Piece]) -> int:
    """Count the bits of some pieces."""
    return sum(length for _, length in pieces)


def cut(bits: int, blocks: int) -> list[Piece]:
    """Cut `bits` bits into `blocks` pieces whose sizes differ by at most one.

    >>> cut(64, 5)
    [(0, 13), (13, 13), (26, 13), (39, 13), (52, 12)]
    """
    small, larger = divmod(bits, blocks)
    sizes = [small + (block < larger) for block in range(blocks)]
    return list(zip(accumulate(sizes, initial=0), sizes, strict=False))


def keys_of_blocks(bits: int, distance: int, blocks: int) -> tuple[tuple[Piece, ...], ...]:
    """Give the keys of all tables: every choice of ``blocks - distance`` of the blocks."""
    pieces = cut(bits, blocks)
    chosen = combinations(pieces, blocks - distance)
    return tuple(tuple(joined(some)) for some in chosen)


def keys_nested(bits: int, distance: int) -> tuple[tuple[Piece, ...], ...]:
    """Give the keys of the nested plan: each of k + 1 blocks, with each of k + 1 of the rest.

    It is complete because it is the first plan twice: the two agree on one of k + 1 blocks, so all
    their differences, at most k, lie in the rest, where they agree on one of k + 1 blocks again.
    """
    keys = []
    for outer in cut(bits, distance + 1):
        rest = without([(0, bits)], [outer])
        for start, length in cut(width(rest), distance + 1):
            keys.append(tuple(joined([outer, *located(rest, start, length)])))
    return tuple(keys)


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Join pieces that follow each other, so that they are moved as one.

    >>> joined([(0, 4), (4, 4), (12, 4)])
    [(0, 8), (12, 4)]
    """
    result: list[Piece] = []
    for start, length in pieces:
        if result and sum(result[-1]) == start:
            result[-1] = (result[-1][0], result[-1][1] + length)
        else:
            result.append((start, length))
    return result


def plan(
    bits: int, distance: int, n: int, tables: int | str = "auto", search: str = "auto"
) -> Plan:
    """Choose blocks and tables for n fingerprints.

    Parameters
    ----------
    bits : int
        1 to 256.
    distance : int
        0 to `bits`.
    n : int
        The number of fingerprints.
    tables : {"auto", 4, 10, 16, 20}
        The shape, by the number of tables it has at distance 3. ``auto`` takes the cheapest, and
        the scan where no tables beat it.
    search : {"auto", "tables", "exhaustive", "probe", "neighbours"}
        ``auto`` and ``tables`` mean the same: the other three are only used when asked for.

    Raises
    ------
    SimdupError
        Unknown names; a shape or a search that is hopeless at this distance.
    """
    bits = checked_bits(bits)
    distance = checked_distance(distance, bits)
    if search not in SEARCHES:
        raise SimdupError("search", f"{search!r} is none of {', '.join(SEARCHES)}")
    if tables != "auto" and tables not in (*SHAPES, NESTED):
        raise SimdupError("tables", f"{tables!r} is none of auto, 4, 10, 16, 20")
    if search in ("exhaustive", "probe", "neighbours"):
        return _plain(search, bits, distance, n)
    if distance >= bits:
        # Everything pairs with everything: the scan does just that.
        return _plain("exhaustive", bits, distance, n)
    if tables == "auto":
        return min(considered(bits, distance, n), key=lambda one: one.seconds)
    # With fewer bits than blocks wanted, every bit is a block.
    blocks = distance + 1 if tables == NESTED else min(distance + SHAPES[int(tables)], bits)
    count = _count(blocks, distance, tables == NESTED)
    if count > MOST_TABLES:
        raise SimdupError(
            "tables",
            f"{blocks} blocks at distance {distance} make {count:,} tables",
            "leave the choice to auto",
        )
    return _with_tables(bits, distance, n, blocks, tables == NESTED)


def considered(bits: int, distance: int, n: int) -> Iterator[Plan]:
    """Give the plans among which ``auto`` takes the cheapest, the scan first."""
    yield _plain("exhaustive", bits, distance, n)
    if distance >= bits:
        return
    for blocks in range(distance + 1, min(distance + 4, bits) + 1):
        for nested in (False, True) if blocks == distance + 1 else (False,):
            if _count(blocks, distance, nested) <= MOST_TABLES:
                yield _with_tables(bits, distance, n, blocks, nested)


@lru_cache(maxsize=1024)
def long_run(rest: int, distance: int) -> int | None:
    """Give the length from which a run of equal keys is better searched one level down.

    The members of a run agree on the key, so they are fingerprints of the `rest` of the bits: the
    same problem, smaller. The least power of two for which tables beat the scan; None if a run
    cannot be so long.
    """
    for doubled in range(8, min(rest, 32)):
        if plan(rest, min(distance, rest), 1 << doubled).search == "tables":
            return 1 << doubled
    return None


def variants(bits: int, distance: int) -> int:
    """Count the fingerprints within `distance` of one: 43,745 for 64 bits and distance 3."""
    return sum(math.comb(bits, flipped) for flipped in range(distance + 1))


def explain(chosen: Plan) -> str:
    """Say in a few lines what a plan does and what it was chosen from.

    Seconds are those of the cost model: one core, random fingerprints.
    """
    lines = [
        f"{chosen.n:,} fingerprints of {chosen.bits} bits, distance {chosen.distance}",
        f"search               {chosen.search}",
    ]
    if chosen.tables:
        sizes = chosen.blocks
        lines += [
            f"blocks               {len(sizes)} ({', '.join(map(str, sizes))} bits)",
            f"tables               {chosen.tables}",
            f"key bits             {_range(chosen.key_bits)}",
        ]
    lines += [
        f"expected candidates  {chosen.candidates:,.0f}",
        f"memory               {_bytes(chosen.memory)} a thread, beside input and output",
        f"model                {chosen.seconds:.3g} s on one core",
    ]
    if chosen.search in ("tables", "exhaustive"):
        lines.append("compared with:")
        for other in considered(chosen.bits, chosen.distance, chosen.n):
            name = f"{other.tables} tables" if other.tables else other.search
            key = f"keys of {_range(other.key_bits)} bits, " if other.tables else ""
            said = f"{key}{other.candidates:,.0f} candidates, {other.seconds:.3g} s"
            lines.append(f"  {name:<18} {said}")
    return "\n".join(lines)


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def _bytes(count: int) -> str:
    size, unit = float(count), 0
    while size >= 1000 and unit < 4:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB')[unit]}"


def _count(blocks: int, distance: int, nested: bool) -> int:
    return blocks * blocks if nested else math.comb(blocks, distance)


def _with_tables(bits: int, distance: int, n: int, blocks: int, nested: bool) -> Plan:
    sizes = tuple(size for _, size in cut(bits, blocks))
    # A row number stands beside the key in 64 bits (tables.py), so the key may be cut short.
    room = 64 - row_bits(n)
    chance = sum(
        many / 2.0 ** min(size, room) for size, many in _key_sizes(sizes, blocks - distance, nested)
    )
    candidates = n * (n - 1) / 2 * chance
    tables = _count(blocks, distance, nested)
    each = n * (COSTS.sort * math.log2(max(n, 2)) + COSTS.passes) + COSTS.table
    seconds = tables * each + candidates * COSTS.candidate
    return Plan("tables", bits, distance, n, sizes, nested, candidates, 8 * n, seconds)


def _key_sizes(sizes: tuple[int, ...], chosen: int, nested: bool) -> Iterator[tuple[int, int]]:
    """Give the sizes of a plan's keys and how many have each, without making the keys."""
    if nested:
        for outer in sizes:
            for _, inner in cut(sum(sizes) - outer, len(sizes)):
                yield outer + inner, 1
        return
    small, larger = min(sizes), sum(size > min(sizes) for size in sizes)
    for large in range(min(chosen, larger) + 1):
        ways = math.comb(larger, large) * math.comb(len(sizes) - larger, chosen - large)
        yield chosen * small + large, ways


def _plain(search: str, bits: int, distance: int, n: int) -> Plan:
    pairs = n * (n - 1) / 2
    if search == "exhaustive":
        seconds = pairs * words(bits) * COSTS.scan
        return Plan(search, bits, distance, n, (), False, pairs, 0, seconds)
    many = variants(bits, distance)
    if many > MOST_VARIANTS or (search == "neighbours" and n * many > MOST_STORED):
        raise SimdupError(
            "search",
            f"{n:,} fingerprints have {many:,} variants each within distance {distance}: "
            f"too many for {search}",
            "use tables or exhaustive",
        )
    found = pairs * many / 2.0**bits
    if search == "probe":
        seconds = n * many * COSTS.lookup
        return Plan(search, bits, distance, n, (), False, found, 8 * n, seconds)
    stored = n * many
    seconds = stored * COSTS.sort * math.log2(max(stored, 2)) + n * COSTS.lookup
    return Plan(search, bits, distance, n, (), False, found, 8 * stored, seconds)
