"""The page of passages: each pair of documents that share some, with both texts."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from itertools import chain, islice

from simdup._version import __version__
from simdup.model.clusters import Cluster, Member, Pair, Result, Summary
from simdup.model.page import PageOptions
from simdup.model.passages import Overlap, PassageCriteria, PassageResult
from simdup.report.choice import CLIP
from simdup.report.chunks import CHUNK, Chunks
from simdup.report.columns import deflate, script_json
from simdup.report.overview import overview
from simdup.report.page import write_page
from simdup.report.scan import folds
from simdup.report.tables import Folders, table

# Pairs that a page lists: by falling overlap, nobody goes beyond.
PAIRS = 20_000

# Returns the text of a pair's first (0) or second (1) document.
TextOf = Callable[[int, int], str]


def passages_page(
    found: PassageResult, criteria: PassageCriteria, text_of: TextOf, options: PageOptions
) -> Iterator[bytes]:
    """Yield the page of passages."""
    overlaps = list(islice(found.overlaps, PAIRS))
    result = _as_result(overlaps, found)
    with Chunks(options.texts) as chunks:
        _add_texts(chunks, overlaps, text_of)
        folders = Folders(None)
        packed = table(result, folders, chunks.place)
        names = [str(member.name) for cluster in result.clusters for member in cluster.members]
        content = "\n".join(names).encode("utf-8", "backslashreplace")
        head = {
            "kind": "passages",
            "title": "",
            "simdup": __version__,
            "id": hashlib.blake2b(content, digest_size=8).hexdigest(),
            "command": options.command,
            "root": os.path.abspath(options.root or os.curdir),
            "recipe": {},
            "criteria": {name: getattr(criteria, name) for name in criteria.__slots__}
            | {"similarity": 0.0, "linkage": "pairs"},
            "folds": folds(chunks.characters),
            **overview(result, None, folders),
        }
        labels = {"names": names, "folders": list(folders.names)}
        blocks = ((f"c{i}", block) for i, block in enumerate(chunks.blocks()))
        known = [("table", deflate(packed)), ("names", deflate(script_json(labels).encode()))]
        yield from write_page("simdup: passages", head, chain(known, blocks))


def _add_texts(chunks: Chunks, overlaps: list[Overlap], text_of: TextOf) -> None:
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
    """Return the JSON of a pair: its texts, and the passages in what is left of them."""
    passages = [
        [*p.a, *p.b, p.length, round(p.similarity, 4)]
        for p in overlap.passages
        if max(p.a[1], p.b[1]) <= CLIP
    ]
    return script_json({"texts": texts, "passages": passages})


def _as_result(overlaps: list[Overlap], found: PassageResult) -> Result:
    """Return pairs as clusters of two; their similarity is the larger share."""
    clusters = []
    for number, overlap in enumerate(overlaps):
        share = min(max(overlap.share_a, overlap.share_b), 1.0)
        members = (
            Member(overlap.a, "kept", "0", number=2 * number, beside=2 * number),
            Member(overlap.b, "linked", "0", 0, share, number=2 * number + 1, beside=2 * number),
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
