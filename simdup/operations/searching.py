"""The search of fingerprints, as a run wants it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simdup import search
from simdup.ingest.counting import Effort
from simdup.search import HammingBall, Pairs


def near_fingerprints(
    values: NDArray[np.uint64], distance: int, bits: int, effort: Effort, copies: str = "all"
) -> Pairs:
    """Return all pairs of fingerprints within a distance; what lies beyond `bits` is no limit."""
    distance = min(distance, bits)
    tables = effort.tables if effort.tables == "auto" else int(effort.tables)
    if effort.explain is not None:
        chosen = search.plan(HammingBall(bits, distance), len(values), tables, effort.search)
        effort.explain(search.explain(chosen))
    return search.all_pairs(
        values,
        distance,
        bits,
        copies,
        tables=tables,
        search=effort.search,
        threads=effort.processes,
        memory=effort.memory,
    )
