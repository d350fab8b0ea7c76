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
    _matching(
        "--min-run N",
        "Find every equal run of N units (Chinese characters; a word is 2).",
        _count,
        common=True,
    ),
    _matching("--gap N", "Join runs with up to N units between.", click.IntRange(0), common=True),
    _matching("--min-length N", "Report passages of at least N equal units.", _count, common=True),
    _matching(
        "--common N",
        "Text in more than N documents does not start a passage.",
        click.IntRange(2),
        shown="50 or 5 %, the larger; at most 4/5",
    ),
)

passage_scope = value(
    "scope",
    PassageScope,
    _matching_scope(
        "--across FIELD",
        "Compare only documents that differ in this record field; folder: in their folder.",
        shown="off",
    ),
    _matching_scope(
        "--template FILE", "Ignore text that is also in this file.", name="templates", multiple=True
    ),
)

passage_references = option(
    "--reference SOURCE",
    "Compare the SOURCEs with these documents only.",
    name="references",
    panel="Matching",
    multiple=True,
    common=True,
)
