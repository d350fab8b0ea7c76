"""Random numbers that are functions of a key and a number: no state, no order, no seed file.

MinHash needs a random order of all possible elements, p-stable projections a normal deviate for
every term and every projection.  A generator that counts gives them out of the element's own
hash, so nobody keeps a vocabulary, and every platform and process sees the same numbers.

References
----------
G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
section 3: a counter stepped by the golden ratio and a finaliser of two multiplications.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

U64 = NDArray[np.uint64]

_GOLDEN = 0x9E3779B97F4A7C15


def mix64(values: U64) -> U64:
    """Return the finaliser of SplitMix64 of each value: a bijection that leaves no pattern."""
    result = values >> np.uint64(30)
    result ^= values
    result *= np.uint64(0xBF58476D1CE4E5B9)
    shifted = result >> np.uint64(27)
    result ^= shifted
    result *= np.uint64(0x94D049BB133111EB)
    np.right_shift(result, np.uint64(31), out=shifted)
    result ^= shifted
    return result


def stream(keys: U64, number: int) -> U64:
    """Return random number `number` of each key.

    Parameters
    ----------
    keys : uint64[n]
        Already mixed once by `mix64`: keys that differ by a multiple of the golden ratio, as
        hashes of similar texts may, would repeat each other's numbers.
    number : int
        From 0.

    Returns
    -------
    uint64[n]
    """
    return mix64(keys + np.uint64((number + 1) * _GOLDEN & 0xFFFFFFFFFFFFFFFF))
