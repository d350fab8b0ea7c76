"""The account of a cleaned corpus: what each source, author or folder lost, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simdup.model.cleaned import Lost, Part
from simdup.model.result import Result
from simdup.output.escaping import shown
from simdup.output.removed import beginning
from simdup.output.summary import count_words, size_words
from simdup.output.text import Painter

# More rows do not help a person; programs get all.
ROWS = 20
_INDENT = 10
_COLUMNS = "documents   removed    share  bytes removed  "


def account_text(parts: tuple[Part, ...], by: str, paint: Painter) -> Iterator[str]:
    """Yield the lines of a table: the groups that lost most, and how many others there are."""
    if not parts:
        return
    yield paint("dim", f"{_COLUMNS}{paint.name(by, len(_COLUMNS))}")
    for part in parts[:ROWS]:
        name = f"(no {by})" if part.name is None else part.name or "(empty)"
        yield (
            f"{part.documents:>9,}  {part.removed:>8,}  {part.share:>7.1%}  "
            f"{size_words(part.removed_bytes):>13}  {paint.name(name, len(_COLUMNS))}"
        )
    if len(parts) > ROWS:
        others = parts[ROWS:]
        removed = sum(part.removed for part in others)
        yield f"{removed:,} more removed documents in {count_words(len(others), 'other group')}"


def spared_words(result: Result) -> str:
    """Return how many documents stay because something of them would be lost."""
    spared = count_words(len(result.spared), "document")
    return f"Spared {spared} that the kept one does not contain. What would be lost, for example:"


def lost_text(lost: Iterable[Lost], paint: Painter) -> Iterator[str]:
    """Yield lines that show what would be lost of some documents."""
    indent = " " * _INDENT
    for one in lost:
        share = f"{1 - one.document.covered:>{_INDENT - 2}.1%}  "
        yield f"{share}{paint.name(str(one.document.name), _INDENT)}"
        yield f"{indent}{paint.name('beside ' + str(one.document.kept), _INDENT)}"
        passage = paint("added", shown(f"[+{beginning(one.passage)}+]"))
        before, after = (" ".join(part.split()) for part in (one.before, one.after))
        yield f"{indent}{shown(before)}{passage}{shown(after)}"
