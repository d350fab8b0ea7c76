"""What is asked of a cleaned corpus, and what is left out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple, TypeVar

from simdup.base.errors import NUMBER, WHOLE, SimdupError, check_type, invalid
from simdup.model.clusters import Measure
from simdup.model.documents import Skipped
from simdup.model.formats import Hidden, Share, Written, one_of
from simdup.model.readings import FactDifference


@dataclass(frozen=True, slots=True)
class DedupeOptions:
    """Where and how to write a cleaned corpus, and what it must not lose."""

    target: str | None  # a file or folder; ``-`` for standard output; None writes nothing
    # Files, folders and indexes whose documents are never redundant, and are not written.
    references: Sequence[str] = ()
    force: bool = False  # whether files of the target may be replaced
    # Another file that the caller writes; it must not overwrite anything either.
    report: str | None = None
    by: str | None = None  # a field of records, or ``folder``: groups to account for
    # The largest share of documents that the corpus, a source or a group may lose.
    max_removed: float | None = None
    # An index of documents that earlier runs have seen: what is near one of them is redundant.
    index: str | None = None
    add: bool = False  # whether the index is to remember the documents that stay
    # Called with a sentence before a wait for another process that writes the index.
    waiting: Callable[[str], None] = lambda what: None
    annotate: bool = False  # whether all records stay, with fields that tell which are redundant

    def __post_init__(self) -> None:
        """Reject invalid values."""
        check_type("max_removed", self.max_removed, NUMBER, unset=None)
        for name in ("annotate", "add", "force"):
            check_type(name, getattr(self, name), (bool, "True or False"))
        if self.annotate and self.max_removed is not None:
            what = "has no effect with `annotate`, which removes nothing"
            raise SimdupError("max_removed", what, field="max_removed")
        if self.add and self.index is None:
            raise SimdupError("add", "needs an `index` that documents are added to", field="add")
        if self.add and self.annotate:
            what = "is for a corpus that is cleaned, and `annotate` removes nothing"
            raise SimdupError("add", what, field="add")
        if self.max_removed is not None and not 0 <= self.max_removed <= 1:
            raise invalid("max_removed", self.max_removed, "a share from 0 to 1")


# The parts that documents are made of.
UNITS = ("line", "sentence", "paragraph")


@dataclass(frozen=True, slots=True)
class PartCriteria:
    """Which parts of documents are cut because others have them.

    Attributes
    ----------
    unit : str
        One of `UNITS`.
    copies : int
        In how many documents a part stays: in all places where the first ones have it.  With 0 a
        part that several documents have stays in none.
    min_length : int
        The least letters and digits of a part that is cut, white space and punctuation left out.
    """

    unit: str = "sentence"
    copies: int = 1
    min_length: int = 20

    def __post_init__(self) -> None:
        """Reject invalid values."""
        if self.unit not in UNITS:
            raise invalid("unit", self.unit, "one of " + ", ".join(UNITS))
        for name in ("copies", "min_length"):
            check_type(name, getattr(self, name), WHOLE)
            least = int(name == "min_length")
            if getattr(self, name) < least:
                raise invalid(name, getattr(self, name), f"{least} or more")


class RemovedPart(NamedTuple):
    """A part that was cut from a document, and where it stays.

    Places are characters of the decoded texts, ends exclusive.  What was cut has the white space
    that goes with the part; where it stays, it is without.  A part that directly repeats what
    comes before it, or is in it, stays there.
    """

    document: Any  # its name, or its id as it was passed from Python
    start: int
    end: int
    kept: Any | None  # the first document that has it; None, as the place, if it stays in none
    kept_start: int | None
    kept_end: int | None
    text: str  # what was cut


def _without_places(facts: tuple[FactDifference, ...]) -> list[dict[str, str]]:
    """Return facts as they are written: their places are those in folded texts."""
    return [{"kind": fact.kind, "a": fact.a, "b": fact.b} for fact in facts]


class Removed(NamedTuple):
    """A document that was left out of a cleaned corpus."""

    document: str  # its name
    # ``exact copy`` (of the folded text without white space) or ``near-duplicate``
    reason: Annotated[str, one_of("exact copy", "near-duplicate")]
    distance: int | None  # to the document that was kept; None for equal texts without words
    similarity: Share | None  # Jaccard similarity to it; None where it was not measured
    kept: str  # its name
    estimated: bool = False  # whether the similarity is an estimate: the kept one is in an index
    measure: Measure | None = None  # what the similarity is: ``jaccard``, of short texts ``edit``
    containment: Share | None = None  # as in `Pair`, if it was asked for
    cosine: Share | None = None  # the same
    # With `Criteria.lossless`, the share of its shingles that the kept one has.
    covered: Share | None = None
    # The facts in which it (`a`) differs from the kept one (`b`), folded; None where they are
    # not known: the kept one is in an index, or no texts are compared.
    facts: Annotated[tuple[FactDifference, ...], Written(_without_places)] | None = None


class Part(NamedTuple):
    """What some of the documents lost: those of a source, an author or a folder."""

    name: str | None  # None for documents without a value
    documents: int  # that took part
    removed: int  # of these, all or, with `PartCriteria`, some of their text
    bytes: int  # of their files or, of records and where parts are cut, of their texts in UTF-8
    removed_bytes: int

    @property
    def share(self) -> float:
        """The share of the documents that was removed, or lost text."""
        return self.removed / max(self.documents, 1)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a corpus, whatever was changed in it.

    Attributes
    ----------
    written : str or None
        Where it was written; None if it was not.
    bytes_before, bytes_after : int or None
        Sizes of its files and of the written files; None if they cannot be compared.
    missing : tuple of str
        Files and folders that could not be opened, and so are missing from what was written.
    lost : mapping from str to str
        Files that vanished or changed since they were read, with the reason.
    notes : tuple of (str, str)
        Names, and what a person should know about them.
    parts : tuple of Part
        What each group lost, if groups were asked for (`by`): the largest losses first.
    data : object
        What stays, of the same kind as was passed; of files the names of their documents.
    """

    written: Hidden[str | None] = None
    bytes_before: Hidden[int | None] = None
    bytes_after: Hidden[int | None] = None
    missing: Hidden[tuple[str, ...]] = ()
    lost: Hidden[Mapping[str, str]] = field(default_factory=dict)
    notes: Hidden[tuple[tuple[str, str], ...]] = ()
    parts: Hidden[tuple[Part, ...]] = ()
    data: Hidden[Any] = None

    def not_copied(self, skipped: Iterable[Skipped]) -> tuple[Skipped, ...]:
        """Return what was skipped, and say of what is missing that it was not copied."""
        return tuple(
            replace(one, reason=f"{one.reason}; not copied to {self.written}")
            if one.document in self.missing
            else one
            for one in skipped
        )

    def of_kind(self, kind: type[AnyOutcome], **values: Any) -> AnyOutcome:
        """Return an outcome of another kind, with more values."""
        return kind(**vars(self) | values)


AnyOutcome = TypeVar("AnyOutcome", bound=Outcome)


class RemovedDocument(NamedTuple):
    """A document that is left out."""

    entry: Removed
    path: str  # of the file that it comes from
    record: int  # its number in that file; 0 for the file itself
    kept_path: str  # of the file with the document that is kept instead
    number: int  # of the document, in input order
    kept: int  # number of the one that is kept instead; below 0 in an index
