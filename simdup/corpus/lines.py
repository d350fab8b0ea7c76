"""Files of records as lines: in pieces of bounded size, and the records of CSV.

A line, or a record of CSV, that is larger than a document may be comes in parts, so that neither a
bomb nor a quote that is never closed fills the memory.
"""

from __future__ import annotations

import codecs
import csv
import io
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import chain
from typing import IO, TypeAlias

# A batch should take some tens of milliseconds: long beside the cost of handing it to another
# process (1 ms), short beside the whole.
BATCH_BYTES = 1 << 19

DELIMITERS = {"csv": ",", "tsv": "\t"}


class LinePart(bytes):
    """A part of a line that is larger than a record may be; the last part is empty."""


class Oversized(Enum):
    """In the place of the fields of a record that is larger than it may be."""

    PART = "part"
    END = "end"


# The fields of a record of CSV; None for one that is broken.
Row: TypeAlias = list[str] | Oversized | None


def whole_lines(stream: IO[bytes], most: int) -> Iterator[bytes]:
    """Yield the content of a stream in pieces of whole lines.

    Of a line that is longer than `most` and than a chunk, the parts are yielded as they come, and
    then an empty part.
    """
    begun: list[bytes] = []
    size = 0
    within = False  # a line in parts
    for chunk in _chunks(stream):
        if within:
            end = chunk.find(b"\n") + 1
            yield LinePart(chunk[:end] if end else chunk)
            if not end:
                continue
            yield LinePart()
            chunk, within = chunk[end:], False
        end = chunk.rfind(b"\n") + 1
        if end:
            yield b"".join([*begun, chunk[:end]])
            begun, size = [], 0
        if end < len(chunk):
            begun.append(chunk[end:])
            size += len(chunk) - end
        if size > most:
            yield LinePart(b"".join(begun))
            begun, size, within = [], 0, True
    if within:
        yield LinePart()
    if begun:
        yield b"".join(begun)


def split_mark(pieces: Iterator[bytes]) -> tuple[bytes, bytes, Iterator[bytes]]:
    """Return the byte order mark, if any, and without it the first piece, and all pieces."""
    head = next(pieces, b"")
    mark = head[: len(codecs.BOM_UTF8)] if head.startswith(codecs.BOM_UTF8) else b""
    head = type(head)(head[len(mark) :])
    return mark, head, chain([head], pieces)


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


class Lines:
    """Lines of pieces of whole lines; it knows when the next line needs another piece."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._piece = io.BytesIO()
        self._size = 0

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        line = self._piece.readline()
        while not line:
            piece = next(self._pieces)
            if isinstance(piece, LinePart):
                return piece
            self._piece, self._size = io.BytesIO(piece), len(piece)
            line = self._piece.readline()
        return line

    @property
    def drained(self) -> bool:
        """Whether all lines of the pieces so far are consumed."""
        return self._piece.tell() == self._size


def csv_rows(
    lines: Iterable[bytes],
    delimiter: str,
    decode_line: Callable[[bytes], str],
    most: int = sys.maxsize,
) -> Iterator[tuple[bytes, Row]]:
    """Yield the bytes and the fields of each record of CSV.

    The reader is strict: a quote in the wrong place is an error, where a lenient reader would
    silently take everything up to the next quote for one field.

    A record of more than `most` bytes, such as one whose quote is never closed, comes in parts.
    """
    # The module's own limit is 131,072 characters; a long law has three times that.
    csv.field_size_limit((1 << 31) - 1)
    lines = iter(lines)
    # Not a list: objects for lines of a few bytes would take ten times their room.
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
    """A record is larger than it may be."""

    def __init__(self, within_line: bool) -> None:
        super().__init__(within_line)
        self.within_line = within_line  # more of the last line comes


def _parts(
    begun: bytes, within_line: bool, lines: Iterator[bytes]
) -> Iterator[tuple[bytes, Oversized]]:
    """Yield a record that has begun already, without keeping the rest of it in memory.

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
    """Return the text of bytes that are only to be cut at ASCII characters; NULs are padding."""
    return line.replace(b"\0", b"").decode("latin-1")
