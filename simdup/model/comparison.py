"""Why two documents are near-duplicates, or are not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from simdup.model.criteria import SHARES, Criteria
from simdup.model.measures import Measures
from simdup.model.readings import FactDifference
from simdup.model.shared_passages import Passage, SharedText

# What two texts are to each other; see `Comparison.verdict`.
EQUAL = "equal"
NEAR = "near-duplicates"
DIFFERING = "near-duplicates that differ in facts"
EXCLUDED = "not near-duplicates"
COPIED = "partly copied"
NEITHER = "neither"


class FieldVerdict(NamedTuple):
    """What a rule on a field says of two documents.

    Attributes
    ----------
    rule : str
        ``same`` or ``across``.
    field : str
        What must be equal, or must not be.
    a, b : str
        The value of each; empty for none.
    holds : bool
    """

    rule: str
    field: str
    a: str
    b: str
    holds: bool


class Span(NamedTuple):
    """A run of characters of two texts; all spans one after the other are both texts.

    The kind is ``equal`` (lines may end otherwise); ``folded`` for what is the same after folding;
    ``removed`` for what `a` alone has; ``added`` for what `b` alone has.  Offsets are characters of
    the decoded texts.
    """

    kind: str
    a: tuple[int, int]  # where it begins and ends in `a`
    b: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Why two documents are near-duplicates, or are not.

    Attributes
    ----------
    names : tuple of str
        Those of `a` and of `b`.
    fingerprints : tuple of (str or None)
        As hex digits; None for a document without terms.
    weights : dict of (str, tuple of float)
        The top terms, with their weights in `a` and in `b`; 0 in a text that lacks one.
    identical : bool
        Whether the folded texts are the same.
    searches : dict of (str, tuple of bool)
        For each search of the method, which bands are equal: for simhash distance + 1 bands, the
        most significant first; for other searches, the bands of their signatures; for passages one
        value, whether they cover enough.  Empty if one of the texts has no terms.
    proposed_by : tuple of str
        The searches that propose the pair in a scan.
    measures : Measures
        The similarity, and those that were requested: ``containment`` and ``cosine``.  If a
        containment was, ``contained`` is the text that has so much of it in the other: ``a``, ``b``
        or ``both``.
    measure : str
        What the similarity is: ``jaccard`` or ``edit``.
    run : int
        The letters of the runs that the containment of short texts counts, in which a Chinese
        character counts as two; 0 where it counts shingles.
    fields : tuple of FieldVerdict
        What the rules on fields say.
    forbidden_by : tuple of str
        The rules that forbid the pair, by their columns: see `simdup.near.rules`.
    reuse : SharedText
        The passages that the texts share.
    facts : tuple of FactDifference
        The facts in which the texts contradict each other, in the order of `a`; those of short
        texts, which a fact makes different, are all that differ.
    recipe : dict
        The resolved recipe.
    criteria : Criteria
        What was asked.
    diff : tuple of Span or None
        What is equal, removed and added, in order; None where it was not asked for.
    """

    names: tuple[str, str]
    fingerprints: tuple[str | None, str | None]
    weights: dict[str, tuple[float, float]]
    identical: bool
    searches: dict[str, tuple[bool, ...]]
    proposed_by: tuple[str, ...]
    measures: Measures
    measure: str
    run: int
    fields: tuple[FieldVerdict, ...]
    forbidden_by: tuple[str, ...]
    reuse: SharedText
    facts: tuple[FactDifference, ...]
    recipe: dict[str, Any]
    criteria: Criteria
    diff: tuple[Span, ...] | None

    @property
    def duplicates(self) -> bool:
        """The answer."""
        # With both searches, measures alone decide; a scan misses at most one pair in a hundred.
        candidate = bool(self.proposed_by) or len(self.criteria.searches) > 1
        if self.distance is None:
            # Without words, which no search looks for, texts are near-duplicates if they are equal.
            candidate = self.measures.similarity == 1
        return not self.forbidden_by and candidate and self.accepted

    @property
    def verdict(self) -> str:
        """What the texts are to each other, in a word or some.

        ``equal``
            They are the same after folding and without white space.
        ``near-duplicates``, ``near-duplicates that differ in facts``
            ``facts`` has the facts.
        ``not near-duplicates``
            They are as similar as was asked, or have too few words to tell, but something else
            excludes the pair: a fact in which short texts differ, a field, the method.
        ``partly copied``
            They are not similar enough, but share ``passages``.
        ``neither``
            They are not similar enough, and share none.
        """
        if self.identical:
            return EQUAL
        if self.duplicates:
            return DIFFERING if self.facts else NEAR
        if self.similar or self.distance is None or self.too_short:
            return EXCLUDED
        return COPIED if self.passages else NEITHER

    @property
    def similar(self) -> bool:
        """Whether the texts are as near as was asked, whatever else excludes the pair."""
        least = {name: getattr(self.criteria, name) for name in SHARES}
        if not (self.criteria.verify and any(least.values())):
            return bool(self.proposed_by)
        measures = ((getattr(self.measures, name), value or 0.0) for name, value in least.items())
        return all(share is None or share >= value for share, value in measures)

    @property
    def kept_apart(self) -> bool:
        """Whether the texts are similar, but different because of a fact."""
        return self.similar and not self.measures.accepted(self.criteria)

    @property
    def accepted(self) -> bool:
        """Whether the measures meet the criteria; with ``lossless``, `a` has all of `b`."""
        lost = self.criteria.lossless and self.measures.contained not in ("b", "both")
        return self.measures.accepted(self.criteria) and not lost

    @property
    def too_short(self) -> bool:
        """Whether one of them has so few terms that only identical texts match."""
        return "terms" in self.forbidden_by

    @property
    def distance(self) -> int | None:
        """The Hamming distance of the fingerprints, if there are two."""
        a, b = self.fingerprints
        return None if a is None or b is None else (int(a, 16) ^ int(b, 16)).bit_count()

    @property
    def bits(self) -> int:
        """Bits of the fingerprints."""
        return int(self.recipe["bits"])

    @property
    def agreement(self) -> float | None:
        """The share of bits that agree."""
        return None if self.distance is None else 1 - self.distance / self.bits

    @property
    def ratio(self) -> float | None:
        """The smaller fingerprint divided by the larger; 1 if both are 0."""
        first, second = self.fingerprints
        if first is None or second is None:
            return None
        small, large = sorted((int(first, 16), int(second, 16)))
        return float(small) / float(large) if large else 1.0

    @property
    def bands(self) -> tuple[bool, ...]:
        """Which bands of the first search are equal; with ``auto``, the bands of fingerprints."""
        return next(iter(self.searches.values()), ())

    @property
    def similarity(self) -> float:
        """Jaccard similarity of the texts or, of short ones, edit similarity."""
        return self.measures.similarity or 0.0

    @property
    def shared(self) -> tuple[tuple[str, float, float], ...]:
        """The top terms of both with their weights, by descending sum."""
        shared = ((term, a, b) for term, (a, b) in self.weights.items() if a and b)
        return tuple(sorted(shared, key=lambda item: (-item[1] - item[2], item[0])))

    @property
    def only_a(self) -> tuple[tuple[str, float], ...]:
        """The top terms of `a` only, by descending weight."""
        return _heaviest((term, a) for term, (a, b) in self.weights.items() if not b)

    @property
    def only_b(self) -> tuple[tuple[str, float], ...]:
        """The top terms of `b` only, by descending weight."""
        return _heaviest((term, b) for term, (a, b) in self.weights.items() if not a)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What they share, in the order of `a`."""
        return self.reuse.passages

    @property
    def share_a(self) -> float:
        """How much of `a` the passages cover."""
        return self.reuse.share_a

    @property
    def share_b(self) -> float:
        """How much of `b` the passages cover."""
        return self.reuse.share_b


def _heaviest(terms: Iterable[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(terms, key=lambda item: (-item[1], item[0])))
