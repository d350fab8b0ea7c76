"""Tune: what each setting finds of the true pairs of a sample, and which to take.

Arrays and numbers only; `operations.tune` brings the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.model.tuning import Setting

# Pairs less alike than this are not looked for: the less alike, the more of them there are.
LEAST = 0.3

# The histogram's step.
STEP = 0.05

# A setting is good enough from this recall on.
ENOUGH = 0.95

_LARGE_DISTANCES = frozenset(f"--method simhash -d {distance}" for distance in range(7, 257))

RowIds = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Truth:
    """The true pairs of a sample."""

    documents: int  # of the sample
    i: RowIds  # int64[pairs]: places in the sample, i < j
    j: RowIds  # int64[pairs]
    similarity: NDArray[np.float64]  # float64[pairs]: their resemblance, `LEAST` or more

    def at(self, similarity: float) -> RowIds:
        """Return the pairs at a similarity, as i * documents + j, rising."""
        high = self.similarity >= similarity
        return np.sort(self.i[high] * self.documents + self.j[high])


def measure(options: str, truth: Truth, true: RowIds, i: RowIds, j: RowIds) -> Setting:
    """Return what a setting finds that proposes the pairs (i, j), i < j."""
    proposed = np.unique(i * truth.documents + j)
    hold = len(np.intersect1d(proposed, true, assume_unique=True))
    recall = hold / len(true) if len(true) else 1.0
    return Setting(options, len(proposed), hold, recall, len(proposed) / max(truth.documents, 1))


def histogram(truth: Truth) -> list[tuple[float, float, int]]:
    """Return (from, to, pairs) of the steps of similarity, the highest first; 1 in the first."""
    steps = round((1 - LEAST) / STEP)
    step = np.minimum(((truth.similarity - LEAST) / STEP + 1e-9).astype(int), steps - 1)
    counts = np.bincount(step, minlength=steps).tolist()
    edges = [round(LEAST + k * STEP, 2) for k in range(steps + 1)]
    return [(edges[k], edges[k + 1], counts[k]) for k in reversed(range(steps))]


def advise_similarity(truth: Truth, usual: float = 0.8) -> float:
    """Return the similarity that parts the near-duplicates from what is alike by chance.

    Near-duplicates lie in a heap at the top of the histogram, which thins out downwards; chance
    likeness is a heap at the bottom, which thins out upwards.  So from the usual threshold down,
    as long as pairs get fewer, the heap is still the upper one, and lower thresholds find more of
    it.  Where they get more at once, the two heaps overlap, and the usual threshold stays.
    """
    counts = {start: pairs for start, _, pairs in histogram(truth)}
    edges = sorted((edge for edge in counts if edge <= usual), reverse=True)
    # Of two steps together, for a single one of a few pairs is a matter of chance.
    heap = [counts[edge] + counts.get(round(edge + STEP, 2), 0) for edge in edges]
    advised = usual
    for above, below, edge in zip(heap, heap[1:], edges[1:], strict=False):
        if below > above:
            break
        advised = edge
    return advised if sum(counts[edge] for edge in counts if edge >= advised) else usual


def advise_setting(settings: Sequence[Setting]) -> Setting:
    """Return the first setting with enough recall that scales, or the one with the most recall.

    Large distances do not: each further bit wants more tables with shorter keys, while minhash's
    bands stay as they are.
    """
    good = [s for s in settings if s.recall >= ENOUGH and s.options not in _LARGE_DISTANCES]
    return good[0] if good else max(settings, key=lambda setting: setting.recall)
