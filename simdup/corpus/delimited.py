"""Delimited tables, CSV and TSV: how a file is written, its records, and batches of them.

How it is written, its *dialect*, is said by its beginning alone.  A first line `sep=;`, which Excel
writes and reads, decides; else of the candidates that cut the header into several fields the one is
taken

1. whose header has the wanted fields; else
2. with which the largest share of the first records has as many fields as the header; of several
3. the one with the most fields; of several the comma last, which is in numbers and sentences too.

Where no candidate cuts the header, the table has one column.

A record may contain line ends within quotes, so Python's csv module finds its end, at some
120 MB/s, in the undecoded bytes.  This is right for every encoding in which the bytes of the ASCII
delimiter, quote and line end are never part of other characters.  So UTF-16 is turned into UTF-8
as it is read, and turned back where it is written again.  In a file whose lines end with CR alone,
CR and LF change places in the same way.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any

from simdup.corpus.decoding import NotText, decode, without_nuls
from simdup.corpus.files import File
from simdup.corpus.lines import (
    BATCH_BYTES,
    LinePart,
    Lines,
    Oversized,
    Row,
    whole_lines,
)
from simdup.corpus.patterns import is_own_result, leave_out
from simdup.corpus.record_batches import (
    RawBatch,
    is_blank,
    missing_field,
    oversized,
    unsupported,
)
from simdup.corpus.record_fields import Unchanged, cut_pieces, examples, has_texts, text_fields
from simdup.corpus.shapes import is_prose
from simdup.model.documents import Skipped
from simdup.model.settings import Reading

if TYPE_CHECKING:
    from simdup.corpus.changes import Change, Note
    from simdup.corpus.record_fields import Spans

# What a table is cut by where its beginning says nothing: by its format.
DELIMITERS = {"csv": ",", "tsv": "\t"}
# Of those that fit equally well the first is taken.
_CANDIDATES = "\t;|,"
# Records and bytes that are looked at: a header may be long.
_RECORDS, _SAMPLE = 20, 1 << 16
_NO_HEADER = "the first line must name the columns, such as id,text"
_ONE_COLUMN = "if another character separates the columns, `delimiter` names it"
_BEGINNING = re.compile(rb'(?:\xef\xbb\xbf)?(?:(?i:"?sep=)([\x01-\t\x0b\x0c\x0e-!#-\x7f])"?\r?\n)?')
_LINE_END = re.compile(rb"[\r\n]+")
_SWAPPED = bytes.maketrans(b"\r\n", b"\n\r")
# Bytes that are never part of a longer character.
_APART = tuple(bytes([byte]) for byte in b"\n\r\t ,")


class Unsupported(NotText):
    """A table is in an encoding that it cannot be cut in; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written."""

    delimiter: str
    encoding: str  # of the file
    returns: bool = False  # whether its lines end with CR alone
    columns: tuple[str, ...] = ()  # the names of its fields

    @property
    def codec(self) -> str:
        """The encoding of its bytes as they are cut."""
        return "utf-8" if _is_utf16(self.encoding) else self.encoding

    def rows(self, content: bytes) -> Iterator[tuple[bytes, Row]]:
        """Yield the bytes and the decoded fields of each record in a batch."""
        return csv_rows(io.BytesIO(content), self.delimiter, self._decoder())

    def _decoder(self) -> Callable[[bytes], str]:
        """Return what decodes lines; malformed bytes become lone surrogates, which text lacks."""
        codec, returns = self.codec, self.returns

        def decode_line(line: bytes) -> str:
            line = line.translate(_SWAPPED) if returns else line
            return without_nuls(line, codec).decode(codec, "surrogateescape")

        return decode_line


class Table:
    """A file of CSV or TSV from its beginning on, its bytes as they are cut.

    Parameters
    ----------
    file : File
        The file.
    stream : file
        Its content.
    reading : Reading
        How it is read.

    Attributes
    ----------
    head : bytes
        What the file begins with, as it is.
    before : bytes
        What is passed over before the header.
    dialect : Dialect
        How it is written; the columns are not known yet.

    Raises
    ------
    NotText
        If it is binary; `Unsupported` if it is in an encoding that tables cannot be cut in.
    """

    def __init__(self, file: File, stream: IO[bytes], reading: Reading) -> None:
        self._file, self._stream = file, stream
        self._fault: Exception | None = None
        head, looked, begun = bytearray(), 0, None
        while begun is None:
            chunk = self._read(BATCH_BYTES - len(head))
            head += chunk
            whole = not chunk or len(head) >= BATCH_BYTES
            # A slow writer gets results line by line; to look at twice as much keeps it linear.
            if whole or (not stream.seekable() and _LINE_END.search(chunk) and len(head) > looked):
                looked = 2 * len(head)
                begun = _begin(bytes(head), file, reading, whole)
        self.dialect, self.before = begun
        self.head = bytes(head)
        wide = self.dialect.codec != self.dialect.encoding
        decoder = codecs.getincrementaldecoder(self.dialect.encoding)
        self._decoder = decoder("surrogatepass") if wide else None
        self._begun = False

    def _read(self, size: int) -> bytes:
        try:
            chunk: bytes = self._stream.read1(size)  # type: ignore[attr-defined]
        except Exception as error:
            # A damaged file is read up to the damage.
            self._fault = error
            return b""
        return chunk

    def rows(self) -> Iterator[tuple[bytes, Row]]:
        """Yield the bytes and the fields in Latin-1 of each record, the header first."""
        self.lines = Lines(whole_lines(self, self._file.max_size))  # type: ignore[arg-type]
        return csv_rows(self.lines, self.dialect.delimiter, decode_latin_1, self._file.max_size)

    def seekable(self) -> bool:
        """Return whether it is a file, not a pipe."""
        return self._stream.seekable()

    def read1(self, size: int) -> bytes:
        """Return some of the bytes after `before`; empty at the end."""
        content = b""
        if not self._begun:
            self._begun = True
            content = self._cuttable(self.head)[len(self.before) :]
        while not content and not self._fault and (chunk := self._read(size)):
            content = self._cuttable(chunk)
        if self._fault and not content:
            raise self._fault
        return content

    def _cuttable(self, chunk: bytes) -> bytes:
        if self._decoder is not None:
            chunk = self._decoder.decode(chunk).encode("utf-8", "surrogatepass")
        return chunk.translate(_SWAPPED) if self.dialect.returns else chunk

    def restored(self, parts: Iterable[bytes]) -> Iterator[bytes]:
        """Yield parts of the bytes as they are in the file."""
        decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
        for part in chain([self.before], parts):
            if self.dialect.returns:
                part = part.translate(_SWAPPED)
            if self._decoder is not None:
                part = decoder.decode(part).encode(self.dialect.encoding, "surrogatepass")
            yield part
        if self._decoder is not None:
            yield self._decoder.getstate()[0]  # half a character at the end


# -- recognition --


def _begin(head: bytes, file: File, reading: Reading, whole: bool) -> tuple[Dialect, bytes] | None:
    """Return the dialect of a table, and what is before its header.

    None if only the beginning of what decides is there, which `head` is unless it is `whole`.
    """
    encoding = _encoding_of(head, file, reading, whole)
    if _is_utf16(encoding):
        text = codecs.getincrementaldecoder(encoding)("surrogatepass").decode(head)
        head = text.encode("utf-8", "surrogatepass")
    # Even after a quote within a field, the next line end outside of quotes is one of the file.
    outside = b"".join(head.split(b'"')[::2])
    end = _LINE_END.search(outside)
    if not whole and (end is None or (b"\n" not in end[0] and end.end() == len(outside))):
        return None
    returns = end is not None and b"\n" not in end[0]
    if returns:
        head = head.translate(_SWAPPED)
    begin: Any = _BEGINNING.match(head)
    dialect = Dialect(reading.delimiter or (begin[1] or b"").decode(), encoding, returns)
    if not dialect.delimiter:
        delimiter = _recognised(head[begin.end() :], file, dialect, reading, whole)
        if delimiter is None:
            return None
        dialect = replace(dialect, delimiter=delimiter)
    return dialect, begin[0]


def _encoding_of(head: bytes, file: File, reading: Reading, whole: bool) -> str:
    """Return the encoding of a table; raise NotText if it cannot be cut."""
    encoding = reading.encoding
    if not encoding:
        # Not half of a last character.
        end = max(map(head.rfind, _APART)) if not whole or len(head) >= BATCH_BYTES else -1
        encoding = decode(head[: end + 1] or head).encoding
    name = codecs.lookup(encoding).name
    if name == "utf-8-sig":
        return "utf-8"
    if name == "utf-16":
        encoding = f"utf-16-{'be' if head.startswith(codecs.BOM_UTF16_BE) else 'le'}"
    if not _is_utf16(encoding) and not _keeps_ascii_apart(encoding):
        raise Unsupported(unsupported(file, encoding))
    return encoding


def _recognised(
    content: bytes, file: File, dialect: Dialect, reading: Reading, whole: bool
) -> str | None:
    """Return the delimiter that the first records have, or None: see `_begin`."""
    sample = content[:_SAMPLE]
    if b"\n" in sample and (len(content) > _SAMPLE or not whole):
        sample = sample[: sample.rfind(b"\n") + 1]
    text = decode_latin_1(sample)
    default = DELIMITERS[file.format]
    fits = [((False, 0.0, 1), default)]
    for delimiter in _CANDIDATES:
        lines = io.StringIO(text, newline="\n")
        records = list(_first_rows(csv.reader(lines, delimiter=delimiter, strict=True)))
        columns = len(records[0]) if records else 0
        if not columns and not whole:
            return None
        if columns > 1:
            names = column_names(records[0], dialect.codec)
            share = sum(len(row) == columns for row in records) / len(records)
            has = has_texts(dict.fromkeys(names, ""), reading)
            fits.append(((has, share, columns), delimiter))
    # The header alone decides if one candidate has the fields, or if none cuts it.
    if not whole and len(fits) > 1 and sum(fit[0] for fit, _ in fits) != 1:
        return None
    return max(fits, key=lambda fit: fit[0])[1]


def _first_rows(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yield the first records that are not blank; a broken one has no fields."""
    count = 0
    while count < _RECORDS:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error:
            row = []
        else:
            if not row:
                continue
        count += 1
        yield row


def _with_columns(dialect: Dialect, header: Row) -> Dialect:
    names = header if isinstance(header, list) else ()
    return replace(dialect, columns=column_names(names, dialect.codec))


def column_names(row: Iterable[str], codec: str) -> tuple[str, ...]:
    """Return the column names of a table, given as read in Latin-1."""
    raw = (name.encode("latin-1") for name in row)
    return tuple(name.decode(codec, "replace").removeprefix("\ufeff") for name in raw)


def _is_utf16(encoding: str) -> bool:
    return codecs.lookup(encoding).name.startswith("utf-16")


def _keeps_ascii_apart(encoding: str) -> bool:
    """Return whether the bytes of ASCII delimiters, quotes and line ends have no other meaning."""
    marks = ',;|\t"\r\n'
    apart = marks.encode(encoding, "replace").removeprefix(codecs.BOM_UTF8) == marks.encode()
    # These encode other characters in ASCII bytes, after an escape sequence.
    return apart and not encoding.lower().replace("-", "_").startswith(("hz", "iso2022", "utf_7"))


# -- batches --


def cut_csv(file: File, stream: IO[bytes], reading: Reading) -> Iterator[RawBatch | Skipped]:
    """Cut a file of CSV or TSV."""
    try:
        table = Table(file, stream, reading)
    except NotText as error:
        wrong = isinstance(error, Unsupported)
        yield Skipped(file.path, str(error), error=wrong, hint=error.hint)
        return
    if file.walked and is_own_result(table.head):
        yield leave_out(file.path)
        return
    rows = table.rows()
    line = 1 + table.before.count(b"\n")
    for raw, row in rows:
        line += raw.count(b"\n")
        if isinstance(row, Oversized):
            yield Skipped(file.path, f"line 1: {file.too_large}", error=True)
            return
        if not is_blank(raw, file):
            dialect = _with_columns(table.dialect, row)
            missing = missing_field(dialect.columns, reading)
            if missing:
                few = [row for _, row in islice(rows, _RECORDS) if isinstance(row, list)]
                texts = (column_names(row, dialect.codec) for row in few)
                records = (dict(zip(dialect.columns, row, strict=False)) for row in texts)
                fields = examples(dict.fromkeys(dialect.columns, ""), *records)
                alone = len(dialect.columns) == 1
                headless = any(map(is_prose, dialect.columns))
                fields = {} if headless else fields
                what = f"line {line - 1}: {missing.reason}{' or `delimiter`' * alone}"
                hint = _NO_HEADER if headless else _ONE_COLUMN * alone
                yield replace(missing, document=file.path, reason=what, fields=fields, hint=hint)
                return
            empty = RawBatch(file, line, record=1, content=b"", size=0, dialect=dialect)
            yield from _cut_rows(rows, table.lines, empty)


def _cut_rows(
    rows: Iterator[tuple[bytes, Row]], lines: Lines, empty: RawBatch
) -> Iterator[RawBatch | Skipped]:
    """Cut the rows after the header into batches; `empty` is the batch to start from."""
    file, line, record, first, passed = empty.file, empty.line, 1, 1, 0
    pending: list[bytes] = []
    for raw, row in chain(rows, [(b"", None)]):
        large = isinstance(row, Oversized)
        if not large:
            pending.append(raw)
            record += not is_blank(raw, file)
        if pending and (large or lines.drained):
            content = b"".join(pending)
            if content:
                yield replace(empty, line=line, record=first, content=content, size=len(content))
            line += content.count(b"\n")
            first = record
            pending = []
        if large:
            passed += raw.count(b"\n")
        if row is Oversized.END:
            yield oversized(file, line, record)
            line, passed = line + passed, 0
            record += 1
            first = record


# -- records that are written again --


def change_csv(file: File, stream: IO[bytes], reading: Reading, change: Change) -> Iterator[bytes]:
    """Yield a file of CSV or TSV with its records changed; the header is number 0."""
    table = Table(file, stream, reading)
    return table.restored(_changed(table, file, reading, change))


def _changed(table: Table, file: File, reading: Reading, change: Change) -> Iterator[bytes]:
    form, number = None, 0
    for raw, row in table.rows():
        if isinstance(row, Oversized):
            yield raw
            number += row is Oversized.END
        elif is_blank(raw, file):
            yield raw
        else:
            form = form or _Rows(_with_columns(table.dialect, row), reading)
            yield change.record(number, raw, form)
            number += 1


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of a table, as they are written; see `simdup.corpus.changes`."""

    dialect: Dialect
    reading: Reading

    def noted(self, change: Change, number: int, raw: bytes, note: Note) -> bytes:
        """Return a row with further cells, or the header with the names of these."""
        body, columns = raw.rstrip(b"\0\r\n"), self.dialect.columns
        if number:
            self._cells(raw, "annotated")
        else:
            change.require_free(columns)
        cells: Iterable[Any] = ("" if cell is None else cell for cell in note)
        added = self._record(cells if number else note._fields, "backslashreplace")
        return body + self.dialect.delimiter.encode() + added + raw[len(body) :]

    def cut(self, raw: bytes, spans: Spans) -> bytes:
        """Return a row without spans of its text."""
        row, columns = self._cells(raw, "cut"), self.dialect.columns
        # The last column of a name is the one that is read.
        places = {name: i for i, name in enumerate(columns)}
        fields = [places[name] for name in text_fields(dict.fromkeys(columns, ""), self.reading)]
        for i, text in zip(fields, cut_pieces([row[i] for i in fields], spans), strict=True):
            row[i] = text
        # Bytes that are in no encoding come back as they were.
        return self._record(row, "surrogateescape") + raw[len(raw.rstrip(b"\r\n")) :]

    def _cells(self, raw: bytes, done: str) -> list[str]:
        """Return the cells of a row; raise if it is broken, and cannot be `done`."""
        (_, row), *_ = self.dialect.rows(raw)
        if not isinstance(row, list) or len(row) != len(self.dialect.columns):
            why = f"has not as many fields as there are columns, and cannot be {done}"
            raise Unchanged(why)
        return row

    def _record(self, cells: Iterable[Any], errors: str) -> bytes:
        """Return the bytes of a row, without its end."""
        line, dialect = io.StringIO(newline=""), self.dialect
        # With this end, the writer quotes what has either half of it.
        csv.writer(line, delimiter=dialect.delimiter, lineterminator="\r\n").writerow(cells)
        content = line.getvalue().removesuffix("\r\n").encode(dialect.codec, errors)
        return content.translate(_SWAPPED) if dialect.returns else content


# -- records --


def csv_rows(
    lines: Iterable[bytes],
    delimiter: str,
    decode_line: Callable[[bytes], str],
    most: int = sys.maxsize,
) -> Iterator[tuple[bytes, Row]]:
    """Yield the bytes and the fields of each CSV record.

    The reader is strict: a misplaced quote is an error.  A lenient reader would silently treat
    everything up to the next quote as one field.

    A record of more than `most` bytes, such as one with an unclosed quote, comes in parts.
    """
    # The default limit is 131,072 characters; a long law has three times as many.
    csv.field_size_limit((1 << 31) - 1)
    lines = iter(lines)
    # Not a list: objects for lines of a few bytes would take ten times as much memory.
    consumed = bytearray()

    def decode_lines() -> Iterator[str]:
        for line in lines:
            consumed.extend(line)
            if len(consumed) > most or isinstance(line, LinePart):
                raise _TooLarge(isinstance(line, LinePart) and bool(line))
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
        except _TooLarge as error:
            begun = bytes(consumed)
            consumed.clear()
            yield from _parts(begun, error.within_line, lines)
            rows = csv.reader(decode_lines(), delimiter=delimiter, strict=True)
            continue
        yield bytes(consumed), row
        consumed.clear()


class _TooLarge(Exception):
    """A record exceeds the size limit."""

    def __init__(self, within_line: bool) -> None:
        super().__init__(within_line)
        self.within_line = within_line  # whether more of the last line follows


def _parts(
    begun: bytes, within_line: bool, lines: Iterator[bytes]
) -> Iterator[tuple[bytes, Oversized]]:
    """Yield the rest of an open record without keeping it in memory.

    It ends with the first line after which all quotes are closed.
    """
    yield begun, Oversized.PART
    quotes = begun.count(b'"')
    gathered = bytearray()
    while within_line or quotes % 2:
        line = next(lines, None)
        if line is None:
            break
        gathered.extend(line)
        if len(gathered) >= BATCH_BYTES:
            yield bytes(gathered), Oversized.PART
            gathered.clear()
        quotes += line.count(b'"')
        within_line = isinstance(line, LinePart) and bool(line)
    yield bytes(gathered), Oversized.PART
    yield b"", Oversized.END


def decode_latin_1(line: bytes) -> str:
    """Decode bytes that will only be cut at ASCII characters; NULs are padding."""
    return line.replace(b"\0", b"").decode("latin-1")
