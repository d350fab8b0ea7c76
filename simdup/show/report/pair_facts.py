"""The facts in which the documents of pairs differ, for pairs whose texts a page carries.

Texts are compared while a page reads them, up to a limit, so that a page of many clusters is not
much slower to write: the list begins with the clusters that are compared.  A scan has compared
redundant documents with those that took them already: of these pairs only those that differ are
compared again, for the places in the texts as they were read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from simdup.model.readings import FactDifference
from simdup.reuse.contradictions import differing_facts
from simdup.show.report.columns import SAME, RowGroup

# Characters of both texts of all pairs that are compared: 3,125 pairs of texts of 250 characters
# take 0.8 s.  However short its texts are, a pair costs as much as `_PAIR` characters, and a fact
# in which they differ as much as `_FACT`.
EXAMINED = 2_500_000
_PAIR, _FACT = 300, 500

# The share of it for one cluster: one of many long texts must not use up all.  It is enough for a
# pair of the longest texts that a page carries.
_CLUSTER = 1 / 3

# Characters that are compared at a time.
_AT_ONCE = 250_000

# Facts of a pair that a page names, and characters of each text there.
NAMED, _VALUE = 5, 60

# By the place of a pair in its group, the facts in which its texts differ.
Facts: TypeAlias = dict[int, list[FactDifference]]


class _Pair(NamedTuple):
    cluster: int
    place: int  # in its group
    texts: tuple[str, str]

    @property
    def cost(self) -> int:
        return sum(map(len, self.texts)) + _PAIR


class PairFacts:
    """Compares pairs of groups until the limit is reached."""

    def __init__(self, groups: Sequence[RowGroup]) -> None:
        self._groups = groups
        self._left = EXAMINED

    def compare(self, some: Mapping[int, Sequence[str | None]]) -> dict[int, Facts]:
        """Return the facts of pairs of clusters; `some` has the texts of each.

        A cluster has those of its pairs that were compared, and is absent if none was.
        """
        found: dict[int, Facts] = {}
        waiting, size = list[_Pair](), 0
        for pair in self._affordable(some, found):
            waiting.append(pair)
            size += pair.cost
            if size >= _AT_ONCE:
                self._compare(waiting, found)
                waiting, size = [], 0
        self._compare(waiting, found)
        return found

    def _compare(self, pairs: Sequence[_Pair], found: dict[int, Facts]) -> None:
        """Add the facts in which these pairs differ."""
        differ = differing_facts([pair.texts for pair in pairs]) if pairs else []
        for pair, facts in zip(pairs, differ, strict=True):
            found.setdefault(pair.cluster, {})[pair.place] = facts
            self._left -= _FACT * len(facts)

    def _affordable(
        self, some: Mapping[int, Sequence[str | None]], found: dict[int, Facts]
    ) -> Iterator[_Pair]:
        """Yield the pairs of clusters to compare, first those of which one document took the other.

        Those that are known to agree are added to what is found.
        """
        for cluster, texts in some.items():
            left = min(self._left, _CLUSTER * EXAMINED)
            agreeing = self._groups[cluster].agreeing
            for place in self._places(cluster, len(texts)):
                a, b = (texts[one] for one in self._sides(cluster, place))
                if a is None or b is None or a == b:
                    continue
                if place in agreeing:
                    found.setdefault(cluster, {})[place] = []
                    continue
                pair = _Pair(cluster, place, (a, b))
                if pair.cost > left:
                    break
                left -= pair.cost
                self._left -= pair.cost
                yield pair

    def _places(self, cluster: int, carried: int) -> list[int]:
        """Return the places of the pairs of texts that are carried and not the same."""
        pairs, takers = self._groups[cluster].pairs, self._groups[cluster].takers
        known = (i for i, one in enumerate(pairs) if not one.flags & SAME)

        def order(place: int) -> tuple[bool, int, int]:
            a, b = self._sides(cluster, place)
            return takers[b] != a, a, b

        return sorted((i for i in known if max(pairs[i].a, pairs[i].b) < carried), key=order)

    def _sides(self, cluster: int, place: int) -> tuple[int, int]:
        pair = self._groups[cluster].pairs[place]
        return min(pair.a, pair.b), max(pair.a, pair.b)

    def values(self, cluster: int, facts: Facts, texts: Sequence[str | None]) -> list[Any]:
        """Return [a, b, number of facts, the first ones] for each pair that differs in a fact.

        A fact has its kind, what each text has, and where; a page counts UTF-16 units.
        """
        found: list[Any] = []
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
                found.append([a, b, len(differ), named])
        return found


def _short(value: str) -> str:
    return value if len(value) <= _VALUE else f"{value[: _VALUE - 1]}…"


def _units(text: str, span: tuple[int, int]) -> list[int]:
    """Return where a span of characters is in UTF-16 units."""
    start, end = (len(text[: max(at, 0)].encode("utf-16-le", "surrogatepass")) // 2 for at in span)
    return [start, end]
