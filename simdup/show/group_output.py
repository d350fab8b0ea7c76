"""Groups of passages for people and for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from simdup._version import __version__
from simdup.corpus.names import to_bytes
from simdup.model.formats import GROUP_COLUMNS
from simdup.model.shared_passages import (
    PassageCriteria,
    PassageGroup,
    PassagePlace,
    PassageResult,
)
from simdup.show.csv_jsonl import SCHEMA, csv_head, csv_rows, json_line, skipped_line
from simdup.show.passage_output import TEXT_COLUMN, excerpt
from simdup.show.summary import read_words
from simdup.show.text import Painter
from simdup.show.words import ENGLISH, Phrases

# Places of a group that a person reads.
_MOST = 10
# What a summary has of groups.
_FIGURES = ("documents", "groups", "places", "affected", "skipped", "seconds")

# Returns the text of the document that a place is in, by the numbers of its group and its own.
TextOf = Callable[[int, int], str]


def group_csv(
    groups: Sequence[PassageGroup], bom: bool = False, text_of: TextOf | None = None
) -> Iterator[bytes]:
    """Yield the CSV of groups: a header, then one row per place, with its text if that is asked."""
    yield csv_head(GROUP_COLUMNS + TEXT_COLUMN * (text_of is not None), bom)
    for number, group in enumerate(groups):
        rows = (
            (number + 1, place.document, place.start, place.end, group.length, place.line, *text)
            for place, text in _with_texts(group, number, text_of)
        )
        yield csv_rows(rows, bom)


def group_jsonl(result: PassageResult, text_of: TextOf | None = None) -> Iterator[bytes]:
    """Yield the typed JSON lines of a result, with the texts of places if they are asked."""
    for number, group in enumerate(result.groups):
        places: list[dict[str, Any]] = [
            place._asdict() | dict(zip(TEXT_COLUMN, text, strict=False))
            for place, text in _with_texts(group, number, text_of)
        ]
        figures = {"documents": group.documents, "length": group.length}
        yield json_line({"type": "group", **figures, "places": places})
    yield from map(skipped_line, result.skipped)
    summary = {name: asdict(result.summary)[name] for name in _FIGURES}
    summary["seconds"] = round(summary["seconds"], 3)
    yield json_line({"type": "summary", "schema": SCHEMA} | summary | {"simdup": __version__})


def _with_texts(
    group: PassageGroup, number: int, text_of: TextOf | None
) -> Iterator[tuple[PassagePlace, tuple[str, ...]]]:
    """Yield the places of a group, with their texts if these are asked."""
    for i, place in enumerate(group.places):
        text = () if text_of is None else (text_of(number, i)[place.start : place.end],)
        yield place, text


def group_text(groups: Sequence[PassageGroup], text_of: TextOf, paint: Painter) -> Iterator[bytes]:
    """Yield groups as a person reads them: in how many documents, what, and where."""
    words = paint.words
    for number, group in enumerate(groups):
        documents = words("documents", n=group.documents)
        figures = {"number": number + 1, "documents": documents, "length": group.length}
        place, typical = group.places[group.typical], group.typical
        lines = [""] if number else []
        lines.append(paint("heading", words("groups.title", **figures)))
        lines.append(f"   {excerpt(text_of(number, typical)[place.start : place.end])}")
        for one in group.places[:_MOST]:
            line = f":{one.line}"
            lines.append(f"     {paint.name(str(one.document), 5 + len(line))}{line}")
        if len(group.places) > _MOST:
            more = words("groups.more", n=len(group.places) - _MOST)
            lines.append(paint("dim", f"     {more}"))
        yield to_bytes("\n".join(lines) + "\n")


def group_report(result: PassageResult, criteria: PassageCriteria, words: Phrases = ENGLISH) -> str:
    """Return the sentences that end a run, a line each."""
    summary, least = result.summary, criteria.min_length
    lines = [read_words(result, words)]
    if summary.groups:
        documents = words("documents", n=summary.affected)
        figures = {"documents": documents, "places": summary.places, "least": least}
        lines.append(words("groups.found", n=summary.groups, **figures))
    else:
        lines.append(words("passages.none", least=least))
    return "\n".join(lines)
