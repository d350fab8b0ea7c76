"""Texts with few terms are pairs only if they are short, or identical.

A fingerprint of so few words says little.  Without terms they are pairs only if identical.
"""

from __future__ import annotations

import numpy as np

from simdup.model.criteria import FEW_TERMS
from simdup.model.table import Side
from simdup.near.short import by_edit
from simdup.search.arrays import Bools


def allows(a: Side, b: Side) -> Bools:
    """Return which pairs have enough terms."""
    fewer = np.minimum(a["terms"], b["terms"])
    enough: Bools = fewer >= FEW_TERMS
    if "content_number" not in a:
        # In an index they are fingerprints, of whose texts nothing is known.
        enough |= fewer == 0
    few = np.flatnonzero(~enough)
    if len(few):
        a, b = a.take(few), b.take(few)
        enough[few] = (by_edit(a, b) & (fewer[few] > 0)) | _identical(a, b)
    return enough


def _identical(a: Side, b: Side) -> Bools:
    """Return which pairs have the same text."""
    same = np.zeros(len(a.rows), np.bool_)
    if "content_number" in a:
        same = a["content_number"] == b["content_number"]
    elif "compact_key" in a and "compact_key" in b:
        same = a["compact_key"] == b["compact_key"]
    return same
