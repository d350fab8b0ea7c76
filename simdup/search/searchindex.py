"""Tables that are kept, for queries to be joined with."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from simdup.search import baselines
from simdup.search.arrays import U64
from simdup.search.ball import HammingBall
from simdup.search.bitview import BitView
from simdup.search.compressed import Compressed, compress_table
from simdup.search.duplicates import Duplicates, collapse
from simdup.search.pieces import Pieces
from simdup.search.plans import Plan, plan
from simdup.search.tables import build_table, table_keys
from simdup.search.threads import count_threads

# Queries joined at a time. Fewer mean more passes, more mean larger temporary arrays.
BATCH = 1 << 18

Table: TypeAlias = "U64 | Compressed"


@dataclass(frozen=True, slots=True, eq=False)
class SearchIndex:
    """Fingerprints ready to be queried, from `build`."""

    view: BitView  # the distinct fingerprints
    duplicates: Duplicates
    plan: Plan  # queries may use up to its distance
    keys: list[Pieces]  # the bits in front of each table
    tables: list[Table]  # sorted, uint64[m] each, one for each key
    lookup: U64  # uint64[]: what ``probe`` and ``neighbours`` look fingerprints up in

    @property
    def nbytes(self) -> int:
        """Bytes of the tables and the fingerprints."""
        parts = (self.view.fingerprints, self.lookup, *self.tables)
        return sum(int(part.nbytes) for part in parts)


def build(
    fingerprints: U64,
    bits: int = 64,
    distance: int = 3,
    compress: bool = False,
    *,
    tables: int | str = "auto",
    search: str = "tables",
    threads: int | None = None,
) -> SearchIndex:
    """Sort the tables that queries are to be joined with.

    Parameters
    ----------
    fingerprints : uint64[n] or uint64[n, words]
        They are kept, not copied, unless some are equal.
    bits, distance : int
        As for `all_pairs`; queries may use less than `distance`.
    compress : bool
        Keep the tables in about 42 of 64 bits (at 10**7), at the price of slower queries.
    tables, search, threads
        As for `all_pairs`.

    Raises
    ------
    SimdupError
        Invalid input.
    """
    view = BitView.of_all_bits(fingerprints, bits)
    ball = HammingBall(bits, distance)
    groups = collapse(view.fingerprints, count_threads(threads))
    if groups.distinct is not None:
        view = view.take(groups.distinct)
    chosen = plan(ball, len(view), tables, search)
    keys = table_keys(chosen, view, max(len(view), BATCH))

    def sort_table(key: Pieces) -> Table:
        table = build_table(view, key, np.empty(len(view), dtype=np.uint64))
        return compress_table(table) if compress else table

    with ThreadPoolExecutor(count_threads(threads)) as pool:
        built = list(pool.map(sort_table, keys))
    lookup = baselines.build_lookup(chosen.search, view.fingerprints, ball)
    return SearchIndex(view, groups, chosen, keys, built, lookup)
