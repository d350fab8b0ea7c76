"""Cut files of records into batches of whole records, without parsing more than necessary.

JSON lines are cut at line ends.  A record of CSV may have line ends within quotes, so Python's csv
module finds its end, at some 120 MB/s, on the bytes as they are.  That is right for every encoding
that keeps the ASCII comma, quote and line end apart from the bytes of other characters; all but
UTF-16 and UTF-32 do.

`simdup.corpus.records` makes documents of the batches, in another process if there are several.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

from simdup.corpus.charsets import is_wide
from simdup.corpus.decoding import decode
from simdup.corpus.encoding_detection import NotText
from simdup.corpus.sources import File
from simdup.model.documents import Skipped
from simdup.model.reading import Reading

# A batch should take some tens of milliseconds: long beside the cost of handing it to another
# process (1 ms), short beside the whole.
BATCH_BYTES = 1 << 19

DELIMITERS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True, slots=True)
class LineBatch:
    """Whole records of a file of lines: JSON lines, CSV, TSV."""

    file: File
    line: int  # number of the first line, from 1
    record: int  # number of the first record, from 1
    content: bytes
    size: int  # bytes of the file that were read for it
    encoding: str = ""  # of the file; empty for UTF-8
    columns: tuple[str, ...] = ()  # names of the fields, of CSV and TSV


@dataclass(frozen=True, slots=True)
class ParquetBatch:
    """Rows of a Parquet file, of the wanted columns."""

    file: File
    record: int  # number of the first row, from 1
    texts: list[bytes | None]  # UTF-8 of each text; None for null
    names: list[Any] | None  # their names, if a field holds them
    size: int  # bytes of the file that were read for it


def cut_lines(file: File, stream: IO[bytes], reading: Reading) -> Iterator[LineBatch | Skipped]:
    """Cut a file of JSON lines, CSV or TSV into batches."""
    if file.format == "jsonl":
        return _cut_json(file, stream)
    return _cut_csv(file, stream, reading)


def _cut_json(file: File, stream: IO[bytes]) -> Iterator[LineBatch]:
    line = record = 1
    for content in _whole_lines(stream):
        yield LineBatch(file, line, record, content, len(content))
        lines = content.split(b"\n")
        line += len(lines) - 1
        record += sum(not raw.isspace() for raw in lines if raw)


def _cut_csv(file: File, stream: IO[bytes], reading: Reading) -> Iterator[LineBatch | Skipped]:
    pieces = _whole_lines(stream)
    head = next(pieces, b"")
    try:
        encoding = reading.encoding or decode(head).encoding
    except NotText as error:
        yield Skipped(file.path, str(error))
        return
    if is_wide(encoding):
        yield Skipped(file.path, f"{encoding} is not read as {file.format.upper()}", error=True)
        return
    lines = _Lines(chain([head], pieces))
    columns: tuple[str, ...] = ()
    rest: list[bytes] = []
    line = record = first = 1
    for raw, row in csv_rows(lines, DELIMITERS[file.format], _decode_latin_1):
        if columns:
            rest.append(raw)
            record += not is_blank(raw, file)
            if lines.drained:
                content = b"".join(rest)
                yield LineBatch(file, line, first, content, len(content), encoding, columns)
                line += content.count(b"\n")
                first = record
                rest = []
            continue
        line += raw.count(b"\n")
        if not is_blank(raw, file):
            columns = _column_names(row or (), encoding)
            missing = missing_field(columns, reading)
            if missing:
                yield Skipped(file.path, f"line {line - 1}: {missing}", error=True)
                return
    if rest:
        content = b"".join(rest)
        yield LineBatch(file, line, first, content, len(content), encoding, columns)


def _column_names(row: Iterable[str], encoding: str) -> tuple[str, ...]:
    """Return the names of a table's columns, which were read as Latin-1."""
    raw = (name.encode("latin-1") for name in row)
    return tuple(name.decode(encoding, "replace").removeprefix("\ufeff") for name in raw)


def missing_field(columns: Sequence[str], reading: Reading, unique: bool = False) -> str:
    """Return a message if a table lacks a wanted field, or has it twice although it is unique."""
    for argument in ("field", "id_field"):
        wanted = getattr(reading, argument)
        count = columns.count(wanted)
        if wanted is not None and (not count or (unique and count > 1)):
            names = ", ".join(map(repr, columns))
            return f"no field {wanted!r} among {names}: see `{argument}`"
    return ""


def raw_records(file: File, stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes of each record of a file of lines.

    The number is 0 for what is not a record: blank lines, and the names of CSV's columns.  All the
    bytes together are the file.
    """
    lines = _Lines(_whole_lines(stream))
    pieces: Iterable[bytes] = lines
    number = 1
    if file.format != "jsonl":
        number = 0
        pieces = (raw for raw, _ in csv_rows(lines, DELIMITERS[file.format], _decode_latin_1))
    for raw in pieces:
        if is_blank(raw, file):
            yield 0, raw
        else:
            yield number, raw
            number += 1


def is_blank(raw: bytes, file: File) -> bool:
    """Return whether a line is not a record: in CSV, spaces are a field of a one-column table."""
    return not raw.strip(None if file.format == "jsonl" else b"\r\n")


def csv_rows(
    lines: Iterable[bytes], delimiter: str, decode_line: Callable[[bytes], str]
) -> Iterator[tuple[bytes, list[str] | None]]:
    """Yield the bytes and the fields of each record of CSV; None for the fields of a broken one.

    The reader is strict: a quote in the wrong place is an error, where a lenient reader would
    silently take everything up to the next quote for one field.
    """
    # The module's own limit is 131,072 characters; a long law has three times that.
    csv.field_size_limit((1 << 31) - 1)
    consumed: list[bytes] = []

    def decode_lines() -> Iterator[str]:
        for line in lines:
            consumed.append(line)
            yield decode_line(line)

    rows = csv.reader(decode_lines(), delimiter=delimiter, strict=True)
    while True:
        row: list[str] | None
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            row = None
        yield b"".join(consumed), row
        consumed.clear()


def _decode_latin_1(line: bytes) -> str:
    return line.decode("latin-1")


def _whole_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of a stream in pieces of whole lines."""
    begun: list[bytes] = []
    for chunk in _chunks(stream):
        end = chunk.rfind(b"\n") + 1
        if end:
            yield b"".join([*begun, chunk[:end]])
            begun = []
        if end < len(chunk):
            begun.append(chunk[end:])
    if begun:
        yield b"".join(begun)


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of a stream: of a pipe as it arrives, of a file in large pieces.

    So a slow writer gets its results line by line, and of a damaged file the part before the
    damage is read.
    """
    slow = not stream.seekable()
    chunks: list[bytes] = []
    size = 0
    try:
        while chunk := stream.read1(BATCH_BYTES):  # type: ignore[attr-defined]
            chunks.append(chunk)
            size += len(chunk)
            if slow or size >= BATCH_BYTES:
                yield b"".join(chunks)
                chunks, size = [], 0
    except Exception:
        if chunks:
            yield b"".join(chunks)
        raise
    if chunks:
        yield b"".join(chunks)


class _Lines:
    """Lines of pieces of whole lines; it knows when the next line needs another piece."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._piece = io.BytesIO()
        self._size = 0

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self.drained:
            piece = next(self._pieces)
            self._piece, self._size = io.BytesIO(piece), len(piece)
        return self._piece.readline()

    @property
    def drained(self) -> bool:
        """Whether all lines of the pieces so far are consumed."""
        return self._piece.tell() == self._size
