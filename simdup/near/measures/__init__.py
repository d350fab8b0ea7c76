"""The measures of pairs: how much two texts have in common, exactly.

A measure is a module with a function `measure`.  It gets a table of pairs, the texts by row, and
the criteria, and returns the table with its columns; those of earlier rows are there.
`simdup.model.measures` says what the columns mean, and which values criteria accept.  One that
costs much more than comparing shingles says how many times as much: `COST`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.near.features import Feature, asked_for, load
from simdup.near.texts import Texts
from simdup.search.arrays import RowIds

MEASURES = (
    Feature("shingles", lambda criteria: True),
    Feature("edits", lambda criteria: criteria.by_edit),
    Feature("cosine", lambda criteria: criteria.cosine is not None),
    Feature("containment", lambda criteria: criteria.containment is not None),
    Feature("lossless", lambda criteria: criteria.lossless),
    Feature("facts", lambda criteria: criteria.same_facts),
)


# Measures pairs of rows.
Measure: TypeAlias = Callable[[RowIds, RowIds], MeasuredPairs]


def unmeasured(a: RowIds, b: RowIds) -> MeasuredPairs:
    """Measure nothing, for runs in which fingerprints alone decide."""
    return MeasuredPairs({"a": a, "b": b})


def forms_of(texts: Texts, rows: RowIds) -> list[str]:
    """Return the forms of texts, whether they are short or not."""
    forms: list[str] = load(__name__, "edits").forms(texts, rows.tolist())
    return forms


def cost_of(criteria: Criteria) -> int:
    """Return how many times as much as comparing shingles the measures cost."""
    return max(getattr(module, "COST", 1) for module in asked_for(__name__, MEASURES, criteria))


def measured(a: RowIds, b: RowIds, texts: Texts, criteria: Criteria) -> MeasuredPairs:
    """Return the pairs (a[k], b[k]) of rows with all measures that criteria ask for."""
    pairs = MeasuredPairs({"a": a, "b": b})
    for module in asked_for(__name__, MEASURES, criteria):
        pairs = module.measure(pairs, texts, criteria)
    return pairs.without("counts")
