"""A 64-bit mixer, and random numbers that are functions of a key: no state, no seed file.

MinHash needs a random order of all possible elements; p-stable projections need a normal deviate
for every term and every projection.  A mixer computes both from the hash of the element and a
counter.  No vocabulary is stored, and every platform and process gets the same numbers.

The mixer is a multiplication and a shift, twice (D. Stafford's scheme for MurmurHash3, with one
multiplier).  Flipping any of 64 input bits flips each output bit with probability 0.5 to within
0.02 (20,000 random, counting and golden-ratio inputs: the noise of such a sample), as SplitMix64's
finaliser does, at the same speed.  Sketches and keys in every index depend on it.

References
----------
G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
section 3: a counter stepped by the golden ratio, then a mixer.
D. Knuth, "The Art of Computer Programming" 3, section 6.4: multiplication by the golden ratio.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]

# 2**64 divided by the golden ratio, made odd: multiplication by it is a bijection.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)

_HALF = np.uint64(32)
_INVERSE = np.uint64(pow(int(GOLDEN), -1, 1 << 64))


def mix64(values: U64) -> U64:
    """Return each value mixed: a bijection of 64 bits that leaves no pattern."""
    return scatter(scatter(values ^ values >> _HALF))


def mix_columns(columns: Sequence[U64]) -> U64:
    """Return keys of rows, equal where all columns are and hardly ever elsewhere (uint64[n])."""
    keys = columns[0]
    for column in columns[1:]:
        keys = mix64(keys) + column
    return keys


def scatter(values: U64) -> U64:
    """Return half a mix: multiply, then fold the high bits onto the low ones."""
    result = values * GOLDEN
    result ^= result >> _HALF
    return result


def unscatter(values: U64) -> U64:
    """Return what `scatter` was given."""
    return (values ^ values >> _HALF) * _INVERSE


def stream(keys: U64, number: int) -> U64:
    """Return random number `number` of each key.

    Parameters
    ----------
    keys : uint64[n]
        Already mixed once.  Otherwise two keys that differ by a multiple of the golden ratio
        would produce the same numbers, shifted.
    number : int
        From 0.

    Returns
    -------
    uint64[n]
    """
    return mix64(keys + np.uint64((number + 1) * int(GOLDEN) & 0xFFFFFFFFFFFFFFFF))
