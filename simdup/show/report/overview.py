"""What a page shows first: figures of the whole, small enough for its beginning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from simdup.model.clusters import Cluster
from simdup.near.source_documents import SourceDocuments
from simdup.show.report.tables import Folders, ten_thousandths
from simdup.show.result import Result

# Bars of the histogram, from similarity 0 to 1: fine enough for a threshold of two digits.
BARS = 100

# Distances of the heat map: beyond, fingerprints say little.  Rows are 20 to a similarity of 1.
HEAT_COLUMNS, HEAT_ROWS = 24, 20

# Folders, notes and skipped documents that are listed; what is beyond is counted.
LISTED = 500


def overview(result: Result, origins: SourceDocuments | None, folders: Folders) -> dict[str, Any]:
    """Return the figures, charts and notes of a result."""
    clusters, summary = result.clusters, result.summary
    sizes = [0, 0] if origins is None else _bytes(result, origins)
    return {
        "figures": {
            "documents": summary.documents - result.references,
            "clusters": summary.clusters,
            "redundant": summary.redundant,
            "linked": summary.linked,
            "unique": len(result.unique),
            "pairs": summary.pairs,
            "candidates": summary.candidates,
            "chained": sum(cluster.linked > 0 for cluster in clusters),
            "skipped": summary.skipped,
            "bytes": sizes[0],
            "saved": sizes[1],
            "seconds": round(summary.seconds, 1),
            "incomplete": sum(not cluster.complete for cluster in clusters),
        },
        "histogram": _histogram(clusters),
        "heat": _heat(clusters),
        "sizes": sorted(Counter(len(cluster.members) for cluster in clusters).items()),
        "folders": _folders(result, origins, folders),
        "skipped": [[str(one.document), one.reason] for one in result.skipped[:LISTED]],
        "notes": [list(note) for note in result.notes[:LISTED]],
        "hint": result.hint,
    }


def _histogram(clusters: Sequence[Cluster]) -> list[int]:
    """Return how many pairs there are in each hundredth of similarity; 1 has a bar of its own."""
    found = np.array([ten_thousandths(p.similarity) for c in clusters for p in c.pairs], np.int64)
    bars: list[int] = np.bincount(found[found >= 0] // 100, minlength=BARS + 1).tolist()
    return bars


def _heat(clusters: Sequence[Cluster]) -> list[list[int]]:
    """Return [distance, row of similarity, pairs] wherever there are pairs."""
    cells = Counter(
        (min(p.distance, HEAT_COLUMNS - 1), min(int(p.similarity * HEAT_ROWS), HEAT_ROWS - 1))
        for cluster in clusters
        for p in cluster.pairs
        if p.similarity is not None
    )
    return [[distance, row, pairs] for (distance, row), pairs in sorted(cells.items())]


def _bytes(result: Result, origins: SourceDocuments) -> list[int]:
    """Return the bytes of all documents that took part, and of the redundant ones."""
    members = [member for cluster in result.clusters for member in cluster.members]
    sizes = origins.documents["size"]
    saved = sizes[[m.number for m in members if m.role == "redundant"]]
    return [int(sizes[result.references :].sum()), int(saved.sum())]


def _folders(result: Result, origins: SourceDocuments | None, folders: Folders) -> list[list[Any]]:
    """Return [folder, documents, redundant] by falling redundancy."""
    redundant: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for cluster in result.clusters:
        for member in cluster.members:
            if member.number < result.references:
                continue
            folder = folders.of(member.number, member.name)
            every[folder] += 1
            redundant[folder] += member.role == "redundant"
    if origins is not None:
        clustered = {m.number for cluster in result.clusters for m in cluster.members}
        clustered.update(result.inputs.skipped)
        names = origins.documents["name"]
        for number in range(result.references, len(names)):
            if number not in clustered:
                every[folders.of(number, names[number])] += 1
    return by_folder(every, redundant)


def by_folder(every: Counter[str], found: Counter[str]) -> list[list[Any]]:
    """Return [folder, documents, those found] by falling number of those found."""
    order = sorted(every, key=lambda folder: (-found[folder], -every[folder], folder))
    return [[folder, every[folder], found[folder]] for folder in order[:LISTED]]
