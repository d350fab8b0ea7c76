"""Write a comparison of two documents, as text and as JSONL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size

from simdup.corpus.names import to_bytes
from simdup.model.comparison import COPIED, DIFFERING
from simdup.model.criteria import EDIT, SHARES
from simdup.model.formats import digits, rounded
from simdup.show.diff import first_difference
from simdup.show.escaping import shown
from simdup.show.lines import json_line, records
from simdup.show.passage_output import passage_lines, percent
from simdup.show.summary import field_name, recipe_words
from simdup.show.text import Painter, aligned, padded
from simdup.show.verdict import listed_facts, note, verdict
from simdup.show.words import Phrases
from simdup.text.titles import MOST
from simdup.text.weights import ENOUGH_DOCUMENTS

if TYPE_CHECKING:
    from simdup.model.comparison import Comparison


# The most terms shown of each kind; JSONL has them all.
_MOST = 20

_SHARES = (*SHARES, "share_a", "share_b")

# Which text contains the other.
_IN = {"a": "in_b", "b": "in_a", "both": "in_both"}

# Terminal cells of the names of figures, of what is before a figure, and of a term's weights.
_NAME, _INDENT = 12, 16
_WEIGHTS = (13, 8)

# From this similarity on, the first difference says more than that nearly everything differs.
_ALIKE = 0.5

# The width of the longest term, in terminal cells.
_WIDEST = 40


def comparison_jsonl(compared: Comparison) -> Iterator[bytes]:
    """Yield all that is known of a pair as one line of JSON; what was not asked for is absent."""

    def named(names: str) -> dict[str, Any]:
        return {name: getattr(compared, name) for name in names.split()}

    measures, passages = compared.measures, records(compared.passages)
    values: dict[str, Any] = {"type": "comparison", "a": compared.names[0], "b": compared.names[1]}
    values |= named("verdict duplicates distance bits agreement ratio similarity measure")
    values |= {name: getattr(measures, name) for name in compared.criteria.extras}
    values |= {"contained": measures.contained} if measures.contained else {}
    values |= {"run": compared.run} if compared.run else {}
    values |= named("fingerprints bands searches proposed_by shared only_a only_b recipe")
    values |= {"fields": [rule._asdict() for rule in compared.fields]} if compared.fields else {}
    values |= {"facts": [fact._asdict() for fact in compared.facts], "passages": passages}
    values |= named("share_a share_b")
    values |= {} if compared.diff is None else {"diff": [span._asdict() for span in compared.diff]}
    yield json_line(values | {name: rounded(values[name]) for name in _SHARES if name in values})


def comparison_text(
    compared: Comparison,
    texts: tuple[str, str],
    paint: Painter,
    *,
    followed: bool = False,
    verbose: bool = False,
    chosen_idf: bool = True,
) -> Iterator[bytes]:
    """Yield a comparison as a person reads it: the verdict first, then the reasons.

    `verbose` adds the recipe.  Unless an IDF was chosen, a scan may weigh terms by another one,
    and show other distances.  Where the comparison is `followed` by the texts with their
    differences, passages and terms would push these away.
    """
    words = paint.words
    judgement = verdict(compared, texts, words)
    # Painted after it is wrapped: what colors a terminal has no width.
    first = paint.wrapped(judgement.sentence(words))
    color = "yes" if compared.duplicates else "no"
    first = first.replace(judgement.answer, paint(color, judgement.answer), 1)
    remark = note(compared, words)
    notes = [paint.wrapped(remark)] if remark else []
    a, b = map(shown, compared.names)
    lines = [first, *notes, "", f"  a  {a}", f"  b  {b}", ""]
    lines += _figures(compared, paint)
    idf = compared.recipe["idf"]
    known = words(f"idf.{idf}") if idf in ("builtin", "none") else shown(idf)
    lines.append(_row("idf", known, words))
    if idf == "builtin" and not chosen_idf:
        lines.append(" " * _INDENT + words("idf.scan", n=ENOUGH_DOCUMENTS))
    lines += [f"  {recipe_words(compared.recipe, words)}"] if verbose else []
    lines += [] if followed else _differences(compared, texts, paint)
    passages, *shares = compared.reuse
    if passages:
        a, b = (percent(share).strip() for share in shares)
        count = words("passages", n=len(passages))
        heading = words("passages.shares", passages=count, a=a, b=b)
        if compared.verdict == COPIED:
            heading = words("compare.passages")
        # The texts with their differences follow: there is nothing below such a heading.
        if not (followed and compared.verdict == COPIED):
            lines += ["", paint("heading", f"  {heading}")]
        lines += [] if followed else passage_lines(passages, texts[0], paint)
    lines += [] if followed else _terms(compared, paint)
    yield to_bytes("\n".join(lines) + "\n")


def _row(name: str, figure: str, words: Phrases) -> str:
    """Return a line with a figure behind its name."""
    return f"  {padded(words(f'compare.{name}'), _NAME)}  {figure}"


def _differences(compared: Comparison, texts: tuple[str, str], paint: Painter) -> Iterator[str]:
    """Yield where texts differ that are much the same, or whose heaviest terms are."""
    same_terms = not (compared.only_a or compared.only_b)
    if compared.identical or not (same_terms or compared.similarity >= _ALIKE):
        return
    if compared.diff is None:
        yield _row("differences", paint.words("compare.see_diff"), paint.words)
        return
    places, first = first_difference(compared, texts)
    if places:
        yield _row("differences", paint.words("compare.places", n=places), paint.words)
        yield " " * _INDENT + paint.line(first)


def _figures(compared: Comparison, paint: Painter) -> Iterator[str]:
    """Yield the lines of fields, distance, bands, measures, fingerprints and facts."""
    measures, criteria, words = compared.measures, compared.criteria, paint.words
    for rule in compared.fields:
        agree = rule.holds == (rule.rule == "same")
        equal = words("compare.equal") if agree else words("compare.different")
        yield _row("field", f"{field_name(rule.field, words)}: {equal}", words)
        for value in (rule.a, rule.b):
            yield " " * _INDENT + (shown(value[:MOST]) or words("compare.none"))
    if compared.distance is not None:
        bits = words("compare.bits", n=compared.distance, bits=compared.bits)
        alone = criteria.searches == ("simhash",)
        most = words("compare.most", most=criteria.distance) if alone else ""
        yield _row("distance", _figure(bits, [most], words), words)
    for search, bands in compared.searches.items():
        if search != "passages":
            row = "".join("=" if equal else "." for equal in bands)
            matching = words("compare.bands", n=sum(bands), total=len(bands))
            yield _row(search, f"{row}  {matching}", words)
    kind, _, count = str(criteria.shingle).rpartition(":")
    runs = words("compare.word_runs", n=count) if kind else words("compare.runs", n=count)
    runs = words("compare.edits") if compared.measure == EDIT else runs
    side, run = _IN.get(measures.contained or ""), compared.run
    inside = [words(f"compare.{side}") if side else ""]
    inside += [words("compare.short_runs", n=run)] if run else []
    about = {"similarity": [runs], "containment": inside}
    for name in SHARES:
        if name == "similarity" or name in criteria.extras:
            least = getattr(criteria, name) if criteria.verify else None
            required = words("compare.least", least=least) if least else ""
            notes = [*about.get(name, []), required]
            figure = digits(
                compared.similarity if name == "similarity" else getattr(measures, name)
            )
            yield _row(name, _figure(figure, notes, words), words)
    a, b = (value or words("compare.none") for value in compared.fingerprints)
    yield _row("fingerprints", f"{a}  {b}", words)
    if compared.facts and compared.verdict != DIFFERING and not compared.kept_apart:
        differing = listed_facts(compared.facts, words)
        figure = words("compare.differ", n=len(compared.facts), facts=differing)
        yield _row("facts", paint.wrapped(figure, _INDENT), words)


def _figure(figure: str, notes: Iterable[str], words: Phrases) -> str:
    """Return a figure with notes on it, of which empty ones are left out."""
    text = words("semicolon").join(filter(None, notes))
    return words("compare.figure", figure=figure, notes=text) if text else figure


def _short(term: str) -> str:
    """Return a term as shown, truncated if it is too wide for the table."""
    term = shown(term)
    return term if cell_len(term) <= _WIDEST else set_cell_size(term, _WIDEST - 1) + "…"


def _terms(compared: Comparison, paint: Painter) -> Iterator[str]:
    """Yield the top terms as a table: shared ones, then those of each side."""
    shared, only_a, only_b = compared.shared, compared.only_a, compared.only_b
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
