"""Fingerprint lines: made of sources, and clustered or paired again."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from simdup.clustering.clusters import DocumentPair, Sketches, form_clusters
from simdup.clustering.linkage import Worth
from simdup.corpus.batches import read
from simdup.corpus.fingerprint_lines import FingerprintLines
from simdup.corpus.spool import Slot, SpoolReader, SpoolWriter
from simdup.errors import SimdupError
from simdup.features.counts import join
from simdup.features.folding import fold
from simdup.features.idf import Idf
from simdup.fingerprints.fingerprinter import Sketched, resolve_idf, resolved, shingler_for, sketch
from simdup.ingest.counting import (
    Corpus,
    CountDocuments,
    Effort,
    Intake,
    Wanted,
    count_batches,
    digest,
    gathered,
    open_sources,
    spool_folder,
    without_space,
)
from simdup.lsh.simhash import to_hex
from simdup.model.clusters import Result, Summary
from simdup.model.criteria import FEW_TERMS, Criteria
from simdup.model.documents import Skipped
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.operations.scan import NO_WORDS
from simdup.operations.searching import near_fingerprints
from simdup.verify.cosine import Vector
from simdup.verify.pairs import find_pairs
from simdup.verify.verifier import Verifier


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
        with gathered(intake, recipe, reading) as (corpus, counts, _):
            idf = resolve_idf(recipe, counts)
            made = iter([(corpus, sketch(counts, idf, recipe))])
    else:
        idf = resolve_idf(recipe, join([], recipe.bits // 8))
        made = _as_they_come(intake, idf, recipe, reading)
    run = FingerprintRun(resolved(recipe, idf), iter(()))
    run.blocks = _fingerprints(made, recipe, run)
    return run


def _as_they_come(
    intake: Intake, idf: Idf, recipe: Recipe, reading: Reading
) -> Iterator[tuple[Corpus, Sketched]]:
    nothing = Corpus(skipped=list(intake.skipped))
    yield nothing, sketch(nothing.counts(recipe), idf, recipe)
    taken: set[str] = set()
    work = CountDocuments(recipe, reading, intake.effort.segmenter, Wanted(apart=True))
    for _, counted in count_batches(intake, work):
        corpus = Corpus()
        corpus.add(0, counted, taken)
        yield corpus, sketch(corpus.counts(recipe), idf, recipe)


def _fingerprints(
    made: Iterator[tuple[Corpus, Sketched]], recipe: Recipe, run: FingerprintRun
) -> Iterator[tuple[list[str], list[str]]]:
    for corpus, sketched in made:
        hexes = to_hex(sketched.values, recipe.bits)
        worded = np.flatnonzero(sketched.terms).tolist()
        wordless = np.flatnonzero(sketched.terms == 0).tolist()
        run.notes += corpus.notes
        run.skipped += corpus.skipped
        run.skipped += [Skipped(corpus.names[i], NO_WORDS) for i in wordless]
        yield [corpus.names[i] for i in worded], [hexes[i] for i in worded]


def pair_lines(
    lines: FingerprintLines, distance: int, effort: Effort
) -> Iterator[tuple[int, int, int]]:
    """Return (a, b, distance) of line numbers whose fingerprints are within the distance.

    Equal fingerprints pair with the first of them only.
    """
    found = near_fingerprints(lines.values, distance, lines.bits, effort, copies="first")
    return zip(*(column.tolist() for column in found), strict=True)


def cluster_lines(lines: FingerprintLines, criteria: Criteria, effort: Effort) -> Result:
    """Cluster fingerprint lines."""
    started = time.monotonic()
    pairs = [DocumentPair(*pair) for pair in pair_lines(lines, criteria.distance, effort)]
    copies = {pair.b: pair.a for pair in pairs if pair.distance == 0}
    documents = Sketches(lines.names, lines.values, lines.bits)
    clusters = form_clusters(pairs, copies, _first, documents, criteria)
    summary = Summary(
        documents=len(lines.names),
        clusters=len(clusters),
        redundant=sum(len(cluster.members) - 1 for cluster in clusters),
        skipped=0,
        pairs=sum(len(cluster.pairs) for cluster in clusters),
        candidates=len(pairs),
        seconds=time.monotonic() - started,
        recipe={"digest": lines.recipe, "bits": lines.bits} if lines.recipe else {},
    )
    return Result(tuple(clusters), (), (), summary)


def _first(line: int) -> Worth:
    """Keep the first of a group: lines know neither lengths nor times."""
    return (line,)


def no_vector(document: int) -> Vector:
    """Refuse: lines have no terms to make a vector of."""
    raise SimdupError("--cosine", "fingerprint lines have no terms")


def verify_lines(
    lines: FingerprintLines,
    sources: Iterable[str],
    fold_texts: bool,
    criteria: Criteria,
    reading: Reading,
    effort: Effort,
) -> Result:
    """Cluster fingerprint lines whose documents are read again and held against each other.

    Parameters
    ----------
    lines : FingerprintLines
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
        found = _read_again(intake, wanted, folder, fold_texts, criteria.shingle.by_words, reading)
        at = np.array([i for i, name in enumerate(lines.names) if name in found.rows], np.int64)
        rows = [found.rows[lines.names[i]] for i in at.tolist()]
        names = [lines.names[i] for i in at.tolist()]
        digests = [found.digests[row] for row in rows]
        slots = [found.slots[row] for row in rows]
        reader = SpoolReader(folder)
        cut = shingler_for(criteria, Recipe(fold=fold_texts))
        verifier = Verifier(lambda i: cut(reader.read(slots[i]).decode()), no_vector, criteria)
        documents = Sketches(names, lines.values[at], lines.bits, digests, measure=verifier.measure)
        # Lines do not tell how many terms there were: as many as it takes.
        terms = np.full(len(at), FEW_TERMS, np.int64)
        try:
            near = find_pairs(documents, terms, None, criteria, effort)
            clusters = form_clusters(near.pairs, near.first_of, _first, documents, criteria)
        finally:
            reader.close()
    missing = sorted(wanted - found.rows.keys() - {one.document for one in found.skipped})
    skipped = found.skipped + [Skipped(name, "no such document", error=True) for name in missing]
    summary = Summary(
        documents=len(names),
        clusters=len(clusters),
        redundant=sum(len(cluster.members) - 1 for cluster in clusters),
        skipped=len(skipped),
        pairs=sum(len(cluster.pairs) for cluster in clusters),
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
    intake: Intake,
    wanted: set[str],
    folder: str,
    fold_texts: bool,
    spaced: bool,
    reading: Reading,
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
                folded = fold(one.text) if fold_texts else one.text
                solid = without_space(folded).encode("utf-8", "surrogatepass")
                aside = " ".join(folded.split()).encode() if spaced else solid
                texts.rows[name] = len(texts.digests)
                texts.digests.append(digest(solid))
                texts.slots += writer.write([aside])
    return texts
