"""Compare two documents: are they near-duplicates, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Unpack

import numpy as np

from simdup.clustering.short_texts import compared_numbers
from simdup.corpus.batches import batches
from simdup.corpus.extras import require_extras
from simdup.corpus.records import without_surrogates
from simdup.corpus.sources import Named, addressed, one_file
from simdup.errors import TEXT, SimdupError, check_type
from simdup.features.analyzer import Analyzer
from simdup.features.counts import Counts
from simdup.features.idf import Model
from simdup.features.shingles import Shingler
from simdup.features.short_texts import Forms, forms_of
from simdup.features.stripping import strip_texts
from simdup.features.text import PreparedText
from simdup.features.titles import title_keys, title_of
from simdup.features.weights import UNIT, TopTerms, Weighting
from simdup.fingerprints.bands import Signatures, minhash_signatures, pstable_signatures
from simdup.fingerprints.edit_bands import EditSignatures, edit_signatures
from simdup.fingerprints.fingerprinter import Fingerprinter
from simdup.ingest.collection import ingest
from simdup.ingest.source_report import SourceReport
from simdup.ingest.sources import open_input
from simdup.ingest.stripped import read_stripped
from simdup.lsh.simhash import simhash_rows, to_hex
from simdup.model.comparison import Comparison, Span
from simdup.model.criteria import EDIT, JACCARD, SHORT, Criteria, CriteriaFields
from simdup.model.documents import Document, Skipped
from simdup.model.recipe import Recipe
from simdup.model.settings import Settings
from simdup.reuse.between import between
from simdup.reuse.sharing import least_share, sharing_pairs, text_seeds
from simdup.search.pieces import cut
from simdup.verify.differences import find_differences
from simdup.verify.document_texts import Texts, in_memory
from simdup.verify.verifier import Verifier, vector


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
    for name in settings.criteria.grouped_by:
        raise SimdupError(name, "two texts have no groups", field=name)
    fingerprinter = Fingerprinter.alone(Analyzer.for_recipe(settings.recipe))
    a, b = strip_texts((text_a, text_b), settings.recipe.strip, ("text_a", "text_b"))
    documents = Document("a", a), Document("b", b)
    return compare_documents(documents, fingerprinter, settings.criteria, diff)


def read_document(path: str, settings: Settings) -> Document:
    """Read a file, or a record of one, as a document.

    Raises
    ------
    SimdupError
        If it cannot be read, or has no text.
    """
    reading = settings.reading
    file = addressed(path, reading) or one_file(path, reading)
    if isinstance(file, Skipped):
        raise SimdupError(file.document, file.reason)
    require_extras([file], reading)
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
            raise SimdupError("idf", what, hint, field="idf")
        analyzer = Analyzer.for_recipe(settings.recipe, settings.run.segmenter)
        return Fingerprinter.alone(analyzer), (), ()
    with ingest(open_input(Named([source]), settings)) as corpus:
        made = Fingerprinter.for_corpus(corpus.analyzer, corpus.counts)
    if made.learned and isinstance(made.idf, Model):
        made = replace(made, idf=replace(made.idf, name=f"corpus {source}"))
    return made, corpus.report.skipped, corpus.report.notes


def compare_documents(
    documents: tuple[Document, Document],
    fingerprinter: Fingerprinter,
    criteria: Criteria,
    diff: bool = False,
) -> Comparison:
    """Compare two documents, which were stripped, as a scan would; see `compare`."""
    both = _Both(documents, fingerprinter, criteria)
    (measures,) = both.verifier.measure(np.array([0]), np.array([1])).measures()
    searches, proposed_by = both.searches()
    titles, same_title = both.titles()
    return Comparison(
        names=(documents[0].name, documents[1].name),
        fingerprints=both.hexes,
        terms=int(both.top.terms.min()),
        weights=both.weights(),
        identical=both.identical,
        searches=searches,
        proposed_by=proposed_by,
        measures=measures,
        measure=EDIT if both.by_edit else JACCARD,
        numbers=() if measures.same_numbers else tuple(both.forms.numbers),
        titles=titles,
        same_title=same_title,
        reuse=between(documents[0].text, documents[1].text),
        recipe=fingerprinter.fields,
        criteria=criteria,
        diff=both.differences() if diff else None,
    )


@dataclass(frozen=True)
class _Both:
    """Two documents on their way through the steps of a scan."""

    documents: tuple[Document, Document]
    fingerprinter: Fingerprinter
    criteria: Criteria

    @cached_property
    def texts(self) -> list[PreparedText]:
        prepare = self.fingerprinter.analyzer.prepare
        return [prepare(without_surrogates(document.text)) for document in self.documents]

    @property
    def identical(self) -> bool:
        """Whether the folded texts are the same."""
        a, b = self.texts
        return a.compact == b.compact

    def titles(self) -> tuple[tuple[str, ...], bool]:
        """Return the titles and whether they are equal, if that matters.

        Those of the same text are, unless a source names one.
        """
        if not self.criteria.same_title:
            return (), True
        titles = tuple(map(title_of, self.documents))
        a, b = title_keys(titles, self.texts)
        named = any(document.title is not None for document in self.documents)
        return titles, a == b or (not named and self.texts[0].digest == self.texts[1].digest)

    def differences(self) -> tuple[Span, ...]:
        """Return what is equal, removed and added."""
        a, b = (document.text for document in self.documents)
        return find_differences(a, b, self.fingerprinter.analyzer)

    @cached_property
    def counts(self) -> Counts:
        return self.fingerprinter.analyzer.count(self.texts)

    @cached_property
    def weighting(self) -> Weighting:
        return self.fingerprinter.weigh(self.counts)

    @cached_property
    def top(self) -> TopTerms:
        (top,) = self.weighting.top_terms()
        return top

    @cached_property
    def hexes(self) -> tuple[str | None, str | None]:
        """The fingerprints as hex digits; None for a text without terms."""
        recipe, top = self.fingerprinter.recipe, self.top
        values = simhash_rows(self.counts.hashes, top.columns, top.weights, recipe.ties)
        a, b = to_hex(values, recipe.bits)
        return a if top.terms[0] else None, b if top.terms[1] else None

    def weights(self) -> dict[str, tuple[float, float]]:
        """Return the weights of each top term in both texts, 0 in one that lacks it."""
        rows = zip(self.top.columns.tolist(), self.top.weights.tolist(), strict=True)
        a, b = (
            {self.counts.terms[c]: w * UNIT for c, w in zip(*row, strict=True) if w} for row in rows
        )
        return {term: (a.get(term, 0.0), b.get(term, 0.0)) for term in a | b}

    @cached_property
    def forms(self) -> Forms:
        """The forms of both, if they are measured by edit similarity."""
        return forms_of(self.texts)

    @cached_property
    def by_edit(self) -> bool:
        """Whether the two are measured by edit similarity."""
        if not self.criteria.short_texts or not all(text.compact for text in self.texts):
            return False
        return bool(forms_of(self.texts, SHORT - 1).texts)

    @cached_property
    def shingler(self) -> Shingler:
        return self.fingerprinter.analyzer.shingler(self.criteria.shingle)

    @property
    def verifier(self) -> Verifier:
        contents = [text.folded.encode("utf-8", "surrogatepass") for text in self.texts]
        columns, read = in_memory(contents)
        if self.by_edit:
            numbers = compared_numbers(self.forms, self.criteria)
            columns = columns.and_columns(letters=self.forms.lengths, numbers=numbers)
        texts = Texts(columns, self.fingerprinter.analyzer, self.criteria.shingle, read)
        return Verifier(texts, lambda i: vector(self.weighting.document(i)), self.criteria)

    def searches(self) -> tuple[dict[str, tuple[bool, ...]], tuple[str, ...]]:
        """Return which bands are equal in each search, and which searches propose the pair."""
        a, b = self.hexes
        if a is None or b is None:
            return {}, ()
        different = int(a, 16) ^ int(b, 16)
        bands, proposed_by = {}, []
        for search in self.criteria.searches:
            if search == "simhash":
                bands[search] = self._equal_blocks(different)
                proposes = different.bit_count() <= self.criteria.distance
            elif search == "passages":
                proposes = self._sharing()
                bands[search] = (proposes,)
            else:
                known = self._signatures(search)
                equal = np.equal(*known.keys[known.row_of])
                if isinstance(known, EditSignatures):
                    by_bands, by_places = np.split(equal, [known.bands])
                    # A pair that only the others propose shows these.
                    equal = by_bands if by_bands.any() or not by_places.any() else by_places
                bands[search] = tuple(equal.tolist())
                proposes = bool(known.propose(np.array([0]), np.array([1]))[0])
            proposed_by += [search] if proposes else []
        return bands, tuple(proposed_by)

    def _sharing(self) -> bool:
        """Return whether a search by passages proposes the pair."""
        seeds = text_seeds([text.folded for text in self.texts])
        least = least_share(self.criteria.containment or 0)
        return len(sharing_pairs(seeds, np.arange(2), least)[0]) > 0

    def _signatures(self, search: str) -> Signatures | EditSignatures:
        if search == "minhash" and self.by_edit and self.criteria.edits_decide:
            numbers = compared_numbers(self.forms, self.criteria)
            return edit_signatures(self.forms.texts, numbers, self.criteria)
        if search == "pstable":
            return pstable_signatures(self.weighting, self.criteria)
        sets = self.shingler.sets([self.shingler.text_of(text) for text in self.texts])
        return minhash_signatures(sets, self.criteria)

    def _equal_blocks(self, different: int) -> tuple[bool, ...]:
        """Return which of distance + 1 blocks are equal: at least one, if so few bits differ."""
        bits = self.fingerprinter.recipe.bits
        digits = format(different, f"0{bits}b")
        count = min(self.criteria.distance + 1, bits)
        return tuple("1" not in digits[start : start + size] for start, size in cut(bits, count))
