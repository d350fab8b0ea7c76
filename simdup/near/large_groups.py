"""Large groups: find clusters among many candidates without verifying every pair.

Twenty thousand pages of one template are 200 million pairs, nearly all of which add nothing: their
documents are already joined.  So the document that would be kept is first compared with all others.
Documents that are not near it are compared along lists of documents that share a rare shingle
(`search.grouping.Prefixes`), and only across groups.  Odd sketches, whose bound is never
wrong, reject most pairs below the similarity before their shingles are compared.

Where documents share much, but not enough, this may visit more pairs than there are.  So once it
has cost as much as comparing all of them, all are compared, without looking at any list.

Nothing is missed: every pair that meets the criteria is beside the centre or shares a list, and a
pair of a list is left out only if its documents are joined already, or a bound that is never wrong
rules it out.  So clusters, kept documents and figures equal those from verifying all pairs.

One pair is listed for each document except the kept one: that with the kept document if it meets
the criteria, and otherwise that with the first near-duplicate in input order.  So it does not
depend on the order of work.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simdup.kernels.groups import PairBounds
from simdup.model.measures import DocumentPair, MeasuredPairs, Measures
from simdup.near.bounds import FEW_DOCUMENTS, FEW_PAIRS, Bounds
from simdup.near.candidates import Candidates
from simdup.near.rules import apart
from simdup.search.arrays import Bools, RowIds, hamming_distances
from simdup.search.grouping import (
    Budget,
    Known,
    Lists,
    connect,
    first_partners,
    possible_pairs,
    stars,
)

# The most comparisons per shingle of a large group of which not all pairs can be compared.  100,000
# messages of 120 characters would take a minute.
COMPARISONS = 1 << 12
# The same where the texts of those that are near are aligned, which costs some hundred times as
# much.
_ALIGNMENTS = 1 << 6
# The most pairs of such a group that are checked: what was found is remembered in 134 MB.
CHECKS = 1 << 23
# The most visits per document to find the pairs that are possible, and the most of these: 300 us
# and 1 kB.
_VISITS, _POSSIBLE = 1 << 12, 1 << 6
# Where each pair is in so many lists, one list of all documents takes less time.
_OFTEN = 8
# Shorter documents cost as much as one of this many characters.
_LEAST_COST = 64
NOBODY = np.zeros(0, np.int64)
# What is known of two documents: whether they are a pair, and which one may stand for the other.
_PAIR, _FIRST_TAKES, _SECOND_TAKES = np.array([1, 2, 4], np.uint8)


class LargeGroup:
    """Documents connected by candidates, known by their rows there.

    `places` (int64[n]) says in which order they would be kept.
    """

    def __init__(self, compared: Candidates, places: RowIds, directed: bool = False) -> None:
        self.compared = compared
        self._criteria = compared.criteria
        self.identical = Measures.identical(self._criteria)
        self._directed = directed  # whether a star has only what its kept document contains
        self._order = np.argsort(places)
        self._centre = int(self._order[0])  # the document to compare with all others first
        self._bounds = Bounds(compared)
        # Checked pairs: the total, and for each search of the criteria.
        self._checked = np.zeros(1 + len(self._criteria.searches), np.int64)
        self._left_out = 0  # pairs of lists that are too long to be visited
        self._known = Known(len(self))
        costs = np.maximum(self._bounds.costs, _LEAST_COST)
        affordable = self._bounds.affordable
        most = _ALIGNMENTS if self._criteria.same_facts else COMPARISONS
        self._budget = Budget(math.inf if affordable else most * float(costs.sum()))

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.compared)

    @property
    def checked(self) -> list[int]:
        """How many candidates were checked: the total, and for each search of the criteria."""
        checked: list[int] = self._checked.tolist()
        return checked

    @property
    def unchecked(self) -> int:
        """The most pairs that were left out because they would have cost too much."""
        pairs = len(self) * (len(self) - 1) // 2
        return min(self._budget.unchecked + self._left_out, pairs - int(self._checked[0]))

    def components(self) -> RowIds:
        """Return the cluster of each document, by the smallest document in it."""
        roots = np.arange(len(self))
        near = [*self._centre_pairs, self._centre]
        roots[near] = min(near)
        if len(near) < len(self):
            roots = connect(*self._lists, roots, self._near, self._budget)
        return roots

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
        order = self._order[left[self._order]]
        if len(order):
            found = stars(*self._lists, order, self._taking, self._budget, self._directed)
            centres[order] = found[order]
        return centres

    def beside(self, centres: RowIds, others: RowIds) -> dict[int, DocumentPair]:
        """Return the pairs (centres[k], others[k]) that meet the criteria, by the other document.

        The pairs need not be candidates.
        """
        known = self._centre_pairs
        same = np.isin(others, list(known)) & (centres == self._centre)
        near = {other: known[other] for other in others[same].tolist()}
        return near | self._pairs(centres[~same], others[~same])

    def firsts(
        self, places: RowIds, parts: RowIds | None = None
    ) -> dict[int, tuple[int, DocumentPair]]:
        """Return, for each of `places`, the first document it is paired with, and the pair.

        With `parts` (int64[n]), it is the first one of another part; -1 is none.
        """
        if not len(places):
            return {}
        partners = first_partners(*self._lists, places, self._near, self._budget, parts)
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

        def holding(i: RowIds, j: RowIds) -> Bools:
            return self._taking(j, i)

        parts = np.where(references, 0, -1)
        partners = first_partners(*self._lists, places, holding, self._budget, parts, True)
        return self._paired(partners, places)

    def _paired(self, partners: RowIds, places: RowIds) -> dict[int, tuple[int, DocumentPair]]:
        """Return the pairs of places with their partners, which are -1 for none; see `firsts`."""
        found = partners >= 0
        pairs = self._pairs(partners[found], places[found])
        partner_of = dict(
            zip(places.tolist(), self.compared.numbers[partners].tolist(), strict=True)
        )
        return {place: (partner_of[place], pair) for place, pair in pairs.items()}

    @cached_property
    def _centre_pairs(self) -> dict[int, DocumentPair]:
        """The pairs of the centre with other documents, by the other document."""
        others = np.delete(np.arange(len(self)), self._centre)
        some = others[self._afford(np.full(len(others), self._centre), others)]
        centres = np.full(len(some), self._centre)
        pairs, good = self._measure(centres, some)
        self._known.add(centres, some, self._codes(pairs))
        return dict(zip(some[good].tolist(), pairs.take(good).each(), strict=True))

    @property
    def _taken_by_centre(self) -> NDArray[np.bool_]:
        """Which documents are in the star of the centre, which is one of them."""
        centre = int(self.compared.numbers[self._centre])
        taken = np.zeros(len(self), np.bool_)
        taken[self._centre] = True
        for other, pair in self._centre_pairs.items():
            taken[other] = not self._directed or pair.taken_by(centre, self._criteria)
        return taken

    def _pairs(self, i: RowIds, j: RowIds) -> dict[int, DocumentPair]:
        """Return the pairs (i[k], j[k]) that meet the criteria, by j."""
        pairs, good = self._measure(i, j)
        return dict(zip(j[good].tolist(), pairs.take(good).each(), strict=True))

    def _measure(self, i: RowIds, j: RowIds) -> tuple[MeasuredPairs, NDArray[np.bool_]]:
        """Return the pairs (i[k], j[k]), the smaller row first, and which meet the criteria."""
        values = self.compared.documents["fingerprint"]
        pairs = self.compared.measure(self.compared.numbers[i], self.compared.numbers[j])
        distances = hamming_distances(values, i, values, j).astype(np.int64)
        good = pairs.accepted(self._criteria) & apart(*self.compared.sides(i, j))
        if self._criteria.by_distance:
            good &= distances <= self._criteria.distance
        elif not self._criteria.verify:
            good &= self.compared.test(i, j)
        return pairs.and_columns(distance=distances).ordered(), good

    def _near(self, i: RowIds, j: RowIds) -> Bools:
        """Return which pairs are candidates that meet the criteria."""
        near: Bools = self._found(i, j) & _PAIR > 0
        return near

    def _taking(self, i: RowIds, j: RowIds) -> Bools:
        """Return of which pairs j[k] is in the star of i[k], if that is kept."""
        takes = np.where(i < j, _FIRST_TAKES, _SECOND_TAKES)
        taken: Bools = self._found(i, j) & takes > 0
        return taken

    def _found(self, i: RowIds, j: RowIds) -> NDArray[np.uint8]:
        """Return what is found of pairs; only of candidates it is remembered."""
        found = np.zeros(len(i), np.uint8)
        some = np.flatnonzero(self.compared.test(i, j))
        found[some] = self._known.of(i[some], j[some], self._look)
        return found

    def _look(self, i: RowIds, j: RowIds) -> NDArray[np.uint8]:
        """Return what is found of pairs, as far as can be afforded."""
        found = np.zeros(len(i), np.uint8)
        some, numbers = self._afford(i, j), self.compared.numbers
        found[some] = self._codes(self.compared.measure(numbers[i[some]], numbers[j[some]]))
        return found

    def _codes(self, pairs: MeasuredPairs) -> NDArray[np.uint8]:
        """Return what is known of candidates that were measured."""
        near = first = second = pairs.accepted(self._criteria)
        if self._directed:
            first, second = (one.taken(self._criteria) for one in (pairs, pairs.turned()))
        found: NDArray[np.uint8] = near * _PAIR | first * _FIRST_TAKES | second * _SECOND_TAKES
        return found

    def _afford(self, i: RowIds, j: RowIds) -> RowIds:
        """Return which pairs are candidates and within the budget; these count as checked."""
        _, by = self.compared.proposals(i, j)
        some = np.flatnonzero(by.any(axis=0))
        paid = self._budget.afford(self._bounds.costs[i[some]] + self._bounds.costs[j[some]])
        room = max(CHECKS - int(self._checked[0]), 0)
        if paid > room:
            self._budget.unchecked += paid - room
            paid = room
        some = some[:paid]
        self._checked += (len(some), *np.count_nonzero(by[:, some], axis=1))
        return some

    @cached_property
    def _by_keys(self) -> Lists | None:
        """Lists in which all candidates meet, if these are few or nothing else is known."""
        lists = self.compared.lists()
        pairs = lists.count_pairs()
        sets, forms = self._bounds.sets, self._bounds.forms
        if pairs <= FEW_PAIRS * len(self) or (sets is None and forms is None):
            return lists
        # Forms leave pairs out, so the number of theirs says little.
        if sets is None or forms is not None or pairs >= sets.count_pairs(self._taken_by_centre):
            return None
        return lists

    @cached_property
    def _by_texts(self) -> Lists:
        """Lists in which all similar texts meet, except those of two in the star of the centre."""
        lists = Lists.none()
        if self._bounds.sets is not None:
            holders = self._directed and self._criteria.lossless
            sets = self._bounds.sets
            lists = sets.holder_lists() if holders else sets.lists(self._taken_by_centre)
        if self._bounds.forms is not None:  # short texts need not share a rare shingle
            of_forms, left_out = self._bounds.forms.lists()
            self._left_out = left_out
            lists = Lists.concat([lists, of_forms])
        return self.compared.of_kinds(lists)

    @cached_property
    def _lists(self) -> tuple[Lists, PairBounds]:
        """Lists in which all possible pairs meet, except those of two in the star of the centre.

        Beside them comes what rules pairs out.
        """
        lists = self._by_texts if self._by_keys is None else self._by_keys
        n, pairs, bounds = len(self), lists.count_pairs(), self._bounds.pairs
        missed = self._left_out > 0 and n <= FEW_DOCUMENTS
        if missed or (pairs > _OFTEN * n * n // 2 and self._bounds.affordable):
            self._left_out = 0
            return self.compared.of_kinds(Lists(np.zeros(n, np.int64), np.arange(n))), bounds
        # Chunks of one page share keys with many that are not similar: these are visited once.
        if FEW_PAIRS * n < pairs <= _VISITS * n:
            possible = possible_pairs(lists, bounds, self.compared.test, _POSSIBLE * n)
            if possible is not lists:
                return self.compared.of_kinds(possible), PairBounds(n, 0, 0)
        return lists, bounds
