"""The differences of two texts in two columns, line beside line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, zip_longest
from typing import NamedTuple

from simdup.corpus.names import to_bytes
from simdup.model.comparison import Comparison, Span
from simdup.output.diff import feed_lines, is_change, legend, mark, pieces_of, shorten, unchanged
from simdup.output.text import Painter
from simdup.output.words import Phrases
from simdup.output.wrapping import Line, Piece, cells, escape_line, painted, split_lines, wrap

# The width where there is no terminal.
_WIDTH = 80
# Narrower columns tear every word apart.
_NARROWEST = 10
# Unchanged lines shown before and after a change.
_CONTEXT = 2


class LinePair(NamedTuple):
    """Lines shown beside each other; None where a text has no line for the other's."""

    a: Line | None
    b: Line | None

    @property
    def same(self) -> bool:
        """Whether both lines are the same, at least after folding."""
        if self.a is None or self.b is None:
            return False
        return not any(map(is_change, [*self.a, *self.b]))

    @property
    def sign(self) -> str:
        """What is shown between the lines: ``|`` where they share something and differ."""
        pieces = [*(self.a or ()), *(self.b or ())]
        if None not in (self.a, self.b):
            return " " if self.same else "|"
        if any(not is_change(piece) and piece.text.strip() for piece in pieces):
            return "|"
        return ">" if self.a is None else "<"


def columns_text(found: Comparison, texts: tuple[str, str], paint: Painter) -> Iterator[bytes]:
    """Yield two texts in two columns that fit a terminal."""
    width = max(_NARROWEST, ((paint.width or _WIDTH) - 3) // 2)
    yield legend(paint)
    names = LinePair(*([Piece("heading", name)] for name in found.names))
    yield from _row_text(names, " ", width, paint)
    for same, group in groupby(align_rows(found.diff or (), *texts), lambda row: row.same):
        rows = list(group)
        if same and len(rows) > 2 * _CONTEXT + 1:
            yield from _rows_text(rows[:_CONTEXT], width, paint)
            left_out = [piece for row in rows[_CONTEXT:-_CONTEXT] for piece in row.a or ()]
            size = sum(len(piece.text) for piece in left_out)
            note = unchanged(size, all(not piece.style for piece in left_out), paint.words)
            yield to_bytes(painted([note], paint) + "\n")
            rows = rows[-_CONTEXT:]
        yield from _rows_text(rows, width, paint)


def align_rows(spans: Sequence[Span], a: str, b: str) -> list[LinePair]:
    """Return the lines of two texts in rows: beside each line the one it shares most with."""
    a, b = feed_lines(a), feed_lines(b)
    a_lines = split_lines(pieces_of((s for s in spans if s.kind != "added"), a, b))
    # Seen from `b`: what is the same after folding is shown as `b` has it.
    turned = [Span(kind, in_b, in_b) for kind, _, in_b in spans if kind != "removed"]
    b_lines = split_lines(pieces_of(turned, b, b))
    rows: list[LinePair] = []
    i = j = 0
    for m, n in [*_line_pairs(spans, a, b), (len(a_lines), len(b_lines))]:
        rows += (LinePair(*beside) for beside in zip_longest(a_lines[i:m], b_lines[j:n]))
        if m < len(a_lines):
            rows.append(LinePair(a_lines[m], b_lines[n]))
        i, j = m + 1, n + 1
    return rows


def _line_pairs(spans: Iterable[Span], a: str, b: str) -> list[tuple[int, int]]:
    """Return the numbers of lines that share more with each other than with any other, rising."""
    shared: dict[tuple[int, int], int] = {}
    i = j = 0
    for _, in_a, in_b in spans:
        left, right = a[slice(*in_a)].split("\n"), b[slice(*in_b)].split("\n")
        # Where folding joins lines, the first of them are taken for each other.
        for k, (one, other) in enumerate(zip(left, right, strict=False)):
            size = min(len(one.strip()), len(other.strip())) + (k + 1 < min(len(left), len(right)))
            if size and in_a[0] < in_a[1] and in_b[0] < in_b[1]:
                shared[i + k, j + k] = shared.get((i + k, j + k), 0) + size
        i += len(left) - 1
        j += len(right) - 1
    best_a: dict[int, tuple[int, int]] = {}
    best_b: dict[int, tuple[int, int]] = {}
    for (i, j), size in shared.items():
        best_a[i] = max(best_a.get(i, (0, 0)), (size, -j))
        best_b[j] = max(best_b.get(j, (0, 0)), (size, -i))
    return sorted(
        (i, j) for (i, j), size in shared.items() if best_a[i][1] == -j and best_b[j][1] == -i
    )


def _rows_text(rows: Iterable[LinePair], width: int, paint: Painter) -> Iterator[bytes]:
    for row in rows:
        yield from _row_text(row, row.sign, width, paint)


def _row_text(row: LinePair, sign: str, width: int, paint: Painter) -> Iterator[bytes]:
    columns = (_column(line or [], width, paint.words) for line in row)
    for left, right in zip_longest(*columns, fillvalue=[]):
        padding = " " * (width - cells(left))
        # Of a long line with a small change, only the parts with the change have the sign.
        here = sign if sign != "|" or any(map(is_change, [*left, *right])) else " "
        line = f"{painted(left, paint)}{padding} {here} {painted(right, paint)}"
        yield to_bytes(line.rstrip() + "\n")


def _column(line: Line, width: int, words: Phrases) -> Iterator[Line]:
    """Yield a line of a text in lines of a column, long unchanged stretches left out."""
    for part in split_lines(shorten(line, words)) or [[]]:
        yield from wrap(escape_line(mark(part)), width)
