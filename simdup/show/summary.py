"""The closing report of a run: what was read, what was found, how it was checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simdup.model.clusters import Summary
from simdup.model.criteria import Criteria
from simdup.model.documents import Skipped
from simdup.model.fields import FACTS, FILE, FOLDER, TITLE
from simdup.near.findings import Findings
from simdup.show.escaping import shown
from simdup.show.selection import EVERYTHING, Selection
from simdup.show.words import ENGLISH, Phrases

if TYPE_CHECKING:
    from simdup.index.match import Added
    from simdup.model.cleaned import Removed
    from simdup.model.readings import ConflictResult
    from simdup.model.shared_passages import PassageResult

# Reasons for skipping a document by how they begin, and what each is called in the catalogues.
_KINDS = {
    "empty after": "empty after strip",
    "empty": "empty",
    "binary": "binary file",
    "undecodable": "undecodable file",
    "no words": "without words",
    "larger than": "too large",
    "no such": "missing",
    "contains no document": "without documents",
    "not a regular file": "special file",
    "no main text": "without main text",
    "vanished": "vanished",
}


_BARS = " ▁▂▃▄▅▆▇█"


def report(
    result: Findings,
    criteria: Criteria,
    selection: Selection = EVERYTHING,
    words: Phrases = ENGLISH,
    removed: Sequence[Removed] | None = None,
    staying: int = 0,
) -> str:
    """Return the closing report of a run, one sentence per line.

    `removed` is what it left out, `staying` how many redundant documents are in files kept whole.
    """
    summary = result.summary
    lines = [
        read_words(result, words),
        _found(result, criteria, words),
        words("staying", n=staying) if staying else "",
        _differing(summary, removed, words),
        _compared(summary, words),
        _listed(result, selection, words),
        _spared(result, words),
        _kept_apart(summary, words),
        _checked(result, criteria, words),
        _indexed(summary, criteria, words),
        _unchecked(summary, words),
        _similarities(summary, words),
        words("hint", hint=result.hint) if result.hint else "",
    ]
    return "\n".join(filter(None, lines))


def _listed(result: Findings, selection: Selection, words: Phrases) -> str:
    """Return how many clusters or pairs are listed, if not all are."""
    if selection == EVERYTHING:
        return ""
    summary = result.summary
    total, what = summary.clusters, "clusters"
    if selection.pairs:
        total, what = summary.pairs if summary.new is None else summary.new, "pairs"
    listed = selection.count(result)
    return "" if listed == total else words(f"listed.{what}", listed=listed, n=total)


def read_words(result: Findings | PassageResult | ConflictResult, words: Phrases) -> str:
    """Return how many documents were read in what time, and what was skipped."""
    documents = words("documents", n=result.summary.documents)
    read = words("read", documents=documents, seconds=result.summary.seconds)
    return words.sentence([read, skipped_words(result.skipped, words)])


def _found(result: Findings, criteria: Criteria, words: Phrases) -> str:
    summary = result.summary
    if not summary.documents:
        return words("found.nothing")
    if not summary.clusters:
        if not summary.known:
            return words("found.none")
        return words("found.none_new", pairs=words("pairs", n=summary.known))
    order = [words("kept.indexed")] if summary.indexed else []
    order += [words("kept.references")] if result.references else []
    unmatched = [what for name, what in result.notes if name == "`prefer`"]
    if len(set(criteria.prefer)) > len(unmatched):
        order.append(words("kept.preferred"))
    keep, _, field = criteria.keep.partition(":")
    kept = words("then").join([*order, words(f"kept.{keep}", field=field)])
    clusters = words("clusters", n=summary.clusters)
    redundant = words("redundant", n=summary.redundant)
    return words("found", clusters=clusters, redundant=redundant, kept=kept)


def _differing(summary: Summary, removed: Sequence[Removed] | None, words: Phrases) -> str:
    """Return how many documents differ in a fact from what stays, if any do."""
    what, differ = "redundant", summary.facts_differ or 0
    if removed is not None:
        what, differ = "removed", sum(bool(one.facts) for one in removed)
    return words(f"differ.{what}", n=differ) if differ else ""


def _compared(summary: Summary, words: Phrases) -> str:
    """Return how many pairs a baseline lacks, has, and need not have."""
    parts = [words("new", n=summary.new, known=summary.known)] if summary.new else []
    parts += [words("stale", n=summary.stale)] if summary.stale else []
    return words("between").join(parts)


def _similarities(summary: Summary, words: Phrases) -> str:
    """Return how similar candidates are, as bars, and where the valley is."""
    if summary.similarities is None or not any(counts := summary.similarities.counts):
        return ""
    # What is there can be seen, however little it is.
    heights = [-(-count * (len(_BARS) - 1) // max(counts)) for count in counts]
    said = [words("similarities", n=sum(counts), bars="".join(_BARS[height] for height in heights))]
    if (valley := summary.similarities.valley) is not None:
        said.append(words("similarities.valley", valley=valley))
    return words("between").join(said)


def _spared(result: Findings, words: Phrases) -> str:
    """Return how many documents stay because the kept one does not contain them."""
    if not result.spared:
        return ""
    return words("spared", documents=words("documents", n=len(result.spared)))


def _checked(result: Findings, criteria: Criteria, words: Phrases) -> str:
    summary, asked = result.summary, criteria_words(criteria, words)
    if summary.checked:
        return words("checked", n=summary.checked, asked=asked)
    # The texts of copies need not be compared.
    needless = (criteria.verify and (summary.clusters or result.known)) or not summary.documents
    return "" if needless else words("checked.none", asked=asked)


def _indexed(summary: Summary, criteria: Criteria, words: Phrases) -> str:
    """Return how documents of indexes were compared with others."""
    if not summary.indexed:
        return ""
    by = "shared" if criteria.method == "minhash" else "both"
    by = "fingerprint" if criteria.by_distance else by
    return words(
        "indexed",
        documents=words("documents", n=summary.indexed),
        by=words(f"indexed.{by}", distance=criteria.distance),
        estimated=words("indexed.estimated") if criteria.verify else "",
    )


def _kept_apart(summary: Summary, words: Phrases) -> str:
    """Return how many pairs of short texts a fact keeps apart."""
    kinds = {words(f"kept_apart.{kind}"): n for kind, n in (summary.kept_apart or {}).items()}
    pairs = sum(kinds.values())
    if len(kinds) > 1:
        each = [words("kept_apart.kind", n=n, kind=kind) for kind, n in kinds.items()]
        return words("kept_apart.each", n=pairs, kinds=words.listed(each))
    return words("kept_apart", n=pairs, kinds=next(iter(kinds))) if kinds else ""


def _unchecked(summary: Summary, words: Phrases) -> str:
    return words("unchecked", n=summary.unchecked) if summary.unchecked else ""


def field_name(field: str, words: Phrases) -> str:
    """Return what a FIELD of `same` or `across` is called."""
    return words(f"field.{field}") if field in (TITLE, FOLDER, FILE, FACTS) else shown(field)


def criteria_words(criteria: Criteria, words: Phrases = ENGLISH) -> str:
    """Return the conditions for a pair."""
    distance = criteria.distance
    parts = [words("asked.distance", value=distance)] if criteria.by_distance else []
    if criteria.verify:
        asked = [("similarity", criteria.similarity or None)]
        asked += [(name, getattr(criteria, name)) for name in criteria.extras]
        parts += [words(f"asked.{name}", value=value) for name, value in asked if value is not None]
    for rule, fields in (("same", criteria.same), ("across", criteria.across)):
        parts += [words(f"asked.{rule}", field=field_name(field, words)) for field in fields]
    search = words(f"search.{criteria.searches[0]}")
    return words.listed(parts) or words("asked.search", search=search)


def added_words(added: Added, words: Phrases = ENGLISH) -> str:
    """Return what happened to documents that were given to an index."""
    parts = [words("documents", n=added.added)]
    if added.replaced:
        parts.append(words("added.replaced", n=added.replaced))
    if added.unchanged:
        parts.append(words("added.known", n=added.unchanged))
    return words.listed(parts)


def indexed_words(path: str, added: Added, documents: int, words: Phrases = ENGLISH) -> str:
    """Return what was added to an index, and how many documents it has now."""
    parts = [words("index.added", documents=words("documents", n=added.added))]
    parts += [words("index.replaced", n=added.replaced)] if added.replaced else []
    parts += [words("index.unchanged", n=added.unchanged)] if added.unchanged else []
    done = words.listed([*parts, words("index.all", n=documents)])
    what = words("semicolon").join(filter(None, [done, skipped_words(added.skipped, words)]))
    return words("wrote.what", path=shown(path), what=what)


def removed_words(path: str, removed: int, documents: int, words: Phrases = ENGLISH) -> str:
    """Return how many documents were removed from an index, and how many it has now."""
    gone = words("index.removed", documents=words("documents", n=removed))
    what = words.listed([gone, words("index.all", n=documents)])
    return words("wrote.what", path=shown(path), what=what)


def query_words(
    counts: Mapping[str, int],
    seconds: float,
    skipped: Iterable[Skipped],
    add: bool,
    words: Phrases = ENGLISH,
) -> str:
    """Return how many documents were asked in what time, and how many have matches."""
    documents = words("documents", n=counts["documents"])
    parts = [
        words("query", documents=documents, seconds=seconds),
        words("query.added" if add else "query.counts", **counts),
        skipped_words(skipped, words),
    ]
    return words("semicolon").join(filter(None, parts))


def size_words(size: int, words: Phrases = ENGLISH) -> str:
    """Return a readable number of bytes: 999 bytes, 4.1 MB, 12 GB."""
    if size < 1000:
        return words("bytes", n=size)
    value, units = size / 1000, iter(("kB", "MB", "GB", "TB"))
    unit = next(units)
    # 999.5 would be printed as 1000.
    while value >= 999.5 and unit != "TB":
        value, unit = value / 1000, next(units)
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"


def skipped_words(skipped: Iterable[Skipped], words: Phrases = ENGLISH) -> str:
    """Return how many documents were skipped, and why; empty for none."""
    kinds = Counter(map(_kind, skipped))
    if not kinds:
        return ""
    why = words.listed(_skipped_for(kind, count, words) for kind, count in kinds.most_common())
    return words("skipped", n=kinds.total(), why=why)


def _skipped_for(kind: str, count: int, words: Phrases) -> str:
    key = f"skipped.{kind}"
    if key in words:
        return words(key, n=count)
    return words("skipped.other", n=count, reason=kind)


def _kind(one: Skipped) -> str:
    """Return why a document was skipped, as the end of a sentence; details were said before."""
    known = (kind for start, kind in _KINDS.items() if one.reason.startswith(start))
    faulty = "faulty record" if one.place else "not readable"
    return next(known, faulty if one.error else shown(one.cause))


def recipe_words(recipe: dict[str, Any], words: Phrases = ENGLISH) -> str:
    """Return a resolved recipe in one line."""
    if "tokens" not in recipe:
        return words("recipe", recipe=recipe["digest"]) if recipe.get("digest") else ""
    weight, idf = recipe["weight"], shown(recipe["idf"])
    parts = [
        recipe["tokens"],
        words("recipe.fold") if recipe["fold"] else words("recipe.no_fold"),
        weight if idf == "none" else words("recipe.weight", weight=weight, idf=idf),
        words("recipe.top", top=recipe["top"]) if recipe["top"] else words("recipe.all"),
        words("recipe.cap", cap=recipe["cap"]) if recipe["cap"] else words("recipe.no_cap"),
        f"{recipe['hash']} {recipe['bits']}",
    ]
    if "dictionary" in recipe:
        parts.insert(1, words("recipe.dictionary", dictionary=shown(recipe["dictionary"])))
    strips = (shown(repr(expression)) for expression in recipe.get("strip", ()))
    parts[:0] = [words("recipe.strip", expression=expression) for expression in strips]
    return words("recipe", recipe=recipe["digest"]) + words("colon") + words.listed(parts)
