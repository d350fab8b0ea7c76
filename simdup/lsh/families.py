"""The locality-sensitive families, behind one small interface.

A *family* of hash functions is locality-sensitive if near documents get the same hash more often
than far ones.  What "near" means is the family's own:

| family    | a document is              | distance                              | p(distance)  |
|-----------|----------------------------|---------------------------------------|--------------|
| `SIMHASH` | a vector of term weights   | angle / pi                            | 1 - distance |
| `MINHASH` | a set of hashes            | 1 - Jaccard coefficient               | 1 - distance |
| `pstable` | a vector of term weights   | Euclidean                             | Datar et al. |

*Collision probability.*  p(r) is the chance that a function drawn at random from the family gives
two documents at distance r the same hash.  It falls with r.

*Sensitivity.*  A family is (r1, r2, p1, p2)-sensitive if documents within r1 collide with
probability at least p1, and those farther apart than r2 with at most p2 (Indyk and Motwani 1998).
As p falls, any r1 < r2 give p1 = p(r1) and p2 = p(r2).  How well the family tells the two apart is
rho = ln(1 / p1) / ln(1 / p2): the smaller, the better.

*Signature.*  `size` hashes of a document, by as many independent functions.

*Bands.*  A signature is cut into L bands of k hashes, and documents that agree in all k hashes of
any band become candidates.  k hashes in a row agree with probability p^k, which sharpens; L trials
let 1 - (1 - p^k)^L through, which saves the near ones.  The result is a curve that is nearly 1
below some distance and falls steeply to nearly 0.

References
----------
P. Indyk, R. Motwani, "Approximate nearest neighbors", STOC 1998, section 4.
M. Datar, N. Immorlica, P. Indyk, V. Mirrokni, "Locality-sensitive hashing scheme based on p-stable
distributions", SCG 2004.
J. Leskovec, A. Rajaraman, J. Ullman, "Mining of massive datasets", sections 3.4 to 3.6.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError
from simdup.features.weights import UNIT
from simdup.lsh import minhash, pstable
from simdup.mix64 import mix64, stream

Starts = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Family:
    """A locality-sensitive family.

    Attributes
    ----------
    name : str
        What it is called.
    distance : str
        What its distance is.
    collision : callable
        p: from a distance to the probability that one hash of two documents is the same.
    signatures : callable
        From a block of documents ``(starts, hashes, weights)`` and a `size` to uint32[documents,
        size].  Document i has the features ``hashes[starts[i]:starts[i + 1]]`` (uint64) with the
        `weights` (float64) beside them, which a family of sets does not look at.  A place holds
        the same hash for two documents with probability p(their distance).
    """

    name: str
    distance: str
    collision: Callable[[float], float]
    signatures: Callable[[Starts, Hashes, Weights, int], NDArray[np.uint32]]


class Sensitivity(NamedTuple):
    """That a family is (r1, r2, p1, p2)-sensitive."""

    r1: float
    r2: float
    p1: float
    p2: float

    @property
    def rho(self) -> float:
        """ln(1 / p1) / ln(1 / p2)."""
        return math.log(self.p1) / math.log(self.p2)


class Banding(NamedTuple):
    """How a signature is cut: `bands` (L) of `rows` (k) hashes each."""

    rows: int
    bands: int

    @property
    def size(self) -> int:
        """Hashes in all."""
        return self.rows * self.bands


def sensitivity(
    family: Family, r1: float, r2: float, banding: Banding | None = None
) -> Sensitivity:
    """Return the probabilities at two distances, of one hash or of a banded signature."""
    if banding is None:
        return Sensitivity(r1, r2, family.collision(r1), family.collision(r2))
    return Sensitivity(r1, r2, proposed(family, r1, banding), proposed(family, r2, banding))


def proposed(family: Family, distance: float, banding: Banding) -> float:
    """Return the probability that documents at a distance become candidates: the curve.

    1 - (1 - p^k)^L, with k rows and L bands.
    """
    agree = family.collision(distance) ** banding.rows
    return 1.0 if agree >= 1 else -math.expm1(banding.bands * math.log1p(-agree))


def choose(family: Family, at: float, recall: float, budget: int) -> Banding:
    """Choose rows and bands for a wanted recall.

    Of all bandings that propose documents at the distance `at` with probability `recall` or more,
    those with the most rows propose the fewest far ones, and of these the one with the fewest
    bands is enough.

    Parameters
    ----------
    family : Family
        Which.
    at : float
        The largest distance, in the family's measure, of documents that should be found.
    recall : float
        The least probability to find them, above 0 and below 1.
    budget : int
        The most hashes a signature may have.

    Raises
    ------
    SimdupError
        If so few hashes cannot do it.

    Examples
    --------
    >>> choose(MINHASH, 1 - 0.8, recall=0.9, budget=128)
    Banding(rows=8, bands=13)
    """
    if not 0 < recall < 1:
        raise SimdupError("--recall", f"{recall:g} is not between 0 and 1, ends left out")
    p = family.collision(at)
    for rows in range(budget, 0, -1):
        agree = p**rows
        if agree >= 1:
            return Banding(rows, 1)
        if agree > 0:
            bands = math.ceil(math.log1p(-recall) / math.log1p(-agree))
            if rows * bands <= budget:
                return Banding(rows, bands)
    raise SimdupError(
        "--recall",
        f"{budget} {family.name} hashes cannot reach {recall:g} at a distance of {at:g}",
        "ask for a smaller recall or a higher similarity",
    )


def bands(signatures: NDArray[np.uint32], banding: Banding) -> NDArray[np.uint64]:
    """Return one key for each band of each signature: equal where all its hashes are equal.

    Parameters
    ----------
    signatures : uint32[documents, size]
        At least as many hashes as the bands need; the first ones are used.
    banding : Banding
        Rows and bands.

    Returns
    -------
    uint64[documents, bands]
        Different bands get equal keys with probability 2^-64.
    """
    parts = signatures[:, : banding.size].reshape(len(signatures), banding.bands, banding.rows)
    keys = np.zeros((len(signatures), banding.bands), np.uint64)
    for row in range(banding.rows):
        keys = mix64(keys + parts[:, :, row] + np.uint64(row + 1))
    return keys


def _simhash_signatures(
    starts: Starts, hashes: Hashes, weights: Weights, size: int
) -> NDArray[np.uint32]:
    """Return the bits of simhashes as 0 and 1, the most significant first.

    The first 64 are those of the term hashes, as in `simhash.simhash_rows` with ties ``one``.
    """
    votes = np.rint(weights / UNIT).astype(np.int64)
    keys = mix64(hashes)
    result = np.empty((len(starts) - 1, size), np.uint32)
    for word in range(-(-size // 64)):
        bits = hashes if word == 0 else stream(keys, word)
        for bit in range(word * 64, min(size, word * 64 + 64)):
            one = (bits >> np.uint64(63 - bit % 64)) & np.uint64(1) == 1
            total = np.concatenate([[0], np.cumsum(np.where(one, votes, -votes))])
            result[:, bit] = total[starts[1:]] >= total[starts[:-1]]
    return result


def _minhash_signatures(
    starts: Starts, hashes: Hashes, weights: Weights, size: int
) -> NDArray[np.uint32]:
    return minhash.signatures(starts, hashes, size)


def _pstable_signatures(
    starts: Starts, hashes: Hashes, weights: Weights, size: int, width: float
) -> NDArray[np.uint32]:
    return pstable.signatures(starts, hashes, weights, size, width)


SIMHASH = Family("simhash", "angle / pi", lambda distance: 1 - distance, _simhash_signatures)

MINHASH = Family("minhash", "1 - Jaccard", lambda distance: 1 - distance, _minhash_signatures)


def pstable_family(width: float) -> Family:
    """Return the p-stable family with cells of a width."""
    return Family(
        "pstable",
        "Euclidean",
        partial(pstable.collision, width=width),
        partial(_pstable_signatures, width=width),
    )


# Two documents that share no term are orthogonal; at length 1 that is a distance of sqrt(2).
UNRELATED = math.sqrt(2)


def choose_pstable(
    at: float, recall: float, budget: int, far: float = UNRELATED
) -> tuple[Family, Banding]:
    """Choose the width of cells, rows and bands for vectors of length 1.

    Narrow cells part the near ones, wide ones hold everything.  Of the widths that reach the
    recall the best proposes the fewest documents at the distance `far`.

    Parameters
    ----------
    at, recall, budget
        As in `choose`.
    far : float
        The distance of documents that should not be proposed.
    """
    found: list[tuple[float, float, Family, Banding]] = []
    # From where a cell is as wide as the distance to where rows can hardly make up for the width,
    # in steps of a tenth: finer ones change the outcome by less than the rounding of rows does.
    for step in range(1, 31):
        family = pstable_family(at * 1.1**step if at > 0 else far)
        try:
            banding = choose(family, at, recall, budget)
        except SimdupError:
            continue
        found.append((proposed(family, far, banding), -step, family, banding))
    if not found:
        raise SimdupError(
            "--recall",
            f"{budget} pstable hashes cannot reach {recall:g} at a distance of {at:g}",
            "ask for a smaller recall or a higher similarity",
        )
    _, _, family, banding = min(found, key=lambda one: one[:2])
    return family, banding
