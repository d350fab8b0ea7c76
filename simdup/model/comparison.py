"""Why two documents are near-duplicates, or are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from simdup.model.criteria import EDIT, FEW_TERMS, JACCARD, Criteria
from simdup.model.passages import Passage


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
    a, b : str
        Names.
    duplicates : bool
        The answer.
    distance : int or None
        Hamming distance; None if one of the documents has no terms.
    bits : int
        Bits of the fingerprints.
    similarity : float
        Jaccard similarity of the texts or, of short ones, edit similarity.
    containment, cosine : float or None
        None if not requested.
    identical : bool
        Whether the folded texts are the same.
    terms : int
        How many terms the document with fewer of them has.
    fingerprints : tuple of (str or None)
        As hex digits.
    searches : dict of (str, tuple of bool)
        For each search of the method, which bands are equal: for simhash distance + 1 bands, the
        most significant first; for other searches, the bands of their signatures; for passages one
        value, whether they cover enough.  Empty if one of the texts has no terms.
    proposed_by : tuple of str
        The searches that propose the pair in a scan.
    shared : tuple of (str, float, float)
        Top terms of both, with their weights in `a` and in `b`, by descending sum.
    only_a, only_b : tuple of (str, float)
        Top terms of one side only, by descending weight.
    recipe : dict
        The resolved recipe.
    criteria : Criteria
        What was asked.
    passages : tuple of Passage
        What they share, in the order of `a`.
    share_a, share_b : float
        How much of each text the passages cover.
    diff : tuple of Span or None
        What is equal, removed and added, in order; None where it was not asked for.
    contained : str or None
        If a containment was asked for, the text that has so much of it in the other: ``a``, ``b``
        or ``both``; None if neither has.
    measure : str
        What the similarity is: ``jaccard`` or ``edit``.
    numbers : tuple of (tuple of str, tuple of str) or None
        Of short texts that differ in their numbers, where these matter, those of `a` and of `b`.
    titles : tuple of str or None
        The titles of both, if these must be equal.
    same_title : bool or None
        Whether they are.
    """

    a: str
    b: str
    duplicates: bool
    distance: int | None
    bits: int
    similarity: float
    containment: float | None
    cosine: float | None
    identical: bool
    terms: int
    fingerprints: tuple[str | None, str | None]
    searches: dict[str, tuple[bool, ...]]
    proposed_by: tuple[str, ...]
    shared: tuple[tuple[str, float, float], ...]
    only_a: tuple[tuple[str, float], ...]
    only_b: tuple[tuple[str, float], ...]
    recipe: dict[str, Any]
    criteria: Criteria
    passages: tuple[Passage, ...]
    share_a: float
    share_b: float
    diff: tuple[Span, ...] | None = None
    contained: str | None = None
    measure: str = JACCARD
    numbers: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    titles: tuple[str, str] | None = None
    same_title: bool | None = None

    @property
    def bands(self) -> tuple[bool, ...]:
        """Which bands of the first search are equal; with ``auto``, the bands of fingerprints."""
        return next(iter(self.searches.values()), ())

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
    def too_short(self) -> bool:
        """Whether one of them has so few terms that only identical texts match."""
        alike = self.measure == EDIT and self.criteria.edits_decide
        return self.terms < FEW_TERMS and not alike
