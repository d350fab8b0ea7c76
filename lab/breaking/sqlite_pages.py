"""Where a SQLite file has what: its header, its trees, the contents of its cells, free pages."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

PAGE = 4096
_INNER, _LEAVES = (2, 5), (10, 13)


def find_areas(path: Path) -> dict[str, list[range]]:
    """Return where each area of a SQLite file is, page by page."""
    content = path.read_bytes()
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as file:
        roots = [row[0] for row in file.execute("SELECT rootpage FROM sqlite_schema")]
    free = _free_pages(content)
    trees = _tree_pages(content, [1, *roots])
    areas: dict[str, list[range]] = {
        "file header": [range(100)], "page headers": [], "cells": [],
        "links of contents": [], "contents": [], "free pages": [],
    }  # fmt: skip
    for page in range(1, len(content) // PAGE + 1):
        start = (page - 1) * PAGE
        if page in free:
            areas["free pages"] += [range(start, start + PAGE)]
        elif page in trees:
            head, cells = _parts(content, page)
            areas["page headers"] += [head]
            areas["cells"] += [cells]
        else:
            areas["links of contents"] += [range(start, start + 4)]
            areas["contents"] += [range(start + 4, start + PAGE)]
    return areas


def _number(content: bytes, at: int, size: int) -> int:
    return int.from_bytes(content[at : at + size], "big")


def _head(page: int) -> int:
    """Return where the header of a page of a tree starts."""
    return 100 if page == 1 else (page - 1) * PAGE


def _parts(content: bytes, page: int) -> tuple[range, range]:
    """Return the header of a page of a tree with the places of its cells, and the cells."""
    head, end = _head(page), page * PAGE
    size = 12 if content[head] in _INNER else 8
    return (
        range(head, head + size + 2 * _number(content, head + 3, 2)),
        range((page - 1) * PAGE + _number(content, head + 5, 2), end),
    )


def _tree_pages(content: bytes, roots: list[int]) -> set[int]:
    found, waiting = set[int](), list(roots)
    while waiting:
        page = waiting.pop()
        if page in found:
            continue
        found.add(page)
        head, start = _head(page), (page - 1) * PAGE
        if content[head] in _INNER:
            cells = range(head + 12, head + 12 + 2 * _number(content, head + 3, 2), 2)
            waiting += (_number(content, start + _number(content, at, 2), 4) for at in cells)
            waiting.append(_number(content, head + 8, 4))
        elif content[head] not in _LEAVES:
            raise AssertionError(f"page {page} is not part of a tree")
    return found


def _free_pages(content: bytes) -> set[int]:
    found, trunk = set[int](), _number(content, 32, 4)
    while trunk:
        start = (trunk - 1) * PAGE
        leaves = range(start + 8, start + 8 + 4 * _number(content, start + 4, 4), 4)
        found |= {trunk, *(_number(content, at, 4) for at in leaves)}
        trunk = _number(content, start, 4)
    return found
