"""Decide from the similarities of true pairs which settings suit a corpus.

Arrays and numbers only; `operations.tune` provides the pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simdup.model.measures import MeasuredPairs
from simdup.model.tuning import FEW_PAIRS, Reason, Setting

# The lowest similarity of pairs to look for: below, there are more and more.
LEAST = 0.3

# The step of the histogram.
STEP = 0.05

# A setting with at least this recall is good enough.
ENOUGH = 0.95

# With fewer true pairs, a sample does not tell: the standard error of a recall of 0.95 is 0.022.
ENOUGH_PAIRS = 100

# Texts of fewer characters, in the middle of all, are brief: one edit changes 5 of their 5-grams.
BRIEF = 200
# Two steps of the histogram are a gap if they have at most this share of the pairs above.
GAP = 0.02
# More of all pairs are not near-duplicates.
_RELATED = 0.1
# Shorter shingles must separate so many times more pairs from the others.
_MORE = 1.1
# One length is better than another from so many times the pairs on.
_CLEARLY = 1.02

_LARGE_DISTANCES = frozenset(range(7, 257))


@dataclass(frozen=True, slots=True)
class Truth:
    """The true pairs of a sample, or of the whole corpus."""

    pairs: MeasuredPairs  # with a similarity of at least `least`
    documents: int  # among which they were looked for
    least: float = LEAST

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.pairs)

    @property
    def similarity(self) -> NDArray[np.float64]:
        """The similarity of each pair."""
        return self.pairs["similarity"]

    def at(self, similarity: float) -> Truth:
        """Return the pairs with at least this similarity."""
        return replace(self, pairs=self.pairs.take(self.similarity >= similarity))


def histogram(truth: Truth) -> list[tuple[float, float, int]]:
    """Return (from, to, pairs) for each step of similarity, highest first, including 1."""
    steps = round((1 - LEAST) / STEP)
    step = np.minimum(((truth.similarity - LEAST) / STEP + 1e-9).astype(int), steps - 1)
    counts = np.bincount(step, minlength=steps).tolist()
    edges = [round(LEAST + k * STEP, 2) for k in range(steps + 1)]
    return [(edges[k], edges[k + 1], counts[k]) for k in reversed(range(steps))]


def looks_edited(truth: Truth, usual: float = 0.8) -> bool:
    """Return whether half of the pairs, or more, are below the usual similarity."""
    return len(truth) >= FEW_PAIRS and 2 * len(truth.at(usual)) <= len(truth)


def find_gap(truth: Truth, usual: float = 0.8) -> float | None:
    """Return the similarity in the lowest gap of the histogram, up to the usual one, if any.

    A gap is two steps with next to no pairs, below many.  Pairs that are alike by chance, or by a
    template, become more and more towards low similarities without one.  If any two documents are
    alike, all pairs are above a gap that means nothing.
    """
    all_pairs = truth.documents * (truth.documents - 1) / 2
    rising = histogram(truth)[::-1]
    counts = [pairs for _, _, pairs in rising]
    for k, (start, middle, _) in enumerate(rising[:-1]):
        above = sum(counts[k + 2 :])
        seen = start >= truth.least and middle <= usual
        some = ENOUGH_PAIRS / 2 <= above <= _RELATED * all_pairs
        if seen and some and counts[k] + counts[k + 1] <= GAP * above:
            return middle
    return None


def choose_shingle(found: dict[int, tuple[float, int]], usual: int) -> int | None:
    """Return the length of shingles that separates most pairs from the others.

    `found` has, for each length with a gap, the similarity in it and the pairs above; `usual` is
    the number of pairs without.  Among equals the longest is chosen, and none without a gain.
    """
    chosen, least = None, max(_MORE * usual, 1)
    for length in sorted(found, reverse=True):
        pairs = found[length][1]
        if pairs >= least:
            chosen, least = length, _CLEARLY * pairs
    return chosen


def advise_similarity(truth: Truth, usual: float = 0.8) -> float:
    """Return the similarity that separates near-duplicates from chance similarity.

    Near-duplicates form a peak at the top of the histogram, which falls off downwards.  Chance
    similarity forms a peak at the bottom, which falls off upwards.  As long as pairs become fewer
    below the usual threshold, they belong to the upper peak, and a lower threshold finds more of
    it.  If they become more at once, the two peaks overlap, and the usual threshold stays.  The
    bottom of the valley belongs to both, so the threshold is a step above.  A gap ends the upper
    peak: a threshold within it finds nothing more.
    """
    counts = {start: pairs for start, _, pairs in histogram(truth) if start >= truth.least}
    edges = sorted((edge for edge in counts if edge <= usual), reverse=True)
    # Two steps together, because a single step with few pairs depends on chance.
    heap = [counts[edge] + counts.get(round(edge + STEP, 2), 0) for edge in edges]
    advised = usual
    for above, below, edge in zip(heap, heap[1:], edges[1:], strict=False):
        if below > above:
            advised = min(round(advised + STEP, 2), usual)
        if below > above or not below:
            break
        if counts[edge]:
            advised = edge
    else:
        # A valley or a gap may begin where pairs are no longer known.
        advised = max(advised, min(round(truth.least + STEP, 2), usual))
    return advised if sum(counts[edge] for edge in counts if edge >= advised) else usual


def explain_similarity(truth: Truth, advised: float, usual: float = 0.8) -> Reason:
    """Return why `advise_similarity` advises this."""
    if advised < usual:
        return Reason.of("falls", usual=usual, advised=advised)
    if truth.least >= usual:
        return Reason.of("unknown", usual=usual)
    below = truth.similarity[truth.similarity < usual]
    if not len(below):
        return Reason.of("none_between", least=truth.least, usual=usual)
    if below.max() < usual - 2 * STEP:
        following = math.floor(below.max() * 100) / 100
        return Reason.of("none_below", usual=usual, following=following)
    return Reason.of("rises", usual=usual)


def explain_setting(best: Setting, default: Setting) -> list[Reason]:
    """Return what `advise_setting` finds more than the default; empty for nothing."""
    if best.recall <= default.recall:
        return []
    shares = {"default": default.recall, "best": best.recall}
    return [Reason.of("better", options=best.options, **shares)]


def advise_setting(settings: Sequence[Setting]) -> Setting:
    """Return the first setting with enough recall that scales, or the one with the highest recall.

    Large distances do not scale: each further bit needs more tables with shorter keys, whereas the
    bands of minhash stay the same.
    """
    good = [s for s in settings if s.recall >= ENOUGH and s.distance not in _LARGE_DISTANCES]
    return good[0] if good else max(settings, key=lambda setting: setting.recall)
