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
from itertools import combinations

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
MOST_TABLES = 5_000


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds on one core, measured with numpy 2.4 on a 2 GHz server core (AVX2 sorting).

    Only their proportions decide a plan. With them `plan` takes the fastest of the four shapes,
    or one within a tenth of it, at 10**4, 10**5, 10**6 and 10**7 random fingerprints.
    """

    sort: float = 0.55e-9  # a value and a doubling of n: 10**6 10.9 ms, 10**7 123 ms
    passes: float = 4.0e-9  # a value: pack 2.9 ns, walk 0.8 ns
    candidate: float = 1.5e-9  # a pair with equal keys, walked by lag
    scan: float = 0.7e-9  # a pair and a word, compared outright
    table: float = 150e-6  # a table however small: the calls themselves
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
    keys : tuple of tuple of (start, width)
        For every table the bits of its key.
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
    keys: tuple[tuple[Piece, ...], ...]
    candidates: float
    memory: int
    seconds: float

    @property
    def tables(self) -> int:
        """The number of tables."""
        return len(self.keys)

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
    return [(sum(sizes[:block]), size) for block, size in enumerate(sizes)]


def keys_of_blocks(bits: int, distance: int, blocks: int) -> tuple[tuple[Piece, ...], ...]:
    """Give the keys of all tables: every choice of ``blocks - distance`` of the blocks."""
    pieces = cut(bits, blocks)
    return tuple(tuple(joined(chosen)) for chosen in combinations(pieces, blocks - distance))


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
        Unknown names; a shape that has thousands of tables at this distance.
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
    if tables == NESTED:
        return _nested(bits, distance, n)
    # With fewer bits than blocks wanted, every bit is a block.
    blocks = min(distance + SHAPES[int(tables)], bits)
    if math.comb(blocks, distance) > MOST_TABLES:
        raise SimdupError(
            "tables",
            f"{blocks} blocks at distance {distance} make {math.comb(blocks, distance):,} tables",
            "leave the choice to auto",
        )
    return _of_blocks(bits, distance, n, blocks)


def considered(bits: int, distance: int, n: int) -> Iterator[Plan]:
    """Give the plans among which ``auto`` takes the cheapest, the scan first."""
    yield _plain("exhaustive", bits, distance, n)
    if distance >= bits:
        return
    yield _nested(bits, distance, n)
    for blocks in range(distance + 1, min(distance + 4, bits) + 1):
        if math.comb(blocks, distance) > MOST_TABLES:
            break
        yield _of_blocks(bits, distance, n, blocks)


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
        sizes, key_bits = chosen.blocks, chosen.key_bits
        lines += [
            f"blocks               {len(sizes)} ({', '.join(map(str, sizes))} bits)",
            f"tables               {chosen.tables}",
            f"key bits             {_range(min(key_bits), max(key_bits))}",
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
            key = f"keys of {_range(min(other.key_bits), max(other.key_bits))} bits, "
            lines.append(
                f"  {name:<18} {key if other.tables else ''}"
                f"{other.candidates:,.0f} candidates, {other.seconds:.3g} s"
            )
    return "\n".join(lines)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _bytes(count: int) -> str:
    size, unit = float(count), 0
    while size >= 1000 and unit < 4:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB')[unit]}"


def _of_blocks(bits: int, distance: int, n: int, blocks: int) -> Plan:
    sizes = tuple(size for _, size in cut(bits, blocks))
    return _with_tables(bits, distance, n, sizes, keys_of_blocks(bits, distance, blocks))


def _nested(bits: int, distance: int, n: int) -> Plan:
    sizes = tuple(size for _, size in cut(bits, distance + 1))
    return _with_tables(bits, distance, n, sizes, keys_nested(bits, distance))


def _with_tables(
    bits: int, distance: int, n: int, sizes: tuple[int, ...], keys: tuple[tuple[Piece, ...], ...]
) -> Plan:
    pairs = n * (n - 1) / 2
    # A row number stands beside the key in 64 bits (tables.py), so the key may be cut short.
    room = 64 - row_bits(n)
    candidates = sum(pairs / 2.0 ** min(width(key), room) for key in keys)
    each = n * (COSTS.sort * math.log2(max(n, 2)) + COSTS.passes) + COSTS.table
    seconds = len(keys) * each + candidates * COSTS.candidate
    return Plan("tables", bits, distance, n, sizes, keys, candidates, 8 * n, seconds)


def _plain(search: str, bits: int, distance: int, n: int) -> Plan:
    pairs = n * (n - 1) / 2
    many = float(variants(bits, distance))
    if search == "exhaustive":
        seconds = pairs * words(bits) * COSTS.scan
        return Plan(search, bits, distance, n, (), (), pairs, 0, seconds)
    found = pairs * many / 2.0**bits
    if search == "probe":
        seconds = n * many * COSTS.lookup
        return Plan(search, bits, distance, n, (), (), found, 16 * n, seconds)
    stored = n * int(many)
    seconds = stored * COSTS.sort * math.log2(max(stored, 2)) + n * COSTS.lookup
    return Plan(search, bits, distance, n, (), (), found, 16 * stored, seconds)
