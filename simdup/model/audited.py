"""How good a result is: by known pairs, or by a sample of it that people judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from simdup.model.decisions import UNSURE
from simdup.model.formats import Figure, Hidden, Interval, SignedFigure

# Pairs that are drawn: with them a precision of 0.95 is known to within 3 or 4 in 100.
SAMPLE = 200
SEED = 1


class Evaluation(NamedTuple):
    """The measures: shares from 0 to 1, except the Rand index, which may be negative."""

    documents: int  # how many documents either side names
    found_pairs: int
    true_pairs: int
    both_pairs: int  # those in both
    # Of pairs.  If nothing was found, precision is 1; if nothing is true, recall is 1.
    precision: Figure
    recall: Figure
    f1: Figure
    found_clusters: int  # of two documents or more
    true_clusters: int  # likewise
    adjusted_rand: SignedFigure  # 1 for equal partitions, about 0 for unrelated ones
    # Means over documents.
    bcubed_precision: Figure
    bcubed_recall: Figure
    bcubed_f1: Figure


class FoundPair(NamedTuple):
    """Two documents of a result.

    Attributes
    ----------
    stays, goes : str
        Names: of a redundant document and the one that stays instead; of a mere pair, of both.
    similarity : float or None
        As results print it, with 4 digits, rounded down, unless it was not measured.
    """

    stays: str
    goes: str
    similarity: float | None

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the pair, whichever document is named first."""
        return min(self.stays, self.goes), max(self.stays, self.goes)


class Population(NamedTuple):
    """The pairs that a precision is about.

    Attributes
    ----------
    pairs : tuple of FoundPair
        Each once.
    removal : bool
        Whether they are redundant documents, each with the one that stays instead; else they are
        all pairs that are listed.
    """

    pairs: tuple[FoundPair, ...]
    removal: bool

    @classmethod
    def of(cls, pairs: Iterable[FoundPair], removal: bool) -> Population:
        """Return the pairs, each once."""
        return cls(tuple({pair.key: pair for pair in pairs}.values()), removal)


class Band(NamedTuple):
    """Pairs of about the same similarity.

    Attributes
    ----------
    low, high : float or None
        The least similarity, and the one that is too high, but for ``low == high == 1``.  Pairs
        that were not measured have a band without.
    pairs : int
        How many the result has.
    drawn : int
        How many of them are in the sample.
    """

    low: float | None
    high: float | None
    pairs: int
    drawn: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Pairs drawn from a result.

    Attributes
    ----------
    pairs : tuple of FoundPair
        In the order in which they are judged: whoever stops early has judged a smaller sample.
    places : tuple of int
        The band of each.
    bands : tuple of Band
        By rising similarity, those that have pairs.
    seed : int
        What decided which pairs were drawn.
    removal : bool
        As in `Population`.
    """

    pairs: tuple[FoundPair, ...]
    places: tuple[int, ...]
    bands: tuple[Band, ...]
    seed: int
    removal: bool


class Judgement(NamedTuple):
    """What somebody said of a pair.

    Attributes
    ----------
    kind : str
        ``duplicates``, ``distinct`` or ``unsure``.
    documents : tuple of (str, str)
        Names, in any order.
    seed, sample : int
        Of the audit.
    """

    kind: str
    documents: tuple[str, str]
    seed: int
    sample: int


class Judgements(NamedTuple):
    """The judgements of a file, in its order, and how many other decisions it has."""

    each: tuple[Judgement, ...]
    others: int = 0


class BandPrecision(NamedTuple):
    """What judgements say of a band, or of all that was judged.

    Attributes
    ----------
    low, high : float or None
        As in `Band`; of all, 0 and 1.
    pairs, drawn : int
        As in `Band`.
    duplicates, distinct, unsure : int
        How many pairs were judged so.
    precision : float or None
        The share of duplicates, without those of which nobody can say; of all bands, weighted by
        their pairs.  There is none without a judgement.
    interval : (float, float) or None
        It holds the precision of all pairs, judged or not, in 95 of 100 audits.
    """

    low: Figure | None
    high: Figure | None
    pairs: int
    drawn: int
    duplicates: int
    distinct: int
    unsure: int
    precision: Figure | None
    interval: Interval | None

    @property
    def judged(self) -> int:
        """How many pairs are known to be duplicates or not."""
        return self.duplicates + self.distinct


@dataclass(frozen=True, slots=True)
class Precision:
    """The precision of a result, estimated from judgements of a sample.

    Attributes
    ----------
    bands : tuple of BandPrecision
        By rising similarity.
    total : BandPrecision
        Of all bands with a judgement.
    bounds : (float, float) or None
        What the precision would be if all pairs of which nobody can say were different, and if
        they were duplicates.
    seed : int
        Of the audit.
    removal : bool
        As in `Population`.
    not_drawn : int
        Judgements that do not count, because their pair is not in the sample.
    others : int
        Decisions that are no judgements of an audit.
    """

    bands: Hidden[tuple[BandPrecision, ...]]
    total: Hidden[BandPrecision]
    bounds: Interval | None
    seed: int
    removal: bool
    not_drawn: int
    others: int

    @property
    def precision(self) -> float | None:
        """The precision of the result, if something was judged."""
        return self.total.precision

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval that holds it in 95 of 100 audits."""
        return self.total.interval


# What may be said of a pair.
VERDICTS = ("duplicates", "distinct", UNSURE)
