"""Scan: from sources to clusters of verified near-duplicates."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from simdup.clustering.clusters import DocumentPair, Sketches, form_clusters
from simdup.clustering.linkage import worth_by
from simdup.corpus.sources import matches
from simdup.fingerprints.bands import MinhashBands, minhash_banding, pstable_keys
from simdup.fingerprints.fingerprinter import resolve_idf, resolved, shingler_for, sketch, vectors
from simdup.ingest.counting import Corpus, Effort, Intake, Wanted, gathered, open_sources
from simdup.model.clusters import Result, Summary
from simdup.model.criteria import Criteria
from simdup.model.documents import Skipped
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.verify.pairs import find_pairs
from simdup.verify.verifier import Verifier

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
    if recipe.uses_idf and recipe.idf in ("auto", "corpus"):
        intake = replace(intake, meanwhile=_import_meanwhile)
    making = None
    if criteria.method == "minhash":
        making = MinhashBands(minhash_banding(criteria), criteria.shingle)
    wanted = Wanted(criteria.verify, criteria.shingle.by_words, making)
    with gathered(intake, recipe, reading, wanted) as (corpus, counts, text_of):
        idf = resolve_idf(recipe, counts)
        sketched = sketch(counts, idf, recipe)
        keys = np.concatenate(corpus.bands) if corpus.bands else None
        if criteria.method == "pstable":
            keys = pstable_keys(counts, idf, recipe, criteria)
        cut = shingler_for(criteria, recipe)
        vector_of = vectors(counts, idf, recipe)
        verifier = Verifier(lambda i: cut(text_of(i)), vector_of, criteria)
        # The documents of references are the first.
        references = range(sum(path in intake.references for path in corpus.paths))
        documents = Sketches(
            names=corpus.names,
            values=sketched.values,
            bits=recipe.bits,
            digests=corpus.digests,
            references=references,
            measure=verifier.measure if criteria.verify else None,
        )
        found = find_pairs(documents, sketched.terms, keys, criteria, intake.effort)
        ranks = _ranks(corpus, criteria.prefer, references)
        worth = worth_by(criteria.keep, corpus.lengths, corpus.modified, ranks)
        clusters = form_clusters(found.pairs, found.first_of, worth, documents, criteria)
        hint = _template_hint(found.pairs, verifier, criteria) if criteria.verify else ""
    wordless = [corpus.names[i] for i in np.flatnonzero(sketched.terms == 0).tolist()]
    corpus.skipped += [Skipped(name, NO_WORDS) for name in wordless]
    summary = Summary(
        documents=len(corpus.names) - len(wordless),
        clusters=len(clusters),
        redundant=sum(m.role == "redundant" for cluster in clusters for m in cluster.members),
        skipped=len(corpus.skipped),
        pairs=sum(len(cluster.pairs) for cluster in clusters),
        candidates=found.candidates,
        seconds=time.monotonic() - started,
        recipe=resolved(recipe, idf),
    )
    clustered = {member.number for cluster in clusters for member in cluster.members}
    result = Result(
        clusters=tuple(clusters),
        skipped=tuple(corpus.skipped),
        notes=tuple(corpus.notes),
        summary=summary,
        hint=hint,
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


def _import_meanwhile() -> None:
    """Import scikit-learn beside the work of other processes: it takes as long as reading 10 MB."""

    def load() -> None:
        import sklearn.feature_extraction.text  # noqa: F401

    threading.Thread(target=load, daemon=True).start()


# From so many pairs on, of which so large a part have cosines below what pages of one form have
# among themselves, a collection looks as if it were made from templates.
_HINT_PAIRS = 20
_HINT_SHARE = 0.5
_HINT_COSINE = 0.9
_HINT_SAMPLE = 200


def _template_hint(pairs: list[DocumentPair], verifier: Verifier, criteria: Criteria) -> str:
    """Return an advice where many pairs are alike in form and not in matter."""
    unlike = [p for p in pairs if p.measures.similarity is not None and p.measures.similarity < 1]
    if criteria.cosine is not None or len(unlike) < _HINT_PAIRS:
        return ""
    sample = unlike[:: -(-len(unlike) // _HINT_SAMPLE)]
    low = sum(verifier.cosine(pair.a, pair.b) < _HINT_COSINE for pair in sample)
    if low < _HINT_SHARE * len(sample):
        return ""
    return (
        f"{low / len(sample):.0%} of the pairs share their form rather than their matter (cosine "
        f"below {_HINT_COSINE:g}): for pages of one template add --cosine {_HINT_COSINE:g}"
    )
