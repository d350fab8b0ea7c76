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
by their pairs.  Its interval has all values P that a score test does not reject: the estimate
differs from P by at most 1.96 standard errors, and the error is that of the precisions of bands
under which the judgements are most likely, if their weighted mean is P (Tebbs and Roths 2008).  Of
one band this is Wilson's interval.  Simpler intervals did not hold: with the variance that was
observed, the truth was inside in 74 of 100 audits where mistakes are rare and one band is large.

*Finite results.*  A sample of n of N pairs is worth n (N - 1) / (N - n) judgements of an endless
result: a band that is judged as a whole is known.  Where more than half of the pairs are judged,
few values are left, and an interval ends at one that a result of this size can have: of 100 pairs
of which 90 are judged, it would else hold the truth in 80 to 90 of 100 audits.

References
----------
E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
American Statistical Association 22 (1927).
J. M. Tebbs, S. A. Roths, "New large-sample confidence intervals for a linear combination of
binomial proportions", Journal of Statistical Planning and Inference 138 (2008).
E. Ohlsson, "Coordination of samples using permanent random numbers", in: Business Survey Methods
(1995).
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from simdup.model.audited import (
    VERDICTS,
    Band,
    BandPrecision,
    FoundPair,
    Judgement,
    Judgements,
    Population,
    Precision,
    Sample,
)
from simdup.near.findings import Findings

# Of the way from the threshold to 1, where bands end.
_EDGES = (0.25, 0.5, 1.0)
# How often a pair of each band is drawn, compared with the others; and of unmeasured ones.
_RATES, _UNMEASURED = (4, 3, 2, 2), 4
# Pairs that are drawn of each band at least, if it has so many: a band without any is not known.
LEAST = 5

# The quantile of the normal distribution that leaves 2.5 % on each side.
Z = 1.959963984540054
# Halvings of a range: the end is known to within 1e-9.
_HALVINGS = 30


def population_of(result: Findings) -> Population:
    """Return the redundant documents of a result, each with the one that stays instead."""
    return Population.of(
        (
            FoundPair(
                str(cluster.member(one.beside).name), str(one.name), _four_digits(one.similarity)
            )
            for cluster in result.clusters
            for one in cluster.members
            if one.role == "redundant"
        ),
        removal=True,
    )


def _four_digits(similarity: float | None) -> float | None:
    """Return a similarity as results print it."""
    return similarity and math.floor(round(similarity * 1e4, 6)) / 1e4


# -- the draw --------------------------------------------------------------------------------------


def draw(population: Population, sample: int, seed: int) -> Sample:
    """Draw a number of pairs, or all if there are fewer."""
    bands = list(_bands(population.pairs))
    waiting = [iter(sorted(some, key=_by_hash(seed))) for _, some in bands]
    sizes = [len(some) for _, some in bands]
    places = tuple(_turns(sizes, [rate for (_, _, rate), _ in bands], sample))
    drawn = Counter(places)
    return Sample(
        tuple(next(waiting[band]) for band in places),
        places,
        tuple(
            Band(low, high, len(some), drawn[i]) for i, ((low, high, _), some) in enumerate(bands)
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
        some = [pair for value, pair in measured if low <= value < high]
        if some:
            yield _Span(low, min(high, 1.0), rate), some


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
        wanted = -taken[band] if few else sizes[band] * rates[band] / (2 * taken[band] + 1)
        return few, wanted, -band

    for _ in range(min(sample, sum(sizes))):
        band = max((i for i, size in enumerate(sizes) if taken[i] < size), key=need)
        taken[band] += 1
        yield band


# -- the estimate ----------------------------------------------------------------------------------


def estimate(sample: Sample, judgements: Judgements) -> Precision:
    """Return what judgements say of the result; of two about one pair the later holds."""
    drawn = {pair.key: band for pair, band in zip(sample.pairs, sample.places, strict=True)}
    said = {_key(one): one.kind for one in judgements.each}
    counts = Counter((drawn[key], kind) for key, kind in said.items() if key in drawn)
    bands = tuple(
        _precision(band, *(counts[i, kind] for kind in VERDICTS))
        for i, band in enumerate(sample.bands)
    )
    known = [band for band in bands if band.judged]
    not_drawn = sum(key not in drawn for key in said)
    return Precision(
        bands, _total(known), _bounds(known), sample.seed, sample.removal, not_drawn,
        judgements.others,
    )  # fmt: skip


def _key(one: Judgement) -> tuple[str, str]:
    return min(one.documents), max(one.documents)


def _precision(band: Band, right: int, wrong: int, unsure: int) -> BandPrecision:
    share = right / (right + wrong) if right + wrong else None
    found = BandPrecision(*band, right, wrong, unsure, share, None)
    return found._replace(interval=_interval([found] if share is not None else []))


def _total(bands: Sequence[BandPrecision]) -> BandPrecision:
    """Return what judgements say of all bands with a judgement."""
    return BandPrecision(
        0.0,
        1.0,
        sum(band.pairs for band in bands),
        sum(band.drawn for band in bands),
        sum(band.duplicates for band in bands),
        sum(band.distinct for band in bands),
        sum(band.unsure for band in bands),
        _mean(bands, lambda band: band.duplicates / band.judged) if bands else None,
        _interval(bands),
    )


def _bounds(bands: Sequence[BandPrecision]) -> tuple[float, float] | None:
    """Return the precision if all of which nobody can say were different, and if duplicates."""
    if not bands:
        return None
    return (
        _mean(bands, lambda one: one.duplicates / (one.judged + one.unsure)),
        _mean(bands, lambda one: (one.duplicates + one.unsure) / (one.judged + one.unsure)),
    )


def _mean(bands: Sequence[BandPrecision], of: Callable[[BandPrecision], float]) -> float:
    """Return the mean of figures of bands, weighted by their pairs."""
    return sum(band.pairs * of(band) for band in bands) / sum(band.pairs for band in bands)


def _interval(bands: Sequence[BandPrecision]) -> tuple[float, float] | None:
    """Return the interval of the precision of bands, each judged; without any there is none."""
    if not bands:
        return None
    pairs = sum(band.pairs for band in bands)
    low, high = score_interval([
        Stratum(band.pairs / pairs, band.duplicates / band.judged, _worth(band)) for band in bands
    ])  # fmt: skip
    right, wrong = sum(one.duplicates for one in bands), sum(one.distinct for one in bands)
    if 2 * (right + wrong) > pairs:
        low = math.floor(round(low * pairs, 6)) / pairs
        high = math.ceil(round(high * pairs, 6)) / pairs
    # What was judged is known.
    return max(low, right / pairs), min(high, 1 - wrong / pairs)


def _worth(band: BandPrecision) -> float:
    """Return of how many judgements of an endless result those of a band are worth."""
    left = band.pairs - band.judged
    return band.judged * (band.pairs - 1) / left if left else math.inf


class Stratum(NamedTuple):
    """A part of a population of which a sample is known."""

    weight: float  # its share of the population
    share: float  # of its sample that is right
    size: float  # of the sample; infinite where all of it is known


def score_interval(strata: Sequence[Stratum]) -> tuple[float, float]:
    """Return the 95 % interval of the weighted mean of the shares of strata that are right."""
    known = sum(one.weight * one.share for one in strata if math.isinf(one.size))
    sampled = [one for one in strata if math.isfinite(one.size) and one.weight]
    found = sum(one.weight * one.share for one in sampled)
    most = sum(one.weight for one in sampled)

    def rejected(value: float) -> bool:
        likely = _most_likely(sampled, value)
        variance = sum(
            one.weight**2 * share * (1 - share) / one.size
            for one, share in zip(sampled, likely, strict=True)
        )
        return (found - value) ** 2 > Z**2 * variance

    return known + _end(0.0, found, rejected), known + _end(most, found, rejected)


def _end(outside: float, inside: float, rejected: Callable[[float], bool]) -> float:
    """Return where a range of values ends that are not rejected."""
    if not rejected(outside):
        return outside
    for _ in range(_HALVINGS):
        middle = (outside + inside) / 2
        if rejected(middle):
            outside = middle
        else:
            inside = middle
    return inside


def _most_likely(strata: Sequence[Stratum], value: float) -> list[float]:
    """Return the shares under which the samples are most likely, if their mean is `value`.

    With a Lagrange multiplier each share is the root of a quadratic equation, and falls as the
    multiplier rises.  That one is found by Newton's method and, where this leaves the range or does
    not halve the error, by halving the range, on a logarithmic scale.
    """
    low, high = -_MULTIPLIER, _MULTIPLIER
    multiplier, before = 0.0, math.inf
    shares: list[float] = []
    for _ in range(_STEPS):
        shares = [_root(one, multiplier) for one in strata]
        excess = sum(one.weight * p for one, p in zip(strata, shares, strict=True)) - value
        if abs(excess) < _CLOSE:
            break
        if excess > 0:
            low = multiplier
        else:
            high = multiplier
        fall = sum(map(_fall, strata, shares))
        multiplier += excess / fall if fall else math.inf
        if not low < multiplier < high or 2 * abs(excess) > before:
            multiplier = math.sinh((math.asinh(low) + math.asinh(high)) / 2)
        before = abs(excess)
    return shares


# The largest multiplier, with which shares come near 0 and 1; steps, of which five are usual.
_MULTIPLIER, _STEPS = 1e9, 100
_CLOSE = 1e-10


def _fall(one: Stratum, share: float) -> float:
    """Return how much a weighted share falls as the multiplier rises: the derivative."""
    if not 0 < share < 1:
        return 0.0
    right = one.share * one.size
    return one.weight**2 / (right / share**2 + (one.size - right) / (1 - share) ** 2)


def _root(one: Stratum, multiplier: float) -> float:
    """Return the share p of a stratum with right/p - wrong/(1 - p) = multiplier * weight."""
    slope = multiplier * one.weight
    total = slope + one.size
    right = one.share * one.size
    root = math.sqrt(max(total * total - 4 * slope * right, 0.0))
    share = 2 * right / (total + root) if total > 0 else (total - root) / (2 * slope)
    return min(max(share, 0.0), 1.0)
