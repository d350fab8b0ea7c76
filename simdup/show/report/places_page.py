"""The page of places in texts: passages that documents share, and what copies differ in.

Passages are listed by pairs of documents, which are clusters of two.  Of conflicts a reading may
have 10,000 documents and a document may be in thousands of them, so documents are listed once and
the table numbers them; its columns are those of conflicts, of readings, of places (a document in a
conflict) and of documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.formats import PageOptions
from simdup.model.shared_passages import Overlap, PassageCriteria, PassageResult, Rate, TextPart
from simdup.show.report.chunks import CHUNK, CLIP, Chunks, script_json
from simdup.show.report.columns import (
    by_folder,
    folder_of,
    overview,
    ten_thousandths,
)
from simdup.show.report.page import write_clusters, write_table
from simdup.text.characters import to_codes

if TYPE_CHECKING:
    from simdup.model.readings import Conflict, ConflictCriteria, ConflictResult, ReadingPlace
    from simdup.near.cutting import PairTexts

# Pairs that a page lists: by falling overlap, nobody goes beyond; documents with their rates;
# conflicts, by falling number of documents.
PAIRS = 20_000
RATES = 5_000
CONFLICTS = 50_000


def passages_page(
    result: PassageResult,
    criteria: PassageCriteria,
    text_of: PairTexts,
    options: PageOptions,
    rates: bool = False,
    counted: bool = False,
) -> Iterator[bytes]:
    """Return the page of passages, with a table of `rates` if asked for, and what is `counted`."""
    best = text_of.counted.max(axis=1)  # the larger share of what counts
    order = np.arange(len(best))
    if counted:
        order = np.argsort(-best, kind="stable")  # those that share only what is left out are last
    names = text_of.documents["name"].tolist()
    pairs = [(i, result.overlaps[i]) for i in order[:PAIRS].tolist()]
    clusters = list[Cluster]()
    for i, overlap in pairs:
        a, b = (Member(str(names[row]), "kept", None, None, number=row) for row in text_of.pairs[i])
        share = min(float(best[i]), 1.0)
        b = b._replace(distance=0, similarity=share)
        listed = Pair(a.name, b.name, 0, overlap.identical, similarity=share)
        clusters.append(Cluster(len(clusters) + 1, (a, b), (listed,)))
    counting = np.flatnonzero(best)
    sharing = np.unique(text_of.pairs[counting]).tolist()
    folder_of_row = [folder_of(str(name)) for name in names]
    folders = by_folder(folder_of_row, map(folder_of_row.__getitem__, sharing))
    silent = [result.overlaps[i] for i in np.flatnonzero(best == 0).tolist()]
    summary = result.summary
    figures: dict[str, Any] = {
        "documents": summary.documents,
        "matched": len(sharing),
        "clusters": min(len(counting), PAIRS),
        "listed": min(len(counting), PAIRS),
        "identical": summary.identical,
        "skipped": summary.skipped,
        "redundant": 0,
        "pairs": len(counting),
        "passages": summary.passages - sum(len(overlap.passages) for overlap in silent),
        "left": len(silent),
    }
    if summary.common_units:
        figures["common"] = summary.common_units, summary.common_documents, summary.most_documents
    about = {
        "title": "",
        "criteria": {name: getattr(criteria, name) for name in criteria.__slots__},
        **overview(
            clusters[: figures["listed"]], figures, folders, result.skipped, result.notes
        ),
        "sizes": [],  # each has two documents
        "rates": [_rate(rate, counted) for rate in result.rates[:RATES]] if rates else [],
    }  # fmt: skip
    add = partial(_add_texts, pairs=pairs, text_of=text_of)
    options = replace(options, kind="passages")
    return write_clusters(clusters, about, options, text_of.documents, add)


def _rate(rate: Rate, counted: bool) -> list[Any]:
    """Return a row of the table of rates; -1 for a share that is not asked for."""
    shares = map(ten_thousandths, (rate.share, rate.counted if counted else None,
                                   rate.largest_share))  # fmt: skip
    largest = rate.largest_source if rate.sources else None
    return [rate.document, *shares, largest, rate.sources]


def _add_texts(chunks: Chunks, pairs: Sequence[tuple[int, Overlap]], text_of: PairTexts) -> None:
    """Add texts and passages in blocks, in order, until the budget is spent.

    Of each pair there is its number, as `text_of` knows it.
    """
    pending: list[tuple[int, str]] = []
    texts: dict[int, list[str | None]] = {}
    for i, (number, overlap) in enumerate(pairs):
        texts[i] = [text_of(number, side)[:CLIP] for side in (0, 1)]
        left_out = [text_of.parts.get(row, ()) for row in text_of.pairs[number].tolist()]
        counted = list(map(ten_thousandths, text_of.counted[number].tolist()))
        pending.append((i, _content(overlap, texts[i], left_out, counted)))
        if sum(len(content) for _, content in pending) >= CHUNK:
            if not chunks.add(pending, texts):
                return
            pending, texts = [], {}
    chunks.add(pending, texts)


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


def conflicts_page(
    result: ConflictResult, criteria: ConflictCriteria, options: PageOptions
) -> Iterator[bytes]:
    """Return the page of conflicts: each place in which copies contradict each other.

    Parameters
    ----------
    result : ConflictResult
        What it shows.
    criteria : ConflictCriteria
        How that was found.
    options : PageOptions
        What the page carries; the text around conflicts is short and always there.
    """
    summary, conflicts = result.summary, result.conflicts[:CONFLICTS]
    kinds = Counter(conflict.kind for conflict in conflicts).most_common()
    bits = {kind: 1 << i for i, (kind, _) in enumerate(kinds)}
    readings = [reading for conflict in conflicts for reading in conflict.readings]
    places = [place for reading in readings for place in reading.documents]
    first: dict[str, ReadingPlace] = {}
    for place in places:
        first.setdefault(str(place.document), place)
    folders = list(map(folder_of, first))
    columns = _place_columns(conflicts, places, list(first)) | {
        "kinds": np.array([bits[conflict.kind] for conflict in conflicts], np.uint16),
        "modified": np.array([place.modified for place in first.values()], np.float64),
    }
    texts = [[c.before, c.after, *c.values] for c in conflicts]
    figures = {
        "documents": summary.documents,
        "matched": summary.affected,
        "clusters": len(conflicts),
        "pairs": summary.conflicts,
        "listed": len(conflicts),
        "known": summary.known,
        "forms": summary.forms,
        "skipped": summary.skipped,
        "redundant": 0,
    }
    about = {
        "title": "",
        **overview((), figures, _by_folder(columns, folders), result.skipped, result.notes),
        "criteria": {"context": criteria.context, "kinds": ", ".join(criteria.kinds)},
        "kinds": kinds,
    }
    options = replace(options, kind="conflicts")
    labels, prints = {"names": list(first), "conflicts": texts}, [""] * len(first)
    with Chunks(0) as chunks:
        chunks.characters[to_codes("".join(text for shown in texts for text in shown))] = True
        yield from write_table(about, options, prints, folders, columns, labels, chunks)


def _place_columns(
    conflicts: Sequence[Conflict], places: Sequence[ReadingPlace], names: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Return the columns of conflicts, of readings and of places."""
    rows = {name: row for row, name in enumerate(names)}
    lengths = [len(reading.documents) for conflict in conflicts for reading in conflict.readings]
    return {
        "readings": np.array([len(conflict.readings) for conflict in conflicts], np.uint32),
        "places": np.array(lengths, np.uint32),
        "document": np.array([rows[str(place.document)] for place in places], np.uint32),
        "start": np.array([place.start for place in places], np.uint32),
        "end": np.array([place.end for place in places], np.uint32),
        "line": np.array([place.line for place in places], np.uint32),
    }


def _by_folder(columns: dict[str, NDArray[Any]], folders: Sequence[str]) -> list[list[Any]]:
    """Return [folder, documents in a conflict, conflicts] by falling number of conflicts."""
    readings = np.repeat(np.arange(len(columns["readings"])), columns["readings"])
    conflicts, rows = np.repeat(readings, columns["places"]).tolist(), columns["document"].tolist()
    listed = {(conflict, folders[row]) for conflict, row in zip(conflicts, rows, strict=True)}
    return by_folder(folders, (folder for _, folder in listed))
