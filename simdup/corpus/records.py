"""Records: many documents in one file, as JSON lines, CSV, TSV or Parquet.

The parent process cuts a file into batches of whole records (`line_batches`); a process that has a
batch makes documents of it (`read_lines`, `read_rows`).  JSON lines are cut by the line.  A record
of CSV may hold line ends within quotes: there the cutting goes by Python's csv module, at some
120 MB/s, on the bytes as they are, which is right for every encoding that keeps the ASCII comma,
quote and line end apart from the bytes of other characters; all but UTF-16 and UTF-32 do.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

from simdup.corpus.decoding import decode
from simdup.corpus.encoding_detection import NotText
from simdup.corpus.sources import File
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading

# A batch should take some tens of milliseconds: long beside the cost of handing it to another
# process (1 ms), short beside the whole.
BATCH_BYTES = 1 << 19

DELIMITERS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True, slots=True)
class Lines:
    """A batch of records that are lines of text.

    Attributes
    ----------
    file : File
        The file they come from.
    line, record : int
        Numbers of the first line, and of the first record, from 1.
    content : bytes
        Whole records.
    size : int
        Bytes of the file that were read for it.
    encoding : str
        How it is decoded; empty for UTF-8.
    columns : tuple of str
        Names of the fields, of CSV.
    """

    file: File
    line: int
    record: int
    content: bytes
    size: int
    encoding: str = ""
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """A batch of records of a table with typed columns.

    Attributes
    ----------
    file : File
        The file they come from.
    record : int
        Number of the first, from 1.
    texts : list
        UTF-8 of each text; None where there is none.
    names : list or None
        Their names, where a field holds them.
    size : int
        Bytes of the file that were read for it.
    """

    file: File
    record: int
    texts: list[bytes | None]
    names: list[Any] | None
    size: int


# -- cutting ---------------------------------------------------------------------------------------


def whole_lines(stream: IO[bytes]) -> Iterator[bytes]:
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
    """Yield the content of a stream: of a pipe as it comes, of a file in large pieces.

    So a slow writer is answered line by line, and of a damaged file the part before the damage
    is read.
    """
    slow = not stream.seekable()
    held: list[bytes] = []
    size = 0
    try:
        while chunk := stream.read1(BATCH_BYTES):  # type: ignore[attr-defined]
            held.append(chunk)
            size += len(chunk)
            if slow or size >= BATCH_BYTES:
                yield b"".join(held)
                held, size = [], 0
    except Exception:
        if held:
            yield b"".join(held)
        raise
    if held:
        yield b"".join(held)


class _Feed:
    """Hands out pieces of whole lines line by line, and knows when it has to wait for more."""

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
        return self._piece.tell() == self._size


def csv_rows(
    lines: Iterable[bytes], delimiter: str, decoded: Callable[[bytes], str]
) -> Iterator[tuple[bytes, list[str] | None]]:
    """Yield the bytes of each record of CSV, and its fields; None for a broken one.

    Strictly read: a quote in the wrong place is an error, where a lenient reader would quietly
    take all up to the next quote for one field.
    """
    # The module's own limit is 131,072 characters; a long law has three times that.
    csv.field_size_limit((1 << 31) - 1)
    taken: list[bytes] = []

    def texts() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield decoded(line)

    rows = csv.reader(texts(), delimiter=delimiter, strict=True)
    while True:
        row: list[str] | None
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            row = None
        yield b"".join(taken), row
        taken.clear()


def raw_records(file: File, stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each record and its bytes, as they stand in a file of lines.

    A number of 0 marks what is no record: blank lines, and the names of CSV's columns.  All the
    bytes together are the file.
    """
    feed = _Feed(whole_lines(stream))
    pieces: Iterable[bytes] = feed
    number = 1
    if file.form != "jsonl":
        number = 0
        pieces = (raw for raw, _ in csv_rows(feed, DELIMITERS[file.form], _as_latin_1))
    for raw in pieces:
        if _is_blank(raw, file.form):
            yield 0, raw
        else:
            yield number, raw
            number += 1


def _is_blank(raw: bytes, form: str) -> bool:
    """Whether a line is no record: of CSV, spaces are a field of a table with one column."""
    return not raw.strip(None if form == "jsonl" else b"\r\n")


def _as_latin_1(line: bytes) -> str:
    return line.decode("latin-1")


def line_batches(file: File, stream: IO[bytes], reading: Reading) -> Iterator[Lines | Skipped]:
    """Cut a file of JSON lines or CSV into batches."""
    if file.form == "jsonl":
        return _json_batches(file, stream)
    return _csv_batches(file, stream, reading)


def _json_batches(file: File, stream: IO[bytes]) -> Iterator[Lines]:
    line = record = 1
    for content in whole_lines(stream):
        yield Lines(file, line, record, content, len(content))
        lines = content.split(b"\n")
        line += len(lines) - 1
        record += sum(not held.isspace() for held in lines if held)


def _csv_batches(file: File, stream: IO[bytes], reading: Reading) -> Iterator[Lines | Skipped]:
    pieces = whole_lines(stream)
    head = next(pieces, b"")
    try:
        encoding = reading.encoding or _csv_encoding(head)
    except NotText as error:
        yield Skipped(file.path, str(error))
        return
    if encoding.replace("_", "-").startswith(("utf-16", "utf-32")):
        yield Skipped(file.path, f"{encoding} is not read as {file.form.upper()}", error=True)
        return
    feed = _Feed(chain([head], pieces))
    records = csv_rows(feed, DELIMITERS[file.form], _as_latin_1)
    columns: tuple[str, ...] | None = None
    held: list[bytes] = []
    line = record = first = 1
    for raw, row in records:
        if columns is None:
            line += raw.count(b"\n")
            if not _is_blank(raw, file.form):
                columns = tuple(
                    name.encode("latin-1").decode(encoding, "replace").removeprefix("\ufeff")
                    for name in row or ()
                )
                missing = _missing(columns, reading)
                if missing is not None:
                    yield Skipped(file.path, f"line {line - 1}: {missing}", error=True)
                    return
            continue
        held.append(raw)
        record += not _is_blank(raw, file.form)
        if feed.drained:
            content = b"".join(held)
            yield Lines(file, line, first, content, len(content), encoding, columns)
            line += content.count(b"\n")
            first = record
            held = []
    if held and columns is not None:
        content = b"".join(held)
        yield Lines(file, line, first, content, len(content), encoding, columns)


def _csv_encoding(head: bytes) -> str:
    """Tell the encoding of a table by its beginning, which is whole lines."""
    return decode(head).encoding


def _missing(columns: tuple[str, ...], reading: Reading) -> str | None:
    """Return what a table lacks, in words; None where it has the fields that are wanted."""
    for wanted in (reading.field, reading.id_field):
        if wanted is not None and wanted not in columns:
            return f"no field {wanted!r} among {', '.join(map(repr, columns))}: see --field"
    return None


# -- reading ---------------------------------------------------------------------------------------


def read_lines(batch: Lines, reading: Reading) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch of lines, and what cannot be one."""
    if batch.columns:
        yield from _read_csv(batch, reading)
        return
    record = batch.record
    for number, line in enumerate(batch.content.split(b"\n"), batch.line):
        if line and not line.isspace():
            found = _json_values(line, reading)
            if isinstance(found, dict):
                yield _document(batch.file, record, f"line {number}: ", found, reading)
            else:
                yield _broken(batch.file, record, f"line {number}: {found}")
            record += 1


def _json_values(line: bytes, reading: Reading) -> dict[str, Any] | str:
    """Return the values of a JSON object, or what is wrong with it."""
    try:
        values = json.loads(line.decode(reading.encoding or "utf-8-sig"))
    except UnicodeDecodeError:
        return f"not {reading.encoding or 'UTF-8'}"
    except (ValueError, RecursionError):
        return "not JSON"
    return values if isinstance(values, dict) else "not a JSON object"


def _read_csv(batch: Lines, reading: Reading) -> Iterator[Document | Skipped]:
    record, number = batch.record, batch.line
    form, encoding = batch.file.form, batch.encoding or "utf-8"
    lines = io.BytesIO(batch.content)

    # Bytes that cannot be decoded become lone surrogates, which no decoded text has.
    def decoded(line: bytes) -> str:
        return line.decode(encoding, "surrogateescape")

    for raw, row in csv_rows(lines, DELIMITERS[form], decoded):
        where = f"line {number}: "
        number += raw.count(b"\n")
        if _is_blank(raw, form):
            continue
        if row is None:
            yield _broken(batch.file, record, f"{where}not {form.upper()}: a quote is out of place")
        elif len(row) != len(batch.columns):
            fields = f"{len(row)} fields where there are {len(batch.columns)} columns"
            yield _broken(batch.file, record, where + fields)
        else:
            values = dict(zip(batch.columns, row, strict=True))
            wanted = (values[reading.field], values.get(reading.id_field or "", ""))
            if any("\udc80" <= c <= "\udcff" for text in wanted for c in _beyond_ascii(text)):
                yield _broken(batch.file, record, f"{where}not {encoding}")
            else:
                yield _document(batch.file, record, where, values, reading)
        record += 1


def _beyond_ascii(text: str) -> str:
    return "" if text.isascii() else text


def read_rows(batch: Rows, reading: Reading) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch of rows, and what cannot be one."""
    for at, content in enumerate(batch.texts):
        record = batch.record + at
        values: dict[str, Any] = {reading.field: None}
        if content is not None:
            try:
                values[reading.field] = content.decode()
            except UnicodeDecodeError:
                yield _broken(batch.file, record, f"row {record}: not UTF-8")
                continue
        if batch.names is not None and reading.id_field is not None:
            values[reading.id_field] = batch.names[at]
        yield _document(batch.file, record, f"row {record}: ", values, reading)


def _document(
    file: File, record: int, where: str, values: dict[str, Any], reading: Reading
) -> Document | Skipped:
    """Make a document of the values of a record."""
    name = f"{file.path}#{record}"
    if reading.id_field is not None:
        identity = values.get(reading.id_field)
        if not isinstance(identity, str | int) or isinstance(identity, bool) or identity == "":
            return _broken(file, record, f"{where}no name in field {reading.id_field!r}")
        name = without_surrogates(str(identity))
    if reading.field not in values:
        return _broken(file, record, f"{where}no field {reading.field!r}")
    text = values[reading.field]
    if text is None:
        return _broken(file, record, f"{where}field {reading.field!r} is null")
    if not isinstance(text, str):
        return _broken(file, record, f"{where}field {reading.field!r} is not a string")
    return Document(name, without_surrogates(text), file.modified, path=file.path, record=record)


def _broken(file: File, record: int, reason: str) -> Skipped:
    return Skipped(f"{file.path}#{record}", reason, error=True)


def without_surrogates(text: str) -> str:
    """Return text without lone surrogates, which JSON can spell but no encoding can hold."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
