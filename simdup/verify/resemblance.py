"""Resemblance and containment: exact measures of how much two texts have in common.

A text is represented by the set of its shingles (`simdup.features.shingles`).  Resemblance is the
Jaccard similarity of two sets: the share of their union that both have.  Containment is the share
of the smaller set that occurs in the larger one, so an excerpt is contained in a source of any
length.  Both ignore the meaning of words, so they work for every script, and moving paragraphs
changes them little.

References
----------
A. Broder, "On the resemblance and containment of documents", SEQUENCES 1997, section 2.
"""

from __future__ import annotations

import numpy as np

from simdup.features.shingles import Shingles


def common(a: Shingles, b: Shingles) -> int:
    """Return how many values two sets share."""
    both = np.concatenate((a, b))
    # The sets have no repetitions, so values that occur twice are in both.  A stable sort finds
    # two ascending runs and merges them: 2 x 2,000 values take 8 us; 2,000 binary searches take 27
    # us, and the default sort 28 to 90.
    both.sort(kind="stable")
    return int(np.count_nonzero(both[1:] == both[:-1]))


def resemblance(a: Shingles, b: Shingles) -> float:
    """Return the Jaccard similarity of two sets of shingles, 0 to 1; 0 for empty sets."""
    return share_of_union(common(a, b), len(a), len(b))


def containment(a: Shingles, b: Shingles) -> float:
    """Return the share of the smaller set that occurs in the larger; 0 for empty sets."""
    return share_of_smaller(common(a, b), len(a), len(b))


def share_of_union(shared: int, a: int, b: int) -> float:
    """Return the resemblance of two sets of these sizes with `shared` common values."""
    return shared / max(a + b - shared, 1)


def share_of_smaller(shared: int, a: int, b: int) -> float:
    """Return the containment of two sets of these sizes with `shared` common values."""
    return shared / max(min(a, b), 1)
