"""The file: a page of hand-written HTML, CSS and JavaScript with its data in blocks.

In this order, so that the overview is there before the rest is parsed: the policy that allows this
one script and style and no request, the style, a small JSON, the script, and the blocks.

The policy allows no import, so modules are constants of the one script: `cluster.js` is `Cluster`.
"""

from __future__ import annotations

import gc
import hashlib
import os
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from html import escape
from importlib import resources
from itertools import chain
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup._version import __version__
from simdup.base.system import portable
from simdup.model.formats import PAGE_LINE, PageOptions
from simdup.show.escaping import shown
from simdup.show.report.chunks import Chunks, deflate, script_json
from simdup.show.report.columns import SAME, DocumentRow, RowGroup, table
from simdup.show.words import page_words
from simdup.text.characters import simplified_characters

STYLES = (
    "base.css", "overview.css", "clusters.css", "reader.css", "conflicts.css", "print.css",
)  # fmt: skip
# In this order: while it is read, a module uses only those before it.
SCRIPTS = (
    "words.js", "dom.js", "data.js", "kinds.js", "groups.js", "state.js", "charts.js",
    "tokens.js", "align.js", "diff.js", "rows.js", "spans.js", "ribbon.js", "lazy.js",
    "facts.js", "changes.js", "passages.js", "reader.js",
    "overview.js", "list.js", "matrix.js", "why.js", "review.js", "judge.js", "cluster.js",
    "conflicts.js", "app.js",
)  # fmt: skip


def write_page(head: dict[str, Any], blocks: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """Yield a page: `head` is its small JSON, `blocks` are names and base64."""
    title = f"simdup: {shown(head['title'])}" if head["title"] else "simdup"
    style, script = _joined(STYLES), joined_script(SCRIPTS)
    words = page_words(head["kind"])
    policy = (
        f"default-src 'none'; script-src {_allowed(script)}; style-src {_allowed(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    yield (
        f'{PAGE_LINE}\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title, quote=False)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{_asset('page.html')}\n"
        f'<script type="application/json" id="head">{script_json(head)}</script>\n'
        f'<script type="application/json" id="words">{script_json(words)}</script>\n'
        f"<script>{script}</script>\n"
    ).encode("utf-8", "backslashreplace")
    for name, content in blocks:
        yield f'<script type="application/octet-stream" id="{name}">'.encode()
        yield content
        yield b"</script>\n"
    yield b"</body>\n</html>\n"


@cache
def _asset(name: str) -> str:
    return (resources.files(__package__) / "assets" / name).read_text("utf-8").strip()


def joined_script(names: Iterable[str]) -> str:
    """Return modules as one script."""
    return f"'use strict';\n{_joined(names)}"


def _joined(names: Iterable[str]) -> str:
    return "\n".join(map(_asset, names))


def _allowed(content: str) -> str:
    """Return the source of a policy that allows this content."""
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"


@contextmanager
def no_collection() -> Iterator[None]:
    """Let Python not look for garbage.

    What a page lists are many small objects that stay: with 100,000 clusters, a fifth of the time
    would go into looking at them again and again.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def assemble(
    groups: Sequence[RowGroup],
    about: Mapping[str, Any],
    options: PageOptions,
    add: Callable[[Chunks], object] = lambda chunks: None,
) -> Iterator[bytes]:
    """Yield a page.

    Parameters
    ----------
    groups : sequence of RowGroup
        What the page lists.
    about : mapping
        What only this page has in its head: ``title``, ``criteria``, ``recipe`` if there is one,
        and the overview.
    options : PageOptions
        What the page carries.
    add : callable
        Adds texts to the blocks; it is not called if the page carries none.
    """
    rows = [row for group in groups for row in group.documents]
    folders = {folder: i for i, folder in enumerate(dict.fromkeys(row.folder for row in rows))}
    labels = {"names": [row.name for row in rows], "folders": list(folders)}
    with Chunks(inf if options.texts is None else options.texts) as chunks:
        if options.texts != 0:
            with no_collection():
                add(chunks)
        differ = {i: places for i, places in chunks.differ.items() if i in chunks.place}
        about = {**about, "figures": about["figures"] | _fact_figures(groups, differ)}
        head = page_head(about, options, rows, chunks.characters)
        packed = table(groups, folders, chunks.place, differ)
        columns = [("table", deflate(packed)), ("names", deflate(script_json(labels).encode()))]
        texts = ((f"c{i}", block) for i, block in enumerate(chunks.blocks()))
        yield from write_page(head, chain(columns, texts))


def _fact_figures(
    groups: Sequence[RowGroup], differ: Mapping[int, Mapping[int, int]]
) -> dict[str, int]:
    """Return how many clusters differ in a fact, and of how many that is known, if of any.

    Of a cluster whose texts are all the same it is known, too.
    """
    if not differ:
        return {}
    same = sum(all(pair.flags & SAME for pair in group.pairs) for group in groups)
    return {"differing": sum(map(bool, differ.values())), "compared": len(differ) + same}


def page_head(
    about: Mapping[str, Any],
    options: PageOptions,
    rows: Iterable[DocumentRow],
    occurs: NDArray[np.bool_],
) -> dict[str, Any]:
    """Return the small JSON of a page; `about` is as in `assemble`, `occurs` as in `Chunks`."""
    return {
        "kind": options.kind,
        "simdup": __version__,
        "id": _identity(rows),
        "command": options.command,
        "root": portable(os.getcwd()),
        "recipe": {},
        "folds": _folds(occurs),
        **about,
    }


def _folds(occurs: NDArray[np.bool_]) -> list[str]:
    """Return the characters that occur and have simplified ones, and these side by side."""
    known = simplified_characters()
    found = [code for code in sorted(known) if occurs[code]]
    return ["".join(map(chr, found)), "".join(chr(known[code]) for code in found)]


def _identity(rows: Iterable[DocumentRow]) -> str:
    """Return what tells a result from others: decisions are kept under it."""
    content = hashlib.blake2b(digest_size=8)
    for row in rows:
        line = f"{row.name}\0{row.fingerprint}\n"
        content.update(line.encode("utf-8", "backslashreplace"))
    return content.hexdigest()
