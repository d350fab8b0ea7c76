"""The order of keeping: which of several near documents is kept, a row each."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import counted
from simdup.base.system import without_dot
from simdup.corpus.patterns import matches
from simdup.model.criteria import Criteria
from simdup.model.table import Documents
from simdup.search.arrays import I64

# The column that decides, and whether its largest or smallest value comes first.  Without a row it
# is the order of input.
ORDERS = {
    "longest": ("length", -1),
    "shortest": ("length", 1),
    "newest": ("modified", -1),
    "oldest": ("modified", 1),
    "max": ("value", -1),
    "min": ("value", 1),
}


def order_of(
    documents: Documents, criteria: Criteria, column_of: Callable[[str], NDArray[Any]]
) -> I64:
    """Return the place of each document in the order of keeping (int64[n]).

    References come first, in input order.  Then come what decisions keep, what `Criteria.prefer`
    names, by pattern, and what `Criteria.keep` says; documents without a value are last, and ties
    go to input order.  `column_of` returns the column that it asks for.
    """
    n, references = len(documents), documents["reference"]
    worth = np.zeros(n)
    if way := ORDERS.get(criteria.keep.partition(":")[0]):
        column, sign = column_of(way[0]), way[1]
        known = column == column
        worth = np.full(n, np.inf)
        worth[known] = sign * np.unique(column[known], return_inverse=True)[1]
    ranks = _preferred(documents, criteria)
    worth[references] = ranks[references] = 0
    places = np.empty(n, np.int64)
    places[np.lexsort((worth, ranks, ~references))] = np.arange(n)
    return places


def _preferred(documents: Documents, criteria: Criteria) -> I64:
    """Return which documents are decided to be kept (-1), or match which pattern (int64[n])."""
    prefer, decided = criteria.prefer, criteria.decisions.kept
    ranks = np.full(len(documents), len(prefer))
    if not prefer and not decided:
        return ranks
    for row in np.flatnonzero(~documents["reference"]).tolist():
        name, path = str(documents["name"][row]), documents["path"][row]
        hits = (i for i, one in enumerate(prefer) if matches(name, [one]) or matches(path, [one]))
        ranks[row] = next(hits, len(prefer)) - (without_dot(name) in decided) * (len(prefer) + 1)
    return ranks


def notes(documents: Documents, criteria: Criteria) -> list[tuple[str, str]]:
    """Return what the order makes nothing of: patterns without a match, documents without a value.

    `documents` are those that take part.
    """
    unmatched = []
    for pattern in dict.fromkeys(criteria.prefer):
        names = chain(map(str, documents["name"]), documents["path"])
        if len(documents) and not any(matches(name, [pattern]) for name in names):
            unmatched.append(("`prefer`", f"nothing matches {pattern!r}"))
    without = sum(map(math.isnan, documents["value"])) if "value" in documents else 0
    if not without:
        return unmatched
    count = f"{without:,} of {counted(len(documents), 'document')}"
    lacking = f"{count} without a number, date or time in {criteria.keep_field!r:.80}"
    return [*unmatched, ("`keep`", f"{lacking}; others are kept before them")]
