"""Rules: which documents may be a pair, whatever their texts say.

Each rule is a column of the documents and a function of it; without the column there is no rule.
The two documents of a pair may be of one table or of two.  What must be equal makes one column, the
blocking keys, which searches mix into their own keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from simdup.clustering.short_texts import by_edit
from simdup.model.criteria import FEW_TERMS
from simdup.model.table import Side
from simdup.search.arrays import U64, Bools, RowIds

# Returns which of the pairs (a[k], b[k]) a rule allows.
Rule = Callable[[Side, Side], Bools]


def _no_references(a: Side, b: Side) -> Bools:
    """References are not compared with each other."""
    one_new: Bools = ~(a["reference"] & b["reference"])
    return one_new


def _enough_terms(a: Side, b: Side) -> Bools:
    """Texts with few terms are pairs only if they are short, or identical."""
    one, other = a["terms"], b["terms"]
    enough: Bools = (np.minimum(one, other) >= FEW_TERMS) | (one == 0) | (other == 0)
    few = np.flatnonzero(~enough)
    if len(few):
        a, b = a.take(few), b.take(few)
        enough[few] = by_edit(a, b) | _identical(a, b)
    return enough


def _identical(a: Side, b: Side) -> Bools:
    """Return which pairs have the same text: of an index, only lengths and sketches are known."""
    same = np.zeros(len(a.rows), np.bool_)
    if "content_number" in a:
        same = a["content_number"] == b["content_number"]
    elif "sketch" in a and "sketch" in b:
        same = (a["length"] == b["length"]) & (a["sketch"] == b["sketch"]).all(axis=1)
    return same


def across_groups(a: Side, b: Side) -> Bools:
    """Documents of one group are never a pair; those of no group may be one with any."""
    if "group_number" not in a:
        return np.ones(len(a.rows), np.bool_)
    group = a["group_number"]
    apart: Bools = (group != b["group_number"]) | (group < 0)
    return apart


def _of_one_block(a: Side, b: Side) -> Bools:
    """Only documents that agree in all that must be equal are pairs."""
    same: Bools = a["blocking_key"] == b["blocking_key"]
    return same


def _no_versions(a: Side, b: Side) -> Bools:
    """Documents do not match their own earlier versions, of the same name and another content.

    If only one of the two has a text, their fingerprints tell.  Where contents are not to be known,
    documents of the same name are never a pair.
    """
    other: Bools = a["name_key"] != b["name_key"]
    same = np.flatnonzero(~other)
    if len(same) and "content_key" in a:
        a, b = a.take(same), b.take(same)
        alike = (a["fingerprint"] == b["fingerprint"]).all(axis=1)
        comparable = (a["terms"] > 0) == (b["terms"] > 0)
        other[same] = np.where(comparable, a["content_key"] == b["content_key"], alike)
    return other


def within_groups(groups: RowIds) -> U64:
    """Return a column that is equal for documents of one group; those of none agree with none."""
    alone = len(groups) + np.arange(len(groups))
    return np.where(groups < 0, alone, groups).astype(np.uint64)


_RULES: Mapping[str, Rule] = {
    "reference": _no_references,
    "terms": _enough_terms,
    "group_number": across_groups,
    "blocking_key": _of_one_block,
    "name_key": _no_versions,
}


def allowed(a: Side, b: Side) -> Bools:
    """Return which of the pairs (a[k], b[k]) all rules allow."""
    good = np.ones(len(a.rows), np.bool_)
    for allows in judged(a, b).values():
        good &= allows
    return good


def judged(a: Side, b: Side) -> dict[str, Bools]:
    """Return which of the pairs (a[k], b[k]) each rule allows, by its column."""
    known = (column for column in _RULES if column in a and column in b)
    return {column: _RULES[column](a, b) for column in known}
