"""A page put together: its head, its tables and its texts."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup._version import __version__
from simdup.model.formats import PageOptions
from simdup.model.result import Result
from simdup.show.escaping import shown
from simdup.show.report.chunks import Chunks
from simdup.show.report.columns import deflate, script_json
from simdup.show.report.page import write_page
from simdup.show.report.tables import Folders, table
from simdup.text.folding import simplified_characters


def assemble(
    result: Result,
    options: PageOptions,
    chunks: Chunks,
    folders: Folders,
    about: Mapping[str, Any],
    removed: frozenset[str] = frozenset(),
) -> Iterator[bytes]:
    """Yield the page of a result.

    Parameters
    ----------
    result : Result
        Its clusters are what the page lists.
    options : PageOptions
        What the page carries.
    chunks : Chunks
        The texts.
    folders : Folders
        Where documents are.
    about : mapping
        What only this page has in its head: ``title``, ``criteria``, and the overview.
    removed : frozenset of str
        The documents that a cleaned corpus lacks.
    """
    packed = table(result, folders, chunks.place, removed)
    names = [str(member.name) for cluster in result.clusters for member in cluster.members]
    head = {
        "kind": options.kind,
        "simdup": __version__,
        "id": _identity(result),
        "command": options.command,
        "root": os.path.abspath(options.root or os.curdir),
        "recipe": result.summary.recipe,
        "folds": _folds(chunks.characters),
        **about,
    }
    labels = {"names": names, "folders": list(folders.names)}
    title = about["title"]
    yield from write_page(
        f"simdup: {shown(title)}" if title else "simdup",
        head,
        chain(
            [("table", deflate(packed)), ("names", deflate(script_json(labels).encode()))],
            ((f"c{i}", block) for i, block in enumerate(chunks.blocks())),
        ),
    )


def _folds(occurs: NDArray[np.bool_]) -> list[str]:
    """Return the traditional characters that occur, and their simplified ones side by side."""
    known = simplified_characters()
    found = [code for code in sorted(known) if occurs[code]]
    return ["".join(map(chr, found)), "".join(chr(known[code]) for code in found)]


def _identity(result: Result) -> str:
    """Return what tells this result from others: decisions are kept under it."""
    content = hashlib.blake2b(digest_size=8)
    for cluster in result.clusters:
        for member in cluster.members:
            line = f"{member.name}\0{member.fingerprint}\n"
            content.update(line.encode("utf-8", "backslashreplace"))
    return content.hexdigest()
