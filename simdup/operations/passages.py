"""Passages: who has which paragraph from whom."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise
from typing import Any, Unpack

import numpy as np

from simdup.base.errors import SimdupError, check_names, check_type
from simdup.corpus.batches import read
from simdup.corpus.rows import Paths, as_paths
from simdup.corpus.sources import Named
from simdup.index.opening import without_indexes
from simdup.model.criteria import Criteria
from simdup.model.documents import Document, Skipped
from simdup.model.settings import Reading, RunOptions, Settings
from simdup.model.shared_passages import (
    PassageCriteria,
    PassageFields,
    PassageGroup,
    PassagePlace,
    PassageResult,
    PassageScope,
    PassageSummary,
)
from simdup.near.collection import collected
from simdup.near.cutting import Cutting, GroupTexts, PairTexts, assemble, find_in_ranges, sides_of
from simdup.near.inputs import Data, Input, open_input
from simdup.reuse.finding import Finder, concat
from simdup.reuse.overlaps import Holders, form_overlaps
from simdup.reuse.passage_groups import GroupedPassage, GroupFinder, form_groups, joined_places
from simdup.reuse.slots import Alignment
from simdup.reuse.symbols import SymbolTexts, look_up_in, spans_in
from simdup.reuse.winnowing import Template, Window
from simdup.search.arrays import distinct, run_starts
from simdup.text.characters import lines_of


def passages(
    data: Data,
    criteria: PassageCriteria | None = None,
    *,
    references: Paths = (),
    templates: Paths = (),
    across: str | None = None,
    within: str | None = None,
    groups: bool = False,
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
    within : str, optional
        The same, but only documents of one value are compared.
    groups : bool
        Whether to find groups, each a passage with all its places, in place of pairs of documents.
        Then nothing is common; `common` is the most documents of a group.
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
        ``overlaps`` (or ``groups``), ``skipped``, ``notes`` and ``summary``.

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
    >>> found = passages([("a", text), ("b", f"He wrote: {text}")], min_length=20, groups=True)
    >>> [(place.document, place.start, place.end) for place in found.groups[0].places]
    [('a', 0, 80), ('b', 10, 90)]
    """
    settings = Settings.of(reading=reading, run=run, jobs=jobs, text=text, id=id)
    check_type("criteria", criteria, (PassageCriteria, "a PassageCriteria"), unset=None)
    check_names(fields, PassageFields.__annotations__)
    criteria = replace(criteria or PassageCriteria(), **fields)
    scope = PassageScope(across, within, tuple(as_paths(templates, "templates")))
    opened = open_passages(data, settings, references, scope)
    if groups:
        with examine_groups(opened, criteria, scope) as (grouped, _):
            return grouped
    with examine(opened, criteria, scope) as (result, _):
        return result


def open_passages(data: Data, settings: Settings, references: Paths, scope: PassageScope) -> Input:
    """List what is to be read; see `passages`."""
    grouped = Criteria(across=scope.across, within=scope.within)
    others = without_indexes(as_paths(references, "references"))
    return open_input(data, replace(settings, criteria=grouped), others)


@contextmanager
def examine(
    opened: Input, criteria: PassageCriteria, scope: PassageScope
) -> Iterator[tuple[PassageResult, PairTexts]]:
    """Find passages in opened sources; yield them, and the texts of pairs."""
    started = time.monotonic()
    with collected(opened, opened.analyzer(), _cutting(opened, criteria, scope)) as cut:
        sides = sides_of(cut, opened, scope.across, scope.within)
        text_of, starts, symbols, seeds, _ = assemble(cut, sides)
        sizes, documents, report = np.diff(starts) - 1, cut.documents, cut.report
        holders = Holders.of(text_of, len(sizes), sides)
        finder = Finder.indexed(starts, symbols, seeds, criteria, holders.text_sides)
        del seeds
        found = concat(find_in_ranges(finder, opened.settings.run))
        shared = holders.shared(starts, symbols, criteria.min_length)
        overlaps = form_overlaps(found, sizes, holders, shared)
        text = partial(cut.spool.text, documents["original"])
        overlaps = overlaps.located(documents["name"].tolist(), look_up_in(text))
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
            most_documents=criteria.most_documents(holders.text_sides.largest),
            repeated=finder.index.repeated,
            seconds=time.monotonic() - started,
        )
        skipped, notes = tuple(report.skipped), tuple(report.notes)
        result = PassageResult(overlaps, skipped, notes, summary, crowded=overlaps.crowded)
        yield result, PairTexts(documents, overlaps.documents, text)


@contextmanager
def examine_groups(
    opened: Input, criteria: PassageCriteria, scope: PassageScope
) -> Iterator[tuple[PassageResult, GroupTexts]]:
    """Find groups of passages in opened sources; yield them, and the texts of their places."""
    started = time.monotonic()
    with collected(opened, opened.analyzer(), _cutting(opened, criteria, scope)) as cut:
        sides = sides_of(cut, opened, scope.across, scope.within)
        text_of, starts, symbols, seeds, _ = assemble(cut, sides)
        holders = Holders.of(text_of, len(starts) - 1, sides)
        keys, least = holders.text_sides.keys, criteria.min_length
        finder = GroupFinder.of(SymbolTexts(starts, symbols), seeds, keys, criteria)
        del seeds
        links = Alignment.concat(find_in_ranges(finder, opened.settings.run))
        shared = holders.shared(starts, symbols, least)
        copies = np.stack([starts[shared], starts[shared + 1] - 1], 1)
        joined = joined_places(links, finder.rows, least, copies)
        groups = form_groups(joined, starts, holders, criteria.common)
        documents, report = cut.documents, cut.report
        text = partial(cut.spool.text, documents["original"])
        places = _located(groups, documents["name"].tolist(), text)
        every = np.unique(np.concatenate([holders.order[:0], *(one.documents for one in groups)]))
        summary = PassageSummary(
            documents=len(documents),
            pairs=0,
            passages=0,
            skipped=len(report.skipped),
            identical=0,
            common=0,
            common_units=0,
            common_documents=0,
            most_documents=0,
            repeated=0,
            seconds=time.monotonic() - started,
            groups=len(groups),
            places=sum(len(one.places) for one in places),
            affected=len(every),
        )
        notes, skipped = tuple(report.notes), tuple(report.skipped)
        result = PassageResult((), skipped, notes, summary, places)
        yield result, GroupTexts(documents, [one.documents for one in groups], text)


def _located(
    groups: Sequence[GroupedPassage], names: Sequence[Any], read: Callable[[int], str]
) -> list[PassageGroup]:
    """Return groups with the characters and the lines of their places; each text is read once."""
    if not groups:
        return []
    documents = np.concatenate([one.documents for one in groups])
    spans = np.concatenate([one.spans for one in groups])
    lines, order = np.zeros(len(spans), np.int64), np.argsort(documents, kind="stable")
    for low, high in pairwise([*run_starts(documents[order]).tolist(), len(order)]):
        rows = order[low:high]
        text = read(int(documents[rows[0]]))
        spans[rows] = spans_in(text, spans[rows])
        lines[rows] = lines_of(text, spans[rows, 0])
    columns = zip(documents.tolist(), spans.tolist(), lines.tolist(), strict=True)
    places = (PassagePlace(names[row], start, end, line) for row, (start, end), line in columns)
    return [
        PassageGroup(len(distinct(one.documents)), one.length,
                     tuple(islice(places, len(one.documents))))
        for one in groups
    ]  # fmt: skip


def _cutting(opened: Input, criteria: PassageCriteria, scope: PassageScope) -> Cutting:
    """Return what cuts the texts of opened sources."""
    template = None
    if scope.templates:
        texts = _read_templates(scope.templates, opened.settings)
        template = Template.of(texts, criteria.min_run)
    return Cutting(Window.of(criteria.min_run), template)


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
