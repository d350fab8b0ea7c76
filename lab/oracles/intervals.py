"""Intervals of shares by definition: Wilson's formula, exact probabilities, a grid of values."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import optimize, stats

Z = float(stats.norm.ppf(0.975))


def wilson(right: int, size: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share, in his closed form."""
    share = right / size
    centre = (share + Z**2 / (2 * size)) / (1 + Z**2 / size)
    half = Z / (1 + Z**2 / size) * math.sqrt(share * (1 - share) / size + Z**2 / (4 * size**2))
    return max(centre - half, 0.0), min(centre + half, 1.0)


def clopper_pearson(right: int, size: int) -> tuple[float, float]:
    """Return the exact 95 % interval of a share: both tails have at most 2.5 %."""
    low = stats.beta.ppf(0.025, right, size - right + 1) if right else 0.0
    high = stats.beta.ppf(0.975, right + 1, size - right) if right < size else 1.0
    return float(low), float(high)


def most_likely(
    right: Sequence[float], sizes: Sequence[float], weights: Sequence[float], value: float
) -> list[float]:
    """Return the shares that a general optimiser finds most likely, if their mean is `value`."""
    counts, totals, shares = np.array(right), np.array(sizes), np.array(weights)

    def unlikely(p: np.ndarray) -> float:
        p = np.clip(p, 1e-12, 1 - 1e-12)
        return -float((counts * np.log(p) + (totals - counts) * np.log(1 - p)).sum())

    found = optimize.minimize(
        unlikely,
        np.full(len(totals), value),
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(totals),
        constraints={"type": "eq", "fun": lambda p: float(shares @ p) - value},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return [float(one) for one in found.x]
