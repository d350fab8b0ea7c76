"""Scan sources for clusters of verified near-duplicates."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, Unpack

import numpy as np

from simdup.base.errors import check_type
from simdup.corpus.rows import Paths, as_paths
from simdup.index.opening import split_indexes
from simdup.index.references import IndexMatches, IndexReferences, open_indexes
from simdup.model.clusters import Cluster, Summary
from simdup.model.criteria import Criteria, CriteriaFields
from simdup.model.documents import InputDocuments
from simdup.model.fields import TITLE
from simdup.model.measures import MeasuredPairs
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.near.candidates import Candidates
from simdup.near.clustering import (
    describe_spared,
    form_clusters,
)
from simdup.near.collection import Collection, ingest
from simdup.near.counting import columns_for
from simdup.near.crew import Crew, Work
from simdup.near.field_groups import deciding_columns
from simdup.near.inputs import Data, Input, notes, open_input
from simdup.near.join import join
from simdup.near.methods import searches_of
from simdup.near.orders import order_of
from simdup.near.source_documents import SourceDocuments
from simdup.near.texts import Texts
from simdup.search.arrays import RowIds
from simdup.show.result import Result
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.short_texts import count_kept_apart
from simdup.text.titles import looks_templated

# Among documents with equal titles, those that share two thirds of their text are versions.
TITLED = 0.5


def scan(
    data: Data,
    recipe: Recipe | str = "default",
    criteria: Criteria | None = None,
    *,
    references: Paths = (),
    reading: Reading | None = None,
    run: RunOptions | None = None,
    jobs: int | None = None,
    text: str | tuple[str, ...] | None = None,
    id: str | None = None,  # noqa: A002
    facts: bool = False,
    **fields: Unpack[CriteriaFields],
) -> Result:
    """Find near-duplicates among documents.

    What near pairs connect is a cluster.  In the order of keeping, a document that no other one
    took is kept, and takes every later one that is near it and free.  What is taken is redundant.

    Parameters
    ----------
    data
        A path or paths (`str` or `os.PathLike`), an iterable of (id, text), a mapping from id to
        text, an iterable of mappings with fields, or a pandas, Polars or Arrow table or a Hugging
        Face dataset.  Ids are any hashable values; results have them unchanged.
    recipe : Recipe or str
        How documents are fingerprinted; in words, a name with or without fields, such as
        ``default,bits=128``, or the path of a TOML file.
    criteria : Criteria, optional
        When two documents are near-duplicates, and which of them is kept.
    references : path or iterable of path
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
    text, id : str, optional
        The fields or columns of the texts and the ids, instead of those in `reading`; by default
        ``text`` and, if there is one, ``id``.  Without it the index of a pandas table has the ids;
        of anything else they are positions, from 0.
    facts : bool
        Whether to find in which facts redundant documents differ from the kept ones:
        `Result.facts`, and a figure in the summary.  It costs 1 us a character of these.
    **fields
        Fields of `Criteria`, such as ``distance=6``; they override those of `criteria`.

    Returns
    -------
    Result
        ``clusters``, ``pairs``, ``skipped``, ``notes`` and ``summary``.

    Raises
    ------
    SimdupError
        If an argument is invalid, none of the paths exists, a column is missing, or a model or
        dictionary cannot be read.  Documents that cannot be read, and rows without a text, do not
        raise; they are listed in ``skipped``.
    TypeError
        If the data is of another kind, or an id is not hashable.

    Examples
    --------
    >>> text = "The quick brown fox jumps over the lazy dog near the old river bank."
    >>> found = scan([("a", text), ("b", text.upper()), ("c", "Nothing like the others.")])
    >>> [member.name for member in found.clusters[0].members]
    ['a', 'b']
    """
    settings = Settings.of(
        recipe, criteria, reading=reading, run=run, jobs=jobs, text=text, id=id, **fields,
    )  # fmt: skip
    check_type("facts", facts, (bool, "True or False"))
    return examine(open_scan(data, settings, references), facts).result


def open_scan(data: Data, settings: Settings, references: Paths = ()) -> Input:
    """List what is to be read; see `scan`."""
    indexes, others = split_indexes(as_paths(references, "references"))
    return replace(open_input(data, settings, others), indexes=indexes, required=others)


class Examined(NamedTuple):
    """The result of a scan, and what is known about all documents."""

    result: Result
    corpus: Collection
    matches: IndexMatches  # what indexes hold near them


def examine(opened: Input, facts: bool = False) -> Examined:
    """Find the near-duplicates in opened sources; see `scan` for `facts`."""
    opened.settings.check_distance()
    with open_indexes(opened.indexes, opened.seen) as indexes:
        return _examine(indexes.prepare(opened), indexes, facts)


def _examine(opened: Input, indexes: IndexReferences, facts: bool) -> Examined:
    started = time.monotonic()
    settings, criteria = opened.settings, opened.settings.criteria
    makers = columns_for(criteria, settings.reading.titled)
    with ingest(opened, [*makers, *indexes.makers], skipped=True) as corpus:
        fingerprinter = opened.fingerprinter or Fingerprinter.for_corpus(
            corpus.analyzer, corpus.counts
        )
        weighting = fingerprinter.weigh(corpus.counts)
        known, read = corpus.of_texts, corpus.spool.read
        texts = Texts(known, corpus.analyzer, criteria.shingle, read)
        with Crew(Work(weighting, texts, criteria), settings.run) as crew:
            prints = crew.fingerprints()
            own = known.and_columns(**deciding_columns(corpus, prints, opened.references, criteria))
            matches = indexes.match(corpus, own, settings)
            documents, texts_of = matches.documents, corpus.of_rows(matches.text_of)
            measure, names = matches.measure(crew.measure), documents["name"].tolist()
            order = order_of(documents, criteria, texts_of.__getitem__)
            compared = Candidates(
                documents,
                searches_of(texts_of, weighting, settings),
                settings,
                measure,
                lambda rows: texts.sets(matches.text_of[rows]),
                lambda rows: texts.forms(matches.text_of[rows].tolist()),
                order,
                every=criteria.compares_all(len(own)),
            )
            joined = join(compared, matches.pairs)
            settings.run.progress("clustering", 0, None)
            # Documents of indexes have numbers below 0.
            numbers, bits = range(-matches.indexed, len(corpus)), settings.recipe.bits
            clusters = form_clusters(joined, documents, order, criteria, bits, numbers)
            spared = describe_spared(
                joined.spared, clusters, documents, measure, criteria, texts, numbers
            )
            hint = _template_hint(joined.pairs, texts_of, criteria) if criteria.verify else ""
        differing = None
        if facts and criteria.verify:
            from simdup.near.fact_differences import redundant_facts

            def rows_of(some: Sequence[int]) -> RowIds:
                return matches.text_of[np.array(some, np.int64) + matches.indexed]

            differing = redundant_facts(clusters, texts, corpus["digest"], rows_of, settings)
    report = corpus.report
    taking_part = np.flatnonzero(~corpus.skipped)
    report.notes += [*notes(corpus.documents.take(taking_part), criteria, names), *matches.notes]
    summary = Summary.of(
        clusters,
        documents=len(taking_part),
        skipped=len(report.skipped),
        seconds=time.monotonic() - started,
        recipe=fingerprinter.fields,
        all_pairs=criteria.all_pairs,
        kept_apart=_kept_apart(corpus, joined.kept_apart),
        facts_differ=None if differing is None else len(differing),
        **joined.figures | indexes.figures,
    )
    skipped, noted = tuple(report.skipped), tuple(report.notes)
    clusters = _ordered(clusters, lambda number: order[number + matches.indexed], criteria)
    origins = SourceDocuments.of(opened, corpus, fingerprinter)
    skips = tuple(np.flatnonzero(corpus.skipped).tolist())
    inputs = InputDocuments(own["name"].tolist(), int(own["reference"].sum()), skips)
    settings.run.progress("clustering", len(clusters), len(clusters))
    result = Result(
        clusters, skipped, noted, summary, hint, inputs, origins, spared, facts=differing
    )
    return Examined(result, corpus, matches)


def _kept_apart(corpus: Collection, measured: Iterable[str]) -> dict[str, int]:
    """Return how many pairs of short texts a fact keeps apart, by the kind of the fact."""
    if "frame" not in corpus.forms:
        return {}
    # Two processes may have met a text first: then it has two forms, one of which nobody has.
    rows = np.unique(corpus["form"][~corpus.skipped])
    forms = corpus.forms.take(rows[rows >= 0])
    frames, kinds, facts = (forms[name] for name in ("frame", "kind", "facts"))
    return count_kept_apart(frames, kinds, facts, measured)


def _ordered(
    clusters: tuple[Cluster, ...], place: Callable[[int], int], criteria: Criteria
) -> tuple[Cluster, ...]:
    """Return clusters that know in which order members would be kept, if not in that of input."""
    if criteria.keep == "first" and not criteria.prefer and not criteria.decisions.kept:
        return clusters

    def order(cluster: Cluster) -> tuple[int, ...]:
        numbers = [member.number for member in cluster.members]
        # Of smaller ones nothing but the pair is left, or nothing.
        if len(numbers) <= 2:
            return ()
        return tuple(sorted(range(len(numbers)), key=lambda i: place(numbers[i])))

    return tuple(replace(cluster, order=order(cluster)) for cluster in clusters)


def _template_hint(listed: MeasuredPairs, corpus: Collection, criteria: Criteria) -> str:
    """Return advice if many pairs share a template, and their titles differ."""
    if TITLE in criteria.same:
        return ""
    pairs = listed.each()
    near = [(p.a, p.b) for p in pairs if p.measures.similarity not in (None, 1)]
    if not looks_templated(near, corpus.pages):
        return ""
    equal = _count_equal(corpus, [(pair.a, pair.b) for pair in pairs])
    also = "" if criteria.similarity <= TITLED else f" and `similarity` {TITLED:g}"
    return (
        "most pairs have different titles, and differ in what these name; if the documents share "
        f"a template, add `same` title{also}: {equal:,} of the {len(pairs):,} "
        "pairs found have equal titles"
    )


def _count_equal(corpus: Collection, pairs: Sequence[tuple[int, int]]) -> int:
    """Count the pairs whose titles are equal, as if these decided; see `share_titles`."""
    titles = corpus.folded_titles(sorted({document for pair in pairs for document in pair}))
    digests, named = corpus["digest"], corpus["named"]

    def equal(a: int, b: int) -> bool:
        if digests[a] == digests[b] and not (named[a] or named[b]):
            return True
        one, other = ("".join(titles[document].split()) for document in (a, b))
        return one == other and bool(one or digests[a] == digests[b])

    return sum(equal(a, b) for a, b in pairs)
