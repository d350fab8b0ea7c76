"""Passages: who has which paragraph from whom."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from simdup.base.errors import SimdupError, as_strings, check_names, check_type
from simdup.corpus.batches import read
from simdup.corpus.files import split_indexes
from simdup.corpus.rows import Paths, as_paths
from simdup.corpus.sources import ONLY_SOURCES, Named
from simdup.index.passages import open_passages as open_index
from simdup.model.criteria import Criteria
from simdup.model.documents import Document, Skipped
from simdup.model.fields import parse_fields
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.model.shared_passages import (
    PassageCriteria,
    PassageFields,
    PassageResult,
    PassageScope,
    PassageSummary,
    Rate,
    TextPart,
)
from simdup.near.compared import Compared, References, compared
from simdup.near.cutting import PairTexts, find_in_ranges
from simdup.near.field_groups import group_by
from simdup.near.inputs import Data, Input, open_input
from simdup.reuse.finding import Passages
from simdup.reuse.group_rates import rate_groups
from simdup.reuse.overlaps import Overlaps, concat, form_overlaps
from simdup.reuse.rates import Omissions, and_silent, counted_shares, rate_documents
from simdup.reuse.symbols import Units, look_up_in, spans_in, symbols_before
from simdup.reuse.winnowing import Template
from simdup.search.arrays import I64


def passages(
    data: Data,
    criteria: PassageCriteria | None = None,
    *,
    references: Paths = (),
    templates: Paths = (),
    same: str | Iterable[str] = (),
    across: str | Iterable[str] = (),
    leave_out: str | Iterable[str] = (),
    by: str | None = None,
    reading: Reading | None = None,
    run: RunOptions | None = None,
    jobs: int | None = None,
    text: str | tuple[str, ...] | None = None,
    id: str | None = None,  # noqa: A002
    **fields: Unpack[PassageFields],
) -> PassageResult:
    """Find the passages that documents share.

    Parameters
    ----------
    data
        As for `scan`.
    criteria : PassageCriteria, optional
        When two documents share a passage.
    references : path or iterable of path
        Files, folders and indexes that were built with ``passages``: documents are compared with
        these only.
    templates : path or iterable of path
        Files and folders: text that also occurs in one of them is ignored.
    same, across : str or iterable of str, optional
        Fields that documents must agree in to be compared, and must not agree in; as for `scan`,
        but for ``title``.
    leave_out : str or iterable of str, optional
        What does not count in ``rates``: ``references``, ``quotes``.
    by : str, optional
        A field, such as ``folder:1``: ``rates`` has a row for each of its values, with all
        documents that have it.  These are not compared with each other.
    reading : Reading, optional
        Encoding, patterns and formats of files.
    run : RunOptions, optional
        What the run may use.
    jobs : int, optional
        Processes, instead of those of `run`; the result does not depend on it.
    text, id : str, optional
        As for `scan`.
    **fields
        Fields of `PassageCriteria`, such as ``min_length=20``; they override those of `criteria`.

    Returns
    -------
    PassageResult
        ``overlaps``, ``rates``, ``skipped``, ``notes`` and ``summary``.

    Raises
    ------
    SimdupError
        If an argument makes no sense, none of the paths exists, or a column is missing.  Documents
        that cannot be read are listed in ``skipped``.
    TypeError
        If the data is of another kind, or an id is not hashable.

    Examples
    --------
    >>> text = "The old harbour sleeps in the fog until the first boats come home with the tide."
    >>> found = passages([("a", text), ("b", f"He wrote: {text}")], min_length=20)
    >>> found.overlaps[0].passages
    (Passage(a=(0, 80), b=(10, 90), length=33, similarity=1.0),)
    """
    settings = Settings.of(reading=reading, run=run, jobs=jobs, text=text, id=id)
    check_type("criteria", criteria, (PassageCriteria, "a PassageCriteria"), unset=None)
    check_names(fields, PassageFields.__annotations__)
    criteria = replace(criteria or PassageCriteria(), **fields)
    left_out = as_strings("leave_out", leave_out, "names of parts")
    same, across = parse_fields("same", same), parse_fields("across", across)
    scope = PassageScope(same, across, tuple(as_paths(templates, "templates")), left_out, by)
    opened, beside = open_passages(data, settings, references, scope)
    with examine(opened, criteria, scope, beside) as (result, _):
        return result


def open_passages(
    data: Data, settings: Settings, references: Paths, scope: PassageScope
) -> tuple[Input, References]:
    """List what is to be read, and what it is compared with; see `passages`."""
    indexes, others = split_indexes(as_paths(references, "references"))
    for argument in ("same", "across"):
        if indexes and getattr(scope, argument):
            hint = f"leave `{argument}` out, or take the documents themselves as `references`"
            what = f"{indexes[0]} is an index, which has no groups of documents"
            raise SimdupError(argument, what, hint, argument)
    grouped = Criteria(same=scope.same, across=scope.across)
    opened = open_input(data, replace(settings, criteria=grouped), others)
    # One that turns out to be empty is asked for all the same: SOURCEs are not compared instead.
    asked = indexes or set(others) - {name for name, what in opened.notes if what == ONLY_SOURCES}
    return replace(opened, indexes=indexes, required=others), References(bool(asked))


@contextmanager
def examine(
    opened: Input,
    criteria: PassageCriteria,
    scope: PassageScope,
    references: References,
    rated: bool = True,
) -> Iterator[tuple[PassageResult, PairTexts]]:
    """Find passages in opened sources; yield them, with rates if asked for, and texts of pairs."""
    started = time.monotonic()
    template = _template(opened, criteria, scope)
    with ExitStack() as stack:
        indexes = map(open_index, opened.indexes)
        stored = [stack.enter_context(index) for index in indexes]
        beside = replace(references, stored=stored)
        texts = stack.enter_context(compared(opened, criteria, scope, template, beside))
        found = concat(find_in_ranges(texts.finder, opened.settings.run))
        work = _Work(texts, found, criteria, scope, template is not None, rated)
        rates, figures = work.rates() if rated else ((), {})
        summary = work.summary(seconds=time.monotonic() - started, **figures)
        skipped, notes = texts.cut.report.skipped, texts.cut.report.notes
        notes = [*notes, *texts.too_short(criteria.min_length)]
        result = PassageResult(work.located, tuple(skipped), tuple(notes), summary, rates)
        yield result, work.pairs


@dataclass(frozen=True)
class _Work:
    """What follows from the passages that were found."""

    texts: Compared
    found: Passages
    criteria: PassageCriteria
    scope: PassageScope
    templated: bool  # whether the text of templates is ignored
    rated: bool

    @cached_property
    def shared(self) -> I64:
        """The texts that several documents have."""
        finder = self.texts.finder
        return self.texts.holders.shared(
            self.texts.starts, finder.symbols, self.criteria.min_length
        )

    @cached_property
    def units(self) -> Units:
        """What counts of each text."""
        symbols = self.texts.finder.symbols
        return Units.outside_holes(self.texts.starts, symbols if self.templated else symbols[:0])

    @cached_property
    def rated_units(self) -> Units:
        """What counts of each text in rates."""
        texts = self.texts
        if not self.rated or texts.given is None:
            return self.units
        bits = np.unpackbits(texts.given.bits.view(np.uint8), bitorder="little")
        return Units.outside_holes(texts.starts, texts.finder.symbols, bits.view(np.bool_))

    @cached_property
    def overlaps(self) -> Overlaps:
        """The pairs of documents, and the places of their passages in symbols."""
        return form_overlaps(self.found, self.units, self.texts.holders, self.shared)

    @property
    def located(self) -> Overlaps:
        """The pairs, with names, and places in the texts."""
        names = self.texts.cut["name"].tolist()
        return self.overlaps.located(names, look_up_in(self.texts.text))

    @cached_property
    def left_out(self) -> Omissions:
        """What is left out of documents."""
        texts, documents = self.texts, np.zeros(0, np.int64)
        if self.templated or self.scope.leave_out:
            # Documents without a rate matter only in a pair.
            sources = np.flatnonzero(texts.sides.sources)
            documents = np.union1d(sources, self.overlaps.documents)
        sizes = self.rated_units.sizes[texts.text_of]
        return Omissions.of(documents.tolist(), sizes, self.criteria.min_length, self._parts)

    def _parts(self, document: int) -> tuple[list[TextPart], I64]:
        """Return what is left out of a document, and which of its units that are rated that is."""
        from simdup.text.left_out import left_out, without

        text, row = self.texts.text(document), int(self.texts.text_of[document])
        parts, holes = left_out(text, self.scope.leave_out), self.units.spans(row)
        places = np.array([part[1:] for part in parts], np.int64).reshape(-1, 2)
        spans = self.rated_units.before(row, symbols_before(text, places.ravel()))
        given = [TextPart("template", *span) for span in spans_in(text, holes).tolist()]
        each = sorted([*parts, *without(given, parts)], key=lambda part: part.start)
        return each, spans.reshape(-1, 2)

    @property
    def pairs(self) -> PairTexts:
        """The texts of pairs, and how much of each is shared."""
        texts, overlaps, left_out = self.texts, self.overlaps, self.left_out
        shares = counted_shares(overlaps, self.rated_units, texts.text_of, left_out)
        documents = texts.cut.documents
        return PairTexts(documents, overlaps.documents, texts.text, left_out.parts, shares)

    def rates(self) -> tuple[Sequence[Rate], dict[str, int]]:
        """Return the rates of documents, or of the groups of a field, and figures of them."""
        texts, by = self.texts, self.scope.by
        names = texts.cut["name"].tolist()
        about = self.found, self.rated_units, texts.holders, self.shared, names, self.left_out
        rates = rate_documents(*about)
        figures = {"rated_units": rates.copied, "many_units": rates.of_many}
        if by is None:
            return and_silent(rates, texts.silent_names, texts.places), figures
        groups = group_by("by", parse_fields("by", by)[0], texts.cut)
        return rate_groups(groups.of, groups.names, *about), figures

    def summary(self, **figures: Any) -> PassageSummary:
        """Return the figures of the run, with these."""
        texts, index = self.texts, self.texts.finder.index
        sources = texts.text_of[texts.sides.sources]
        copies = np.bincount(sources, minlength=len(texts.starts) - 1)
        return PassageSummary(
            documents=texts.documents,
            pairs=len(self.overlaps),
            passages=len(self.overlaps.lengths),
            skipped=len(texts.cut.report.skipped),
            identical=int(np.maximum(copies[self.shared] - 1, 0).sum()),
            common=index.common,
            common_units=int(texts.units.sum()),
            common_documents=int(np.count_nonzero(texts.units)),
            most_documents=texts.most,
            repeated=index.repeated,
            **figures,
        )


def _template(opened: Input, criteria: PassageCriteria, scope: PassageScope) -> Template | None:
    """Return the text that is ignored, if there is some."""
    if not scope.templates:
        return None
    return Template.of(_read_templates(scope.templates, opened.settings), criteria.min_run)


def _read_templates(templates: Iterable[str], settings: Settings) -> list[str]:
    """Return the texts of templates.

    Raises
    ------
    SimdupError
        If one cannot be read.
    """
    opened = open_input(Named(templates), settings)
    found = [one for batch in opened.batches for one in read(batch, opened.settings.reading)]
    for one in [*opened.skipped, *found]:
        if isinstance(one, Skipped):
            raise SimdupError(one.document, one.reason)
    return [one.text for one in found if isinstance(one, Document)]
