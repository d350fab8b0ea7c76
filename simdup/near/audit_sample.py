"""Draw pairs from a result for people to judge, and estimate the precision of all from these.

*Bands.*  The pairs of a result are divided by their similarity: near the threshold most of the
mistakes are made.  The least similarity of all is taken for the threshold; from there to 1, the
first quarter is one band, the second quarter another, and the upper half a third.  Pairs of
similarity 1, which are copies but for their layout, are the last one.

*The draw.*  A pair of these bands is drawn at rates of 4, 3, 2 and 2, and at least `LEAST` pairs of
each band are.  Within a band the pairs are in the order of a hash of their names and the seed, so
the same pairs are drawn from the same result in any order, on any platform; and those of a smaller
sample are drawn for a larger one too (Ohlsson 1995 calls such hashes permanent random numbers).
Which band comes next is decided as seats are given to parties by Webster's method: to the band with
the largest quotient.  Seats that are given stay given, so the beginning of a sample is a sample.

*The estimate.*  The precision of the result is the mean of the precisions of the bands, weighted
by their pairs.  Its interval is Wilson's, with the effective size of the sample: that of one band
whose mean would have the same variance (Franco, Little, Louis and Slud 2019).  The variance is that
of bands with the precisions in the centres of their own intervals, which are those with two right
and two wrong judgements more (Agresti and Coull 1998): where all that was judged of a band is
right, the variance that was observed is 0, and the truth was inside in 82 of 100 audits where
mistakes are rare and one band is large.

*Finite results.*  A sample of n of N pairs is worth n (N - 1) / (N - n) judgements of an endless
result: a band that is judged as a whole is known.  Where more than half of the pairs are judged,
few values are left, and an interval ends at one that a result of this size can have: of 100 pairs
of which 90 are judged, it would else hold the truth in 80 to 90 of 100 audits.

References
----------
E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
American Statistical Association 22 (1927).
C. Franco, R. J. A. Little, T. A. Louis, E. V. Slud, "Comparative study of confidence intervals for
proportions in complex sample surveys", Journal of Survey Statistics and Methodology 7 (2019).
A. Agresti, B. A. Coull, "Approximate is better than 'exact' for interval estimation of binomial
proportions", The American Statistician 52 (1998).
E. Ohlsson, "Coordination of samples using permanent random numbers", in: Business Survey Methods
(1995).
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from simdup.corpus.decision_files import Judgements
from simdup.corpus.found_pairs import FoundPair, Population
from simdup.model.decisions import VERDICTS
from simdup.model.formats import Figure, Hidden, Interval, rounded
from simdup.near.findings import Findings

# Of the way from the threshold to 1, where bands end.
_EDGES = (0.25, 0.5, 1.0)
# How often a pair of each band is drawn, compared with the others; and of unmeasured ones.
_RATES, _UNMEASURED = (4, 3, 2, 2), 4
# Pairs that are drawn of each band at least, if it has so many: a band without any is not known.
LEAST = 5

# The quantile of the normal distribution that leaves 2.5 % on each side.
Z = 1.959963984540054


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


def population_of(result: Findings) -> Population:
    """Return the redundant documents of a result, each with the one that stays instead."""
    pairs = (
        FoundPair(str(one.kept), str(one.name), rounded(one.similarity))
        for cluster in result.clusters
        for one in cluster.members
        if one.role == "redundant"
    )
    return Population.of(pairs, removal=True)


# -- the draw --------------------------------------------------------------------------------------


def draw(population: Population, sample: int, seed: int) -> Sample:
    """Draw a number of pairs, or all if there are fewer."""
    bands = list(_bands(population.pairs))
    waiting = [iter(sorted(within, key=_by_hash(seed))) for _, within in bands]
    sizes = [len(within) for _, within in bands]
    places = tuple(_turns(sizes, [rate for (_, _, rate), _ in bands], sample))
    drawn = Counter(places)
    return Sample(
        tuple(next(waiting[band]) for band in places),
        places,
        tuple(
            Band(low, high, size, drawn[i])
            for i, (((low, high, _), _), size) in enumerate(zip(bands, sizes, strict=True))
        ),
        seed,
        population.removal,
    )


class _Span(NamedTuple):
    """Where a band is, and how often its pairs are drawn."""

    low: float | None
    high: float | None
    rate: int


def _bands(pairs: Sequence[FoundPair]) -> Iterator[tuple[_Span, list[FoundPair]]]:
    """Yield the bands that have pairs, those without a similarity first."""
    unmeasured = [pair for pair in pairs if pair.similarity is None]
    if unmeasured:
        yield _Span(None, None, _UNMEASURED), unmeasured
    measured = [(pair.similarity, pair) for pair in pairs if pair.similarity is not None]
    below = [similarity for similarity, _ in measured if similarity < 1]
    least = math.floor(round(100 * min(below, default=1), 6)) / 100
    ends = [round(least + share * (1 - least), 4) for share in _EDGES]
    # All that is 1 is in the last band, even if nothing else is there.
    highest = [*ends, math.inf]
    for low, high, rate in zip([least, *ends], highest, _RATES, strict=True):
        within = [pair for value, pair in measured if low <= value < high]
        if within:
            yield _Span(low, min(high, 1.0), rate), within


def _by_hash(seed: int) -> Callable[[FoundPair], tuple[bytes, tuple[str, str]]]:
    """Return the order in which the pairs of a band are drawn."""

    def order(pair: FoundPair) -> tuple[bytes, tuple[str, str]]:
        named = "\0".join([str(seed), *pair.key]).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(named, digest_size=16).digest(), pair.key

    return order


def _turns(sizes: Sequence[int], rates: Sequence[int], sample: int) -> Iterator[int]:
    """Yield the band of each pair that is drawn."""
    taken = [0] * len(sizes)

    def need(band: int) -> tuple[bool, float, int]:
        few = taken[band] < LEAST
        quotient = -taken[band] if few else sizes[band] * rates[band] / (2 * taken[band] + 1)
        return few, quotient, -band

    for _ in range(min(sample, sum(sizes))):
        band = max((i for i, size in enumerate(sizes) if taken[i] < size), key=need)
        taken[band] += 1
        yield band


# -- the estimate ----------------------------------------------------------------------------------


def estimate(sample: Sample, judgements: Judgements) -> Precision:
    """Return what judgements say of the result; of two about one pair the later holds."""
    drawn = {pair.key: band for pair, band in zip(sample.pairs, sample.places, strict=True)}
    verdicts = {(min(names), max(names)): kind for kind, names, _, _ in judgements.each}
    counts = Counter((drawn[key], kind) for key, kind in verdicts.items() if key in drawn)
    bands = tuple(
        _precision(band, *(counts[i, kind] for kind in VERDICTS))
        for i, band in enumerate(sample.bands)
    )
    judged = [band for band in bands if band.judged]
    # What the precision is if all of which nobody can say were different, and if duplicates.
    bounds = None
    if judged:
        low = _mean(judged, lambda band: band.duplicates / (band.judged + band.unsure))
        high = _mean(
            judged, lambda band: (band.duplicates + band.unsure) / (band.judged + band.unsure)
        )
        bounds = low, high
    not_drawn = sum(key not in drawn for key in verdicts)
    about = sample.seed, sample.removal, not_drawn, judgements.others
    return Precision(bands, _total(judged), bounds, *about)


def _precision(band: Band, right: int, wrong: int, unsure: int) -> BandPrecision:
    share = right / (right + wrong) if right + wrong else None
    alone = BandPrecision(*band, right, wrong, unsure, share, None)
    return alone._replace(interval=_interval([alone] if share is not None else []))


def _total(bands: Sequence[BandPrecision]) -> BandPrecision:
    """Return what judgements say of all bands with a judgement."""
    mean = _mean(bands, lambda band: band.duplicates / band.judged) if bands else None
    pairs, drawn, *judged = (sum(map(itemgetter(column), bands)) for column in range(2, 7))
    right, wrong, unsure = judged
    return BandPrecision(0.0, 1.0, pairs, drawn, right, wrong, unsure, mean, _interval(bands))


def _mean(bands: Sequence[BandPrecision], of: Callable[[BandPrecision], float]) -> float:
    """Return the mean of figures of bands, weighted by their pairs."""
    return sum(band.pairs * of(band) for band in bands) / sum(band.pairs for band in bands)


def _interval(bands: Sequence[BandPrecision]) -> tuple[float, float] | None:
    """Return the interval of the precision of bands, each judged; without any there is none."""
    if not bands:
        return None
    pairs = sum(band.pairs for band in bands)
    low, high = interval_of([
        Stratum(band.pairs / pairs, band.duplicates / band.judged, _worth(band)) for band in bands
    ])  # fmt: skip
    right, wrong = sum(band.duplicates for band in bands), sum(band.distinct for band in bands)
    if 2 * (right + wrong) > pairs:
        low = math.floor(round(low * pairs, 6)) / pairs
        high = math.ceil(round(high * pairs, 6)) / pairs
    # What was judged is known.
    return max(low, right / pairs), min(high, 1 - wrong / pairs)


def _worth(band: BandPrecision) -> float:
    """Return of how many judgements of an endless result those of a band are worth."""
    unjudged = band.pairs - band.judged
    return band.judged * (band.pairs - 1) / unjudged if unjudged else math.inf


class Stratum(NamedTuple):
    """A part of a population of which a sample is known."""

    weight: float  # its share of the population
    share: float  # of its sample that is right
    size: float  # of the sample; infinite where all of it is known


def interval_of(strata: Sequence[Stratum]) -> tuple[float, float]:
    """Return the 95 % interval of the weighted mean of the shares of strata that are right."""
    certain = sum(stratum.weight * stratum.share for stratum in strata if math.isinf(stratum.size))
    sampled = [stratum for stratum in strata if math.isfinite(stratum.size)]
    if not sampled:
        return certain, certain
    weight = sum(stratum.weight for stratum in sampled)
    share = sum(stratum.weight * stratum.share for stratum in sampled) / weight
    mean = variance = 0.0
    for stratum in sampled:
        centre = _centre(stratum.share, stratum.size)
        mean += stratum.weight / weight * centre
        variance += (stratum.weight / weight) ** 2 * centre * (1 - centre) / stratum.size
    low, high = _wilson(share, mean * (1 - mean) / variance)
    return certain + weight * low, certain + weight * high


def _wilson(share: float, size: float) -> tuple[float, float]:
    """Return Wilson's interval of a share of a sample."""
    return _low_end(share, size), 1 - _low_end(1 - share, size)


def _low_end(share: float, size: float) -> float:
    """Return where Wilson's interval begins: the product of its ends is known, and 0 for none."""
    more = 1 + Z * Z / size
    half = Z * math.sqrt(share * (1 - share) / size + (Z / (2 * size)) ** 2) / more
    return share * share / more / (_centre(share, size) + half)


def _centre(share: float, size: float) -> float:
    """Return the centre of Wilson's interval."""
    return (share + Z * Z / (2 * size)) / (1 + Z * Z / size)
