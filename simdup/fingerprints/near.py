"""Find pairs of fingerprints within a distance, with the search options of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simdup import search
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.model.settings import RunOptions
from simdup.search import Pairs


def near_pairs(
    fingerprints: Fingerprints, distance: int, run: RunOptions, every: bool = False
) -> Iterator[Pairs]:
    """Yield, in chunks, enough pairs to connect everything within a Hamming distance.

    Identical fingerprints are paired with the first of them only, and only the first with others,
    unless `every` pair is wanted: then all come at once, ordered.
    """
    values, bits, how = fingerprints.values, fingerprints.bits, run.search
    distance = min(distance, bits)
    tables = how.tables if how.tables == "auto" else int(how.tables)
    options: dict[str, Any] = {"tables": tables, "search": how.search, "threads": run.processes}
    if every:
        return iter([search.all_pairs(values, distance, bits, memory=how.memory, **options)])
    if how.explain is not None:
        ball = search.HammingBall(bits, distance)
        how.explain(search.explain(search.plan(ball, len(values), tables, how.search)))
    return search.iter_pairs(values, distance, bits, "first", **options)
