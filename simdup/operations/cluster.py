"""Cluster fingerprint lines, and verify the pairs if their documents can be read again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from functools import partial

import numpy as np

from simdup.base.errors import SimdupError
from simdup.corpus.fingerprint_lines import FingerprintLines
from simdup.corpus.sources import Named
from simdup.model.clusters import Summary
from simdup.model.criteria import FEW_TERMS
from simdup.model.documents import InputDocuments, Skipped
from simdup.model.settings import Settings
from simdup.model.table import Documents, objects
from simdup.near.candidates import Candidates, NearFingerprints
from simdup.near.clustering import form_clusters
from simdup.near.collection import collected
from simdup.near.counting import Counting, Maker, contents, forms
from simdup.near.inputs import Input, SourceReport, open_input
from simdup.near.pair_groups import find_groups
from simdup.near.source_documents import Places, SourceDocuments
from simdup.near.verifier import Texts, Vector, Verifier
from simdup.show.result import Result


def cluster(lines: FingerprintLines, settings: Settings, verify_from: Iterable[str] = ()) -> Result:
    """Cluster fingerprint lines.

    Parameters
    ----------
    lines : FingerprintLines
        The lines to cluster.
    settings : Settings
        Distance, linkage and, with `verify_from`, the measures; `fold` of the recipe says whether
        texts are folded before they are compared.
    verify_from : iterable of str
        The sources of the documents that the lines name.  Their texts are read again and
        compared; without sources, the distance alone decides.

    Raises
    ------
    SimdupError
        If titles are to be equal.
    """
    if settings.criteria.lossless:
        what = "is for documents that are removed, by `dedupe`"
        raise SimdupError("lossless", what, field="lossless")
    if settings.criteria.same_title:
        raise SimdupError("same_title", "fingerprint lines have no titles", field="same_title")
    for name in settings.criteria.grouped_by:
        raise SimdupError(name, "fingerprint lines have no groups", field=name)
    started = time.monotonic()
    # Lines contain only fingerprints.
    criteria, recipe = settings.criteria, settings.recipe
    settings = replace(
        settings,
        criteria=replace(criteria, method="simhash"),
        recipe=replace(recipe, bits=lines.bits),
    )
    if sources := list(verify_from):
        return _cluster_texts(lines, open_input(Named(sources), settings), started)
    # The distance of the fingerprints alone decides.
    settings = replace(settings, criteria=replace(settings.criteria, verify=False))
    compared = Candidates(_documents(lines), [NearFingerprints(settings)], settings)
    return _clustered(lines, compared, started)


def _documents(lines: FingerprintLines) -> Documents:
    """Return the lines as a table; they lack the number of terms: each counts as having enough."""
    return Documents({
        "name": objects(lines.names),
        "reference": np.zeros(len(lines.names), np.bool_),
        "fingerprint": lines.values,
        "terms": np.full(len(lines.names), FEW_TERMS, np.uint8),
    })  # fmt: skip


def _clustered(
    lines: FingerprintLines,
    compared: Candidates,
    started: float,
    skipped: Sequence[Skipped] = (),
    origins: SourceDocuments | None = None,
) -> Result:
    documents, settings = compared.documents, compared.settings
    found, criteria, bits = find_groups(compared), settings.criteria, settings.recipe.bits
    rows = range(len(documents))
    clusters = form_clusters(found.groups, documents, compared.measure, criteria, bits, rows)
    summary = Summary.of(
        clusters,
        documents=len(documents),
        skipped=len(skipped),
        seconds=time.monotonic() - started,
        recipe={"digest": lines.recipe, "bits": lines.bits} if lines.recipe else {},
        **found.figures(criteria),
    )
    inputs = InputDocuments(documents["name"].tolist())
    return Result(clusters, tuple(skipped), (), summary, inputs=inputs, sources=origins)


def _cluster_texts(lines: FingerprintLines, opened: Input, started: float) -> Result:
    """Cluster lines, and verify their pairs on the texts of the sources."""
    settings, analyzer = opened.settings, opened.analyzer()
    criteria = settings.criteria
    makers: list[Maker] = [contents]
    if criteria.by_edit:
        makers.append(partial(forms, criteria=criteria))
    with collected(opened, analyzer, Counting(analyzer, makers, counted=False)) as everything:
        row_of: dict[str, int] = {}
        for row, name in enumerate(everything["name"].tolist()):
            row_of.setdefault(name, row)
        present = np.array([i for i, name in enumerate(lines.names) if name in row_of], np.int64)
        rows = np.array([row_of[lines.names[i]] for i in present.tolist()], np.int64)
        found = replace(everything, documents=everything.documents.take(rows))
        known = found.of_texts
        texts = Texts(known, analyzer, criteria.shingle, found.spool.read)
        documents = _documents(lines).take(present)
        documents = documents.and_columns(
            digest=found["digest"], **{name: known[name] for name in known}
        )
        measure = Verifier(texts, criteria, _no_vector).measure
        searches = [NearFingerprints(settings)]
        compared = Candidates(documents, searches, settings, measure, texts.sets)
        skipped = _skipped(found.report, set(lines.names), row_of.keys())
        origins = SourceDocuments.of(opened, found, None, Places(len(found), ()))
        return _clustered(lines, compared, started, skipped, origins)


def _skipped(report: SourceReport, wanted: Set[str], known: Set[str]) -> list[Skipped]:
    """Return the wanted documents that are missing, and all that could not be read, as errors."""
    skipped = [one for one in report.skipped if one.error or one.document in wanted]
    missing = sorted(wanted - known - {one.document for one in skipped})
    return [
        *(replace(one, error=True) for one in skipped),
        *(Skipped(name, "no such document", error=True) for name in missing),
    ]


def _no_vector(document: int) -> Vector:
    """Raise, because lines have no terms to make a vector from."""
    raise SimdupError("cosine", "fingerprint lines have no terms", field="cosine")
