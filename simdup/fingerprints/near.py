"""All pairs of fingerprints within a distance, searched as a run wants it."""

from __future__ import annotations

from simdup import search
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.model.settings import RunOptions
from simdup.search import Pairs


def near_pairs(
    fingerprints: Fingerprints, distance: int, run: RunOptions, copies: str = "all"
) -> Pairs:
    """Return all pairs of fingerprints within a distance, ordered.

    Parameters
    ----------
    fingerprints : Fingerprints
        What to search.
    distance : int
        The largest Hamming distance; what exceeds the bits of a fingerprint is no limit.
    run : RunOptions
        How to search, and with how many threads.
    copies : {"all", "first"}
        With ``first``, of identical fingerprints each pairs with the first only, and only the
        first with others.
    """
    values, bits = fingerprints.values, fingerprints.bits
    distance = min(distance, bits)
    how = run.search
    tables = how.tables if how.tables == "auto" else int(how.tables)
    if how.explain is not None:
        chosen = search.plan(search.HammingBall(bits, distance), len(values), tables, how.search)
        how.explain(search.explain(chosen))
    return search.all_pairs(
        values,
        distance,
        bits,
        copies,
        tables=tables,
        search=how.search,
        threads=run.processes,
        memory=how.memory,
    )
