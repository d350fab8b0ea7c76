"""The page of a result: of a scan, of a cleaned corpus, of one comparison."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict
from math import inf
from typing import Any

from simdup.corpus.files import STDIN
from simdup.model.criteria import Criteria
from simdup.model.formats import PageOptions
from simdup.near.source_documents import SourceDocuments
from simdup.show.report.chunks import Chunks, add_texts, carried, reachable, read_originals
from simdup.show.report.overview import overview
from simdup.show.report.page import assemble
from simdup.show.report.tables import Folders
from simdup.show.result import Result


def scan_page(
    result: Result, options: PageOptions, removed: frozenset[str] = frozenset()
) -> Iterator[bytes]:
    """Yield the page of a result, whose documents are read again for their texts.

    Parameters
    ----------
    result : Result
        Of a scan, or of the cleaning of a corpus.
    options : PageOptions
        What the page carries.
    removed : frozenset of str
        The documents that a cleaned corpus lacks.
    """
    origins = result.origins
    with Chunks(inf if options.texts is None else options.texts) as chunks:
        if options.texts != 0:
            _add_texts(chunks, result, origins)
        folders = Folders(origins.documents)
        about = {
            # The heading of a comparison has both names.
            "title": "" if options.kind == "compare" else _title(origins),
            "criteria": _criteria(origins.criteria),
            **overview(result, origins, folders),
        }
        yield from assemble(result, options, chunks, folders, about, removed)


def _add_texts(chunks: Chunks, result: Result, origins: SourceDocuments) -> None:
    """Read the texts of clusters again, and add what the budget allows."""
    order = reachable(result.clusters, origins, origins.criteria.similarity, chunks.budget)
    numbers = [number for i in order for number in carried(result.clusters[i])]
    with read_originals(origins, numbers) as originals:
        add_texts(chunks, result.clusters, order, originals)


def _criteria(criteria: Criteria) -> dict[str, Any]:
    values = asdict(criteria) | {"shingle": str(criteria.shingle)}
    del values["decisions"]
    return values | {"linkage": criteria.linkage or "single"}


def _title(origins: SourceDocuments) -> str:
    """Return the name of what was scanned: that of the folder that all files are in."""
    paths: list[str] = origins.documents["path"].tolist()
    known = [path for path in dict.fromkeys(paths) if path not in ("", STDIN)]
    if not known:
        return ""
    paths = list(map(os.path.abspath, known))
    common = os.path.commonpath(paths) if len(paths) > 1 else paths[0]
    return os.path.basename(common)
