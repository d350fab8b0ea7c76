"""When two documents are near-duplicates, and which one is kept."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from simdup.cli.options.values import Decorator, option, value
from simdup.model.criteria import KEEP, LINKAGES, METHODS, Criteria
from simdup.model.shingling import Shingling

_SHARE = click.FloatRange(0, 1)
_INNER_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_DEFAULT = Criteria()
_matching = partial(option, panel="Matching", defaults=_DEFAULT)

_CRITERIA = {
    "method": _matching(
        "--method METHOD",
        "How candidates are found: near-identical texts, every pair above the similarity, "
        "or every pair above the cosine",
        METHODS,
    ),
    "recall": _matching(
        "--recall R", "Share of the pairs that minhash and pstable find.", _INNER_SHARE
    ),
    "distance": _matching(
        "-d, --distance K",
        "Fingerprint bits that may differ.",
        click.IntRange(0, 256),
        common=True,
    ),
    "similarity": _matching(
        "-s, --similarity S", "Least similarity of the texts.", _SHARE, common=True
    ),
    "shingle": _matching(
        "--shingle N|words:N",
        "Compare runs of N characters, or of N words.",
        default=str(_DEFAULT.shingle),
    ),
    "verify": _matching("--verify/--no-verify", "Check pairs on the texts."),
    "containment": _matching(
        "--containment C",
        "Least share of the smaller text that the larger contains.",
        _SHARE,
        shown="off",
    ),
    "cosine": _matching("--cosine C", "Least cosine of the TF-IDF vectors.", _SHARE, shown="off"),
    "keep": _matching(
        "-k, --keep WHICH", "Which document of a cluster is kept.", KEEP, common=True
    ),
    "prefer": _matching("--prefer PATTERN", "Keep matching documents first.", multiple=True),
    "linkage": _matching(
        "--linkage",
        "What makes a cluster: any pairs, or pairs with the kept document only.",
        LINKAGES,
    ),
}


def _make_criteria(**given: Any) -> Criteria:
    if "shingle" in given:
        given["shingle"] = Shingling.parse(given["shingle"])
    return Criteria(**given)


def criteria(*fields: str) -> Decorator:
    """Return the options for some fields of the criteria, all of them by default."""
    return value("criteria", _make_criteria, *(_CRITERIA[name] for name in fields or _CRITERIA))


references = option(
    "--reference SOURCE",
    "Documents that are never redundant.",
    name="references",
    panel="Matching",
    multiple=True,
)
