"""The parts of the documentation that are made by a program, and the JSON Schema of results.

`pages` returns them all; ``python -m docs.make`` writes them, and a test compares.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from docs.make import blocks, cli_page, curves, families, figures, proof, schema, terminal
from docs.make.tables import put_tables

ROOT = Path(__file__).resolve().parents[2]

MADE: dict[str, Callable[[], str]] = {
    "docs/cli.md": cli_page.page,
    "docs/images/scan.svg": terminal.picture,
    "docs/images/four-blocks.svg": blocks.picture,
    "docs/images/minhash-curves.svg": curves.minhash,
    "docs/images/pstable-curves.svg": curves.pstable,
    "docs/images/simhash-plans.svg": curves.simhash,
    "simdup/show/jsonl.schema.json": schema.page,
}

# Pages with tables that are made, by their names.
TABLES: dict[str, Callable[[str], str | None]] = {
    "docs/methods.md": lambda name: families.table(),
    "docs/testing.md": proof.figures,
    "docs/figures.md": figures.table,
    **{page: partial(figures.summary, page) for page in figures.SUMMARY},
}


def pages() -> dict[str, str]:
    """Return what is made: paths below the root, and contents."""
    made = {path: make() for path, make in MADE.items()}
    return made | {
        path: put_tables((ROOT / path).read_text("utf-8"), make) for path, make in TABLES.items()
    }
