"""Options for which clusters or pairs of a result are listed."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from simdup.cli.options.values import option, value
from simdup.output.details import COLUMNS
from simdup.output.selection import SORTS, Selection

_listing = partial(option, panel="Output")

_LISTING = (
    _listing("--pairs", "List pairs instead of clusters, most similar first.", common=True),
    _listing("-n, --limit N", "List at most N clusters or pairs.", click.IntRange(1),
             common=True, shown="all"),
    _listing("--sort KEY", "Order of clusters or pairs", SORTS, default=None,
             shown="size; similarity with --pairs"),
    _listing("--reverse", "Reverse the order: smallest, least similar or farthest first."),
    _listing("--min-size N", "List only clusters of at least N documents.", click.IntRange(2),
             default=2),
)  # fmt: skip


class _Columns(click.ParamType):  # type: ignore[type-arg]  # generic since Click 8.5
    """Names of columns, separated by commas."""

    name = "columns"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, ...]:
        """Return the names; fail if one of them is unknown."""
        names = [one.strip() for one in value.split(",") if one.strip()]
        for one in names:
            if one not in COLUMNS:
                self.fail(f"{one!r} is not one of {', '.join(COLUMNS)}", param, ctx)
        return tuple(dict.fromkeys(names))


_COLUMNS = _listing(
    "--columns NAMES",
    "Add columns, separated by commas: title (the first line), length (characters without white "
    "space), modified, folder.",
    _Columns(),
    default="",
    shown="none",
    words=tuple(COLUMNS),
)

selection = value("selection", Selection, *_LISTING, _COLUMNS)
# For lines, which know names and fingerprints only.
selection_of_lines = value("selection", Selection, *_LISTING)
