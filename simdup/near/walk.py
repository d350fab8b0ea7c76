"""The walk: leaders and components of documents, asked about few of their candidates.

Documents are in the order of keeping.  `simdup.kernels.leaders` says which candidates to ask about;
what answers is up to the caller.  Lists of equal keys come first.  Where they get expensive, the
texts are read: their shingles rule out pairs, and lists of rare shingles take the place of keys.

Candidates divide documents into components, which are walked apart.  So what a budget leaves in one
does not depend on others.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from simdup.kernels.leaders import LISTED, Leaders
from simdup.near.bounds import Bounds
from simdup.near.candidates import Candidates, groups_of
from simdup.near.measures import cost_of
from simdup.near.short import short
from simdup.search.arrays import Bools, RowIds
from simdup.search.grouping import Forest, Lists

# Components of more documents are worth a look at how their candidates really connect them, and
# have a budget.
LARGE = 64
# The most visits per document for that look.  With p-stable keys for a cosine of 0.7, which half of
# all pairs share, a scan of 15,855 texts took 108 s; with 4,096 visits and smaller sketches it did
# not end in 280 s.
_LOOKS = 1 << 10
# The cost of a visit, in compared elements.
_VISIT = 64
# Visits in a second or two: whoever interrupts does not wait longer.
_AT_ONCE = 1 << 26
# The most comparisons per shingle of a component of which not all pairs can be compared.  100,000
# messages of 120 characters would take a minute.
COMPARISONS = 1 << 12
# Shorter documents cost as much as one of this many characters.
_LEAST_COST = 64
# After so many questions per document that were for nothing, it pays off to read all texts once.
_IN_VAIN = 0.5
# After so many visits per shingle, a question being some of them, it pays off to sort them all.
_VISITS, _QUESTION = 4, 32

# The most pairs per document that meet in lists of short texts, if not all can be compared.
_MEETING = 512

# Answers of pairs of rows: in bits, whether they are near, and whether the first may take the
# second.
NEAR, TAKES = 1, 2
# Asks about pairs (i[k], j[k]) of rows: returns the answers, and which were measured.
Ask = Callable[[RowIds, RowIds], tuple[NDArray[np.uint8], Bools]]


class Walk:
    """The walk of documents, which are in the order of keeping and known by their rows.

    Parameters
    ----------
    compared : Candidates
    ask : callable
        Tells which pairs are near.
    held : bool[n]
        Documents that were taken by others: they neither lead nor are taken.
    limited : bool
        Whether the walk ends with a budget, and reads texts where that pays off.
    """

    def __init__(self, compared: Candidates, ask: Ask, held: Bools, limited: bool = False) -> None:
        self._compared, self._ask, self._bounds = compared, ask, Bounds(compared)
        documents, n = compared.documents, len(compared)
        fewest, sketches = 0, np.zeros((n, 0), np.uint8)
        for search in compared.searches:
            fewest, sketches = search.sketches(documents) or (fewest, sketches)
        apart = [np.where(documents["reference"], 0, -1)[:, np.newaxis]]
        if "different" in documents:
            apart.append(documents["different"])
        self.leaders = Leaders(
            self._bounds.of_forms, np.concatenate(apart, axis=1), sketches, fewest,
            np.ascontiguousarray(documents["fingerprint"]), compared.criteria.distance, held,
        )  # fmt: skip
        # With their kinds, and whether all of them have short texts.
        self._lists = [
            (lists, search.kind, of_short)
            for search in compared.searches
            for lists, of_short in search.lists(documents, compared.criteria.edits_decide)
        ]
        self._limited = limited
        narrow = limited and self._bounds.formed and not self._bounds.affordable
        self._left = narrow and self._narrow()
        self._use(self._lists)

    def _narrow(self) -> bool:
        """Leave out lists of short texts in which too many meet, such as those of a template.

        Those that share several bands in a row still meet: the more similar two texts are, the
        longer are such rows.  Return whether some are left out.
        """
        of_short = [lists for lists, _, of_short in self._lists if of_short]
        most = _MEETING * len(self._compared)
        if sum(lists.count_pairs() for lists in of_short) <= most:
            return False
        self._lists = [entry for entry in self._lists if not entry[2]]
        for search in self._compared.searches:
            narrowed = search.narrowed(self._compared.documents, most)
            self._lists += [(lists, LISTED, True) for lists in narrowed]
        return True

    def _use(self, chosen: list[tuple[Lists, int, bool]], rare: Lists | None = None) -> None:
        lists = Lists.concat([each for each, _, _ in chosen] + ([] if rare is None else [rare]))
        kinds = [np.full(each.count, kind, np.uint8) for each, kind, _ in chosen]
        rest = None
        if rare is not None:
            assert rare.rest is not None
            kinds.append(np.full(rare.count, LISTED, np.uint8))
            # Others are not bounded.
            before = np.full(len(lists) - len(rare), np.iinfo(np.int32).max)
            rest = np.concatenate([before, rare.rest])
        every = np.concatenate([np.zeros(0, np.uint8), *kinds])
        self.leaders.use(lists.lists, lists.rows, every, rest)

    def run(self, tell: Callable[[int], None] = lambda done: None) -> int:
        """Walk until all is known or the budget ends; return how many rows did not ask all.

        `tell` is told of how many rows it is known whether they lead.
        """
        leaders, bounds, limited = self.leaders, self._bounds, self._limited
        sets = bounds.sets if limited else None
        reads = limited and (sets is not None or bounds.formed)
        costs = np.maximum(bounds.costs, _LEAST_COST)
        budget, switch = math.inf, math.inf
        if limited and not bounds.affordable:
            budget = COMPARISONS / cost_of(self._compared.criteria) * float(costs.sum())
        if sets is not None:
            switch = _VISITS * float(bounds.lengths.sum())
        left = int(np.count_nonzero(short(self._compared.documents))) if self._left else 0
        vain = asked = 0
        while not leaders.done:
            tell(leaders.at)
            if budget < _VISIT:
                return max(leaders.stop(), left)
            before = leaders.visits
            ahead = math.inf if leaders.joining else max(switch - before - _QUESTION * asked, 1)
            i, j = leaders.questions(int(min(budget / _VISIT, ahead, _AT_ONCE)))
            budget -= _VISIT * (leaders.visits - before)
            if len(i):
                answers, measured = self._ask(i, j)
                budget -= float(costs[i[measured]].sum() + costs[j[measured]].sum())
                leaders.answer(answers)
                asked += len(i)
                vain += len(i) - int(np.count_nonzero(answers & TAKES))
            expensive = leaders.visits + _QUESTION * asked >= switch and not leaders.joining
            if reads and (expensive or vain > _IN_VAIN * len(self._compared)):
                bounds.add_texts()
                reads = False
            if expensive and sets is not None:
                switch = math.inf
                self._use_rare(sets.lists(np.flatnonzero(~short(self._compared.documents))))
        return left

    def connect(self, visits: int) -> RowIds | None:
        """Return the component of each row, by its smallest row; None if it takes more visits."""
        leaders = self.leaders
        while not leaders.done:
            i, j = leaders.questions(visits - leaders.visits)
            if not len(i) and leaders.visits >= visits:
                return None
            leaders.answer(self._ask(i, j)[0])
        roots: RowIds = leaders.roots
        return roots

    def _use_rare(self, rare: Lists) -> None:
        """Take lists of rare shingles in the place of those without short texts, if they have
        fewer pairs.
        """
        if rare.count_pairs() < self.leaders.coming:
            self._use([entry for entry in self._lists if entry[2]], rare)


def components(compared: Candidates, weights: RowIds) -> RowIds:
    """Return the component of each document, by its smallest document.

    `weights` (int64[n]) says how many documents each one represents.  Components of at most
    `LARGE` documents are found without visiting single pairs: some may be connected by equal keys
    alone.
    """
    forest = Forest(len(compared))
    for search in compared.searches:
        for i, j in search.links(compared.documents):
            forest.join(i, j)
    roots = forest.roots.copy()
    for rows in groups_of(roots, np.bincount(roots, weights)[roots] > LARGE):
        part = compared.take(rows)

        def connected(
            i: RowIds, j: RowIds, part: Candidates = part
        ) -> tuple[NDArray[np.uint8], Bools]:
            candidates = part.test(i, j)
            return candidates.astype(np.uint8) * (NEAR | TAKES), candidates[:0]

        exact = Walk(part, connected, np.zeros(len(rows), np.bool_)).connect(_LOOKS * len(rows))
        # Where it costs too much, they stay together.
        if exact is not None:
            roots[rows] = rows[exact]
    return roots
