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

*The b-bit sketch* is 128 bytes that represent the shingles of a text once the text is gone.  Each
of 128 hash functions keeps its minimum over a set of shingles.  Two sets have the same minimum with
probability J, their Jaccard similarity (Broder 1997): it is the minimum over the union, and each
member of the union is equally likely to give it.  Only the lowest byte of each minimum is kept; two
different values agree in it by chance once in 256.  So bytes agree with probability

    P = C + (1 - C) J,    C = 1 / 256

(theorem 1 of Li and Koenig for sets that are small compared with all hash values), and the share p
of the 128 bytes that do agree gives the estimate

    J' = (p - C) / (1 - C)

without bias.  Its standard error is sqrt(P (1 - P) / 128) / (1 - C): 0.0354 if J is 0.8, 0.0266 if
J is 0.9, 0.0444 at worst.  Keeping only a byte hardly increases it: whole values have errors of
0.0354, 0.0265 and 0.0442.

References
----------
A. Broder, "On the resemblance and containment of documents", SEQUENCES 1997.
P. Indyk, R. Motwani, "Approximate nearest neighbors", STOC 1998, section 4.
P. Li, A. C. Koenig, "b-bit minwise hashing", WWW 2010, theorem 1 and section 3.
J. Leskovec, A. Rajaraman, J. Ullman, "Mining of massive datasets", sections 3.4 to 3.6.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError, invalid
from simdup.base.mix64 import mix64

# Bytes of a b-bit sketch.
SKETCH_BYTES = 128


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
    raise unreachable(family.name, at, recall, budget)


def unreachable(family: str, at: float, recall: float, budget: int) -> SimdupError:
    """Return the error for a recall that no banding within the budget reaches."""
    return SimdupError(
        "recall",
        f"{budget} {family} hashes cannot reach {recall:g} at a distance of {at:g}",
        "lower the recall, or look for nearer documents",
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


_CHANCE = 1 / 256
# Shingles hashed at a time. For 2,000 shingles, 128 take 433 us, 256 285, 512 227, 1024 216 (half
# a megabyte, more than the second cache of some processors), 4096 234.
_SHINGLES_AT_ONCE = 512


def bbit_sketch(shingles: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the sketch of a set of shingles.

    Parameters
    ----------
    shingles : uint64[n]
        Hashes of the shingles, at least one.

    Returns
    -------
    uint8[128]
    """
    # 0 would be the minimum of every function.
    values = np.maximum(mix64(shingles).astype(np.uint32), 1)
    least = np.full(SKETCH_BYTES, np.iinfo(np.uint32).max, np.uint32)
    for first in range(0, len(values), _SHINGLES_AT_ONCE):
        hashed = values[None, first : first + _SHINGLES_AT_ONCE] * _factors()
        np.minimum(least, hashed.min(axis=1), out=least)
    return least.astype(np.uint8)


def bbit_estimate(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Estimate the Jaccard similarity of sketched sets.

    Parameters
    ----------
    a, b : uint8[..., 128]
        Sketches to compare element by element.

    Returns
    -------
    float64[...]
        0 to 1; 1 if the sketches are equal.
    """
    equal = count_true(a == b) / SKETCH_BYTES
    share: NDArray[np.float64] = np.clip((equal - _CHANCE) / (1 - _CHANCE), 0.0, 1.0)
    return share


def count_true(equal: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Count the true ones among each 128: bool[..., 128] to uint64[...]."""
    # Eight are added at a time: none of the sums exceeds a byte. For `estimate`, a pair takes 66 ns
    # this way, 30 of them to fetch the sketches, and 112 ns with `count_nonzero`.
    eights = equal.view(np.uint64).sum(axis=-1, keepdims=True)
    counts: NDArray[np.uint64] = eights * np.uint64(0x0101010101010101) >> np.uint64(56)
    return counts[..., 0]


def agreeing(similarity: float) -> float:
    """Return the probability P that a byte of two sketches agrees at a given similarity.

    >>> round(agreeing(0.8), 4)
    0.8008
    """
    return _CHANCE + (1 - _CHANCE) * similarity


def fewest_agreeing(similarity: float, size: int, loss: float) -> int:
    """Return how many of `size` bytes two sketches must share.

    Sets with the similarity share fewer with a probability of at most `loss`.

    >>> fewest_agreeing(0.8, 96, 0.001)
    64
    """
    return fewest_equal(agreeing(similarity), size, loss)


@cache
def fewest_equal(p: float, size: int, loss: float) -> int:
    """Return the number that a binomial count, `size` trials of probability `p`, falls below with
    a probability of at most `loss`.

    >>> fewest_equal(0.5, 128, 0.001)
    47
    """
    below = 0.0
    for number in range(size + 1):
        chance = math.comb(size, number) * p**number * (1 - p) ** (size - number)
        if below + chance > loss:
            return number
        below += chance
    return size


@cache
def _factors() -> NDArray[np.uint32]:
    """Return 128 odd numbers: the hash functions x -> a x modulo 2**32 of mixed values x.

    Part of the format of an index: other numbers would give other sketches.
    """
    numbers = np.arange(1, SKETCH_BYTES + 1, dtype=np.uint64)
    odd = mix64(numbers * np.uint64(0xD1B54A32D192ED03)) | np.uint64(1)
    return odd.astype(np.uint32)[:, None]


MINHASH = Family("minhash", lambda distance: 1 - distance)
# One byte of each hash, as sketches keep it.
BBIT = Family("b-bit minhash", lambda distance: agreeing(1 - distance))
