"""A SQLite file that is not trusted: transactions, limits, and errors in plain words.

SQLite does what it is best at: transactions that happen whole or not at all, whatever kills the
process or the machine, one writer beside many readers, and pages of a large file on demand.

The file is in SQLite's WAL mode: while someone writes, or reads, two more files exist beside it;
the last to close removes them.  A process that is killed leaves them behind, and the next to open
the file takes over what was committed and drops the rest.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from simdup.errors import SimdupError

# Seconds that a reader waits for another process that takes over what a killed one left.
RECOVERY = 5.0
DAMAGED_HINT = (
    "`Index.repair` writes what is intact to a new file; or build the index again from its sources"
)
# SQLite's instructions between two looks at how many a statement has taken, and how many it may
# take beside one for each byte of the file. A row takes some 5 and at least 6 bytes; a crafted tree
# whose branches share their leaves would take 2**60. 10**7 take a third of a second.
_STEP, _STEPS = 1_000_000, 10
# Python raises the second where a message of SQLite quotes a damaged schema.
_FAILURES = (sqlite3.Error, UnicodeDecodeError)


class Database:
    """An open SQLite file."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path = path  # as the user named it
        self._connection = connection
        self._steps = 0
        connection.set_progress_handler(self._count_steps, _STEP)

    def distrust(self) -> None:
        """Run nothing that the file brings along, and expect cells outside their pages."""
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON"):
            self.execute(f"PRAGMA {pragma}")
        # Python 3.12 can set it. A file that is being made needs what it forbids.
        if hasattr(self._connection, "setconfig"):
            self._connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # type: ignore[attr-defined,unused-ignore]

    def _count_steps(self) -> bool:
        """Count the instructions of a statement; tell whether they are too many."""
        self._steps += 1
        if self._steps <= _STEPS:
            return False
        try:
            return self._steps > _STEPS + os.path.getsize(self.path) // _STEP
        except OSError:
            return False  # it was moved while it is open

    def lacks_room(self) -> bool:
        """Tell whether the files that a reader needs beside this one cannot be made."""
        try:
            self._connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
        except _FAILURES as error:
            return _code(error) in (
                sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN,
            )  # fmt: skip
        return False

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
            self.execute("SELECT 1 FROM sqlite_schema LIMIT 1")
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
                except _FAILURES as error:
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

    def execute(self, statement: str, values: Iterable[object] = ()) -> list[Any]:
        """Return the rows that a statement gives."""
        return list(self.rows(statement, values))

    def rows(self, statement: str, values: Iterable[object] = ()) -> Iterator[Any]:
        """Yield the rows that a statement gives, as they are needed."""
        self._steps = 0
        try:
            yield from self._connection.execute(statement, tuple(values))
        except _FAILURES as error:
            raise self._error(error) from None

    def damaged(self, what: str) -> SimdupError:
        """Return the error for something in the file that is not as it was written."""
        return SimdupError(self.path, what, DAMAGED_HINT)

    def _error(self, error: Exception) -> SimdupError:
        """Return what SQLite reports in plain words."""
        code, words = _code(error), " ".join(str(error).split())
        if code == sqlite3.SQLITE_FULL:
            return SimdupError(self.path, "no space left; nothing was written", "make room")
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
            hint = "see its permissions, its folder's, and the space on its disk"
            return SimdupError(self.path, "cannot be written", hint)
        if code == sqlite3.SQLITE_BUSY:
            return SimdupError(self.path, "the index is locked by another process", "try again")
        if code == sqlite3.SQLITE_IOERR:
            return SimdupError(self.path, f"cannot be read or written ({words})", "see the disk")
        if code == sqlite3.SQLITE_INTERRUPT:
            return self.damaged("the index is damaged (its tables have no end)")
        return self.damaged(f"the index is damaged ({words})")


def _code(error: Exception) -> int:
    """Return SQLite's primary code of an error."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
