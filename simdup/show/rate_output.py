"""Rates for people and for programs: how much of each document others have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len

from simdup.corpus.names import to_bytes
from simdup.model.formats import RATE_COLUMNS
from simdup.model.shared_passages import PassageResult, Rate
from simdup.show.csv_jsonl import csv_head, csv_rows, digits, json_line, rounded
from simdup.show.escaping import shown
from simdup.show.passage_output import closing_jsonl, percent
from simdup.show.text import Painter, aligned, padded, shortened

# Terminal cells of the columns of figures, and of a name where there is no terminal; longer ones
# are shown whole there.
_FIGURES = {"share": 6, "counted": 7, "most": 7, "sources": 7}
_NAME = 30
# A name is never cut to less, however narrow the terminal.
_NARROW = 16


def rate_csv(rates: Iterable[Rate], bom: bool = False) -> Iterator[bytes]:
    """Yield the CSV of rates: a header, then one row per document."""
    yield csv_head(RATE_COLUMNS, bom)
    for one in rates:
        name = "" if one.largest_source is None else one.largest_source
        row = (one.document, digits(one.share), digits(one.counted), name,
               digits(one.largest_share), one.sources)  # fmt: skip
        yield csv_rows([row], bom)


def rate_jsonl(result: PassageResult) -> Iterator[bytes]:
    """Yield the rates of a result as typed JSON lines, then what was skipped and the summary."""
    for one in result.rates:
        yield json_line(
            {
                "type": "rate",
                "document": one.document,
                "share": rounded(one.share),
                "counted": rounded(one.counted),
                "largest_source": one.largest_source,
                "largest_share": rounded(one.largest_share),
                "sources": one.sources,
                "left_out": [part._asdict() for part in one.left_out],
            }
        )
    yield from closing_jsonl(result)


def rate_text(rates: Sequence[Rate], paint: Painter) -> Iterator[bytes]:
    """Yield rates as a table that a person reads: a row a document."""
    words = paint.words
    if not rates:
        return
    room = paint.width - sum(_FIGURES.values()) - 2 * len(_FIGURES) - 2
    widest = max(cell_len(shown(str(one.document))) for one in rates)
    width = min(widest, max(room // 2, _NARROW) if paint.width else _NAME)
    heads = [aligned(words(f"rates.{name}"), cells) for name, cells in _FIGURES.items()]
    heads += [padded(words("column.document"), width), words("rates.largest")]
    yield (paint("heading", "  ".join(heads)) + "\n").encode()
    for one in rates:
        name = shown(str(one.document))
        name = shortened(name, width) if paint.width else name
        source = "" if one.largest_source is None else shown(str(one.largest_source))
        source = shortened(source, max(room - width, _NARROW)) if paint.width else source
        largest = percent(one.largest_share) if source else ""
        cells = [percent(one.share), percent(one.counted), largest, f"{one.sources:,}"]
        figures = [aligned(c, w) for c, w in zip(cells, _FIGURES.values(), strict=True)]
        name = padded(name, max(width, cell_len(name)))
        yield to_bytes("  ".join([*figures, name, source]).rstrip() + "\n")
