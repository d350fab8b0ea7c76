"""Tables of pages that a program fills: between ``<!-- made by docs.make: NAME -->`` and an end.

Most of them show what a full run stored in `lab/results/`. A table of which nothing is stored yet
stays as it is.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[2] / "lab" / "results"

Result = dict[str, Any]

BLOCK = re.compile(r"(<!-- made by docs\.make: ([\w/]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def put_tables(page: str, make: Callable[[str], str | None]) -> str:
    """Return a page with each table that can be made anew; `make` gets its name."""

    def put(block: re.Match[str]) -> str:
        table = make(block[2])
        return block[0] if table is None else f"{block[1]}{table}\n{block[4]}"

    return BLOCK.sub(put, page)


def read_result(kind: str, name: str) -> Result | None:
    """Return what the full run of a benchmark or a campaign stored, if there is one."""
    path = RESULTS / kind / f"{name}.json"
    if not path.exists():
        return None
    result: Result = json.loads(path.read_text("utf-8"))
    return result


def origin(command: str, result: Result) -> str:
    """Return how, when and where a result came about."""
    machine, python = result["machine"], result["versions"]["Python"]
    system = f"{machine['system']} with {machine['cores']} cores, Python {python}"
    return f"`python -m lab {command}`, {result['date']}, {system}"
