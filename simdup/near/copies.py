"""Copies: rows with the same text, of which only the first is compared with others.

Where a rule may forbid a pair of rows with the same text (`near.rules.parting`), there are two
kinds.  If it does not, they are copies: each is a pair with the others.  Else, as with documents of
one group or references, they are *twins*: never a pair, but every partner of one is a partner of
all.  Those that differ in the column of the rule are compared like any others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simdup.model.table import Documents, Side
from simdup.near.rules import apart, parting
from simdup.search.arrays import I64, U64, Bools, RowIds
from simdup.search.equal_keys import collapse
from simdup.text.characters import DIGEST_BYTES


@dataclass(frozen=True, slots=True)
class Copies:
    """Which rows of a table have the same text."""

    first: RowIds  # int64[n]: the first row that each is a copy or twin of; its own if none is
    distinct: RowIds  # the first rows, without those that have no text
    sizes: I64  # int64[n]: how many rows each first one stands for
    twins: Bools  # bool[n]: whether a first row has twins, not copies
    contents: RowIds  # int64[n]: equal for rows with the same text, also where rules part them


def present(documents: Documents) -> Bools:
    """Return which documents take part: those with a text or, without texts, with terms."""
    if "digest" not in documents:
        has_terms: Bools = documents["terms"] > 0
        return has_terms
    has_text: Bools = documents["digest"] != np.zeros((), documents["digest"].dtype)
    return has_text


def find_copies(documents: Documents) -> Copies:
    """Find rows with equal texts or, without texts, equal fingerprints; their keys of rules too.

    Documents without a text are not copies of each other, nor is a document one of a reference.
    """
    n, rows = len(documents), np.flatnonzero(present(documents))
    content = _content(documents, rows)
    first, contents = np.arange(n), np.arange(n)
    columns = parting(documents)
    if columns or documents["reference"].any():
        contents[rows] = rows[_first_equal(content)]
        more = (documents[name][rows].astype(np.uint64) for name in [*columns, "reference"])
        content = np.column_stack([content, *more])
    first[rows] = rows[_first_equal(content)]
    sizes = np.bincount(first, minlength=n)
    # What rules say of a document and its copy, they say of all with the same columns.
    several = np.flatnonzero(sizes > 1)
    same = Side(documents, several)
    twins = np.zeros(n, np.bool_)
    twins[several] = ~apart(same, same) | documents["reference"][several]
    return Copies(first, rows[first[rows] == rows], sizes, twins, contents)


def _first_equal(values: U64) -> RowIds:
    """Return for each row of uint64[n, words] the first one that is equal (int64[n])."""
    groups, first = collapse(values), np.arange(len(values))
    first[groups.members] = np.repeat(groups.first, groups.sizes)
    return first


def _content(documents: Documents, rows: RowIds) -> U64:
    """Return the values that copies share (uint64[rows, words])."""
    columns = [documents["fingerprint"][rows]]
    if "digest" in documents:
        columns.append(documents["digest"].view(np.uint64).reshape(-1, DIGEST_BYTES // 8)[rows])
    if "equal" in documents:
        columns.append(documents["equal"][rows, np.newaxis])
    return np.concatenate(columns, axis=1)
