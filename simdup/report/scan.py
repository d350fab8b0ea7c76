"""The page of a result: of a scan, of a cleaned corpus, of one comparison."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain
from typing import Any

from simdup._version import __version__
from simdup.corpus.sources import STDIN
from simdup.features.folding import simplified_characters
from simdup.ingest.origins import Origins
from simdup.model.clusters import Result
from simdup.model.criteria import Criteria
from simdup.model.page import PageOptions
from simdup.output.escaping import shown
from simdup.report.choice import carried
from simdup.report.chunks import Chunks, add_texts, reachable
from simdup.report.columns import deflate, script_json
from simdup.report.overview import overview
from simdup.report.page import write_page
from simdup.report.tables import Folders, table
from simdup.report.texts import read_originals


def scan_page(
    result: Result, options: PageOptions, removed: frozenset[str] = frozenset()
) -> Iterator[bytes]:
    """Yield the page of a result, whose documents are read again for their texts.

    Parameters
    ----------
    result : Result
        Of a scan, or of the cleaning of a corpus.
    options : PageOptions
        What the page carries.
    removed : frozenset of str
        The documents that a cleaned corpus lacks.
    """
    origins: Origins = result.origins
    with Chunks(options.texts) as chunks:
        if options.texts != 0:
            _add_texts(chunks, result, origins)
        yield from _page(result, options, chunks, removed)


def _add_texts(chunks: Chunks, result: Result, origins: Origins) -> None:
    """Read the texts of clusters again, and add what the budget allows."""
    order = reachable(result.clusters, origins, origins.criteria.similarity, chunks.budget)
    numbers = [number for i in order for number in carried(result.clusters[i])]
    with read_originals(origins, numbers) as originals:
        add_texts(chunks, result.clusters, order, originals)


def _page(
    result: Result, options: PageOptions, chunks: Chunks, removed: frozenset[str]
) -> Iterator[bytes]:
    """Yield the page, given its texts."""
    origins: Origins = result.origins
    folders = Folders(origins)
    packed = table(result, folders, chunks.place, removed)
    names = [str(member.name) for cluster in result.clusters for member in cluster.members]
    title = _title(origins)
    head = {
        "kind": options.kind,
        "title": title,
        "simdup": __version__,
        "id": _identity(result),
        "command": options.command,
        "root": os.path.abspath(options.root or os.curdir),
        "recipe": result.summary.recipe,
        "criteria": _criteria(origins.criteria),
        "folds": folds(chunks.characters),
        **overview(result, origins, folders),
    }
    labels = {"names": names, "folders": list(folders.names)}
    yield from write_page(
        f"simdup: {shown(title)}" if title else "simdup",
        head,
        chain(
            [("table", deflate(packed)), ("names", deflate(script_json(labels).encode()))],
            ((f"c{i}", block) for i, block in enumerate(chunks.blocks())),
        ),
    )


def folds(characters: set[str]) -> list[str]:
    """Return the traditional characters among these, and their simplified ones side by side."""
    known = simplified_characters()
    found = sorted(c for c in characters if ord(c) in known)
    return ["".join(found), "".join(chr(known[ord(c)]) for c in found)]


def _criteria(criteria: Criteria) -> dict[str, Any]:
    values = asdict(criteria) | {"shingle": str(criteria.shingle)}
    del values["decisions"]
    return values | {"linkage": criteria.linkage or "single"}


def _identity(result: Result) -> str:
    """Return what tells this result from others: decisions are kept under it."""
    content = hashlib.blake2b(digest_size=8)
    for cluster in result.clusters:
        for member in cluster.members:
            line = f"{member.name}\0{member.fingerprint}\n"
            content.update(line.encode("utf-8", "backslashreplace"))
    return content.hexdigest()


def _title(origins: Origins) -> str:
    """Return the name of what was scanned: that of the folder that all files are in."""
    known = [path for path in dict.fromkeys(origins.paths) if path not in ("", STDIN)]
    if not known:
        return ""
    paths = list(map(os.path.abspath, known))
    common = os.path.commonpath(paths) if len(paths) > 1 else paths[0]
    return os.path.basename(common)
