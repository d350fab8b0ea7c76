"""The table of options: each is one row, which says all that there is to know of it.

Help, parsing, configuration, refusals, completion, `docs/cli.md` and the tests read the rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from simdup.cli.options import input_rows, matching_rows, output_rows, recipe_rows, running_rows
from simdup.cli.options.row import Row

# The panels of the help, in order.
TABLE = {
    "Input": input_rows.ROWS,
    "Matching": matching_rows.ROWS,
    "Output": output_rows.ROWS,
    "Search": running_rows.SEARCH,
    "Recipe": recipe_rows.ROWS,
    "Other": running_rows.OTHER,
}

# What people type for each command; one of them has no options.
COMMANDS = (*output_rows.ALL.split(", "), "completion")


def rows_of(command: str) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a command, such as ``index build``, each with its panel."""
    for panel, rows in TABLE.items():
        for row in rows:
            if row.fits(command):
                yield panel, row.in_command(command)
