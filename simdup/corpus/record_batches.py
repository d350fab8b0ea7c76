"""Cut files of records into batches of whole records, without parsing more than necessary.

JSON lines are cut at line ends, arrays of JSON between their elements.  A CSV record may contain
line ends within quotes, so Python's csv module finds its end, at some 120 MB/s, in the undecoded
bytes.  This is right for every encoding in which the bytes of the ASCII comma, quote and line end
are never part of other characters: all but UTF-16 and UTF-32.

`simdup.corpus.records` turns the batches into documents, in another process if there are several.
"""

from __future__ import annotations

import codecs
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import IO, Any, TypeAlias

from simdup.corpus.decoding import NotText, decode
from simdup.corpus.files import File
from simdup.corpus.json_text import TOO_LARGE, Elements, Fault, split_array
from simdup.corpus.lines import (
    DELIMITERS,
    LinePart,
    Lines,
    Oversized,
    Row,
    csv_rows,
    decode_latin_1,
    split_mark,
    whole_lines,
)
from simdup.corpus.patterns import is_own_result, leave_out
from simdup.corpus.record_fields import MISSING, examples, find_field, text_fields
from simdup.model.documents import NoField, Skipped
from simdup.model.settings import Reading

# White space, and NULs, which are padding.
BLANK = b"\0 \t\n\v\f\r"
# Bytes of a line that are read at a time.
_PIECE = 1 << 20
# Rows whose values are shown as examples of fields.
_EXAMPLES = 20


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
    encoding: str = ""  # of the file; empty for UTF-8
    columns: tuple[str, ...] = ()  # names of the fields of CSV and TSV


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
                yield _oversized(file, line, record)
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
        yield _unsupported(file, encoding)
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


def keeps_ascii(encoding: str) -> bool:
    """Return whether bytes of ASCII characters have no other meaning in an encoding."""
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        return True
    text = bytes(range(256)).decode(encoding, "replace")
    return len(text) == 256 and text[:128].encode("latin-1", "replace") == bytes(range(128))


def _unsupported(file: File, encoding: str) -> Skipped:
    what = f"{file.format.upper()} in {encoding} is not supported"
    return Skipped(file.path, what, error=True)


def _oversized(file: File, line: int, record: int) -> Skipped:
    return Skipped(f"{file.path}#{record}", f"line {line}: {file.too_large}", error=True)


def cut_csv(file: File, stream: IO[bytes], reading: Reading) -> Iterator[RawBatch | Skipped]:
    """Cut a file of CSV or TSV."""
    _, head, pieces = split_mark(whole_lines(stream, file.max_size))
    if file.walked and is_own_result(head):
        yield leave_out(file.path)
        return
    try:
        encoding = reading.encoding or decode(head).encoding
    except NotText as error:
        yield Skipped(file.path, str(error), hint=error.hint)
        return
    if not _keeps_ascii_apart(encoding):
        yield _unsupported(file, encoding)
        return
    lines = Lines(pieces)
    rows = csv_rows(lines, DELIMITERS[file.format], decode_latin_1, file.max_size)
    line = 1
    for raw, row in rows:
        line += raw.count(b"\n")
        if isinstance(row, Oversized):
            yield Skipped(file.path, f"line 1: {file.too_large}", error=True)
            return
        if not is_blank(raw, file):
            columns = column_names(row or (), encoding)
            missing = missing_field(columns, reading)
            if missing:
                few = [row for _, row in islice(rows, _EXAMPLES) if isinstance(row, list)]
                texts = (
                    dict(zip(columns, column_names(row, encoding), strict=False)) for row in few
                )
                fields = examples(dict.fromkeys(columns, ""), *texts)
                what = f"line {line - 1}: {missing.reason}"
                yield replace(missing, document=file.path, reason=what, fields=fields)
                return
            empty = RawBatch(
                file, line, record=1, content=b"", size=0, encoding=encoding, columns=columns
            )
            yield from _cut_rows(rows, lines, empty)


def _cut_rows(
    rows: Iterator[tuple[bytes, Row]], lines: Lines, empty: RawBatch
) -> Iterator[RawBatch | Skipped]:
    """Cut the rows after the header into batches; `empty` is the batch to start from."""
    file, line, record, first, passed = empty.file, empty.line, 1, 1, 0
    pending: list[bytes] = []
    for raw, row in chain(rows, [(b"", None)]):
        oversized = isinstance(row, Oversized)
        if not oversized:
            pending.append(raw)
            record += not is_blank(raw, file)
        if pending and (oversized or lines.drained):
            content = b"".join(pending)
            if content:
                yield replace(empty, line=line, record=first, content=content, size=len(content))
            line += content.count(b"\n")
            first = record
            pending = []
        if oversized:
            passed += raw.count(b"\n")
        if row is Oversized.END:
            yield _oversized(file, line, record)
            line, passed = line + passed, 0
            record += 1
            first = record


def _keeps_ascii_apart(encoding: str) -> bool:
    """Return whether the bytes of ASCII commas, quotes and line ends have no other meaning."""
    marks = ',\t"\r\n'
    apart = marks.encode(encoding, "replace").removeprefix(codecs.BOM_UTF8) == marks.encode()
    # These encode other characters in ASCII bytes, after an escape sequence.
    return apart and not encoding.lower().replace("-", "_").startswith(("hz", "iso2022", "utf_7"))


def column_names(row: Iterable[str], encoding: str) -> tuple[str, ...]:
    """Return the column names of a table, given as read in Latin-1."""
    raw = (name.encode("latin-1") for name in row)
    return tuple(name.decode(encoding, "replace").removeprefix("\ufeff") for name in raw)


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
            names = ", ".join(map(repr, columns))
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
