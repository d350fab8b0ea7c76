"""A SQLite file that is not trusted: transactions, limits, and errors in plain words.

SQLite provides what it is best at: atomic transactions, even if the process or the machine dies;
one writer together with many readers; and pages of a large file on demand.

The file is in SQLite's WAL mode: while a process has it open, two more files exist beside it; the
last process to close the file removes them.  A killed process leaves them behind.  The next process
to open the file keeps what was committed and drops the rest.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from simdup.base.errors import SimdupError

# Seconds that a reader waits while another process recovers what a killed one left.
RECOVERY = 5.0
REBUILD = "build the index again from its sources"
DAMAGED_HINT = f"{REBUILD}; `Index.export` prints the names and fingerprints that are intact"
# SQLite instructions between two checks of how many a statement has executed, and how many it may
# execute in addition to one for each byte of the file. A row takes about 5 instructions and at
# least 6 bytes; a crafted tree whose branches share their leaves would take 2**60. 10**7
# instructions take a third of a second.
_STEP, _STEPS = 1_000_000, 10
# Characters of a sentence about damage.
_MOST_WORDS = 200
# Python raises the second one if a message of SQLite quotes a damaged schema.
_FAILURES = (sqlite3.Error, UnicodeDecodeError)


class Database:
    """An open SQLite file."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path = path  # as the user named it
        self._connection = connection
        self._steps = 0
        connection.set_progress_handler(self._count_steps, _STEP)

    def distrust(self) -> None:
        """Run no code from the file, and check for cells outside their pages."""
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON"):
            self.execute(f"PRAGMA {pragma}")
        # Python 3.12 can set it. Creating a file needs what it forbids.
        if hasattr(self._connection, "setconfig"):
            self._connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # type: ignore[attr-defined,unused-ignore]

    def _count_steps(self) -> bool:
        """Count the instructions of a statement; return whether they are too many."""
        self._steps += 1
        if self._steps <= _STEPS:
            return False
        try:
            return self._steps > _STEPS + os.path.getsize(self.path) // _STEP
        except OSError:
            return False  # it was moved while open

    def lacks_room(self) -> bool:
        """Return whether the files that a reader needs beside this one cannot be created."""
        try:
            self._connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        except _FAILURES as error:
            return _code(error) in (
                sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN,
            )  # fmt: skip
        return False

    def close(self) -> None:
        """Close the file; the last process to do so leaves a single file."""
        with suppress(sqlite3.Error):
            self._connection.close()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read one state of the file: what others write meanwhile is not visible."""
        if self._connection.in_transaction:
            yield
            return
        self.execute("BEGIN")
        try:
            # The first query determines the state.
            self.execute("SELECT 1 FROM sqlite_schema LIMIT 1")
            yield
        finally:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, timeout: float, waiting: Callable[[str], None]) -> Iterator[None]:
        """Write: everything is committed at the end, or nothing if an exception is raised.

        This waits for another writer; before that, it calls `waiting` once with a sentence.

        Raises
        ------
        SimdupError
            If the other writer does not finish within `timeout` seconds, or the file cannot be
            written.
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
                except _FAILURES as error:
                    if _code(error) != sqlite3.SQLITE_BUSY:
                        raise explain(self.path, error) from None
                if time.monotonic() >= end:
                    raise SimdupError(
                        self.path,
                        f"another process is writing to it; waited {timeout:g} s",
                        "try again when it is done, or increase `timeout`",
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

    def execute(self, statement: str, values: Iterable[object] = ()) -> list[Any]:
        """Return the rows of a statement."""
        return list(self.rows(statement, values))

    def rows(self, statement: str, values: Iterable[object] = ()) -> Iterator[Any]:
        """Yield the rows of a statement on demand."""
        self._steps = 0
        try:
            # `yield from` would close the cursor, and that may be after the file was closed.
            for row in self._connection.execute(statement, tuple(values)):  # noqa: UP028
                yield row
        except _FAILURES as error:
            raise explain(self.path, error) from None

    def damaged(self, what: str) -> SimdupError:
        """Return the error for a damaged part of the file."""
        # It may quote the file.
        return SimdupError(self.path, what[:_MOST_WORDS], DAMAGED_HINT)


def explain(path: str, error: Exception) -> SimdupError:
    """Return an error of SQLite in plain words."""
    code, words = _code(error), " ".join(str(error).split())
    if code == sqlite3.SQLITE_FULL:
        return SimdupError(path, "no space left; nothing was written", "free some disk space")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        hint = "check the permissions of the file and its folder, and the free disk space"
        return SimdupError(path, "cannot be written", hint)
    if code == sqlite3.SQLITE_BUSY:
        return SimdupError(path, "the index is locked by another process", "try again")
    if code == sqlite3.SQLITE_IOERR:
        return SimdupError(path, f"cannot be read or written ({words})", "check the disk")
    if code == sqlite3.SQLITE_INTERRUPT:
        return SimdupError(path, "the index is damaged (endless tables)", DAMAGED_HINT)
    return SimdupError(path, f"the index is damaged ({words})", DAMAGED_HINT)


def _code(error: Exception) -> int:
    """Return SQLite's primary code of an error."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
