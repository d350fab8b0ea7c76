"""Joining: equal runs that follow each other in both texts become one passage.

Whoever copies a paragraph changes a word here and there.  A run follows another if it begins and
ends later in both texts, and at most `gap` symbols lie between the two in either.  A run may have
several such neighbours, where a phrase comes twice: two runs are joined if each is the nearest of
the other, so passages are chains.

Where two runs overlap, as they do around a word that was left out, the second one begins where the
first ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.reuse.extension import Runs

I64 = NDArray[np.int64]

_NONE = -1
_FAR = np.int64(2**62)


class Links(NamedTuple):
    """Runs that are joined: each with the one before it."""

    before: I64  # row of the run before, or -1
    after: I64  # row of the run after, or -1
    overlaps: I64  # symbols at the beginning of a run that belong to the one before


def link(runs: Runs, pairs: I64, gap: int) -> Links:
    """Join runs.

    Parameters
    ----------
    runs : Runs
        By pair of texts, then by where they begin.
    pairs : int64[runs]
        The pair that each belongs to, rising.
    gap : int
        Most symbols between two that are joined, in either text.
    """
    count = len(runs.a)
    before, after = np.full(count, _NONE), np.full(count, _NONE)
    cost_before, cost_after = np.full(count, _FAR), np.full(count, _FAR)
    left = np.arange(count)
    for step in range(1, count):
        left = left[left + step < count]
        right = left + step
        near = pairs[left] == pairs[right]
        near &= runs.a[right] - runs.a[left] - runs.lengths[left] <= gap
        # Whoever begins later is farther away.
        left, right = left[near], right[near]
        if not len(left):
            break
        cost = _distances(runs, left, right)
        fit = cost <= gap
        i, j, cost = left[fit], right[fit], cost[fit]
        better = cost < cost_after[i]
        after[i[better]], cost_after[i[better]] = j[better], cost[better]
        better = cost < cost_before[j]
        before[j[better]], cost_before[j[better]] = i[better], cost[better]
    rows = np.arange(count)
    mutual = (before != _NONE) & (after[before] == rows)
    before = np.where(mutual, before, _NONE)
    after = np.full(count, _NONE)
    after[before[mutual]] = rows[mutual]
    overlaps = np.where(mutual, _overlaps(runs, before, rows), 0)
    return Links(before, after, overlaps)


def _overlaps(runs: Runs, i: I64, j: I64) -> I64:
    """Return how many symbols of run i the run j after it has again, in either text."""
    a = runs.a[i] + runs.lengths[i] - runs.a[j]
    b = runs.b[i] + runs.lengths[i] - runs.b[j]
    found: I64 = np.maximum(np.maximum(a, b), 0)
    return found


def _distances(runs: Runs, i: I64, j: I64) -> I64:
    """Return the most symbols between runs i and j; something huge where j does not follow i."""
    a, b = runs.a[j] - runs.a[i], runs.b[j] - runs.b[i]
    longer = runs.lengths[j] - runs.lengths[i]
    follows = (a > 0) & (b > 0) & (a + longer > 0) & (b + longer > 0)
    between = np.maximum(a, b) - runs.lengths[i] + _overlaps(runs, i, j)
    return np.where(follows, between, _FAR)


def heads(links: Links) -> I64:
    """Return the first run of the chain that each run is in."""
    roots = np.where(links.before == _NONE, np.arange(len(links.before)), links.before)
    while True:
        further = roots[roots]
        if (further == roots).all():
            return roots
        roots = further
