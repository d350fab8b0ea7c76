"""The facts in which the documents of pairs differ, for pairs whose texts a page carries.

Texts are compared while a page takes them from the spool, up to a limit, so that a page of many
clusters is not much slower to write: the list begins with the clusters that are compared.  A scan
has compared redundant documents with those that took them already: of these pairs only those that
differ are compared again, for the places in the texts as they were decoded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from simdup.model.clusters import Cluster
from simdup.model.readings import FactDifference
from simdup.near.fact_differences import PAIR, aligned
from simdup.show.report.columns import takers

# Characters of both texts of all pairs that are compared: 3,125 pairs of texts of 250 characters
# take 0.8 s.  A fact in which they differ costs as much as `_FACT` characters.
EXAMINED = 2_500_000
_FACT = 500

# The share of it for one cluster: one of many long texts must not use up all.  It is enough for a
# pair of the longest texts that a page carries.
_CLUSTER = 1 / 3

# Facts of a pair that a page marks in the texts, and characters of each text there.
MARKED, _VALUE = 40, 60


class PairFacts:
    """Compares pairs of clusters until the limit is reached.

    Parameters
    ----------
    clusters : sequence of Cluster
        What a page lists.
    differing : collection of int or None
        The redundant documents that are known to differ in a fact from the one that took them;
        None if that is not known of any.
    """

    def __init__(
        self, clusters: Sequence[Cluster], differing: Collection[int] | None = None
    ) -> None:
        self._clusters, self._differing = clusters, differing
        self._budget = float(EXAMINED)

    def compare(
        self, texts_of: Mapping[int, Sequence[str | None]]
    ) -> dict[int, dict[int, list[FactDifference]]]:
        """Return the facts of pairs of clusters; `texts_of` has the texts of each.

        A cluster has those of its pairs that were compared, by their places in it, and is absent if
        none was.
        """
        compared: dict[int, dict[int, list[FactDifference]]] = {}
        for (cluster, place), facts in aligned(self._affordable(texts_of, compared)):
            compared.setdefault(cluster, {})[place] = facts
            self._budget -= _FACT * len(facts)
        return compared

    def _affordable(
        self,
        texts_of: Mapping[int, Sequence[str | None]],
        compared: dict[int, dict[int, list[FactDifference]]],
    ) -> Iterator[tuple[tuple[int, int], str, str]]:
        """Yield the pairs of clusters to compare, first those of which one document took the other.

        Those that are known to agree are added to what is compared.
        """
        for cluster, texts in texts_of.items():
            room = min(self._budget, _CLUSTER * EXAMINED)
            for _, x, y, place in sorted(self._pairs(cluster)):
                a, b = (texts[i] if i < len(texts) else None for i in (x, y))
                if a is None or b is None or a == b:
                    continue
                if self._agree(cluster, x, y):
                    compared.setdefault(cluster, {})[place] = []
                    continue
                cost = len(a) + len(b) + PAIR
                if cost > room:
                    break
                room -= cost
                self._budget -= cost
                yield (cluster, place), a, b

    def _pairs(self, cluster: int) -> Iterator[tuple[bool, int, int, int]]:
        """Yield whether neither took the other, both documents, and the place of each pair."""
        pairs, taken_by = self._clusters[cluster].pairs, takers(self._clusters[cluster].members)
        for place, (pair, sides) in enumerate(
            zip(pairs, self._clusters[cluster].places(), strict=True)
        ):
            a, b = sorted(sides)
            if not pair.exact:
                yield taken_by[b] != a, a, b, place

    def _agree(self, cluster: int, a: int, b: int) -> bool:
        """Return whether two documents are known to differ in no fact: one took the other."""
        x, y = (self._clusters[cluster].members[i] for i in (a, b))
        return self._differing is not None and any(
            m.role == "redundant"
            and m.beside == kept.number >= 0
            and m.number not in self._differing
            for m, kept in ((x, y), (y, x))
        )


def marked(
    cluster: Cluster,
    facts: Mapping[int, Sequence[FactDifference]],
    texts: Sequence[str | None],
) -> list[Any]:
    """Return [a, b, number of facts, the first ones] for each pair that differs in a fact.

    A fact has its kind, what each text has, and where; a page counts UTF-16 units.
    """
    places = cluster.places()
    values: list[Any] = []
    for place, differing in facts.items():
        a, b = sorted(places[place])
        first = [
            [
                fact.kind, _short(fact.a), _short(fact.b),
                _units(texts[a] or "", fact.at_a), _units(texts[b] or "", fact.at_b),
            ]
            for fact in differing[:MARKED]
        ]  # fmt: skip
        if first:
            values.append([a, b, len(differing), first])
    return values


def _short(value: str) -> str:
    return value if len(value) <= _VALUE else f"{value[: _VALUE - 1]}…"


def _units(text: str, span: tuple[int, int]) -> list[int]:
    """Return where a span of characters is in UTF-16 units."""
    start, end = (len(text[: max(at, 0)].encode("utf-16-le", "surrogatepass")) // 2 for at in span)
    return [start, end]
