"""All pairs of fingerprints within a distance, searched as a run wants it."""

from __future__ import annotations

from simdup import search
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.model.settings import RunOptions
from simdup.search import Pairs


def near_pairs(
    fingerprints: Fingerprints, distance: int, run: RunOptions, copies: str = "all"
) -> Pairs:
    """Return all pairs of fingerprints within a Hamming distance, ordered.

    With the copies ``first``, identical fingerprints pair with the first of them only, and only
    the first with others.
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
