"""Rules: which documents may be a pair, whatever their texts say.

Each rule is a column of the documents and a function of it; without the column there is no rule.
The two documents of a pair may be of one table or of two.  What must be equal makes one column, the
blocking keys, which searches mix into their own keys.

*Short texts.*  A pair with one is measured by edit similarity.  Two columns say so: ``letters``,
the characters of a document's form (`simdup.text.short_texts`), 0 where the form is not known;
and ``facts``, a hash of its facts as `compared_facts` returns it.  Known are all forms of
short texts, with fewer than `SHORT` characters, and all others that may be similar to one; see
`longest_form`.  Without the columns no pair is measured by edit similarity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from simdup.model.criteria import FEW_TERMS, SHORT
from simdup.model.table import Documents, Side, Table
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


def same_keys(a: Side, b: Side) -> Bools:
    """Return which pairs, measured by edit similarity, have the same key of facts.

    What is too long to be similar anyway has none.
    """
    same: Bools = (a["facts"] == b["facts"]) | (a["letters"] == 0) | (b["letters"] == 0)
    return same


def present(documents: Table) -> Bools:
    """Return which documents take part: those with a text or, without texts, with terms."""
    if "digest" not in documents:
        has_terms: Bools = documents["terms"] > 0
        return has_terms
    has_text: Bools = documents["digest"] != np.zeros((), documents["digest"].dtype)
    return has_text


def _letters(documents: Documents) -> RowIds:
    if "letters" in documents:
        return documents["letters"]
    return np.zeros(len(documents), np.int64)


# Returns which of the pairs (a[k], b[k]) a rule allows.
Rule = Callable[[Side, Side], Bools]


def _no_references(a: Side, b: Side) -> Bools:
    """References are not compared with each other."""
    one_new: Bools = ~(a["reference"] & b["reference"])
    return one_new


def _enough_terms(a: Side, b: Side) -> Bools:
    """Texts with few terms are pairs only if they are short, or identical; without terms, only if
    they are identical.
    """
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


def _across_groups(a: Side, b: Side) -> Bools:
    """Documents of one group are never a pair; those of no group may be one with any."""
    group = a["group_number"]
    apart: Bools = ((group != b["group_number"]) | (group < 0)).all(axis=1)
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


RULES: Mapping[str, Rule] = {
    "reference": _no_references,
    "terms": _enough_terms,
    "group_number": _across_groups,
    "blocking_key": _of_one_block,
    "name_key": _no_versions,
}

# The search for identical documents sees to these itself.  All other rules may forbid a pair of
# documents with the same text, and every pair that the kept one of a cluster is shown beside.
_OF_IDENTICAL = frozenset(("reference", "terms", "blocking_key", "name_key"))


def parting(documents: Table) -> list[str]:
    """Return the columns of the rules that may forbid a pair whatever the texts say."""
    return [column for column in RULES if column in documents and column not in _OF_IDENTICAL]


def apart(a: Side, b: Side) -> Bools:
    """Return which of the pairs (a[k], b[k]) the rules of `parting` allow."""
    good = np.ones(len(a.rows), np.bool_)
    for column in parting(a.table):
        good &= RULES[column](a, b)
    return good


def allowed(a: Side, b: Side) -> Bools:
    """Return which of the pairs (a[k], b[k]) all rules allow."""
    good = np.ones(len(a.rows), np.bool_)
    for allows in judged(a, b).values():
        good &= allows
    return good


def judged(a: Side, b: Side) -> dict[str, Bools]:
    """Return which of the pairs (a[k], b[k]) each rule allows, by its column."""
    known = (column for column in RULES if column in a and column in b)
    return {column: RULES[column](a, b) for column in known}
