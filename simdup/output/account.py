"""The account of a cleaned corpus: what each source, author or folder lost, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simdup.model.cleaned import Lost, Part
from simdup.output.escaping import shown
from simdup.output.removed import BEGINNING
from simdup.output.summary import size_words
from simdup.output.text import Painter, aligned, shortened
from simdup.when_used import pattern

# More rows do not help a person; programs get all.
ROWS = 20
_INDENT = 10
# Facts of a document that are named.
FACTS = 5
_SPACE = pattern(r"\s+")
# The columns, and their terminal cells.
_FIGURES = ("documents", "removed", "share", "bytes")
_WIDTHS = (9, 8, 7, 13)


def account_text(parts: tuple[Part, ...], by: str, paint: Painter) -> Iterator[str]:
    """Yield the lines of a table: the groups that lost most, and how many others there are."""
    if not parts:
        return
    words = paint.words
    indent = sum(_WIDTHS) + 2 * len(_WIDTHS)
    by = words("account.folder") if by == "folder" else by
    yield paint(
        "dim", _row([words(f"account.{name}") for name in _FIGURES], paint.name(by, indent))
    )
    for part in parts[:ROWS]:
        name = part.name or words("account.empty")
        name = words("account.without", by=by) if part.name is None else name
        bytes_ = size_words(part.removed_bytes, words)
        cells = (f"{part.documents:,}", f"{part.removed:,}", f"{part.share:.1%}", bytes_)
        yield _row(cells, paint.name(name, indent))
    if len(parts) > ROWS:
        others = parts[ROWS:]
        removed = sum(part.removed for part in others)
        yield words("account.others", n=len(others), removed=removed)


def _row(cells: Iterable[str], name: str) -> str:
    """Return a line of the table: figures, and a name of any width behind them."""
    figures = (aligned(cell, width) for cell, width in zip(cells, _WIDTHS, strict=True))
    return "  ".join([*figures, name])


def lost_text(lost: Iterable[Lost], paint: Painter) -> Iterator[str]:
    """Yield lines that show what would be lost of some documents."""
    indent = " " * _INDENT
    for one in lost:
        share = f"{1 - one.document.covered:>{_INDENT - 2}.1%}  "
        yield f"{share}{paint.name(str(one.document.name), _INDENT)}"
        beside = paint.words("spared.beside", kept=one.document.kept)
        if one.document.facts:
            facts = paint.words.listed(one.document.facts[:FACTS])
            beside += paint.words("spared.facts", facts=facts, n=len(one.document.facts))
        yield f"{indent}{paint.name(beside, _INDENT)}"
        before, passage, after = map(_one_line, (one.before, one.passage[:BEGINNING], one.after))
        if paint.width:
            room = max(paint.width - _INDENT, 8 * len("[++]"))
            before, after = (shortened(part, room // 4 - 2) for part in (before, after))
            passage = shortened(passage, room // 2)
        yield f"{indent}{before.lstrip()}{paint('added', f'[+{passage}+]')}{after.rstrip()}"


def _one_line(text: str) -> str:
    return shown(_SPACE.sub(" ", text))
