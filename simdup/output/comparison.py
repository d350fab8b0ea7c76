"""Write a comparison of two documents, as text and as JSONL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from simdup.corpus.names import to_bytes
from simdup.features.titles import MOST
from simdup.model.criteria import EDIT, Measures
from simdup.output.escaping import shown
from simdup.output.passages import passage_lines, passage_values, percent
from simdup.output.records import digits, json_line, rounded
from simdup.output.summary import SEARCHES, count_words, recipe_words
from simdup.output.text import Painter, padded

if TYPE_CHECKING:
    from simdup.model.comparison import Comparison


# The most terms shown of each kind; JSONL has them all.
_MOST = 20

# The names of searches in rows.
_NAMES = {"simhash": "simhash", "minhash": "MinHash", "pstable": "p-stable", "passages": "passages"}

# Which text is contained in the other.
_CONTAINED = {
    None: "",
    "a": "  (a is contained in b)",
    "b": "  (b is contained in a)",
    "both": "  (each is contained in the other)",
}

# The largest distance to suggest: each bit more needs more tables with shorter keys, and from 7 on
# `tune` does not advise fingerprints alone either.
_NEAR = 6

# The width of the longest term, in terminal cells.
_WIDEST = 40


def comparison_jsonl(found: Comparison) -> Iterator[bytes]:
    """Yield a comparison as one line of JSON."""
    values = asdict(found)
    unasked = {"containment", "cosine"} - set(found.criteria.extras)
    if found.contained is None:
        unasked.add("contained")
    if found.numbers is None:
        unasked.add("numbers")
    if found.titles is None:
        unasked |= {"titles", "same_title"}
    for key in ("criteria", "identical", "terms", *unasked):
        del values[key]
    reuse = {
        "passages": [passage_values(passage) for passage in found.passages],
        "share_a": rounded(found.share_a),
        "share_b": rounded(found.share_b),
    }
    if found.diff is not None:
        reuse["diff"] = [span._asdict() for span in found.diff]
    for key in (*reuse, "diff"):
        values.pop(key, None)
    values |= {
        "type": "comparison",
        "bands": found.bands,
        **{name: rounded(values[name]) for name in ("similarity", *found.criteria.extras)},
        "agreement": found.agreement,
        "ratio": found.ratio,
    }
    measures = ("similarity", "measure", *found.criteria.extras)
    measures += () if found.contained is None else ("contained",)
    order = ("type", "a", "b", "duplicates", "distance", "bits", "agreement", "ratio", *measures,
             "fingerprints", "bands")  # fmt: skip
    yield json_line({key: values.pop(key) for key in order} | values | reuse)


def comparison_text(
    found: Comparison, text: str, paint: Painter, verbose: bool = False, idf_hint: str = ""
) -> Iterator[bytes]:
    """Yield a comparison as a person reads it: the answer first, then the reasons.

    `text` is that of `a`, of which passages are shown; `verbose` adds the recipe, `idf_hint` what
    to know of the IDF.  Where the texts follow with their differences, terms would push them away.
    """
    answer = (
        paint("yes", "near-duplicates") if found.duplicates else paint("no", "not near-duplicates")
    )
    lines = [paint.wrapped(f"{answer}: {reason(found)}"), ""]
    lines += [f"  a  {shown(found.a)}", f"  b  {shown(found.b)}", ""]
    lines += _titles(found)
    if found.distance is not None:
        lines.append(f"  distance      {found.distance} of {found.bits} bits")
    for search, equal in found.searches.items():
        bands = "".join("=" if band else "." for band in equal)
        if search != "passages":
            matching = f"({sum(equal)} of {len(equal)} bands match)"
            lines.append(f"  {_NAMES[search]:<12}  {bands}  {matching}")
    kind, _, count = str(found.criteria.shingle).rpartition(":")
    runs = f"(share of common {count}-{kind.removesuffix('s') or 'character'} runs)"
    if found.measure == EDIT:
        runs = "(edit similarity of short texts)"
    lines.append(f"  similarity    {digits(found.similarity)}  {runs}")
    side = _CONTAINED[found.contained]
    lines += [
        f"  {name:<12}  {digits(getattr(found, name))}{side if name == 'containment' else ''}"
        for name in found.criteria.extras
    ]
    a, b = (value or "none" for value in found.fingerprints)
    lines += [f"  fingerprints  {a}  {b}", f"  idf           {_idf_words(found.recipe['idf'])}"]
    lines += [f"{'':<16}{idf_hint}"] if idf_hint else []
    lines += [f"  {recipe_words(found.recipe)}"] if verbose else []
    if found.passages:
        count = count_words(len(found.passages), "shared passage")
        shares = f"{percent(found.share_a).strip()} of a, {percent(found.share_b).strip()} of b"
        lines += ["", paint("heading", f"  {count}: {shares}")]
        lines += passage_lines(found.passages, text, paint) if found.diff is None else []
    lines += _terms(found, paint) if found.diff is None else []
    yield to_bytes("\n".join(lines) + "\n")


def _titles(found: Comparison) -> Iterator[str]:
    """Yield whether the titles are equal, and what they are, if that matters."""
    if found.titles is not None:
        yield f"  titles        {'equal' if found.same_title else 'different'}"
        for title in found.titles:
            yield f"{'':<16}{shown(title[:MOST]) or '(none)'}"


def reason(found: Comparison) -> str:
    """Return a sentence that explains the answer."""
    criteria = found.criteria
    if found.distance is None:
        without = found.a if found.fingerprints[0] is None else found.b
        return f"{shown(without)} has no words to compare."
    if found.same_title is False:
        return "their titles differ."
    if found.identical:
        others = ", encoding, case, width or script" if found.recipe["fold"] else " or encoding"
        return f"the texts are identical apart from white space{others}."
    if found.too_short:
        return "with so few words, only identical texts are near-duplicates, and these differ."
    if found.numbers is not None:
        a, b = (", ".join(numbers) or "none" for numbers in found.numbers)
        return f"their numbers differ, which makes short texts different: {a} in a, {b} in b."
    place = "; ".join(_place(found, search) for search in found.searches)
    if not criteria.verify:
        return f"{place}; the texts were not compared."
    share = _share(found)
    like = criteria.accepts(Measures(found.similarity, found.containment, found.cosine))
    if len(found.searches) > 1:
        return _measured_reason(found, share, place)
    simhash = "simhash" in found.searches
    if bool(found.proposed_by) == like:
        return f"{place}; {share}."
    if found.proposed_by:
        near = "the fingerprints are near" if simhash else "the bands match"
        return f"{near} ({place}), but the texts are not similar enough ({share})."
    if not (criteria.similarity or criteria.extras):
        return f"{place} (no other measure is set)."
    way_out = "a higher recall may"
    if simhash:
        reachable = found.distance <= _NEAR
        way_out = f"a distance of {found.distance} would" if reachable else "the method auto may"
    return (
        f"the texts are similar ({share}), but a scan by this method alone does not find the pair "
        f"({place}); {way_out} find it."
    )


def _measured_reason(found: Comparison, share: str, place: str) -> str:
    """Return the reason if the measures alone decide, and the searches that propose the pair."""
    if not found.duplicates:
        return f"{share}."
    if not found.proposed_by:
        return f"{share}, but a scan would miss the pair ({place})."
    searches = " and by ".join(SEARCHES[search] for search in found.proposed_by)
    return f"{share}; a scan finds the pair by {searches}."


def _share(found: Comparison) -> str:
    """Return the measures and the required values."""
    criteria = found.criteria
    names = [*(["similarity"] if criteria.similarity else []), *criteria.extras]
    parts = [
        f"{'edit ' if name == 'similarity' and found.measure == EDIT else ''}"
        f"{name} is {digits(getattr(found, name))}, at least {getattr(criteria, name):g} required"
        for name in names
    ]
    return "their " + ", ".join(parts) if parts else "no similarity is required"


def _place(found: Comparison, search: str) -> str:
    """Return how near the two are in a search."""
    if search == "simhash":
        most = found.criteria.distance
        return f"{found.distance} of {found.bits} bits differ, at most {most} are allowed"
    bands = found.searches[search]
    if search == "passages":
        return f"they {'share' if bands[0] else 'do not share'} enough passages"
    return f"{sum(bands)} of {len(bands)} bands of {SEARCHES[search]} match"


def _idf_words(name: str) -> str:
    known = {"builtin": "builtin (jieba's table)", "none": "none (this weight needs no IDF)"}
    return known.get(name, shown(name))


def _short(term: str) -> str:
    """Return a term as shown, truncated if it is too wide for the table."""
    term = shown(term)
    return term if cell_len(term) <= _WIDEST else set_cell_size(term, _WIDEST - 1) + "…"


def _terms(found: Comparison, paint: Painter) -> Iterator[str]:
    """Yield the top terms as a table: shared ones, then those of each side."""
    rows = [(_short(term), f"{a:.2f}", f"{b:.2f}") for term, a, b in found.shared]
    rows += [(_short(term), f"{a:.2f}", "") for term, a in found.only_a]
    rows += [(_short(term), "", f"{b:.2f}") for term, b in found.only_b]
    if not rows:
        return
    width = max(cell_len(term) for term, _, _ in rows)
    sizes = (len(found.shared), len(found.only_a), len(found.only_b))
    heads = (
        f"heaviest shared terms ({sizes[0]})",
        f"only in a ({sizes[1]})",
        f"only in b ({sizes[2]})",
    )
    width = max(width, *map(len, heads))
    at = 0
    for head, size in zip(heads, sizes, strict=True):
        if not size:
            continue
        columns = f"{'in a':>13}  {'in b':>8}" if at == 0 else ""
        yield ""
        yield paint("heading", "  " + padded(head, width)) + paint("dim", columns)
        for term, a, b in rows[at : at + min(size, _MOST)]:
            yield f"  {padded(term, width)}{a:>13}  {b:>8}".rstrip()
        if size > _MOST:
            yield paint("dim", f"  and {size - _MOST:,} more")
        at += size
