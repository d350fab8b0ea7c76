"""Leaks: evaluation texts that are in a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypedDict

from simdup.base.errors import NUMBER, check_type, counted, invalid
from simdup.model.documents import Skipped
from simdup.model.formats import Counted, Hidden, Seconds, Share, Written
from simdup.model.shared_passages import PassageCriteria

# Text that more documents have may be a licence or a proverb.
MANY = 5
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


class Leak(NamedTuple):
    """An evaluation text that a document has.

    Attributes
    ----------
    document, evaluation
        The names, or the ids as they were passed from Python.
    share : float
        How much of the units of the evaluation text the document has.
    spans, evaluation_spans : list of (int, int)
        Where, in either: characters of the decoded text, end exclusive.
    """

    document: Any
    evaluation: Annotated[Any, Written(key="eval")]
    share: Share
    spans: list[tuple[int, int]]
    evaluation_spans: Annotated[list[tuple[int, int]], Written(key="eval_spans")]


class LeakRate(NamedTuple):
    """How many evaluation texts of a file are leaked.

    Attributes
    ----------
    file : str
        The file of records; of other files their folder; empty for data from Python.
    texts, leaked : int
        How many there are, and how many are leaked.
    short : int
        Texts with fewer than `min_run` units that count: they are found only where a document has
        no more.
    widespread : int
        Leaked texts of which more than `MANY` documents have enough.
    """

    file: str
    texts: int
    leaked: int
    short: int
    widespread: int

    @property
    def rate(self) -> Share:
        """The share that is leaked."""
        return self.leaked / self.texts


class Decontaminated(NamedTuple):
    """A corpus without evaluation texts, and what it had.

    Attributes
    ----------
    documents, evaluations : int
        How many were read.
    leaks : sequence of Leak
        By document and evaluation text, in input order.
    affected, left_out, kept : int
        Documents with a leak, how many of these are left out, and how many stay though they should
        not, as `skipped` says; the others have lost the spans.
    masked : bool
        Whether documents lost the spans only.
    rates : tuple of LeakRate
        One for each file of evaluation texts, in input order.
    lengths : (int, int, int)
        Units of the shortest evaluation text, of the one in the middle, and of the longest.
    common_units, common_texts : int
        Units of evaluation texts that too many texts of a file share, which make no leak, and how
        many texts have some.
    skipped, notes
        As in `Result`.
    seconds : float
        How long the run took.
    written : str or None
        Where the corpus is.
    bytes_before, bytes_after : int or None
        Its size.
    missing : tuple of str
        Files that could not be copied.
    data
        The data without leaks, of the same kind as was passed; of files None.
    """

    documents: int
    evaluations: int
    leaks: Counted[Sequence[Leak]]
    affected: int
    left_out: int
    kept: int
    masked: bool
    rates: tuple[LeakRate, ...]
    lengths: tuple[int, int, int]
    common_units: int
    common_texts: int
    skipped: Counted[tuple[Skipped, ...]]
    seconds: Seconds
    notes: Hidden[tuple[tuple[str, str], ...]]
    written: Hidden[str | None] = None
    bytes_before: Hidden[int | None] = None
    bytes_after: Hidden[int | None] = None
    missing: Hidden[tuple[str, ...]] = ()
    data: Hidden[Any] = None

    def __repr__(self) -> str:
        """Return the counts: data may be large."""
        leaks, documents = counted(len(self.leaks), "leak"), counted(self.documents, "document")
        texts = counted(self.evaluations, "evaluation text")
        return f"Decontaminated({leaks} of {texts} in {documents})"
