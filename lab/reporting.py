"""Tables of figures: printed in Markdown, kept as JSON with the machine and the versions."""

from __future__ import annotations

import datetime
import json
import math
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

RESULTS = Path(__file__).parent / "results"

Cell = str | float | int | None
Row = dict[str, Cell]

# Packages that the figures depend on, if installed, including peers.
PACKAGES = (
    "simdup", "numpy", "scipy", "scikit-learn", "jieba", "pyarrow", "justext",
    "trafilatura", "faiss-cpu", "datasketch", "simhash",
)  # fmt: skip


class Table(NamedTuple):
    """Figures of one kind."""

    title: str
    columns: tuple[str, ...]  # units included
    rows: Sequence[tuple[Cell, ...]]  # numbers as they were measured: `render` rounds them
    note: str = ""  # what a reader must know


def tabulate(title: str, rows: Iterable[Mapping[str, Cell]], note: str = "") -> Table:
    """Return rows, whose cells have the names of their columns, as a table."""
    named = list(rows)
    columns = tuple(named[0])
    return Table(title, columns, [tuple(row[name] for name in columns) for row in named], note)


def render(table: Table) -> str:
    """Return a table in Markdown."""
    text = aligned([table.columns, *([shown(cell) for cell in row] for row in table.rows)])
    return f"### {table.title}\n{text}" + (f"\n{table.note}" if table.note else "")


def aligned(cells: Sequence[Sequence[str]]) -> str:
    """Return cells, with the heads in the first row, as an aligned table in Markdown."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    padded = [[c.ljust(w) for c, w in zip(row, widths, strict=True)] for row in cells]
    padded.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(row) + " |" for row in padded)


def shown(cell: Cell, digits: int = 4) -> str:
    """Return a cell as text: numbers with so many significant digits."""
    if cell is None or isinstance(cell, str):
        return cell or ""
    if isinstance(cell, int) or cell == 0:
        return f"{cell:,}"
    return f"{cell:,.{max(0, digits - 1 - math.floor(math.log10(abs(cell))))}f}"


def environment() -> dict[str, Any]:
    """Return the date, the machine and the versions that a run depends on."""
    machine: dict[str, Any] = {
        "system": platform.system(), "architecture": platform.machine(), "cores": os.cpu_count()
    }  # fmt: skip
    if hasattr(os, "getloadavg"):
        machine["load"] = round(os.getloadavg()[0], 1)
    # The instructions that numpy uses to sort determine the speed of a search.
    machine["instructions off"] = os.environ.get("NPY_DISABLE_CPU_FEATURES", "none")
    versions = {"Python": platform.python_version()}
    for package in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    return {"date": date, "machine": machine, "versions": versions}


def save(path: Path, tables: Sequence[Table], where: dict[str, Any]) -> None:
    """Write the tables of a benchmark as JSON."""
    kept = [
        {"title": one.title,
         "rows": [dict(zip(one.columns, row, strict=True)) for row in one.rows], "note": one.note}
        for one in tables
    ]  # fmt: skip
    content = {"benchmark": path.stem, **where, "tables": kept}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")
