"""Creating and opening the file of an index."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import quote

from simdup.atomic import beside, sync
from simdup.errors import SimdupError, unreadable, unwritable
from simdup.index.storage import RECOVERY, Storage

# Bytes 68 to 71 of the file, and the number in bytes 60 to 63: SQLite leaves both to us.
APPLICATION = int.from_bytes(b"sdup", "big")
VERSION = 1

_MAGIC = b"SQLite format 3\0"
_SIDES = ("-wal", "-shm", "-journal")
_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE block (number INTEGER PRIMARY KEY, documents INTEGER NOT NULL);
CREATE TABLE part (
    kind TEXT NOT NULL, number INTEGER NOT NULL, checksum BLOB NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (kind, number)
);
"""


@contextmanager
def create_storage(path: str) -> Iterator[Storage]:
    """Create a file: it appears when everything went well, and never half.

    It raises if the path exists already, or the folder cannot be written.
    """
    if os.path.lexists(path):
        hint = "`Index.add` adds documents to it, or remove it first"
        raise SimdupError(path, "already exists", hint)
    with beside(path) as place:
        try:
            open(place, "xb").close()
        except OSError as error:
            raise unwritable(path, error) from None
        storage = Storage(path, _connect(place, "rw"))
        try:
            _prepare(storage)
            yield storage
            storage.execute("COMMIT")
            storage.execute("PRAGMA locking_mode = NORMAL")
            storage.execute("PRAGMA journal_mode = WAL")
        finally:
            storage.close()
            with suppress(OSError):
                _remove_sides(place)
        try:
            with open(place, "rb+") as stream:
                sync(stream)
            # What an earlier index of that name left behind must not be taken for this one's.
            _remove_sides(path)
        except OSError as error:
            raise unwritable(path, error) from None


def _prepare(storage: Storage) -> None:
    # Nobody else sees it yet: if this fails, the whole file is dropped.
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"):
        storage.execute(f"PRAGMA {pragma}")
    storage.execute(f"PRAGMA application_id = {APPLICATION}")
    storage.execute(f"PRAGMA user_version = {VERSION}")
    storage.execute("BEGIN")
    for statement in _SCHEMA.split(";"):
        storage.execute(statement)


def _remove_sides(path: str) -> None:
    for side in _SIDES:
        with suppress(FileNotFoundError):
            os.unlink(path + side)


def open_storage(path: str) -> Storage:
    """Open a file that `create_storage` made; raise if it cannot be read or is something else."""
    _check_head(path)
    folder = os.path.dirname(os.path.abspath(path))
    if os.access(path, os.W_OK) and os.access(folder, os.W_OK):
        mode = "rw"
    elif os.path.exists(path + "-wal"):
        mode = "ro"
    else:
        # Nobody can be writing here, and a reader could not announce itself.
        mode = "ro&immutable=1"
    storage = Storage(path, _connect(path, mode))
    try:
        storage.about()
    except BaseException:
        storage.close()
        raise
    return storage


def _connect(path: str, mode: str) -> sqlite3.Connection:
    place = "file:" + quote(os.fsencode(os.path.abspath(path))) + f"?mode={mode}"
    # Whoever holds the storage makes sure that one thread at a time uses it.
    return sqlite3.connect(
        place, uri=True, timeout=RECOVERY, isolation_level=None, check_same_thread=False
    )


def _check_head(path: str) -> None:
    """Look at the first bytes before SQLite touches the storage."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(100)
    except FileNotFoundError:
        raise SimdupError(path, "no such file", "`Index.build` makes an index") from None
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:
        raise SimdupError(path, "no such file") from None
    if not head.startswith(_MAGIC) or int.from_bytes(head[68:72], "big") != APPLICATION:
        raise SimdupError(path, "is not a simdup index", "`Index.build` makes one")
    version = int.from_bytes(head[60:64], "big")
    if version != VERSION:
        what = f"is an index of format {version}; this simdup only knows {VERSION}"
        raise SimdupError(path, what, "it was made by a newer simdup: update this one")
