"""Rates of made theses: parts that are found by their form, and what is copied without them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from statistics import mean

import numpy as np

from lab.corpora.theses import Thesis, theses, write_theses
from lab.reporting import Row, Table, tabulate
from lab.trial import Trial
from simdup import passages
from simdup.model.shared_passages import PARTS, PassageCriteria, Rate
from simdup.reuse.symbols import symbols_before
from simdup.search.arrays import I64
from simdup.text.left_out import left_out

# Units between two pieces of one copied range, with a running head between.
_GAP = PassageCriteria().gap


def rates(trial: Trial) -> Iterator[Table]:
    """Rates: parts of made theses, and how much of these is copied without them."""
    note = (
        "right: characters without white space whose kind of part is right; share, counted: mean "
        "and largest difference from what was planted, of copies of at least 50 units"
    )
    yield tabulate("Theses", _theses(trial.folder), note)


def _theses(folder: Path) -> Iterator[Row]:
    """Compare parts and rates of made theses with what is known of them."""
    made = theses()
    paths = write_theses(made, folder)
    sources = [str(folder / "sources")]
    found = passages(str(folder / "theses"), references=sources, leave_out=PARTS)
    by_path = {str(one.document): one for one in found.rates}
    rows = [(one, by_path[str(paths[one.name])]) for one in made.theses]

    def order(row: tuple[Thesis, Rate]) -> str:
        return f"{row[0].language} {row[0].form}"

    for form, some in groupby(sorted(rows, key=order), key=order):
        yield {"theses": form, **_figures(list(some))}
    yield {"theses": "all", **_figures(rows)}


def _figures(rows: Sequence[tuple[Thesis, Rate]]) -> Row:
    """Return how many characters are right, and how far rates are from the planted ones."""
    right = sum(_right(one) for one, _ in rows) / sum(_size(one) for one, _ in rows)
    planted = [_planted(one) for one, _ in rows]
    share = [abs(rate.share - known[0]) for (_, rate), known in zip(rows, planted, strict=True)]
    counted = [abs(rate.counted - known[1]) for (_, rate), known in zip(rows, planted, strict=True)]
    return {
        "documents": len(rows),
        "right": round(right, 4),
        "share, mean": round(mean(share), 4),
        "largest": round(max(share), 4),
        "counted, mean": round(mean(counted), 4),
        "largest ": round(max(counted), 4),
    }


def _size(thesis: Thesis) -> int:
    return sum(not one.isspace() for one in thesis.text)


def _right(thesis: Thesis) -> int:
    """Return how many characters are found in the kind of part that they are in."""
    kinds = np.zeros((2, len(thesis.text)), np.int64)
    for row, parts in zip(kinds, (thesis.parts, left_out(thesis.text)), strict=True):
        for part in parts:
            row[part.start : part.end] = 1 + PARTS.index(part.kind)
    blank = np.array([one.isspace() for one in thesis.text])
    return int(np.count_nonzero((kinds[0] == kinds[1]) & ~blank))


def _planted(thesis: Thesis) -> tuple[float, float]:
    """Return the share of the units that is copied, of all and of those outside parts."""

    def units(spans: Sequence[tuple[int, int]]) -> I64:
        places = np.array(spans, np.int64).reshape(-1, 2)
        return symbols_before(thesis.text, places.ravel()).reshape(-1, 2)

    size = int(units([(0, len(thesis.text))])[0, 1])
    out, copied = np.zeros((2, size), np.bool_)
    for start, end in units([(one.start, one.end) for one in thesis.parts]).tolist():
        out[start:end] = True
    spans = units([(one.start, one.end) for one in thesis.copies]).tolist()
    joined = list[list[int]]()
    sources = [one.source for one in thesis.copies]
    for number, (start, end) in enumerate(spans):
        if number and sources[number] == sources[number - 1] and start - joined[-1][1] <= _GAP:
            joined[-1][1:] = [end, joined[-1][2] + end - start]
        else:
            joined.append([start, end, end - start])
    for start, end, equal in joined:
        if equal >= PassageCriteria().min_length:
            copied[start:end] = True
    return float(copied.mean()), float((copied & ~out).sum() / (~out).sum())
