"""Write files of records again, with some of the records changed or left out."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import IO, TypeAlias

from simdup.corpus.files import File
from simdup.corpus.json_arrays import LONGEST, Elements, Outside, split_array
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
from simdup.corpus.record_batches import is_blank

# Returns what is written of a record, given its number (0 for the header of CSV), its bytes and, of
# CSV, its fields; an element of an array has the comma before it.
Change: TypeAlias = Callable[[int, bytes, Row], bytes]


def without(redundant: Container[int]) -> Change:
    """Return the change that leaves out the records of these numbers."""
    return lambda number, raw, row: b"" if number and number in redundant else raw


def rewrite_records(file: File, stream: IO[bytes], change: Change) -> Iterator[bytes]:
    """Yield the bytes of a file of lines or of an array, with its records changed.

    Everything else is kept: blank lines, and records that are too large.
    """
    if file.format == "json":
        yield from _rewrite_array(file, stream, change)
        return
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


def _rewrite_array(file: File, stream: IO[bytes], change: Change) -> Iterator[bytes]:
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
