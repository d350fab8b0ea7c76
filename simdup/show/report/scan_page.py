"""The page of a result: of a scan, of a cleaned corpus."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from math import inf
from typing import Any

from simdup.corpus.files import STDIN
from simdup.model.clusters import Cluster, Pair
from simdup.model.criteria import EDIT, Criteria
from simdup.model.formats import PageOptions
from simdup.near.scanned import Clustering
from simdup.near.source_documents import SourceDocuments
from simdup.show.report.chunks import Chunks, add_texts, reachable, read_originals
from simdup.show.report.columns import (
    ABOUT,
    EDITED,
    ESTIMATED,
    EXACT,
    FIRST_STAYS,
    REFERENCE,
    REMOVED,
    SAME,
    SECOND_STAYS,
    DocumentRow,
    PairRow,
    RowGroup,
    by_folder,
    file_flag,
    folder_of,
    overview,
)
from simdup.show.report.page import assemble


def scan_page(
    result: Clustering, options: PageOptions, removed: Collection[str] = ()
) -> Iterator[bytes]:
    """Yield the page of a result, whose documents are read again for their texts.

    Parameters
    ----------
    result : Clustering
        Of a scan, or of the cleaning of a corpus.
    options : PageOptions
        What the page carries.
    removed : collection of str
        The documents that a cleaned corpus lacks.
    """
    origins = result.origins
    groups = _groups(result, origins, frozenset(removed))
    about = {
        "title": _title(origins),
        "criteria": criteria_values(origins.criteria),
        **overview(
            groups, _figures(result, origins), _folders(result, groups, origins),
            result.skipped, result.notes, result.hint,
        ),
    }  # fmt: skip
    yield from page_with_texts(groups, origins, about, options, result.summary.recipe)


def page_with_texts(
    groups: Sequence[RowGroup],
    origins: SourceDocuments,
    about: Mapping[str, Any],
    options: PageOptions,
    recipe: Mapping[str, Any],
) -> Iterator[bytes]:
    """Yield a page with as many texts as the budget allows, which are read again."""
    with Chunks(inf if options.texts is None else options.texts) as chunks:
        if options.texts != 0:
            order = reachable(groups, origins, origins.criteria.similarity, chunks.budget)
            numbers = [number for i in order for number in groups[i].carried]
            with read_originals(origins, numbers) as originals:
                add_texts(chunks, groups, order, originals)
        yield from assemble(groups, chunks, about, options, recipe)


def criteria_values(criteria: Criteria) -> dict[str, Any]:
    """Return criteria as a page shows them."""
    values = asdict(criteria) | {"shingle": str(criteria.shingle)}
    del values["decisions"]
    return values | {"linkage": criteria.linkage or "single"}


def _groups(
    result: Clustering, origins: SourceDocuments, removed: frozenset[str]
) -> list[RowGroup]:
    return [
        RowGroup(
            _document_rows(cluster, origins, removed, result.references),
            [
                PairRow(a, b, pair.distance, pair.similarity, _pair_flags(pair))
                for (a, b), pair in zip(cluster.places(), cluster.pairs, strict=True)
            ],
            cluster.complete,
            cluster.order,
        )
        for cluster in result.clusters
    ]


def _document_rows(
    cluster: Cluster, origins: SourceDocuments, removed: frozenset[str], references: int
) -> list[DocumentRow]:
    columns = ("path", "record", "size", "digest")
    paths, records, sizes, digests = (origins.documents[column] for column in columns)
    rows = []
    for one in cluster.members:
        name, number, beside = str(one.name), one.number, one.beside
        folder, size = "", 0
        flags = (
            REFERENCE * (number < references)
            | ESTIMATED * one.estimated
            | REMOVED * (one.name in removed)
            | EDITED * (one.measure == EDIT)
        )
        if number >= 0:
            path, record, size = paths[number], int(records[number]), int(sizes[number])
            folder = folder_of(name, path, record)
            same = 0 <= beside != number and digests[number] == digests[beside]
            flags |= file_flag(path, record) | EXACT * bool(same)
        figures = one.role, one.distance, one.similarity, one.fingerprint
        rows.append(DocumentRow(name, folder, number, *figures, size, flags))
    return rows


def _pair_flags(pair: Pair) -> int:
    """Return what a page knows of a pair: among others, which document is not in the other."""
    stays = {"b": FIRST_STAYS, "a": SECOND_STAYS}.get(pair.contained or "", 0)
    return SAME * pair.exact | ABOUT * pair.estimated | stays


def _figures(result: Clustering, origins: SourceDocuments) -> dict[str, Any]:
    summary, clusters, sizes = result.summary, result.clusters, origins.documents["size"]
    redundant = [m.number for one in clusters for m in one.members if m.role == "redundant"]
    return {
        "documents": summary.documents - result.references,
        "clusters": summary.clusters,
        "redundant": summary.redundant,
        "linked": summary.linked,
        "unique": len(result.unique),
        "pairs": summary.pairs,
        "candidates": summary.candidates,
        "chained": sum(cluster.linked > 0 for cluster in clusters),
        "skipped": summary.skipped,
        "bytes": int(sizes[result.references :].sum()),
        "saved": int(sizes[redundant].sum()),
        "seconds": round(summary.seconds, 1),
        "incomplete": sum(not cluster.complete for cluster in clusters),
    }


def _folders(
    result: Clustering, groups: Sequence[RowGroup], origins: SourceDocuments
) -> list[list[Any]]:
    """Return [folder, documents, redundant] by falling redundancy."""
    rows = [row for one in groups for row in one.documents if row.number >= result.references]
    redundant = Counter(row.folder for row in rows if row.role == "redundant")
    every = Counter(row.folder for row in rows)
    known = {row.number for one in groups for row in one.documents} | {*result.inputs.skipped}
    names, paths, records = (origins.documents[name] for name in ("name", "path", "record"))
    every.update(
        folder_of(str(names[number]), paths[number], int(records[number]))
        for number in range(result.references, len(names))
        if number not in known
    )
    return by_folder(every, redundant)


def _title(origins: SourceDocuments) -> str:
    """Return the name of what was scanned: that of the folder that all files are in."""
    paths: list[str] = origins.documents["path"].tolist()
    known = [path for path in dict.fromkeys(paths) if path not in ("", STDIN)]
    if not known:
        return ""
    paths = list(map(os.path.abspath, known))
    common = os.path.commonpath(paths) if len(paths) > 1 else paths[0]
    return os.path.basename(common)
