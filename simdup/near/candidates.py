"""The join of two tables of documents: pairs that a search proposes and all rules allow.

`candidates` is the only one.  Its two tables are one and the same in a scan, or the documents that
an index is asked about and those that it has.  `Candidates` has what a scan knows of one table, and
answers what a large group asks about its candidates without listing all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Protocol

import numpy as np

from simdup.kernels.groups import PairBounds
from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.model.table import Documents, Side
from simdup.near.clusters import Measure, Priority, first_come, unmeasured
from simdup.near.document_texts import SetsOf, no_texts
from simdup.near.rules import allowed
from simdup.near.searches import EqualKeys, Search
from simdup.search.arrays import Bools, RowIds, RowPairs
from simdup.search.grouping import LOOK, Budget, Forest, Lists, connect, kinds_of

# Candidates that connect more documents than this are not all verified: see `large_groups`.
LARGE = 64

# The most visits per document to find out which documents with common keys candidates connect.
# With p-stable keys for a cosine of 0.7, which half of all pairs share, a scan of 15,855 texts took
# 108 s; with 4,096 visits and smaller sketches it did not end in 280 s.
VISITS = 1 << 10

# Rules that part documents whose keys are equal.
_PARTING = ("letters", "blocking_key", "group_number")


class Proposing(Protocol):
    """A search that is ready to be asked."""

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) it proposes."""

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, each once: i < j where both are of one table."""


def candidates(
    left: Documents, right: Documents, searches: Sequence[Proposing]
) -> Iterator[RowPairs]:
    """Yield the candidates, each once, in chunks, in undefined order.

    Parameters
    ----------
    left, right : Documents
        Their columns are the rules.  A column that is known only of what is proposed, as with the
        documents of an index, is not there yet: `simdup.near.rules.allowed` sees to it later.
    searches : sequence
        What they propose are rows of these tables.

    Yields
    ------
    i, j : int64[m]
        Rows of `left` and of `right`.
    """
    for k, search in enumerate(searches):
        for i, j in search.pairs(left):
            a, b = Side(left, i), Side(right, j)
            # What earlier searches propose has already been yielded.
            new = allowed(a, b) & ~proposed(searches[:k], a, b)
            yield i[new], j[new]


def proposed(searches: Iterable[Proposing], a: Side, b: Side) -> Bools:
    """Return which pairs (a[k], b[k]) some search proposes."""
    found = np.zeros(len(a.rows), np.bool_)
    for search in searches:
        found |= search.propose(a, b)
    return found


@dataclass(frozen=True, slots=True)
class Candidates:
    """Documents that may be near-duplicates, what proposes pairs of them, and what measures these.

    Attributes
    ----------
    documents : Documents
        Known by their rows; some of them have their ``number`` among all, ascending.
    searches : sequence of Search
    settings : Settings
    measure : callable
        Measures pairs, given by the numbers of documents.
    sets_of : callable
        Returns the shingles of documents, by number; asked only if these decide.
    priority : callable
        Orders numbers: the document with the smallest is kept.
    every : bool
        Whether all pairs are compared; see `Criteria.compares_all`.
    """

    documents: Documents
    searches: Sequence[Search]
    settings: Settings
    measure: Measure = unmeasured
    sets_of: SetsOf = no_texts
    priority: Callable[[int], Priority] = first_come
    every: bool = False

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.documents)

    @property
    def criteria(self) -> Criteria:
        """When two documents are near-duplicates."""
        return self.settings.criteria

    @property
    def star(self) -> bool:
        """Whether documents are joined only with the kept one."""
        return self.criteria.linkage == "star"

    @property
    def numbers(self) -> RowIds:
        """The numbers of the documents (int64[n])."""
        return self.documents["number"]

    def take(self, rows: RowIds) -> Candidates:
        """Return some of the documents, by their ascending rows here."""
        if len(rows) == len(self):
            return self
        return replace(self, documents=self.documents.take(rows))

    def sides(self, i: RowIds, j: RowIds) -> tuple[Side, Side]:
        """Return both sides of the pairs (i[k], j[k])."""
        return Side(self.documents, i), Side(self.documents, j)

    def proposals(self, i: RowIds, j: RowIds) -> tuple[Bools, Bools]:
        """Return which pairs all rules allow, and which of them each search proposes.

        The first is bool[pairs], the second bool[searches of the criteria, pairs].
        """
        names, (a, b) = self.criteria.searches, self.sides(i, j)
        by, useful = np.zeros((len(names), len(i)), np.bool_), allowed(a, b)
        for search in self.searches:
            by[names.index(search.name)] |= search.propose(a, b)
        return useful, by & useful

    def test(self, i: RowIds, j: RowIds) -> Bools:
        """Return which pairs are candidates."""
        a, b = self.sides(i, j)
        return allowed(a, b) & proposed(self.searches, a, b)

    def pairs(self) -> Iterator[RowPairs]:
        """Yield all candidates, i < j; see `candidates`."""
        return candidates(self.documents, self.documents, self.searches)

    def components(self, weights: RowIds) -> RowIds:
        """Return the component of each document, by its smallest document.

        `weights` (int64[n]) says how many documents each one represents.  Components of at most
        `LARGE` documents are found without visiting single pairs; visits pay off for larger ones.
        """
        forest = Forest(len(self))
        for search in self.searches:
            for i, j in search.links(self.documents):
                forest.join(i, j)
        roots = forest.roots.copy()
        keyed = any(isinstance(search, EqualKeys) for search in self.searches)
        if not keyed and not any(column in self.documents for column in _PARTING):
            return roots
        # Rows that share a key are joined above, even if their sketches or blocking keys differ, or
        # their group is the same, or a rule for texts with few terms keeps them apart.
        for members in groups_of(roots, np.bincount(roots, weights)[roots] > LARGE):
            some = self.take(members)
            n = len(members)
            budget, bounds = Budget(float(VISITS * LOOK * n)), PairBounds(n, 0, 0)
            exact = connect(some.lists(), bounds, np.arange(n), some.test, budget)
            # Where it costs too much, they stay together: only more is left to the large group.
            if not budget.unchecked:
                roots[members] = members[exact]
        return roots

    def lists(self) -> Lists:
        """Return lists of rows with something in common; each candidate pair shares a list."""
        found = (search.lists(self.documents) for search in self.searches)
        return self.of_kinds(Lists.concat(chain.from_iterable(found)))

    def of_kinds(self, lists: Lists) -> Lists:
        """Return lists without those that have documents of one group only."""
        if "group_number" not in self.documents:
            return lists
        return lists.of_kinds(kinds_of(self.documents["group_number"]))


def groups_of(roots: RowIds, chosen: Bools) -> list[RowIds]:
    """Return the chosen rows of each root."""
    rows = np.flatnonzero(chosen)
    rows = rows[np.argsort(roots[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(roots[rows])) + 1) if len(rows) else []
