"""Write a comparison of two documents, as text and as JSONL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size

from simdup.corpus.names import to_bytes
from simdup.model.criteria import EDIT, SHARES
from simdup.show.conflict_output import value_words
from simdup.show.csv_jsonl import digits, json_line, rounded
from simdup.show.diff import first_difference
from simdup.show.escaping import shown
from simdup.show.passage_output import passage_lines, passage_values, percent
from simdup.show.summary import field_name, recipe_words
from simdup.show.text import Painter, aligned, padded
from simdup.show.words import ENGLISH, Phrases
from simdup.text.titles import MOST
from simdup.text.weights import ENOUGH_DOCUMENTS

if TYPE_CHECKING:
    from simdup.model.comparison import Comparison
    from simdup.model.readings import FactDifference


# The most terms shown of each kind; JSONL has them all.
_MOST = 20

_SHARES = (*SHARES, "share_a", "share_b")

# The most facts that are named.
_FACTS = 5

# Which text contains the other.
_IN = {"a": "in_b", "b": "in_a", "both": "in_both"}

# Terminal cells of the names of figures, of what is before a figure, and of a term's weights.
_NAME, _INDENT = 12, 16
_WEIGHTS = (13, 8)

# The largest distance to suggest: each bit more needs more tables with shorter keys.
_NEAR = 6

# From this similarity on, the first difference says more than that nearly everything differs.
_ALIKE = 0.5

# The width of the longest term, in terminal cells.
_WIDEST = 40


def facts(found: Comparison) -> dict[str, Any]:
    """Return what is known of a pair by name, in the order of JSONL, which has all of it.

    A terminal and a page show some of it.  What was not asked for is absent.
    """

    def named(names: str) -> dict[str, Any]:
        return {name: getattr(found, name) for name in names.split()}

    measures = found.measures
    known: dict[str, Any] = dict(zip("ab", found.names, strict=True))
    known |= named("duplicates distance bits agreement ratio similarity measure")
    known |= {name: getattr(measures, name) for name in found.criteria.extras}
    known |= {"contained": measures.contained} if measures.contained else {}
    known |= {"run": found.run} if found.run else {}
    known |= named("fingerprints bands searches proposed_by shared only_a only_b recipe")
    known |= named("numbers") if found.numbers else {}
    known |= {"fields": [verdict._asdict() for verdict in found.fields]} if found.fields else {}
    known |= named("facts passages share_a share_b")
    return known | (named("diff") if found.diff is not None else {})


def comparison_jsonl(found: Comparison) -> Iterator[bytes]:
    """Yield a comparison as one line of JSON."""
    values = {"type": "comparison"} | facts(found)
    values |= {name: rounded(values[name]) for name in _SHARES if name in values}
    values["passages"] = list(map(passage_values, found.passages))
    values["facts"] = [fact._asdict() for fact in found.facts]
    if found.diff is not None:
        values["diff"] = [span._asdict() for span in found.diff]
    yield json_line(values)


def comparison_text(
    found: Comparison,
    texts: tuple[str, str],
    paint: Painter,
    *,
    followed: bool = False,
    verbose: bool = False,
    chosen_idf: bool = True,
) -> Iterator[bytes]:
    """Yield a comparison as a person reads it: the answer first, then the reasons.

    `verbose` adds the recipe.  Unless an IDF was chosen, a scan may weigh terms by another one,
    and show other distances.  Where the comparison is `followed` by the texts with their
    differences, passages and terms would push these away.
    """
    words = paint.words
    answer = paint(
        *(("yes", words("compare.yes")) if found.duplicates else ("no", words("compare.no")))
    )
    why = words("compare", answer=answer, reason=reason(found, words))
    a, b = map(shown, found.names)
    lines = [paint.wrapped(why), "", f"  a  {a}", f"  b  {b}", ""]
    lines += _figures(found, words)
    idf = found.recipe["idf"]
    known = words(f"idf.{idf}") if idf in ("builtin", "none") else shown(idf)
    lines.append(_row("idf", known, words))
    if idf == "builtin" and not chosen_idf:
        lines.append(" " * _INDENT + words("idf.scan", n=ENOUGH_DOCUMENTS))
    lines += [f"  {recipe_words(found.recipe, words)}"] if verbose else []
    lines += [] if followed else _differences(found, texts, paint)
    passages, *shares = found.reuse
    if passages:
        count = words("passages", n=len(passages))
        a, b = (percent(share).strip() for share in shares)
        lines += ["", paint("heading", "  " + words("passages.shares", passages=count, a=a, b=b))]
        lines += [] if followed else passage_lines(passages, texts[0], paint)
    lines += [] if followed else _terms(found, paint)
    yield to_bytes("\n".join(lines) + "\n")


def _row(name: str, figure: str, words: Phrases) -> str:
    """Return a line with a figure behind its name."""
    return f"  {padded(words(f'compare.{name}'), _NAME)}  {figure}"


def _differences(found: Comparison, texts: tuple[str, str], paint: Painter) -> Iterator[str]:
    """Yield where texts differ that are much the same, or whose heaviest terms are."""
    same_terms = not (found.only_a or found.only_b)
    if found.identical or not (same_terms or found.similarity >= _ALIKE):
        return
    if found.diff is None:
        yield _row("differences", paint.words("compare.see_diff"), paint.words)
        return
    places, first = first_difference(found, texts)
    if places:
        yield _row("differences", paint.words("compare.places", n=places), paint.words)
        yield " " * _INDENT + paint.line(first)


def _figures(found: Comparison, words: Phrases) -> Iterator[str]:
    """Yield the lines of fields, distance, bands, measures and fingerprints."""
    known = facts(found)
    for verdict in found.fields:
        agree = verdict.holds == (verdict.rule == "same")
        equal = words("compare.equal") if agree else words("compare.different")
        yield _row("field", f"{field_name(verdict.field, words)}: {equal}", words)
        for value in (verdict.a, verdict.b):
            yield " " * _INDENT + (shown(value[:MOST]) or words("compare.none"))
    if known["distance"] is not None:
        bits = words("compare.bits", n=known["distance"], bits=known["bits"])
        yield _row("distance", bits, words)
    for search, equal in known["searches"].items():
        bands = "".join("=" if band else "." for band in equal)
        if search != "passages":
            matching = words("compare.bands", equal=sum(equal), total=len(equal))
            yield _row(search, f"{bands}  {matching}", words)
    kind, _, count = str(found.criteria.shingle).rpartition(":")
    runs = words("compare.word_runs", n=count) if kind else words("compare.runs", n=count)
    runs = words("compare.edits") if known["measure"] == EDIT else runs
    side, run = _IN.get(known.get("contained", "")), known.get("run")
    inside = words(f"compare.{side}") if side else ""
    inside += "  " + words("compare.short_runs", n=run) if run else ""
    what = {"similarity": f"  {runs}", "containment": inside}
    for name in SHARES:
        if name in known:
            yield _row(name, digits(known[name]) + what.get(name, ""), words)
    a, b = (value or words("compare.none") for value in known["fingerprints"])
    yield _row("fingerprints", f"{a}  {b}", words)
    if known["facts"]:
        yield _row("facts", _differing(known["facts"], words), words)


def _differing(facts: Sequence[FactDifference], words: Phrases) -> str:
    """Return in which facts two texts differ."""
    some = [
        words("compare.fact", a=value_words(one.a, words), b=value_words(one.b, words))
        for one in facts[:_FACTS]
    ]
    more = [words("compare.more_facts", n=len(facts) - _FACTS)] if len(facts) > _FACTS else []
    return words("compare.differ", n=len(facts), facts=words.listed([*some, *more]))


def reason(found: Comparison, words: Phrases = ENGLISH) -> str:
    """Return a sentence that explains the answer."""
    if known := _reason_without_measures(found, words):
        return known
    criteria = found.criteria
    place = words("semicolon").join(_place(found, search, words) for search in found.searches)
    if not criteria.verify:
        return words("reason.unverified", place=place)
    share = _share(found, words)
    if len(found.searches) > 1:
        return _measured_reason(found, share, place, words)
    if bool(found.proposed_by) == found.accepted:
        return words("reason.both", place=place, share=share)
    simhash = "simhash" in found.searches
    if found.proposed_by:
        key = "reason.near" if simhash else "reason.bands"
        return words(key, place=place, share=share)
    if not (criteria.similarity or criteria.extras):
        return words("reason.unmeasured", place=place)
    way_out = words("reason.by_auto")
    if simhash and found.distance is not None and found.distance <= _NEAR:
        way_out = words("reason.by_distance", distance=found.distance)
    return words("reason.missed", place=place, share=share, way_out=way_out)


def _reason_without_measures(found: Comparison, words: Phrases) -> str:
    """Return the reason if no measure decides; empty if one does."""
    if found.distance is None and not found.duplicates:
        without = found.names[0 if found.fingerprints[0] is None else 1]
        return words("reason.no_words", name=shown(without))
    for verdict in found.fields:
        if not verdict.holds:
            return words(f"reason.{verdict.rule}", field=field_name(verdict.field, words))
    if found.identical:
        folded = found.recipe["fold"]
        return words("reason.identical_folded" if folded else "reason.identical")
    if found.too_short:
        return words("reason.too_short")
    if found.numbers:
        a, b = (words.listed(numbers) or words("compare.none") for numbers in found.numbers)
        return words("reason.numbers", a=a, b=b)
    return ""


def _measured_reason(found: Comparison, share: str, place: str, words: Phrases) -> str:
    """Return the reason if the measures alone decide, and the searches that propose the pair."""
    if not found.duplicates:
        return words("reason.share", share=share)
    if not found.proposed_by:
        return words("reason.unproposed", share=share, place=place)
    names = (words(f"search.{search}") for search in found.proposed_by)
    return words("reason.proposed", share=share, searches=words("reason.and_by").join(names))


def _share(found: Comparison, words: Phrases) -> str:
    """Return the measures and the required values."""
    criteria = found.criteria
    names = [*(["similarity"] if criteria.similarity else []), *criteria.extras]
    parts = []
    for name in names:
        figure, least = digits(getattr(found.measures, name)), getattr(criteria, name)
        kind = "edit" if name == "similarity" and found.measure == EDIT else name
        parts.append(words(f"share.{kind}", value=figure, least=least))
    return words("share", parts=words.listed(parts)) if parts else words("share.none")


def _place(found: Comparison, search: str, words: Phrases) -> str:
    """Return how near the two are in a search."""
    if search == "simhash":
        most = found.criteria.distance
        return words("place.bits", n=found.distance, bits=found.bits, most=most)
    bands = found.searches[search]
    if search == "passages":
        return words("place.passages" if bands[0] else "place.no_passages")
    name = words(f"search.{search}")
    return words("place.bands", n=sum(bands), total=len(bands), search=name)


def _short(term: str) -> str:
    """Return a term as shown, truncated if it is too wide for the table."""
    term = shown(term)
    return term if cell_len(term) <= _WIDEST else set_cell_size(term, _WIDEST - 1) + "…"


def _terms(found: Comparison, paint: Painter) -> Iterator[str]:
    """Yield the top terms as a table: shared ones, then those of each side."""
    shared, only_a, only_b = found.shared, found.only_a, found.only_b
    rows = [(_short(term), f"{a:.2f}", f"{b:.2f}") for term, a, b in shared]
    rows += [(_short(term), f"{a:.2f}", "") for term, a in only_a]
    rows += [(_short(term), "", f"{b:.2f}") for term, b in only_b]
    if not rows:
        return
    words = paint.words
    sizes = {"shared": len(shared), "only_a": len(only_a), "only_b": len(only_b)}
    heads = [words(f"terms.{name}", n=size) for name, size in sizes.items()]
    width = max(cell_len(term) for term in (*heads, *(term for term, _, _ in rows)))
    weights = "  ".join(map(aligned, (words("terms.a"), words("terms.b")), _WEIGHTS))
    at = 0
    for head, size in zip(heads, sizes.values(), strict=True):
        if not size:
            continue
        yield ""
        columns = weights if at == 0 else ""
        yield paint("heading", "  " + padded(head, width)) + paint("dim", columns)
        for term, a, b in rows[at : at + min(size, _MOST)]:
            yield f"  {padded(term, width)}{a:>13}  {b:>8}".rstrip()
        if size > _MOST:
            yield paint("dim", "  " + words("terms.more", n=size - _MOST))
        at += size
