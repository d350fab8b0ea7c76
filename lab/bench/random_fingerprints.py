"""Random fingerprints, some of them near another, like those of unrelated texts."""

from __future__ import annotations

import numpy as np


def planted(n: int, seed: int = 1) -> np.ndarray:
    """Return n random fingerprints, one in ten of them within distance 3 of another."""
    random = np.random.default_rng(seed)
    f = random.integers(0, 1 << 64, n, dtype=np.uint64)
    many = n // 10
    to = random.permutation(n)[:many]
    f[to] = flipped(f[random.integers(0, n, many)], random.integers(0, 4, many), random)
    return f


def flipped(f: np.ndarray, times: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return the fingerprints with up to `times` bits of each flipped."""
    for turn in range(int(times.max(initial=0))):
        bit = np.uint64(1) << random.integers(0, 64, len(f)).astype(np.uint64)
        f = np.where(times > turn, f ^ bit, f)
    return f


def asked(f: np.ndarray, many: int) -> np.ndarray:
    """Return queries: half of them near a fingerprint, half random."""
    random = np.random.default_rng(5)
    near = flipped(f[random.integers(0, len(f), many)], random.integers(0, 4, many), random)
    near[many // 2 :] = random.integers(0, 1 << 64, many - many // 2, dtype=np.uint64)
    return near
