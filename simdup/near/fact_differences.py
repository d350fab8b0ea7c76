"""The facts in which the documents of pairs differ, by their numbers.

To align two texts costs 1 us a character, many times what their measures cost.  So it is done only
for pairs that meet everything else, and where nobody asks, not at all.

Texts are aligned in the form in which they are compared, which is at hand: values are folded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

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
# However short its texts are, a pair costs as much as so many characters.
PAIR = 300


def differences(text_of: TextOf, a: RowIds, b: RowIds) -> list[Facts]:
    """Return the facts in which the documents of each pair (a[k], b[k]) differ.

    Texts that are the same but for white space never do.
    """
    differing: list[Facts] = [()] * len(a)

    def unequal() -> Iterator[tuple[tuple[int, bool], str, str]]:
        for place, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
            # The order of two texts may decide how they are aligned, and must not depend on who
            # asks.
            x, y = map(text_of, sorted((i, j)))
            if x.compact != y.compact:
                yield (place, i > j), x.folded, y.folded

    for (place, turned), facts in aligned(unequal()):
        if turned:
            facts = [FactDifference(f.kind, f.b, f.a, f.at_b, f.at_a) for f in facts]
        differing[place] = tuple(facts)
    return differing


def aligned(pairs: Iterable[tuple[Any, str, str]]) -> Iterator[tuple[Any, list[FactDifference]]]:
    """Yield the facts in which the texts of pairs differ, each behind what names its pair.

    So many pairs are asked for at a time as are aligned together.
    """
    waiting, size = list[tuple[Any, str, str]](), 0
    for pair in pairs:
        waiting.append(pair)
        size += len(pair[1]) + len(pair[2]) + PAIR
        if size >= _TOGETHER:
            yield from _align(waiting)
            waiting, size = [], 0
    yield from _align(waiting)


def _align(pairs: list[tuple[Any, str, str]]) -> Iterator[tuple[Any, list[FactDifference]]]:
    differing = differing_facts([(a, b) for _, a, b in pairs]) if pairs else []
    return zip((name for name, _, _ in pairs), differing, strict=True)
