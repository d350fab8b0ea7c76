"""Scan sources for clusters of verified near-duplicates."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple, Unpack

import numpy as np

from simdup.clustering.clusters import Group, ScannedDocuments, form_clusters
from simdup.clustering.linkage import priority_by
from simdup.corpus.patterns import matches
from simdup.features.weights import Weighting
from simdup.fingerprints.bands import Signatures, pstable_keys
from simdup.fingerprints.fingerprinter import Fingerprinter
from simdup.index.opening import split_indexes
from simdup.index.references import IndexMatches, IndexReferences, open_indexes
from simdup.ingest.corpus import Corpus, ingest
from simdup.ingest.counting import BatchOptions
from simdup.ingest.sources import Data, Input, open_input
from simdup.model.clusters import Cluster, Result, Summary
from simdup.model.criteria import Criteria, CriteriaFields
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.model.settings import RunOptions, Settings
from simdup.verify.crew import Crew, Work
from simdup.verify.families import Texts
from simdup.verify.pairs import Found, Grouping, find_groups
from simdup.verify.stored import StoredTexts


def scan(
    data: Data,
    recipe: Recipe | str = "default",
    criteria: Criteria | None = None,
    *,
    references: Iterable[str] = (),
    reading: Reading | None = None,
    run: RunOptions | None = None,
    jobs: int | None = None,
    **fields: Unpack[CriteriaFields],
) -> Result:
    """Find near-duplicates among documents.

    Parameters
    ----------
    data : str, iterable of str, or iterable of (str, str)
        A file or folder, several of them, or pairs of name and text.
    recipe : Recipe or str
        How documents are fingerprinted, or the name of a recipe.
    criteria : Criteria, optional
        When two documents are near-duplicates, and which one of a cluster is kept.
    references : iterable of str
        Files and folders whose documents are never redundant, and indexes.  With an index the
        recipe is the index's; another `recipe` is an error.  Documents match one of an index by
        distance, and by similarity as sketches estimate it: see `Index.query`.
    reading : Reading, optional
        Encoding, patterns and formats of files.
    run : RunOptions, optional
        What the run may use.
    jobs : int, optional
        Number of processes, instead of that in `run`; by default one per core.  The result does
        not depend on it.  On macOS and Windows, which do not fork processes, a script that uses
        several needs the usual ``if __name__ == "__main__"``.
    **fields
        Fields of `Criteria`, such as ``distance=6``; they override those of `criteria`.

    Returns
    -------
    Result
        ``clusters``, ``pairs``, ``skipped``, ``notes`` and ``summary``.

    Raises
    ------
    SimdupError
        If an argument is invalid, or a model or dictionary cannot be read.  Documents that
        cannot be read do not raise; they are listed in ``skipped``.

    Examples
    --------
    >>> text = "The quick brown fox jumps over the lazy dog near the old river bank."
    >>> found = scan([("a", text), ("b", text.upper()), ("c", "Nothing like the others.")])
    >>> [member.name for member in found.clusters[0].members]
    ['a', 'b']
    """
    settings = Settings.of(recipe, criteria, reading=reading, run=run, **fields)
    if jobs is not None:
        settings = replace(settings, run=replace(settings.run, jobs=jobs))
    indexes, others = split_indexes(references)
    return examine(replace(open_input(data, settings, others), indexes=indexes))[0]


def examine(opened: Input) -> tuple[Result, Corpus]:
    """Find the near-duplicates in opened sources; return them and what is known about all."""
    with open_indexes(opened.indexes) as indexes:
        return _examine(indexes.prepare(opened), indexes)


def _examine(opened: Input, indexes: IndexReferences) -> tuple[Result, Corpus]:
    started = time.monotonic()
    settings, criteria = opened.settings, opened.settings.criteria
    with ingest(opened, _batch_options(criteria, indexes)) as corpus:
        fingerprinter = opened.fingerprinter or Fingerprinter.for_corpus(
            corpus.analyzer, corpus.counts
        )
        weighting = fingerprinter.weigh(corpus.counts)
        stored = StoredTexts(corpus.analyzer, criteria.shingle, corpus.slots, corpus.read)
        work = Work(weighting, stored if criteria.verify else None, criteria)
        with Crew(work, settings.run) as crew:
            documents = ScannedDocuments(
                corpus.names,
                crew.fingerprints(),
                corpus.digests,
                # The documents of references come first.
                range(sum(path in opened.references for path in corpus.paths)),
                crew.measure,
            )
            matches = indexes.match(corpus, documents, settings)
            found = _find(documents, _Scanned(corpus, weighting, stored), matches, settings)
            groups = matches.join(found.groups)
            clusters = form_clusters(groups, matches.extend(documents), criteria)
            hint = _template_hint(found.groups, crew, criteria) if criteria.verify else ""
    corpus.skip_wordless(documents.fingerprints)
    corpus.note_unmatched(criteria.prefer)
    corpus.notes += matches.notes(documents)
    summary = Summary.of(
        clusters,
        documents=int(np.count_nonzero(documents.fingerprints.terms)),
        skipped=len(corpus.skipped),
        seconds=time.monotonic() - started,
        recipe=fingerprinter.fields,
        **found.figures(criteria) | indexes.figures,
    )
    skipped, notes = tuple(corpus.skipped), tuple(corpus.notes)
    unique, references = _unique(documents, clusters), len(documents.references)
    return Result(clusters, skipped, notes, summary, hint, unique, references), corpus


class _Scanned(NamedTuple):
    """What is known about scanned documents before they are grouped."""

    corpus: Corpus
    weighting: Weighting
    texts: StoredTexts


def _find(
    documents: ScannedDocuments, scanned: _Scanned, matches: IndexMatches, settings: Settings
) -> Found:
    """Find the groups of documents; with star linkage without those that match an index."""
    corpus, criteria = scanned.corpus, settings.criteria
    ranks = _ranks(corpus, criteria, documents.references)
    priority = priority_by(criteria.keep, corpus.priorities, ranks)
    signatures = corpus.take_signatures()
    if criteria.method == "pstable":
        signatures = Signatures(pstable_keys(scanned.weighting, criteria))
    texts = Texts.of(corpus.lengths, scanned.texts, criteria)
    if criteria.linkage == "star":
        documents = matches.without_matched(documents)
    given = Grouping(documents, signatures, texts, priority, settings, corpus.seeds())
    found = find_groups(given)
    if matches.candidates:
        found.candidates += matches.candidates
        found.candidates_by["simhash"] += matches.candidates
    return found


def _unique(documents: ScannedDocuments, clusters: tuple[Cluster, ...]) -> list[str]:
    """Return the documents in no cluster, in input order, without references."""
    clustered = {member.number for cluster in clusters for member in cluster.members}
    first = len(documents.references)
    with_terms = np.flatnonzero(documents.fingerprints.terms).tolist()
    return [documents.names[i] for i in with_terms if i >= first and i not in clustered]


def _batch_options(criteria: Criteria, indexes: IndexReferences) -> BatchOptions:
    """Return what criteria and indexes need of documents beside their counts."""
    signed = criteria if "minhash" in criteria.searches else None
    if not criteria.verify and signed is None:
        return BatchOptions(extras=indexes.extras)
    seeds = "passages" in criteria.searches
    return BatchOptions(criteria.shingle, criteria.verify, signed, seeds, extras=indexes.extras)


def _ranks(corpus: Corpus, criteria: Criteria, references: range) -> Callable[[int], int]:
    """Return the rank that precedes the `keep` policy: references, then preferred documents."""
    prefer = criteria.prefer
    if not prefer:
        return lambda document: -1 if document in references else 0

    def rank(document: int) -> int:
        if document in references:
            return -1
        name, path = corpus.names[document], corpus.paths[document]
        hits = (i for i, one in enumerate(prefer) if matches(name, [one]) or matches(path, [one]))
        return next(hits, len(prefer))

    return rank


# With at least this many pairs, and at least this share of them below the cosine of pages with the
# same content, a collection looks as if it was made from templates.
_HINT_PAIRS = 20
_HINT_SHARE = 0.5
_HINT_COSINE = 0.9
_HINT_SAMPLE = 200


def _template_hint(groups: list[Group], crew: Crew, criteria: Criteria) -> str:
    """Return advice if many pairs share their form but not their content."""
    pairs = [pair for group in groups for pair in group.pairs]
    unlike = [p for p in pairs if p.measures.similarity is not None and p.measures.similarity < 1]
    if criteria.cosine is not None or len(unlike) < _HINT_PAIRS:
        return ""
    sample = unlike[:: -(-len(unlike) // _HINT_SAMPLE)]
    low = sum(crew.cosine(pair.a, pair.b) < _HINT_COSINE for pair in sample)
    if low < _HINT_SHARE * len(sample):
        return ""
    return (
        f"{low / len(sample):.0%} of the pairs share their form rather than their content (cosine "
        f"below {_HINT_COSINE:g}): for pages from one template, set `cosine` to {_HINT_COSINE:g}"
    )
