"""Which pairs of documents are measured by edit similarity: those with a short text.

Two columns say so: ``letters``, the characters of a document's form
(`simdup.features.short_texts`), 0 where the form is not known; and ``numbers``, a hash of its
numbers as `compared_numbers` returns it.  Known are all forms of short texts, with fewer than
`SHORT` characters, and all others that may be similar to one; see `longest_form`.  Without the
columns no pair is measured by edit similarity.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from simdup.features.short_texts import Forms
from simdup.model.criteria import SHORT, Criteria
from simdup.model.table import Documents, Side
from simdup.search.arrays import Bools, RowIds


def formed(documents: Documents) -> Bools:
    """Return which documents may be similar to a short one (bool[documents])."""
    return _letters(documents) > 0


def short(documents: Documents) -> Bools:
    """Return which documents are short (bool[documents])."""
    letters = _letters(documents)
    return (letters > 0) & (letters < SHORT)


def by_edit(a: Side, b: Side) -> Bools:
    """Return which of the pairs (a[k], b[k]) are measured by edit similarity."""
    if "letters" not in a or "letters" not in b:
        return np.zeros(len(a.rows), np.bool_)
    one, other = a["letters"], b["letters"]
    either: Bools = ((one > 0) & (one < SHORT)) | ((other > 0) & (other < SHORT))
    return either


def same_numbers(a: Side, b: Side) -> Bools:
    """Return which pairs, measured by edit similarity, have no different numbers.

    What is too long to be similar anyway has none.
    """
    same: Bools = (a["numbers"] == b["numbers"]) | (a["letters"] == 0) | (b["letters"] == 0)
    return same


def may_reach(a: Side, b: Side) -> Bools:
    """Return which of the pairs that are measured by it may be similar enough.

    Other numbers forbid it, and so does a text that is too long to have its form here.
    """
    possible: Bools = (a["numbers"] == b["numbers"]) & (a["letters"] > 0) & (b["letters"] > 0)
    return possible


def longest_form(criteria: Criteria) -> int:
    """Return the characters of the longest form that can be similar enough to a short one."""
    if not criteria.edits_decide:
        return SHORT - 1
    return int(min(SHORT / criteria.similarity + 1e-9, sys.maxsize))


def compared_numbers(forms: Forms, criteria: Criteria) -> NDArray[np.uint64]:
    """Return a hash of each form's numbers (uint64[forms]); all 0 if they do not matter."""
    if criteria.numbers and criteria.edits_decide:
        return forms.number_hashes
    return np.zeros(len(forms.texts), np.uint64)


def _letters(documents: Documents) -> RowIds:
    if "letters" in documents:
        return documents["letters"]
    return np.zeros(len(documents), np.int64)
