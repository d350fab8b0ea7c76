"""The facts in which the documents of pairs differ, for pairs whose texts a page carries.

Texts are compared while a page reads them, up to a limit, so that a page of many clusters is not
much slower to write: the list begins with the clusters that are compared.  A scan has compared
redundant documents with those that took them already: of these pairs only those that differ are
compared again, for the places in the texts as they were read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from simdup.model.readings import FactDifference
from simdup.near.fact_differences import PAIR, aligned
from simdup.show.report.columns import SAME, RowGroup

# Characters of both texts of all pairs that are compared: 3,125 pairs of texts of 250 characters
# take 0.8 s.  A fact in which they differ costs as much as `_FACT` characters.
EXAMINED = 2_500_000
_FACT = 500

# The share of it for one cluster: one of many long texts must not use up all.  It is enough for a
# pair of the longest texts that a page carries.
_CLUSTER = 1 / 3

# Facts of a pair that a page names, and characters of each text there.
NAMED, _VALUE = 5, 60

# By the place of a pair in its group, the facts in which its texts differ.
Facts: TypeAlias = dict[int, list[FactDifference]]


class PairFacts:
    """Compares pairs of groups until the limit is reached."""

    def __init__(self, groups: Sequence[RowGroup]) -> None:
        self._groups = groups
        self._left = float(EXAMINED)

    def compare(self, texts_of: Mapping[int, Sequence[str | None]]) -> dict[int, Facts]:
        """Return the facts of pairs of clusters; `texts_of` has the texts of each.

        A cluster has those of its pairs that were compared, and is absent if none was.
        """
        compared: dict[int, Facts] = {}
        for (cluster, place), facts in aligned(self._affordable(texts_of, compared)):
            compared.setdefault(cluster, {})[place] = facts
            self._left -= _FACT * len(facts)
        return compared

    def _affordable(
        self, texts_of: Mapping[int, Sequence[str | None]], compared: dict[int, Facts]
    ) -> Iterator[tuple[tuple[int, int], str, str]]:
        """Yield the pairs of clusters to compare, first those of which one document took the other.

        Those that are known to agree are added to what is compared.
        """
        for cluster, texts in texts_of.items():
            room = min(self._left, _CLUSTER * EXAMINED)
            for place in self._places(cluster, len(texts)):
                a, b = (texts[side] for side in self._sides(cluster, place))
                if a is None or b is None or a == b:
                    continue
                if place in self._groups[cluster].agreeing:
                    compared.setdefault(cluster, {})[place] = []
                    continue
                cost = len(a) + len(b) + PAIR
                if cost > room:
                    break
                room -= cost
                self._left -= cost
                yield (cluster, place), a, b

    def _places(self, cluster: int, carried: int) -> list[int]:
        """Return the places of the pairs of texts that are carried and not the same."""
        pairs, takers = self._groups[cluster].pairs, self._groups[cluster].takers

        def order(place: int) -> tuple[bool, int, int]:
            a, b = self._sides(cluster, place)
            return takers[b] != a, a, b

        differing = (i for i, pair in enumerate(pairs) if not pair.flags & SAME)
        return sorted((i for i in differing if max(pairs[i][:2]) < carried), key=order)

    def _sides(self, cluster: int, place: int) -> list[int]:
        return sorted(self._groups[cluster].pairs[place][:2])

    def values(self, cluster: int, facts: Facts, texts: Sequence[str | None]) -> list[Any]:
        """Return [a, b, number of facts, the first ones] for each pair that differs in a fact.

        A fact has its kind, what each text has, and where; a page counts UTF-16 units.
        """
        values: list[Any] = []
        for place, differ in facts.items():
            if differ:
                a, b = self._sides(cluster, place)
                named = [
                    [
                        fact.kind, _short(fact.a), _short(fact.b),
                        _units(texts[a] or "", fact.at_a), _units(texts[b] or "", fact.at_b),
                    ]
                    for fact in differ[:NAMED]
                ]  # fmt: skip
                values.append([a, b, len(differ), named])
        return values


def _short(value: str) -> str:
    return value if len(value) <= _VALUE else f"{value[: _VALUE - 1]}…"


def _units(text: str, span: tuple[int, int]) -> list[int]:
    """Return where a span of characters is in UTF-16 units."""
    start, end = (len(text[: max(at, 0)].encode("utf-16-le", "surrogatepass")) // 2 for at in span)
    return [start, end]
