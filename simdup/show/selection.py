"""Which clusters or pairs of a result are listed, and in what order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, TypeVar

from simdup.base.errors import SimdupError
from simdup.model.clusters import Cluster, Pair
from simdup.near.findings import Findings

SORTS = ("size", "similarity", "distance", "name")

_T = TypeVar("_T", Cluster, Pair)

# Largest, most similar and nearest first.
_CLUSTER_KEYS: dict[str, Callable[[Cluster], Any]] = {
    "size": lambda cluster: -len(cluster.members),
    "similarity": lambda cluster: _falling(cluster.weakest),
    "distance": lambda cluster: cluster.diameter,
    "name": lambda cluster: cluster.members[0].name,
}
_PAIR_KEYS: dict[str, Callable[[Pair], Any]] = {
    "similarity": lambda pair: (_falling(pair.similarity), pair.distance),
    "distance": lambda pair: (pair.distance, _falling(pair.similarity)),
    "name": lambda pair: (pair.a, pair.b),
}


def _listed_pairs(cluster: Cluster) -> Sequence[Pair]:
    """Return the pairs of a cluster; if some are new, as a baseline tells, only these."""
    return [pair for pair in cluster.pairs if pair.new] or cluster.pairs


def _falling(similarity: float | None) -> float:
    return inf if similarity is None else -similarity


@dataclass(frozen=True, slots=True)
class Selection:
    """What to list of a result.

    Attributes
    ----------
    pairs : bool
        Whether to list pairs instead of clusters.
    sort : str or None
        One of `SORTS`: clusters by size, lowest similarity, largest distance or name of the kept
        document, pairs by all but size.  None is ``size`` for clusters, ``similarity`` for pairs.
    reverse : bool
        Whether the order is reversed.
    limit : int or None
        How many to list at most.
    min_size : int
        How many documents a cluster must have, that of a listed pair too.
    members : int or None
        How many documents of a cluster are listed as text; None lists all, but ten on a terminal.
    columns : tuple of str
        Further columns of the documents of clusters: see `simdup.show.details`.
    """

    pairs: bool = False
    sort: str | None = None
    reverse: bool = False
    limit: int | None = None
    min_size: int = 2
    members: int | None = None
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.pairs and self.sort == "size":
            raise SimdupError("sort", "pairs have no size", field="sort")

    @property
    def reads_again(self) -> bool:
        """Whether documents are read a second time."""
        return "title" in self.columns

    def clusters(self, result: Findings) -> list[Cluster]:
        """Return the clusters to list; they keep their numbers."""
        large = (c for c in result.clusters if len(c.members) >= self.min_size)
        return self._sorted(large, _CLUSTER_KEYS[self.sort or "size"])

    def count(self, result: Findings) -> int:
        """Return how many are listed."""
        large = [c for c in result.clusters if len(c.members) >= self.min_size]
        found = sum(map(len, map(_listed_pairs, large))) if self.pairs else len(large)
        return found if self.limit is None else min(found, self.limit)

    def chosen_pairs(self, result: Findings) -> list[Pair]:
        """Return the pairs to list."""
        large = (c for c in result.clusters if len(c.members) >= self.min_size)
        every = (pair for cluster in large for pair in _listed_pairs(cluster))
        return self._sorted(every, _PAIR_KEYS[self.sort or "similarity"])

    def _sorted(self, found: Iterable[_T], key: Callable[[_T], Any]) -> list[_T]:
        # Both directions leave what is equal in the order of the result.
        return sorted(found, key=key, reverse=self.reverse)[: self.limit]


EVERYTHING = Selection()
