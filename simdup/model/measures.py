"""What is known of pairs of documents: one by one, or in columns.

A measure is a share from 0 to 1, unrounded.  What was not measured is not there, and does not
matter: of a document that an index has, only a sketch of its text is known.

Only texts that are equal, but for white space, have a similarity of 1.  Others may have equal sets
of shingles, or equal letters: see `LARGEST`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.model.criteria import SHARES, Criteria
from simdup.model.table import I64, Table

# The most that texts which differ are similar.  Similarities are printed with so many digits.
LARGEST = 0.9999
# By the values of the column `contained`: which text the other one contains.
_SIDES = (None, "a", "b", "both")
_TURNED = np.array([0, 2, 1, 3], np.int8)

Figure: TypeAlias = float | None


class Measures(NamedTuple):
    """The measures of two documents, `a` and `b`; None for what was not measured."""

    similarity: Figure = None  # Jaccard similarity of their shingles, or edit similarity
    containment: Figure = None
    cosine: Figure = None
    # If what is removed must be contained in what is kept, the text that is contained in the other:
    # `a`, the first, `b`, or `both`; None if neither is.
    contained: str | None = None
    # Not 0 if short texts differ in a fact, and facts matter: see `MeasuredPairs`.
    differing: int = 0
    # The share of each text's shingles that the other has, if that matters.
    covered: tuple[float, float] | None = None
    same_facts: bool = True  # False if the texts contradict each other, and this matters

    @property
    def of_pair(self) -> tuple[Figure, Figure, Figure, str | None]:
        """What a result says of the two: the fields of `Pair` from ``similarity`` on."""
        return self.similarity, self.containment, self.cosine, self.contained

    def of_side(self, second: bool) -> tuple[Figure, Figure, Figure, Figure, str | None]:
        """What a result says of `b`, if it is the `second`, or `a`, beside the other one.

        These are the fields of `Member` from ``similarity`` on.
        """
        covered = None if self.covered is None else self.covered[second]
        contained = self.contained
        if contained in ("a", "b"):
            contained = "document" if (contained == "b") == second else "kept"
        return self.similarity, self.containment, self.cosine, covered, contained

    def accepted(self, criteria: Criteria) -> bool:
        """Return whether the pair meets the criteria, whichever of the two is kept."""
        known = {name: value for name, value in self._asdict().items() if value is not None}
        return bool(_meet(known, criteria))


UNMEASURED = Measures()


class DocumentPair(NamedTuple):
    """Two documents that meet the criteria, by number, the smaller first."""

    a: int
    b: int
    distance: int
    measures: Measures = UNMEASURED


class MeasuredPairs(Table):
    """A table of pairs of documents."""

    __slots__ = ()
    SCHEMA: ClassVar[Mapping[str, Any]] = {
        "a": np.int64,  # the number of a document
        "b": np.int64,
        "distance": np.int64,  # of their fingerprints
        # [3]: the shingles that both texts have, that `a` has, that `b` has; while it is measured
        "counts": np.int64,
        "similarity": np.float64,  # NaN for a pair of which it is unknown
        "containment": np.float64,
        "cosine": np.float64,
        "contained": np.int8,  # 1 for `a` that is contained in `b`, 2 for `b`, 3 for both
        # Not 0 for short texts that differ in a fact: the place of its kind, from 1, in
        # `simdup.text.differing_facts.KINDS`, or -1 where it is not known.
        "differing": np.int8,
        "covered": np.float64,  # [2]: the share of each text's shingles that the other has
        "same_facts": np.bool_,  # False for texts that contradict each other
    }

    @classmethod
    def none(cls) -> Self:
        """Return no pairs."""
        return cls(dict.fromkeys(("a", "b", "distance"), np.zeros(0, np.int64)))

    @classmethod
    def identical(cls, a: I64, b: I64, criteria: Criteria) -> Self:
        """Return pairs of documents with the same text."""
        columns: dict[str, NDArray[Any]] = {"a": a, "b": b, "distance": np.zeros(len(a), np.int64)}
        if criteria.verify:
            columns |= dict.fromkeys(("similarity", *criteria.extras), np.ones(len(a)))
            if criteria.directed:
                both = np.full(len(a), 3, np.int8)
                columns |= {"contained": both}
                columns |= {"covered": np.ones((len(a), 2))} if criteria.lossless else {}
        return cls(columns)

    def accepted(self, criteria: Criteria) -> NDArray[np.bool_]:
        """Return which pairs meet the criteria, whichever of the two is kept."""
        good: NDArray[np.bool_] = np.ones(len(self), np.bool_) & _meet(self, criteria)
        return good

    def taken(self, criteria: Criteria) -> NDArray[np.bool_]:
        """Return of which pairs `b` may be removed, if `a` is kept."""
        good = self.accepted(criteria)
        if criteria.directed and "contained" in self:
            good &= self["contained"] & 2 > 0
        return good

    def near(self, criteria: Criteria) -> Self:
        """Return the pairs that meet the criteria, without what has only decided about them."""
        deciding = ("differing", "same_facts", *([] if criteria.lossless else ["covered"]))
        return self.take(np.flatnonzero(self.accepted(criteria))).without(*deciding)

    def turned(self) -> Self:
        """Return the pairs with their two documents exchanged."""
        columns = {"a": self["b"], "b": self["a"]}
        if "contained" in self:
            columns |= {"contained": _TURNED[self["contained"]]}
        if "covered" in self:
            columns |= {"covered": self["covered"][:, ::-1]}
        return self.and_columns(**columns)

    def ordered(self) -> Self:
        """Return the pairs with the smaller number first."""
        turned, wrong = self.turned(), self["a"] > self["b"]
        columns = {}
        for name in self:
            mask = wrong.reshape(-1, *(1,) * (self[name].ndim - 1))
            columns[name] = np.where(mask, turned[name], self[name])
        return type(self)(columns)

    def measures(self) -> Iterator[Measures]:
        """Return the measures of each pair."""

        def values(name: str, missing: Any = None) -> list[Any]:
            return self[name].tolist() if name in self else [missing] * len(self)

        def shares(name: str) -> list[float | None]:
            return [None if value != value else value for value in values(name)]

        sides = map(_SIDES.__getitem__, values("contained", 0))
        covered = (one and tuple(one) for one in values("covered"))
        differing = values("differing", 0)
        facts = values("same_facts", True)
        return map(Measures, *map(shares, SHARES), sides, differing, covered, facts)

    def each(self) -> list[DocumentPair]:
        """Return the pairs one by one, with their distances."""
        numbers = (self[name].tolist() for name in ("a", "b", "distance"))
        return list(map(DocumentPair, *numbers, self.measures()))


def _meet(measures: Any, criteria: Criteria) -> Any:
    """Return whether measures are high enough: those of one pair by name, or a table of them."""
    if not criteria.verify:
        return True
    good: Any = True
    for name in measures:
        least = getattr(criteria, name) if name in SHARES else None
        if name == "differing":
            good = good & (measures[name] == 0)
        elif name == "same_facts":
            good = good & measures[name]
        elif least is not None:
            value = measures[name]
            good = good & ((value >= least) | (value != value))
    return good
