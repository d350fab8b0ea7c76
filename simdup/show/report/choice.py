"""Whose text travels: the clusters a person has most reason to look at, first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simdup.model.clusters import Cluster
from simdup.near.source_documents import SourceDocuments

# Texts of so many members are carried: matrix and graph show no more.
MEMBERS = 24

# Characters at which a text is clipped: nobody reads more on a page.
CLIP = 400_000

# Texts shrink about fourfold as whole texts and far more as pieces: from so many times the budget
# on, nothing more would fit.
_SHRINK = 8


def edge_first(clusters: Sequence[Cluster], similarity: float) -> list[int]:
    """Return the positions of clusters, those first whose pairs are most in doubt.

    Chained clusters come first, then those whose weakest pair is nearest to the threshold, then
    those whose fingerprints differ most, then large ones.  The list of the page has the same order.
    """

    def need(i: int) -> tuple[object, ...]:
        cluster = clusters[i]
        weakest = cluster.weakest
        margin = 1.0 if weakest is None else weakest - similarity
        return (not cluster.linked, margin, -cluster.diameter, -len(cluster.members), i)

    return sorted(range(len(clusters)), key=need)


def carried(cluster: Cluster) -> list[int]:
    """Return the numbers of the members whose texts travel; documents of indexes have none."""
    return [member.number for member in cluster.members[:MEMBERS] if member.number >= 0]


def within_reach(
    order: Sequence[int], clusters: Sequence[Cluster], origins: SourceDocuments, budget: float
) -> Iterator[int]:
    """Yield the positions of the clusters whose texts are worth reading again."""
    left = _SHRINK * budget
    sizes = origins.documents["size"]
    for i in order:
        size = int(np.minimum(sizes[list(carried(clusters[i]))], 4 * CLIP).sum())
        if size > left:
            # A smaller one may still fit, but not many.
            left -= min(size, left) // 16
            continue
        left -= size
        yield i
