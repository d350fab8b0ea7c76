"""Options for when two documents are near-duplicates, and which one is kept."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from simdup.cli.options.values import Decorator, option, value
from simdup.model.criteria import LINKAGES, METHODS, Criteria
from simdup.model.shingling import Shingling

_SHARE = click.FloatRange(0, 1)
_INNER_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_DEFAULT = Criteria()
_matching = partial(option, panel="Matching", defaults=_DEFAULT)

_LINKAGE = partial(
    _matching,
    "--linkage WHICH",
    "Cluster documents by any chain of pairs (single), or only with the kept one (star).",
    LINKAGES,
)
_SIMILARITY = partial(
    _matching,
    "-s, --similarity S",
    "Lowest text similarity of a pair, 0 to 1.",
    _SHARE,
    common=True,
)
_CRITERIA = {
    "method": _matching(
        "--method METHOD",
        "Candidate search: simhash (near fingerprints), minhash (shared text), auto (both, and "
        "shared passages with --containment), or pstable (near TF-IDF vectors).",
        METHODS,
        common=True,
    ),
    "recall": _matching(
        "--recall R", "Expected share of pairs that minhash and pstable find.", _INNER_SHARE
    ),
    "distance": _matching(
        "-d, --distance K",
        "Fingerprint bits that may differ.",
        click.IntRange(0, 256),
        common=True,
    ),
    "similarity": _SIMILARITY(),
    "shingle": _matching(
        "--shingle SIZE",
        "Compare texts by runs of N characters, or of N words with words:N.",
        default=str(_DEFAULT.shingle),
    ),
    "verify": _matching("--verify/--no-verify", "Compare the texts of each candidate pair."),
    "containment": _matching(
        "--containment C",
        "Lowest share of the shorter text that the longer one contains; finds excerpts in texts of "
        "any length.",
        _SHARE,
        shown="off",
    ),
    "cosine": _matching("--cosine C", "Lowest cosine of the TF-IDF vectors.", _SHARE, shown="off"),
    "keep": _matching(
        "-k, --keep WHICH",
        "Document to keep: first, longest, shortest, newest, oldest, max:FIELD or min:FIELD.",
        common=True,
    ),
    "prefer": _matching(
        "--prefer PATTERN", "Prefer to keep documents that match. Repeatable.", multiple=True
    ),
    "linkage": _LINKAGE(),
    "all_pairs": _matching("--all-pairs", "Verify and list all pairs of large clusters."),
}


def _make_criteria(**given: Any) -> Criteria:
    if "shingle" in given:
        given["shingle"] = Shingling.parse(given["shingle"])
    return Criteria(**given)


def criteria(*fields: str, linkage: str = "single") -> Decorator:
    """Return the options for some fields of the criteria, all of them by default.

    `linkage` is the default of the command.
    """
    known = _CRITERIA | {"linkage": _LINKAGE(shown=linkage)}
    if not fields or "containment" in fields:
        shown = f"{_DEFAULT.similarity:g}; 0 with --containment"
        known["similarity"] = _SIMILARITY(default=None, shown=shown)
    return value("criteria", _make_criteria, *(known[name] for name in fields or _CRITERIA))


references = option(
    "--reference SOURCE",
    "Documents that are never redundant; an index works too.",
    name="references",
    panel="Matching",
    common=True,
    multiple=True,
)
