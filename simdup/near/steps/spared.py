"""Documents that stay only because the kept one near them does not contain them, and why."""

from __future__ import annotations

from typing import Any

import numpy as np

from simdup.model.clusters import Spared
from simdup.model.criteria import LOSSLESS
from simdup.near.rows import Scanned


def step(scanned: Scanned) -> dict[str, Any]:
    """Return ``spared``, without those that people divided."""
    rows, joined, clusters, _ = scanned
    numbers, names, lossless = rows.numbers, rows.documents["name"], rows.criteria.lossless
    members = (member for cluster in clusters for member in cluster.members)
    gone = {member.number for member in members if member.role == "redundant"}
    stay = [pair for pair in joined.spared if gone.isdisjoint(numbers[row] for row in pair)]
    if not stay:
        return {}
    spared, kept = np.array(stay, np.int64).T
    pairs, described = rows.measure(kept, spared), []
    covered = pairs["covered"][:, 1] if "covered" in pairs else np.zeros(len(stay))
    shares = zip(pairs["similarity"].tolist(), covered.tolist(), strict=True)
    for (row, by), (similarity, share) in zip(stay, shares, strict=True):
        facts: tuple[str, ...] = ()
        # Below this, the share alone is a reason.
        if lossless and share >= LOSSLESS:
            from simdup.near.measures.lossless import lost

            facts = tuple(lost(rows.texts, row, by))
        both = numbers[row], numbers[by]
        described.append(Spared(names[row], names[by], similarity, share, *both, facts))
    return {"spared": tuple(described)}
