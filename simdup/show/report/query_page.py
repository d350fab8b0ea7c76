"""The page of a query: each document that was asked, with its matches in the index.

An index keeps no texts, so a pair has its figures only.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from simdup.index.match import QueryResult, QueryResults
from simdup.model.criteria import Criteria
from simdup.model.formats import PageOptions
from simdup.show.report.columns import (
    ESTIMATED,
    FILE,
    REFERENCE,
    DocumentRow,
    PairRow,
    RowGroup,
    by_folder,
    folder_by_name,
    overview,
)
from simdup.show.report.page import assemble


@dataclass(slots=True)
class Queried:
    """The results of a query while they arrive: those with a match, and figures of all."""

    index: str  # its path
    stored: int  # documents in the index before the query
    criteria: Criteria
    recipe: dict[str, Any]
    documents: int = 0
    added: int = 0
    matched: list[RowGroup] = field(default_factory=list)
    folders: Counter[str] = field(default_factory=Counter)  # documents of each

    def take(self, results: Iterable[QueryResult]) -> None:
        """Take in the results; of those without a match nothing is kept but their number."""
        for one in results:
            self.documents += 1
            self.added += one.added
            self.folders[folder_by_name(one.document)] += 1
            if one.matches:
                self.matched.append(_group(len(self.matched), one))


def query_page(found: Queried, results: QueryResults, options: PageOptions) -> Iterator[bytes]:
    """Return the page of a query whose results have ended."""
    groups, criteria = found.matched, found.criteria
    similarity = {"similarity": criteria.similarity} if criteria.verify else {}
    figures = {
        "documents": found.documents,
        "clusters": len(groups),
        "pairs": sum(len(group.pairs) for group in groups),
        "added": found.added,
        "stored": found.stored,
        "skipped": len(results.skipped),
        "redundant": 0,
    }
    folders = by_folder(found.folders.elements(), (group.documents[0].folder for group in groups))
    about = {
        "title": os.path.basename(found.index),
        "criteria": {"distance": criteria.distance, **similarity, "verify": criteria.verify},
        "recipe": found.recipe,
        **overview(groups, figures, folders, results.skipped, results.notes),
    }
    return assemble(groups, about, replace(options, kind="query"))


def _group(number: int, one: QueryResult) -> RowGroup:
    """Return a document with its matches; those in the index have no number."""
    is_file = FILE * os.path.isfile(one.document)
    rows = [DocumentRow(one.document, folder_by_name(one.document), number, flags=is_file)]
    pairs = []
    for place, (name, distance, similarity) in enumerate(one.matches, 1):
        known = similarity is not None
        figures = distance, similarity
        flags = REFERENCE | ESTIMATED * known
        rows.append(DocumentRow(name, "", -1, "redundant", *figures, flags=flags))
        pairs.append(PairRow(0, place, *figures))
    return RowGroup(rows, pairs)
