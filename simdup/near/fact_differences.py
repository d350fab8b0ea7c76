"""The facts in which the documents of pairs differ, by their numbers.

To align two texts costs 1 us a character, many times what their measures cost.  So it is done only
for pairs that meet everything else, and where nobody asks, not at all.

Texts are aligned in the form in which they are compared, which is at hand: values are folded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from simdup.model.readings import FactDifference
from simdup.reuse.contradictions import differing_facts
from simdup.search.arrays import RowIds
from simdup.text.characters import PreparedText

# Returns a text by its number.
TextOf: TypeAlias = Callable[[int], PreparedText]
# The differences of a pair; those of its first document are `a`.
Facts: TypeAlias = tuple[FactDifference, ...]

# Characters that are aligned at a time: a quarter of a second.  With four times as many, each
# takes as long.
_TOGETHER = 250_000


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
