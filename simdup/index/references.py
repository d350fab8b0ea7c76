"""Indexes as references: a document that matches one of an index is redundant.

An index has no texts.  So a match is judged as a query judges it: by the distance, and by the
similarity that sketches estimate.  Each document is a pair with the nearest one of all indexes.

The documents of indexes that others match come before those of the scan, as other references do.
One with the text of a document of the scan has that text: it is compared exactly, like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError, counted, invalid
from simdup.index.index import indexed, summaries
from simdup.index.match import Matches, QueryOptions, best, find_nearest, otherwise
from simdup.index.opened import Opened
from simdup.index.passages import load_passages, passage_makers
from simdup.index.segments import (
    REMOVED,
    TEXT_HASH,
    RemovedTexts,
    content_hashes,
    name_keys,
    removed_keys,
    text_hashes,
    to_numbers,
)
from simdup.model.cleaned import RemovedDocument
from simdup.model.criteria import CHARACTERS_5, INDEX_METHODS, Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.recipe import Recipe
from simdup.model.settings import Settings
from simdup.model.table import Documents, Side
from simdup.near.collection import Collection
from simdup.near.counting import Maker
from simdup.near.inputs import Input
from simdup.near.rows import Rows
from simdup.search.arrays import U64, Bools, RowIds
from simdup.text.fingerprinter import Fingerprints


@dataclass(frozen=True, slots=True)
class IndexMatches:
    """The documents of a scan after those of indexes that some of them match.

    A document is known by its row here.  In results those of indexes have numbers below 0: the last
    has -1.
    """

    documents: Documents
    text_of: RowIds  # int64[documents]: the document of the scan that has the text
    # Pairs with what indexes hold, their `a`: of each document of the scan at most one.
    pairs: MeasuredPairs = field(default_factory=MeasuredPairs.none)
    asked: Documents | None = None  # the documents of the scan that have terms, but references
    # uint64[documents of indexes]: as in `Documents`.
    contents: U64 = field(default_factory=lambda: np.zeros(0, np.uint64))
    # The rows of `asked` that match a document of an index, and will do so again.
    matched: RowIds = field(default_factory=lambda: np.zeros(0, np.int64))
    notes: Sequence[tuple[str, str]] = ()  # what a person should know about the matches

    @property
    def indexed(self) -> int:
        """How many documents are of indexes."""
        return len(self.contents)

    def removed(
        self,
        cuts: Sequence[RemovedDocument],
        known: NDArray[np.bool_],
        columns: Documents,
        criteria: Criteria,
    ) -> RemovedTexts:
        """Return the texts that are left out, of which an index would not know it otherwise.

        It finds again what it has found, and copies of what it has.  A pair that was not measured
        is one by its fingerprints, which it has.  `columns` are those of the known documents.
        """
        rows = np.cumsum(known) - 1
        found = set(self.matched.tolist())
        cuts = [
            cut for cut in cuts
            if cut.entry.similarity is not None and rows[cut.number] not in found
        ]  # fmt: skip
        contents = np.zeros(len(known), np.uint64)
        contents[known] = columns["content_key"]
        # Those of documents of indexes are found from the end, by their numbers below 0.
        contents = np.concatenate([contents, self.contents])
        removed = np.zeros(len(cuts), REMOVED)
        texts = text_hashes(columns["name_key"], columns["content_key"])
        texts = texts[rows[[cut.number for cut in cuts]]]
        removed["text"] = removed_keys(texts, criteria)
        removed["kept"] = contents[[cut.kept for cut in cuts]]
        removed["similarity"] = [cut.entry.similarity for cut in cuts]
        removed["distance"] = [cut.entry.distance or 0 for cut in cuts]
        names = name_keys(str(cut.entry.kept) for cut in cuts)
        return removed.compress(texts != text_hashes(names, removed["kept"]))

    def beside(self, rows: Rows) -> Rows:
        """Return the documents of the scan after those of indexes that some of them match."""
        if not self.indexed:
            return rows
        of, measure = self.text_of, rows.measure

        def measured(a: RowIds, b: RowIds) -> MeasuredPairs:
            return measure(of[a], of[b]).and_columns(a=a, b=b)

        return replace(
            rows, documents=self.documents, text_of=of, held=self.pairs, measure=measured,
            notes=self.notes,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class IndexReferences:
    """The indexes among the references of a scan; none if it only remembers what it sees."""

    opened: Sequence[Opened] = ()
    seen: str | None = None  # see `Input.seen`

    @property
    def figures(self) -> dict[str, int]:
        """What a summary says of them."""
        return {"indexed": sum(len(one.segments) for one in self.opened)}

    @property
    def makers(self) -> list[Maker]:
        """What has to be made of documents to compare them with those of an index."""
        # Only of what is added the texts may be kept.
        seen = (one.file for one in self.opened if one.file.path == self.seen)
        return [summaries, *(make for file in seen for make in passage_makers(file))]

    def prepare(self, opened: Input) -> Input:
        """Return an input that is read with the recipe of the indexes.

        Raises
        ------
        SimdupError
            If their recipes differ, another one is asked for, texts cannot be fingerprinted with
            it, or the criteria need more than an index has.
        """
        method = opened.settings.criteria.method
        if not self.opened:
            if method not in INDEX_METHODS:
                raise invalid("method", method, "one of " + ", ".join(INDEX_METHODS))
            return opened
        first, *others = self.opened
        for other in others:
            _require_same(first, other)
        settings = opened.settings
        _check_criteria(first.file.path, settings.criteria, first.file.path == self.seen)
        for each in self.opened:
            each.recipe.require_method(method)
        fingerprinter, asked = first.recipe.fingerprinter, settings.recipe
        if asked != Recipe():
            first.recipe.require(
                None, {one.name: getattr(asked, one.name) for one in fields(asked)}
            )
        recipe = fingerprinter.recipe
        if fingerprinter.idf.name == "builtin":
            # Whatever was asked for when it was built: no corpus is to be learned from.
            recipe = replace(recipe, idf="builtin")
        settings = replace(settings, recipe=recipe)
        return replace(opened, settings=settings, fingerprinter=fingerprinter)

    def match(self, corpus: Collection, documents: Documents, settings: Settings) -> IndexMatches:
        """Return the nearest document of all indexes of each document that matches one."""
        own = np.arange(len(documents))
        # References are not compared with each other.
        terms = np.where(documents["reference"], np.uint8(0), documents["terms"])
        prints = Fingerprints(documents["fingerprint"], settings.recipe.bits, terms)
        asked = load_passages(indexed(corpus, prints), corpus.spool)
        if not self.opened:
            return IndexMatches(documents, own, asked=asked)
        nearest, numbers = self._nearest(asked, settings), np.flatnonzero(terms)
        held = nearest.held
        if not len(held):
            return IndexMatches(documents, own, asked=asked)
        known, undecided = _decided(best(nearest.found, 1), settings.criteria)
        found = otherwise(known, best(nearest.removed, 1))
        found = found.and_columns(b=held["number"].searchsorted(found["b"]))
        same = _same(held, found, numbers, corpus)
        text_of = np.full(len(held), -1)
        text_of[found["b"][same]] = numbers[found["a"][same]]
        documents = documents.and_columns(indexed=np.zeros(len(documents), np.bool_))
        every = Documents.concat([_rows_of(held, text_of, documents), documents])
        verify = settings.criteria.verify
        pairs = _pairs(found.take(~same), numbers + len(text_of), verify)
        return IndexMatches(
            every,
            np.concatenate([text_of, own]),
            pairs,
            asked,
            held["content_key"],
            found["a"],
            _notes(every, pairs, self._were_seen(undecided)),
        )

    def _were_seen(self, rows: RowIds) -> Bools:
        """Return which rows of the indexes are of documents seen before."""
        seen = [one.file.path == self.seen for one in self.opened]
        were: Bools = np.repeat(seen, [len(one.segments) for one in self.opened])[rows]
        return were

    def _nearest(self, asked: Documents, settings: Settings) -> Matches:
        """Return the nearest document of each index, by the numbers of rows in all of them."""
        each, before, progress = list[Matches](), 0, settings.run.progress
        progress("matching", 0, len(asked))
        for one in self.opened:
            seen = one.file.path == self.seen
            options = QueryOptions(settings.criteria, seen, limit=1, run=settings.run)
            each.append(find_nearest(one, asked, options).shifted(0, before))
            before += len(one.segments)
        progress("matching", len(asked), len(asked))
        return Matches.concat(each)


def _notes(documents: Documents, pairs: MeasuredPairs, undecided: Bools) -> list[tuple[str, str]]:
    """Return what a person should know about matches, some of which do not count.

    Of each that does not it is known whether it is with a document seen before.
    """
    notes, names = list[tuple[str, str]](), documents["name"]
    for argument, seen in (("`references`", False), ("`index`", True)):
        if near := int(np.count_nonzero(undecided == seen)):
            what = f"fingerprints without a sketch are near {near:,} of the documents; "
            what += "their similarity is unknown, so they are not taken for pairs"
            notes.append((argument, what))
    sides = (names[pairs[side]].tolist() for side in ("a", "b"))
    if same := sum(a == str(b) for a, b in zip(*sides, strict=True)):
        what = f"{counted(same, 'document')} matched under the same name in an index; if it was "
        what += "built from these documents, they are redundant beside themselves"
        notes.append(("`references`", what))
    return notes


@contextmanager
def open_indexes(paths: Iterable[str], seen: str | None = None) -> Iterator[IndexReferences]:
    """Open indexes as references, and close them at the end; `seen` is that of `Input`."""
    with ExitStack() as stack:
        each = [Opened(path) for path in dict.fromkeys(paths)]
        for one in each:
            stack.callback(one.file.close)
        yield IndexReferences(each, seen)


def _require_same(first: Opened, other: Opened) -> None:
    """Raise if two indexes have different recipes."""
    digests = [one.recipe.resolved["digest"] for one in (first, other)]
    if digests[0] != digests[1]:
        raise SimdupError(
            other.file.path,
            f"its recipe {digests[1] or 'unknown'} is not that of {first.file.path}, "
            f"{digests[0] or 'unknown'}: their fingerprints cannot be compared",
            "take them one after the other",
        )


def _check_criteria(path: str, criteria: Criteria, seen: bool) -> None:
    """Raise if the criteria need more of references, or of documents `seen`, than an index has."""
    field = why = ""
    if criteria.same_fields or criteria.across:
        field, why = "same" if criteria.same_fields else "across", "has no fields of documents"
    elif criteria.same_facts:
        field, why = "same", "has no texts whose facts could be compared"
    elif criteria.method == "pstable":
        field, why = "method", f"cannot be searched by {criteria.method}"
    elif criteria.extras or criteria.lossless:
        field, why = (*criteria.extras, "lossless")[0], "has no texts to measure"
    elif criteria.verify and criteria.similarity and criteria.shingle != CHARACTERS_5:
        field, why = "shingle", f"estimates similarity by runs of {CHARACTERS_5} characters only"
    if field:
        instead = "" if seen else ", or take the documents themselves as `references`"
        hint = f"leave `{field}` out{instead}"
        raise SimdupError(field, f"{path} is an index, which {why}", hint, field)


def _decided(found: MeasuredPairs, criteria: Criteria) -> tuple[MeasuredPairs, RowIds]:
    """Return the matches without those of unknown similarity, if it matters.

    The others are given by whom they match.
    """
    known = ~np.isnan(found["similarity"])
    if not (criteria.verify and criteria.similarity):
        known[:] = True
    return found.take(known), found["b"][~known]


def _same(
    held: Documents, found: MeasuredPairs, numbers: RowIds, corpus: Collection
) -> NDArray[np.bool_]:
    """Return which matches are of a document and one with the same text, and another name.

    A document whose own name that one has stands for itself alone.
    """
    documents = numbers[found["a"]]
    texts = to_numbers(corpus["summary"][documents, :TEXT_HASH].tobytes())[:, np.newaxis]
    own = set(map(str, corpus["name"]))
    its = Side(held, found["b"])
    same = np.array([name not in own for name in its["name"].tolist()], np.bool_)
    same &= content_hashes(its["name_key"], texts) == its["content_key"]
    return same


def _rows_of(held: Documents, text_of: RowIds, documents: Documents) -> Documents:
    """Return documents of indexes as rows beside others, one of which may have their text."""
    known = text_of >= 0
    columns = {name: documents[name][text_of] for name in documents}
    for column in columns.values():
        column[~known] = np.zeros((), column.dtype)
    columns |= {"name": held["name"], "fingerprint": held["fingerprint"]}
    columns["reference"] = columns["indexed"] = np.ones(len(known), np.bool_)
    return Documents(columns)


def _pairs(found: MeasuredPairs, rows: RowIds, verify: bool) -> MeasuredPairs:
    """Return matches as pairs; `rows` are those of the documents that were queried."""
    pairs = found.and_columns(a=found["b"], b=rows[found["a"]])
    return pairs if verify else pairs.without("similarity")
