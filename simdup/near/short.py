"""Which pairs have a short text: edits measure these.

Two columns say so: ``letters``, the characters of a document's form (`simdup.text.short_texts`), 0
where the form is not known; and ``facts``, a hash of its facts.  Known are all forms of short
texts, with fewer than `SHORT` characters, and all others that may be similar to one.  Without the
columns edits measure no pair.
"""

from __future__ import annotations

import numpy as np

from simdup.model.criteria import SHORT
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
    """Return which of the pairs (a[k], b[k]) edits measure."""
    if "letters" not in a or "letters" not in b:
        return np.zeros(len(a.rows), np.bool_)
    one, other = a["letters"], b["letters"]
    either: Bools = ((one > 0) & (one < SHORT)) | ((other > 0) & (other < SHORT))
    return either


def same_keys(a: Side, b: Side) -> Bools:
    """Return which pairs, measured by edits, have the same key of facts.

    What is too long to be similar anyway has none.
    """
    same: Bools = (a["facts"] == b["facts"]) | (a["letters"] == 0) | (b["letters"] == 0)
    return same


def _letters(documents: Documents) -> RowIds:
    if "letters" in documents:
        return documents["letters"]
    return np.zeros(len(documents), np.int64)
