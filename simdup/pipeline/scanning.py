"""Scan: from sources to clusters of verified near-duplicates."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from simdup.corpus.documents import Batch
from simdup.corpus.sources import Reading
from simdup.corpus.spool import SpoolReader
from simdup.features.counts import Counts
from simdup.features.idf import Idf
from simdup.features.tokens import tokenizer
from simdup.groups import worth_by
from simdup.model import Criteria, Recipe, Result, Skipped, Summary
from simdup.pipeline.banding import MinhashBands, minhash_banding, pstable_keys
from simdup.pipeline.clustering import DocumentPair, Sketches, form_clusters
from simdup.pipeline.intake import Corpus, Effort, gather, open_sources, spool_folder
from simdup.pipeline.pairing import find_pairs
from simdup.pipeline.sketching import resolve_idf, resolved, sketch, vectors
from simdup.verify import Verifier
from simdup.verify.resemblance import shingler

NO_WORDS = "no words but function words"


def scan(
    sources: Iterable[str] | Iterable[tuple[str, str]],
    recipe: Recipe,
    criteria: Criteria,
    reading: Reading,
    effort: Effort,
) -> Result:
    """Find the near-duplicates among all documents of the sources.

    Parameters
    ----------
    sources : iterable of str, or of (str, str)
        Files and folders, or names and texts.
    recipe, criteria, reading, effort
        See their classes.
    """
    started = time.monotonic()
    intake = open_sources(sources, reading, effort)
    intake = replace(intake, batches=_meanwhile(intake.batches, recipe))
    with spool_folder() as folder:
        spool = folder if criteria.verify else None
        minhash = criteria.method == "minhash"
        making = MinhashBands(minhash_banding(criteria), criteria.shingle) if minhash else None
        corpus = gather(intake, recipe, reading, spool, criteria.shingles_words, making)
        counts = corpus.counts(recipe)
        idf = resolve_idf(recipe, counts)
        sketched = sketch(counts, idf, recipe)
        reader = SpoolReader(folder)
        verifier = _verifier(corpus, counts, idf, recipe, criteria, reader)
        measure = verifier.measure if criteria.verify else None
        try:
            keys = np.concatenate(corpus.keys) if corpus.keys else None
            if criteria.method == "pstable":
                keys = pstable_keys(counts, idf, recipe, criteria)
            found = find_pairs(sketched, keys, corpus.digests, criteria, measure, effort)
            documents = Sketches(corpus.names, sketched.values, recipe.bits, measure)
            worth = worth_by(criteria.keep, corpus.lengths, corpus.modified)
            clusters = form_clusters(found.pairs, found.first_of, worth, documents, criteria)
            hint = _template_hint(found.pairs, verifier, criteria) if criteria.verify else ""
        finally:
            reader.close()
    wordless = [corpus.names[i] for i in np.flatnonzero(sketched.terms == 0).tolist()]
    corpus.skipped += [Skipped(name, NO_WORDS) for name in wordless]
    summary = Summary(
        documents=len(corpus.names) - len(wordless),
        clusters=len(clusters),
        redundant=sum(len(cluster.documents) - 1 for cluster in clusters),
        skipped=len(corpus.skipped),
        pairs=sum(len(cluster.pairs) for cluster in clusters),
        candidates=found.candidates,
        seconds=time.monotonic() - started,
        recipe=resolved(recipe, idf),
    )
    return Result(tuple(clusters), tuple(corpus.skipped), tuple(corpus.notes), summary, hint)


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


def _verifier(
    corpus: Corpus,
    counts: Counts,
    idf: Idf,
    recipe: Recipe,
    criteria: Criteria,
    reader: SpoolReader,
) -> Verifier:
    words = tokenizer(replace(recipe, tokens="ngrams:1")) if criteria.shingles_words else str.split
    cut = shingler(criteria.shingle, words)
    weigh = vectors(counts, idf, recipe)
    return Verifier(lambda i: cut(reader.read(corpus.slots[i])), weigh, criteria)


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
