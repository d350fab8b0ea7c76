"""The page of two documents: a cluster of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from simdup.model.clusters import Cluster, Member, Pair, Summary
from simdup.model.comparison import Comparison
from simdup.model.documents import Document
from simdup.model.formats import PageOptions
from simdup.model.settings import Reading
from simdup.model.table import Documents, objects
from simdup.near.source_documents import SourceDocuments
from simdup.show.report.scan import scan_page
from simdup.show.result import Result
from simdup.text.characters import DIGEST_TYPE
from simdup.text.fingerprinter import Fingerprinter


def comparison_page(
    found: Comparison,
    documents: tuple[Document, Document],
    fingerprinter: Fingerprinter,
    options: PageOptions,
) -> Iterator[bytes]:
    """Yield the page of a comparison."""
    texts = [(one.name, one.text) for one in documents]
    prepared = fingerprinter.analyzer.prepare_all([text for _, text in texts])
    columns = {
        "name": objects(one.name for one in documents),
        "path": objects(one.path for one in documents),
        "record": np.array([one.record for one in documents], np.int64),
        "digest": np.array([one.digest for one in prepared], DIGEST_TYPE),
        "size": np.array([len(text.encode("utf-8", "surrogatepass")) for _, text in texts]),
    }
    origins = SourceDocuments(
        Documents(columns),
        files=[],
        rows=None,
        texts=[text for _, text in texts],
        reading=Reading(),
        criteria=found.criteria,
        analyzer=fingerprinter.analyzer,
        fingerprinter=fingerprinter,
    )
    result = replace(_as_result(found), sources=origins)
    return scan_page(result, replace(options, kind="compare"))


def _as_result(found: Comparison) -> Result:
    """Return two documents as a result with one cluster, whatever the answer."""
    measures = found.similarity, *found.measures[1:3]
    one, other = (digits or "" for digits in found.fingerprints)
    digits = found.bits // 4
    role = "redundant" if found.duplicates else "linked"
    members = (
        Member(found.names[0], "kept", one.zfill(digits), number=0, beside=0),
        Member(
            found.names[1],
            role,
            other.zfill(digits),
            found.distance,
            *measures,
            number=1,
            beside=0,
            measure=found.measure,
        ),
    )
    pair = Pair(
        *found.names,
        found.distance or 0,
        *measures,
        exact=found.identical,
        measure=found.measure,
    )
    clusters = (Cluster(1, members, (pair,)),)
    figures = {"documents": 2, "skipped": 0, "candidates": 1, "candidates_by": {}, "seconds": 0.0}
    return Result(clusters, (), (), Summary.of(clusters, recipe=found.recipe, **figures))
