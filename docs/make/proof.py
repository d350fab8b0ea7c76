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


def figures(name: str) -> str:
    """Return the tables of a campaign in Markdown, with when and where it ran."""
    result = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
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
