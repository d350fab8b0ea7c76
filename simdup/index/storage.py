"""The file of an index: bytes with a kind and a number, each with its checksum, in SQLite.

SQLite provides what it is best at: atomic transactions, even if the process or the machine dies;
one writer together with many readers; and pages of a large file on demand.  The file is not
trusted: there are limits to what a statement may do, and errors become plain words.

It is in SQLite's WAL mode: while a process has it open, two more files exist beside it; the last
process to close the file removes them.  A killed process leaves them behind.  The next process to
open the file keeps what was committed and drops the rest.

One section lists all others, so that a missing one is noticed as a damaged one is.  A checksum also
depends on the kind, the number and the change that wrote the section, and the list has that change:
what is in a wrong place, or left over from an earlier change, has the wrong checksum.

This module does not know what the sections mean, and does not import numpy, so that `index info` is
fast.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from simdup.base.errors import SimdupError
from simdup.base.when_used import pattern

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
# The kind of the section that lists the others. Its number is 0, like that of all sections that
# belong to no block.
LIST = "list"
# No index has as many blocks, and no block as many documents.
_MOST = 1 << 32
# The description of a file: two times and a version. They are printed as they are, so they must not
# drive the terminal.
_DESCRIBED = {"created", "changed", "simdup"}
_PLAIN = pattern("[!-~]{1,60}")


@dataclass(slots=True)
class SectionList:
    """What a file contains: its description, its blocks, and its other sections."""

    about: dict[str, str] = field(default_factory=dict)
    change: int = 0  # the number of the last change
    # The number of documents of each block, and the change that wrote it, by ascending number.
    blocks: dict[int, tuple[int, int]] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)  # the change that wrote each kind

    @classmethod
    def read(cls, content: bytes) -> SectionList:
        """Read what `write` returned; raise ValueError if it is invalid."""
        try:
            values: dict[str, Any] = json.loads(content)
            listed = cls(**values | {"blocks": {}})
            last = 0
            for number, documents, change in values["blocks"]:
                if not (last < number < _MOST and 0 < documents < _MOST):
                    raise ValueError("no block")
                listed.blocks[number] = documents, change
                last = number
            numbers = [listed.change, *listed.others.values()]
            numbers += [one for number, pair in listed.blocks.items() for one in (number, *pair)]
            described = listed.about.keys() == _DESCRIBED
            described = described and all(map(_PLAIN.fullmatch, listed.about.values()))
        except (TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(str(error)) from None
        if not described or {*map(type, numbers)} != {int}:
            raise ValueError("no list")
        return listed

    def write(self) -> bytes:
        """Return the content of the section."""
        blocks = [(number, *self.blocks[number]) for number in sorted(self.blocks)]
        values = {"about": self.about, "change": self.change, "blocks": blocks}
        return json.dumps(values | {"others": self.others}).encode()

    def find(self, kind: str, number: int) -> int | None:
        """Return the change that wrote a section, or None if there is no such section."""
        if number:
            return self.blocks.get(number, (0, None))[1]
        return 0 if kind == LIST else self.others.get(kind)


class Storage:
    """An open file of sections; see `open_storage` and `create_storage`."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path = path  # as the user named it
        self._connection = connection
        self._steps = 0
        self._known: tuple[int, SectionList] | None = None  # with the version of the file
        self._dirty = False  # whether the list still has to be written
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
            self.seal()
            self.execute("COMMIT")
        except BaseException:
            self._known, self._dirty = None, False
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

    # -- the list of sections ----------------------------------------------------------------------

    @property
    def changed(self) -> bool:
        """Whether this transaction has written anything so far."""
        return self._dirty

    def begin_empty(self) -> None:
        """Begin the list of a new file, which has none yet."""
        self._known = self.version(), SectionList()

    def seal(self) -> None:
        """Write the list; call it last in a transaction."""
        if self._dirty:
            self._put(LIST, 0, self._listed().write())
            self._dirty = False

    def _listed(self) -> SectionList:
        version = self.version()
        if self._known is None or self._known[0] != version:
            content = self._get(LIST, 0, 0)
            try:
                listed = SectionList.read(content)
            except ValueError:
                raise self.damaged("the list of its sections is damaged") from None
            self._known = version, listed
        return self._known[1]

    def _changed(self) -> SectionList:
        """Return the list, in order to change it."""
        listed = self._listed()
        if not self._dirty:
            listed.change += 1
            self._dirty = True
        return listed

    # -- what the file says about itself -----------------------------------------------------------

    def about(self) -> dict[str, str]:
        """Return the names and values that `set` wrote."""
        with self.reading():
            return self._listed().about

    def set(self, name: str, value: str) -> None:
        """Write a value under a name."""
        self._changed().about[name] = value

    def blocks(self) -> list[tuple[int, int]]:
        """Return the numbers of all blocks, ascending, with how many documents each has."""
        with self.reading():
            return [(number, pair[0]) for number, pair in self._listed().blocks.items()]

    def documents(self, number: int) -> int:
        """Return how many documents a block has."""
        return self._listed().blocks[number][0]

    def has(self, kind: str) -> bool:
        """Return whether there is a section of a kind that belongs to no block."""
        with self.reading():
            return kind in self._listed().others

    # -- sections ----------------------------------------------------------------------------------

    def put(self, kind: str, content: bytes) -> None:
        """Write a section that belongs to no block."""
        listed = self._changed()
        listed.others[kind] = listed.change
        self._put(kind, 0, content)

    def put_block(self, number: int, documents: int, sections: dict[str, bytes]) -> None:
        """Write the sections of a block; without documents, remove it."""
        listed = self._changed()
        if documents:
            listed.blocks[number] = documents, listed.change
        else:
            listed.blocks.pop(number, None)
        for kind, content in sections.items():
            if documents:
                self._put(kind, number, content)
            else:
                self.execute("DELETE FROM section WHERE kind = ? AND number = ?", (kind, number))

    def _put(self, kind: str, number: int, content: bytes) -> None:
        checksum = make_checksum(kind, number, self._listed().find(kind, number), content)
        values = kind, number, checksum, content
        self.execute("INSERT OR REPLACE INTO section VALUES (?, ?, ?, ?)", values)

    def get(self, kind: str, number: int = 0) -> bytes:
        """Return a section, or raise if it is missing or damaged."""
        with self.reading():
            return self._get(kind, number, self._listed().find(kind, number))

    def _get(self, kind: str, number: int, change: int | None) -> bytes:
        statement = "SELECT checksum, content FROM section WHERE kind = ? AND number = ?"
        for checksum, content in self.execute(statement, (kind, number)):
            return self._intact(kind, number, change, checksum, content)
        raise self.damaged(f"section {kind} {number} is missing")

    def sections(self, kind: str) -> Iterator[bytes]:
        """Yield the contents of the sections of a kind, of one block after the other; see `get`."""
        statement = "SELECT number, checksum, content FROM section WHERE kind = ? ORDER BY number"
        rows = self.rows(statement, (kind,))
        # One statement for all takes half the time of one for each.
        for number, (_, change) in self._listed().blocks.items():
            found, checksum, content = next(rows, (None, None, None))
            if found != number:
                raise self.damaged(f"section {kind} {number} is missing")
            yield self._intact(kind, number, change, checksum, content)

    def _intact(
        self, kind: str, number: int, change: int | None, checksum: object, content: object
    ) -> bytes:
        """Return the content of a section, or raise if it is not as it was written."""
        if not isinstance(content, bytes) or (
            change is None or checksum != make_checksum(kind, number, change, content)
        ):
            raise self.damaged(f"section {kind} {number} is damaged")
        return content

    def faults(self, kinds: int) -> Iterator[str]:
        """Yield what is wrong with the file as such; each block has so many kinds of sections."""
        for (words,) in self.rows("PRAGMA integrity_check(10)"):
            yield from (line for line in words.splitlines() if line[:3] not in ("ok", "***"))
        for kind in self._listed().others:
            try:
                self.get(kind)
            except SimdupError as error:
                yield error.what
        listed = 1 + len(self._listed().others) + kinds * len(self._listed().blocks)
        # Row by row: `count(*)` is one instruction, however many rows there are.
        if sum(1 for _ in self.rows("SELECT 1 FROM section")) != listed:
            yield "has other sections than its list"


def make_checksum(kind: str, number: int, change: int | None, content: bytes) -> int:
    """Return the checksum of a section: CRC-32 of its content and of what it is.

    It finds all damage within 32 bits, and misses other damage once in 2**32 sections.  A stronger
    hash would take half the time of a query: 10**6 documents have 137 MB of sections to check, for
    which CRC-32 takes 0.03 s, and BLAKE2b 0.14 s.
    """
    return zlib.crc32(content, zlib.crc32(f"{kind} {number} {change} ".encode()))


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
