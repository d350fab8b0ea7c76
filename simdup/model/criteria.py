"""When two documents are near-duplicates, and which one is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypedDict

from simdup.errors import SimdupError, invalid
from simdup.model.decisions import UNDECIDED, Decisions
from simdup.model.shingling import Shingling

KEEP = ("first", "longest", "shortest", "newest", "oldest", "max:FIELD", "min:FIELD")
METHODS = ("auto", "simhash", "minhash", "pstable")
LINKAGES = ("single", "star")

CHARACTERS_5 = Shingling(5)

# Documents with fewer terms are near-duplicates only where their texts are the same: so few words
# give no fingerprint worth the name.
FEW_TERMS = 3


class Measures(NamedTuple):
    """What two texts have in common, 0 to 1 each, unrounded; None where it was not measured."""

    similarity: float | None = None  # Jaccard similarity of their shingles
    containment: float | None = None
    cosine: float | None = None


UNMEASURED = Measures()


@dataclass(frozen=True, slots=True)
class Criteria:
    """When two documents are near-duplicates, and which one is kept.

    Attributes
    ----------
    distance : int
        The Hamming distance up to which simhash proposes pairs.
    similarity : float
        The least Jaccard similarity of their texts.
    verify : bool
        Whether pairs are checked on the texts.
    shingle : Shingling
        Given as ``N`` characters or ``words:N``.
    keep : str
        One of `KEEP`: which document of a cluster is kept.  With ``max:FIELD`` and ``min:FIELD``
        it is the record with the largest or smallest number, date or time in a field; one without
        comes last.  Of equals the first is kept.
    containment, cosine : float or None
        The least of these measures; None where it does not matter.
    method : str
        One of `METHODS`: how candidates are found; ``auto`` by simhash and by minhash.
    recall : float
        The share of the pairs at `similarity` that ``minhash`` and ``pstable`` are to find.
    linkage : str or None
        One of `LINKAGES`: ``single`` joins whatever pairs connect, ``star`` only pairs with the
        kept document; None for what the operation does by default.
    all_pairs : bool
        Whether all candidates of large families are verified and listed too.
    prefer : tuple of str
        Shell patterns of names: a document that matches is kept before one that does not, and one
        that matches an earlier pattern before one that matches a later.
    decisions : Decisions
        What people decided: which documents share no cluster, and which ones are kept, before
        those that `prefer` names.

    Raises
    ------
    SimdupError
        If a field has a value it cannot have, or two fields contradict each other.
    """

    distance: int = 3
    similarity: float = 0.8
    verify: bool = True
    shingle: Shingling = CHARACTERS_5
    keep: str = "first"
    containment: float | None = None
    cosine: float | None = None
    method: str = "auto"
    recall: float = 0.999
    linkage: str | None = None
    prefer: tuple[str, ...] = ()
    all_pairs: bool = False
    decisions: Decisions = UNDECIDED

    def __post_init__(self) -> None:
        """Parse the shingle, and refuse values that make no sense."""
        object.__setattr__(self, "shingle", Shingling.parse(self.shingle))
        object.__setattr__(self, "prefer", tuple(self.prefer))
        if self.distance < 0:
            raise invalid("distance", self.distance, "0 or more bits")
        for name in ("similarity", "containment", "cosine"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise invalid(name, value, "a share from 0 to 1")
        if not 0 < self.recall < 1:
            raise invalid("recall", self.recall, "a share above 0 and below 1")
        for name, allowed in (("keep", KEEP), ("method", METHODS), ("linkage", LINKAGES)):
            given = getattr(self, name)
            fits = given in allowed or (name == "keep" and self.keep_field)
            if not fits and not (name == "linkage" and given is None):
                raise invalid(name, getattr(self, name), "one of " + ", ".join(allowed))
        if not self.verify and self.extras:
            raise SimdupError(
                "verify", "`containment` and `cosine` need verification", field="verify"
            )

    @property
    def keep_field(self) -> str | None:
        """The field of records that decides which one is kept; None where none does."""
        extreme, _, name = self.keep.partition(":")
        return name or None if extreme in ("max", "min") else None

    @property
    def extras(self) -> tuple[str, ...]:
        """The measures that are asked for beside the similarity."""
        return tuple(n for n in ("containment", "cosine") if getattr(self, n) is not None)

    @property
    def searches(self) -> tuple[str, ...]:
        """The searches that propose candidates.

        Where no measure of the texts decides, ``auto`` goes by fingerprints alone.
        """
        if self.method != "auto":
            return (self.method,)
        measured = self.verify and (self.similarity > 0 or self.extras)
        return ("simhash", "minhash") if measured else ("simhash",)

    @property
    def by_distance(self) -> bool:
        """Whether the distance is a condition; with other searches it only proposes."""
        return self.searches == ("simhash",)

    def accepts(self, measures: Measures) -> bool:
        """Tell whether the measures are high enough; what was not measured does not matter."""
        least = (self.similarity, self.containment, self.cosine)
        return all(
            asked is None or found is None or found >= asked
            for asked, found in zip(least, measures, strict=True)
        )

    @property
    def identical(self) -> Measures:
        """The measures of a text and itself."""
        if not self.verify:
            return UNMEASURED
        return Measures(similarity=1.0, **dict.fromkeys(self.extras, 1.0))


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
    recall: float
    linkage: str | None
    prefer: tuple[str, ...]
    all_pairs: bool
    decisions: Decisions
