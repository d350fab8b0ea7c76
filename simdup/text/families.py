"""Locality-sensitive families: how likely their hashes collide, and how to band them.

A *family* of hash functions is locality-sensitive if near documents get the same hash more often
than distant ones.  Each family has its own distance:

| family    | a document is              | distance                              | p(distance)  |
|-----------|----------------------------|---------------------------------------|--------------|
| simhash   | a vector of term weights   | angle / pi                            | 1 - distance |
| minhash   | a set of hashes            | 1 - Jaccard similarity                | 1 - distance |
| pstable   | a vector of term weights   | Euclidean                             | Datar et al. |

*Collision probability.*  p(r) is the probability that a random function of the family gives two
documents at distance r the same hash.  It decreases with r.

*Sensitivity.*  A family is (r1, r2, p1, p2)-sensitive if documents within r1 collide with
probability at least p1, and those farther apart than r2 with at most p2 (Indyk and Motwani 1998).
As p decreases, any r1 < r2 give p1 = p(r1) and p2 = p(r2).  How well the family separates the two
is rho = ln(1 / p1) / ln(1 / p2): the smaller, the better.

*Signature.*  `size` hashes of a document, by as many independent functions.

*Bands.*  A signature is cut into L bands of k hashes, and documents that agree in all k hashes of
any band become candidates.  All k hashes of a band agree with probability p^k, which rejects
distant documents.  With L bands, 1 - (1 - p^k)^L of the pairs become candidates, which keeps near
documents.  The resulting curve is nearly 1 below some distance and falls steeply to nearly 0.

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
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError, invalid
from simdup.base.mix64 import mix64
from simdup.text import pstable
from simdup.text.bbit import agreeing


class Family(NamedTuple):
    """A family: its name, and p, the probability of equal hashes at a distance."""

    name: str
    collision: Callable[[float], float]


class Banding(NamedTuple):
    """How a signature is cut: `bands` (L) of `rows` (k) hashes each."""

    rows: int
    bands: int

    @property
    def size(self) -> int:
        """The total number of hashes."""
        return self.rows * self.bands


def proposed(family: Family, distance: float, banding: Banding) -> float:
    """Return the probability that documents at a distance become candidates.

    1 - (1 - p^k)^L, with k rows and L bands.
    """
    agree = family.collision(distance) ** banding.rows
    return 1.0 if agree >= 1 else -math.expm1(banding.bands * math.log1p(-agree))


def choose(family: Family, at: float, recall: float, budget: int) -> Banding:
    """Choose rows and bands for a wanted recall.

    Of all bandings that propose documents at the distance `at` with probability `recall` or more,
    those with the most rows propose the fewest distant pairs; of these, the one with the fewest
    bands is chosen.

    Parameters
    ----------
    at : float
        The largest distance, in the family's measure, at which documents should be found.
    recall : float
        The lowest probability of finding them, above 0 and below 1.
    budget : int
        The most hashes a signature may have.

    Raises
    ------
    SimdupError
        If no banding within the budget reaches the recall.

    Examples
    --------
    >>> choose(MINHASH, 1 - 0.8, recall=0.9, budget=128)
    Banding(rows=8, bands=13)
    """
    if not 0 < recall < 1:
        raise invalid("recall", recall, "a share above 0 and below 1")
    p = family.collision(at)
    for rows in range(budget, 0, -1):
        agree = p**rows
        if agree >= 1:
            return Banding(rows, 1)
        if agree > 0:
            # Not rounded before the comparison: of a tiny share it is infinite.
            bands = math.log1p(-recall) / math.log1p(-agree)
            if rows * math.ceil(min(bands, budget + 1)) <= budget:
                return Banding(rows, math.ceil(bands))
    raise _unreachable(family.name, at, recall, budget)


def _unreachable(family: str, at: float, recall: float, budget: int) -> SimdupError:
    return SimdupError(
        "recall",
        f"{budget} {family} hashes cannot reach {recall:g} at a distance of {at:g}",
        "lower `recall` or raise `similarity`",
        field="recall",
    )


def bands(signatures: NDArray[np.uint32], banding: Banding) -> NDArray[np.uint64]:
    """Return one key for each band of each signature; keys are equal if all hashes are equal.

    Parameters
    ----------
    signatures : uint32[documents, size]
        At least as many hashes as the bands need; the first ones are used.
    banding : Banding
        Rows and bands.

    Returns
    -------
    uint64[documents, bands]
        Different bands get equal keys with probability 2**-64.
    """
    parts = signatures[:, : banding.size].reshape(len(signatures), banding.bands, banding.rows)
    keys = np.zeros((len(signatures), banding.bands), np.uint64)
    for row in range(banding.rows):
        keys = mix64(keys + parts[:, :, row] + np.uint64(row + 1))
    return keys


MINHASH = Family("minhash", lambda distance: 1 - distance)
# One byte of each hash, as sketches keep it.
BBIT = Family("b-bit minhash", lambda distance: agreeing(1 - distance))


def pstable_family(width: float) -> Family:
    """Return the p-stable family with cells of this width."""
    return Family("pstable", partial(pstable.collision, width=width))


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
        raise _unreachable("pstable", at, recall, budget)
    _, width, banding = min(found)
    return -width, banding
