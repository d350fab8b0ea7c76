"""Names of documents: as bytes, escaped for one line, and those of records.

In memory a name is a `str` whose undecodable bytes are surrogate escapes (PEP 383), as
`os.fsdecode` returns it; in files and pipes it is bytes.
"""

from __future__ import annotations

import os
from itertools import accumulate

from simdup.base.system import portable
from simdup.base.when_used import pattern

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_BACK = {escape: character for character, escape in _ESCAPES.items()}
_ESCAPED = pattern(r"\\[\\nrt]")
_ARCHIVE = ".zip"


def to_bytes(name: str) -> bytes:
    """Return the bytes of a name as in a file system that uses UTF-8."""
    return name.encode("utf-8", "surrogateescape")


def from_bytes(name: bytes) -> str:
    """Return the name that these bytes spell; `to_bytes` is the inverse."""
    return name.decode("utf-8", "surrogateescape")


def list_entry(name: str) -> bytes:
    """Return the bytes of a name as `read_list` reads them: a path as in the file system.

    They differ from `to_bytes` if the locale is not UTF-8.
    """
    try:
        return os.fsencode(name)
    except UnicodeEncodeError:  # a record's own name
        return to_bytes(name)


def escape(name: str, characters: str) -> str:
    r"""Escape those of `characters` (out of \\, \\n, \\r, \\t) in a name."""
    for character in characters:
        name = name.replace(character, _ESCAPES[character])
    return name


def unescape(name: str) -> str:
    """Undo `escape`."""
    return _ESCAPED.sub(lambda match: _BACK[match[0]], name)


def split_address(source: str) -> tuple[str, str] | None:
    """Return the file and the record that a source names; None where there is no such file.

    Both may have a ``#`` in their names: the longest path that is a file wins.
    """
    end = source.rfind("#", 0, len(source) - 1)
    while end > 0:
        if os.path.isfile(source[:end]):
            return source[:end], source[end + 1 :]
        end = source.rfind("#", 0, end)
    return None


def is_archive(path: str) -> bool:
    """Return whether a file is an archive, by its suffix."""
    return path[-len(_ARCHIVE) :].lower() == _ARCHIVE


def split_member(source: str) -> tuple[str, str] | None:
    """Return the archive and the name in it, of a SOURCE that does not exist itself."""
    parts = portable(source).split("/")
    for path in accumulate(parts[:-1], "{}/{}".format):
        if is_archive(path) and os.path.isfile(path):
            return source[: len(path)], source[len(path) + 1 :]
    return None


def without_address(source: str) -> str:
    """Return the file that a source names or addresses a record of."""
    found = None if "#" not in source or os.path.lexists(source) else split_address(source)
    return source if found is None else found[0]


class NameRegistry:
    """Decides the name of each document of a run, in input order.

    A file keeps its name, and so does a record that is named by its place (``path#N``).  A record
    with its own name keeps it if no earlier record has the same; otherwise it is named by its
    place, which is unique.  Texts passed from Python keep their ids.

    An index also knows documents from earlier runs.  A record that has not changed since must keep
    its name, because the index stores it under that name: see `reserve`.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._reserved: set[str] = set()

    def assign(self, name: str, path: str, record: int) -> tuple[str, str]:
        """Return the name for a document, and a note if it differs from its own name."""
        if not _is_named_record(name, path, record):
            return name, ""
        if name not in self._taken:
            self._taken.add(name)
            return name, ""
        place = f"{path}#{record}"
        self._taken.add(place)
        return place, f"duplicate name {name!r}; using the file and record number instead"

    def reserve(self, name: str, path: str, record: int) -> bool:
        """Reserve the name under which an index stores an unchanged record.

        Return False if a changed record of this run already has that name; then this document must
        be added again under another name.  Unchanged records may share a name: the index stores
        them once.
        """
        if not _is_named_record(name, path, record) or name in self._reserved:
            return True
        if name in self._taken:
            return False
        self._taken.add(name)
        self._reserved.add(name)
        return True


def _is_named_record(name: str, path: str, record: int) -> bool:
    """Return whether a document is a record of a file with its own name."""
    return record > 0 and path != "" and name != f"{path}#{record}"
