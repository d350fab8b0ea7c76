"""What a repair must save: the blocks that SQLite still reads as they were written."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

from lab.breaking.commands import Ran
from simdup.index.columns import SECTIONS

# Keys are made from names, and stand in for lost contents.
_NEEDED = frozenset(SECTIONS) - {"keys", "contents"}
# More than an index of the campaign has.
_BLOCKS, _ROWS = 10, 200


def read_sections(path: str, files: dict[str, bytes]) -> Ran:
    """Return what SQLite reads of an index, section by section, as something that was said.

    The frame decides whether a file is taken for an index at all: its header, the beginnings of the
    files beside it, and its schema.
    """
    frame: list[Any] = [(side, one[: 4 if side else 100].hex()) for side, one in files.items()]
    sections: dict[str, str] = {}
    blocks: list[Any] = []
    with closing(sqlite3.connect(path)) as file:
        with suppress(sqlite3.Error):
            frame += file.execute("SELECT name, rootpage, sql FROM sqlite_schema").fetchall()
            blocks += file.execute("SELECT number, documents FROM block ORDER BY 1").fetchall()
        for where, values in _ways():
            with suppress(sqlite3.Error):
                rows = file.execute(
                    f"SELECT kind, number, checksum, content FROM part {where}", values
                )
                for kind, number, *written in rows:
                    digest = hashlib.md5(repr(written).encode()).hexdigest()
                    sections.setdefault(f"{kind} {number}", digest)
    known = {"frame": frame, "sections": sections, "blocks": blocks}
    return Ran(0, json.dumps(known, default=repr), "")


def _ways() -> Iterator[tuple[str, tuple[object, ...]]]:
    for kind in ("recipe", "manifest", *SECTIONS):
        for number in range(_BLOCKS):
            yield "WHERE kind = ? AND number = ?", (kind, number)
    for row in range(_ROWS):
        yield "NOT INDEXED WHERE rowid = ?", (row,)


def promised(right: Ran, found: Ran, export: list[str]) -> list[str]:
    """Return the lines of an export that a repair of a damaged index must save.

    `right` is what SQLite reads of the intact index, `found` what it reads of the damaged one.
    """
    one, other = json.loads(right.out), json.loads(found.out)
    same = {name for name, _ in one["sections"].items() & other["sections"].items()}
    # With another manifest, the sections of this state are not those of the index.
    if one["frame"] != other["frame"] or not {"recipe 0", "manifest 0"} <= same:
        return []
    head, *lines = export
    kept, start = [head], 0
    for number, documents in one["blocks"]:
        if {f"{kind} {number}" for kind in _NEEDED} <= same:
            kept += lines[start : start + documents]
        start += documents
    return kept if len(kept) > 1 else []
