"""The differences of two texts as a person reads them: one text with marks.

What `a` alone has is ``[-removed-]``, what `b` alone has is ``{+added+}``, as in git's word diff.
The marks survive where colours do not.  What is the same after folding is shown as `a` has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from simdup.base.when_used import pattern
from simdup.corpus.names import to_bytes
from simdup.model.comparison import Comparison, Span
from simdup.show.text import Painter
from simdup.show.words import ENGLISH, Phrases
from simdup.show.wrapping import Line, Piece, escape_line, split_lines, wrap

# Characters shown of a long unchanged stretch before and after a change: about a line of Chinese
# at 80 columns, two of English in columns.
_CONTEXT = 40
# What is left out must be longer than what says so.
_LEAST = 80
# Characters shown of the first difference, of either text, and on either side of it.
_SHOWN, _BESIDE = 24, 12

_SPACE = pattern(r"\s+")
_LONE_RETURN = pattern("\\r(?!\\n)")

_STYLES = {"equal": "", "folded": "dim", "removed": "removed", "added": "added"}
_MARKS = {"removed": ("[-", "-]"), "added": ("{+", "+}")}


def diff_text(compared: Comparison, texts: tuple[str, str], paint: Painter) -> Iterator[bytes]:
    """Yield the differences of two texts, in lines that fit a terminal."""
    yield legend(paint)
    for line in split_lines(shorten(pieces_of(compared.diff or (), *texts), paint.words)):
        shown = escape_line(mark(line))
        for part in wrap(shown, paint.width) if paint.width else [shown]:
            yield to_bytes(paint.line(part) + "\n")


def legend(paint: Painter) -> bytes:
    """Return what the marks and the colors mean."""
    words = paint.words
    heading = f"{paint('removed', words('diff.a'))}  {paint('added', words('diff.b'))}"
    dim = paint("dim", "  " + words("diff.folded")) * paint.on
    return to_bytes(f"\n  {heading}{dim}\n\n")


def feed_lines(text: str) -> str:
    """Return a text with a line feed at the end of every line; spans keep their places in it."""
    return _LONE_RETURN.sub("\n", text)


def pieces_of(spans: Iterable[Span], a: str, b: str) -> list[Piece]:
    """Return the text of each span: that of `b` only where it is added."""
    a, b = feed_lines(a), feed_lines(b)
    parts: list[Piece] = []
    for kind, in_a, in_b in spans:
        text = b[slice(*in_b)] if kind == "added" else a[slice(*in_a)]
        parts.append(Piece(_STYLES[kind], text.replace("\r", "")))
    return parts


def is_change(piece: Piece) -> bool:
    """Return whether only one of the texts has it."""
    return piece.style in _MARKS


def first_difference(compared: Comparison, texts: tuple[str, str]) -> tuple[int, Line]:
    """Return in how many places texts differ, and the first one with marks, in one line."""
    groups = [
        list(group) for _, group in groupby(pieces_of(compared.diff or (), *texts), is_change)
    ]
    places = [k for k, group in enumerate(groups) if is_change(group[0])]
    if not places:
        return 0, []
    at = places[0]
    before, after = (
        "".join(piece.text for group in around for piece in group)
        for around in (groups[:at], groups[at + 1 : at + 2])
    )
    line = [
        Piece("", _begin(before[::-1], _BESIDE)[::-1]),
        *(Piece(style, _begin(text, _SHOWN)) for style, text in groups[at]),
        Piece("", _begin(after, _BESIDE)),
    ]
    return len(places), escape_line(mark(line))


def _begin(text: str, size: int) -> str:
    """Return how a text begins, in one line."""
    text = _SPACE.sub(" ", text)
    return text if len(text) <= size else text[:size] + "…"


def shorten(pieces: Iterable[Piece], words: Phrases = ENGLISH) -> list[Piece]:
    """Leave out the middle of long unchanged stretches, and say so on a line of its own."""
    shortened: list[Piece] = []
    for changed, group in groupby(pieces, is_change):
        stretch = list(group)
        size = sum(len(piece.text) for piece in stretch)
        if changed or size < 2 * _CONTEXT + _LEAST:
            shortened += stretch
            continue
        text = "".join(piece.text for piece in stretch)
        start, end = _after(text), len(text) - _after(text[::-1])
        note = unchanged(end - start, all(not piece.style for piece in stretch), words)
        shortened += _cut(stretch, 0, start)
        shortened += [Piece("", "\n"), note, Piece("", "\n")]
        shortened += _cut(stretch, end, size)
    return shortened


def unchanged(characters: int, equal: bool = True, words: Phrases = ENGLISH) -> Piece:
    """Return what stands for what is left out."""
    return Piece("dim", words("diff.unchanged" if equal else "diff.alike", n=characters))


def _after(text: str) -> int:
    """Return how much of a stretch is shown: up to the end of a line or word if one is near."""
    head = text[:_CONTEXT]
    for end, near in (("\n", _CONTEXT // 4), (" ", _CONTEXT // 2)):
        at = head.rfind(end)
        if at >= near:
            return at
    return _CONTEXT


def _cut(pieces: Iterable[Piece], start: int, end: int) -> Iterator[Piece]:
    """Yield what pieces have between two places."""
    at = 0
    for style, text in pieces:
        part = text[max(0, start - at) : max(0, end - at)]
        if part:
            yield Piece(style, part)
        at += len(text)


def mark(line: Line) -> Line:
    """Put marks around what only one of the texts has; white space behind it stays outside."""
    marked: Line = []
    for style, text in line:
        if style not in _MARKS or not text.strip():
            marked.append(Piece(style, text))
            continue
        begin, end = _MARKS[style]
        body = text.rstrip()
        marked += [Piece(style, f"{begin}{body}{end}"), Piece("", text[len(body) :])]
    return [piece for piece in marked if piece.text]
