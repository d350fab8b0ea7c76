"""Scan: from sources to clusters of verified near-duplicates."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.documents import Batch
from simdup.corpus.sources import Reading, matches
from simdup.corpus.spool import SpoolReader
from simdup.groups import chooser, components
from simdup.model import (
    FEW_TERMS,
    Cluster,
    Criteria,
    Member,
    Pair,
    Recipe,
    Result,
    Skipped,
    Summary,
)
from simdup.pipeline.intake import Corpus, Effort, Intake, gather, open_sources, spool_folder
from simdup.pipeline.searching import near_fingerprints
from simdup.pipeline.sketching import Sketched, resolve_idf, resolved, sketch
from simdup.sketches.simhash import distance as hamming
from simdup.sketches.simhash import to_hex
from simdup.verify import Verifier

NO_WORDS = "no words but function words"


def scan(
    sources: Iterable[str] | Iterable[tuple[str, str]],
    recipe: Recipe,
    criteria: Criteria,
    reading: Reading,
    effort: Effort,
    references: Iterable[str] = (),
) -> Result:
    """Find the near-duplicates among all documents of the sources.

    Parameters
    ----------
    sources : iterable of str, or of (str, str)
        Files and folders, or names and texts.
    recipe, criteria, reading, effort
        See their classes.
    references : iterable of str
        Files and folders whose documents are never redundant, only what others are held against.
    """
    intake = open_sources(sources, reading, effort, references)
    return examine(intake, recipe, criteria, reading)[0]


def examine(
    intake: Intake, recipe: Recipe, criteria: Criteria, reading: Reading
) -> tuple[Result, Corpus]:
    """Find the near-duplicates in work that is ready; return them and what is known of all."""
    started = time.monotonic()
    effort = intake.effort
    with spool_folder() as folder:
        spool = folder if criteria.verify else None
        intake = replace(intake, batches=_meanwhile(intake.batches, recipe))
        corpus = gather(intake, recipe, reading, spool)
        counts = corpus.counts(recipe)
        idf = resolve_idf(recipe, counts)
        sketched = sketch(counts, idf, recipe)
        corpus.blocks.clear()
        del counts
        reader = SpoolReader(folder)
        verifier = Verifier(lambda i: reader.read(corpus.slots[i]), criteria.shingle)
        measure = verifier.similarity if criteria.verify else None
        try:
            # The documents of references are the first.
            references = range(sum(path in intake.references for path in corpus.paths))
            found = near_pairs(corpus, sketched, criteria, measure, effort, references)
            clusters = form_clusters(
                found.pairs,
                corpus.names,
                sketched.values,
                recipe.bits,
                chooser(
                    criteria.keep,
                    corpus.lengths,
                    corpus.modified,
                    _ranks(corpus, criteria.prefer, references),
                ),
                measure,
                references,
                corpus.digests,
            )
        finally:
            reader.close()
    wordless = [corpus.names[i] for i in np.flatnonzero(sketched.terms == 0).tolist()]
    corpus.skipped += [Skipped(name, NO_WORDS) for name in wordless]
    summary = Summary(
        documents=len(corpus.names) - len(wordless),
        clusters=len(clusters),
        redundant=sum(m.role == "redundant" for cluster in clusters for m in cluster.documents),
        skipped=len(corpus.skipped),
        pairs=len(found.pairs),
        candidates=found.candidates,
        seconds=time.monotonic() - started,
        recipe=resolved(recipe, idf),
    )
    clustered = {member.number for cluster in clusters for member in cluster.documents}
    result = Result(
        clusters=tuple(clusters),
        skipped=tuple(corpus.skipped),
        notes=tuple(corpus.notes),
        summary=summary,
        unique=[
            corpus.names[i]
            for i in np.flatnonzero(sketched.terms).tolist()
            if i not in clustered and i not in references
        ],
        references=len(references),
    )
    return result, corpus


def _ranks(corpus: Corpus, prefer: Sequence[str], references: range) -> Callable[[int], int]:
    """Return who is kept before whom, whatever the policy: references, then what is preferred."""

    def rank(document: int) -> int:
        if document in references:
            return -1
        name, path = corpus.names[document], corpus.paths[document]
        hits = (at for at, one in enumerate(prefer) if matches(name, [one]) or matches(path, [one]))
        return next(hits, len(prefer))

    return rank


def _meanwhile(work: Iterator[Batch], recipe: Recipe) -> Iterator[Batch]:
    """Hand work on, and import scikit-learn beside it once there is much of it.

    Its import takes as long as reading 10 MB.  The first batches are gone to other processes by
    then: these must be forked before there is a thread.
    """
    for number, batch in enumerate(work):
        if number == 8 and recipe.uses_idf and recipe.idf in ("auto", "corpus"):
            threading.Thread(target=_import_weighting, daemon=True).start()
        yield batch


def _import_weighting() -> None:
    import sklearn.feature_extraction.text  # noqa: F401


Measure = Callable[[int, int], float]

# Numbers of two documents, the smaller first; their distance; their similarity, where measured.
DocumentPair = tuple[int, int, int, float | None]


@dataclass(frozen=True, slots=True)
class Found:
    """The pairs, ordered, and how many pairs of fingerprints were within the distance."""

    pairs: list[DocumentPair]
    candidates: int


def near_pairs(
    corpus: Corpus,
    sketched: Sketched,
    criteria: Criteria,
    measure: Measure | None,
    effort: Effort,
    references: range = range(0),
) -> Found:
    """Find the pairs of documents that meet the criteria, but those among references."""
    first_of: dict[tuple[bytes, bytes], int] = {}
    firsts: list[int] = []
    pairs: list[DocumentPair] = []
    identical = None if measure is None else 1.0
    for document in np.flatnonzero(sketched.terms > 0).tolist():
        key = (corpus.digests[document], sketched.values[document].tobytes())
        first = first_of.setdefault(key, document)
        if first == document:
            firsts.append(document)
        elif document not in references:
            pairs.append((first, document, 0, identical))
    at = np.array(firsts, np.int64)
    values = sketched.values[at]
    proposed = near_fingerprints(values, criteria.distance, sketched.bits, effort)
    enough = sketched.terms[at] >= FEW_TERMS
    new = at >= len(references)
    worth = enough[proposed.i] & enough[proposed.j] & (new[proposed.i] | new[proposed.j])
    candidates = len(pairs) + int(np.count_nonzero(worth))
    columns = (at[proposed.i[worth]], at[proposed.j[worth]], proposed.distance[worth])
    for done, (a, b, d) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        similarity = None if measure is None else measure(a, b)
        if similarity is None or similarity >= criteria.similarity:
            pairs.append((a, b, d, similarity))
        if done % 1024 == 0:
            effort.progress("verifying", done, len(columns[0]))
    return Found(sorted(pairs, key=lambda pair: pair[:2]), candidates)


def form_clusters(
    pairs: list[DocumentPair],
    names: Sequence[str],
    values: NDArray[np.uint64],
    bits: int,
    choose: Callable[[Sequence[int]], int],
    measure: Measure | None,
    references: range = range(0),
    digests: Sequence[bytes] | None = None,
) -> list[Cluster]:
    """Join pairs to clusters.

    Parameters
    ----------
    pairs : list of DocumentPair
        Ordered.
    names : sequence of str
        All documents' names.
    values : uint64[documents, words]
        Fingerprints.
    bits : int
        Bits of each.
    choose : callable
        Names the document of a group that stays.
    measure : callable or None
        Measures the similarity of two documents that are no pair; None leaves it open.
    references : range
        Documents that are never redundant: others than the one that is chosen are kept beside it.
    digests : sequence of bytes, optional
        All documents' digests of their texts, where these are known.
    """
    groups = components((a, b) for a, b, _, _ in pairs)
    cluster_of = {document: number for number, group in enumerate(groups) for document in group}
    pairs_of: list[list[Pair]] = [[] for _ in groups]
    similarity_of = {(a, b): similarity for a, b, _, similarity in pairs}
    for a, b, d, similarity in pairs:
        exact = digests is not None and digests[a] == digests[b]
        pairs_of[cluster_of[a]].append(Pair(names[a], names[b], d, similarity, exact))
    clusters = []
    for number, group in enumerate(groups):
        kept = choose(group)
        ordered = [kept, *(document for document in group if document != kept)]
        hexes = to_hex(values[ordered], bits)
        members = [Member(names[kept], "kept", hexes[0], number=kept)]
        for document, digits in zip(ordered[1:], hexes[1:], strict=True):
            pair = (min(kept, document), max(kept, document))
            similarity = similarity_of.get(pair)
            if similarity is None and measure is not None:
                similarity = measure(*pair)
            apart = hamming(int(hexes[0], 16), int(digits, 16))
            role = "kept" if document in references else "redundant"
            members.append(Member(names[document], role, digits, apart, similarity, document))
        clusters.append(Cluster(number + 1, tuple(members), tuple(pairs_of[number])))
    return clusters
