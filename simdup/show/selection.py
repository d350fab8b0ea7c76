"""Which clusters or pairs of a result are listed, in what order, and as which lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any, BinaryIO

from simdup.base.errors import SimdupError
from simdup.model.clusters import Cluster, Pair
from simdup.model.criteria import EDIT
from simdup.model.formats import MEASURE_COLUMNS, PAIR_COLUMNS
from simdup.near.findings import Findings

if TYPE_CHECKING:
    from simdup.show.streams import Output
    from simdup.show.words import Phrases

SORTS = ("size", "similarity", "distance", "name")

# Largest, most similar and nearest first.
_CLUSTER_KEYS: dict[str, Callable[[Cluster], Any]] = {
    "size": lambda cluster: -len(cluster.members),
    "similarity": lambda cluster: _falling(cluster.weakest),
    "distance": lambda cluster: max(one.distance or 0 for one in cluster.members),
    "name": lambda cluster: cluster.members[0].name,
}
_PAIR_KEYS: dict[str, Callable[[Pair], Any]] = {
    "similarity": lambda pair: (_falling(pair.similarity), pair.distance or 0),
    "distance": lambda pair: (pair.distance or 0, _falling(pair.similarity)),
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
        One of `SORTS`: clusters by size, lowest similarity, largest distance or name of the first
        document, pairs by all but size.  None is ``size`` for clusters, ``similarity`` for pairs.
    limit : int or None
        How many to list at most.
    """

    pairs: bool = False
    sort: str | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.pairs and self.sort == "size":
            raise SimdupError("sort", "pairs have no size", field="sort")

    def clusters(self, result: Findings) -> list[Cluster]:
        """Return the clusters to list; they keep their numbers."""
        return sorted(result.clusters, key=_CLUSTER_KEYS[self.sort or "size"])[: self.limit]

    def count(self, result: Findings) -> int:
        """Return how many are listed."""
        listed = map(_listed_pairs, result.clusters)
        found = sum(map(len, listed)) if self.pairs else len(result.clusters)
        return found if self.limit is None else min(found, self.limit)

    def chosen_pairs(self, result: Findings) -> list[Pair]:
        """Return the pairs to list."""
        every = chain.from_iterable(map(_listed_pairs, result.clusters))
        return sorted(every, key=_PAIR_KEYS[self.sort or "similarity"])[: self.limit]


EVERYTHING = Selection()


def result_lines(
    result: Findings, selection: Selection, out: Output, stream: BinaryIO, words: Phrases
) -> Iterable[bytes]:
    """Return what is listed of a result, as lines of the format of an output."""
    from simdup.show.lines import closing, cluster_csv, cluster_jsonl, pair_csv, typed

    pairs = selection.chosen_pairs(result) if selection.pairs else []
    clusters = [] if selection.pairs else selection.clusters(result)
    if out.format == "csv" and selection.pairs:
        return pair_csv(pairs, (*PAIR_COLUMNS, *MEASURE_COLUMNS), out.bom)
    if out.format == "csv":
        return cluster_csv(clusters, out.bom)
    if out.format == "jsonl":
        # One of the two is empty.
        listed = typed("pair", pairs), cluster_jsonl(clusters)
        return chain(*listed, closing(result.skipped, result.summary, "recipe"))
    from simdup.show.text import cluster_text, pair_text

    extras = () if result.sources is None else result.sources.criteria.extras
    if any(pair.measure == EDIT for pair in result.pairs):
        extras += ("measure",)
    paint = out.painter(stream, words)
    if selection.pairs:
        return pair_text(pairs, paint, extras)
    return cluster_text(clusters, paint, extras, result.summary.new is not None)
