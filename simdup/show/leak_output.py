"""Leaks, evaluation texts that are in a corpus: what is found, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from simdup.base.errors import counted
from simdup.model.cleaned import Outcome
from simdup.model.documents import Skipped
from simdup.model.formats import Counted, Seconds, Share, Written
from simdup.model.shared_passages import LeakCriteria
from simdup.show.escaping import shown
from simdup.show.lines import closing, typed
from simdup.show.summary import skipped_words
from simdup.show.words import ENGLISH, Phrases

# Text that more documents have may be a licence or a proverb.
MANY = 5
# Files of evaluation texts that a person reads.
_MOST = 20


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


@dataclass(frozen=True, kw_only=True, repr=False)
class Decontaminated(Outcome):
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
    skipped
        As in `Result`.
    seconds : float
        How long the run took.
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

    def __repr__(self) -> str:
        """Return the counts: data may be large."""
        leaks, documents = counted(len(self.leaks), "leak"), counted(self.documents, "document")
        texts = counted(self.evaluations, "evaluation text")
        return f"Decontaminated({leaks} of {texts} in {documents})"


def evidence(found: Decontaminated) -> Iterator[bytes]:
    """Yield the typed JSON lines of leaks, of what was skipped, and of the figures."""
    yield from typed("leak", found.leaks)
    yield from closing(found.skipped, found)


def leak_report(
    found: Decontaminated, criteria: LeakCriteria, words: Phrases = ENGLISH, done: bool = True
) -> str:
    """Return the sentences that end a run: a rate for each file, and what became of documents.

    `done` says whether the corpus is written; otherwise it is what would be done.
    """
    documents = words("documents", n=found.documents)
    evaluations = words("leaks.evaluations", n=found.evaluations)
    read = words("leaks.read", documents=documents, evaluations=evaluations, seconds=found.seconds)
    lines = [words.sentence([read, skipped_words(found.skipped, words)])]
    least, median, most = found.lengths
    lines.append(words("leaks.lengths", least=least, median=median, most=most))
    # The worst first, and what a person names first of equal ones.
    by_rate = sorted(found.rates, key=lambda one: -one.rate)
    for one in by_rate[:_MOST]:
        name = shown(one.file) or words("leaks.data")
        lines.append(
            words(
                "leaks.rate_apart" if one.widespread else "leaks.rate", file=name, n=one.texts,
                leaked=one.leaked, rate=_percent(one.rate), apart=one.widespread, many=MANY,
            )
        )  # fmt: skip
    if len(by_rate) > _MOST:
        lines.append(
            words("leaks.more", n=len(by_rate) - _MOST, rate=_percent(by_rate[_MOST].rate))
        )
    cut = found.affected - found.left_out - found.kept
    for way, n in (("cut", cut), ("left", found.left_out)):
        if n:
            lines.append(words(f"leaks.{way}" if done else f"leaks.would_{way}", n=n))
    if found.kept:
        lines.append(words("leaks.kept", n=found.kept))
    if not found.affected:
        lines.append(words("leaks.none" if found.documents else "found.nothing"))
    if short := sum(one.short for one in found.rates):
        lines.append(words("leaks.short", n=short, least=criteria.min_run))
    if found.common_units:
        texts = words("leaks.share")
        if criteria.common is not None:
            texts = words("leaks.more_than", n=criteria.common)
        lines.append(
            words("leaks.common", units=found.common_units, n=found.common_texts, texts=texts)
        )
    return "\n".join(lines)


def _percent(share: float) -> str:
    """Return a share in percent with a digit behind the point, rounded down."""
    return f"{int(share * 1000 + 1e-9) / 10:.1f}"
