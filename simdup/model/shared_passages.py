"""Passages: when two documents share one, when an evaluation text is leaked, and what is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypedDict

from simdup.base.errors import NUMBER, WHOLE, as_strings, check_type, invalid
from simdup.model.documents import Skipped
from simdup.model.fields import check_scope, parse_fields
from simdup.model.formats import Seconds, Share, one_of

# A single character is no run.
SHORTEST_RUN = 2

# Beyond this, hashes take more time than they tell.
LONGEST_RUN = 1000


# Of fewer documents, what nearly all have is as likely copied as given.
SOME_DOCUMENTS = 10


# What may be left out of a rate, in the order of their names in reports.
PARTS = ("references", "quotes")


class TextPart(NamedTuple):
    """A part of a text that is left out of a rate.

    Attributes
    ----------
    kind : str
        One of `PARTS`, or ``template``.
    start, end : int
        Characters of the decoded text, end exclusive.
    """

    kind: Annotated[str, one_of(*PARTS, "template")]
    start: int
    end: int


class PassageFields(TypedDict, total=False):
    """The fields of `PassageCriteria`, as keywords."""

    min_run: int
    gap: int
    min_length: int
    common: int | None


# So many documents may have been given a text: it is said how much of the rates that is.
MANY = 6


@dataclass(frozen=True, slots=True)
class PassageCriteria:
    """When two documents share a passage.

    Lengths are in units: a character of a script without spaces (Chinese, Japanese, Thai) is one, a
    word of a script with spaces two, as a Chinese word is nearly two characters; a punctuation mark
    is one, white space none.

    Attributes
    ----------
    min_run : int
        Every equal run of this many units is found, unless it is common text but for less than a
        seed, that is half of them.
    gap : int
        Runs are joined where at most this many units are between them in both texts.
    min_length : int
        The least number of equal units of a passage.
    common : int or None
        What occurs in more documents does not start a passage; None for the larger of 50 and 5 % of
        the documents, but of 10 or more at most a tenth, or 5.
    """

    min_run: int = 15
    gap: int = 30
    min_length: int = 50
    common: int | None = None

    def __post_init__(self) -> None:
        """Check the values."""
        for name in ("min_run", "gap", "min_length"):
            check_type(name, getattr(self, name), WHOLE)
        check_type("common", self.common, WHOLE, unset=None)
        if not SHORTEST_RUN <= self.min_run <= LONGEST_RUN:
            raise invalid("min_run", self.min_run, f"{SHORTEST_RUN} to {LONGEST_RUN:,}")
        if not 0 <= self.gap <= LONGEST_RUN:
            raise invalid("gap", self.gap, f"0 to {LONGEST_RUN:,}")
        if self.min_length < 1:
            raise invalid("min_length", self.min_length, "1 or more")
        if self.common is not None and self.common < 2:
            raise invalid("common", self.common, "2 or more")

    def most_documents(self, documents: int) -> int:
        """Return in how many documents of a corpus of this size a seed may occur."""
        if self.common is not None:
            return self.common
        most = max(50, documents // 20)
        return min(most, max(5, documents // 10)) if documents >= SOME_DOCUMENTS else most

    def is_given(self, most: int, documents: int) -> bool:
        """Return whether text that more than so many documents have does not count in rates.

        Of a class of pupils, more than a tenth have it because they were given it.
        """
        return self.common is not None or 10 * most >= documents - 9


@dataclass(frozen=True, slots=True)
class PassageScope:
    """What is compared.

    Attributes
    ----------
    same, across : tuple of str
        Fields that documents must agree in to be compared, and must not agree in; see `Criteria`.
        There is at most one of the second, and none is ``title``.
    templates : tuple of str
        Files and folders: text that also occurs in one of them is ignored.
    leave_out : tuple of str
        Of `PARTS`: what does not count in rates.
    by : str or None
        A field: rates are those of all documents that agree in it, and these are not compared with
        each other.
    """

    same: tuple[str, ...] = ()
    across: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    by: str | None = None

    def __post_init__(self) -> None:
        """Parse the fields, and check the values."""
        for name in ("same", "across"):
            object.__setattr__(self, name, parse_fields(name, getattr(self, name)))
        if self.by is not None:
            by = parse_fields("by", self.by)
            if self.across not in ((), by):
                raise invalid("across", ", ".join(self.across), f"{self.by}, or nothing, with `by`")
            object.__setattr__(self, "across", by)
        check_scope(self.same, self.across)
        parts = as_strings("leave_out", self.leave_out, "names of parts")
        object.__setattr__(self, "leave_out", parts)
        for part in parts:
            if part not in PARTS:
                raise invalid("leave_out", part, f"one of {', '.join(PARTS)}")


# K-grams that more evaluation texts have start no run, which bounds the time.
_MOST = 1000


class LeakFields(TypedDict, total=False):
    """The fields of `LeakCriteria`, as keywords."""

    share: float
    min_run: int
    gap: int
    common: int | None


@dataclass(frozen=True, slots=True)
class LeakCriteria:
    """When an evaluation text is leaked.

    Attributes
    ----------
    share : float
        The least share of its units that one document has, in equal runs.
    min_run : int
        The least number of units of a run; `PassageCriteria` says what a unit is.
    gap : int
        Runs with at most this many units between them in both texts become one span.
    common : int or None
        Text that more evaluation texts of a file share, such as an instruction, makes no leak, and
        is in neither number that the share is of.  None for the larger of 5 and 5 % of them.
    """

    share: float = 0.5
    min_run: int = PassageCriteria().min_run
    gap: int = PassageCriteria().gap
    common: int | None = None

    def __post_init__(self) -> None:
        """Check the values."""
        check_type("share", self.share, NUMBER)
        if not 0 < self.share <= 1:
            raise invalid("share", self.share, "above 0, up to 1")
        PassageCriteria(self.min_run, self.gap, self.min_run, self.common)

    @property
    def passages(self) -> PassageCriteria:
        """When a document and an evaluation text share a run."""
        common = max(self.common or 0, _MOST)
        return PassageCriteria(self.min_run, 0, self.min_run, common)

    def most_texts(self, texts: int) -> int:
        """Return how many of so many evaluation texts may share text that counts."""
        return max(5, texts // 20) if self.common is None else self.common


class Passage(NamedTuple):
    """A run of text that two documents share.

    Attributes
    ----------
    a, b : (int, int)
        Where it is in each document: characters of the decoded text, end exclusive.
    length : int
        Its equal units, see `PassageCriteria`: those of its equal runs, without rows.
    similarity : float
        How alike both sides are: twice the units of an alignment, which are equal in order, rows
        and those between runs included, divided by all units of both.
    """

    a: tuple[int, int]
    b: tuple[int, int]
    length: int
    similarity: Share


class SharedText(NamedTuple):
    """What two texts share.

    Attributes
    ----------
    passages : tuple of Passage
        In the order of the first text.
    share_a, share_b : float
        How much of each text they cover, by the units of `PassageCriteria`.
    """

    passages: tuple[Passage, ...]
    share_a: float
    share_b: float


class Overlap(NamedTuple):
    """Two documents that share passages.

    Attributes
    ----------
    a, b
        The documents' names (or ids, as they were passed from Python), in input order; with
        references, `b` is one.
    share_a, share_b : float
        How much of the units of each document, without text of templates, the passages cover.
    longest : int
        The length of the longest passage.
    passages : tuple of Passage
        In the order of the first document.
    identical : bool
        Whether the documents differ in nothing but form and white space.
    """

    a: Any
    b: Any
    share_a: Share
    share_b: Share
    longest: int
    passages: tuple[Passage, ...]
    identical: bool = False


class Rate(NamedTuple):
    """How much of a document others have.

    Attributes
    ----------
    document
        Its name (or id, as it was passed from Python).
    share : float
        How much of its units, without text of templates, passages cover, whichever document they
        are shared with.
    counted : float
        The same without the parts that are left out: of the units outside these.
    largest_source
        The name of the document that it shares most with, without what is left out; None for none.
    largest_share : float
        How much of its units the passages with this one cover, counted as in `counted`.
    sources : int
        Documents that it shares passages with; those with the same text are one.  If some of it is
        left out, those with at least `min_length` units outside that, or with the same text.
    left_out : tuple of TextPart
        What was left out, in order.
    """

    document: Any
    share: Share
    counted: Share
    largest_source: Any | None
    largest_share: Share
    sources: int
    left_out: tuple[TextPart, ...]


@dataclass(frozen=True, slots=True)
class PassageSummary:
    """The figures of a run.

    Attributes
    ----------
    documents : int
        Documents that took part.
    pairs, passages : int
        Pairs of documents that share passages, and these.
    skipped : int
        Documents that could not take part.
    identical : int
        Documents whose text an earlier one has, with at least `min_length` units outside
        templates; passages are listed for one of them only.
    common : int
        Seeds that occur in too many documents to start a passage.
    common_units, common_documents : int
        How many units these cover, and in how many documents.
    most_documents : int
        In how many documents a seed may occur.
    repeated : int
        Occurrences of seeds that did not start a passage because their document repeats them.
    seconds : float
        How long the run took.
    rated_units, many_units : int
        Units of all documents that others have, and those of text that six or more documents have;
        0 without rates.
    """

    documents: int
    pairs: int
    passages: int
    skipped: int
    identical: int
    common: int
    common_units: int
    common_documents: int
    most_documents: int
    repeated: int
    seconds: Seconds
    rated_units: int = 0
    many_units: int = 0


@dataclass(frozen=True, slots=True)
class PassageResult:
    """What documents share.

    Attributes
    ----------
    overlaps : sequence of Overlap
        By falling overlap; of documents with the same text each one with the first, and that one
        with all others.
    skipped : tuple of Skipped
        Documents that could not take part.
    notes : tuple of (str, str)
        Names, and what a person should know about how they were read.
    summary : PassageSummary
        The figures.
    rates : sequence of Rate
        How much of each document others have: by what counts, falling, then by falling share, then
        in input order.  References have none.
    """

    overlaps: Sequence[Overlap]
    skipped: tuple[Skipped, ...]
    notes: tuple[tuple[str, str], ...]
    summary: PassageSummary
    rates: Sequence[Rate] = ()

    def __len__(self) -> int:
        """Return the number of pairs that share passages."""
        return len(self.overlaps)
