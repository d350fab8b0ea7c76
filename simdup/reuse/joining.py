"""Joining: equal runs that follow each other in both texts become one passage.

Whoever copies a paragraph changes a word here and there.  A run follows another if it begins and
ends later in both texts, and at most `gap` symbols lie between the two in either.  A run may have
several such neighbours, where a phrase comes twice: two runs are joined if each is the nearest of
the other, so passages are chains.

Where two runs overlap, as they do around a word that was left out, the second one begins where the
first ends; more than `gap` they do not overlap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.reuse.extension import Runs
from simdup.search.arrays import iter_ranges

I64 = NDArray[np.int64]

_NONE = -1
_FAR = np.int64(2**62)

# Pairs of runs that are looked at a time.
_CHUNK = 1 << 20


class Links(NamedTuple):
    """Runs that are joined: each with the one before it."""

    before: I64  # row of the run before, or -1
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
    rows = np.arange(count)
    # The run after and the run before, with their distance in front: the least are the nearest.
    none = np.int64((gap + 1) * count)
    after, before = np.full(count, none), np.full(count, none)
    firsts, ends = _near(runs, pairs, gap)
    for i, offsets in iter_ranges(np.maximum(ends - firsts, 0), _CHUNK):
        j = firsts[i] + offsets
        distances = _distances(runs, i, j)
        fit = distances <= gap
        i, j, distances = i[fit], j[fit], distances[fit] * count
        np.minimum.at(after, i, distances + j)
        np.minimum.at(before, j, distances + i)
    after, before = (np.where(side < none, side % max(count, 1), _NONE) for side in (after, before))
    before = np.where(after[before] == rows, before, _NONE)
    overlaps = np.where(before == _NONE, 0, _overlaps(runs, before, rows))
    return Links(before, overlaps)


def promising(runs: Runs, pairs: I64, gap: int, least: int) -> NDArray[np.bool_]:
    """Return which runs may be of a chain with so many equal symbols.

    Runs farther than a gap from all others in a are of no chain with these: of the 3 million runs
    of 1,500 laws six tenths end here, in a tenth of a second; joining them all takes 0.6 s more.
    """
    if not len(pairs):
        return np.zeros(0, np.bool_)
    ends = runs.a + runs.lengths
    far = (np.cumsum(np.diff(pairs, prepend=-1) != 0)) * (int(ends.max()) + gap + 1)
    reach = np.maximum.accumulate(ends + far)
    firsts = np.append(0, np.flatnonzero((runs.a + far)[1:] - reach[:-1] > gap) + 1)
    sums = np.add.reduceat(runs.lengths, firsts)
    return np.repeat(sums >= least, np.diff(np.append(firsts, len(pairs))))


def _near(runs: Runs, pairs: I64, gap: int) -> tuple[I64, I64]:
    """Return for each run the rows of its pair that begin in a where it ends, give or take a gap.

    What begins long before it ends is not its continuation, but a repetition within it.
    """
    ends = runs.a + runs.lengths
    # In one order: pairs far apart from each other.
    far = (np.cumsum(np.diff(pairs, prepend=-1) != 0)) * (int(ends.max(initial=0)) + 2 * gap + 1)
    firsts = np.searchsorted(runs.a + far, ends + far - gap)
    return firsts, np.searchsorted(runs.a + far, ends + far + gap, "right")


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
