"""Documents that stay only because the kept one near them does not contain them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simdup.clustering.clusters import ScannedDocuments
from simdup.model.clusters import Cluster, Spared


def describe_spared(
    spared: Sequence[tuple[int, int]], clusters: Sequence[Cluster], documents: ScannedDocuments
) -> tuple[Spared, ...]:
    """Return the spared documents with their figures, without those that people divided."""
    stay = [one for one in spared if one[0] >= len(documents.references)]
    gone = {one.number for each in clusters for one in each.members if one.role == "redundant"}
    stay = [one for one in stay if gone.isdisjoint(one)]
    numbers, kept = np.array(stay, np.int64).reshape(-1, 2).T
    figures = documents.measure(kept, numbers).each(len(stay)) if stay else []
    names = documents.names
    return tuple(
        Spared(names[one], names[beside], found.similarity, found.covered[1], one, beside)
        for (one, beside), found in zip(stay, figures, strict=True)
        if found.covered is not None
    )
