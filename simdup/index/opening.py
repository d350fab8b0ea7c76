"""Create and open the file of an index, and tell what it says about itself, all without numpy."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from simdup.base.atomic import beside
from simdup.base.errors import NEWER, SimdupError, unreadable, unwritable
from simdup.base.regular_files import open_regular
from simdup.corpus.files import APPLICATION, is_index, split_indexes
from simdup.index.storage import DAMAGED_HINT, REBUILD, RECOVERY, Storage, explain
from simdup.model.shared_passages import LONGEST_RUN, SHORTEST_RUN

# The number in bytes 60 to 63 of the file, which SQLite leaves to applications.
VERSION = 3

_SIDES = ("-wal", "-shm", "-journal")
_MAGIC_OF_SIDES = {"-wal": (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")}
_JOURNAL = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
# Bytes 18 and 19 of the file: an index has a log beside it; other files of SQLite have a journal.
_HAS_LOG, _HAS_JOURNAL = b"\2\2", b"\1\1"
_SCHEMA = """
CREATE TABLE section (
    kind TEXT NOT NULL, number INTEGER NOT NULL, checksum INTEGER NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (kind, number)
)
"""


@contextmanager
def create_storage(path: str) -> Iterator[Storage]:
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
        storage = Storage(path, _connect(place, "rw", path))
        try:
            _prepare(storage)
            yield storage
            storage.seal()
            storage.execute("COMMIT")
            storage.execute("PRAGMA locking_mode = NORMAL")
            storage.execute("PRAGMA journal_mode = WAL")
        finally:
            storage.close()
            with suppress(OSError):
                _remove_sides(place)
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


def _prepare(storage: Storage) -> None:
    # Nobody else sees the file yet: if this fails, all of it is dropped.
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"):
        storage.execute(f"PRAGMA {pragma}")
    storage.execute(f"PRAGMA application_id = {APPLICATION}")
    storage.execute(f"PRAGMA user_version = {VERSION}")
    storage.execute("BEGIN")
    storage.execute(_SCHEMA)
    storage.begin_empty()


def _remove_sides(path: str) -> None:
    for side in _SIDES:
        with suppress(FileNotFoundError):
            os.unlink(path + side)


def without_indexes(references: Iterable[str]) -> list[str]:
    """Return some paths.

    Raises
    ------
    SimdupError
        If one is an index, whose texts are needed.
    """
    indexes, others = split_indexes(references)
    for path in indexes:
        what = "is an index: it has no texts that passages could be found in"
        raise SimdupError(path, what, "name the documents themselves as `references`")
    return others


def open_storage(path: str) -> Storage:
    """Open a file that `create_storage` made; raise if it cannot be read or is not an index."""
    head = _check_head(path)
    # SQLite would undo what the journal of another file lists.
    journals = (_JOURNAL,) if head[18:20] == _HAS_JOURNAL else ()
    _check_sides(path, _MAGIC_OF_SIDES | {"-journal": journals})
    folder = os.path.dirname(os.path.abspath(path))
    writable = os.access(path, os.W_OK) and os.access(folder, os.W_OK)
    storage = _distrusted(path, "rw" if writable else _ALONE if _is_alone(path) else "ro")
    # SQLite's files beside it must not stay if a signal arrives.
    try:
        full = shutil.disk_usage(folder).free < _ROOM
        if writable and _is_alone(path) and (full or storage.lacks_room()):
            storage.close()
            storage = _distrusted(path, _ALONE)
        _check_schema(storage)
    except BaseException:
        storage.close()
        raise
    return storage


# Nobody can be writing, and a reader could not register itself.
_ALONE = "ro&immutable=1"
# Bytes that a reader needs for its shared memory, with a margin.
_ROOM = 1 << 16


def _distrusted(path: str, mode: str) -> Storage:
    storage = Storage(path, _connect(path, mode, path))
    try:
        storage.distrust()
    except BaseException:
        storage.close()
        raise
    return storage


def _is_alone(path: str) -> bool:
    """Return whether the index is a single file at the moment."""
    try:
        return os.path.getsize(path + "-wal") == 0
    except OSError:
        return True


def _check_sides(path: str, magics_of_sides: dict[str, tuple[bytes, ...]]) -> None:
    """Raise if a file beside an index does not belong to it, because SQLite would remove it."""
    for side, magics in magics_of_sides.items():
        try:
            with open(path + side, "rb") as stream:
                head = stream.read(8)
        except OSError:
            continue
        # An interrupted write may leave zeros.
        if head.strip(b"\0") and not head.startswith(magics):
            raise SimdupError(
                path + side, "is in the way of the index: it does not belong to it", "move it"
            )


def _check_schema(storage: Storage) -> None:
    """Raise if there are tables that `create_storage` does not make, or views, or triggers."""
    # One more than there should be: rows may be repeated, and others follow them.
    most = len(_SCHEMA_ROWS) + 1
    rows = storage.execute(f"SELECT type, name, tbl_name, sql FROM sqlite_schema LIMIT {most}")
    found = {(*row[:3], _flatten(row[3])) for row in rows}
    if len(rows) == most or found != _SCHEMA_ROWS:
        raise storage.damaged("has tables that do not belong to a simdup index")


def _flatten(statement: object) -> str:
    return " ".join(str(statement or "").split())


_SCHEMA_ROWS = {
    ("table", "section", "section", _flatten(_SCHEMA)),
    ("index", "sqlite_autoindex_section_1", "section", ""),
}


def _connect(path: str, mode: str, name: str) -> sqlite3.Connection:
    """Open a file with SQLite; errors call it by `name`."""
    place = "file:" + quote(os.fsencode(os.path.abspath(path))) + f"?mode={mode}"
    try:
        # The owner of the storage ensures that only one thread at a time uses it.
        return sqlite3.connect(
            place, uri=True, timeout=RECOVERY, isolation_level=None, check_same_thread=False
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
        hint = NEWER if version > VERSION else REBUILD
        raise SimdupError(path, what, hint)
    if head[18:20] not in (_HAS_LOG, _HAS_JOURNAL):
        # SQLite would refuse to write, as if permissions were missing.
        raise SimdupError(path, "the index is damaged (its header)", DAMAGED_HINT)
    return head


# -- facts -----------------------------------------------------------------------------------------

# More bytes than any recipe needs.
_MOST_BITS = 1 << 12


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
    min_run: int | None


def read_stored(storage: Storage) -> dict[str, Any]:
    """Return the stored recipe: ``fields``, ``resolved``, and ``model_documents``."""
    content = storage.get("recipe")
    try:
        stored: dict[str, Any] = json.loads(content)
        resolved, fields = stored["resolved"], stored["fields"]
        fits = (
            isinstance(resolved["digest"], str)
            and isinstance(resolved["bits"], int)
            and 0 < resolved["bits"] <= _MOST_BITS
            and isinstance(stored["model_documents"], int | None)
            and (fields is None or {*fields, "idf"} <= set(resolved))
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        fits = False
    if not fits:
        raise storage.damaged("its recipe is damaged")
    return stored


def read_min_run(storage: Storage) -> int | None:
    """Return the least run of the passages that an index finds, or None without texts."""
    if not storage.has("passages"):
        return None
    # `simdup.index.passage_index` has the whole section.
    run = int.from_bytes(storage.get("passages")[:8], "little")
    if not SHORTEST_RUN <= run <= LONGEST_RUN:
        raise storage.damaged("section passages 0 is damaged")
    return run


def index_info(storage: Storage) -> IndexInfo:
    """Return facts about an open index."""
    stored = read_stored(storage)
    with storage.reading():
        about = storage.about()
        documents = sum(documents for _, documents in storage.blocks())
    return IndexInfo(
        path=storage.path,
        documents=documents,
        bytes=os.path.getsize(storage.path),
        created=about["created"],
        changed=about["changed"],
        simdup=about["simdup"],
        recipe=stored["resolved"],
        model_documents=stored["model_documents"],
        min_run=read_min_run(storage),
    )
