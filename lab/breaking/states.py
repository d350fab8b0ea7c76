"""What a folder holds, so that it can be compared with what it should hold after a fault."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sqlite3
import stat
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

# How long a run took: it differs.
_SECONDS = re.compile(rb'("seconds": ?)[0-9.e-]+')
_DATES = re.compile(rb"\d{4}-\d\d-\d\dT[0-9:.+]+")
_INDEX = b"SQLite format 3\0"
_SIDES = ("-wal", "-shm", "-journal")

# Each path below the folder, and what is there: its kind, its mode, a digest of its content.
Files = dict[str, str]


@dataclass(frozen=True)
class State:
    """What is in a folder.

    Attributes
    ----------
    files : Files
        What must be right. Of an index, its rows: its pages may lie in any order.
    leftovers : tuple of str
        What a run should have removed.
    rest : tuple of str
        What else the next run could be influenced by.
    """

    files: Files
    leftovers: tuple[str, ...]
    rest: tuple[str, ...]

    def of(self, target: str) -> Files:
        """Return a target, with all that is in it."""
        return {p: what for p, what in self.files.items() if p.split(os.sep)[0] == target}

    def beside(self, targets: tuple[str, ...]) -> Files:
        """Return what is not part of a target."""
        return {p: what for p, what in self.files.items() if p.split(os.sep)[0] not in targets}


def look(folder: Path) -> State:
    """Return the state of a folder without changing it."""
    files: Files = {}
    leftovers, rest = list[str](), list[str]()
    for place, folders, names in os.walk(folder):
        below = os.path.relpath(place, folder)
        for name in sorted([*folders, *names]):
            path, full = os.path.normpath(os.path.join(below, name)), os.path.join(place, name)
            if name.startswith(".simdup-") or (
                is_side(full) and os.path.exists(full.rpartition("-")[0])
            ):
                leftovers.append(path)
            elif path.split(os.sep)[0] == "tmp":
                rest.append(name)
            else:
                files[path], pages = _describe(full)
                rest += [pages] if pages else []
        folders[:] = sorted(name for name in folders if not name.startswith(".simdup-"))
    return State(files, tuple(leftovers), tuple(rest))


def is_side(path: str) -> bool:
    """Return whether a file is one of those that SQLite keeps beside an index while it is open."""
    return path.endswith(_SIDES)


def _describe(path: str) -> tuple[str, str]:
    """Return what is at a path, and a digest of the bytes of an index."""
    status = os.lstat(path)
    mode, pages = f"{stat.S_IMODE(status.st_mode):o}", ""
    if stat.S_ISLNK(status.st_mode):
        return f"link to {os.readlink(path)}", ""
    if not stat.S_ISREG(status.st_mode):
        return f"folder {mode}", ""
    content = Path(path).read_bytes()
    if content.startswith(_INDEX):
        content, pages = _rows(path), _digest(content)
    content = _SECONDS.sub(rb"\1", content)
    return f"file {mode} {_digest(content)}", pages


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _rows(path: str) -> bytes:
    """Return what a reader finds in an index: pages may lie in any order, and in its journal."""
    with tempfile.TemporaryDirectory() as folder:
        for side in ("", *_SIDES):
            if os.path.exists(path + side):
                shutil.copy(path + side, os.path.join(folder, "index" + side))
        try:
            with closing(sqlite3.connect(os.path.join(folder, "index"))) as database:
                checked = database.execute("PRAGMA integrity_check").fetchall()
                tables = ("about ORDER BY name", "block ORDER BY number", "part ORDER BY 1, 2")
                rows = [database.execute(f"SELECT * FROM {t}").fetchall() for t in tables]
        except sqlite3.Error as error:
            return f"damaged: {error}".encode()
    return _DATES.sub(b"date", repr((checked, rows)).encode())


def differences(files: Files, wanted: Files) -> str:
    """Return how one state differs from another, in a few words."""
    words = []
    for path in sorted(files.keys() | wanted.keys()):
        if files.get(path) != wanted.get(path):
            words.append(f"{path}: {files.get(path)} instead of {wanted.get(path)}")
    return "; ".join(words)
