"""Options for which clusters or pairs of a result are listed."""

from __future__ import annotations

from functools import partial

import click

from simdup.cli.options.values import option, value
from simdup.output.selection import SORTS, Selection

_listing = partial(option, panel="Output")

selection = value(
    "selection",
    Selection,
    _listing("--pairs", "List pairs instead of clusters, most similar first.", common=True),
    _listing("-n, --limit N", "List at most N clusters or pairs.", click.IntRange(1),
             common=True, shown="all"),
    _listing("--sort KEY", "Order of clusters or pairs", SORTS, default=None,
             shown="size; similarity with --pairs"),
    _listing("--reverse", "Reverse the order: smallest, least similar or farthest first."),
    _listing("--min-size N", "List only clusters of at least N documents.", click.IntRange(2),
             default=2),
)  # fmt: skip
