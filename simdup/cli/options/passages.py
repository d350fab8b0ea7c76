"""When two documents share a passage."""

from __future__ import annotations

from functools import partial

import click

from simdup.cli.options.values import option, value
from simdup.model.passages import PassageCriteria, PassageScope

_matching = partial(option, panel="Matching", defaults=PassageCriteria())
_matching_scope = partial(option, panel="Matching")
_count = click.IntRange(1)

passage_criteria = value(
    "criteria",
    PassageCriteria,
    _matching("--min-run N", "Find every equal run of N units.", _count, common=True),
    _matching("--gap N", "Join runs with up to N units between.", click.IntRange(0), common=True),
    _matching("--min-length N", "Least equal units of a passage.", _count, common=True),
    _matching(
        "--common N",
        "What more than N documents have starts no passage.",
        click.IntRange(2),
        shown="50 or 5 %, the larger",
    ),
)

passage_scope = value(
    "scope",
    PassageScope,
    _matching_scope(
        "--across FIELD|folder",
        "Compare only documents of different values of this field, or of different folders.",
        shown="off",
    ),
    _matching_scope(
        "--template FILE", "Ignore text that this file has, too.", name="templates", multiple=True
    ),
)

passage_references = option(
    "--reference SOURCE",
    "Compare with these documents only.",
    name="references",
    panel="Matching",
    multiple=True,
    common=True,
)
