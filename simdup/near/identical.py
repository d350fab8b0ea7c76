"""Identical documents, of which only the first is compared with others.

Where groups decide, there are two kinds.  Identical documents without a group are copies: each is a
pair with the others.  Those of one group are *twins*: never a pair, but every partner of one is a
partner of all.  Those of different groups, and references, are compared like any others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.table import Documents
from simdup.near.clusters import Priority, ordered
from simdup.search.arrays import U64, RowIds
from simdup.search.equal_keys import Duplicates, collapse
from simdup.text.characters import DIGEST_BYTES


@dataclass(frozen=True, slots=True)
class Identical:
    """Which documents are identical."""

    first_of: dict[int, int]  # for each copy or twin, the first identical document
    copies_of: dict[int, list[int]]  # for each first document, its copies or twins, ascending
    distinct: RowIds  # documents with terms that are neither, ascending
    sizes: RowIds  # int64[documents]: how many documents each distinct one represents
    twins: frozenset[int]  # the first documents that have twins, not copies
    contents: RowIds  # int64[documents]: equal for identical documents that are compared

    def of(self, first: int) -> list[int]:
        """Return a distinct document and its copies or twins, ascending."""
        return [first, *self.copies_of.get(first, ())]

    def pairs(self, criteria: Criteria, firsts: RowIds) -> MeasuredPairs:
        """Return the pairs of the given first documents with their copies."""
        wanted = set(firsts[self.sizes[firsts] > 1].tolist()) - self.twins
        both = [(first, copy) for first in sorted(wanted) for copy in self.copies_of[first]]
        a, b = np.array(both, np.int64).reshape(-1, 2).T
        return MeasuredPairs.identical(a, b, criteria)

    def spread(
        self, a: RowIds, b: RowIds, priority: Callable[[int], Priority]
    ) -> tuple[RowIds, RowIds, RowIds]:
        """Return pairs of first documents, and pairs of their twins.

        Each twin is paired with the first on the other side and the one that may be kept: these
        connect all, and are few.  The first array tells which given pair each one comes from.
        """
        if not self.twins:
            return np.arange(len(a)), a, b
        found = [
            (i, *pair)
            for i, both in enumerate(zip(a.tolist(), b.tolist(), strict=True))
            for pair in self._of_twins(*both, priority)
        ]
        index, first, second = np.array(found, np.int64).reshape(-1, 3).T
        return index, first, second

    def _of_twins(
        self, a: int, b: int, priority: Callable[[int], Priority]
    ) -> set[tuple[int, int]]:
        if not {a, b} & self.twins:
            return {(a, b)}
        one, other = (self.of(first) if first in self.twins else [first] for first in (a, b))
        heads, others = ({some[0], min(some, key=priority)} for some in (one, other))
        return {*product(heads, other), *product(one, others)}

    def stars(
        self, pairs: Iterable[tuple[int, int]], priority: Callable[[int], Priority]
    ) -> list[list[int]]:
        """Return groups in which the kept document takes every other one (star linkage).

        The first document of a pair may take the second; if either may take the other, there are
        two such pairs.  Of identical documents only the first needs to appear in pairs with others.
        Documents are visited by priority: a document without a group is kept, and those without a
        group that it may take join it.  Redundancy is therefore never transitive.  A stream
        deduplicator that keeps whatever comes first does the same.  Groups are ascending.
        """
        partners: dict[int, set[int]] = {}
        for a, b in pairs:
            a, b = self.first_of.get(a, a), self.first_of.get(b, b)
            partners.setdefault(a, set()).add(b)
            partners.setdefault(b, set())
        taken: set[int] = set()
        groups = []
        for kept in sorted(partners, key=lambda first: min(map(priority, self.of(first)))):
            if kept in taken:
                continue
            members = partners[kept] - taken
            taken |= {kept} | members
            group = self.star(kept, members, priority)
            if len(group) > 1:
                groups.append(group)
        return ordered(groups)

    def star(
        self, centre: int, members: Iterable[int], priority: Callable[[int], Priority]
    ) -> list[int]:
        """Return the documents of a star, ascending, given its distinct documents.

        Twins of the kept one stay out: all their partners are taken.
        """
        found = [one for first in members if first != centre for one in self.of(first)]
        same = self.of(centre)
        return sorted(found + ([min(same, key=priority)] if centre in self.twins else same))


def find_identical(documents: Documents) -> Identical:
    """Find identical documents: those with equal texts or, without texts, equal fingerprints.

    Their blocking keys are equal too.

    Documents without terms are not copies of each other.  A reference that is identical to an
    earlier one, and of its group, adds nothing, and is left out.
    """
    rows = np.flatnonzero(documents["terms"] > 0)
    content = _content(documents, rows)
    contents = np.arange(len(documents))
    if "group_number" in documents:
        same = collapse(content)
        contents[rows[same.members]] = np.repeat(rows[same.first], same.sizes)
        sides = documents["reference"][rows].astype(np.uint64)
        own = documents["group_number"][rows].astype(np.uint64)
        content = np.column_stack([content, own, sides])
    return _identical(documents, rows, collapse(content), contents)


def _identical(
    documents: Documents, rows: RowIds, groups: Duplicates, contents: RowIds
) -> Identical:
    distinct = rows if groups.distinct is None else rows[groups.distinct]
    sizes = np.ones(len(documents), np.int64)
    references, copies_of = documents["reference"], dict[int, list[int]]()
    for start, size in zip(groups.starts.tolist(), groups.sizes.tolist(), strict=True):
        first, *others = rows[groups.members[start : start + size]].tolist()
        copies_of[first] = [one for one in others if not references[one]]
        sizes[first] += len(copies_of[first])
    first_of = {copy: first for first, others in copies_of.items() for copy in others}
    twins = frozenset[int]()
    if "group_number" in documents:
        of = documents["group_number"]
        twins = frozenset(first for first, others in copies_of.items() if others and of[first] >= 0)
    return Identical(first_of, copies_of, distinct, sizes, twins, contents)


def _content(documents: Documents, rows: RowIds) -> U64:
    """Return the values that identical documents share (uint64[rows, words])."""
    columns = [documents["fingerprint"][rows]]
    if "digest" in documents:
        columns.append(documents["digest"].view(np.uint64).reshape(-1, DIGEST_BYTES // 8)[rows])
    if "blocking_key" in documents:
        columns.append(documents["blocking_key"][rows, np.newaxis])
    return np.concatenate(columns, axis=1)
