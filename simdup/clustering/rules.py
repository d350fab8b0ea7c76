"""Rules: which documents may be a pair, whatever their texts say.

Each rule is a column of the documents and a function of it; without the column there is no rule.
What must be equal makes one column, the blocking keys, which searches mix into their own keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import by_edit
from simdup.model.criteria import FEW_TERMS
from simdup.model.table import Documents
from simdup.search.arrays import U64, RowIds

Mask = NDArray[np.bool_]
# Returns which of the pairs (i[k], j[k]) of rows a rule allows.
Rule = Callable[[Documents, RowIds, RowIds], Mask]


def _no_references(documents: Documents, i: RowIds, j: RowIds) -> Mask:
    """References are not compared with each other."""
    references = documents["reference"]
    one_new: Mask = ~(references[i] & references[j])
    return one_new


def _enough_terms(documents: Documents, i: RowIds, j: RowIds) -> Mask:
    """Documents with few terms are pairs only if they are short, or identical."""
    terms = documents["terms"]
    enough: Mask = np.minimum(terms[i], terms[j]) >= FEW_TERMS
    few = np.flatnonzero(~enough)
    if len(few):
        a, b = i[few], j[few]
        enough[few] = by_edit(documents, a, b)
        if "content_number" in documents:
            contents = documents["content_number"]
            enough[few] |= contents[a] == contents[b]
    return enough


def across_groups(documents: Documents, i: RowIds, j: RowIds) -> Mask:
    """Documents of one group are never a pair; those of no group may be one with any."""
    if "group_number" not in documents:
        return np.ones(len(i), np.bool_)
    groups = documents["group_number"]
    apart: Mask = (groups[i] != groups[j]) | (groups[i] < 0)
    return apart


def _of_one_block(documents: Documents, i: RowIds, j: RowIds) -> Mask:
    """Only documents that agree in all that must be equal are pairs."""
    keys = documents["blocking_key"]
    same: Mask = keys[i] == keys[j]
    return same


def within_groups(groups: RowIds) -> U64:
    """Return a column that is equal for documents of one group; those of none agree with none."""
    alone = len(groups) + np.arange(len(groups))
    return np.where(groups < 0, alone, groups).astype(np.uint64)


_RULES: Mapping[str, Rule] = {
    "reference": _no_references,
    "terms": _enough_terms,
    "group_number": across_groups,
    "blocking_key": _of_one_block,
}


def allowed(documents: Documents, i: RowIds, j: RowIds) -> Mask:
    """Return which of the pairs (i[k], j[k]) of rows all rules allow."""
    good = np.ones(len(i), np.bool_)
    for column, rule in _RULES.items():
        if column in documents:
            good &= rule(documents, i, j)
    return good
