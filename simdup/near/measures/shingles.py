"""Resemblance: the Jaccard similarity of the sets of shingles of two texts.

It is the share of the shingles of either text that both have.  It ignores the meaning of words, so
it works for every script, and moving paragraphs changes it little.  It does not recognise
templates: two pages made from one share most of their characters, whatever they say.

References
----------
A. Broder, "On the resemblance and containment of documents", SEQUENCES 1997, section 2.
"""

from __future__ import annotations

import numpy as np

from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.table import Side
from simdup.near.short import by_edit
from simdup.near.texts import Texts


def measure(pairs: MeasuredPairs, texts: Texts, criteria: Criteria) -> MeasuredPairs:
    """Add ``counts`` and ``similarity``; both are 0 for pairs that edits measure."""
    a, b = pairs["a"], pairs["b"]
    counts = np.zeros((len(pairs), 3), np.int64)
    asked = ~by_edit(Side(texts.documents, a), Side(texts.documents, b))
    counts[asked] = texts.shared(a[asked], b[asked])
    shared, first, second = counts.T
    similarity = shared / np.maximum(first + second - shared, 1)
    similarity = texts.below_equal(a, b, similarity)
    return pairs.and_columns(counts=counts, similarity=similarity)
