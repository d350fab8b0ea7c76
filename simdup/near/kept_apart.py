"""How many pairs of short texts a fact keeps apart, and which kind of fact.

Texts with other values share no keys, so they are no candidates: those that differ in nothing else
are counted by what they have in common, their frame.  What a pair was measured to differ in beside
that is counted as it was measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from simdup.model.table import Table
from simdup.search.arrays import RowIds
from simdup.text.differing_facts import KINDS

# Of pairs that differ in facts of several kinds.
SEVERAL = "several"


def count_kept_apart(forms: Table, measured: Iterable[str] = ()) -> dict[str, int]:
    """Return the pairs of short texts that a fact keeps apart, by the kind of the fact.

    Parameters
    ----------
    forms : Table
        ``frame``, ``kind`` and ``facts`` of each form.
    measured : iterable of str
        The kinds in which pairs were measured to differ.

    Returns
    -------
    dict
        The most frequent kind first.
    """
    pairs = Counter(measured)
    if "frame" in forms:
        framed = np.flatnonzero(forms["frame"])
        frames, kinds, facts = (forms[name][framed] for name in ("frame", "kind", "facts"))
        _, firsts, groups, sizes = np.unique(
            frames, return_index=True, return_inverse=True, return_counts=True
        )
        valued = np.stack([groups.astype(np.uint64), facts])
        (owners, _), values = np.unique(valued, axis=1, return_counts=True)
        owners = owners.astype(np.int64)
        apart = _pairs(sizes)
        np.subtract.at(apart, owners, _pairs(values))
        for kind in np.unique(kinds[firsts]).tolist():
            if many := int(apart[kinds[firsts] == kind].sum()):
                pairs[KINDS[kind] if kind >= 0 else SEVERAL] += many
    return dict(pairs.most_common())


def _pairs(sizes: RowIds) -> RowIds:
    """Return how many pairs there are of so many things (int64[n])."""
    counts: RowIds = sizes.astype(np.int64) * (sizes - 1) // 2
    return counts
