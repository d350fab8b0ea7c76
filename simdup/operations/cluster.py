"""Cluster fingerprint lines, and verify the pairs if their documents can be read again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from simdup.clustering.clusters import ScannedDocuments, form_clusters, never
from simdup.clustering.linkage import first_come
from simdup.corpus.fingerprint_lines import FingerprintLines
from simdup.corpus.names import NameRegistry
from simdup.corpus.sources import Named
from simdup.corpus.spool import Slot, SpoolReader, SpoolWriter, spool_folder
from simdup.errors import SimdupError
from simdup.features.analyzer import Analyzer
from simdup.features.text import DIGEST_TYPE, PreparedText
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.ingest.forms import FormChunk, join_forms, make_forms
from simdup.ingest.origins import Origins
from simdup.ingest.sources import Input, open_input
from simdup.ingest.stripped import read_stripped
from simdup.model.clusters import Cluster, Summary
from simdup.model.documents import Skipped
from simdup.model.inputs import InputDocuments
from simdup.model.result import Result
from simdup.model.settings import Settings
from simdup.verify.bounds import Texts
from simdup.verify.cosine import Vector
from simdup.verify.edits import Edits
from simdup.verify.pairs import FoundGroups, Grouping, find_groups
from simdup.verify.stored import StoredTexts
from simdup.verify.verifier import Verifier


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
    if settings.criteria.across is not None:
        raise SimdupError("across", "fingerprint lines have no groups", field="across")
    started = time.monotonic()
    # Lines contain only fingerprints.
    settings = replace(settings, criteria=replace(settings.criteria, method="simhash"))
    sources = list(verify_from)
    if sources:
        with spool_folder() as folder:
            found = _cluster_texts(lines, open_input(Named(sources), settings), folder)
    else:
        found = _cluster_lines(lines, settings)
    summary = Summary.of(
        found.clusters,
        documents=len(found.inputs),
        skipped=len(found.skipped),
        seconds=time.monotonic() - started,
        recipe={"digest": lines.recipe, "bits": lines.bits} if lines.recipe else {},
        **found.found.figures(settings.criteria),
    )
    skipped = tuple(found.skipped)
    return Result(found.clusters, skipped, (), summary, inputs=found.inputs, origins=found.origins)


class _Clustered(NamedTuple):
    clusters: tuple[Cluster, ...]
    inputs: InputDocuments
    found: FoundGroups
    skipped: Sequence[Skipped] = ()
    origins: Origins | None = None  # None where nothing was read again


def _cluster_lines(lines: FingerprintLines, settings: Settings) -> _Clustered:
    """Cluster lines by the distance of their fingerprints alone."""
    documents = ScannedDocuments(lines.names, Fingerprints.of_lines(lines))
    return _form(Grouping(documents, None, Texts(), first_come, settings))


def _form(given: Grouping, skipped: Sequence[Skipped] = ()) -> _Clustered:
    found = find_groups(given)
    clusters = form_clusters(found.groups, given.documents, given.settings.criteria)
    inputs = InputDocuments(given.documents.names)
    return _Clustered(clusters, inputs, found, skipped)


def _cluster_texts(lines: FingerprintLines, opened: Input, folder: str) -> _Clustered:
    """Cluster lines, and verify their pairs on the texts of the sources."""
    settings = opened.settings
    analyzer = opened.analyzer()
    wanted = set(lines.names)
    texts = _read_again(opened, wanted, analyzer, SpoolWriter(folder, 0))
    reader = SpoolReader(folder)

    present = np.array([i for i, name in enumerate(lines.names) if name in texts.rows], np.int64)
    names = [lines.names[i] for i in present.tolist()]
    rows = [texts.rows[name] for name in names]
    slots = np.array([texts.slots[row] for row in rows], np.int64).reshape(-1, 3)
    short = join_forms(texts.forms, np.array(rows, np.int64)).texts
    stored = StoredTexts(analyzer, settings.criteria.shingle, slots, reader.read)
    edits = None if short is None else Edits(short, stored.forms)
    all_lines = Fingerprints.of_lines(lines)
    documents = ScannedDocuments(
        names,
        replace(all_lines, values=all_lines.values[present], terms=all_lines.terms[present]),
        np.array([texts.digests[row] for row in rows], DIGEST_TYPE),
        measure=Verifier(stored.shingles, _no_vector, settings.criteria, edits=edits).measure_all,
        by_edit=never if short is None else short.measures,
    )
    known = Texts.of(slots[:, 2], stored, settings.criteria, short)
    missing = sorted(wanted - texts.rows.keys() - {one.document for one in texts.skipped})
    skipped = texts.skipped + [Skipped(name, "no such document", error=True) for name in missing]
    try:
        formed = _form(Grouping(documents, None, known, first_come, settings), skipped)
        return formed._replace(origins=texts.origins(names, opened, analyzer))
    finally:
        reader.close()


def _no_vector(document: int) -> Vector:
    """Raise, because lines have no terms to make a vector from."""
    raise SimdupError("cosine", "fingerprint lines have no terms", field="cosine")


@dataclass(slots=True)
class _SpooledTexts:
    """Spooled texts: the row of each name; of each row digest, slot, place and bytes."""

    rows: dict[str, int] = field(default_factory=dict)
    digests: list[bytes] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    records: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    forms: list[FormChunk] = field(default_factory=list)  # of short texts
    skipped: list[Skipped] = field(default_factory=list)

    def origins(self, names: Sequence[str], opened: Input, analyzer: Analyzer) -> Origins:
        """Return where these documents come from."""
        rows = [self.rows[name] for name in names]
        return Origins(
            names=names,
            paths=[self.paths[row] for row in rows],
            records=[self.records[row] for row in rows],
            digests=np.array([self.digests[row] for row in rows], DIGEST_TYPE),
            sizes=[self.sizes[row] for row in rows],
            files=opened.files,
            rows=None,
            reading=opened.settings.reading,
            criteria=opened.settings.criteria,
            analyzer=analyzer,
            fingerprinter=None,
        )


def _read_again(
    opened: Input, wanted: set[str], analyzer: Analyzer, writer: SpoolWriter
) -> _SpooledTexts:
    """Spool the folded texts of the wanted documents."""
    criteria = opened.settings.criteria
    texts = _SpooledTexts(skipped=[one for one in opened.skipped if one.error])
    registry = NameRegistry()
    for batch in opened.batches:
        found: list[PreparedText] = []
        for one in read_stripped(batch, opened.settings.reading, analyzer.recipe):
            if isinstance(one, Skipped):
                if one.document in wanted or one.error:
                    texts.skipped.append(replace(one, error=True))
                continue
            name, _ = registry.assign(one)
            if name in wanted and name not in texts.rows:
                found.append(analyzer.prepare(one.text))
                texts.rows[name] = len(texts.digests)
                texts.digests.append(found[-1].digest)
                texts.paths.append(one.path)
                texts.records.append(one.record)
                texts.sizes.append(len(one.text.encode("utf-8", "surrogatepass")))
        texts.slots += writer.write(one.folded.encode("utf-8", "surrogatepass") for one in found)
        if criteria.by_edit:
            texts.forms.append(make_forms(found, criteria))
    return texts
