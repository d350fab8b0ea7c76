"""The file: a page of hand-written HTML, CSS and JavaScript with its data in blocks.

In this order, so that the overview is there before the rest is parsed: the policy that allows this
one script and style and no request, the style, a small JSON, the script, and the blocks.

The policy allows no import, so modules are constants of the one script: `cluster.js` is `Cluster`.
"""

from __future__ import annotations

import hashlib
import os
import re
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
from simdup.model.clusters import Cluster
from simdup.model.formats import PAGE_LINE, PageOptions
from simdup.model.table import Documents
from simdup.show.escaping import shown
from simdup.show.report.chunks import Chunks, deflate, script_json
from simdup.show.report.columns import (
    UNKNOWN,
    cluster_columns,
    fact_columns,
    folder_of,
    member_columns,
    pack,
)
from simdup.show.words import page_words
from simdup.text.characters import simplified_characters

STYLES = (
    "base.css", "overview.css", "clusters.css", "reader.css", "conflicts.css", "print.css",
)  # fmt: skip
# In this order: while it is read, a module uses only those before it.
SCRIPTS = (
    "words.js", "dom.js", "data.js", "kinds.js", "groups.js", "state.js", "charts.js",
    "tokens.js", "align.js", "diff.js", "rows.js", "spans.js", "names.js", "ribbon.js", "lazy.js",
    "facts.js", "changes.js", "passages.js", "reader.js",
    "overview.js", "list.js", "matrix.js", "why.js", "review.js", "judge.js", "cluster.js",
    "conflicts.js", "app.js",
)  # fmt: skip


@cache
def _asset(name: str) -> str:
    return (resources.files(__package__) / "assets" / name).read_text("utf-8").strip()


# Comments that have lines of their own: a tenth of a small page.
_COMMENTS = re.compile(r"^ *(?:/\*(?:(?!\*/).)*\*/|//[^\n]*)\n", re.M | re.S)


def joined_script(names: Iterable[str]) -> str:
    """Return modules as one script, without their comments."""
    return f"'use strict';\n{_COMMENTS.sub('', _joined(names))}"


def _joined(names: Iterable[str]) -> str:
    return "\n".join(map(_asset, names))


def _allowed(content: str) -> str:
    """Return the source of a policy that allows this content."""
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{b64encode(digest).decode()}'"


def write_clusters(
    clusters: Sequence[Cluster],
    about: Mapping[str, Any],
    options: PageOptions,
    documents: Documents | None,
    add: Callable[[Chunks], object] = lambda chunks: None,
    references: int = 0,
    removed: Collection[str] = (),
) -> Iterator[bytes]:
    """Yield a page of clusters.

    Parameters
    ----------
    clusters : sequence of Cluster
        What the page lists.
    about : mapping
        What only this page has in its head: ``title``, ``criteria``, ``recipe`` if there is one,
        and the overview.
    options : PageOptions
        What the page carries.
    documents : Documents or None
        The documents by their numbers; None if their names are all that is known of them.
    add : callable
        Adds texts to the blocks; it is not called if the page carries none.
    references : int
        How many documents are references.
    removed : collection of str
        The documents that a cleaned corpus lacks.
    """
    members = [member for cluster in clusters for member in cluster.members]
    with Chunks(inf if options.texts is None else options.texts) as chunks:
        if options.texts != 0:
            add(chunks)
        places = [chunks.place.get(i, (-1, 0)) for i in range(len(clusters))]
        differ, kinds = fact_columns(clusters, chunks.facts)
        columns = {
            **cluster_columns(clusters), **differ,
            **member_columns(members, documents, references, removed),
            "chunk": np.array([chunk for chunk, _ in places], np.int32),
            "slot": np.array([slot for _, slot in places], np.uint32),
        }  # fmt: skip
        if kinds:
            unknown = dict(kinds).get(UNKNOWN, 0)
            differing = sum(any(facts.values()) for facts in chunks.facts.values())
            compared = {"differing": differing, "compared": len(clusters) - unknown}
            about = {**about, "kinds": kinds, "figures": about["figures"] | compared}
        # Documents of an index may be anywhere: they are in no folder.
        folders = [folder_of(str(m.name)) if m.number >= 0 else "" for m in members]
        labels = {"names": [str(member.name) for member in members]}
        prints = (member.fingerprint or "" for member in members)
        yield from write_table(about, options, prints, folders, columns, labels, chunks)


def write_table(
    about: Mapping[str, Any],
    options: PageOptions,
    prints: Iterable[str],
    folders: Sequence[str],
    columns: Mapping[str, NDArray[Any]],
    labels: Mapping[str, Any],
    chunks: Chunks,
) -> Iterator[bytes]:
    """Yield a page of a table.

    Parameters
    ----------
    about, options
        As in `write_clusters`.
    prints, folders : str
        Of each document its fingerprint, which tells it from others of its name, and its folder.
    columns, labels : mapping
        Numbers and texts of the table, ``names`` among them.
    chunks : Chunks
        The texts, and which characters occur.
    """
    numbers = {folder: i for i, folder in enumerate(dict.fromkeys(folders))}
    columns = {**columns, "folder": np.array([numbers[name] for name in folders], np.uint32)}
    labels = {**labels, "folders": list(numbers)}
    head = {
        "kind": options.kind,
        "simdup": __version__,
        "id": _identity(zip(labels["names"], prints, strict=True)),
        "command": options.command,
        "root": portable(os.getcwd()),
        "recipe": {},
        "kinds": [],
        "hint": "",
        "folds": _folds(chunks.characters),
        **about,
    }
    title = f"simdup: {shown(head['title'])}" if head["title"] else "simdup"
    style, script = _COMMENTS.sub("", _joined(STYLES)), joined_script(SCRIPTS)
    words = page_words(options.kind)
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
    packed = {"table": pack(columns), "names": script_json(labels).encode()}
    blocks = ((name, deflate(content)) for name, content in packed.items())
    texts = ((f"c{i}", block) for i, block in enumerate(chunks.blocks()))
    for name, content in chain(blocks, texts):
        yield b'<script type="application/octet-stream" id="%b">' % name.encode()
        yield content
        yield b"</script>\n"
    yield b"</body>\n</html>\n"


def _folds(occurs: NDArray[np.bool_]) -> list[str]:
    """Return the characters that occur and have simplified ones, and these side by side."""
    simplified = simplified_characters()
    codes = [code for code in sorted(simplified) if occurs[code]]
    return ["".join(map(chr, codes)), "".join(chr(simplified[code]) for code in codes)]


def _identity(documents: Iterable[tuple[str, str]]) -> str:
    """Return what tells a result from others: decisions are kept under it."""
    content = hashlib.blake2b(digest_size=8)
    for name, fingerprint in documents:
        content.update(f"{name}\0{fingerprint}\n".encode("utf-8", "backslashreplace"))
    return content.hexdigest()
