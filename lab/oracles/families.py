"""Signatures and their candidates, in plain Python: one number at a time."""

import math
from itertools import combinations
from statistics import NormalDist

import numpy as np

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(x: int) -> int:
    """Two multiplications by the golden ratio, each after folding the high half onto the low."""
    for _ in range(2):
        x = (x ^ x >> 32) * GOLDEN & MASK
    return x ^ x >> 32


def stream(key: int, number: int) -> int:
    """The random number of that position in the stream of a key."""
    return mix((key + (number + 1) * GOLDEN) & MASK)


def polynomial(run: list[int]) -> int:
    """The hash of a run of numbers."""
    value = len(run) + run[0]
    for item in run[1:]:
        value = value * GOLDEN + item
    return value & MASK


def minhash(elements: list[int], size: int, rounds: int) -> list[int]:
    """In each bin the least element by (round in which it gets there, hash)."""
    result = []
    for place in range(size):
        order = []
        for element in elements:
            key = mix(element)
            hashes = [key] + [stream(key, number) for number in range(1, rounds)]
            reached = [(t, x) for t, x in enumerate(hashes) if (x >> 32) * size >> 32 == place]
            last = (rounds, stream(key, rounds + place))
            order.append(min([*reached, last]))
        result.append(min(order)[1] & 0xFFFFFFFF if order else 0xFFFFFFFF)
    return result


def pstable(vector: dict[int, float], size: int, width: float) -> list[int]:
    """The cell of a vector on each of its random lines."""
    cells = []
    for number in range(size):
        total = 0.0
        for term, weight in vector.items():
            drawn = stream(mix(term), number // 4) >> 16 * (number % 4) & 0xFFFF
            deviate = round(NormalDist().inv_cdf((drawn + 0.5) / 65536) * 65536) / 65536
            total += deviate * round(weight * 2**20) / 2**20
        offset = (stream(0, number) >> 32) / 2**32 * width
        cells.append(math.floor((total + offset) / width) & 0xFFFFFFFF)
    return cells


def sharing_a_key(keys: np.ndarray) -> set[tuple[int, int]]:
    """All pairs of rows that share a band."""
    pairs = combinations(range(len(keys)), 2)
    return {(i, j) for i, j in pairs if (keys[i] == keys[j]).any()}
