"""Options for when two documents are near-duplicates, and which one is kept."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from simdup.cli.options.values import Decorator, option, value
from simdup.model.criteria import KEEP, LINKAGES, LOSSLESS, METHODS, SHORT, Criteria
from simdup.model.shingling import Shingling

_SHARE = click.FloatRange(0, 1)
_INNER_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_DEFAULT = Criteria()


def _matching(*declared: Any, **settings: Any) -> partial[Decorator]:
    """Return what makes an option, so that a command can change its text or default."""
    return partial(option, *declared, panel="Matching", defaults=_DEFAULT, **settings)


_CRITERIA = {
    "method": _matching(
        "--method METHOD",
        text="Candidate search: simhash (near fingerprints), minhash (shared text), auto (both, "
        "and shared passages with --containment), or pstable (near TF-IDF vectors).",
        kind=METHODS,
        common=True,
    ),
    "recall": _matching(
        "--recall R",
        "Expected share of pairs that minhash (by --similarity) and pstable (by --cosine) find.",
        _INNER_SHARE,
    ),
    "distance": _matching(
        "-d, --distance K",
        text="Maximum fingerprint distance, in bits.",
        kind=click.IntRange(0, 256),
        common=True,
    ),
    "similarity": _matching(
        "-s, --similarity S",
        text="Minimum similarity of a pair, 0 to 1.",
        kind=_SHARE,
        common=True,
    ),
    "shingle": _matching(
        "--shingle SIZE",
        "Compare texts by runs of N characters, or of N words with words:N.",
        default=str(_DEFAULT.shingle),
    ),
    "short_texts": _matching(
        "--short-texts/--no-short-texts",
        f"Measure pairs with a text of fewer than {SHORT} letters by edit similarity.",
    ),
    "numbers": _matching(
        "--numbers/--no-numbers", "Short texts with different numbers are different."
    ),
    "verify": _matching("--verify/--no-verify", text="Compare the texts of each candidate pair."),
    "containment": _matching(
        "--containment C",
        "Minimum share of the shorter text that the longer one contains; finds excerpts in texts "
        "of any length.",
        _SHARE,
        shown="off",
    ),
    "cosine": _matching("--cosine C", "Minimum cosine of the TF-IDF vectors.", _SHARE, shown="off"),
    "same_title": _matching(
        "--same-title",
        "Require equal titles too, as for pages of one template.",
        common=True,
    ),
    "across": _matching(
        "--across FIELD",
        "Pair only documents that differ in this record field; folder: in their folder.",
        shown="off",
    ),
    "keep": _matching(
        "-k, --keep WHICH",
        "Document to keep: first, longest, shortest, newest, oldest, max:FIELD or min:FIELD.",
        common=True,
        words=tuple(one for one in KEEP if ":" not in one),
    ),
    "prefer": _matching(
        "--prefer PATTERN", "Prefer to keep documents that match. Repeatable.", multiple=True
    ),
    "decisions": _matching(
        "--decisions FILE",
        "Follow what people decided in a report page: what is distinct, what to keep.",
        default=None,
    ),
    "linkage": _matching(
        "--linkage WHICH",
        "Cluster documents by any chain of pairs (single), or only with the kept one (star).",
        LINKAGES,
        shown="single",
    ),
    "lossless": _matching(
        "--lossless",
        f"Remove only what the kept document contains: {LOSSLESS:.0%} of its text, and every "
        "number, date and code.",
        common=True,
    ),
    "all_pairs": _matching(
        "--all-pairs",
        "Verify and list every pair, even where candidates connect many documents; of fewer than "
        "5,000 documents also what no search proposes.",
    ),
}


# Only for commands that ask for it.
_ASKED = ("lossless",)


def _make_criteria(**given: Any) -> Criteria:
    if "shingle" in given:
        given["shingle"] = Shingling.parse(given["shingle"])
    if (path := given.pop("decisions", None)) is not None:
        from simdup.corpus.decisions import read_decisions

        given["decisions"] = read_decisions(path)
    return Criteria(**given)


def criteria(*fields: str, **changed: dict[str, Any]) -> Decorator:
    """Return the options for some fields of the criteria, those of a scan by default.

    For each field in `changed`, the command has other settings of its option, such as a text.
    """
    names = fields or tuple(one for one in _CRITERIA if one not in _ASKED or one in changed)
    if "containment" in names:
        shown = f"{_DEFAULT.similarity:g}; 0 with --containment"
        changed["similarity"] = {"default": None, "shown": shown} | changed.get("similarity", {})
        shown = f"{_DEFAULT.keep}; longest with --containment"
        changed["keep"] = {"default": None, "shown": shown} | changed.get("keep", {})
    options = (_CRITERIA[name](**changed.get(name, {})) for name in names)
    return value("criteria", _make_criteria, *options)


# With several searches, the distance is only what the search by fingerprints proposes.
SEARCHED_DISTANCE = {
    "text": "Maximum distance that simhash proposes; with auto, pairs may be further apart."
}


references = option(
    "--reference SOURCE",
    "Also compare with these documents, or with an index; they are never redundant.",
    name="references",
    panel="Matching",
    common=True,
    multiple=True,
)
