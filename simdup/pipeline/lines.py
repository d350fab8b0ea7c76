"""Fingerprint lines: made of sources, and clustered or paired again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from simdup.corpus.documents import read
from simdup.corpus.lines import Fingerprints
from simdup.corpus.sources import Reading
from simdup.corpus.spool import Slot, SpoolReader, SpoolWriter
from simdup.features.counts import Counts, join
from simdup.features.folding import fold
from simdup.features.idf import Idf
from simdup.model import FEW_TERMS, Criteria, Recipe, Result, Skipped, Summary
from simdup.pipeline.intake import (
    Corpus,
    CountDocuments,
    Effort,
    Intake,
    count_batches,
    digest,
    gather,
    open_sources,
    spool_folder,
    without_space,
)
from simdup.pipeline.scanning import NO_WORDS, DocumentPair, form_clusters, near_pairs
from simdup.pipeline.searching import near_fingerprints
from simdup.pipeline.sketching import Sketched, resolve_idf, resolved, sketch
from simdup.sketches.simhash import to_hex
from simdup.verify import Verifier


@dataclass(slots=True)
class FingerprintRun:
    """Fingerprints of sources as they come, and what is known beside them.

    Attributes
    ----------
    recipe : dict
        The resolved recipe; there before the first block.
    blocks : iterator of (list of str, list of str)
        Names and hex fingerprints, in order.
    skipped, notes : list
        As in `Result`; complete when the blocks have ended.
    """

    recipe: dict[str, Any]
    blocks: Iterator[tuple[list[str], list[str]]]
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)


def fingerprint_sources(
    sources: Iterable[str], recipe: Recipe, reading: Reading, effort: Effort
) -> FingerprintRun:
    """Fingerprint all documents of the sources.

    With a model or the built-in table each batch is handed on as soon as it is read.  Where the
    corpus's own frequencies may be wanted, all must have been read before.
    """
    intake = open_sources(sources, reading, effort)
    if recipe.idf == "corpus" or (recipe.idf == "auto" and recipe.uses_idf):
        corpus = gather(intake, recipe, reading, None)
        counts = corpus.counts(recipe)
        counted: Iterator[tuple[Corpus, Counts]] = iter([(corpus, counts)])
    else:
        counts = join([], recipe.bits // 8)
        counted = _as_they_come(intake, recipe, reading)
    idf = resolve_idf(recipe, counts)
    run = FingerprintRun(resolved(recipe, idf), iter(()))
    run.blocks = _fingerprints(counted, idf, recipe, run)
    return run


def _as_they_come(
    intake: Intake, recipe: Recipe, reading: Reading
) -> Iterator[tuple[Corpus, Counts]]:
    yield Corpus(skipped=list(intake.skipped)), join([], recipe.bits // 8)
    taken: set[str] = set()
    work = CountDocuments(recipe, reading, intake.effort.segmenter, apart=True)
    for _, counted in count_batches(intake, work):
        corpus = Corpus()
        corpus.add(0, counted, taken)
        yield corpus, corpus.counts(recipe)


def _fingerprints(
    counted: Iterator[tuple[Corpus, Counts]], idf: Idf, recipe: Recipe, run: FingerprintRun
) -> Iterator[tuple[list[str], list[str]]]:
    for corpus, counts in counted:
        sketched = sketch(counts, idf, recipe)
        hexes = to_hex(sketched.values, recipe.bits)
        worded = np.flatnonzero(sketched.terms).tolist()
        wordless = np.flatnonzero(sketched.terms == 0).tolist()
        run.notes += corpus.notes
        run.skipped += corpus.skipped
        run.skipped += [Skipped(corpus.names[i], NO_WORDS) for i in wordless]
        yield [corpus.names[i] for i in worded], [hexes[i] for i in worded]


def pair_lines(
    lines: Fingerprints, distance: int, effort: Effort
) -> Iterator[tuple[int, int, int]]:
    """Return (a, b, distance) of line numbers whose fingerprints are within the distance.

    Equal fingerprints pair with the first of them only.
    """
    found = near_fingerprints(lines.values, distance, lines.bits, effort, copies="first")
    return zip(*(column.tolist() for column in found), strict=True)


def cluster_lines(lines: Fingerprints, criteria: Criteria, effort: Effort) -> Result:
    """Cluster fingerprint lines."""
    started = time.monotonic()
    pairs: list[DocumentPair] = [
        (a, b, d, None) for a, b, d in pair_lines(lines, criteria.distance, effort)
    ]
    # Lines know neither lengths nor times: the first of a group is kept.
    clusters = form_clusters(pairs, lines.names, lines.values, lines.bits, min, None)
    summary = Summary(
        documents=len(lines.names),
        clusters=len(clusters),
        redundant=sum(len(cluster.documents) - 1 for cluster in clusters),
        skipped=0,
        pairs=len(pairs),
        candidates=len(pairs),
        seconds=time.monotonic() - started,
        recipe={"digest": lines.recipe, "bits": lines.bits} if lines.recipe else {},
    )
    return Result(tuple(clusters), (), (), summary)


def verify_lines(
    lines: Fingerprints,
    sources: Iterable[str],
    fold_texts: bool,
    criteria: Criteria,
    reading: Reading,
    effort: Effort,
) -> Result:
    """Cluster fingerprint lines whose documents are read again and held against each other.

    Parameters
    ----------
    lines : Fingerprints
        What to cluster.
    sources : iterable of str
        Where the documents are that the lines name.
    fold_texts : bool
        Whether texts are folded first.
    criteria, reading, effort
        See their classes.
    """
    started = time.monotonic()
    intake = open_sources(sources, reading, effort)
    with spool_folder() as folder:
        wanted = set(lines.names)
        found = _read_again(intake, wanted, folder, fold_texts, reading)
        at = np.array([i for i, name in enumerate(lines.names) if name in found.rows], np.int64)
        rows = [found.rows[lines.names[i]] for i in at.tolist()]
        corpus = Corpus(
            names=[lines.names[i] for i in at.tolist()],
            digests=[found.digests[row] for row in rows],
            slots=[found.slots[row] for row in rows],
        )
        # Lines do not tell how many terms there were: as many as it takes.
        sketched = Sketched(lines.values[at], lines.bits, np.full(len(at), FEW_TERMS))
        reader = SpoolReader(folder)
        verifier = Verifier(lambda i: reader.read(corpus.slots[i]), criteria.shingle)
        try:
            near = near_pairs(corpus, sketched, criteria, verifier.similarity, effort)
            clusters = form_clusters(
                near.pairs,
                corpus.names,
                sketched.values,
                lines.bits,
                min,
                verifier.similarity,
                digests=corpus.digests,
            )
        finally:
            reader.close()
    missing = sorted(wanted - found.rows.keys() - {one.document for one in found.skipped})
    skipped = found.skipped + [Skipped(name, "no such document", error=True) for name in missing]
    summary = Summary(
        documents=len(corpus.names),
        clusters=len(clusters),
        redundant=sum(len(cluster.documents) - 1 for cluster in clusters),
        skipped=len(skipped),
        pairs=len(near.pairs),
        candidates=near.candidates,
        seconds=time.monotonic() - started,
        recipe={"digest": lines.recipe, "bits": lines.bits} if lines.recipe else {},
    )
    return Result(tuple(clusters), tuple(skipped), (), summary)


@dataclass(slots=True)
class _Texts:
    """Texts laid aside: the row of each name, and of each row its digest and its slot."""

    rows: dict[str, int] = field(default_factory=dict)
    digests: list[bytes] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def _read_again(
    intake: Intake, wanted: set[str], folder: str, fold_texts: bool, reading: Reading
) -> _Texts:
    """Lay the texts of the documents that are wanted aside, as they are verified."""
    texts = _Texts()
    texts.skipped += [one for one in intake.skipped if one.error]
    writer = SpoolWriter(folder, 0)
    taken: set[str] = set()
    for batch in intake.batches:
        for one in read(batch, reading):
            if isinstance(one, Skipped):
                if one.document in wanted or one.error:
                    texts.skipped.append(replace(one, error=True))
                continue
            # A record whose name is taken is called by its place, as in a scan.
            place = f"{one.path}#{one.record}"
            name = place if one.record and one.name in taken else one.name
            taken.add(name)
            if name in wanted and name not in texts.rows:
                text = without_space(fold(one.text) if fold_texts else one.text)
                content = text.encode("utf-8", "surrogatepass")
                texts.rows[name] = len(texts.digests)
                texts.digests.append(digest(content))
                texts.slots += writer.write([content])
    return texts
