"""P-stable projections: documents whose TF-IDF vectors fall into the same cells are candidates.

Projections are signatures that keep the Euclidean distance of two weighted documents.
Draw a vector a of independent normal deviates.  Normal deviates are 2-stable: for any vector v, the
projection a.v is again normal, and its standard deviation is the length of v.  So the projections
of u and v differ by a normal deviate times |u - v|.  Cut the line into cells of width w at a random
offset b.  Then

    h(v) = floor((a.v + b) / w)

is the cell of v.  The nearer two vectors are, the likelier they are in the same cell.  No
vocabulary is needed: the deviate of a term in a projection comes from a table of 2**16 equally
likely deviates; the position is 16 bits of a random number that is a function of the term's hash.
Cells are the same everywhere: deviates are multiples of 2**-16 and weights are multiples of 2**-20,
so products are multiples of 2**-36, and sums below 2**17 are exact in any order.

References
----------
M. Datar, N. Immorlica, P. Indyk, V. Mirrokni, "Locality-sensitive hashing scheme based on p-stable
distributions", SCG 2004, section 3.
"""

from __future__ import annotations

import math
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.base.mix64 import mix64, stream
from simdup.model.criteria import LEAST_SIMILARITY, Criteria
from simdup.model.settings import Settings
from simdup.near.candidates import EqualKeys, Search
from simdup.near.collection import Collection
from simdup.near.counting import Maker
from simdup.text.bands import LOSS, RECALL, Signatures
from simdup.text.counts import iter_chunks
from simdup.text.families import (
    Banding,
    Family,
    bands,
    choose,
    fewest_equal,
    proposed,
    unreachable,
)
from simdup.text.weights import UNIT, Weighting

# The most cells of a p-stable signature.  With 128, 256 and 512 cells, unrelated documents share a
# key with a probability of 0.075, 0.030 and 0.009 on paper (cosine 0.9, recall 0.99).  Projecting
# 1,500 laws took 0.35 s with 128.
BUDGET = 512

_DEVIATE_UNIT = 2.0**-16

# Deviates drawn at a time, for as many vector entries as that gives: 64 MB.
_DRAWN = 1 << 23

# The key of the random offsets, which belong to no term.
_OFFSETS = np.zeros(1, np.uint64)


def makers(criteria: Criteria) -> list[Maker]:
    """Return nothing: vectors are made of the counts, which every scan has."""
    return []


def search(corpus: Collection, weighting: Weighting, settings: Settings) -> Search:
    """Return what proposes documents that share a cell."""
    return EqualKeys("pstable", pstable_signatures(weighting, settings.criteria))


def notes(criteria: Criteria) -> list[tuple[str, str]]:
    """Return the note that pairs are promised by their cosine only."""
    if criteria.cosine is not None or not criteria.similarity:
        return []
    least = pstable_cosine(criteria)
    missed = "similar texts whose rare words differ are below and may be missed"
    return [("`method`", f"pstable finds pairs with a cosine of {least:.3g} or more; {missed}")]


def pstable_cosine(criteria: Criteria) -> float:
    """Return the cosine from which on p-stable projections find pairs.

    If none is set, it is that of two sets of equal size at the wanted similarity s, 2 s / (1 + s).
    The cosine of a pair with this similarity may be lower: rare words weigh more.
    """
    similarity = max(criteria.similarity, LEAST_SIMILARITY)
    return criteria.cosine or 2 * similarity / (1 + similarity)


def pstable_signatures(weighting: Weighting, criteria: Criteria) -> Signatures:
    """Return the band keys and sketches of the documents' TF-IDF vectors.

    Vectors of length 1 with cosine c have the distance sqrt(2 - 2 c).  A sketch is the cells of
    a vector: of unrelated documents that share a key, hardly any share enough cells.
    """
    _, width, banding = _pstable(criteria)
    counts = weighting.counts
    keys = [np.zeros((0, banding.bands), np.uint64)]
    sketches = [np.zeros((0, banding.size), np.uint8)]
    for starts, columns, weights in weighting.rows():
        scaled = unit_vectors(starts, weights)
        cells = pstable_cells(starts, counts.ids[columns], scaled, banding.size, width)
        keys.append(bands(cells, banding))
        sketches.append(cells.astype(np.uint8))
    fewest = pstable_fewest(criteria)
    return Signatures(np.concatenate(keys), np.concatenate(sketches), fewest, counts.row_of)


def pstable_fewest(criteria: Criteria) -> int:
    """Return how many bytes of two sketches must be equal."""
    distance, width, banding = _pstable(criteria)
    return fewest_equal(pstable_collision(distance, width), banding.size, LOSS)


def _pstable(criteria: Criteria) -> tuple[float, float, Banding]:
    """Return the distance up to which pairs are to be found, the width of cells, and the bands."""
    distance = math.sqrt(2 - 2 * pstable_cosine(criteria))
    return distance, *choose_pstable(distance, RECALL, BUDGET)


def pstable_collision(distance: float, width: float) -> float:
    """Return the probability that two vectors at a distance are in the same cell.

    With the distance c, the cell width w and t = w / c,

        p(c) = 1 - 2 Phi(-t) - 2 / (sqrt(2 pi) t) (1 - exp(-t^2 / 2)).
    """
    if distance <= 0:
        return 1.0
    t = width / distance
    outside = math.erfc(t / math.sqrt(2))  # 2 Phi(-t)
    return 1 - outside + math.sqrt(2 / math.pi) / t * math.expm1(-t * t / 2)


def unit_vectors(starts: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale vectors to length 1: their Euclidean distance is then sqrt(2 - 2 cosine).

    Parameters
    ----------
    starts : int64[documents + 1]
        Where each vector begins in `weights`, and the end.
    weights : float64[entries]
        Not negative.

    Returns
    -------
    float64[entries]
        Vectors of zeros are unchanged.
    """
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    # Summed by ascending weight, because the order of terms depends on what was counted before.
    rising = weights[np.lexsort((weights, rows))]
    lengths = np.sqrt(np.bincount(rows, rising * rising, minlength=len(starts) - 1))
    scaled: NDArray[np.float64] = weights / np.where(lengths > 0, lengths, 1.0)[rows]
    return scaled


def pstable_cells(
    starts: NDArray[np.int64],
    hashes: NDArray[np.uint64],
    weights: NDArray[np.float64],
    size: int,
    width: float,
) -> NDArray[np.uint32]:
    """Return the cells of sparse vectors in `size` projections.

    Parameters
    ----------
    starts : int64[documents + 1]
        Where each vector begins in `hashes` and `weights`, and the end.
    hashes : uint64[entries]
        Term hashes, each once per document.
    weights : float64[entries]
        Weights of these terms, rounded to multiples of 2**-20.
    size : int
        Projections.
    width : float
        The width of a cell, in the unit of the weights.

    Returns
    -------
    uint32[documents, size]
        Cell numbers; negative ones modulo 2**32.
    """
    from scipy.sparse import csr_matrix

    result = np.empty((len(starts) - 1, size), np.uint32)
    shift = offsets(size, width)
    for first, last in iter_chunks(starts, max(_DRAWN // size, 1)):
        begin, end = int(starts[first]), int(starts[last])
        terms, columns = np.unique(hashes[begin:end], return_inverse=True)
        values = np.rint(weights[begin:end] / UNIT) * UNIT
        vectors = csr_matrix(
            (values, columns, starts[first : last + 1] - begin), (last - first, len(terms))
        )
        cells = np.floor((vectors @ deviates(terms, size) + shift) / width)
        result[first:last] = cells.astype(np.int64).astype(np.uint32)
    return result


def deviates(hashes: NDArray[np.uint64], size: int) -> NDArray[np.float64]:
    """Return the normal deviates of terms: float64[terms, size], a row for each hash."""
    keys = mix64(hashes)
    numbers = np.empty((len(keys), -(-size // 4)), np.uint64)
    for number in range(numbers.shape[1]):
        numbers[:, number] = stream(keys, number)
    # Each random number gives four deviates, the low bits first.
    places = numbers.astype("<u8", copy=False).view("<u2")[:, :size]
    drawn: NDArray[np.float64] = _deviates()[places]
    return drawn


def offsets(size: int, width: float) -> NDArray[np.float64]:
    """Return the offsets b of the projections: float64[size], from 0 to below `width`."""
    numbers = [int(stream(_OFFSETS, number)[0]) >> 32 for number in range(size)]
    return np.array(numbers, np.float64) * 2.0**-32 * width


@cache
def _deviates() -> NDArray[np.float64]:
    """Return the midpoints of 2**16 equally likely parts of the normal distribution, ascending.

    The first half is computed, and the second mirrors it.  Rounding to multiples of 2**-16 removes
    the last bits, in which the logarithms of platforms differ.
    """
    from statistics import NormalDist  # takes 7 ms to import, and only this method needs it

    quantile = NormalDist().inv_cdf
    half = np.array([quantile((place + 0.5) / 65536) for place in range(32768)])
    half = np.rint(half / _DEVIATE_UNIT) * _DEVIATE_UNIT
    return np.concatenate([half, -half[::-1]])


def pstable_family(width: float) -> Family:
    """Return the p-stable family with cells of this width."""
    return Family("pstable", partial(pstable_collision, width=width))


# Documents without a common term are orthogonal; at length 1 their distance is sqrt(2).
UNRELATED = math.sqrt(2)


@cache
def choose_pstable(at: float, recall: float, budget: int) -> tuple[float, Banding]:
    """Choose the width of cells, rows and bands for vectors of length 1.

    Narrow cells separate near documents; wide cells contain everything.  Of the widths that reach
    the recall, the best one proposes the fewest unrelated documents.

    Parameters
    ----------
    at, recall, budget
        As in `choose`.
    """
    found: list[tuple[float, float, Banding]] = []
    # From cells as wide as the distance up to cells so wide that rows can hardly compensate, in
    # steps of a tenth: finer steps matter less than the rounding of rows.
    for step in range(1, 31):
        width = at * 1.1**step if at > 0 else UNRELATED
        family = pstable_family(width)
        try:
            banding = choose(family, at, recall, budget)
        except SimdupError:
            continue
        found.append((proposed(family, UNRELATED, banding), -width, banding))
    if not found:
        raise unreachable("pstable", at, recall, budget)
    _, width, banding = min(found)
    return -width, banding
