"""Removing without loss: the kept text has nearly all shingles of the other, and all its facts."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from simdup.model.criteria import LOSSLESS, Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.table import Side
from simdup.near.short import by_edit
from simdup.near.texts import Texts, shares
from simdup.search.arrays import Bools, RowIds
from simdup.text.facts import Said, facts_of, lost_facts

# Texts whose facts are remembered: some 10 MB of pages.
_REMEMBERED = 1 << 10


def measure(pairs: MeasuredPairs, texts: Texts, criteria: Criteria) -> MeasuredPairs:
    """Add ``covered``, and to ``contained`` that nothing is lost."""
    a, b = pairs["a"], pairs["b"]
    short = by_edit(Side(texts.documents, a), Side(texts.documents, b))
    counts = pairs["counts"].copy()
    counts[short] = texts.shared(a[short], b[short])
    covered = shares(counts)

    def without_loss(removed: RowIds, kept: RowIds) -> Bools:
        each = zip(removed.tolist(), kept.tolist(), strict=True)
        return np.array([not lost(texts, *pair) for pair in each], np.bool_)

    one, other = (covered >= LOSSLESS).T
    if "contained" in pairs:
        one, other = one & (pairs["contained"] & 1 > 0), other & (pairs["contained"] & 2 > 0)
    one[one] = without_loss(a[one], b[one])
    other[other] = without_loss(b[other], a[other])
    return pairs.and_columns(covered=covered, contained=(one + 2 * other).astype(np.int8))


def lost(texts: Texts, removed: int, kept: int) -> list[str]:
    """Return the facts of a text that another one lacks."""

    def read(row: int) -> Said:
        return facts_of(texts.text(row).folded)

    facts = texts.memory.setdefault("facts", lru_cache(_REMEMBERED)(read))
    return lost_facts(facts(removed), facts(kept))
