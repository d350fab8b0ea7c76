"""Measure which true pairs of a sample each setting finds, and recommend a setting.

Arrays and numbers only; `operations.tune` provides the sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.model.tuning import Setting

# The lowest similarity of pairs to look for: below, there are more and more.
LEAST = 0.3

# The step of the histogram.
STEP = 0.05

# A setting with at least this recall is good enough.
ENOUGH = 0.95

_LARGE_DISTANCES = frozenset(f"--method simhash -d {distance}" for distance in range(7, 257))

RowIds = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Truth:
    """The true pairs of a sample."""

    documents: int  # the size of the sample
    i: RowIds  # int64[pairs]: positions in the sample, i < j
    j: RowIds  # int64[pairs]
    similarity: NDArray[np.float64]  # float64[pairs]: at least `LEAST`

    def at(self, similarity: float) -> RowIds:
        """Return the pairs with at least this similarity, as i * documents + j, ascending."""
        high = self.similarity >= similarity
        return np.sort(self.i[high] * self.documents + self.j[high])


def measure(options: str, truth: Truth, true: RowIds, i: RowIds, j: RowIds) -> Setting:
    """Return the measures of a setting that proposes the pairs (i, j), i < j."""
    proposed = np.unique(i * truth.documents + j)
    hold = len(np.intersect1d(proposed, true, assume_unique=True))
    recall = hold / len(true) if len(true) else 1.0
    return Setting(options, len(proposed), hold, recall, len(proposed) / max(truth.documents, 1))


def histogram(truth: Truth) -> list[tuple[float, float, int]]:
    """Return (from, to, pairs) for each step of similarity, highest first, including 1."""
    steps = round((1 - LEAST) / STEP)
    step = np.minimum(((truth.similarity - LEAST) / STEP + 1e-9).astype(int), steps - 1)
    counts = np.bincount(step, minlength=steps).tolist()
    edges = [round(LEAST + k * STEP, 2) for k in range(steps + 1)]
    return [(edges[k], edges[k + 1], counts[k]) for k in reversed(range(steps))]


def advise_similarity(truth: Truth, usual: float = 0.8) -> float:
    """Return the similarity that separates near-duplicates from chance similarity.

    Near-duplicates form a peak at the top of the histogram, which falls off downwards.  Chance
    similarity forms a peak at the bottom, which falls off upwards.  As long as pairs become fewer
    below the usual threshold, they belong to the upper peak, and a lower threshold finds more of
    it.  If they become more at once, the two peaks overlap, and the usual threshold stays.  A gap
    ends the upper peak: a threshold within it finds nothing more.
    """
    counts = {start: pairs for start, _, pairs in histogram(truth)}
    edges = sorted((edge for edge in counts if edge <= usual), reverse=True)
    # Two steps together, because a single step with few pairs depends on chance.
    heap = [counts[edge] + counts.get(round(edge + STEP, 2), 0) for edge in edges]
    advised = usual
    for above, below, edge in zip(heap, heap[1:], edges[1:], strict=False):
        if below > above or not below:
            break
        if counts[edge]:
            advised = edge
    return advised if sum(counts[edge] for edge in counts if edge >= advised) else usual


def explain_similarity(truth: Truth, advised: float, usual: float = 0.8) -> str:
    """Return why `advise_similarity` advises this."""
    if advised < usual:
        fall = f"the number of pairs falls from {usual:g} down to {advised:g}"
        return f"{fall}, so these are near-duplicates too"
    below = truth.similarity[truth.similarity < usual]
    if not len(below):
        return f"no pair is between {LEAST:g} and {usual:g}"
    if below.max() < usual - 2 * STEP:
        following = math.floor(below.max() * 100) / 100
        return f"no pair is right below {usual:g}: the next has {following:g}"
    return f"the number of pairs rises below {usual:g}, so these may be alike by chance"


def explain_setting(best: Setting, default: Setting) -> str:
    """Return why `advise_setting` advises this; empty for the default."""
    if best.options == default.options:
        return ""
    found = f"the default finds {default.recall:.0%} of the true pairs"
    return f"{found}, {best.options} {best.recall:.0%}"


def advise_setting(settings: Sequence[Setting]) -> Setting:
    """Return the first setting with enough recall that scales, or the one with the highest recall.

    Large distances do not scale: each further bit needs more tables with shorter keys, whereas the
    bands of minhash stay the same.
    """
    good = [s for s in settings if s.recall >= ENOUGH and s.options not in _LARGE_DISTANCES]
    return good[0] if good else max(settings, key=lambda setting: setting.recall)
