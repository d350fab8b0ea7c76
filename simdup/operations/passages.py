"""Passages: who has which paragraph from whom."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Unpack

import numpy as np

from simdup.base.errors import SimdupError, check_names, check_type
from simdup.corpus.batches import read
from simdup.corpus.rows import Paths, as_paths
from simdup.corpus.sources import Named
from simdup.index import passage_index
from simdup.index.opening import split_indexes
from simdup.model.documents import Document, Skipped
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.model.shared_passages import (
    PassageCriteria,
    PassageFields,
    PassageResult,
    PassageScope,
    PassageSummary,
)
from simdup.near.compared import References, compared
from simdup.near.cutting import PairTexts, find_in_ranges
from simdup.near.inputs import Data, GroupBy, Input, open_input
from simdup.reuse.finding import concat
from simdup.reuse.overlaps import form_overlaps
from simdup.reuse.symbols import look_up_in
from simdup.reuse.winnowing import Template


def passages(
    data: Data,
    criteria: PassageCriteria | None = None,
    *,
    references: Paths = (),
    templates: Paths = (),
    across: str | None = None,
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
    across : str, optional
        A field of records or tables, or ``folder``: only documents of different values are
        compared.
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
        ``overlaps``, ``skipped``, ``notes`` and ``summary``.

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
    scope = PassageScope(across, tuple(as_paths(templates, "templates")))
    opened, beside = open_passages(data, settings, references, across)
    with examine(opened, criteria, scope, beside) as (result, _):
        return result


def open_passages(
    data: Data, settings: Settings, references: Paths = (), across: str | None = None
) -> tuple[Input, References]:
    """List what is to be read, and what it is compared with; see `passages`."""
    indexes, others = split_indexes(as_paths(references, "references"))
    if across is not None and indexes:
        hint = "leave `across` out, or take the documents themselves as `references`"
        what = f"{indexes[0]} is an index, which has no groups of documents"
        raise SimdupError("across", what, hint, "across")
    if across is not None:
        field = GroupBy("across", across).field
        settings = replace(settings, reading=replace(settings.reading, group_field=field))
    opened = replace(open_input(data, settings, others), indexes=indexes)
    return opened, References(bool(indexes or others))


@contextmanager
def examine(
    opened: Input, criteria: PassageCriteria, scope: PassageScope, references: References
) -> Iterator[tuple[PassageResult, PairTexts]]:
    """Find passages in opened sources; yield them, and the texts of pairs."""
    started = time.monotonic()
    template = None
    if scope.templates:
        given = _read_templates(scope.templates, opened.settings)
        template = Template.of(given, criteria.min_run)
    with ExitStack() as stack:
        indexes = map(passage_index.open_passages, opened.indexes)
        stored = [stack.enter_context(index) for index in indexes]
        beside = replace(references, stored=stored)
        texts = stack.enter_context(compared(opened, criteria, scope.across, template, beside))
        starts, finder, holders = texts.starts, texts.finder, texts.holders
        documents, report = texts.cut.documents, texts.cut.report
        found = concat(find_in_ranges(finder, opened.settings.run))
        shared = holders.shared(starts, finder.symbols, criteria.min_length)
        overlaps = form_overlaps(found, np.diff(starts) - 1, holders, shared)
        text = partial(texts.cut.spool.text, documents["original"])
        overlaps = overlaps.located(documents["name"].tolist(), look_up_in(text))
        copies = np.diff(holders.firsts)
        summary = PassageSummary(
            documents=texts.documents,
            pairs=len(overlaps),
            passages=len(overlaps.lengths),
            skipped=len(report.skipped),
            identical=int((copies[shared] - 1).sum()),
            common=finder.index.common,
            common_units=int(texts.units.sum()),
            common_documents=int(np.count_nonzero(texts.units)),
            most_documents=texts.most,
            repeated=finder.index.repeated,
            seconds=time.monotonic() - started,
        )
        result = PassageResult(overlaps, tuple(report.skipped), tuple(report.notes), summary)
        yield result, PairTexts(documents, overlaps.documents, text)


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
