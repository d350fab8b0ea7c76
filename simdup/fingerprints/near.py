"""Find all pairs of fingerprints within a distance, with the search options of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simdup import search
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.model.settings import RunOptions
from simdup.search import Pairs


def near_pairs(fingerprints: Fingerprints, distance: int, run: RunOptions) -> Pairs:
    """Return all pairs of fingerprints within a Hamming distance, ordered."""
    distance = min(distance, fingerprints.bits)
    how = _options(run)
    values, bits = fingerprints.values, fingerprints.bits
    return search.all_pairs(values, distance, bits, memory=run.search.memory, **how)


def iter_near_pairs(fingerprints: Fingerprints, distance: int, run: RunOptions) -> Iterator[Pairs]:
    """Yield, in chunks, enough pairs to connect everything within a Hamming distance.

    Identical fingerprints are paired with the first of them only, and only the first with others.
    """
    distance = min(distance, fingerprints.bits)
    values, how = fingerprints.values, run.search
    tables = _tables(run)
    if how.explain is not None:
        ball = search.HammingBall(fingerprints.bits, distance)
        how.explain(search.explain(search.plan(ball, len(values), tables, how.search)))
    return search.iter_pairs(values, distance, fingerprints.bits, "first", **_options(run))


def _tables(run: RunOptions) -> int | str:
    tables = run.search.tables
    return tables if tables == "auto" else int(tables)


def _options(run: RunOptions) -> dict[str, Any]:
    return {"tables": _tables(run), "search": run.search.search, "threads": run.processes}
