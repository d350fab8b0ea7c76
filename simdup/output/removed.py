"""Write what was removed from a corpus: each document with its reason, figures and beginning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from simdup.model.cleaned import Cleaned, Removed
from simdup.model.formats import REMOVED_COLUMNS
from simdup.model.frames import measure_of
from simdup.output.records import csv_head, csv_rows, digits, json_line, rounded

# Characters of a text that tell a person which one it is: a line of a terminal, or 40 Chinese ones.
BEGINNING = 80
_SHARES = ("similarity", "containment", "cosine", "covered")
_OPTIONAL = ("containment", "cosine", "measure", "covered", "estimated")
_FIGURES = ("similarity", "covered")
# Characters read of a text for its beginning, white space included.
_READ = 8 * BEGINNING


def removed_csv(cleaned: Cleaned, bom: bool = False) -> Iterator[bytes]:
    """Yield the CSV of removed documents: a header, then one row per document."""
    criteria = cleaned.result.origins.criteria
    extras = (*criteria.extras, *(["covered"] if criteria.lossless else []))
    measured = ("measure",) if cleaned.result.has_measures else ()
    yield csv_head((*REMOVED_COLUMNS, *extras, *measured, "beginning"), bom)
    rows = (
        (
            one.document,
            one.reason,
            one.distance,
            digits(one.similarity),
            one.kept,
            *(digits(getattr(one, extra)) for extra in extras),
            *([measure_of(one) or ""] if measured else []),
            beginning,
        )
        for one, beginning in with_beginnings(cleaned)
    )
    yield from (csv_rows([row], bom) for row in rows)


def removed_jsonl(cleaned: Cleaned) -> Iterator[bytes]:
    """Yield a typed JSON line for each removed document, each spared one and each group."""
    for one, beginning in with_beginnings(cleaned):
        values = asdict(one) | {share: rounded(getattr(one, share)) for share in _SHARES}
        # What nobody asked for is absent.
        absent = [key for key in _OPTIONAL if values[key] in (None, False)]
        for key in absent:
            del values[key]
        yield json_line({"type": "removed"} | values | {"beginning": beginning})
    for spared in cleaned.result.spared:
        figures = rounded(spared.similarity), rounded(spared.covered)
        values = {"document": spared.name, "kept": spared.kept}
        values |= dict(zip(_FIGURES, figures, strict=True))
        facts = {"facts": spared.facts} if spared.facts else {}
        yield json_line({"type": "spared"} | values | facts)
    for part in cleaned.parts:
        yield json_line({"type": "part"} | part._asdict())


def with_beginnings(cleaned: Cleaned) -> Iterator[tuple[Removed, str]]:
    """Yield the removed documents and how their texts begin, which are read again for this.

    A text that cannot be read again has no beginning: it came from a stream, or is gone.
    """
    numbers = [int(number) for number in cleaned.numbers]
    entries = iter(zip(numbers, cleaned.removed, strict=True))
    for found, document in cleaned.result.origins.documents_again(numbers):
        for number, one in entries:
            yield one, beginning(document.text) if number == found else ""
            if number == found:
                break
    yield from ((one, "") for _, one in entries)


def beginning(text: str) -> str:
    """Return how a text begins, in one line."""
    return " ".join(text[:_READ].split())[:BEGINNING]
