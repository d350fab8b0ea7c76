"""Containment: the share of one text that occurs in the other, so of an excerpt in its source.

It is the share of the shingles of a text that the other one has; of pairs with a short text, that
of shorter runs that fit.

References
----------
A. Broder, "On the resemblance and containment of documents", SEQUENCES 1997, section 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from simdup.kernels.sets import distinct
from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.table import Side
from simdup.near.measures.edits import forms
from simdup.near.short import by_edit
from simdup.near.texts import Texts, count_shared, shares
from simdup.search.arrays import RowIds
from simdup.text.shingles import Shingles
from simdup.text.short_texts import form_sets
from simdup.text.short_texts import run_lengths as lengths_of_runs

# More than the letters of the longest run.
_RUNS = 16


def measure(pairs: MeasuredPairs, texts: Texts, criteria: Criteria) -> MeasuredPairs:
    """Add ``containment``, ``covered`` and ``contained``."""
    a, b, least = pairs["a"], pairs["b"], criteria.containment or 0
    short = by_edit(Side(texts.documents, a), Side(texts.documents, b))
    counts = pairs["counts"].copy()
    counts[short] = (_shared_runs if criteria.by_runs else Texts.shared)(texts, a[short], b[short])
    covered = shares(counts)
    one, other = (covered >= least).T
    contained = (one + 2 * other).astype(np.int8)
    return pairs.and_columns(containment=covered.max(axis=1), covered=covered, contained=contained)


def run_lengths(texts: Texts, a: RowIds, b: RowIds) -> RowIds:
    """Return the letters of the runs of pairs (a[k], b[k]) (int64[pairs])."""
    sizes = map(len, forms(texts, [*a.tolist(), *b.tolist()]))
    return lengths_of_runs(np.fromiter(sizes, np.int64, 2 * len(a)).reshape(2, -1).max(axis=0))


def _shared_runs(texts: Texts, a: RowIds, b: RowIds) -> RowIds:
    """Return the runs that short texts share, those of `a` and those of `b` (int64[pairs, 3])."""
    lengths = run_lengths(texts, a, b)
    one, other = (side * _RUNS + lengths for side in (a, b))
    sizes = texts.sizes[a] + texts.sizes[b]
    return count_shared(texts.cache("runs", partial(_runs, texts)), one, other, sizes)


def _runs(texts: Texts, keys: Sequence[int]) -> list[Shingles]:
    """Return the distinct runs of forms.

    Keys are ``_RUNS`` times the row of a text, plus the letters of a run.
    """
    rows, lengths = np.divmod(np.array(keys, np.int64), _RUNS)
    letters = forms(texts, rows.tolist())
    runs = [np.zeros(0, np.uint64)] * len(keys)
    for length in np.unique(lengths).tolist():
        places = np.flatnonzero(lengths == length).tolist()
        starts, hashes = distinct(*form_sets([letters[place] for place in places], length))
        for place, (first, last) in zip(places, pairwise(starts.tolist()), strict=True):
            runs[place] = hashes[first:last].copy()
    return runs
