"""Marks in a text that is still being written, and the ranges that they become.

A mark is one character of a private area.  It opens a part of some kind or what a source has too;
the same character closes both.  Texts are wrapped and cut into pages with their marks, which have
no width.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

REFERENCES, QUOTES, CONTENTS, HEADERS, STATEMENT = (
    "references", "quotes", "contents", "headers", "statement",
)  # fmt: skip
KINDS = (REFERENCES, QUOTES, CONTENTS, HEADERS, STATEMENT)

CLOSE = "\ue002"
_KIND, _NOTE, _SOURCE = 0xE010, 0xE100, 0xF0000
# What interrupts parts and sources, as the notes at the foot of a page do.
_ASIDE = chr(_KIND + len(KINDS))
_KINDS = f"{chr(_KIND)}-{_ASIDE}"
OPENS = f"{_KINDS}{chr(_SOURCE)}-{chr(0xFFFFD)}"
# A footnote, until its place on a page is known.
NOTES = f"{chr(_NOTE)}-{chr(0xF000)}"
_MARK = re.compile(f"([{CLOSE}{OPENS}])")
_AROUND = re.compile(f"([{_KINDS}]*)(.*?)({CLOSE}*)", re.DOTALL)


class Part(NamedTuple):
    """A range of a text, in characters, end exclusive."""

    kind: str
    start: int
    end: int


class Copied(NamedTuple):
    """A range of a text that a source has too, in characters, end exclusive."""

    start: int
    end: int
    source: str


def part(kind: str, text: str) -> str:
    """Return a text, marked as a part."""
    return opened(kind) + text + CLOSE


def opened(kind: str) -> str:
    """Return the mark that opens a part."""
    return chr(_KIND + KINDS.index(kind))


def aside(text: str) -> str:
    """Return a text, marked as outside of parts and sources."""
    return _ASIDE + text + CLOSE


def copied(source: int, text: str) -> str:
    """Return a text, marked as that of a source."""
    return f"{chr(_SOURCE + source)}{text}{CLOSE}"


def note(number: int) -> str:
    """Return the mark of a footnote."""
    return chr(_NOTE + number)


def note_number(mark: str) -> int:
    """Return the number of a footnote by its mark."""
    return ord(mark) - _NOTE


def plain(text: str) -> str:
    """Return a text without its marks."""
    return _MARK.sub("", text)


def dressed(text: str, before: str = "", after: str = "") -> str:
    """Return a text with something before and after it: in the same part, but in no source."""
    found = _AROUND.fullmatch(text)
    assert found
    opens, inner, closes = found.groups()
    own = _left_open(inner)
    return f"{opens}{before}{inner}{CLOSE * own}{after}{closes[own:]}"


def _left_open(text: str) -> int:
    marks = _MARK.findall(text)
    return max(0, len(marks) - 2 * marks.count(CLOSE))


def _labelled(marked: str) -> Iterator[tuple[str, tuple[int, str], tuple[int, int]]]:
    """Yield each piece between marks, the part that it is in, and the source that has it.

    Both come with a number, so that two parts in a row remain two; 0 is none.
    """
    stack = [((0, ""), (0, 0))]
    for number, piece in enumerate(_MARK.split(marked), 1):
        if piece == CLOSE:
            stack.pop()
        elif not _MARK.match(piece):
            yield piece, *stack[-1]
        elif piece == _ASIDE:
            stack.append(stack[0])
        elif ord(piece) >= _SOURCE:
            stack.append((stack[-1][0], (number, ord(piece) - _SOURCE)))
        else:
            kind = KINDS[ord(piece) - _KIND]
            # What goes on below the head of a page does not include it.
            source = (0, 0) if kind == HEADERS else stack[-1][1]
            stack.append(((number, kind), source))
    assert len(stack) == 1, "a mark is left open"


def located(marked: str, names: list[str]) -> tuple[str, list[Part], list[Copied]]:
    """Take the marks out of a text, and return where parts and copies of sources are.

    Ranges start and end with a character that is not white space.  The innermost part counts: the
    head of a page cuts a list of references in two, and what a source has as well.
    """
    pieces, place = [], 0
    for piece, kind, source in _labelled(marked):
        pieces.append((place, piece, kind, source))
        place += len(piece)
    text = "".join(piece for _, piece, _, _ in pieces)

    def ranges(column: int) -> Iterator[tuple[int, int, str | int]]:
        runs = groupby((one for one in pieces if one[1]), key=lambda one: one[column])
        for (number, value), run in runs:
            listed = list(run)
            start, end = listed[0][0], listed[-1][0] + len(listed[-1][1])
            inner = text[start:end]
            if number and inner.strip():
                start += len(inner) - len(inner.lstrip())
                yield start, start + len(inner.strip()), value

    parts = [Part(str(kind), start, end) for start, end, kind in ranges(2)]
    copies = [Copied(start, end, names[int(source)]) for start, end, source in ranges(3)]
    return text, parts, copies
