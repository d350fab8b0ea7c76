"""One file that holds parts: bytes of a kind and a number, each with its checksum.

SQLite does what it is best at: transactions that are there whole or not at all, whatever kills the
process or the machine, one writer beside many readers, and pages of a large file on demand.  What
the parts mean is not known here, nor is numpy: a look into a file should not wait for its import.

A file is in SQLite's WAL mode: while someone writes, or reads, two more files stand beside it;
the last to close takes them away.  Whoever was killed leaves them, and the next to open the file
takes from them what was committed and forgets the rest.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import quote

from simdup.errors import SimdupError

# Bytes 68 to 71 of the file, and the number that stands in 60 to 63: SQLite leaves both to us.
APPLICATION = int.from_bytes(b"sdup", "big")
VERSION = 1

_MAGIC = b"SQLite format 3\0"
_CHECKSUM = 8  # bytes of BLAKE2b; a damaged part passes once in 2**64
_SIDES = ("-wal", "-shm", "-journal")
_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE block (number INTEGER PRIMARY KEY, documents INTEGER NOT NULL);
CREATE TABLE part (
    kind TEXT NOT NULL, number INTEGER NOT NULL, checksum BLOB NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (kind, number)
);
"""
# How long a reader waits for another process that takes over what a killed one left.
_RECOVERY = 5.0
_HINT = "simdup index check tells what is damaged; build it anew from its sources"


class File:
    """An open file of parts; `opened` and `created` give one.

    Attributes
    ----------
    path : str
        How the user named it.
    """

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def close(self) -> None:
        """Close the file; the last to do so leaves one file."""
        with suppress(sqlite3.Error):
            self._connection.close()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold on to one state of the file: what others write meanwhile is not seen."""
        if self._connection.in_transaction:
            yield
            return
        self._execute("BEGIN")
        try:
            # The first look fixes the state.
            self._execute("SELECT 1 FROM about LIMIT 1")
            yield
        finally:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, timeout: float, waiting: Callable[[str], None]) -> Iterator[None]:
        """Write: all of it appears at the end, or nothing if an exception ends it.

        Parameters
        ----------
        timeout : float
            Seconds to wait for another writer.
        waiting : callable
            Called once with a sentence before the waiting begins.

        Raises
        ------
        SimdupError
            If another writer does not end in time, or the file cannot be written.
        """
        self._begin(timeout, waiting)
        try:
            yield
            self._execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    def _begin(self, timeout: float, waiting: Callable[[str], None]) -> None:
        end = time.monotonic() + timeout
        told = False
        # SQLite would wait too, but without a word.
        self._execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    self._connection.execute("BEGIN IMMEDIATE")
                    return
                except sqlite3.Error as error:
                    if _code(error) != sqlite3.SQLITE_BUSY:
                        raise self._told(error) from None
                if time.monotonic() >= end:
                    raise SimdupError(
                        self.path,
                        f"another process is writing to it; waited {timeout:g} s",
                        "try again when it is done, or wait longer with --timeout",
                    )
                if not told:
                    waiting(f"another process is writing to it; waiting up to {timeout:g} s")
                    told = True
                time.sleep(0.05)
        finally:
            self._execute(f"PRAGMA busy_timeout = {int(_RECOVERY * 1000)}")

    def version(self) -> int:
        """Return a number that changes when another connection has written."""
        ((number,),) = self._execute("PRAGMA data_version")
        return int(number)

    def about(self) -> dict[str, str]:
        """Return the names and values that `tell` wrote."""
        return dict(self._execute("SELECT name, value FROM about"))

    def tell(self, name: str, value: str) -> None:
        """Write a value under a name."""
        self._execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def blocks(self) -> list[tuple[int, int]]:
        """Return the numbers of all blocks, rising, with how many documents each has."""
        return self._execute("SELECT number, documents FROM block ORDER BY number")

    def put_block(self, number: int, documents: int, parts: dict[str, bytes]) -> None:
        """Write a block's parts; without documents, take it away."""
        if not documents:
            self._execute("DELETE FROM block WHERE number = ?", (number,))
            self._execute(
                f"DELETE FROM part WHERE number = ? AND kind IN ({','.join('?' * len(parts))})",
                (number, *parts),
            )
            return
        self._execute("INSERT OR REPLACE INTO block VALUES (?, ?)", (number, documents))
        for kind, content in parts.items():
            self.put(kind, number, content)

    def put(self, kind: str, number: int, content: bytes) -> None:
        """Write a part."""
        self._execute(
            "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?)",
            (kind, number, _checksum(kind, number, content), content),
        )

    def get(self, kind: str, number: int) -> bytes:
        """Return a part.

        Raises
        ------
        SimdupError
            If it is missing or damaged.
        """
        for _, content in self._parts(kind, "AND number = ?", (number,)):
            return content
        raise SimdupError(self.path, f"part {kind} {number} is missing", _HINT)

    def has(self, kind: str) -> bool:
        """Tell whether there is a part of a kind."""
        return bool(self._execute("SELECT 1 FROM part WHERE kind = ? LIMIT 1", (kind,)))

    def parts(self, kind: str) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers and contents of all parts of a kind, by number; see `get`."""
        return self._parts(kind, "ORDER BY number", ())

    def _parts(
        self, kind: str, clause: str, values: tuple[object, ...]
    ) -> Iterator[tuple[int, bytes]]:
        statement = f"SELECT number, checksum, content FROM part WHERE kind = ? {clause}"
        try:
            for number, checksum, content in self._connection.execute(statement, (kind, *values)):
                if checksum != _checksum(kind, number, content):
                    raise SimdupError(self.path, f"part {kind} {number} is damaged", _HINT)
                yield number, content
        except sqlite3.Error as error:
            raise self._told(error) from None

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the file itself or with the checksum of a part."""
        try:
            for (said,) in self._connection.execute("PRAGMA integrity_check(10)"):
                if said != "ok":
                    yield " ".join(said.split())
            for kind, number in self._connection.execute("SELECT kind, number FROM part"):
                try:
                    self.get(kind, number)
                except SimdupError as error:
                    yield error.what
        except sqlite3.Error as error:
            yield self._told(error).what

    def _execute(self, statement: str, values: Iterable[object] = ()) -> list[Any]:
        try:
            return self._connection.execute(statement, tuple(values)).fetchall()
        except sqlite3.Error as error:
            raise self._told(error) from None

    def _told(self, error: sqlite3.Error) -> SimdupError:
        """Say what SQLite says in a person's words."""
        code = _code(error)
        if code == sqlite3.SQLITE_FULL:
            return SimdupError(self.path, "no space left; nothing was written", "make room")
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
            return SimdupError(self.path, "cannot be written", "see its permissions, its folder's")
        if code == sqlite3.SQLITE_BUSY:
            return SimdupError(self.path, "another process is at work on it", "try again")
        if code == sqlite3.SQLITE_IOERR:
            return SimdupError(self.path, f"cannot be read or written ({error})", "see the disk")
        return SimdupError(self.path, f"the index is damaged ({error})", _HINT)


@contextmanager
def created(path: str) -> Iterator[File]:
    """Make a file: it appears when all went well, and never half.

    Raises
    ------
    SimdupError
        If something is there already, or the folder cannot be written.
    """
    if os.path.lexists(path):
        raise SimdupError(
            path, "is there already", f"simdup index add {path} SOURCE..., or remove it first"
        )
    try:
        handle, beside = tempfile.mkstemp(
            prefix=".simdup-", dir=os.path.dirname(os.path.abspath(path))
        )
    except OSError as error:
        raise SimdupError(path, (error.strerror or "cannot be written").lower()) from None
    os.close(handle)
    file = File(path, _connected(beside, "rw"))
    try:
        # Nobody else sees it yet: if this fails, it is thrown away as a whole.
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"):
            file._execute(f"PRAGMA {pragma}")
        file._execute(f"PRAGMA application_id = {APPLICATION}")
        file._execute(f"PRAGMA user_version = {VERSION}")
        file._execute("BEGIN")
        for statement in _SCHEMA.split(";"):
            file._execute(statement)
        yield file
        file._execute("COMMIT")
        file._execute("PRAGMA locking_mode = NORMAL")
        file._execute("PRAGMA journal_mode = WAL")
        file.close()
        _move(beside, path)
    except BaseException:
        file.close()
        for side in ("", *_SIDES):
            with suppress(OSError):
                os.unlink(beside + side)
        raise


def _move(beside: str, path: str) -> None:
    mask = os.umask(0)
    os.umask(mask)
    try:
        with open(beside, "rb+") as stream:
            os.fsync(stream.fileno())
        os.chmod(beside, 0o666 & ~mask)
        # What an index of that name left behind must not be taken for this one's.
        for side in _SIDES:
            with suppress(FileNotFoundError):
                os.unlink(path + side)
        os.replace(beside, path)
    except OSError as error:
        raise SimdupError(path, (error.strerror or "cannot be written").lower()) from None


def opened(path: str) -> File:
    """Open a file that `created` made.

    Raises
    ------
    SimdupError
        If it cannot be read, is something else, or comes from a later version.
    """
    _check_head(path)
    folder = os.path.dirname(os.path.abspath(path))
    if os.access(path, os.W_OK) and os.access(folder, os.W_OK):
        mode = "rw"
    elif os.path.exists(path + "-wal"):
        mode = "ro"
    else:
        # Nobody can be writing here, and a reader could not leave word that it reads.
        mode = "ro&immutable=1"
    file = File(path, _connected(path, mode))
    try:
        file.about()
    except BaseException:
        file.close()
        raise
    return file


def _connected(path: str, mode: str) -> sqlite3.Connection:
    place = "file:" + quote(os.fsencode(os.path.abspath(path))) + f"?mode={mode}"
    # The user of a `File` sees to it that one thread at a time is at it.
    return sqlite3.connect(
        place, uri=True, timeout=_RECOVERY, isolation_level=None, check_same_thread=False
    )


def _check_head(path: str) -> None:
    """Look at the first bytes before SQLite touches the file."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(100)
    except FileNotFoundError:
        raise SimdupError(
            path, "no such file", f"make an index with: simdup index build {path} SOURCE..."
        ) from None
    except OSError as error:
        raise SimdupError(path, (error.strerror or "cannot be read").lower()) from None
    except ValueError:
        raise SimdupError(path, "no such file") from None
    if not head.startswith(_MAGIC) or int.from_bytes(head[68:72], "big") != APPLICATION:
        raise SimdupError(path, "is no simdup index", "one comes from: simdup index build")
    version = int.from_bytes(head[60:64], "big")
    if version != VERSION:
        raise SimdupError(
            path,
            f"is an index of format {version}, but this simdup knows {VERSION} only",
            "it was made by a newer simdup: update this one",
        )


def _checksum(kind: str, number: int, content: bytes) -> bytes:
    """Return the checksum of a part; one in another's place does not pass either."""
    state = hashlib.blake2b(f"{kind} {number} ".encode(), digest_size=_CHECKSUM)
    state.update(content)
    return state.digest()


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary code of an error."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
