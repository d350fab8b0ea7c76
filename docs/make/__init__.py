"""The parts of the documentation that are made by a program.

`pages` returns them all; ``python -m docs.make`` writes them, and a test compares.
"""

from collections.abc import Callable
from pathlib import Path

from docs.make import blocks, cli_page, curves, families, proof, terminal

ROOT = Path(__file__).resolve().parents[2]

MADE: dict[str, Callable[[], str]] = {
    "docs/cli.md": cli_page.page,
    "docs/images/scan.svg": terminal.picture,
    "docs/images/four-blocks.svg": blocks.picture,
    "docs/images/minhash-curves.svg": curves.minhash,
    "docs/images/pstable-curves.svg": curves.pstable,
    "docs/images/simhash-plans.svg": curves.simhash,
}

# Pages of which some tables are made.
METHODS, TESTING = "docs/methods.md", "docs/testing.md"


def pages() -> dict[str, str]:
    """Return what is made: paths below the root, and contents."""
    made = {path: make() for path, make in MADE.items()}
    return made | {
        METHODS: families.put_table((ROOT / METHODS).read_text("utf-8")),
        TESTING: proof.put_figures((ROOT / TESTING).read_text("utf-8")),
    }
