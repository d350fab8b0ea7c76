"""Compare two documents: are they near-duplicates, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from simdup.base.errors import TEXT, SimdupError, check_type
from simdup.corpus.batches import batches
from simdup.corpus.sources import Named, addressed, one_file
from simdup.model.comparison import Comparison, FieldVerdict
from simdup.model.criteria import EDIT, JACCARD, Criteria, CriteriaFields
from simdup.model.documents import Document, Skipped
from simdup.model.fields import FACTS, TITLE
from simdup.model.recipe import Recipe
from simdup.model.settings import Settings
from simdup.model.table import Side
from simdup.near.batch_reader import read_stripped
from simdup.near.candidates import searches_of
from simdup.near.collection import Collection, gathered, ingest
from simdup.near.counting import columns_for
from simdup.near.differences import find_differences
from simdup.near.fact_differences import differences
from simdup.near.field_groups import deciding_columns, keys_of
from simdup.near.inputs import SourceReport, open_input, with_fields
from simdup.near.measures import measured
from simdup.near.rules import judged
from simdup.near.short import by_edit
from simdup.near.texts import Texts
from simdup.reuse.contradictions import differing_facts
from simdup.reuse.overlaps import between
from simdup.text.analyzer import Analyzer
from simdup.text.characters import PreparedText
from simdup.text.differing_facts import located_differences
from simdup.text.fingerprinter import Fingerprinter, fingerprint
from simdup.text.stripping import strip_texts
from simdup.text.weights import UNIT, Model, Weighting

# The rows of the two documents.
_A, _B = np.array([0]), np.array([1])


def compare(
    text_a: str,
    text_b: str,
    recipe: Recipe | str = "default",
    criteria: Criteria | None = None,
    *,
    diff: bool = False,
    **fields: Unpack[CriteriaFields],
) -> Comparison:
    """Compare two texts: are they near-duplicates, and why.

    Parameters
    ----------
    text_a, text_b : str
        The texts.
    recipe, criteria, **fields
        As in `scan`.
    diff : bool
        Whether to find what is equal, removed and added.

    Returns
    -------
    Comparison
        ``duplicates``, ``distance``, ``similarity``, ``shared`` terms, ``diff`` and more.

    Raises
    ------
    SimdupError
        If the recipe needs the frequencies of a corpus: two texts are not a corpus.

    Examples
    --------
    >>> compare("The quick brown fox jumps.", "THE QUICK BROWN FOX JUMPS!").similarity > 0.8
    True
    """
    check_type("text_a", text_a, TEXT)
    check_type("text_b", text_b, TEXT)
    settings = Settings.of(recipe, criteria, **fields)
    for argument in ("same", "across"):
        if {*getattr(settings.criteria, argument)} - {TITLE, FACTS}:
            what = "two texts have only titles and facts"
            raise SimdupError(argument, what, "pass records to scan", argument)
    fingerprinter = Fingerprinter.alone(Analyzer.for_recipe(settings.recipe))
    a, b = strip_texts((text_a, text_b), settings.recipe.strip, ("text_a", "text_b"))
    documents = Document("a", a), Document("b", b)
    return compare_documents(documents, fingerprinter, settings, diff)


def read_document(path: str, settings: Settings) -> Document:
    """Read a file, or a record of one, as a document.

    Raises
    ------
    SimdupError
        If it cannot be read, or has no text.
    """
    reading = with_fields(settings).reading
    file = addressed(path, reading) or one_file(path, reading)
    if isinstance(file, Skipped):
        raise SimdupError(file.document, file.reason)
    (batch,) = batches([file], reading)
    (document,) = read_stripped(batch, reading, settings.recipe)
    if isinstance(document, Skipped):
        raise SourceReport(reading=reading).refuse(document)
    return document


def learn_fingerprinter(
    settings: Settings, source: str | None = None
) -> tuple[Fingerprinter, Sequence[Skipped], Sequence[tuple[str, str]]]:
    """Return what a scan of a source would weigh terms with, what it skips, and notes.

    Without a source it is what suits any text.

    Raises
    ------
    SimdupError
        If the recipe needs a source and there is none.
    """
    if source is None:
        if settings.recipe.idf == "corpus":
            what, hint = "two texts are not a corpus", "name one with `idf_from`"
            raise SimdupError("recipe", f"idf=corpus: {what}", hint, "recipe")
        analyzer = Analyzer.for_recipe(settings.recipe)
        return Fingerprinter.alone(analyzer), (), ()
    with ingest(open_input(Named([source]), settings)) as corpus:
        made = Fingerprinter.for_corpus(corpus.analyzer, corpus.counts)
    if made.learned and isinstance(made.idf, Model):
        made = replace(made, idf=replace(made.idf, name=f"corpus {source}"))
    return made, corpus.report.skipped, corpus.report.notes


def compare_documents(
    documents: tuple[Document, Document],
    fingerprinter: Fingerprinter,
    settings: Settings,
    diff: bool = False,
) -> Comparison:
    """Compare two documents, which were stripped, by the steps of a scan; see `compare`."""
    reading, criteria = with_fields(settings).reading, settings.criteria
    settings = Settings.of(fingerprinter.recipe, criteria)
    analyzer, makers = fingerprinter.analyzer, columns_for(criteria, reading.titled)
    if criteria.short_texts and not criteria.verify:
        # What is known of the texts is shown all the same.
        from simdup.near.methods import short_texts

        makers += short_texts.makers(criteria)
    with gathered(documents, reading, analyzer, makers) as corpus:
        weighting = fingerprinter.weigh(corpus.counts)
        prints, table = fingerprint(weighting), corpus.of_texts
        if not corpus["length"].all():
            # A text without a letter is measured by shingles, of which it has none.
            table = table.without("letters", "facts")
        texts = Texts(table, analyzer, criteria.shingle, corpus.spool.read, weighting.document)
        (measures,) = measured(_A, _B, texts, criteria).measures()
        edited = bool(by_edit(Side(table, _A), Side(table, _B))[0])
        run = 0
        if edited and criteria.by_runs:
            from simdup.near.measures.containment import run_lengths

            run = int(run_lengths(texts, _A, _B)[0])
        identical = bool(corpus["digest"][0] == corpus["digest"][1])
        rows, contents = np.arange(2), np.array([0, not identical], np.int64)
        columns = deciding_columns(corpus, prints, (), criteria)
        table = table.and_columns(**columns, number=rows, content_number=contents)
        ruled = table if criteria.short_decide else table.without("letters", "facts")
        rules = judged(Side(ruled, _A), Side(ruled, _B))
        # Titles are compared separately.
        table = table.without("equal")
        bands, proposing = dict[str, tuple[bool, ...]](), set[str]()
        for search in searches_of(corpus, weighting, settings) if prints.terms.all() else ():
            prepared = search.prepared(table, rows)
            if prepared.propose(Side(table, _A), Side(table, _B))[0]:
                proposing.add(prepared.name)
            # Short texts have bands of their forms too, which come later.
            if prepared.name not in bands or edited:
                bands[prepared.name] = tuple(prepared.equal_bands(table, 0, 1))
        a, b = (document.text for document in documents)
        facts = []
        if edited and criteria.edits_decide and not identical:
            facts = located_differences(a, b)
        elif not identical:
            (facts,) = differing_facts([(a, b)])
        each = zip(prints.hexes(), prints.terms.tolist(), strict=True)
        first, second = (digits if terms else None for digits, terms in each)
        return Comparison(
            names=(documents[0].name, documents[1].name),
            fingerprints=(first, second),
            weights=_weights(weighting),
            identical=identical,
            searches={name: bands[name] for name in criteria.searches if bands},
            proposed_by=tuple(name for name in criteria.searches if name in proposing),
            measures=measures,
            measure=EDIT if edited else JACCARD,
            run=run,
            fields=tuple(_field_verdicts(corpus, criteria)),
            forbidden_by=tuple(rule for rule, allows in rules.items() if not allows[0]),
            reuse=between(a, b),
            facts=tuple(facts),
            recipe=fingerprinter.fields,
            criteria=criteria,
            diff=find_differences(a, b, analyzer) if diff else None,
        )


def _weights(weighting: Weighting) -> dict[str, tuple[float, float]]:
    """Return the weights of each top term in both texts, 0 in one that lacks it."""
    (top,) = weighting.top_terms()
    terms = weighting.counts.terms
    rows = zip(top.columns.tolist(), top.weights.tolist(), strict=True)
    a, b = ({terms[c]: w * UNIT for c, w in zip(*row, strict=True) if w} for row in rows)
    return {term: (a.get(term, 0.0), b.get(term, 0.0)) for term in a | b}


def _field_verdicts(read: Collection, criteria: Criteria) -> Iterator[FieldVerdict]:
    """Yield what the rules on fields say of a collection of two documents, and `same` facts."""
    for rule, fields in (("same", criteria.same), ("across", criteria.across)):
        for field in fields:
            if field == FACTS:
                yield _fact_verdict(read)
                continue
            keys, value_of = keys_of(rule, field, read)
            agree = keys[0] == keys[1] != ""
            yield FieldVerdict(rule, field, value_of(0), value_of(1), agree == (rule == "same"))


def _fact_verdict(read: Collection) -> FieldVerdict:
    """Return whether two documents agree in their facts; the values are those that differ."""
    (facts,) = differences(lambda row: PreparedText(read.text(row)), _A, _B)
    sides = [fact.a for fact in facts], [fact.b for fact in facts]
    a, b = (", ".join(filter(None, side)) for side in sides)
    return FieldVerdict("same", FACTS, a, b, not facts)
