"""Documents that stay only because the kept one near them does not contain them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from simdup.clustering.clusters import ScannedDocuments
from simdup.model.clusters import Cluster, Spared
from simdup.model.criteria import LOSSLESS


def describe_spared(
    spared: Sequence[tuple[int, int]],
    clusters: Sequence[Cluster],
    documents: ScannedDocuments,
    lost: Callable[[int, int], Sequence[str]] | None,
) -> tuple[Spared, ...]:
    """Return the spared documents with their figures, without those that people divided.

    `lost` returns the facts of a document that another one lacks; None where these do not matter.
    """
    stay = [one for one in spared if one[0] >= len(documents.references)]
    gone = {one.number for each in clusters for one in each.members if one.role == "redundant"}
    stay = [one for one in stay if gone.isdisjoint(one)]
    numbers, kept = np.array(stay, np.int64).reshape(-1, 2).T
    figures = documents.measure(kept, numbers).each(len(stay)) if stay else []
    names, described = documents.names, []
    for (one, beside), found in zip(stay, figures, strict=True):
        covered = 0.0 if found.covered is None else found.covered[1]
        # Below this, the share alone is a reason.
        facts = lost(one, beside) if lost is not None and covered >= LOSSLESS else ()
        shares = found.similarity, covered
        described.append(Spared(names[one], names[beside], *shares, one, beside, tuple(facts)))
    return tuple(described)
