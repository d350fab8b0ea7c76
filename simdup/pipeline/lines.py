"""Fingerprint lines: made of sources, and clustered or paired again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simdup.corpus.lines import Fingerprints
from simdup.corpus.sources import Reading
from simdup.features.counts import Counts, join
from simdup.features.idf import Idf
from simdup.model import Criteria, Recipe, Result, Skipped, Summary
from simdup.pipeline.clustering import DocumentPair, Sketches, form_clusters
from simdup.pipeline.intake import (
    Corpus,
    CountDocuments,
    Effort,
    Intake,
    count_batches,
    gather,
    open_sources,
)
from simdup.pipeline.scanning import NO_WORDS
from simdup.pipeline.searching import near_fingerprints
from simdup.pipeline.sketching import resolve_idf, resolved, sketch
from simdup.sketches.simhash import to_hex


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
    pairs = [DocumentPair(*pair) for pair in pair_lines(lines, criteria.distance, effort)]
    copies = {pair.b: pair.a for pair in pairs if pair.distance == 0}
    documents = Sketches(lines.names, lines.values, lines.bits)
    # Lines know neither lengths nor times: the first of a group is kept.
    clusters = form_clusters(pairs, copies, lambda line: (0, line), documents, criteria)
    summary = Summary(
        documents=len(lines.names),
        clusters=len(clusters),
        redundant=sum(len(cluster.documents) - 1 for cluster in clusters),
        skipped=0,
        pairs=sum(len(cluster.pairs) for cluster in clusters),
        candidates=len(pairs),
        seconds=time.monotonic() - started,
        recipe={"digest": lines.recipe, "bits": lines.bits} if lines.recipe else {},
    )
    return Result(tuple(clusters), (), (), summary)
