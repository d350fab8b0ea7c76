"""Families: find clusters among many candidates without verifying every pair.

Twenty thousand pages of one template are 200 million pairs, nearly all of which add nothing: their
documents are already joined.  So the document that would be kept is first compared with all others.
Documents that are not near it are compared along lists of documents that share a rare shingle
(`search.prefixes`), and only across groups (`search.grouping`).  Odd sketches, whose bound is never
wrong, reject most pairs below the similarity before their shingles are compared.

Where documents share much, but not enough, this may visit more pairs than there are.  So once it
has cost as much as comparing all of them, all are compared, without looking at any list.

Clusters, kept documents and figures equal those from verifying all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.clusters import DocumentPair, Measure
from simdup.clustering.rules import across_groups
from simdup.model.criteria import Criteria
from simdup.search.arrays import RowIds, hamming_distances
from simdup.search.forest import Forest
from simdup.search.grouping import LOOK, Budget, Check, Known, connect, first_partners, stars
from simdup.search.lists import Lists
from simdup.search.pairset import PairSet
from simdup.verify.bounds import FEW_DOCUMENTS, Bounds
from simdup.verify.compared import ComparedDocuments
from simdup.verify.document_texts import SetsOf
from simdup.verify.family_sets import FEW_PAIRS

# The most comparisons per shingle of a family of which not all pairs can be compared.  100,000
# messages of 120 characters would take a minute.
COMPARISONS = 1 << 12
# The most pairs of such a family that are checked: what was found is remembered in 134 MB.
CHECKS = 1 << 23
# Comparisons per shingle before all pairs are compared, beside a visit of each pair: as many as a
# family takes whose documents are near the one that is kept.
_FEW_COMPARISONS = 16
# Shorter documents cost as much as one of this many characters.
_LEAST_COST = 64
# What is known of two documents: whether they are a pair, and which one may stand for the other.
_PAIR, _FIRST_TAKES, _SECOND_TAKES = np.array([1, 2, 4], np.uint8)


@dataclass(frozen=True, slots=True)
class _Every:
    """All candidates of a family that meet the criteria."""

    near: PairSet
    takes: PairSet  # of these, the first may take the second
    checked: NDArray[np.int64]  # how many were checked, as in `LargeGroup`

    @classmethod
    def of(cls, n: int, directed: bool, counts: int) -> _Every:
        """Return none of n documents."""
        near = PairSet(n)
        return cls(near, PairSet(n) if directed else near, np.zeros(counts, np.int64))

    def count(self, by: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Count pairs, given which searches propose them, and return which are candidates."""
        proposed: NDArray[np.bool_] = np.logical_or.reduce(by)
        self.checked[:] += (np.count_nonzero(proposed), *np.count_nonzero(by, axis=1))
        return proposed

    def add(self, i: RowIds, j: RowIds, found: NDArray[np.uint8]) -> None:
        """Add what was found of candidates."""
        for a, b, code in ((i, j, _FIRST_TAKES), (j, i, _SECOND_TAKES)):
            near, taking = np.flatnonzero(found & _PAIR), np.flatnonzero(found & code)
            self.near.add(a[near], b[near])
            if self.takes is not self.near:
                self.takes.add(a[taking], b[taking])


class LargeGroup:
    """Documents connected by candidates, known by their rows there.

    `places` (int64[n]) says in which order they would be kept.
    """

    def __init__(
        self,
        compared: ComparedDocuments,
        measure: Measure,
        sets_of: SetsOf,
        places: RowIds,
        directed: bool = False,
    ) -> None:
        self.compared = compared
        self._measured = measure
        self._criteria = compared.settings.criteria
        self._directed = directed  # whether a star has only what its kept document contains
        self._order = np.argsort(places)
        self._centre = int(self._order[0])  # the document to compare with all others first
        self._bounds = Bounds(compared, sets_of)
        # Checked pairs: the total, and for each search of the criteria.
        self._checked = np.zeros(1 + len(self._criteria.searches), np.int64)
        self._left_out = 0  # pairs of lists that are too long to be visited
        self._known = Known(self._look, len(self))
        self._check = Check(self._possible, lambda i, j: self._known(i, j) & _PAIR > 0)
        self._takes = Check(partial(self._possible, directed=directed), self._taking)
        self._budget = _first_budget(self._bounds, len(self))

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.compared)

    @property
    def checked(self) -> list[int]:
        """How many candidates were checked: the total, and for each search of the criteria."""
        checked: list[int] = (self._every.checked if self._all_compared else self._checked).tolist()
        return checked

    @property
    def unchecked(self) -> int:
        """The most pairs that were left out because they would have cost too much."""
        pairs = len(self) * (len(self) - 1) // 2
        left = self._budget.unchecked + self._left_out
        return 0 if self._all_compared else min(left, pairs - int(self._checked[0]))

    def components(self) -> RowIds:
        """Return the cluster of each document, by the smallest document in it."""
        forest = Forest(len(self))
        near = np.flatnonzero(self._near_centre)
        forest.join(np.full(len(near), self._centre), near)
        if len(near) < len(self) - 1:
            if not self._all_compared:
                connect(self._lists, forest, self._check, self._budget)
            if self._all_compared:
                for place in range(len(self)):
                    others = np.flatnonzero(self._every.near.after(place))
                    forest.join(np.full(len(others), place), others)
        return forest.roots

    def stars(self, among: NDArray[np.bool_] | None = None) -> RowIds:
        """Return the kept document of each document.

        With `among` (bool[n], with the centre), only those are visited and taken; each other
        document keeps itself.
        """
        taken = self._taken_by_centre
        left = np.ones(len(self), np.bool_) if among is None else among.copy()
        centres = np.arange(len(self))
        centres[left & taken] = self._centre
        left &= ~taken
        left[self._centre] = False
        order = self._order[left[self._order]]
        if len(order) and not self._all_compared:
            some = self._lists.take(left[self._lists.rows])
            found = stars(some, order, self._takes, self._budget)
            centres[order] = found[order]
        if self._all_compared:
            centres[order] = -1
            for place in order.tolist():
                if centres[place] < 0:
                    centres[place] = place
                    centres[self._every.takes.after(place) & (centres < 0)] = place
        return centres

    def beside(self, centre: int, others: RowIds) -> dict[int, DocumentPair]:
        """Return the pairs of `centre` with others that meet the criteria, by the other document.

        The pairs need not be candidates.
        """
        known = self._centre_pairs if centre == self._centre else {}
        near = {other: known[other] for other in others.tolist() if other in known}
        left = np.array([other for other in others.tolist() if other not in near], np.int64)
        return near | self._measure(np.full(len(left), centre), left)

    def firsts(
        self, places: RowIds, parts: RowIds | None = None
    ) -> dict[int, tuple[int, DocumentPair]]:
        """Return, for each of `places`, the first document it is paired with, and the pair.

        With `parts` (int64[n]), it is the first one of another part; -1 is none.
        """
        if not len(places):
            return {}

        def apart(i: RowIds, j: RowIds) -> NDArray[np.bool_]:
            if parts is None:
                return np.ones(len(j), np.bool_)
            different: NDArray[np.bool_] = (parts[j] >= 0) & (parts[j] != parts[i])
            return different

        def possible(i: RowIds, j: RowIds) -> NDArray[np.bool_]:
            return self._check.possible(i, j) & apart(i, j)

        partners = np.full(len(places), -1, np.int64)
        if not self._all_compared:
            check = Check(possible, self._check.passes)
            partners = first_partners(self._lists, places, check, self._budget)
        if self._all_compared:
            every = np.arange(len(self))
            for k, place in enumerate(places.tolist()):
                beside = self._every.near.after(place) & apart(np.full_like(every, place), every)
                partners[k] = every[beside][0] if beside.any() else -1
        # The centre may have twins, which need its first partner; lists need not have it.
        partners[places == self._centre] = min(self._centre_pairs, default=-1)
        return self._paired(partners, places)

    def holders(self, places: RowIds) -> dict[int, tuple[int, DocumentPair]]:
        """Return the first reference that contains each of `places`, if any, and the pair.

        These are not in the star of the centre.
        """
        references = self.compared.documents["reference"]
        places = places[~references[places]]
        if not self._directed or not len(places):
            return {}

        def possible(i: RowIds, j: RowIds) -> NDArray[np.bool_]:
            return references[j] & self._takes.possible(j, i)

        partners = np.full(len(places), -1, np.int64)
        if not self._all_compared:
            check = Check(possible, lambda i, j: self._takes.passes(j, i))
            partners = first_partners(self._lists, places, check, self._budget)
        if self._all_compared:
            for one in np.flatnonzero(references)[::-1].tolist():
                partners[self._every.takes.after(one)[places]] = one
        return self._paired(partners, places)

    def _paired(self, partners: RowIds, places: RowIds) -> dict[int, tuple[int, DocumentPair]]:
        """Return the pairs of places with their partners, which are -1 for none; see `firsts`."""
        found = partners >= 0
        pairs = self._measure(partners[found], places[found])
        partner_of = dict(
            zip(places.tolist(), self.compared.numbers[partners].tolist(), strict=True)
        )
        return {place: (partner_of[place], pair) for place, pair in pairs.items()}

    @cached_property
    def _centre_pairs(self) -> dict[int, DocumentPair]:
        """The pairs of the centre with other documents, by the other document."""
        others = np.delete(np.arange(len(self)), self._centre)
        some = others[self._afford(np.full(len(others), self._centre), others)]
        if self._all_compared:
            some = np.flatnonzero(self._every.near.after(self._centre))
        found = self._measure(np.full(len(some), self._centre), some)
        codes = [_code(found.get(one), self._criteria, self._directed) for one in some.tolist()]
        self._known.add(np.full(len(some), self._centre), some, np.array(codes, np.uint8))
        return found

    @property
    def _near_centre(self) -> NDArray[np.bool_]:
        near = np.zeros(len(self), np.bool_)
        near[list(self._centre_pairs)] = True
        return near

    @property
    def _taken_by_centre(self) -> NDArray[np.bool_]:
        """Which documents are in the star of the centre."""
        if not self._directed:
            return self._near_centre
        centre = int(self.compared.numbers[self._centre])
        pairs = self._centre_pairs.items()
        taken = np.zeros(len(self), np.bool_)
        taken[[other for other, pair in pairs if pair.taken_by(centre, self._criteria)]] = True
        return taken

    def _measure(self, i: RowIds, j: RowIds) -> dict[int, DocumentPair]:
        """Return the pairs (i[k], j[k]) that meet the criteria, by j."""
        documents = self.compared.documents
        pairs = self._measured(self.compared.numbers[i], self.compared.numbers[j])
        values = documents["fingerprint"]
        distances = hamming_distances(values, i, values, j).astype(np.int64)
        good = pairs.accepted(self._criteria) & across_groups(documents, i, j)
        if self._criteria.by_distance:
            good &= distances <= self._criteria.distance
        elif not self._criteria.verify:
            good &= self.compared.test(i, j)
        pairs = pairs.and_columns(distance=distances).take(good).ordered()
        return dict(zip(j[good].tolist(), pairs.each(), strict=True))

    def _possible(self, i: RowIds, j: RowIds, directed: bool = False) -> NDArray[np.bool_]:
        """Return which pairs may be candidates that meet the criteria."""
        good = np.ones(len(i), np.bool_)
        if self._by_keys is not None:
            good = self.compared.test(i, j)
        some = np.flatnonzero(good)
        good[some] = self._bounds.possible(i[some], j[some], directed)
        return good

    def _taking(self, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
        """Return of which pairs j[k] is in the star of i[k], if that is kept."""
        takes = np.where(i < j, _FIRST_TAKES, _SECOND_TAKES)
        taken: NDArray[np.bool_] = self._known(i, j) & takes > 0
        return taken

    def _look(self, i: RowIds, j: RowIds) -> NDArray[np.uint8]:
        """Return what is found of pairs, as far as can be afforded."""
        found = np.zeros(len(i), np.uint8)
        some = self._afford(i, j)
        found[some] = self._compare(i[some], j[some])
        return found

    def _compare(self, i: RowIds, j: RowIds) -> NDArray[np.uint8]:
        """Return what is found of candidates."""
        pairs = self._measured(self.compared.numbers[i], self.compared.numbers[j])
        near = first = second = pairs.accepted(self._criteria)
        if self._directed:
            first, second = (one.taken(self._criteria) for one in (pairs, pairs.turned()))
        found: NDArray[np.uint8] = near * _PAIR | first * _FIRST_TAKES | second * _SECOND_TAKES
        return found

    def _afford(self, i: RowIds, j: RowIds) -> RowIds:
        """Return which pairs are candidates and within the budget; these count as checked."""
        by = self.compared.proposed_by(i, j)
        some = np.flatnonzero(by.any(axis=0))
        paid = self._budget.afford(self._bounds.costs[i[some]] + self._bounds.costs[j[some]])
        room = max(CHECKS - int(self._checked[0]), 0)
        if paid > room:
            self._budget.unchecked += paid - room
            paid = room
        some = some[:paid]
        self._checked += (len(some), *np.count_nonzero(by[:, some], axis=1))
        return some

    @property
    def _all_compared(self) -> bool:
        """Whether all pairs are compared, because it costs no more."""
        return self._budget.unchecked > 0 and self._bounds.affordable

    @cached_property
    def _every(self) -> _Every:
        """What comparing all pairs finds."""
        every = _Every.of(len(self), self._directed, len(self._checked))
        for i, j, possible in self._bounds.every():
            by = self.compared.proposed_by(i, j)
            some = np.flatnonzero(every.count(by) & possible)
            every.add(i[some], j[some], self._compare(i[some], j[some]))
        return every

    @cached_property
    def _by_keys(self) -> Lists | None:
        """Lists in which all candidates meet, if these are few or nothing else is known."""
        lists = self.compared.lists()
        pairs = lists.count_pairs()
        sets, forms = self._bounds.sets, self._bounds.forms
        if pairs <= FEW_PAIRS * len(self) or (sets is None and forms is None):
            return lists
        # Forms leave pairs out, so the number of theirs says little.
        if forms is not None or pairs >= self._by_texts.count_pairs():
            return None
        del self._by_texts  # it would only take memory
        return lists

    @cached_property
    def _by_texts(self) -> Lists:
        """Lists in which all similar texts meet, except those of two in the star of the centre."""
        lists = Lists.none()
        if self._bounds.sets is not None:
            settled = self._taken_by_centre | (np.arange(len(self)) == self._centre)
            holders = self._directed and self._criteria.lossless
            sets = self._bounds.sets
            lists = sets.holder_lists() if holders else sets.lists(settled)
        if self._bounds.forms is not None:  # short texts need not share a rare shingle
            of_forms, left_out = self._bounds.forms.lists()
            if len(self) <= FEW_DOCUMENTS:
                self._budget.unchecked += left_out
            else:
                self._left_out = left_out
            lists = Lists.concat([lists, of_forms])
        return self.compared.of_kinds(lists)

    @property
    def _lists(self) -> Lists:
        """Lists in which all possible pairs meet, except those of two in the star of the centre."""
        return self._by_texts if self._by_keys is None else self._by_keys


def _code(pair: DocumentPair | None, criteria: Criteria, directed: bool) -> int:
    """Return what is known of a candidate, given the pair if it is one."""
    if pair is None:
        return 0
    first, second = (not directed or pair.taken_by(one, criteria) for one in (pair.a, pair.b))
    return int(_PAIR | first * _FIRST_TAKES | second * _SECOND_TAKES)


def _first_budget(bounds: Bounds, n: int) -> Budget:
    """Return what may be spent until all pairs are compared or, if these are too many, in all."""
    costs = float(np.maximum(bounds.costs, _LEAST_COST).sum())
    if not bounds.affordable:
        return Budget(COMPARISONS * costs)
    return Budget(LOOK * n * (n - 1) / 2 + _FEW_COMPARISONS * costs)
