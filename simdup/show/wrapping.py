"""Painted text in lines that fit a width, whatever the width of its characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.cells import cell_len

from simdup.base.when_used import pattern
from simdup.show.escaping import shown


class Piece(NamedTuple):
    """Some text and how it is painted."""

    style: str  # one of `STYLES`; empty for none
    text: str


Line = list[Piece]

# A line may end before each of these: white space, a word, a character of a script that puts no
# spaces between words.  What opens or closes stays with its text, a mark with what it marks.
_WIDE = "\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef\U00016fe0-\U0003fffd"
_OPENS, _CLOSES = "“‘（《「『【", "、。，．！？；：”’）》」』】"
_ATOM = pattern(
    f"\\s+|(?:\\[-|\\{{\\+)?[{_OPENS}]*[{_WIDE}][{_CLOSES}]*(?:-\\]|\\+\\}})?"
    f"|[^\\s{_WIDE}]+[{_CLOSES}]*"
)


def split_lines(pieces: Iterable[Piece]) -> list[Line]:
    """Split pieces at their line ends; a line end at the very end begins no line."""
    lines: list[Line] = [[]]
    for style, text in pieces:
        first, *others = text.split("\n")
        lines[-1].append(Piece(style, first))
        lines += ([Piece(style, other)] for other in others)
    lines = [[piece for piece in line if piece.text] for line in lines]
    return lines if lines[-1] else lines[:-1]


def escape_line(line: Iterable[Piece]) -> Line:
    """Return a line without anything that could drive a terminal; a tab becomes spaces."""
    return [Piece(style, shown(text.replace("\t", "    "))) for style, text in line]


def wrap(line: Line, width: int) -> list[Line]:
    """Break a line that is escaped into lines of at most so many cells, at least one."""
    lines: list[Line] = [[]]
    used = 0
    for style, atom in _atoms(line, width):
        size = cell_len(atom)
        if used and used + size > width:
            lines.append([])
            used = 0
            if atom.isspace():
                continue
        if lines[-1] and lines[-1][-1].style == style:
            atom = lines[-1].pop().text + atom
        lines[-1].append(Piece(style, atom))
        used += size
    return lines


def fill(sentence: str, width: int) -> str:
    """Return a sentence in lines that fit a width; between Chinese characters they may break."""
    lines = wrap([Piece("", sentence)], width)
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)


def _atoms(line: Line, width: int) -> Iterator[Piece]:
    """Yield what may not be broken; what is wider than a line is broken all the same."""
    for style, text in line:
        for match in _ATOM.finditer(text):
            atom = match[0]
            if cell_len(atom) <= width:
                yield Piece(style, atom)
            else:
                yield from (Piece(style, part) for part in _chop(atom, width))


def _chop(atom: str, width: int) -> Iterator[str]:
    start = used = 0
    for i, character in enumerate(atom):
        size = cell_len(character)
        if used + size > width:
            yield atom[start:i]
            start, used = i, 0
        used += size
    yield atom[start:]
