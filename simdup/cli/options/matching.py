"""When two documents are near-duplicates, and which one is kept."""

from __future__ import annotations

from typing import Any

import click

from simdup.cli.options.values import Decorator, option, value
from simdup.model.criteria import KEEP, LINKAGES, METHODS, Criteria
from simdup.model.shingling import Shingling

DEFAULT = Criteria()

_SHARE = click.FloatRange(0, 1)


def _matching(*names: str, **settings: Any) -> Decorator:
    return option(*names, panel="Matching", **settings)


_CRITERIA = {
    "method": _matching(
        "--method",
        type=click.Choice(METHODS),
        default=DEFAULT.method,
        help="How candidates are found: near-identical texts, every pair above the similarity, "
        "or every pair above the cosine",
    ),
    "recall": _matching(
        "--recall",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=DEFAULT.recall,
        metavar="R",
        help="Share of the pairs that minhash and pstable find.",
    ),
    "distance": _matching(
        "-d",
        "--distance",
        type=click.IntRange(0, 256),
        default=DEFAULT.distance,
        metavar="K",
        common=True,
        help="Fingerprint bits that may differ.",
    ),
    "similarity": _matching(
        "-s",
        "--similarity",
        type=_SHARE,
        default=DEFAULT.similarity,
        metavar="S",
        common=True,
        help="Least similarity of the texts.",
    ),
    "shingle": _matching(
        "--shingle",
        default=str(DEFAULT.shingle),
        metavar="N|words:N",
        help="Compare runs of N characters, or of N words.",
    ),
    "verify": _matching(
        "--verify/--no-verify", default=DEFAULT.verify, help="Check pairs on the texts."
    ),
    "containment": _matching(
        "--containment",
        type=_SHARE,
        metavar="C",
        help="Least share of the smaller text that the larger contains.",
        shown="off",
    ),
    "cosine": _matching(
        "--cosine", type=_SHARE, metavar="C", help="Least cosine of the TF-IDF vectors.",
        shown="off",
    ),
    "keep": _matching(
        "-k",
        "--keep",
        type=click.Choice(KEEP),
        default=DEFAULT.keep,
        common=True,
        help="Which document of a cluster is kept.",
    ),
    "prefer": _matching(
        "--prefer", multiple=True, metavar="PATTERN", help="Keep matching documents first."
    ),
    "linkage": _matching(
        "--linkage",
        type=click.Choice(LINKAGES),
        default=DEFAULT.linkage,
        help="What makes a cluster: any pairs, or pairs with the kept document only.",
    ),
}  # fmt: skip


def _make_criteria(**given: Any) -> Criteria:
    if "shingle" in given:
        given["shingle"] = Shingling.parse(given["shingle"])
    return Criteria(**given)


def criteria(*fields: str) -> Decorator:
    """Return the options for some fields of the criteria, all of them by default."""
    return value("criteria", _make_criteria, *(_CRITERIA[name] for name in fields or _CRITERIA))


references = _matching(
    "--reference",
    "references",
    multiple=True,
    metavar="SOURCE",
    help="Documents that are never redundant.",
)
