"""The page of a query: each document that was asked, with its matches in the index.

An index keeps no texts, so a pair has its figures only.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from simdup.model.clusters import Cluster, Member, Pair, Summary
from simdup.model.criteria import Criteria
from simdup.model.formats import PageOptions
from simdup.model.matches import QueryResult, QueryResults
from simdup.show.report.chunks import Chunks
from simdup.show.report.overview import by_folder, overview
from simdup.show.report.page import assemble
from simdup.show.report.tables import Folders, folder_by_name
from simdup.show.result import Result


@dataclass(slots=True)
class Queried:
    """The results of a query while they arrive: those with a match, and figures of all."""

    index: str  # its path
    stored: int  # documents in the index before the query
    criteria: Criteria
    recipe: dict[str, Any]
    documents: int = 0
    added: int = 0
    matched: list[QueryResult] = field(default_factory=list)
    folders: Counter[str] = field(default_factory=Counter)  # documents of each

    def take(self, results: Iterable[QueryResult]) -> None:
        """Take in the results; of those without a match nothing is kept but their number."""
        for one in results:
            self.documents += 1
            self.added += one.added
            self.folders[folder_by_name(one.document)] += 1
            if one.matches:
                self.matched.append(one)


def query_page(found: Queried, results: QueryResults, options: PageOptions) -> Iterator[bytes]:
    """Yield the page of a query whose results have ended."""
    result = _as_result(found, results)
    folders = Folders(None)
    criteria = found.criteria
    similarity = {"similarity": criteria.similarity} if criteria.verify else {}
    about = {
        "title": os.path.basename(found.index),
        "criteria": {"distance": criteria.distance, **similarity, "verify": criteria.verify},
        **overview(result, None, folders),
        **_overview(found, result),
    }
    with Chunks(0) as none:
        yield from assemble(result, replace(options, kind="query"), none, folders, about)


def _overview(found: Queried, result: Result) -> dict[str, Any]:
    figures = {
        "documents": found.documents,
        "clusters": len(found.matched),
        "pairs": result.summary.pairs,
        "added": found.added,
        "stored": found.stored,
        "skipped": result.summary.skipped,
        "redundant": 0,
        "incomplete": 0,
    }
    matched = Counter(folder_by_name(one.document) for one in found.matched)
    return {"figures": figures, "folders": by_folder(found.folders, matched)}


def _as_result(found: Queried, results: QueryResults) -> Result:
    """Return each document with its matches as a cluster; those in the index have no number."""
    clusters = tuple(_as_cluster(number, one) for number, one in enumerate(found.matched))
    summary = Summary.of(
        clusters,
        documents=found.documents,
        skipped=len(results.skipped),
        candidates=sum(len(cluster.pairs) for cluster in clusters),
        candidates_by={},
        seconds=0.0,
        recipe=found.recipe,
    )
    return Result(clusters, tuple(results.skipped), tuple(results.notes), summary)


def _as_cluster(number: int, one: QueryResult) -> Cluster:
    members = [Member(one.document, "kept", "", number=number, beside=number)]
    pairs = []
    for name, distance, similarity in one.matches:
        estimated = similarity is not None
        figures = distance, similarity
        members.append(Member(name, "redundant", "", *figures, beside=number, estimated=estimated))
        pairs.append(Pair(one.document, name, *figures, estimated=estimated))
    return Cluster(number + 1, tuple(members), tuple(pairs))
