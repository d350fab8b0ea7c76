"""Write files of records again, with some of them left out, or all with fields that are added.

Lines and elements that stay are kept byte for byte.  The fields say in which cluster each record
is, and what it is there.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.corpus.batches import open_content
from simdup.corpus.compression import compress
from simdup.corpus.decoding import decode
from simdup.corpus.files import ARCHIVE, File
from simdup.corpus.json_text import LONGEST, Elements, Outside, parse_json, split_array
from simdup.corpus.lines import (
    DELIMITERS,
    LinePart,
    Lines,
    Oversized,
    Row,
    chunks_of,
    csv_rows,
    decode_latin_1,
    split_mark,
    whole_lines,
)
from simdup.corpus.parquet import add_columns, column_names, copy_rows
from simdup.corpus.record_batches import BLANK, is_blank, keeps_ascii
from simdup.model.settings import Progress, Reading, no_progress

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
    columns: int = 0  # of CSV

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
        if self.file.format in DELIMITERS:
            return self._row(number, raw, row)
        return self._json(number, raw)

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

    def _row(self, number: int, raw: bytes, row: Row) -> bytes:
        body = raw.rstrip(b"\0\r\n")
        cells: Sequence[Any] = self.of(number)
        if not number:
            self.require_free(row if isinstance(row, list) else (), number)
            cells = Note._fields
        elif not isinstance(row, list) or len(row) != self.columns:
            where = f"{self.file.path}#{number}"
            what = "has not as many fields as there are columns, and cannot be annotated"
            raise SimdupError(where, what, "correct it first")
        delimiter = DELIMITERS[self.file.format]
        line = io.StringIO()
        csv.writer(line, delimiter=delimiter, lineterminator="").writerow(
            ["" if cell is None else cell for cell in cells]
        )
        added = (delimiter + line.getvalue()).encode(self.encoding or "utf-8", "backslashreplace")
        return body + added + raw[len(body) :]

    def require_free(self, names: Container[str], number: int = 0) -> None:
        """Raise if a record, or the file, has a field of the same name."""
        taken = next((name for name in Note._fields if name in names), None)
        if taken is not None:
            where = f"{self.file.path}#{number}" if number else self.file.path
            hint = "rename it before you annotate"
            raise SimdupError(where, f"already has a field {taken!r}", hint)


def head_of(file: File, stream: IO[bytes], reading: Reading) -> tuple[str, int]:
    """Return the encoding of a file of records, and of CSV the number of columns.

    Raises
    ------
    SimdupError
        If fields cannot be added in this encoding.
    """
    if not keeps_ascii(reading.encoding or "utf-8"):
        raise SimdupError(file.path, f"records in {reading.encoding} cannot be annotated")
    if file.format not in DELIMITERS:
        return reading.encoding or "", 0
    _, head, pieces = split_mark(whole_lines(stream, file.max_size))
    rows = csv_rows(Lines(pieces), DELIMITERS[file.format], decode_latin_1, file.max_size)
    first = next((row for raw, row in rows if not is_blank(raw, file)), None)
    columns = len(first) if isinstance(first, list) else 0
    return reading.encoding or decode(head).encoding, columns


def require_records(files: Sequence[File]) -> None:
    """Raise if a file holds no records, to which fields could be added."""
    for file in files:
        if not file.records:
            kind = "an archive" if file.format == ARCHIVE else "one document"
            what = f"is {kind}, and only records can be annotated"
            raise SimdupError(file.path, what, "see `input_format`, or leave it out with `exclude`")


def write_records(
    file: File,
    target: IO[bytes],
    change: Collection[int] | Annotations,
    compression: str,
    progress: Progress = no_progress,
) -> None:
    """Write the records of a file in their order: all annotated, or some of them byte for byte.

    `change` has the numbers of those left out, or what is added to each; `compression` is that of
    the target.
    """
    with open_content(file) as (stream, _), compress(target, compression) as packer:
        if file.format != "parquet":
            rewrite = _rewrite_array if file.format == "json" else _rewrite_lines
            changed = change.change if isinstance(change, Annotations) else _without(change)
            packer.writelines(_counted(rewrite(file, stream, changed), progress))
        # Nothing in a damaged file is redundant, so its bytes are kept.
        elif not change:
            shutil.copyfileobj(stream, packer)
        else:
            # A table needs random access, to what is read and to what is written.
            with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as table:
                shutil.copyfileobj(stream, source)
                source.seek(0)
                if isinstance(change, Annotations):
                    change.require_free(column_names(source))
                    add_columns(source, table, change.of, _COLUMNS)
                else:
                    copy_rows(source, table, lambda row: row not in change)
                table.seek(0)
                shutil.copyfileobj(table, packer)


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


# Returns what is written of a record, given its number (0 for the header of CSV), its bytes and, of
# CSV, its fields; an element of an array has the comma before it.
_Change: TypeAlias = Callable[[int, bytes, Row], bytes]


def _without(redundant: Container[int]) -> _Change:
    """Return the change that leaves out the records of these numbers."""
    return lambda number, raw, row: b"" if number and number in redundant else raw


def _rewrite_lines(file: File, stream: IO[bytes], change: _Change) -> Iterator[bytes]:
    """Yield lines with their records changed; blank ones, and what is too large, are kept."""
    pieces = whole_lines(stream, file.max_size)
    rows: Iterable[tuple[bytes, Row]]
    number = 1
    if file.format == "jsonl":
        rows = _json_rows(Lines(pieces))
    else:
        number = 0
        mark, _, pieces = split_mark(pieces)
        yield mark
        delimiter = DELIMITERS[file.format]
        rows = csv_rows(Lines(pieces), delimiter, decode_latin_1, file.max_size)
    for raw, row in rows:
        if isinstance(row, Oversized):
            yield raw
            number += row is Oversized.END
        elif is_blank(raw, file):
            yield raw
        else:
            yield change(number, raw, row)
            number += 1


def _rewrite_array(file: File, stream: IO[bytes], change: _Change) -> Iterator[bytes]:
    """Yield an array with its elements changed; the first one that stays loses its comma."""
    number = 1
    first = True  # whether no element has been yielded
    for piece in split_array(chunks_of(stream), max(LONGEST, file.max_size)):
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
