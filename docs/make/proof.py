"""The figures in `docs/testing.md`: what campaigns wrote to `campaigns/results/`."""

import json
import re
from pathlib import Path
from typing import Any

from benchmarks.reporting import aligned, shown

RESULTS = Path(__file__).resolve().parents[2] / "campaigns" / "results"

_BLOCK = re.compile(r"(<!-- made by docs\.make: ([\w/]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def put_figures(page: str) -> str:
    """Return a page with the tables of its campaigns made anew."""
    return _BLOCK.sub(lambda block: f"{block[1]}{figures(block[2])}\n{block[3]}", page)


# What the first table of the page sums up: in words, the campaign, and a column of its tables.
_GLANCE = (
    ("inputs made up by a fuzzer", "fuzz", "inputs"),
    ("calls of the system made to fail", "faults", "faults"),
    ("kills and interruptions", "kills", "tried"),
    ("pairs of commands at once", "concurrency", "tried"),
    ("damages of an index", "damage", "tried"),
    ("hostile inputs and surroundings", "hostile", "entry"),
    ("parsers and searches, each on shapes that double twice", "growth", "shapes"),
    ("ways to run, compared with one set of digests", "determinism", "runs"),
    ("pairs compared with slow definitions", "oracles", "pairs"),
)


def glance() -> str:
    """Return what all campaigns tried and what failed, as one table in Markdown."""
    rows = [["tried", "how many", "failed"]]
    for what, name, column in _GLANCE:
        if (RESULTS / f"{name}.json").exists():
            result = _read(name)
            rows.append([what, shown(count(result, column)), shown(result["failed"])])
    return aligned(rows)


def count(result: dict[str, Any], column: str) -> int:
    """Return the sum of a column over the tables of a result, or the number of its texts.

    A table by command has the sums of the one before it in another order.
    """
    total = 0
    for table in (one for one in result["tables"] if one["title"] != "By command"):
        for row in table["rows"]:
            first, value = next(iter(row.values())), row.get(column)
            if first not in ("all", "total") and value is not None:
                total += value if isinstance(value, int) else 1
    return total


def _read(name: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    return result


def figures(name: str) -> str:
    """Return the tables of a campaign in Markdown, with when and where it ran."""
    if name == "glance":
        return glance()
    if not (RESULTS / f"{name}.json").exists():
        return f"No full run of `python -m campaigns {name}` has been published yet."
    result = _read(name)
    parts = [one_table(table) for table in result["tables"] if table["rows"]]
    machine, python = result["machine"], result["versions"]["Python"]
    failed = result["failed"] or "nothing"
    parts.append(
        f"`python -m campaigns {name}`, {result['date']}, {machine['system']} with "
        f"{machine['cores']} cores, Python {python}: {failed} failed."
    )
    return "\n\n".join(parts)


def one_table(table: dict[str, Any]) -> str:
    """Return a table with its title and its note; a long one is folded."""
    rows = table["rows"]
    cells = [list(rows[0]), *([shown(cell) for cell in row.values()] for row in rows)]
    text = aligned(cells)
    note = f"\n\n{table['note']}" if table["note"] else ""
    if len(rows) > 24:
        head = f"<details><summary>{table['title']} ({len(rows)})</summary>"
        return f"{head}\n\n{text}{note}\n\n</details>"
    return f"**{table['title']}**{note}\n\n{text}"
