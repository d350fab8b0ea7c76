"""One file that holds sections: bytes of a kind and a number, each with its checksum.

SQLite does what it is best at: transactions that happen whole or not at all, whatever kills the
process or the machine, one writer beside many readers, and pages of a large file on demand.  This
file knows neither what the sections mean nor numpy: a look into an index should not wait for that
import.

The file is in SQLite's WAL mode: while someone writes, or reads, two more files exist beside it;
the last to close removes them.  A process that is killed leaves them behind, and the next to open
the file takes over what was committed and drops the rest.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from simdup.errors import SimdupError

_CHECKSUM = 8  # bytes of BLAKE2b; a damaged part passes once in 2**64
# Seconds that a reader waits for another process that takes over what a killed one left.
RECOVERY = 5.0
_HINT = "`Index.check` tells what is damaged; build the index again from its sources"


class Storage:
    """An open file of sections; see `open_storage` and `create_storage`."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path = path  # as the user named it
        self._connection = connection

    def close(self) -> None:
        """Close the file; the last to do so leaves a single file."""
        with suppress(sqlite3.Error):
            self._connection.close()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Keep to one state of the file: what others write meanwhile is not seen."""
        if self._connection.in_transaction:
            yield
            return
        self.execute("BEGIN")
        try:
            # The first query fixes the state.
            self.execute("SELECT 1 FROM about LIMIT 1")
            yield
        finally:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, timeout: float, waiting: Callable[[str], None]) -> Iterator[None]:
        """Write: everything appears at the end, or nothing if an exception is raised.

        Another writer is waited for; `waiting` is called once with a sentence before that.

        Raises
        ------
        SimdupError
            If it does not finish within the `timeout` (seconds), or the file cannot be written.
        """
        self._begin(timeout, waiting)
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    def _begin(self, timeout: float, waiting: Callable[[str], None]) -> None:
        end = time.monotonic() + timeout
        announced = False
        # SQLite would wait too, but silently.
        self.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    self._connection.execute("BEGIN IMMEDIATE")
                    return
                except sqlite3.Error as error:
                    if _code(error) != sqlite3.SQLITE_BUSY:
                        raise self._error(error) from None
                if time.monotonic() >= end:
                    raise SimdupError(
                        self.path,
                        f"another process is writing to it; waited {timeout:g} s",
                        "try again when it is done, or raise the `timeout`",
                    )
                if not announced:
                    waiting(f"another process is writing to it; waiting up to {timeout:g} s")
                    announced = True
                time.sleep(0.05)
        finally:
            self.execute(f"PRAGMA busy_timeout = {int(RECOVERY * 1000)}")

    def version(self) -> int:
        """Return a number that changes when another connection has written."""
        ((number,),) = self.execute("PRAGMA data_version")
        return int(number)

    def about(self) -> dict[str, str]:
        """Return the names and values that `set` wrote."""
        return dict(self.execute("SELECT name, value FROM about"))

    def set(self, name: str, value: str) -> None:
        """Write a value under a name."""
        self.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def blocks(self) -> list[tuple[int, int]]:
        """Return the numbers of all blocks, rising, with how many documents each has."""
        return self.execute("SELECT number, documents FROM block ORDER BY number")

    def put_block(self, number: int, documents: int, sections: dict[str, bytes]) -> None:
        """Write a block's sections; without documents, remove it."""
        if not documents:
            self.execute("DELETE FROM block WHERE number = ?", (number,))
            self.execute(
                f"DELETE FROM part WHERE number = ? AND kind IN ({','.join('?' * len(sections))})",
                (number, *sections),
            )
            return
        self.execute("INSERT OR REPLACE INTO block VALUES (?, ?)", (number, documents))
        for kind, content in sections.items():
            self.put(kind, number, content)

    def put(self, kind: str, number: int, content: bytes) -> None:
        """Write a section."""
        self.execute(
            "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?)",
            (kind, number, _checksum(kind, number, content), content),
        )

    def get(self, kind: str, number: int) -> bytes:
        """Return a section, or raise if it is missing or damaged."""
        for _, content in self.sections(kind, number):
            return content
        raise SimdupError(self.path, f"section {kind} {number} is missing", _HINT)

    def has(self, kind: str) -> bool:
        """Tell whether there is a section of a kind."""
        return bool(self.execute("SELECT 1 FROM part WHERE kind = ? LIMIT 1", (kind,)))

    def sections(self, kind: str, only: int | None = None) -> Iterator[tuple[int, bytes]]:
        """Yield the numbers and contents of the sections of a kind, by number; see `get`."""
        statement = "SELECT number, checksum, content FROM part WHERE kind = ?"
        statement += " ORDER BY number" if only is None else " AND number = ?"
        values = (kind,) if only is None else (kind, only)
        try:
            for number, checksum, content in self._connection.execute(statement, values):
                if checksum != _checksum(kind, number, content):
                    raise SimdupError(self.path, f"section {kind} {number} is damaged", _HINT)
                yield number, content
        except sqlite3.Error as error:
            raise self._error(error) from None

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the file itself or with the checksum of a section."""
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
            yield self._error(error).what

    def execute(self, statement: str, values: Iterable[object] = ()) -> list[Any]:
        """Return the rows that a statement gives."""
        try:
            return self._connection.execute(statement, tuple(values)).fetchall()
        except sqlite3.Error as error:
            raise self._error(error) from None

    def _error(self, error: sqlite3.Error) -> SimdupError:
        """Return what SQLite reports in plain words."""
        code = _code(error)
        if code == sqlite3.SQLITE_FULL:
            return SimdupError(self.path, "no space left; nothing was written", "make room")
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
            return SimdupError(self.path, "cannot be written", "see its permissions, its folder's")
        if code == sqlite3.SQLITE_BUSY:
            return SimdupError(self.path, "the index is locked by another process", "try again")
        if code == sqlite3.SQLITE_IOERR:
            return SimdupError(self.path, f"cannot be read or written ({error})", "see the disk")
        return SimdupError(self.path, f"the index is damaged ({error})", _HINT)


def _checksum(kind: str, number: int, content: bytes) -> bytes:
    """Return a section's checksum, which differs for the same bytes in another place."""
    state = hashlib.blake2b(f"{kind} {number} ".encode(), digest_size=_CHECKSUM)
    state.update(content)
    return state.digest()


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary code of an error."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
