"""Split files of records into lines, in pieces of bounded size.

A line that exceeds the size limit of documents comes in parts, and so does a CSV record.  So
neither a decompression bomb nor a quote that is never closed fills the memory.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from enum import Enum
from typing import IO, TypeAlias

# A batch should take some tens of milliseconds: long compared with passing it to another process
# (1 ms), short compared with the whole run.
BATCH_BYTES = 1 << 19


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
