"""The measures of pairs: how much two texts have in common, exactly.

A measure is a module with a function `measure`.  It gets a table of pairs, the texts by row, and
the criteria, and returns the table with its columns; those of earlier rows are there.
`simdup.model.measures` says what the columns mean, and which values criteria accept.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple, TypeAlias

from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.near.texts import Texts
from simdup.search.arrays import RowIds

Measure: TypeAlias = Callable[[MeasuredPairs, Texts, Criteria], MeasuredPairs]


class Row(NamedTuple):
    """A measure: the module that has it, and whether criteria ask for it."""

    module: str
    asked: Callable[[Criteria], bool]


MEASURES = (
    Row("shingles", lambda criteria: True),
    Row("edits", lambda criteria: criteria.by_edit),
    Row("cosine", lambda criteria: criteria.cosine is not None),
    Row("containment", lambda criteria: criteria.containment is not None),
    Row("lossless", lambda criteria: criteria.lossless),
    Row("facts", lambda criteria: criteria.same_facts),
)


def measured(a: RowIds, b: RowIds, texts: Texts, criteria: Criteria) -> MeasuredPairs:
    """Return the pairs (a[k], b[k]) of rows with all measures that criteria ask for."""
    pairs = MeasuredPairs({"a": a, "b": b})
    for row in MEASURES:
        if row.asked(criteria):
            measure: Measure = import_module(f"{__name__}.{row.module}").measure
            pairs = measure(pairs, texts, criteria)
    return pairs.without("counts")
