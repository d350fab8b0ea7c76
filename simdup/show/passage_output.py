"""Passages for people and for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from rich.cells import cell_len

from simdup.corpus.names import to_bytes
from simdup.model.formats import PASSAGE_COLUMNS, RATE_COLUMNS, digits
from simdup.model.shared_passages import (
    MANY,
    Overlap,
    Passage,
    PassageCriteria,
    PassageResult,
    Rate,
)
from simdup.show.escaping import shown
from simdup.show.lines import closing, csv_lines, json_line, record, typed
from simdup.show.summary import read_words
from simdup.show.text import Painter, aligned, first_cells, padded, told_apart
from simdup.show.words import ENGLISH, Phrases

# The columns of a passage's text in either document.
TEXT_COLUMNS = ("text", "text_b")
# The text of a pair, by its number, on one side, 0 or 1.
TextOf: TypeAlias = Callable[[int, int], str]
# Passages of a pair that a person reads, and cells of the text that is shown of each.
_MOST = 3
_WIDTH = 72


def overlap_csv(
    overlaps: Iterable[Overlap], bom: bool = False, text_of: TextOf | None = None
) -> Iterator[bytes]:
    """Yield the CSV of passages: a header, then one row per passage.

    With `text_of`, each row has the text of the passage in both documents.
    """
    rows = (
        (one.a, *p.a, one.b, *p.b, p.length, digits(p.similarity), *text)
        for number, one in enumerate(overlaps)
        for p, text in zip(one.passages, _texts(one, number, text_of), strict=True)
    )
    return csv_lines(PASSAGE_COLUMNS + TEXT_COLUMNS * (text_of is not None), rows, bom)


def _texts(one: Overlap, number: int, text_of: TextOf | None) -> Iterator[tuple[str, ...]]:
    """Yield the text of each passage in both documents, if it is asked."""
    a, b = ("", "") if text_of is None else (text_of(number, side) for side in (0, 1))
    return (
        () if text_of is None else (a[slice(*passage.a)], b[slice(*passage.b)])
        for passage in one.passages
    )


def overlap_jsonl(result: PassageResult, text_of: TextOf | None = None) -> Iterator[bytes]:
    """Yield the typed JSON lines of a result; `text_of` is as for `overlap_csv`."""
    for number, one in enumerate(result.overlaps):
        values = record(one)
        texts = _texts(one, number, text_of)
        for passage, text in zip(values["passages"], texts, strict=True):
            passage |= zip(TEXT_COLUMNS, text, strict=False)
        yield json_line({"type": "overlap"} | values)
    yield from closing(result.skipped, result.summary)


def overlap_text(overlaps: Sequence[Overlap], text_of: TextOf, paint: Painter) -> Iterator[bytes]:
    """Yield overlaps as a person reads them: how much of each document, then what."""
    words = paint.words
    for number, one in enumerate(overlaps):
        lines = [""] if number else []
        lines.append(paint("heading", _title(one, words)))
        for share, name in ((one.share_a, one.a), (one.share_b, one.b)):
            lines.append("  " + words("passages.share", share=percent(share), name=shown(name)))
        text = "" if one.identical else text_of(number, 0)
        lines += [] if one.identical else passage_lines(one.passages, text, paint)
        yield to_bytes("\n".join(lines) + "\n")


def passage_lines(passages: Sequence[Passage], text: str, paint: Painter) -> Iterator[str]:
    """Yield the longest passages, each with its excerpt of the first text."""
    for passage in _longest(passages):
        (a, a_end), (b, b_end) = passage.a, passage.b
        figures = paint.words(
            "passages.figures", a=a, a_end=a_end, b=b, b_end=b_end,
            length=passage.length, similarity=digits(passage.similarity),
        )  # fmt: skip
        yield paint("dim", f"    {figures}")
        yield f"      {excerpt(text[a:a_end])}"
    if len(passages) > _MOST:
        more = paint.words("passages.more", n=len(passages) - _MOST)
        yield paint("dim", f"    {more}")


def _title(one: Overlap, words: Phrases) -> str:
    if one.identical:
        return words("passages.same")
    passages = words("passages", n=len(one.passages))
    return words("passages.title", passages=passages, longest=one.longest)


def _longest(passages: Sequence[Passage]) -> list[Passage]:
    """Return the longest passages, in their order."""
    chosen = sorted(passages, key=lambda passage: -passage.length)[:_MOST]
    return sorted(chosen)


def percent(share: float) -> str:
    """Return a share in four characters, rounded down."""
    return f"{int(share * 100 + 1e-9):>3}%"


def excerpt(text: str) -> str:
    """Return the beginning and the end of a text in one line."""
    # What cannot be in the line is not looked at.
    head, tail = text[:_WIDTH], text[-_WIDTH:]
    whole = shown(" ".join(text[: 2 * _WIDTH].split()))
    if len(text) <= 2 * _WIDTH and cell_len(whole) <= _WIDTH:
        return whole
    half = (_WIDTH - 5) // 2
    # Cut between characters: each may be an escape of several.
    first, last = (list(map(shown, " ".join(part.split()))) for part in (head, tail))
    end = [piece[::-1] for piece in reversed(last)]
    return f"{first_cells(first, half).rstrip()} ... {first_cells(end, half)[::-1].lstrip()}"


def passage_report(
    result: PassageResult,
    criteria: PassageCriteria,
    words: Phrases = ENGLISH,
    rates: bool = False,
    limit: int | None = None,
) -> str:
    """Return the sentences that end a run, a line each.

    `rates` says whether these are listed instead of pairs, `limit` how many at most.
    """
    summary, least = result.summary, criteria.min_length
    lines = [read_words(result, words)]
    if not summary.pairs:
        lines.append(words("passages.none", least=least))
    else:
        passages = words("passages.plain", n=summary.passages)
        lines.append(words("passages.found", n=summary.pairs, passages=passages, least=least))
    total = len(result.rates if rates else result.overlaps)
    if limit and limit < total:
        lines.append(words(f"listed.{'rates' if rates else 'pairs'}", listed=limit, n=total))
    if summary.identical:
        lines.append(words("passages.identical", n=summary.identical))
    if summary.common:
        units, n, most = summary.common_units, summary.common_documents, summary.most_documents
        lines.append(words("passages.common", units=units, n=n, most=most))
    if summary.many_units and (criteria.common is None or criteria.common >= MANY):
        share = percent(summary.many_units / summary.rated_units).strip()
        lines.append(words("passages.many", share=share))
    if summary.repeated:
        lines.append(words("passages.repeated", n=summary.repeated))
    return "\n".join(lines)


# -- rates: how much of each document others have --

# Terminal cells of the columns of figures, and of a name where there is no terminal; longer ones
# are shown whole there.
_RATES = {"share": 6, "counted": 7, "most": 7, "sources": 7}
_RATED = 30
# A name is never cut to less, however narrow the terminal.
_NARROW = 16


def rate_csv(rates: Iterable[Rate], bom: bool = False) -> Iterator[bytes]:
    """Yield the CSV of rates: a header, then one row per document."""
    rows = (
        (one.document, digits(one.share), digits(one.counted), one.largest_source,
         digits(one.largest_share), one.sources)
        for one in rates
    )  # fmt: skip
    return csv_lines(RATE_COLUMNS, rows, bom)


def rate_jsonl(result: PassageResult) -> Iterator[bytes]:
    """Yield the rates of a result as typed JSON lines, then what was skipped and the summary."""
    yield from typed("rate", result.rates)
    yield from closing(result.skipped, result.summary)


def rate_text(rates: Sequence[Rate], paint: Painter, counted: bool = False) -> Iterator[bytes]:
    """Yield rates as a table that a person reads, one row per document.

    `counted` says whether something may be left out, so that what counts is another share.
    """
    words = paint.words
    if not rates:
        return
    columns = {name: cells for name, cells in _RATES.items() if counted or name != "counted"}
    room = paint.width - sum(columns.values()) - 2 * len(columns) - 2
    names = [str(one.document) for one in rates]
    sources = ["" if one.largest_source is None else str(one.largest_source) for one in rates]
    width = min(
        max(map(cell_len, map(shown, names))), max(room // 2, _NARROW) if paint.width else _RATED
    )
    heads = [aligned(words(f"rates.{name}"), cells) for name, cells in columns.items()]
    heads += [padded(words("column.document"), width), words("rates.largest")]
    yield (paint("heading", "  ".join(heads)) + "\n").encode()
    columns_of = ((names, width), (sources, max(room - width, _NARROW)))
    shown_names = [
        told_apart(list(map(shown, column)), cells) if paint.width else map(shown, column)
        for column, cells in columns_of
    ]
    for one, name, source in zip(rates, *shown_names, strict=True):
        cells = {"share": percent(one.share), "counted": percent(one.counted),
                 "most": percent(one.largest_share), "sources": f"{one.sources:,}"}  # fmt: skip
        figures = [aligned(cells[column], wide) for column, wide in columns.items()]
        name = padded(name, max(width, cell_len(name)))
        yield to_bytes("  ".join([*figures, name, source]).rstrip() + "\n")
