"""Cut files of records into batches of whole records, without parsing more than necessary.

JSON lines are cut at line ends, arrays of JSON between their elements, also where they are written
again; for CSV see `simdup.corpus.delimited`.

`simdup.corpus.records` turns the batches into documents, in another process if there are several.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from simdup.corpus.files import File
from simdup.corpus.json_text import TOO_LARGE, Elements, Fault, Outside, parse_json, split_array
from simdup.corpus.lines import LinePart, Lines, whole_lines
from simdup.corpus.patterns import is_own_result, leave_out
from simdup.corpus.record_fields import MISSING, cut_record, find_field, text_fields
from simdup.model.documents import NoField, Skipped
from simdup.model.settings import Reading

if TYPE_CHECKING:
    from simdup.corpus.changes import Change, Note
    from simdup.corpus.delimited import Dialect
    from simdup.corpus.record_fields import Spans

# White space, and NULs, which are padding.
BLANK = b"\0 \t\n\v\f\r"
# A table may have a hundred thousand columns; a message lists a few.
_MOST_NAMES = 50
# Bytes of a line that are read at a time.
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class RawBatch:
    """Whole records of JSON lines, an array of JSON, CSV or TSV, as the file has them."""

    file: File
    line: int  # number of the line that the first one begins on, from 1
    record: int  # number of the first record, from 1
    content: bytes
    size: int  # bytes of the file that were read for it
    # Of an array: where the elements end in `content`, each with the comma before it.
    ends: Sequence[int] = ()
    dialect: Dialect | None = None  # how CSV and TSV are written

    @property
    def other_size(self) -> bool:
        """Whether its content has another size than the bytes of the file that it is."""
        dialect = self.dialect
        return bool(self.file.compression or (dialect and dialect.codec != dialect.encoding))


# The strings of a row's list, in UTF-8; None for null.
PackedTexts: TypeAlias = list[bytes | None]


@dataclass(frozen=True, slots=True)
class ParquetBatch:
    """Rows of a Parquet file, of the wanted columns."""

    file: File
    record: int  # number of the first row, from 1
    fields: tuple[str, ...]  # of the text
    texts: list[list[bytes | None] | list[PackedTexts | None]]  # of each of these, by row
    # The values of other columns by name: the names of records, and the field of `Criteria.keep`.
    others: dict[str, list[Any]]
    size: int  # bytes of the file that were read for it
    columns: tuple[str, ...]  # names of all columns


RecordBatch = RawBatch | ParquetBatch


def cut_json(file: File, stream: IO[bytes], _: Reading) -> Iterator[RawBatch | Skipped]:
    """Cut a file of JSON lines."""
    line = record = 1
    blank = True  # so far, of a line in parts
    pieces = whole_lines(stream, file.max_size)
    head = next(pieces, b"")
    if file.walked and is_own_result(head):
        yield leave_out(file.path)
        return
    for content in chain([head] if head else [], pieces):
        if isinstance(content, LinePart):
            if content:
                blank = blank and content.isspace()
                continue
            if not blank:
                yield oversized(file, line, record)
            line, record, blank = line + 1, record + (not blank), True
            continue
        yield RawBatch(file, line, record, content, len(content))
        lines = content.split(b"\n")
        line += len(lines) - 1
        record += sum(1 for raw in lines if raw.strip(BLANK))


def cut_array(file: File, stream: IO[bytes], reading: Reading) -> Iterator[RawBatch | Skipped]:
    """Cut a file that is an array of JSON."""
    encoding = reading.encoding or "utf-8"
    if not keeps_ascii(encoding):
        yield Skipped(file.path, unsupported(file, encoding), error=True)
        return
    line = record = 1
    for piece in split_array(stream):
        if isinstance(piece, Fault):
            where = "" if piece is TOO_LARGE else f"line {line}: "
            yield Skipped(file.path, f"{where}{piece}", error=True)
            return
        content = piece.content if isinstance(piece, Elements) else piece
        if isinstance(piece, Elements):
            yield RawBatch(file, line, record, content, len(content), piece.ends)
            record += len(piece.ends)
        line += content.count(b"\n")


def change_json(file: File, stream: IO[bytes], reading: Reading, change: Change) -> Iterator[bytes]:
    """Yield a file of JSON lines with its records changed; blank lines are no records."""
    form, number = _Objects(reading), 1
    blank = True  # so far, of a line in parts
    for raw in Lines(whole_lines(stream, file.max_size)):
        if isinstance(raw, LinePart):
            yield raw
            blank = blank and (not raw or raw.isspace())
            if not raw:
                number, blank = number + (not blank), True
        elif is_blank(raw, file):
            yield raw
        else:
            yield change.record(number, raw, form)
            number += 1


def change_array(_: File, stream: IO[bytes], reading: Reading, change: Change) -> Iterator[bytes]:
    """Yield an array with its elements changed; the first one that stays loses its comma."""
    form, number, first = _Objects(reading), 1, True
    for piece in split_array(stream):
        if isinstance(piece, Outside):
            yield piece
        for raw in piece.split() if isinstance(piece, Elements) else ():
            if changed := change.record(number, raw, form):
                yield changed.removeprefix(b",") if first else changed
                first = False
            number += 1


@dataclass(frozen=True, slots=True)
class _Objects:
    """Objects of JSON in lines or an array, as they are written; see `simdup.corpus.changes`."""

    reading: Reading

    def noted(self, change: Change, number: int, raw: bytes, note: Note) -> bytes:
        """Return an object with further fields; what is none stays."""
        body = raw.rstrip(BLANK)
        marks = (f'"{name}"'.encode() for name in note._fields)
        if note.role is None or b"\\u" in raw or any(mark in raw for mark in marks):
            try:
                text = body.lstrip(b"," + BLANK).decode(self.reading.encoding or "utf-8-sig")
                values = parse_json(text)
            except ValueError:
                return raw
            if not isinstance(values, dict):
                return raw
            change.require_free(values, number)
        # The bytes of an object end with its bracket, whatever the encoding.
        head, added = body[:-1], json.dumps(note._asdict())[1:].encode()
        comma = b"" if head.rstrip(BLANK).endswith(b"{") else b", "
        return head + comma + added + raw[len(body) :]

    def cut(self, raw: bytes, spans: Spans) -> bytes:
        """Return an object without spans of its text."""
        encoding = codecs.lookup(self.reading.encoding or "utf-8").name.removesuffix("-sig")
        source = raw.decode(encoding)
        start, end = source.index("{"), source.rindex("}") + 1
        values = parse_json(source[start:end])
        values = cut_record(values, text_fields(values, self.reading), spans)
        try:
            record = json.dumps(values, ensure_ascii=False).encode(encoding)
        except UnicodeEncodeError:  # a character that the encoding does not have
            record = json.dumps(values).encode(encoding)
        return source[:start].encode(encoding) + record + source[end:].encode(encoding)


def keeps_ascii(encoding: str) -> bool:
    """Return whether bytes of ASCII characters have no other meaning in an encoding."""
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        return True
    text = bytes(range(256)).decode(encoding, "replace")
    return len(text) == 256 and text[:128].encode("latin-1", "replace") == bytes(range(128))


def unsupported(file: File, encoding: str) -> str:
    """Return why a file cannot be cut."""
    return f"{file.format.upper()} in {encoding} is not supported"


def oversized(file: File, line: int, record: int) -> Skipped:
    """Return what is said of a record that exceeds the size limit."""
    return Skipped(f"{file.path}#{record}", f"line {line}: {file.too_large}", error=True)


def missing_field(
    columns: Sequence[str], reading: Reading, row: Mapping[str, Any] | None = None
) -> NoField | None:
    """Return why a table cannot be read: a wanted field is missing, or is not unique.

    `row` has the fields of columns that hold more than text, which must be unique.
    """
    values = dict.fromkeys(columns, "") if row is None else row
    fields = [("field", name) for name in text_fields(values, reading)]
    if reading.id_field is not None:
        fields.append(("id_field", reading.id_field))
    for argument, wanted in fields:
        missing = find_field(values, wanted) is MISSING
        if missing or (row is not None and columns.count(wanted) > 1):
            names = ", ".join(map(repr, columns[:_MOST_NAMES]))
            more = len(columns) - _MOST_NAMES
            names += f" and {more:,} more" if more > 0 else ""
            what = f"no field {wanted!r} among {names}: see `{argument}`"
            fields_there = dict.fromkeys(columns, "")
            return NoField("", what, True, argument if missing else "", fields_there)
    return None


def record_lines(path: str, wanted: Container[int]) -> Iterator[tuple[int, int]]:
    """Yield the number and the line of the wanted records in a file of JSON lines."""
    with open(path, "rb") as stream:
        line = record = 1
        blank = True
        while piece := stream.readline(_PIECE):
            blank = blank and not piece.strip(BLANK)
            if piece.endswith(b"\n") or len(piece) < _PIECE:
                if not blank and record in wanted:
                    yield record, line
                line, record, blank = line + 1, record + (not blank), True


def is_blank(raw: bytes, file: File) -> bool:
    """Return whether a line is blank; in CSV, spaces are a field of a one-column table."""
    return not raw.strip(BLANK if file.format == "jsonl" else b"\0\r\n")
