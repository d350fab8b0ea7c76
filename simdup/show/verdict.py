"""The verdict of a comparison in words: the line that a person reads first.

A terminal and a page begin with it.  What it says is not said again below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from simdup.model import comparison
from simdup.model.criteria import EDIT
from simdup.model.formats import digits
from simdup.show.conflict_output import value_words
from simdup.show.escaping import shown
from simdup.show.passage_output import percent
from simdup.show.summary import field_name
from simdup.show.words import Phrases

if TYPE_CHECKING:
    from simdup.model.comparison import Comparison
    from simdup.model.readings import FactDifference

# The most facts that are named.
_FACTS = 5

# The largest distance to suggest: each bit more needs more tables with shorter keys.
_NEAR = 6

# The verdicts by the names of their words.
_KEYS = {
    comparison.EQUAL: "equal",
    comparison.NEAR: "near",
    comparison.DIFFERING: "differing",
    comparison.EXCLUDED: "excluded",
    comparison.COPIED: "copied",
    comparison.NEITHER: "neither",
}


class Verdict(NamedTuple):
    """What two texts are to each other, and why or how much; empty for nothing to add."""

    answer: str
    why: str

    def sentence(self, words: Phrases) -> str:
        """Return both in one line."""
        return words("verdict", answer=self.answer, why=self.why) if self.why else self.answer


def verdict(
    compared: Comparison,
    texts: tuple[str, str],
    words: Phrases,
    names: tuple[str, str] | None = None,
    *,
    brief: bool = False,
) -> Verdict:
    """Return the verdict of a comparison in words.

    Parameters
    ----------
    compared : Comparison
        The comparison.
    texts : tuple of str
        What was compared.
    words : Phrases
        The words of a language.
    names : tuple of str, optional
        How the documents are called, if not by their names.
    brief : bool
        Whether figures and facts of near-duplicates are shown elsewhere.
    """
    kind = compared.verdict
    names = names or compared.names
    key, why = _KEYS[kind], ""
    if kind == comparison.EQUAL and not compared.duplicates:
        key, why = "equal_excluded", _exclusion(compared, words, names)
    elif kind == comparison.EQUAL:
        why = words(f"equal.{_sameness(texts)}")
    elif kind == comparison.EXCLUDED:
        why = _exclusion(compared, words, names)
    elif kind == comparison.COPIED:
        why = _copied(compared, words, names)
    elif kind == comparison.NEAR and not brief:
        why = _figures(compared, words) or _places(compared, words)
    elif kind == comparison.DIFFERING and not brief:
        why = listed_facts(compared.facts, words)
    return Verdict(words(f"verdict.{key}", n=len(compared.facts)), why)


def note(compared: Comparison, words: Phrases) -> str:
    """Return a sentence on how a scan finds the pair, or why it drops it; empty for none."""
    near = compared.verdict in (comparison.NEAR, comparison.DIFFERING)
    if not near and compared.verdict not in (comparison.COPIED, comparison.NEITHER):
        return ""
    proposed, simhash = compared.proposed_by, "simhash" in compared.searches
    if not _figures(compared, words):
        return words("note.fingerprints" if simhash else "note.bands")
    if not near:
        dropped = proposed and len(compared.searches) == 1
        return words("note.far" if simhash else "note.far_bands") if dropped else ""
    if len(compared.searches) == 1:
        return ""
    if not proposed:
        return words("note.unproposed", place=_places(compared, words))
    names = (words(f"search.{search}") for search in proposed)
    return words("note.proposed", searches=words("note.and_by").join(names))


def listed_facts(facts: Sequence[FactDifference], words: Phrases) -> str:
    """Return facts in which two texts differ, as many as a person reads."""
    named = [
        words(
            "compare.fact",
            a=value_words(fact.a, words, [fact.b]),
            b=value_words(fact.b, words, [fact.a]),
        )
        for fact in facts[:_FACTS]
    ]
    more = [words("compare.more_facts", n=len(facts) - _FACTS)] if len(facts) > _FACTS else []
    return words.listed([*named, *more])


def _sameness(texts: tuple[str, str]) -> str:
    """Return how texts are the same that are equal after folding."""
    a, b = texts
    if a == b:
        return "text"
    return "space" if "".join(a.split()) == "".join(b.split()) else "folded"


def _copied(compared: Comparison, words: Phrases, names: tuple[str, str]) -> str:
    """Return how many passages two texts share, and how much of each these cover."""
    name_a, name_b = map(shown, names)
    a, b = (_share(share, words) for share in (compared.share_a, compared.share_b))
    passages = words("copied.passages", n=len(compared.passages))
    return words("copied", passages=passages, a=a, b=b, name_a=name_a, name_b=name_b)


def _share(share: float, words: Phrases) -> str:
    whole = percent(share).strip(" %")
    return words("copied.little") if whole == "0" else words("copied.share", n=whole)


def _exclusion(compared: Comparison, words: Phrases, names: tuple[str, str]) -> str:
    """Return what excludes a pair whose texts are equal or similar, or too short to tell."""
    if compared.distance is None:
        return words("reason.no_words", name=shown(names[0 if not compared.fingerprints[0] else 1]))
    if compared.kept_apart and compared.facts:
        facts = listed_facts(compared.facts, words)
        return words("reason.facts", n=len(compared.facts), facts=facts)
    for field in compared.fields:
        if not field.holds:
            return words(f"reason.{field.rule}", field=field_name(field.field, words))
    if compared.too_short:
        return words("reason.too_short")
    if not compared.accepted:
        a, b = map(shown, names)
        return words("reason.lossless", a=a, b=b)
    way_out = words("reason.by_auto")
    if "simhash" in compared.searches and compared.distance <= _NEAR:
        way_out = words("reason.by_distance", distance=compared.distance)
    figures, place = _figures(compared, words), _places(compared, words)
    return words("reason.missed", figures=figures, place=place, way_out=way_out)


def _figures(compared: Comparison, words: Phrases) -> str:
    """Return the measures that decide; empty where none does."""
    criteria = compared.criteria
    names = [*(["similarity"] if criteria.similarity else []), *criteria.extras]
    parts = []
    for name in names if criteria.verify else ():
        kind = "edit" if name == "similarity" and compared.measure == EDIT else name
        parts.append(words(f"figure.{kind}", value=digits(getattr(compared.measures, name))))
    return words.listed(parts)


def _places(compared: Comparison, words: Phrases) -> str:
    """Return how near the two are in each search."""
    return words("semicolon").join(_place(compared, search, words) for search in compared.searches)


def _place(compared: Comparison, search: str, words: Phrases) -> str:
    if search == "simhash":
        most = compared.criteria.distance
        return words("place.bits", n=compared.distance, bits=compared.bits, most=most)
    bands = compared.searches[search]
    if search == "passages":
        return words("place.passages" if bands[0] else "place.no_passages")
    name = words(f"search.{search}")
    return words("place.bands", n=sum(bands), total=len(bands), search=name)
