"""The facts in which the documents of pairs differ, by their numbers.

To align two texts costs 1 us a character, many times what their measures cost.  So it is done only
for pairs that meet everything else, and where nobody asks, not at all.

Texts are aligned in the form in which they are compared, which is at hand: values are folded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.base.workers import Workers
from simdup.model.clusters import Cluster
from simdup.model.criteria import EDIT
from simdup.model.readings import FactDifference
from simdup.model.settings import RunOptions, Settings
from simdup.reuse.contradictions import differing_facts
from simdup.search.arrays import RowIds
from simdup.text.characters import PreparedText

if TYPE_CHECKING:
    from simdup.near.texts import Texts

# Returns a text by its number.
TextOf: TypeAlias = Callable[[int], PreparedText]
# The differences of a pair; those of its first document are `a`.
Facts: TypeAlias = tuple[FactDifference, ...]
_Pairs: TypeAlias = tuple[RowIds, RowIds]

# Characters that are aligned at a time: a quarter of a second.  With four times as many, each
# takes as long.
_TOGETHER = 250_000
# Bytes of texts for which processes pay off: they are aligned in half a second.
_WORTH_WORKERS = 1 << 20
# Bytes of the texts of a task: an eighth of a second.
_TASK = 1 << 18


def differences(text_of: TextOf, a: RowIds, b: RowIds) -> list[Facts]:
    """Return the facts in which the documents of each pair (a[k], b[k]) differ.

    Texts that are the same but for white space never do.
    """
    found: list[Facts] = [()] * len(a)
    waiting, size = dict[int, tuple[str, str]](), 0
    for place, pair in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        # The order of two texts may decide how they are aligned, and must not depend on who asks.
        one, other = map(text_of, sorted(pair))
        if one.compact == other.compact:
            continue
        waiting[place] = one.folded, other.folded
        size += len(one.folded) + len(other.folded)
        if size >= _TOGETHER:
            _align(waiting, found)
            waiting, size = {}, 0
    _align(waiting, found)
    for place in np.flatnonzero(a > b).tolist():
        found[place] = tuple(
            FactDifference(fact.kind, fact.b, fact.a, fact.at_b, fact.at_a) for fact in found[place]
        )
    return found


def _align(waiting: dict[int, tuple[str, str]], found: list[Facts]) -> None:
    """Add the facts in which some pairs of texts differ, by their places."""
    differing = differing_facts(list(waiting.values())) if waiting else []
    for place, facts in zip(waiting, differing, strict=True):
        found[place] = tuple(facts)


def align(texts: Texts, a: RowIds, b: RowIds, run: RunOptions) -> Iterator[Facts]:
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


def redundant_facts(
    clusters: Sequence[Cluster],
    texts: Texts,
    digests: NDArray[Any],
    rows_of: Callable[[Sequence[int]], RowIds],
    settings: Settings,
) -> dict[int, Facts]:
    """Return in which facts redundant documents differ from the kept ones that they name.

    Parameters
    ----------
    clusters : sequence of Cluster
    texts : Texts
    digests : array
        Those of the texts.
    rows_of : callable
        Returns the rows of texts, given numbers of documents; below 0 where there is no text.
    settings : Settings

    Returns
    -------
    dict
        The differences by the number of the redundant document, which is their `a`; none for one
        that agrees with the kept one, or whose kept one has no text here.
    """
    if settings.criteria.same_facts:
        return {}
    # Short texts that differ in a fact are no near-duplicates.
    members = (member for one in clusters for member in one.members)
    decided = settings.criteria.edits_decide
    redundant = [
        m for m in members if m.role == "redundant" and not (decided and m.measure == EDIT)
    ]
    gone, kept = (
        rows_of([getattr(one, name) for one in redundant]) for name in ("number", "beside")
    )
    aligned = np.flatnonzero((gone >= 0) & (kept >= 0))
    aligned = aligned[digests[gone[aligned]] != digests[kept[aligned]]]
    report, found = settings.run.progress, dict[int, Facts]()
    report("aligning", 0, len(aligned))
    each = align(texts, gone[aligned], kept[aligned], settings.run)
    for done, (place, facts) in enumerate(zip(aligned.tolist(), each, strict=True), 1):
        if facts:
            found[redundant[place].number] = facts
        report("aligning", done, len(aligned))
    return found


def _start(texts: Texts, number: int) -> Callable[[_Pairs], list[Facts]]:
    """Return the function that does a task in a process."""
    return lambda task: differences(texts.text, *task)
