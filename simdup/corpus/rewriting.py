"""Write a corpus again: records left out, fields added to each, or spans cut out of the texts.

Lines and elements that stay are kept byte for byte.  The fields say in which cluster each record
is, and what it is there.

A folder is filled in a work folder and appears as a whole.  If the target already has files (and
may be written to), they are replaced one by one, atomically, once everything is ready.  If a SOURCE
vanishes or changes meanwhile, the files that it would have replaced stay.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.base.atomic import (
    beside,
    entries,
    make_folders,
    move_folder,
    sync_path,
    walk,
    work_folder,
    writes_into,
)
from simdup.base.errors import SimdupError, unwritable
from simdup.base.regular_files import open_regular
from simdup.base.system import move, sync, unlink
from simdup.corpus.batches import open_content
from simdup.corpus.compression import compress, detect_compression
from simdup.corpus.delimited import DELIMITERS, Dialect, Table, dialect_of
from simdup.corpus.files import ARCHIVE, File, difference
from simdup.corpus.json_text import Elements, Outside, parse_json, split_array
from simdup.corpus.lines import LinePart, Lines, Oversized, Row, whole_lines
from simdup.corpus.parquet import add_columns, column_names, copy_rows
from simdup.corpus.record_batches import BLANK, is_blank, keeps_ascii
from simdup.model.documents import Skipped
from simdup.model.settings import Progress, Reading, no_progress

# Why a file may keep what is to go.
UNREAD = "it was not read to its end, and is kept whole"
# Bytes between two words on how much was written.
_SAID = 1 << 20


class Note(NamedTuple):
    """What is added to a record; the names are those of the fields."""

    cluster: int | None = None  # its number; None for a document in no cluster
    role: str | None = None  # ``unique`` for a document in no cluster; None for no document
    kept: str | None = None  # the name of the document that is kept instead
    similarity: float | None = None  # to that one
    measure: str | None = None  # what that is


NO_DOCUMENT = Note()
UNIQUE = Note(role="unique")
# The type of each field, and what is in a line of JSON that has one of them.
_COLUMNS = {"cluster": int, "role": str, "kept": str, "similarity": float, "measure": str}
_MARKS = tuple(f'"{name}"'.encode() for name in Note._fields)


@dataclass(frozen=True, slots=True)
class Annotations:
    """What is added to the records of a file."""

    file: File
    notes: Mapping[int, Note]  # by the numbers of records in clusters
    documents: NDArray[np.int64]  # the numbers of all records that took part, ascending
    encoding: str  # of the file; empty for UTF-8
    dialect: Dialect | None = None  # of CSV

    def of(self, number: int) -> Note:
        """Return the note on a record."""
        found = self.notes.get(number)
        if found is not None:
            return found
        i = int(np.searchsorted(self.documents, number))
        known = i < len(self.documents) and self.documents[i] == number
        return UNIQUE if known else NO_DOCUMENT

    def change(self, number: int, raw: bytes, row: Row) -> bytes:
        """Return the bytes of a record with its note; a broken record is kept as it is.

        Raises
        ------
        SimdupError
            If a record has a field of the same name, or a row other fields than the header.
        """
        if self.dialect:
            return self._row(number, raw, row, self.dialect)
        return self._json(number, raw)

    def change_table(self, source: IO[bytes], target: IO[bytes]) -> None:
        """Write all rows with a column for each field."""
        self.require_free(column_names(source))
        add_columns(source, target, self.of, _COLUMNS)

    def change_text(self, content: bytes) -> bytes:
        """Return the text: `require_records` refuses what has no fields."""
        return content

    def _json(self, number: int, raw: bytes) -> bytes:
        body = raw.rstrip(BLANK)
        note = self.of(number)
        if note is NO_DOCUMENT or b"\\u" in raw or any(mark in raw for mark in _MARKS):
            values = self._values(body)
            if not isinstance(values, dict):
                return raw
            self.require_free(values, number)
        added = json.dumps(note._asdict())[1:]
        # The bytes of an object end with its bracket, whatever the encoding.
        head = body[:-1]
        comma = b"" if head.rstrip(BLANK).endswith(b"{") else b", "
        return head + comma + added.encode() + raw[len(body) :]

    def _values(self, body: bytes) -> Any:
        try:
            return parse_json(body.lstrip(b"," + BLANK).decode(self.encoding or "utf-8-sig"))
        except ValueError:
            return None

    def _row(self, number: int, raw: bytes, row: Row, dialect: Dialect) -> bytes:
        body = raw.rstrip(b"\0\r\n")
        cells: Sequence[Any] = self.of(number)
        if not number:
            self.require_free(row if isinstance(row, list) else (), number)
            cells = Note._fields
        elif not isinstance(row, list) or len(row) != len(dialect.columns):
            where = f"{self.file.path}#{number}"
            what = "has not as many fields as there are columns, and cannot be annotated"
            raise SimdupError(where, what, "correct it first")
        added = dialect.record(["" if cell is None else cell for cell in cells], "backslashreplace")
        return body + dialect.delimiter.encode() + added + raw[len(body) :]

    def require_free(self, names: Container[str], number: int = 0) -> None:
        """Raise if a record, or the file, has a field of the same name."""
        taken = next((name for name in Note._fields if name in names), None)
        if taken is not None:
            where = f"{self.file.path}#{number}" if number else self.file.path
            hint = "rename it before you annotate"
            raise SimdupError(where, f"already has a field {taken!r}", hint)


def annotations_of(
    file: File, notes: Mapping[int, Note], documents: NDArray[np.int64], reading: Reading
) -> Annotations:
    """Return what is added to the records of a file, of which the notes and documents are known.

    Raises
    ------
    SimdupError
        If fields cannot be added in this encoding.
    """
    encoding, dialect = reading.encoding or "", None
    if file.format in DELIMITERS:
        dialect = dialect_of(file, reading)
    elif not keeps_ascii(encoding or "utf-8"):
        raise SimdupError(file.path, f"records in {encoding} cannot be annotated")
    return Annotations(file, notes, documents, encoding, dialect)


def require_records(files: Sequence[File]) -> None:
    """Raise if a file holds no records, to which fields could be added."""
    for file in files:
        if not file.records:
            kind = "an archive" if file.format == ARCHIVE else "one document"
            what = f"is {kind}, and only records can be annotated"
            raise SimdupError(file.path, what, "see `input_format`, or leave it out with `exclude`")


class Change(Protocol):
    """What is changed in a file while it is written again."""

    def change(self, number: int, raw: bytes, row: Row) -> bytes:
        """Return what is written of a record, nothing of one that is left out.

        Parameters
        ----------
        number : int
            The number of the record; 0 for the header of CSV.
        raw : bytes
            Its bytes; an element of an array has the comma before it.
        row : Row
            Its fields, of CSV.
        """

    def change_table(self, source: IO[bytes], target: IO[bytes]) -> None:
        """Write the rows of a Parquet file."""

    def change_text(self, content: bytes) -> bytes:
        """Return what is written of a file that is one document."""


@dataclass(frozen=True, slots=True)
class Removal:
    """Records that are left out of a file; of one document, 0 for the file itself."""

    records: Set[int] = frozenset()

    def change(self, number: int, raw: bytes, row: Row) -> bytes:
        """Return the bytes of a record that stays."""
        return b"" if number and number in self.records else raw

    def change_table(self, source: IO[bytes], target: IO[bytes]) -> None:
        """Write the rows that stay."""
        copy_rows(source, target, lambda row: row not in self.records)

    def change_text(self, content: bytes) -> bytes:
        """Return the text; a file that is left out is not written at all."""
        return content


def write_records(
    file: File,
    target: IO[bytes],
    change: Change | None,
    compression: str,
    reading: Reading,
    progress: Progress = no_progress,
) -> None:
    """Write the records of a file in their order, those that do not change byte for byte.

    `compression` is that of the target, `reading` is how the file was read.
    """
    with open_content(file) as (stream, _), compress(target, compression) as packer:
        if file.format == "parquet":
            _write_table(stream, packer, change)
            return
        change = change or Removal()
        if not file.records:
            packer.write(change.change_text(stream.read()))
            return
        changed = change.change
        if file.format == "json":
            parts = _rewrite_array(stream, changed)
        elif file.format == "jsonl":
            rows = _json_rows(Lines(whole_lines(stream, file.max_size)))
            parts = _rewrite_rows(file, rows, changed)
        else:
            csv = Table(file, stream, reading)
            parts = csv.restored(_rewrite_rows(file, csv.rows(), changed, header=True))
        packer.writelines(_counted(parts, progress))


def _write_table(stream: IO[bytes], target: IO[bytes], change: Change | None) -> None:
    # Nothing in a damaged file is redundant, so its bytes are kept.
    if not change:
        shutil.copyfileobj(stream, target)
        return
    # A table needs random access, to what is read and to what is written.
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as table:
        shutil.copyfileobj(stream, source)
        source.seek(0)
        change.change_table(source, table)
        table.seek(0)
        shutil.copyfileobj(table, target)


def _counted(lines: Iterable[bytes], progress: Progress) -> Iterator[bytes]:
    """Yield lines, and say how many bytes of them were written."""
    done = said = 0
    for line in lines:
        yield line
        done += len(line)
        if done >= said + _SAID:
            said = done
            progress("writing", done, None)
    progress("writing", done, None)


# `Change.change`.
_RecordChange: TypeAlias = Callable[[int, bytes, Row], bytes]


def _rewrite_rows(
    file: File, rows: Iterable[tuple[bytes, Row]], change: _RecordChange, header: bool = False
) -> Iterator[bytes]:
    """Yield lines with their records changed; blank ones, and what is too large, are kept."""
    number = 0 if header else 1
    for raw, row in rows:
        if isinstance(row, Oversized):
            yield raw
            number += row is Oversized.END
        elif is_blank(raw, file):
            yield raw
        else:
            yield change(number, raw, row)
            number += 1


def _rewrite_array(stream: IO[bytes], change: _RecordChange) -> Iterator[bytes]:
    """Yield an array with its elements changed; the first one that stays loses its comma."""
    number = 1
    first = True  # whether no element has been yielded
    for piece in split_array(stream):
        if isinstance(piece, Elements):
            for raw in piece.split():
                if changed := change(number, raw, None):
                    yield changed.removeprefix(b",") if first else changed
                    first = False
                number += 1
        elif isinstance(piece, Outside):
            yield piece


def _json_rows(lines: Iterable[bytes]) -> Iterator[tuple[bytes, Row]]:
    """Yield each line, or its parts."""
    blank = True  # so far, of a line in parts
    for line in lines:
        if not isinstance(line, LinePart):
            yield line, None
            continue
        blank = blank and (not line or line.isspace())
        yield line, Oversized.PART if line or blank else Oversized.END
        blank = blank or not line


def copy_input(file: File, place: str) -> File:
    """Return standard input as a file that can be read twice: a copy of it."""
    with open(place, "wb") as copy, open(sys.stdin.fileno(), "rb", closefd=False) as stream:
        shutil.copyfileobj(stream, copy)
    with open(place, "rb") as copy:
        compression = detect_compression(copy)
    size, modified = os.path.getsize(place), os.path.getmtime(place)
    return replace(file, content_path=place, compression=compression, size=size, modified=modified)


# -- a folder that is filled --


@dataclass(frozen=True, slots=True)
class CleanedFolder:
    """The files to fill a folder with."""

    files: Sequence[tuple[File, str]]  # all files, and the place of each in the folder
    references: Sequence[File]  # files that are read but not written
    root: str  # the folder that it is a copy of, if any
    # Files that vanished or changed since they were read, with the reason.
    lost: dict[str, str] = field(default_factory=dict)


@contextmanager
def open_folder(target: str, force: bool) -> Iterator[str]:
    """Yield an empty folder; its final contents appear in the target.

    With `force`, the target may have files; those with the same names are replaced.

    Raises
    ------
    SimdupError
        If the target cannot be written, or something appeared there meanwhile.
    """
    real = os.path.realpath(target)
    whole = not writes_into(real)
    with beside(real, target) if whole else work_folder(real) as work:
        place = work if whole else os.path.join(work, "files")
        try:
            os.mkdir(place)
        except OSError as error:
            raise unwritable(target, error) from None
        yield place
        if whole:
            if os.path.isdir(real):
                shutil.copystat(real, place)
            return
        if entries(real) and not force:
            raise SimdupError(
                target, "something was created in it during the run", "choose another output"
            )
        try:
            sync_path(place)
            _check_merge(place, real)
            _merge(place, real)
        except OSError as error:
            raise unwritable(str(error.filename2 or error.filename or target), error) from None


def _check_merge(place: str, target: str) -> None:
    """Raise if a symbolic link leads out of the target, or a folder and a file collide."""
    for folder, folders, files in walk(place):
        goal = os.path.normpath(os.path.join(target, os.path.relpath(folder, place)))
        for name in folders:
            path = os.path.join(goal, name)
            if os.path.islink(path):
                raise SimdupError(path, f"a symbolic link leads out of {target}")
            if os.path.lexists(path) and not os.path.isdir(path):
                raise SimdupError(path, "is a file, but a folder in the SOURCEs")
        for name in files:
            path = os.path.join(goal, name)
            if os.path.isdir(path) and not os.path.islink(path):
                raise SimdupError(path, "is a folder, but a file in the SOURCEs")


def _merge(place: str, target: str) -> None:
    """Move files into a folder, replacing those with the same names."""
    with os.scandir(place) as found:
        for entry in found:
            goal = os.path.join(target, entry.name)
            if not entry.is_dir(follow_symlinks=False):
                move(entry.path, goal)
            elif os.path.isdir(goal):
                _merge(entry.path, goal)
            else:
                move_folder(entry.path, goal)
    sync(target)


def fill(
    folder: str,
    cleaned: CleanedFolder,
    changes: Mapping[str, Change],
    without: Callable[[Mapping[str, str]], Mapping[str, Change | None]],
    reading: Reading,
    progress: Progress = no_progress,
) -> None:
    """Write files with their changes into an empty folder, with modes and times.

    A file that vanished or changed since it was read is recorded in ``lost``.  What still exists
    of it is kept whole.

    Parameters
    ----------
    folder : str
        The empty folder.
    cleaned : CleanedFolder
        The files.
    changes : mapping
        What is changed in each file, by its path.
    without : callable
        Returns what is changed instead in other files, because it depends on lost ones.
    reading : Reading
        How the files were read.
    progress : callable
        Is told how many bytes are done.

    Raises
    ------
    SimdupError
        If something cannot be written, or two files have the same place.
    """
    files, lost = cleaned.files, cleaned.lost
    for file in (*cleaned.references, *(file for file, _ in files)):
        _note_loss(file, lost)
    current: dict[str, Change | None] = {**changes, **without(lost)}
    pending = files
    done, total = 0, sum(file.size for file, _ in files)
    progress("writing", done, total)
    try:
        while pending:
            for file, below in pending:
                place = os.path.join(folder, below)
                if pending is not files:
                    with suppress(FileNotFoundError):
                        unlink(place)
                elif os.path.lexists(place):
                    raise SimdupError(
                        file.path, f"another SOURCE has the same place in OUT: {below}"
                    )
                make_folders(os.path.dirname(place))
                _write_file(file, place, current.get(file.path), reading, lost)
                if pending is files:
                    done += file.size
                    progress("writing", done, total)
            again = without(lost)
            current.update(again)
            pending = [one for one in files if one[0].path in again]
        _copy_folder_stats(folder, cleaned)
    except OSError as error:
        raise unwritable(str(error.filename2 or error.filename or folder), error) from None


def _note_loss(file: File, lost: dict[str, str]) -> bool:
    """Record a file that has vanished or changed since it was read; return whether it has."""
    why = difference(file)
    if why:
        lost[file.path] = why
    return bool(why)


def check_unchanged(files: Sequence[File]) -> None:
    """Raise if files have vanished or changed since they were read.

    Raises
    ------
    SimdupError
        Names the first such file.
    """
    for file in files:
        if why := difference(file):
            raise SimdupError(file.path, why, "run it again")


def _write_file(
    file: File, place: str, change: Change | None, reading: Reading, lost: dict[str, str]
) -> None:
    """Write the remaining part of a file; all of it if it has changed."""
    if file.path not in lost:
        if isinstance(change, Removal) and not file.records:
            return
        try:
            if change:
                with open(place, "xb") as stream:
                    write_records(file, stream, change, file.compression, reading)
                shutil.copystat(file.path, place)
            else:
                _copy(file.path, place)
        except Exception:
            if not _note_loss(file, lost):
                raise
        else:
            # If the file vanishes from now on, it has already been written.
            if not os.path.exists(file.path) or not _note_loss(file, lost):
                return
        with suppress(FileNotFoundError):
            unlink(place)
    # A named pipe or a folder may have replaced it.
    if os.path.isfile(file.path) and os.access(file.path, os.R_OK):
        _copy(file.path, place)


def _copy(source: str, place: str) -> None:
    with open_regular(source) as stream, open(place, "xb") as target:
        shutil.copyfileobj(stream, target, 1 << 20)
    shutil.copystat(source, place)


def _copy_folder_stats(folder: str, cleaned: CleanedFolder) -> None:
    """Give folders the modes and times of those they are copies of."""
    sources = {"": cleaned.root} if cleaned.root else {}
    for file, below in cleaned.files:
        source, below = os.path.dirname(os.path.abspath(file.path)), os.path.dirname(below)
        while below and below not in sources:
            sources[below] = source
            source, below = os.path.dirname(source), os.path.dirname(below)
    # The inner ones first, because creating anything in a folder changes its time.
    for below in sorted(sources, key=len, reverse=True):
        with suppress(OSError):
            shutil.copystat(sources[below], os.path.join(folder, below))


def list_others(folder: str, target: str) -> list[str]:
    """Return the files of a target that the new folder does not have."""
    others = []
    for place, folders, files in walk(target):
        known = set(entries(place))
        folders[:] = sorted(known.intersection(folders))
        below = os.path.relpath(place, target)
        for name in sorted(known.intersection(files)):
            if not os.path.lexists(os.path.join(folder, below, name)):
                others.append(os.path.normpath(os.path.join(target, below, name)))
    return others


def list_missing(folder: str, cleaned: CleanedFolder, unlisted: Sequence[Skipped]) -> list[str]:
    """Return the files and folders that could not be opened, so that the new folder lacks them."""
    copied = {file.path for file, _ in cleaned.files}  # with archives that could not be listed
    closed = [
        one.document
        for one in unlisted
        if one.error and one.document not in copied and _closed(one.document)
    ]
    return closed + [
        file.path
        for file, below in cleaned.files
        if file.path in cleaned.lost and not os.path.lexists(os.path.join(folder, below))
    ]


def _closed(path: str) -> bool:
    """Return whether a path exists and cannot be opened; a folder may only lack matches."""
    readable = os.path.isdir(path) and os.access(path, os.R_OK | os.X_OK)
    return os.path.lexists(path) and not readable
