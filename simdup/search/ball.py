"""What a search looks for: fingerprints within a Hamming distance of each other."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from simdup.errors import invalid

MAX_BITS = 256


@dataclass(frozen=True, slots=True)
class HammingBall:
    """All fingerprints within a Hamming distance of one fingerprint.

    Attributes
    ----------
    bits : int
        Bits of a fingerprint, 1 to 256.
    distance : int
        The radius, 0 to `bits`.
    """

    bits: int
    distance: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", check_bits(self.bits))
        object.__setattr__(self, "distance", _check("distance", self.distance, 0, self.bits))

    @property
    def volume(self) -> int:
        """The number of fingerprints in the ball: 43,745 for 64 bits and distance 3."""
        return sum(math.comb(self.bits, flipped) for flipped in range(self.distance + 1))


def check_bits(bits: Any) -> int:
    """Return `bits` if a fingerprint can have as many, else raise `SimdupError`."""
    return _check("bits", bits, 1, MAX_BITS)


def _check(field: str, value: Any, least: int, most: int) -> int:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        raise invalid(field, value, f"a whole number from {least} to {most}")
    return int(value)
