"""In which facts redundant documents differ from the kept ones that they name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from simdup.base.workers import Workers
from simdup.model.criteria import EDIT
from simdup.model.settings import RunOptions
from simdup.near.fact_differences import Facts, differences
from simdup.near.rows import Scanned
from simdup.near.texts import Texts
from simdup.search.arrays import RowIds

_Pairs: TypeAlias = tuple[RowIds, RowIds]

# Bytes of texts for which processes pay off: they are aligned in half a second.
_WORTH_WORKERS = 1 << 20
# Bytes of the texts of a task: an eighth of a second.
_TASK = 1 << 18


def step(scanned: Scanned) -> dict[str, Any]:
    """Return ``facts``, by the number of the redundant document, and ``facts_differ``.

    The redundant document is the `a` of each difference.  One that agrees with the kept one, or
    whose kept one has no text here, has none.
    """
    rows, criteria = scanned.rows, scanned.criteria
    if criteria.same_facts:
        return {"facts": {}, "facts_differ": 0}
    members = (member for cluster in scanned.clusters for member in cluster.members)
    # Short texts that differ in a fact are no near-duplicates.
    decided = criteria.edits_decide
    redundant = [
        m for m in members if m.role == "redundant" and not (decided and m.measure == EDIT)
    ]
    gone, kept = (
        rows.text_of[np.array([getattr(m, name) for m in redundant], np.int64) - rows.numbers.start]
        for name in ("number", "beside")
    )
    digests = rows.corpus["digest"]
    aligned = np.flatnonzero((gone >= 0) & (kept >= 0))
    aligned = aligned[digests[gone[aligned]] != digests[kept[aligned]]]
    run, found = rows.settings.run, dict[int, Facts]()
    run.progress("aligning", 0, len(aligned))
    each = _align(rows.texts, gone[aligned], kept[aligned], run)
    for done, (place, facts) in enumerate(zip(aligned.tolist(), each, strict=True), 1):
        if facts:
            found[redundant[place].number] = facts
        run.progress("aligning", done, len(aligned))
    return {"facts": found, "facts_differ": len(found)}


def _align(texts: Texts, a: RowIds, b: RowIds, run: RunOptions) -> Iterator[Facts]:
    """Yield what `differences` returns, found in processes if these pay off."""
    costs = texts.sizes[a] + texts.sizes[b]
    starts = np.flatnonzero(np.diff(np.cumsum(costs) // _TASK, prepend=-1))
    tasks = zip(np.split(a, starts[1:]), np.split(b, starts[1:]), strict=True)
    if run.processes == 1 or costs.sum() < _WORTH_WORKERS:
        for task in tasks:
            yield from differences(texts.text, *task)
        return
    workers: Workers[_Pairs, list[Facts]] = Workers(run.processes, partial(_start, texts))
    with closing(workers):
        for part in workers.map(tasks):
            yield from part


def _start(texts: Texts, number: int) -> Callable[[_Pairs], list[Facts]]:
    """Return the function that does a task in a process."""
    return lambda task: differences(texts.text, *task)
