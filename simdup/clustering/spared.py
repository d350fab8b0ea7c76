"""Documents that stay only because the kept one near them lacks something of their text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from simdup.clustering.clusters import Group, ScannedDocuments
from simdup.model.clusters import Cluster, Spared


def list_spared(alike: Iterable[Group], contained: Iterable[Group]) -> list[tuple[int, int]]:
    """Return (document, kept) of documents that only one of two groupings removes, by number.

    Parameters
    ----------
    alike : iterable of Group
        The groups of a grouping that may lose something.
    contained : iterable of Group
        Those of one that does not.
    """
    kept_for = {one: group.kept for group in contained for one in group.members}
    spared = (
        (one, kept_for.get(group.kept, group.kept))
        for group in alike
        for one in group.members
        if one != group.kept and kept_for.get(one, one) == one
    )
    return sorted((one, kept) for one, kept in spared if one != kept)


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
        Spared(names[one], names[beside], found.similarity, found.covered or 0.0, one, beside)
        for (one, beside), found in zip(stay, figures, strict=True)
    )
