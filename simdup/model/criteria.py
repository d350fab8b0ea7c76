"""When two documents are near-duplicates, which is kept, and how texts are cut into shingles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypedDict

from simdup.base.errors import (
    NUMBER,
    TEXT,
    WHOLE,
    SimdupError,
    as_strings,
    check_patterns,
    check_type,
    invalid,
)
from simdup.base.when_used import pattern
from simdup.model.decisions import UNDECIDED, Decisions
from simdup.model.fields import FACTS, check_fields, parse_fields

_WRITTEN = pattern(r"(words:)?([1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Shingling:
    """How texts are cut into shingles: runs of `n` characters, or of `n` words.

    Examples
    --------
    >>> Shingling.parse("words:3")
    Shingling(n=3, unit='words')
    >>> str(Shingling(5))
    '5'
    """

    n: int = 5  # 1 to 9999
    unit: str = "characters"  # or ``words``
    # Whether nobody chose a size: containment then takes runs that fit, where a text is short.
    fits: bool = field(default=False, compare=False, repr=False)

    @classmethod
    def parse(cls, shingle: int | str | Shingling) -> Shingling:
        """Parse a shingle such as ``5`` or ``words:3``.

        Raises
        ------
        SimdupError
            If it is neither.
        """
        if isinstance(shingle, Shingling):
            return shingle
        found = _WRITTEN.fullmatch(str(shingle))
        if found is None:
            raise invalid("shingle", shingle, "N characters, or words:N")
        return cls(int(found[2]), "words" if found[1] else "characters")

    @property
    def by_words(self) -> bool:
        """Whether the items are words."""
        return self.unit == "words"

    def __str__(self) -> str:
        return f"words:{self.n}" if self.by_words else str(self.n)


KEEP = ("first", "longest", "shortest", "newest", "oldest", "max:FIELD", "min:FIELD")
METHODS = ("auto", "simhash", "minhash", "pstable")
# How an index can be searched: it has no vectors.
INDEX_METHODS = METHODS[:3]

CHARACTERS_5 = Shingling(5)

# Documents with fewer terms are near-duplicates only if their texts are the same: a fingerprint of
# so few words says little.
FEW_TERMS = 3

# The lowest similarity of a pair if none is set, and nothing else says how much texts must share.
SIMILARITY = 0.8

# The lowest similarity that minhash looks for, whatever is set: that of two texts of the same
# length where a third of one occurs in the other.
LEAST_SIMILARITY = 0.2

# The measures of a pair's texts: shares from 0 to 1, of which each has a least one.
SHARES = ("similarity", "containment", "cosine")

# Of what type fields must be before they are looked at.
_KINDS = {
    "distance": WHOLE, **dict.fromkeys(SHARES, NUMBER), "keep": TEXT,
    "prefer": (Iterable, "shell patterns"),
    "decisions": (Decisions, "a Decisions"), "same": (Iterable, "names of fields"),
    "across": (Iterable, "names of fields"), "lossless": (bool, "True or False"),
}  # fmt: skip

# What a similarity is: Jaccard similarity of shingles, or edit similarity of short texts.
JACCARD, EDIT = "jaccard", "edit"

# A pair is measured by edit similarity if its shorter text has fewer characters, in the form that
# `simdup.text.short_texts` describes.  From here on, one changed word leaves a Jaccard
# similarity of 0.8 in 98 of 100 texts, Chinese and English; from 100 on, in 93.
SHORT = 120

# The least share of a removed document's shingles that the kept one must have, if nothing is to be
# lost: below it, a sentence of a page of 2,000 characters may be missing.
LOSSLESS = 0.98

# In place of a similarity that is not set.
_NOT_SET: Any = None

# From this number of documents on, there are too many pairs to compare all.
_FEW_DOCUMENTS = 5000

# Fields that may be None.
_OPTIONAL = (*SHARES, "keep")


@dataclass(frozen=True, slots=True)
class Criteria:
    """When two documents are near-duplicates, and which one is kept.

    Attributes
    ----------
    distance : int
        The Hamming distance up to which simhash proposes pairs.
    similarity : float
        The lowest Jaccard similarity of their texts; if it is not given, 0.8, or 0 where a
        containment is: an excerpt is not similar to a much longer text.
    verify : bool
        Whether the texts of candidate pairs are compared.
    shingle : Shingling
        Given as ``N`` characters or ``words:N``; if it is not given, 5 characters, and shorter runs
        for the containment of pairs with a short text.
    keep : str
        One of `KEEP`: which of two near documents is kept; if it is not given, the first, or with
        a containment the longest: an excerpt does not stand for the whole.  With ``max:FIELD`` and
        ``min:FIELD`` it is the record with the largest or smallest number, date or time in a field;
        dates begin with the year, and records without one come last.  Of equals, the first is kept.
    containment, cosine : float or None
        The lowest value of these measures; None if they do not matter.  With a containment, only
        what the kept document contains to this degree is redundant.
    method : str
        One of `METHODS`: how candidates are found; ``auto`` uses simhash and minhash, and shared
        passages if a containment is set.  These two measure pairs with a text of fewer than 120
        characters by edit similarity, and such texts with different numbers are different.
    all_pairs : bool
        Whether all candidates are verified, and all near pairs listed; of fewer than 5,000
        documents all pairs are candidates, whether a search proposes them or not.
    prefer : tuple of str
        Shell patterns of names: documents that match are preferred to others, and matches of
        earlier patterns to those of later ones.
    decisions : Decisions
        What people decided: which documents share no cluster, and which ones are kept, before
        those that `prefer` names.
    same : tuple of str
        Fields that documents must agree in to be pairs: of records or tables, ``folder`` (the
        innermost), ``folder:N`` (the first N below the SOURCE), ``file``, or ``title`` (a field of
        that name, else the first heading or line).  ``field:NAME`` is always a field of records.
        Values are compared folded and without white space.  A document without a value is a pair
        with none; identical texts without a title agree in it.  ``facts`` is no field: a pair with
        it has no aligned place where both texts have a fact of one kind and these differ, or where
        one is negated.  Texts without facts agree.
    across : tuple of str
        Fields that documents must not agree in.  One without a value is a pair with any.
    lossless : bool
        Whether a document is redundant only if the kept one has 98 % of its shingles, and all of
        its numbers, dates and codes.

    Raises
    ------
    SimdupError
        If a field has an invalid value, or two fields contradict each other.
    """

    distance: int = 3
    similarity: float = _NOT_SET
    verify: bool = True
    shingle: Shingling = _NOT_SET
    keep: str = _NOT_SET
    containment: float | None = None
    cosine: float | None = None
    method: str = "auto"
    prefer: tuple[str, ...] = ()
    all_pairs: bool = False
    decisions: Decisions = UNDECIDED
    same: tuple[str, ...] = ()
    across: tuple[str, ...] = ()
    lossless: bool = False

    def __post_init__(self) -> None:
        """Parse the shingle, and reject invalid values."""
        for name, kind in _KINDS.items():
            check_type(name, getattr(self, name), kind, unset=None if name in _OPTIONAL else ())
        shingle = Shingling(fits=True) if self.shingle is None else Shingling.parse(self.shingle)
        object.__setattr__(self, "shingle", shingle)
        object.__setattr__(self, "prefer", as_strings("prefer", self.prefer, "patterns"))
        check_patterns("prefer", self.prefer)
        if self.similarity is None:
            similarity = SIMILARITY if self.containment is None else 0.0
            object.__setattr__(self, "similarity", similarity)
        if self.keep is None:
            keep = "first" if self.containment is None else "longest"
            object.__setattr__(self, "keep", keep)
        if self.distance < 0:
            raise invalid("distance", self.distance, "0 or more bits")
        for name in SHARES:
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise invalid(name, value, "a share from 0 to 1")
        for name, allowed in (("keep", KEEP), ("method", METHODS)):
            value = getattr(self, name)
            if value not in allowed and not (name == "keep" and self.keep_field):
                raise invalid(name, value, "one of " + ", ".join(allowed))
        for name in ("same", "across"):
            object.__setattr__(self, name, parse_fields(name, getattr(self, name)))
        check_fields(self.same, self.across)
        if not self.verify and self.extras:
            raise SimdupError(
                "verify", "`containment` and `cosine` need verification", field="verify"
            )
        if self.same_facts and not self.verify:
            raise SimdupError("verify", "`same` facts needs verification", field="verify")
        if self.lossless and not self.verify:
            raise SimdupError("verify", "`lossless` needs verification", field="verify")

    @property
    def same_fields(self) -> tuple[str, ...]:
        """What documents must agree in before their texts are compared."""
        return tuple(field for field in self.same if field != FACTS)

    @property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """The fields of documents that rules look at, by the rule."""
        return {"same": self.same_fields, "across": self.across}

    @property
    def same_facts(self) -> bool:
        """Whether the texts of a pair must not contradict each other."""
        return FACTS in self.same

    @property
    def keep_field(self) -> str | None:
        """The field of records that decides which one is kept, or None."""
        extreme, _, name = self.keep.partition(":")
        return name or None if extreme in ("max", "min") else None

    @property
    def extras(self) -> tuple[str, ...]:
        """The required measures besides the similarity."""
        return tuple(name for name in SHARES[1:] if getattr(self, name) is not None)

    @property
    def searches(self) -> tuple[str, ...]:
        """The searches that propose candidates.

        If no measure of the texts decides, ``auto`` uses fingerprints alone.
        """
        if self.method != "auto":
            return (self.method,)
        measured = self.verify and (self.similarity > 0 or self.extras)
        if not measured:
            return ("simhash",)
        contained = () if self.containment is None else ("passages",)
        return ("simhash", "minhash", *contained)

    @property
    def short_texts(self) -> bool:
        """Whether short texts have a measure of their own: the literature's pipelines have none."""
        return self.method in ("auto", "minhash")

    @property
    def by_edit(self) -> bool:
        """Whether pairs with a short text are measured by edit similarity."""
        return self.short_texts and self.verify

    @property
    def by_texts(self) -> bool:
        """Whether the similarity of the texts decides about pairs."""
        return self.verify and self.similarity > 0

    @property
    def edits_decide(self) -> bool:
        """Whether edit similarity decides about pairs: not if no similarity is asked for."""
        return self.by_edit and self.similarity > 0

    def lists_all(self, documents: float) -> bool:
        """Return whether all near pairs of this number of documents are listed, copies too."""
        return self.all_pairs and documents < _FEW_DOCUMENTS

    def compares_all(self, documents: float) -> bool:
        """Return whether all pairs of this number of documents are compared, not only candidates.

        Where the distance is a condition, or nothing is measured, candidates are all pairs.
        """
        measured = self.verify and (self.similarity > 0 or bool(self.extras))
        return self.lists_all(documents) and measured and not self.by_distance

    @property
    def by_distance(self) -> bool:
        """Whether the distance is a condition; otherwise it only proposes candidates."""
        return self.searches == ("simhash",)

    @property
    def by_runs(self) -> bool:
        """Whether containment takes runs that fit in pairs with a short text."""
        return self.containment is not None and self.by_edit and self.shingle.fits

    @property
    def short_decide(self) -> bool:
        """Whether a measure made for short texts decides, however few terms these have."""
        return self.edits_decide or self.by_runs

    @property
    def covering(self) -> float | None:
        """The least share of a removed document's shingles that the kept one has; None for any."""
        lossless = LOSSLESS if self.lossless else None
        return max(filter(None, (self.containment, lossless)), default=self.containment)

    @property
    def directed(self) -> bool:
        """Whether what is removed must be contained in what is kept."""
        return self.covering is not None


class CriteriaFields(TypedDict, total=False):
    """The fields of `Criteria` as keywords of functions; see there."""

    distance: int
    similarity: float
    verify: bool
    shingle: int | str | Shingling
    keep: str
    containment: float | None
    cosine: float | None
    method: str
    prefer: tuple[str, ...]
    all_pairs: bool
    decisions: Decisions
    same: str | tuple[str, ...]
    across: str | tuple[str, ...]
    lossless: bool
