"""Passages: who has which paragraph from whom."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Unpack

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
from simdup.near.compared import References, compared
from simdup.near.cutting import PairTexts, find_in_ranges
from simdup.near.field_groups import group_by
from simdup.near.inputs import Data, Input, open_input
from simdup.reuse.group_rates import rate_groups
from simdup.reuse.overlaps import concat, form_overlaps
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
        starts, finder, holders = texts.starts, texts.finder, texts.holders
        documents, report = texts.cut.documents, texts.cut.report
        found = concat(find_in_ranges(finder, opened.settings.run))
        shared = holders.shared(starts, finder.symbols, criteria.min_length)
        units = Units.outside_holes(starts, finder.symbols if template else finder.symbols[:0])
        overlaps = form_overlaps(found, units, holders, shared)
        text = partial(texts.cut.spool.text, documents["original"])
        names = documents["name"].tolist()
        rated_units = units
        if rated and texts.given is not None:
            bits = texts.given.bits.view(np.uint8)
            given = np.unpackbits(bits, bitorder="little").view(np.bool_)
            rated_units = Units.outside_holes(starts, finder.symbols, given)
        omits = partial(_parts_of, text, scope.leave_out, units, rated_units, texts.text_of)
        # Documents without a rate matter only in a pair.
        every = np.union1d(np.flatnonzero(texts.sides.sources), overlaps.documents)
        every = every if template or scope.leave_out else every[:0]
        sizes = rated_units.sizes[texts.text_of]
        left_out = Omissions.of(every.tolist(), sizes, criteria.min_length, omits)
        pairs = PairTexts(
            documents, overlaps.documents, text, left_out.parts,
            counted_shares(overlaps, rated_units, texts.text_of, left_out),
        )  # fmt: skip
        overlaps = overlaps.located(names, look_up_in(text))
        rates: Sequence[Rate] = ()
        copied = of_many = 0
        if rated:
            own = rate_documents(found, rated_units, holders, shared, names, left_out)
            copied, of_many = own.copied, own.of_many
            if scope.by is None:
                rates = and_silent(own, texts.silent_names, texts.places)
            else:
                groups = group_by("by", parse_fields("by", scope.by)[0], texts.cut)
                about = found, rated_units, holders, shared, names, left_out
                rates = rate_groups(groups.of, groups.names, *about)
        copies = np.bincount(texts.text_of[texts.sides.sources], minlength=len(starts) - 1)
        summary = PassageSummary(
            documents=texts.documents,
            pairs=len(overlaps),
            passages=len(overlaps.lengths),
            skipped=len(report.skipped),
            identical=int(np.maximum(copies[shared] - 1, 0).sum()),
            common=finder.index.common,
            common_units=int(texts.units.sum()),
            common_documents=int(np.count_nonzero(texts.units)),
            most_documents=texts.most,
            repeated=finder.index.repeated,
            seconds=time.monotonic() - started,
            rated_units=copied,
            many_units=of_many,
        )
        skipped = tuple(report.skipped)
        notes = (*report.notes, *texts.too_short(criteria.min_length))
        yield PassageResult(overlaps, skipped, notes, summary, rates), pairs


def _template(opened: Input, criteria: PassageCriteria, scope: PassageScope) -> Template | None:
    """Return the text that is ignored, if there is some."""
    if not scope.templates:
        return None
    return Template.of(_read_templates(scope.templates, opened.settings), criteria.min_run)


def _parts_of(
    read: Callable[[int], str],
    kinds: tuple[str, ...],
    units: Units,
    rated_units: Units,
    text_of: I64,
    document: int,
) -> tuple[list[TextPart], I64]:
    """Return what is left out of a document, and which of its units that are rated that is."""
    from simdup.text.left_out import left_out, without

    text, own = read(document), int(text_of[document])
    found, holes = left_out(text, kinds), units.spans(own)
    places = np.array([part[1:] for part in found], np.int64).reshape(-1, 2)
    spans = rated_units.before(own, symbols_before(text, places.ravel())).reshape(-1, 2)
    given = [TextPart("template", *span) for span in spans_in(text, holes).tolist()]
    return sorted([*found, *without(given, found)], key=lambda part: part.start), spans


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
