"""Plans: the search and the tables that find every pair at the lowest cost.

`cuts` lists the possible tables, `costs` estimates their cost. `plan` chooses the cheapest, which
for few fingerprints or a large distance is the plain scan.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from simdup.errors import SimdupError, invalid
from simdup.search.arrays import WORD, count_words, row_bits
from simdup.search.ball import HammingBall
from simdup.search.costs import COSTS
from simdup.search.cuts import Cut
from simdup.search.pieces import Pieces, width

SHAPES = {4: 1, 10: 2, 20: 3}  # tables at distance 3: blocks more than the distance
NESTED = 16
SEARCHES = ("auto", "tables", "exhaustive", "probe", "neighbours")
# Far above what any useful plan sorts; prevents building tables forever by mistake.
MAX_TABLES = 1_000
# Ten million lookups take seconds per fingerprint; a scan is faster.
MAX_VARIANTS = 10_000_000
MAX_STORED = 1 << 28  # neighbours of 8 bytes: 2 GiB


@dataclass(frozen=True, slots=True)
class Plan:
    """A way to find every pair within a distance."""

    search: str  # ``tables``, ``exhaustive``, ``probe`` or ``neighbours``
    ball: HammingBall
    n: int  # fingerprints
    cut: Cut | None  # the blocks and keys of the tables; None without tables
    candidates: float  # pairs expected to be compared, of n random fingerprints
    memory: int  # bytes for one thread, without input and output
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
    cut = Cut(ball, min(ball.distance + more, ball.bits), nested)
    if cut.tables > MAX_TABLES:
        raise SimdupError(
            "tables",
            f"{cut.blocks} blocks at distance {ball.distance} make {cut.tables:,} tables",
            "set `tables` to auto",
            field="tables",
        )
    return _plan_tables(cut, n)


def alternatives(ball: HammingBall, n: int) -> Iterator[Plan]:
    """Yield the plans from which ``auto`` chooses, the scan first."""
    yield _plan_baseline("exhaustive", ball, n)
    least = ball.distance + 1
    for blocks in range(least, min(ball.distance + 4, ball.bits) + 1):
        for nested in (False, True) if blocks == least else (False,):
            cut = Cut(ball, blocks, nested)
            if cut.tables <= MAX_TABLES:
                yield _plan_tables(cut, n)


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


def _plan_tables(cut: Cut, n: int) -> Plan:
    # The key and a row number share 64 bits (tables.py), so the key may be truncated.
    room = WORD - row_bits(n)
    chance = sum(keys / 2.0 ** min(size, room) for size, keys in cut.key_sizes())
    candidates = n * (n - 1) / 2 * chance
    seconds = COSTS.search_tables(n, cut.tables, candidates)
    return Plan("tables", cut.ball, n, cut, candidates, 8 * n, seconds)


def _plan_baseline(search: str, ball: HammingBall, n: int) -> Plan:
    pairs = n * (n - 1) / 2
    if search == "exhaustive":
        seconds = pairs * count_words(ball.bits) * COSTS.scan
        return Plan(search, ball, n, None, pairs, 0, seconds)
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
        return Plan(search, ball, n, None, candidates, 8 * n, stored * COSTS.lookup)
    seconds = stored * COSTS.sort * math.log2(max(stored, 2)) + n * COSTS.lookup
    return Plan(search, ball, n, None, candidates, 8 * stored, seconds)
