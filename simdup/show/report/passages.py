"""The page of passages: each pair of documents that share some, with both texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from math import inf
from typing import Any

import numpy as np

from simdup.model.clusters import Cluster, Member, Pair, Summary
from simdup.model.formats import PageOptions
from simdup.model.passages import Overlap, PassageCriteria, PassageResult
from simdup.near.cutting import PairTexts
from simdup.show.report.chunks import CHUNK, CLIP, Chunks
from simdup.show.report.columns import script_json
from simdup.show.report.overview import by_folder, overview
from simdup.show.report.page import assemble
from simdup.show.report.tables import Folders, ten_thousandths
from simdup.show.result import Result

# Pairs that a page lists: by falling overlap, nobody goes beyond.
PAIRS = 20_000


def passages_page(
    found: PassageResult, criteria: PassageCriteria, text_of: PairTexts, options: PageOptions
) -> Iterator[bytes]:
    """Yield the page of passages."""
    overlaps = list(islice(found.overlaps, PAIRS))
    result = _as_result(overlaps, found, text_of)
    folders = Folders(text_of.documents)
    about = {
        "title": "",
        "criteria": {name: getattr(criteria, name) for name in criteria.__slots__},
        **overview(result, None, folders),
        **_overview(found, len(overlaps), text_of, folders),
    }
    with Chunks(inf if options.texts is None else options.texts) as chunks:
        if options.texts != 0:
            _add_texts(chunks, overlaps, text_of)
        options = replace(options, kind="passages")
        yield from assemble(result, options, chunks, folders, about)


def _overview(
    found: PassageResult, listed: int, text_of: PairTexts, folders: Folders
) -> dict[str, Any]:
    """Return what the overview says of all pairs, listed or not."""
    sharing = np.unique(text_of.pairs).tolist()
    names = text_of.documents["name"]
    figures: dict[str, Any] = {
        "documents": found.summary.documents,
        "matched": len(sharing),
        "clusters": listed,
        "pairs": found.summary.pairs,
        "listed": listed,
        "passages": found.summary.passages,
        "identical": found.summary.identical,
        "skipped": found.summary.skipped,
        "redundant": 0,
        "incomplete": 0,
    }
    told = found.summary
    if told.common_units:
        figures["common"] = [told.common_units, told.common_documents, told.most_documents]
    every = Counter(folders.of(number, name) for number, name in enumerate(names))
    return {
        "figures": figures,
        "folders": by_folder(every, Counter(folders.of(n, names[n]) for n in sharing)),
        "heat": [],  # pairs have no distance
        "sizes": [],  # and each has two documents
    }


def _add_texts(chunks: Chunks, overlaps: list[Overlap], text_of: PairTexts) -> None:
    """Add texts and passages in blocks, in order, until the budget is spent."""
    pending: list[tuple[int, str]] = []
    known: dict[int, list[str | None]] = {}
    for i, overlap in enumerate(overlaps):
        known[i] = [text_of(i, side)[:CLIP] for side in (0, 1)]
        pending.append((i, _content(overlap, known[i])))
        if sum(len(one) for _, one in pending) >= CHUNK:
            if not chunks.add(pending, known):
                return
            pending, known = [], {}
    chunks.add(pending, known)


def _content(overlap: Overlap, texts: list[str | None]) -> str:
    """Return the JSON of a pair: its texts, how much they share, and the passages in them."""
    passages = [
        [*p.a, *p.b, p.length, round(p.similarity, 4)]
        for p in overlap.passages
        if max(p.a[1], p.b[1]) <= CLIP
    ]
    shares = [ten_thousandths(overlap.share_a), ten_thousandths(overlap.share_b)]
    return script_json({"texts": texts, "passages": passages, "shares": shares})


def _as_result(overlaps: Sequence[Overlap], found: PassageResult, text_of: PairTexts) -> Result:
    """Return pairs as clusters of two; their similarity is the larger share."""
    clusters = []
    for number, overlap in enumerate(overlaps):
        a, b = text_of.pairs[number].tolist()
        share = min(max(overlap.share_a, overlap.share_b), 1.0)
        members = (
            Member(overlap.a, "kept", "", number=a, beside=a),
            Member(overlap.b, "linked", "", 0, share, number=b, beside=a),
        )
        pairs = (Pair(overlap.a, overlap.b, 0, share, exact=overlap.identical),)
        clusters.append(Cluster(number + 1, members, pairs))
    figures = found.summary
    summary = Summary.of(
        clusters,
        documents=figures.documents,
        skipped=figures.skipped,
        candidates=figures.pairs,
        candidates_by={},
        seconds=figures.seconds,
        recipe={},
    )
    return Result(tuple(clusters), found.skipped, found.notes, summary)
