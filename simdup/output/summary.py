"""The closing report of a run: what was read, what was found, how it was checked."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from simdup.model.clusters import Summary
from simdup.model.criteria import Criteria
from simdup.model.documents import Skipped
from simdup.model.result import Result
from simdup.output.escaping import shown
from simdup.output.selection import EVERYTHING, Selection

if TYPE_CHECKING:
    from simdup.model.cleaned import Cleaned
    from simdup.model.matches import Added

# The names of searches in sentences.
SEARCHES = {
    "simhash": "simhash",
    "minhash": "MinHash",
    "pstable": "p-stable projections",
    "passages": "shared passages",
}

# Reasons for skipping a document by how they begin, as the end of a sentence.
_KINDS = {
    "empty after": ("empty after `strip`",),
    "empty": ("empty",),
    "binary": ("binary file",),
    "undecodable": ("undecodable file",),
    "no words": ("without words",),
    "larger than": ("too large",),
    "no such": ("missing",),
    "contains no document": ("without documents",),
    "not a regular file": ("special file",),
    "no main text": ("without main text",),
    "vanished": ("vanished",),
}
_NOUNS = ("binary file", "undecodable file", "special file", "faulty record")
_LINE = re.compile(r"(line|row) [\d,]+: ")

_KEPT = {"first": "the first of each"}


def report(result: Result, criteria: Criteria, selection: Selection = EVERYTHING) -> str:
    """Return the closing report of a run, one sentence per line."""
    summary = result.summary
    lines = [
        _read(result),
        _found(result, criteria),
        _compared(summary),
        _listed(result, selection),
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


def _listed(result: Result, selection: Selection) -> str:
    """Return how many clusters or pairs are listed, if not all are."""
    if selection == EVERYTHING:
        return ""
    summary = result.summary
    total, what = summary.clusters, "cluster"
    if selection.pairs:
        total, what = summary.pairs if summary.new is None else summary.new, "pair"
    listed = selection.count(result)
    return "" if listed == total else f"Listed {listed:,} of {count_words(total, what)}."


def _read(result: Result) -> str:
    documents = count_words(result.summary.documents, "document")
    parts = [f"Read {documents} in {result.summary.seconds:,.1f} s", skipped_words(result.skipped)]
    return "; ".join(filter(None, parts)) + "."


def _found(result: Result, criteria: Criteria) -> str:
    summary = result.summary
    if not summary.documents:
        return "Nothing to compare."
    if not summary.clusters:
        if not summary.known:
            return "Found no near-duplicates."
        known = count_words(summary.known, "pair")
        return f"Found no new near-duplicates; {known} known."
    order = ["references"] if result.references or summary.indexed is not None else []
    unmatched = [what for name, what in result.notes if name == "`prefer`"]
    order += ["preferred ones"] if len(set(criteria.prefer)) > len(unmatched) else []
    kept = ", then ".join([*order, _KEPT.get(criteria.keep, criteria.keep)])
    clusters = count_words(summary.clusters, "cluster")
    redundant = count_words(summary.redundant, "redundant document")
    return f"Found {clusters} with {redundant} (kept: {kept})."


def _compared(summary: Summary) -> str:
    """Return how many pairs a baseline lacks, has, and need not have."""
    parts = []
    if summary.new:
        parts.append(f"{count_words(summary.new, 'new pair')} ({summary.known:,} known).")
    if summary.stale:
        entries = count_words(summary.stale, "entry", "entries")
        parts.append(f"{entries} of the baseline no longer found: see `update_baseline`.")
    return " ".join(parts)


def _linked(summary: Summary, criteria: Criteria) -> str:
    """Return how many documents are not near the kept one of their cluster."""
    if not summary.linked:
        return ""
    linked = f"{summary.linked:,} more {'is' if summary.linked == 1 else 'are'} linked"
    if criteria.across is not None:
        return f"{linked}: paired with other members, but not with the kept document."
    far = ""
    measured = criteria.verify and criteria.similarity and summary.indexed is None
    if measured and not (criteria.extras or criteria.by_distance):
        far = f" (similarity below {criteria.similarity:g})"
    return f"{linked}: near other members, but not near the kept document{far}."


def _star(summary: Summary) -> str:
    """Return how many documents `dedupe` would remove, if star linkage gives another number."""
    if summary.star_redundant in (None, summary.redundant):
        return ""
    removed = count_words(summary.star_redundant, "document")
    return f"`dedupe` would remove {removed}: it groups with `linkage` star."


def _checked(result: Result, criteria: Criteria) -> str:
    summary, asked = result.summary, criteria_words(criteria)
    pairs = count_words(summary.candidates, "candidate pair")
    if not summary.candidates:
        # Copies need no check.
        return (
            ""
            if summary.clusters or result.known or not summary.documents
            else f"No candidate pairs to check ({asked})."
        )
    if not criteria.verify:
        return f"{pairs} found ({asked}); the texts were not compared."
    # Stars and large clusters do not list all confirmed pairs.
    every = (*result.clusters, *result.known)
    whole = criteria.linkage != "star" and all(one.complete for one in every)
    # Nor are all pairs with documents of indexes listed.
    whole = whole and summary.indexed is None
    known = summary.pairs if summary.new is None else summary.new + (summary.known or 0)
    confirmed = f", {known:,} confirmed" if whole else ""
    return f"{pairs} checked{confirmed} ({asked})."


def _proposed(summary: Summary) -> str:
    """Return how many candidates each search proposed, if there were several searches."""
    if len(summary.candidates_by) < 2 or not summary.candidates:
        return ""
    (first, count), *others = summary.candidates_by.items()
    parts = [f"{SEARCHES[first].capitalize()} proposed {count:,} of these pairs"]
    parts += [f"{SEARCHES[search]} {count:,}" for search, count in others]
    return ", ".join(parts) + "."


def _indexed(summary: Summary, criteria: Criteria) -> str:
    """Return how documents of indexes were compared with others."""
    if not summary.indexed:
        return ""
    estimated = "; similarities to them (~) are estimates" if criteria.verify else ""
    documents = count_words(summary.indexed, "document")
    near, shared = f", within distance {criteria.distance}", "by shared text"
    by = f"by fingerprint{near}, and {shared}"
    if criteria.by_distance:
        by = f"by fingerprint alone{near}"
    elif criteria.method == "minhash":
        by = f"{shared} alone"
    return f"References in indexes ({documents}) were searched {by}{estimated}."


def _decided(result: Result) -> str:
    """Return whether only some of the pairs were checked.

    The clusters may be small: what counts is how many documents candidates connect.
    """
    if all(cluster.complete for cluster in (*result.clusters, *result.known)):
        return ""
    return (
        "Where candidates connect many documents, only the pairs that decide the clusters were "
        "checked; `all_pairs` checks all."
    )


def _unchecked(summary: Summary) -> str:
    if not summary.unchecked:
        return ""
    pairs = count_words(summary.unchecked, "pair")
    return (
        f"Up to {pairs} would have cost too much and were left unchecked; `all_pairs` checks all."
    )


def criteria_words(criteria: Criteria) -> str:
    """Return the conditions for a pair."""
    parts = [f"distance at most {criteria.distance}"] if criteria.by_distance else []
    if criteria.verify:
        asked = [("similarity", criteria.similarity or None)]
        asked += [(name, getattr(criteria, name)) for name in criteria.extras]
        parts += [f"{name} at least {value:g}" for name, value in asked if value is not None]
    parts += ["equal titles"] if criteria.same_title else []
    if criteria.across is not None:
        # It imports numpy, which `index info` does without.
        from simdup.ingest.groups import FOLDER

        parts.append(f"different {shown(criteria.across)}{'s' * (criteria.across == FOLDER)}")
    return ", ".join(parts) or f"by {SEARCHES[criteria.searches[0]]}"


def cleaned_words(cleaned: Cleaned) -> str:
    """Return how many documents a cleaned corpus keeps, and its size."""
    total = cleaned.documents
    if cleaned.annotated:
        return f"{count_words(total, 'document')}, {len(cleaned.removed):,} of them redundant"
    left = total - len(cleaned.removed)
    stay = f"{left:,} of {count_words(total, 'document')} {'stays' if left == 1 else 'stay'}"
    # They are written too, so there may be more files than documents.
    if not all(one.error for one in cleaned.result.skipped):
        stay += " (and what was skipped)"
    before, after = cleaned.bytes_before, cleaned.bytes_after
    if before is None or after is None:
        return stay
    # Compressed anew, a file may become larger.
    saved = f" ({1 - after / before:.0%} saved)" if after < before else ""
    return f"{stay}, {size_words(after)} of {size_words(before)}{saved}"


def added_words(added: Added) -> str:
    """Return what happened to documents that were given to an index."""
    parts = [count_words(added.added, "document")]
    if added.replaced:
        parts.append(f"{added.replaced:,} replaced an earlier one of the same name")
    if added.unchanged:
        parts.append(f"{added.unchanged:,} known already")
    return ", ".join(parts)


def missing_words(cleaned: Cleaned) -> str:
    """Return how much could not be copied to a cleaned corpus; empty for nothing."""
    if not cleaned.missing:
        return ""
    folders = sum(map(os.path.isdir, cleaned.missing))
    counts = (len(cleaned.missing) - folders, "file"), (folders, "folder")
    what = " and ".join(count_words(number, noun) for number, noun in counts if number)
    return f"{what} could not be copied; OUT is incomplete."


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
    kinds = Counter(map(_kind, skipped))
    if not kinds:
        return ""
    why = ", ".join(
        count_words(count, *kind) if kind[0] in _NOUNS else f"{count:,} {kind[0]}"
        for kind, count in kinds.most_common()
    )
    return f"{kinds.total():,} skipped ({why})"


def _kind(one: Skipped) -> tuple[str, ...]:
    """Return why a document was skipped, as the end of a sentence; details were said before."""
    known = (words for start, words in _KINDS.items() if one.reason.startswith(start))
    faulty = ("faulty record" if _LINE.match(one.reason) else "not readable",)
    return next(known, faulty if one.error else (shown(_LINE.sub("", one.reason)),))


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
    parts[:0] = [f"strip {shown(repr(expression))}" for expression in recipe.get("strip", ())]
    return f"recipe {recipe['digest']}: " + ", ".join(parts)


def count_words(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun; `nouns` is the plural if it is irregular."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"
