"""The file of an index: blobs in SQLite, and a head that lists them.

SQLite provides transactions that are whole or not at all, one writer beside many readers, and pages
on demand.  The file is not trusted: there are limits to what a statement may do, and errors become
plain words.  It is in SQLite's WAL mode: while a process has it open, two more files exist beside
it; the last process to close the file removes them.  Those of a killed process serve the next one.

A blob has a number, which is used once.  The head, blob 0, has the size and the checksum of all
others, and its own checksum in front.  So what is missing, exchanged or left over from an earlier
change is noticed as what is damaged is.

This module does not know what blobs mean, and does not import numpy, so that `index info` is fast.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from simdup._version import __version__
from simdup.base.atomic import beside
from simdup.base.errors import NEWER, SimdupError, unreadable, unwritable
from simdup.base.regular_files import open_regular
from simdup.base.when_used import pattern
from simdup.corpus.files import APPLICATION, is_index
from simdup.model.criteria import INDEX_METHODS
from simdup.model.shared_passages import LONGEST_RUN, SHORTEST_RUN

# The number in bytes 60 to 63 of the file, which SQLite leaves to applications.
VERSION = 4
REBUILD = "build the index again from its sources"
DAMAGED_HINT = f"{REBUILD}; `Index.export` prints the names and fingerprints that are intact"
# Seconds that a writer waits for another one, and a reader for one that recovers the log.
TIMEOUT, _RECOVERY = 60.0, 5.0

_SCHEMA = "CREATE TABLE blob (number INTEGER PRIMARY KEY, content BLOB NOT NULL)"
_SIDES = ("-wal", "-shm", "-journal")
_LOGS = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_JOURNAL = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
# Bytes 18 and 19 of the file: an index has a log beside it; other files of SQLite have a journal.
_HAS_LOG, _HAS_JOURNAL = b"\2\2", b"\1\1"
# Nobody can be writing, and a reader could not register itself.
_ALONE = "ro&immutable=1"
# Bytes that a reader needs for its shared memory, with a margin.
_ROOM = 1 << 16
# SQLite instructions between two checks of how many a statement has executed, and how many it may
# execute in addition to one for each byte of the file: a crafted tree whose branches share their
# leaves would take 2**60. 10**7 instructions take a third of a second.
_STEP, _STEPS = 1_000_000, 10
# Python raises the second one if a message of SQLite quotes a damaged schema.
_FAILURES = (sqlite3.Error, UnicodeDecodeError)
_RIGHTS = "check the permissions of the file and its folder, and the free disk space"
_EXPLAINED = {
    sqlite3.SQLITE_FULL: ("no space left; nothing was written", "free some disk space"),
    sqlite3.SQLITE_READONLY: ("cannot be written", _RIGHTS),
    sqlite3.SQLITE_PERM: ("cannot be written", _RIGHTS),
    sqlite3.SQLITE_CANTOPEN: ("cannot be written", _RIGHTS),
    sqlite3.SQLITE_BUSY: ("the index is locked by another process", "try again"),
    sqlite3.SQLITE_IOERR: ("cannot be read or written ({})", "check the disk"),
}
# No index has as many blobs, and no segment as many documents.
_MOST = 1 << 32
# More bits than any recipe needs.
_MOST_BITS = 1 << 12
# The description is printed as it is, so it must not drive the terminal.
_DESCRIBED, _PLAIN = {"created", "changed", "simdup"}, pattern("[!-~]{1,60}")
_CHECKSUM = 4  # bytes in front of the head


def keep_silent(what: str) -> None:
    """Wait silently."""


class Patience(NamedTuple):
    """How to wait for another writer."""

    timeout: float = TIMEOUT  # seconds to wait
    waiting: Callable[[str], None] = keep_silent  # called with a sentence before a wait begins


class Blob(NamedTuple):
    """A blob as the head has it."""

    number: int
    size: int
    checksum: int


class Entry(NamedTuple):
    """A segment as the head has it: its documents, and a blob for each column."""

    rows: int
    gone: int  # how many of them are removed: the column ``gone`` has which
    columns: dict[str, Blob]

    @property
    def key(self) -> tuple[Blob | None, ...]:
        """What tells it from all others: blobs are written once."""
        return self.columns.get("name_key"), self.columns.get("gone")

    @property
    def live(self) -> int:
        """How many documents there are."""
        return self.rows - self.gone

    @property
    def size(self) -> int:
        """About how many bytes these take."""
        return sum(blob.size for blob in self.columns.values()) * self.live // self.rows


class Head(NamedTuple):
    """What a file has: its description, its segments, and blobs that belong to none."""

    about: dict[str, str]
    next: list[int]  # the number of the next blob
    blobs: dict[str, Blob]
    segments: list[Entry]

    @classmethod
    def read(cls, content: bytes) -> Head:
        """Read what `write` returned; raise if it is invalid."""
        body = content[_CHECKSUM:]
        if zlib.crc32(body) != int.from_bytes(content[:_CHECKSUM], "little"):
            raise ValueError("another checksum")
        about, following, blobs, segments = json.loads(body)
        entries = [Entry(rows, gone, _blobs(each)) for rows, gone, each in segments]
        head = cls(about, following, _blobs(blobs), entries)
        numbers = [*head.next, *(number for blob in head.every() for number in blob)]
        numbers += [number for entry in entries for number in entry[:2]]
        fits = about.keys() == _DESCRIBED and all(map(_PLAIN.fullmatch, about.values()))
        if not fits or {*map(type, numbers)} != {int} or len(following) != 1:
            raise ValueError("no head")
        if not (0 <= min(numbers) <= max(numbers) < _MOST and all(one.live > 0 for one in entries)):
            raise ValueError("no numbers of documents")
        return head

    def write(self) -> bytes:
        """Return the content of blob 0."""
        body = json.dumps(self, separators=(",", ":")).encode()
        return zlib.crc32(body).to_bytes(_CHECKSUM, "little") + body

    def every(self) -> list[Blob]:
        """Return all blobs but the head."""
        each = [self.blobs, *(entry.columns for entry in self.segments)]
        return [blob for blobs in each for blob in blobs.values()]


def _blobs(values: dict[str, Any]) -> dict[str, Blob]:
    return {name: Blob(*blob) for name, blob in values.items()}


def make_checksum(number: int, content: bytes) -> int:
    """Return the checksum of a blob: CRC-32 of its number and its content.

    It finds all damage within 32 bits, and misses other damage once in 2**32 blobs.  A stronger
    hash would take half the time of a query: 10**6 documents have 137 MB to check, for which CRC-32
    takes 0.03 s, and BLAKE2b 0.14 s.
    """
    return zlib.crc32(content, zlib.crc32(str(number).encode()))


class IndexFile:
    """An open file of blobs; see `open_file` and `create_file`."""

    def __init__(self, path: str, connection: sqlite3.Connection) -> None:
        self.path = path  # as the user named it
        self._connection = connection
        self._steps = 0
        self._head: tuple[int, Head] | None = None  # with the version of the file
        self.dirty = False  # whether the head still has to be written
        connection.set_progress_handler(self._count_steps, _STEP)

    def distrust(self) -> None:
        """Run no code from the file, check for cells outside their pages, and check its tables."""
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON"):
            self.execute(f"PRAGMA {pragma}")
        # Python 3.12 can set it. Creating a file needs what it forbids.
        if hasattr(self._connection, "setconfig"):
            self._connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # type: ignore[attr-defined,unused-ignore]
        # One row more than there should be: the one may be repeated, and others follow it.
        rows = self.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema LIMIT 2")
        if rows != [("table", "blob", "blob", _SCHEMA)]:
            raise self.damaged("has tables that do not belong to a simdup index")

    def _count_steps(self) -> bool:
        """Count the instructions of a statement; return whether they are too many."""
        self._steps += 1
        if self._steps <= _STEPS:
            return False
        try:
            return self._steps > _STEPS + os.path.getsize(self.path) // _STEP
        except OSError:
            return False  # it was moved while open

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
            # The first query determines the state; what tells the version of a file is none.
            self.execute("SELECT 1 FROM sqlite_schema LIMIT 1")
            self._read_head()
            yield
        finally:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, patience: Patience) -> Iterator[None]:
        """Write: everything is committed at the end, or nothing if an exception is raised.

        Raises
        ------
        SimdupError
            If another writer does not finish in time, or the file cannot be written.
        """
        self._begin(patience)
        try:
            self._read_head()
            yield
            if self.dirty:
                self.head.about["changed"] = now()
                self.execute("INSERT OR REPLACE INTO blob VALUES (0, ?)", self.head.write())
            self.execute("COMMIT")
            self.dirty = False
        except BaseException:
            self._head, self.dirty = None, False
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise

    def _begin(self, patience: Patience) -> None:
        """Begin to write; another writer is waited for in short steps, which a signal may end."""
        end, announced, timeout = time.monotonic() + patience.timeout, False, patience.timeout
        self.execute("PRAGMA busy_timeout = 0")
        while True:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                break
            except _FAILURES as error:
                if _code(error) != sqlite3.SQLITE_BUSY:
                    raise explain(self.path, error) from None
            if time.monotonic() >= end:
                what = f"another process is writing to it; waited {timeout:g} s"
                hint = "try again when it is done, or increase `timeout`"
                raise SimdupError(self.path, what, hint)
            if not announced:
                what = f"another process is writing to it; waiting up to {timeout:g} s"
                patience.waiting(what)
                self.execute("PRAGMA busy_timeout = 50")
                announced = True
        self.execute(f"PRAGMA busy_timeout = {int(_RECOVERY * 1000)}")

    def version(self) -> int:
        """Return a number that changes when another connection has written."""
        ((number,),) = self.execute("PRAGMA data_version")
        return int(number)

    def execute(self, statement: str, *values: object) -> list[Any]:
        """Return the rows of a statement."""
        self._steps = 0
        try:
            return self._connection.execute(statement, values).fetchall()
        except _FAILURES as error:
            raise explain(self.path, error) from None

    def damaged(self, what: str) -> SimdupError:
        """Return the error for a damaged part of the file."""
        # It may quote the file.
        return SimdupError(self.path, what[:200], DAMAGED_HINT)

    @property
    def head(self) -> Head:
        """What the file has at the moment."""
        # In a transaction it was read at the beginning.
        if self._head is None or not self._connection.in_transaction:
            self._read_head()
        assert self._head is not None
        return self._head[1]

    def _read_head(self) -> None:
        version = self.version()
        if self._head is not None and self._head[0] == version:
            return
        for (content,) in self.execute("SELECT content FROM blob WHERE number = 0"):
            with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
                self._head = version, Head.read(content)
                return
        raise self.damaged("the head is damaged")

    def begin(self) -> None:
        """Make the table of a new file, and its head."""
        self.execute(_SCHEMA)
        made = now()
        about = {"created": made, "changed": made, "simdup": __version__}
        self._head, self.dirty = (self.version(), Head(about, [1], {}, [])), True

    def put(self, content: bytes) -> Blob:
        """Write a blob."""
        self.dirty, number = True, self.head.next.pop()
        self.head.next.append(number + 1)
        self.execute("INSERT INTO blob VALUES (?, ?)", number, content)
        return Blob(number, len(content), make_checksum(number, content))

    def drop(self, *blobs: Blob) -> None:
        """Remove blobs."""
        self.dirty = True
        for blob in blobs:
            self.execute("DELETE FROM blob WHERE number = ?", blob.number)

    def get(self, blob: Blob, what: str) -> bytes:
        """Return the content of a blob, or raise if it is missing or damaged."""
        rows = self.execute("SELECT content FROM blob WHERE number = ?", blob.number)
        if not rows:
            raise self.damaged(f"{what} is missing")
        content = rows[0][0]
        if not isinstance(content, bytes) or blob.checksum != make_checksum(blob.number, content):
            raise self.damaged(f"{what} is damaged")
        return content

    def set(self, name: str, content: bytes) -> None:
        """Write a blob that belongs to no segment, in place of the one of this name."""
        before = self.head.blobs.get(name)
        self.head.blobs[name] = self.put(content)
        if before is not None:
            self.drop(before)

    def named(self, name: str) -> bytes:
        """Return a blob that belongs to no segment, or raise if it is missing or damaged."""
        with self.reading():
            if (blob := self.head.blobs.get(name)) is None:
                raise self.damaged(f"part {name} is missing")
            return self.get(blob, f"part {name}")

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the file as such."""
        for (words,) in self.execute("PRAGMA integrity_check(10)"):
            yield from (line for line in words.splitlines() if line[:3] not in ("ok", "***"))
        for name in self.head.blobs:
            try:
                self.named(name)
            except SimdupError as error:
                yield error.what
        # Row by row: `count(*)` is one instruction, however many rows there are.
        if len(self.execute("SELECT 1 FROM blob")) != 1 + len(self.head.every()):
            yield "has other blobs than its head lists"


# -- creating and opening --------------------------------------------------------------------------


@contextmanager
def create_file(path: str) -> Iterator[IndexFile]:
    """Create a file; it appears only when it is complete.

    Raise if the path already exists, if it appears meanwhile, or if the folder cannot be written.
    """
    if os.path.lexists(path):
        hint = "`Index.add` adds documents to it; or remove it first"
        raise SimdupError(path, "already exists", hint)
    _refuse_sides(path)
    with beside(path, replace=False) as place:
        try:
            open(place, "xb").close()
        except OSError as error:
            raise unwritable(path, error) from None
        file = IndexFile(path, _connect(place, "rw", path))
        try:
            # Nobody else sees the file yet: if this fails, all of it is dropped.
            for pragma in (
                "journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE",
                f"application_id = {APPLICATION}", f"user_version = {VERSION}",
            ):  # fmt: skip
                file.execute(f"PRAGMA {pragma}")
            file.begin()
            with file.writing(Patience()):
                yield file
            file.execute("PRAGMA locking_mode = NORMAL")
            file.execute("PRAGMA journal_mode = WAL")
        finally:
            file.close()
            for side in _SIDES:
                with suppress(OSError):
                    os.unlink(place + side)
        _refuse_sides(path)


def _refuse_sides(path: str) -> None:
    """Raise if there is a file that SQLite would take for its own, and remove."""
    if os.path.lexists(path):
        return  # they are those of an index that appeared; it is refused for itself
    for side in _SIDES:
        if os.path.lexists(path + side):
            raise SimdupError(
                path + side,
                "is in the way: SQLite needs this name beside the index",
                "move it, or choose another name for the index; an earlier index may have left it",
            )


def open_file(path: str) -> IndexFile:
    """Open a file that `create_file` made; raise if it cannot be read or is not an index."""
    head = _check_head(path)
    _check_side(path + "-wal", _LOGS)
    # SQLite would undo what the journal of another file lists.
    _check_side(path + "-journal", (_JOURNAL,) if head[18:20] == _HAS_JOURNAL else ())
    folder = os.path.dirname(os.path.abspath(path))
    writable, alone = os.access(path, os.W_OK) and os.access(folder, os.W_OK), _is_alone(path)
    full = alone and shutil.disk_usage(folder).free < _ROOM
    modes = ["rw"] if writable and not full else []
    # On a full disk the files that a reader needs beside this one cannot be made.
    modes += [_ALONE] if alone else [] if writable else ["ro"]
    while True:
        file = IndexFile(path, _connect(path, modes.pop(0), path))
        # SQLite's files beside it must not stay if a signal arrives.
        try:
            file.distrust()
            return file
        except BaseException as error:
            file.close()
            if not (modes and isinstance(error, SimdupError)):
                raise


def _is_alone(path: str) -> bool:
    """Return whether the index is a single file at the moment."""
    try:
        return os.path.getsize(path + "-wal") == 0
    except OSError:
        return True


def _check_side(side: str, magics: tuple[bytes, ...]) -> None:
    """Raise if a file beside an index does not belong to it, because SQLite would remove it."""
    with suppress(OSError), open(side, "rb") as stream:
        head = stream.read(8)
        # An interrupted write may leave zeros.
        if head.strip(b"\0") and not head.startswith(magics):
            what = "is in the way of the index: it does not belong to it"
            raise SimdupError(side, what, "move it")


def _connect(path: str, mode: str, name: str) -> sqlite3.Connection:
    """Open a file with SQLite; errors call it by `name`."""
    place = "file:" + quote(os.fsencode(os.path.abspath(path))) + f"?mode={mode}"
    try:
        # The owner of the file ensures that only one thread at a time uses it.
        return sqlite3.connect(
            place, uri=True, timeout=_RECOVERY, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise explain(name, error) from None


def _check_head(path: str) -> bytes:
    """Check and return the first bytes before SQLite opens the file."""
    try:
        with open_regular(path) as stream:
            head = stream.read(100)
    except FileNotFoundError:
        raise SimdupError(path, "no such file", "`Index.build` creates an index") from None
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:
        raise SimdupError(path, "no such file") from None
    if not is_index(head):
        raise SimdupError(path, "is not a simdup index", "`Index.build` creates one")
    version = int.from_bytes(head[60:64], "big")
    if version != VERSION:
        what = f"is an index of format {version}; this simdup only reads format {VERSION}"
        raise SimdupError(path, what, NEWER if version > VERSION else REBUILD)
    if head[18:20] not in (_HAS_LOG, _HAS_JOURNAL):
        # SQLite would refuse to write, as if permissions were missing.
        raise SimdupError(path, "the index is damaged (its header)", DAMAGED_HINT)
    return head


def explain(path: str, error: Exception) -> SimdupError:
    """Return an error of SQLite in plain words."""
    code, words = _code(error), " ".join(str(error).split())
    if code in _EXPLAINED:
        what, hint = _EXPLAINED[code]
        return SimdupError(path, what.format(words), hint)
    what = "endless tables" if code == sqlite3.SQLITE_INTERRUPT else words
    return SimdupError(path, f"the index is damaged ({what})", DAMAGED_HINT)


def _code(error: Exception) -> int:
    """Return SQLite's primary code of an error."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def now() -> str:
    """Return the time, in UTC and ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


# -- facts -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """Facts about an index.

    Attributes
    ----------
    path : str
        The file.
    documents, bytes : int
        The number of documents, and the size of the file.
    created, changed : str
        Times in UTC and ISO 8601.
    simdup : str
        The version of simdup that created it.
    recipe : dict
        The resolved recipe; for fingerprint lines only digest and bits.
    model_documents : int or None
        How many documents its own IDF model was learned from; None if it has no model.
    method : str
        The method that it was built for: ``auto``, ``simhash`` or ``minhash``.
    min_run : int or None
        The least run of the passages that are found in its texts, or None without these.
    """

    path: str
    documents: int
    bytes: int
    created: str
    changed: str
    simdup: str
    recipe: dict[str, Any]
    model_documents: int | None
    method: str
    min_run: int | None


def index_info(file: IndexFile) -> IndexInfo:
    """Return facts about an open index."""
    with file.reading():
        stored, run = read_recipe(file), read_min_run(file)
        documents = sum(entry.live for entry in file.head.segments)
        size, about = os.path.getsize(file.path), file.head.about
    return IndexInfo(
        file.path, documents, size, about["created"], about["changed"], about["simdup"],
        stored["resolved"], stored["model_documents"], stored["method"], run,
    )  # fmt: skip


def read_recipe(file: IndexFile) -> dict[str, Any]:
    """Return the stored recipe: ``fields``, ``resolved``, ``model_documents``, and ``method``."""
    content = file.named("recipe")
    try:
        stored: dict[str, Any] = json.loads(content)
        resolved, fields = stored["resolved"], stored["fields"]
        fits = (
            isinstance(resolved["digest"], str)
            and isinstance(resolved["bits"], int)
            and 0 < resolved["bits"] <= _MOST_BITS
            and isinstance(stored["model_documents"], int | None)
            and stored["method"] in INDEX_METHODS
            and (fields is None or {*fields, "idf"} <= set(resolved))
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        fits = False
    if not fits:
        raise file.damaged("its recipe is damaged")
    return stored


def read_min_run(file: IndexFile) -> int | None:
    """Return the least run of the passages that an index finds, or None without texts."""
    if "passages" not in file.head.blobs:
        return None
    # `simdup.index.passages` has the whole blob.
    run = int.from_bytes(file.named("passages")[:8], "little")
    if not SHORTEST_RUN <= run <= LONGEST_RUN:
        raise file.damaged("part passages is damaged")
    return run
