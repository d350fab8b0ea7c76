"""Conflicts: copied text whose copies differ in a fact, and what is found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Annotated, Any, NamedTuple, TypedDict

from simdup.base.errors import WHOLE, as_strings, check_type, invalid
from simdup.model.documents import Skipped
from simdup.model.fields import check_scope, parse_fields
from simdup.model.formats import Hidden, Seconds, one_of
from simdup.model.recipe import Recipe

# What a fact can be: where two kinds fit, the first one is taken (see `simdup.text.facts`).
FACT_KINDS = (
    "address", "date", "time", "version", "percent", "amount", "code", "number", "negation", "term",
)  # fmt: skip
# Any other difference, which is no fact.
WORDING = "wording"
KINDS = (*FACT_KINDS, WORDING)

# Fewer units are equal by chance around any two numbers.
LEAST_CONTEXT = 4
# No copied text that is reported has more without a difference on either side of one.
MOST_CONTEXT = 1000


class ConflictFields(TypedDict, total=False):
    """The fields of `ConflictCriteria`, as keywords."""

    context: int
    kinds: str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConflictCriteria:
    """When copies contradict each other.

    Attributes
    ----------
    context : int
        The least number of equal units on either side of a difference; see `PassageCriteria`.
    kinds : tuple of str
        The kinds of facts that copies may contradict each other in, some of `KINDS`.
    """

    context: int = 8
    kinds: tuple[str, ...] = FACT_KINDS

    def __post_init__(self) -> None:
        """Check the values."""
        check_type("context", self.context, WHOLE)
        if not LEAST_CONTEXT <= self.context <= MOST_CONTEXT:
            raise invalid("context", self.context, f"{LEAST_CONTEXT} to {MOST_CONTEXT:,}")
        object.__setattr__(self, "kinds", as_strings("kinds", self.kinds, "names of kinds"))
        for kind in self.kinds:
            if kind not in KINDS:
                raise invalid("kinds", kind, f"one of {', '.join(KINDS)}")
        if not self.kinds:
            raise invalid("kinds", "", f"some of {', '.join(KINDS)}")


@dataclass(frozen=True, slots=True)
class ConflictScope:
    """What is compared.

    Attributes
    ----------
    same, across : tuple of str
        Fields that documents must agree in to be compared, and must not agree in; see `Criteria`.
        There is at most one of the second, and none is ``title``.
    terms : str or None
        A file with a term a line: names, drugs, products.
    strip : tuple of str
        Regular expressions: what they match is left out of all texts; see `Recipe`.
    code : bool
        Whether code of Markdown is read: between fences, or indented.
    """

    same: tuple[str, ...] = ()
    across: tuple[str, ...] = ()
    terms: str | None = None
    strip: tuple[str, ...] = ()
    code: bool = False

    def __post_init__(self) -> None:
        """Parse and check the fields."""
        for name in ("same", "across"):
            object.__setattr__(self, name, parse_fields(name, getattr(self, name)))
        check_scope(self.same, self.across)
        object.__setattr__(self, "strip", Recipe(strip=self.strip).strip)


class FactDifference(NamedTuple):
    """A fact in which two texts contradict each other.

    Attributes
    ----------
    kind : str
        One of `FACT_KINDS`.
    a, b : str
        What each text has; empty for nothing.
    at_a, at_b : (int, int)
        Where: characters, end exclusive.
    """

    kind: str
    a: str
    b: str
    at_a: tuple[int, int]
    at_b: tuple[int, int]


class ReadingPlace(NamedTuple):
    """Where a document has a reading.

    Attributes
    ----------
    document
        Its name (or id, as it was passed from Python).
    start, end : int
        Characters of the decoded text, end exclusive; equal if the document has nothing there.
    line : int
        The line it begins in, from 1.
    modified : float
        When the file was modified (seconds since 1970); NaN unless the document is a file.
    """

    document: Any
    start: int
    end: int
    line: int
    modified: Hidden[float]


class FactReading(NamedTuple):
    """What some of the copies say.

    Attributes
    ----------
    value : str
        As most documents spell it; empty for nothing.
    documents : sequence of ReadingPlace
        In input order.
    fact : str
        The value in a spelling that is the same for all documents: "20 mg" for 二十毫克.
    """

    value: str
    documents: Sequence[ReadingPlace]
    fact: Hidden[str] = ""

    @property
    def modified(self) -> float:
        """When the newest of its files was modified; NaN if none is a file."""
        return _newest(one.modified for one in self.documents)


class Conflict(NamedTuple):
    """Copies that contradict each other in one place.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    before, after : str
        The text around the place, as far as all readings share it; if that is next to nothing, as
        a document of the most common reading has it.
    readings : tuple of FactReading
        By rising number of documents.
    """

    kind: Annotated[str, one_of(*KINDS)]
    before: str
    after: str
    readings: tuple[FactReading, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """What its readings are."""
        return tuple(reading.value for reading in self.readings)

    @property
    def size(self) -> int:
        """How many documents have one of its readings."""
        return sum(len(reading.documents) for reading in self.readings)

    @property
    def modified(self) -> float:
        """When the newest of its files was modified; NaN if none is a file."""
        return _newest(one.modified for one in self.readings)


def _newest(times: Iterable[float]) -> float:
    return max((time for time in times if not isnan(time)), default=nan)


@dataclass(frozen=True, slots=True)
class ConflictSummary:
    """The figures of a run.

    Attributes
    ----------
    documents : int
        Documents that took part.
    conflicts : int
        Conflicts found; with a baseline, new ones.
    affected : int
        Documents that have a reading of one.
    skipped : int
        Documents that could not take part.
    known : int
        Conflicts that the baseline has.
    seconds : float
        How long the run took.
    forms : int
        Places that were left out because many documents have a value of their own there.
    """

    documents: int
    conflicts: int
    affected: int
    skipped: int
    known: int
    seconds: Seconds
    forms: int = 0


@dataclass(frozen=True, slots=True)
class ConflictResult:
    """What copies contradict each other in.

    Attributes
    ----------
    conflicts : tuple of Conflict
        By falling number of documents, then by how lopsided the readings are.
    skipped : tuple of Skipped
        Documents that could not take part.
    notes : tuple of (str, str)
        Names, and what a person should know about how they were read.
    summary : ConflictSummary
        The figures.
    forms : tuple of Conflict
        Places that were left out, in the same order: many documents have a value of their own, and
        none leads, as in a form that is filled in.
    """

    conflicts: tuple[Conflict, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[tuple[str, str], ...]
    summary: ConflictSummary
    forms: tuple[Conflict, ...] = ()

    def __len__(self) -> int:
        """Return the number of conflicts."""
        return len(self.conflicts)

    def listing(
        self, conflicts: Iterable[Conflict], forms: Iterable[Conflict], known: int = 0
    ) -> ConflictResult:
        """Return this result with other conflicts and forms, in order, and with their figures."""
        listed, left = (tuple(sorted(some, key=_order)) for some in (conflicts, forms))
        affected = {p.document for one in listed for r in one.readings for p in r.documents}
        summary = replace(
            self.summary,
            conflicts=len(listed),
            affected=len(affected),
            known=known,
            forms=len(left),
        )
        return replace(self, conflicts=listed, forms=left, summary=summary)


def _order(one: Conflict) -> tuple[Any, ...]:
    """Return what conflicts are sorted by: many documents first, then one against many.

    Of those that are alike in this, their texts decide, and not which document comes first.
    """
    facts = [reading.fact for reading in one.readings]
    lopsided = len(one.readings[0].documents) / one.size
    return -one.size, lopsided, one.kind, facts, one.before, one.after
