"""Conflicts for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from math import isnan

from rich.cells import cell_len

from simdup.base.system import date_of
from simdup.corpus.names import to_bytes
from simdup.model.formats import CONFLICT_COLUMNS
from simdup.model.readings import Conflict, ConflictResult, FactReading
from simdup.show.escaping import shown
from simdup.show.lines import closing, csv_lines, typed
from simdup.show.summary import read_words
from simdup.show.text import Painter, first_cells, told_apart
from simdup.show.words import ENGLISH, Phrases

# Documents of a reading that a person reads; values of the sentence that begins a conflict.
_MOST, _VALUES = 3, 4
_REST = ["conflicts.says"] * (_VALUES - 1)
# Terminal cells of the text around a place, and of a value.
_AROUND, _VALUE = 40, 60
_WIDTH, _LEAST, _INDENT = 80, 12, "   "
# Letters of a word; what is longer is of a script without spaces.
_WORD = 12


def conflict_csv(conflicts: Sequence[Conflict], bom: bool = False) -> Iterator[bytes]:
    """Yield the CSV of conflicts: a header, then one row per reading and document."""
    rows = (
        (number, one.kind, reading.value, place.document, place.start, place.end, place.line,
         one.before, one.after)
        for number, one in enumerate(conflicts, 1)
        for reading in one.readings
        for place in reading.documents
    )  # fmt: skip
    return csv_lines(CONFLICT_COLUMNS, rows, bom)


def conflict_jsonl(result: ConflictResult) -> Iterator[bytes]:
    """Yield the typed JSON lines of a result; what was left out as a form has a line, too."""
    listed = typed("conflict", result.conflicts), typed("form", result.forms)
    return chain(*listed, closing(result.skipped, result.summary, "forms"))


def conflict_text(conflicts: Sequence[Conflict], paint: Painter) -> Iterator[bytes]:
    """Yield conflicts as a person reads them: who says what, where, and which file is newest."""
    words = paint.words
    for number, one in enumerate(conflicts, 1):
        kind = words(f"conflict.{one.kind}")
        title = words("conflicts.title", number=number, kind=kind, says=_says(one, words))
        lines = [""] if number > 1 else []
        lines += [paint("heading", title), f"{_INDENT}{_context(one, paint)}"]
        times = {int(time) for r in one.readings if not isnan(time := r.modified)}
        newest = max(times) if len(times) > 1 else None
        names = _names(one, paint)
        for reading in one.readings:
            lines += _reading(reading, one.values, names, newest, paint)
        yield to_bytes("\n".join(lines) + "\n")


def _says(one: Conflict, words: Phrases) -> str:
    """Return what most documents say, and what the others do."""
    readings = one.readings[::-1]
    parts = [
        words(
            key if reading.value else "conflicts.lacking",
            n=len(reading.documents),
            value=value_words(reading.value, words, one.values),
        )
        for reading, key in zip(readings[:_VALUES], ["conflicts.say", *_REST], strict=False)
    ]
    if len(readings) > _VALUES:
        parts.append(words("conflicts.others", n=len(readings) - _VALUES))
    return words.listed(parts)


def value_words(value: str, words: Phrases, beside: Sequence[str] = ()) -> str:
    """Return a value as it is shown, so that it differs from those `beside` it."""
    every = list(map(shown, filter(None, [value, *beside])))
    return told_apart(every, _VALUE)[0] if value else words("conflicts.nothing")


def _context(one: Conflict, paint: Painter) -> str:
    """Return the text around a place, with the values between."""
    values = " | ".join(
        value_words(r.value, paint.words, one.values) for r in one.readings[:_VALUES]
    )
    if len(one.readings) > _VALUES:
        values += " | ..."
    room = max((paint.width or _WIDTH) - cell_len(f"{_INDENT}[{values}]  "), 0)
    around = min(max(room // 2, _LEAST), _AROUND)
    before = _first_words(shown(one.before)[::-1], around)[::-1]
    after = _first_words(shown(one.after), around)
    return f"{paint('dim', before)} {paint('no', f'[{values}]')} {paint('dim', after)}"


def _first_words(text: str, width: int) -> str:
    """Return the beginning of a text that fits a width, without a part of a word."""
    cut = first_cells(text, width)
    if len(cut) == len(text):
        return text
    words, space, rest = cut.rpartition(" ")
    return (words if space and len(rest) <= _WORD else cut).rstrip()


def _names(one: Conflict, paint: Painter) -> Iterator[str]:
    """Yield the names of the documents of all readings that are shown, each with its line."""
    places = [place for reading in one.readings for place in reading.documents[:_MOST]]
    lines = [f":{place.line}" for place in places]
    names = paint.names((str(place.document) for place in places), 5 + max(map(len, lines)))
    return map(str.__add__, names, lines)


def _reading(
    reading: FactReading,
    values: Sequence[str],
    names: Iterator[str],
    newest: int | None,
    paint: Painter,
) -> Iterator[str]:
    """Yield the value of a reading, beside other values, and the next names.

    `newest` is the second of the last change.
    """
    words, time = paint.words, reading.modified
    figures = words("documents", n=len(reading.documents))
    if not isnan(time):
        key = "conflicts.newest" if int(time) == newest else "conflicts.modified"
        date = date_of(time).strftime("%Y-%m-%d")
        figures = words(key, documents=figures, date=date)
    yield f"   {paint('heading', value_words(reading.value, words, values))}  {figures}"
    yield from (f"     {name}" for name in islice(names, min(len(reading.documents), _MOST)))
    if len(reading.documents) > _MOST:
        yield paint("dim", "     " + words("conflicts.more", n=len(reading.documents) - _MOST))


def conflict_report(result: ConflictResult, words: Phrases = ENGLISH) -> str:
    """Return the sentences that end a run, a line each."""
    summary = result.summary
    lines = [read_words(result, words)]
    if summary.conflicts:
        documents = words("documents", n=summary.affected)
        lines.append(words("conflicts.found", n=summary.conflicts, documents=documents))
    elif summary.known:
        lines.append(words("conflicts.none_new", n=summary.known))
    else:
        lines.append(words("conflicts.none"))
    if summary.forms:
        lines.append(words("conflicts.forms", n=summary.forms))
    return "\n".join(lines)
