"""Split files of records into lines, in pieces of bounded size, and CSV into records.

A line, or a CSV record, that exceeds the size limit of documents comes in parts.  So neither a
decompression bomb nor a quote that is never closed fills the memory.
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

# A batch should take some tens of milliseconds: long compared with passing it to another process
# (1 ms), short compared with the whole run.
BATCH_BYTES = 1 << 19

DELIMITERS = {"csv": ",", "tsv": "\t"}


class LinePart(bytes):
    """A part of a line that exceeds the size limit of records; the last part is empty."""


class Oversized(Enum):
    """Stands for the fields of a record that exceeds the size limit."""

    PART = "part"
    END = "end"


# The fields of a CSV record; None for a broken one.
Row: TypeAlias = list[str] | Oversized | None


def whole_lines(stream: IO[bytes], most: int) -> Iterator[bytes]:
    """Yield the content of a stream in pieces of whole lines.

    A line that is longer than `most` and than a chunk is yielded in parts as they arrive, followed
    by an empty part.
    """
    begun: list[bytes] = []
    size = 0
    within = False  # whether a line in parts is open
    for chunk in chunks_of(stream):
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
    """Return the byte order mark, if any, and without it the first piece and all pieces."""
    head = next(pieces, b"")
    mark = head[: len(codecs.BOM_UTF8)] if head.startswith(codecs.BOM_UTF8) else b""
    head = type(head)(head[len(mark) :])
    return mark, head, chain([head], pieces)


def chunks_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of a stream: a pipe as data arrives, a file in large pieces.

    So a slow writer gets results line by line, and a damaged file is read up to the damage.
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
    """Iterates over the lines of pieces; it knows when the next line needs another piece."""

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
        """Whether all lines of the pieces so far have been consumed."""
        return self._piece.tell() == self._size


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
