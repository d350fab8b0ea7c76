"""The page of passages: each pair of documents that share some, with both texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from simdup.model.formats import PageOptions
from simdup.model.shared_passages import Overlap, PassageCriteria, PassageResult, Rate, TextPart
from simdup.model.table import Documents
from simdup.near.cutting import PairTexts
from simdup.show.report.chunks import CHUNK, CLIP, Chunks, script_json
from simdup.show.report.columns import (
    SAME,
    PairRow,
    RowGroup,
    by_folder,
    folders_of,
    overview,
    source_row,
    ten_thousandths,
)
from simdup.show.report.page import assemble

# Pairs that a page lists: by falling overlap, nobody goes beyond; and documents with their rates.
PAIRS = 20_000
RATES = 5_000


def passages_page(
    found: PassageResult,
    criteria: PassageCriteria,
    text_of: PairTexts,
    options: PageOptions,
    rates: bool = False,
    counted: bool = False,
) -> Iterator[bytes]:
    """Return the page of passages, with a table of `rates` if asked for, and what is `counted`."""
    documents, best = text_of.documents, text_of.counted.max(axis=1)
    order = np.arange(len(best))
    if counted:
        order = np.argsort(-best, kind="stable")  # those that share only what is left out are last
    shown = order[:PAIRS].tolist()
    pairs = [(i, found.overlaps[i]) for i in shown]
    groups = [
        _group(documents, text_of.pairs[i].tolist(), min(float(best[i]), 1.0), overlap.identical)
        for i, overlap in pairs
    ]
    counting = np.flatnonzero(best)
    sharing = np.unique(text_of.pairs[counting]).tolist()
    every = folders_of(documents, range(len(documents)))
    folders = by_folder(every, folders_of(documents, sharing))
    listed = min(len(counting), PAIRS)
    silent = np.flatnonzero(best == 0).tolist()
    figures = _figures(found, listed, len(sharing)) | {
        "pairs": len(counting),
        "passages": found.summary.passages - sum(len(found.overlaps[i].passages) for i in silent),
        "left": len(silent),
    }
    about = {
        "title": "",
        "criteria": {name: getattr(criteria, name) for name in criteria.__slots__},
        **overview(groups[:listed], figures, folders, found.skipped, found.notes),
        "heat": [],  # pairs have no distance
        "sizes": [],  # and each has two documents
        "rates": [_rate(one, counted) for one in found.rates[:RATES]] if rates else [],
    }
    add = partial(_add_texts, pairs=pairs, text_of=text_of)
    return assemble(groups, about, replace(options, kind="passages"), add)


def _group(documents: Documents, pair: Sequence[int], share: float, identical: bool) -> RowGroup:
    """Return a pair of documents; their similarity is the larger share of what counts."""
    a, b = (source_row(documents, number) for number in pair)
    b = b._replace(distance=0, similarity=share)
    return RowGroup([a, b], [PairRow(0, 1, 0, share, SAME * identical)])


def _rate(rate: Rate, counted: bool) -> list[Any]:
    """Return a row of the table of rates; -1 for a share that is not asked for."""
    shares = map(ten_thousandths, (rate.share, rate.counted if counted else None,
                                   rate.largest_share))  # fmt: skip
    largest = rate.largest_source if rate.sources else None
    return [rate.document, *shares, largest, rate.sources]


def _figures(found: PassageResult, listed: int, sharing: int) -> dict[str, Any]:
    """Return figures of all pairs that count, listed or not."""
    summary = found.summary
    figures: dict[str, Any] = {
        "documents": summary.documents,
        "matched": sharing,
        "clusters": listed,
        "listed": listed,
        "identical": summary.identical,
        "skipped": summary.skipped,
        "redundant": 0,
    }
    if summary.common_units:
        common = [summary.common_units, summary.common_documents, summary.most_documents]
        figures["common"] = common
    return figures


def _add_texts(chunks: Chunks, pairs: Sequence[tuple[int, Overlap]], text_of: PairTexts) -> None:
    """Add texts and passages in blocks, in order, until the budget is spent.

    Of each pair there is its number, as `text_of` knows it.
    """
    pending: list[tuple[int, str]] = []
    known: dict[int, list[str | None]] = {}
    for i, (number, overlap) in enumerate(pairs):
        known[i] = [text_of(number, side)[:CLIP] for side in (0, 1)]
        left_out = [text_of.parts.get(one, ()) for one in text_of.pairs[number].tolist()]
        counted = list(map(ten_thousandths, text_of.counted[number].tolist()))
        pending.append((i, _content(overlap, known[i], left_out, counted)))
        if sum(len(one) for _, one in pending) >= CHUNK:
            if not chunks.add(pending, known):
                return
            pending, known = [], {}
    chunks.add(pending, known)


def _content(
    overlap: Overlap,
    texts: list[str | None],
    left_out: Sequence[Sequence[TextPart]],
    counted: Sequence[int],
) -> str:
    """Return the JSON of a pair: texts, how much they share, passages, what is left out."""
    passages = [
        [*p.a, *p.b, p.length, round(p.similarity, 4)]
        for p in overlap.passages
        if max(p.a[1], p.b[1]) <= CLIP
    ]
    shares = [ten_thousandths(overlap.share_a), ten_thousandths(overlap.share_b)]
    content: dict[str, Any] = {"texts": texts, "passages": passages, "shares": shares}
    if any(left_out):
        content["left"] = [[part for part in parts if part.end <= CLIP] for parts in left_out]
        content["counted"] = counted
    return script_json(content)
