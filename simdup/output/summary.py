"""The closing report of a run: what was read, what was found, how it was checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from simdup.model.clusters import Result, Summary
from simdup.model.criteria import Criteria
from simdup.model.documents import Skipped
from simdup.output.escaping import shown

if TYPE_CHECKING:
    from simdup.model.clusters import Cleaned

# The names of searches in sentences.
SEARCHES = {
    "simhash": "simhash",
    "minhash": "MinHash",
    "pstable": "p-stable projections",
    "passages": "shared passages",
}

_KEPT = {"first": "first in order"}


def report(result: Result, criteria: Criteria) -> str:
    """Return the closing report of a run, one sentence per line."""
    summary = result.summary
    lines = [
        _read(result),
        _found(result, criteria),
        _linked(summary, criteria),
        _star(summary),
        _checked(result, criteria),
        _proposed(summary),
        _indexed(summary, criteria),
        _decided(result),
        _unchecked(summary),
        f"hint: {result.hint}" if result.hint else "",
    ]
    return "\n".join(filter(None, lines))


def _read(result: Result) -> str:
    documents = count_words(result.summary.documents, "document")
    parts = [f"Read {documents} in {result.summary.seconds:,.1f} s", skipped_words(result.skipped)]
    return "; ".join(filter(None, parts)) + "."


def _found(result: Result, criteria: Criteria) -> str:
    summary = result.summary
    if not summary.clusters:
        return "Found no near-duplicates."
    order = ["references"] if result.references or summary.indexed is not None else []
    order += ["preferred ones"] if criteria.prefer else []
    kept = ", then ".join([*order, _KEPT.get(criteria.keep, criteria.keep)])
    clusters = count_words(summary.clusters, "cluster")
    redundant = count_words(summary.redundant, "redundant document")
    return f"Found {clusters} with {redundant} (kept: {kept})."


def _linked(summary: Summary, criteria: Criteria) -> str:
    """Return how many documents are not near the kept one of their cluster."""
    if not summary.linked:
        return ""
    far = ""
    measured = criteria.verify and criteria.similarity and summary.indexed is None
    if measured and not (criteria.extras or criteria.by_distance):
        far = f" (similarity below {criteria.similarity:g})"
    linked = count_words(summary.linked, "document")
    return (
        f"{linked} {'is' if summary.linked == 1 else 'are'} linked to a kept one only through "
        f"others: too far from it to be redundant{far}."
    )


def _star(summary: Summary) -> str:
    """Return how many documents `dedupe` would remove, if star linkage gives another number."""
    if summary.star_redundant in (None, summary.redundant):
        return ""
    removed = count_words(summary.star_redundant, "document")
    return f"`dedupe` would remove {removed}: its clusters only have documents near the kept one."


def _checked(result: Result, criteria: Criteria) -> str:
    summary, asked = result.summary, criteria_words(criteria)
    pairs = count_words(summary.candidates, "candidate pair")
    if not summary.candidates:
        # Copies need no check.
        return "" if summary.clusters else f"No candidate pairs to check ({asked})."
    if not criteria.verify:
        return f"{pairs} found ({asked}); the texts were not compared."
    # Stars and large clusters do not list all confirmed pairs.
    whole = criteria.linkage != "star" and all(one.complete for one in result.clusters)
    # Nor are all pairs with documents of indexes listed.
    whole = whole and summary.indexed is None
    confirmed = f", {summary.pairs:,} confirmed" if whole else ""
    return f"{pairs} checked{confirmed} ({asked})."


def _proposed(summary: Summary) -> str:
    """Return how many candidates each search proposed, if there were several searches."""
    if len(summary.candidates_by) < 2 or not summary.candidates:
        return ""
    (first, count), *others = summary.candidates_by.items()
    parts = [f"{SEARCHES[first].capitalize()} proposed {count:,}"]
    parts += [f"{SEARCHES[search]} {count:,}" for search, count in others]
    return ", ".join(parts) + "."


def _indexed(summary: Summary, criteria: Criteria) -> str:
    """Return how documents of indexes were compared with others."""
    if summary.indexed is None:
        return ""
    estimated = "; similarities to them (~) are estimates" if criteria.verify else ""
    documents = count_words(summary.indexed, "document")
    return (
        f"References in indexes ({documents}) were searched by fingerprint alone, within distance "
        f"{criteria.distance}{estimated}."
    )


def _decided(result: Result) -> str:
    """Return how many clusters are so large that only some of their pairs were checked."""
    large = sum(not cluster.complete for cluster in result.clusters)
    if not large:
        return ""
    where = "one large cluster" if large == 1 else f"{large:,} large clusters"
    return f"In {where}, only the decisive pairs were checked; `all_pairs` checks all."


def _unchecked(summary: Summary) -> str:
    if not summary.unchecked:
        return ""
    pairs = count_words(summary.unchecked, "pair")
    return f"Up to {pairs} of very large clusters were left unchecked; `all_pairs` checks all."


def criteria_words(criteria: Criteria) -> str:
    """Return the conditions for a pair."""
    parts = [f"distance at most {criteria.distance}"] if criteria.by_distance else []
    if criteria.verify:
        asked = [("similarity", criteria.similarity or None)]
        asked += [(name, getattr(criteria, name)) for name in criteria.extras]
        parts += [f"{name} at least {value:g}" for name, value in asked if value is not None]
    return ", ".join(parts) or f"by {SEARCHES[criteria.searches[0]]}"


def cleaned_words(cleaned: Cleaned) -> str:
    """Return how many documents a cleaned corpus keeps, and its size."""
    total = cleaned.documents
    stay = f"{total - len(cleaned.removed):,} of {count_words(total, 'document')}"
    if cleaned.bytes_before is None or cleaned.bytes_after is None:
        return f"{stay} stay"
    return f"{stay} stay, {size_words(cleaned.bytes_after)} of {size_words(cleaned.bytes_before)}"


def size_words(size: int) -> str:
    """Return a readable number of bytes: 999 bytes, 4.1 MB, 12 GB."""
    if size < 1000:
        return count_words(size, "byte")
    value, units = size / 1000, iter(("kB", "MB", "GB", "TB"))
    unit = next(units)
    # 999.5 would be printed as 1000.
    while value >= 999.5 and unit != "TB":
        value, unit = value / 1000, next(units)
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"


def skipped_words(skipped: Iterable[Skipped]) -> str:
    """Return how many documents were skipped, and why; empty for none."""
    reasons = Counter(re.sub(r"^line [\d,]+: ", "", one.reason) for one in skipped)
    if not reasons:
        return ""
    why = ", ".join(f"{count:,} {shown(reason)}" for reason, count in reasons.most_common())
    return f"{reasons.total():,} skipped ({why})"


def recipe_words(recipe: dict[str, Any]) -> str:
    """Return a resolved recipe in one line."""
    if "tokens" not in recipe:
        return f"recipe {recipe['digest']}" if recipe.get("digest") else ""
    parts = [
        recipe["tokens"],
        "fold" if recipe["fold"] else "no fold",
        recipe["weight"] + ("" if recipe["idf"] == "none" else f" by {shown(recipe['idf'])}"),
        f"top {recipe['top']}" if recipe["top"] else "all terms",
        f"cap {recipe['cap']:g}" if recipe["cap"] else "no cap",
        f"{recipe['hash']} {recipe['bits']}",
    ]
    if "dictionary" in recipe:
        parts.insert(1, f"dict {shown(recipe['dictionary'])}")
    return f"recipe {recipe['digest']}: " + ", ".join(parts)


def count_words(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun; `nouns` is the plural if it is irregular."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"
