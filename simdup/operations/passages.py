"""Passages: who has which paragraph from whom."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Unpack

import numpy as np

from simdup.base.errors import SimdupError, check_names, check_type
from simdup.corpus.batches import read
from simdup.corpus.rows import Paths, as_paths
from simdup.corpus.sources import Named
from simdup.index.opening import without_indexes
from simdup.model.documents import Document, Skipped
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
from simdup.near.collection import collected
from simdup.near.cutting import Cutting, PairTexts, assemble, find_in_ranges, sides_of
from simdup.near.inputs import Data, GroupBy, Input, open_input
from simdup.reuse.finding import Finder, concat
from simdup.reuse.overlaps import Holders, form_overlaps
from simdup.reuse.rates import rate_documents
from simdup.reuse.symbols import look_up_in
from simdup.reuse.winnowing import Template, Window
from simdup.text.left_out import left_out


def passages(
    data: Data,
    criteria: PassageCriteria | None = None,
    *,
    references: Paths = (),
    templates: Paths = (),
    across: str | None = None,
    leave_out: Iterable[str] = (),
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
        Files and folders: documents are compared with these only.
    templates : path or iterable of path
        Files and folders: text that also occurs in one of them is ignored.
    across : str, optional
        A field of records or tables, or ``folder``: only documents of different values are
        compared.
    leave_out : iterable of str, optional
        What does not count in ``rates``: ``references``, ``quotes``, ``contents``, ``headers``,
        ``statement``.
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
    left_out = (leave_out,) if isinstance(leave_out, str) else tuple(leave_out)
    scope = PassageScope(across, tuple(as_paths(templates, "templates")), left_out)
    opened = open_passages(data, settings, references, across)
    with examine(opened, criteria, scope) as (result, _):
        return result


def open_passages(
    data: Data, settings: Settings, references: Paths = (), across: str | None = None
) -> Input:
    """List what is to be read; see `passages`."""
    others = without_indexes(as_paths(references, "references"))
    if across is not None:
        field = GroupBy("across", across).field
        settings = replace(settings, reading=replace(settings.reading, group_field=field))
    return open_input(data, settings, others)


@contextmanager
def examine(
    opened: Input, criteria: PassageCriteria, scope: PassageScope, rated: bool = True
) -> Iterator[tuple[PassageResult, PairTexts]]:
    """Find passages in opened sources; yield them, with rates if asked for, and texts of pairs."""
    started = time.monotonic()
    template = None
    if scope.templates:
        texts = _read_templates(scope.templates, opened.settings)
        template = Template.of(texts, criteria.min_run)
    work = Cutting(Window.of(criteria.min_run), template)
    with collected(opened, opened.analyzer(), work) as cut:
        text_of, starts, symbols, seeds, _ = assemble(cut)
        sizes, documents, report = np.diff(starts) - 1, cut.documents, cut.report
        holders = Holders.of(text_of, len(sizes), sides_of(cut, opened, scope.across))
        finder = Finder.indexed(starts, symbols, seeds, criteria, holders.text_sides)
        del seeds
        found = concat(find_in_ranges(finder, opened.settings.run))
        shared = holders.shared(starts, symbols, criteria.min_length)
        overlaps = form_overlaps(found, sizes, holders, shared)
        text = partial(cut.spool.text, documents["original"])
        names = documents["name"].tolist()
        overlaps = overlaps.located(names, look_up_in(text))
        parts_of = partial(_parts_of, text, scope.leave_out) if scope.leave_out else None
        rates: Sequence[Rate] = ()
        if rated:
            rates = rate_documents(found, sizes, holders, shared, names, parts_of)
        copies, units = np.diff(holders.firsts), finder.index.crowded.by_text(starts)
        summary = PassageSummary(
            documents=len(documents),
            pairs=len(overlaps),
            passages=len(overlaps.lengths),
            skipped=len(report.skipped),
            identical=int((copies[shared] - 1).sum()),
            common=finder.index.common,
            common_units=int((units * copies).sum()),
            common_documents=int(copies[units > 0].sum()),
            most_documents=criteria.most_documents(len(sizes)),
            repeated=finder.index.repeated,
            seconds=time.monotonic() - started,
        )
        skipped, notes = tuple(report.skipped), tuple(report.notes)
        result = PassageResult(overlaps, skipped, notes, summary, rates)
        yield result, PairTexts(documents, overlaps.documents, text)


def _parts_of(
    text: Callable[[int], str], kinds: tuple[str, ...], document: int
) -> tuple[list[TextPart], str]:
    """Return the parts of a document that are left out, and its text."""
    own = text(document)
    return left_out(own, kinds), own


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
