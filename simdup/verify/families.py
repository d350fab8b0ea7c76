"""Families: find clusters among many candidates without verifying every pair.

Twenty thousand pages of one template are 200 million pairs, nearly all of which add nothing: their
documents are already joined.  So the document that would be kept is first compared with all others.
Documents that are not near it are compared along lists of documents that share a rare shingle
(`search.prefixes`), and only across groups (`search.grouping`).  Odd sketches, whose bound is never
wrong, reject most pairs below the similarity before their shingles are compared.

Clusters, kept documents and figures equal those from verifying all pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.clusters import DocumentPair, ScannedDocuments
from simdup.clustering.short_texts import ShortTexts
from simdup.features.shingles import Sets
from simdup.model.criteria import Criteria
from simdup.search.arrays import RowIds
from simdup.search.forest import Forest
from simdup.search.grouping import Budget, Check, connect, first_partners, stars
from simdup.search.lists import Lists
from simdup.verify.family_forms import FamilyForms
from simdup.verify.family_sets import FEW_PAIRS, FamilySets
from simdup.verify.proposals import Proposals
from simdup.verify.stored import StoredTexts

# The most comparisons per shingle of a family; one of up to 2,000 documents never needs as many.
# 100,000 messages of 120 characters would take a minute.
COMPARISONS = 1 << 12
# An edit similarity costs as much as the shingles of a text so many times as long: some 5 us.
_EDIT_COST = 4
# Shorter documents cost as much as one of this many characters.
_LEAST_COST = 64
# Where shingles do not decide, vectors are compared: few terms, whatever the text.
_VECTOR_COST = 64


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of documents, by number."""

    # int64[documents]: characters of each; None where texts are not known.
    lengths: RowIds | None = None
    # The distinct shingles of some documents; None where they do not decide.
    sets: Callable[[RowIds], Sets] | None = None
    short: ShortTexts | None = None  # those whose forms decide, if there are any

    @classmethod
    def of(
        cls,
        lengths: RowIds,
        stored: StoredTexts,
        criteria: Criteria,
        short: ShortTexts | None = None,
    ) -> Texts:
        """Return stored texts, whose shingles and forms decide if a similarity is asked for."""
        decide = criteria.verify and criteria.similarity > 0
        return cls(lengths, stored.sets, short) if decide else cls(lengths)


class Family:
    """Documents connected by candidates, known by their places in `proposals`."""

    def __init__(
        self,
        proposals: Proposals,
        documents: ScannedDocuments,
        texts: Texts,
        centre: int,
        directed: bool = False,
    ) -> None:
        self.proposals = proposals
        self._documents = documents
        self._texts = texts
        self._criteria = proposals.settings.criteria
        self._centre = centre  # the document to compare with all others first
        self._directed = directed  # whether a star has only what its kept document contains
        # Checked pairs: the total, and for each search of the criteria.
        self.checked = np.zeros(1 + len(self._criteria.searches), np.int64)
        costs = np.maximum(self._costs, _LEAST_COST)
        self.budget = Budget(float(COMPARISONS * costs.sum()))

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.proposals)

    def components(self) -> RowIds:
        """Return the cluster of each document, by the smallest document in it."""
        forest = Forest(len(self))
        near = np.flatnonzero(self._near_centre)
        forest.join(np.full(len(near), self._centre), near)
        if len(near) < len(self) - 1:
            connect(self._lists, forest, self._check, self.budget)
        return forest.roots

    def stars(self, order: RowIds, among: NDArray[np.bool_] | None = None) -> RowIds:
        """Return the kept document of each document, for an order that begins with the centre.

        With `among` (bool[n]), only those are visited and taken; each other document keeps itself.
        """
        taken = self._taken_by_centre
        left = ~taken if among is None else among & ~taken
        left[self._centre] = False
        centres = np.arange(len(self))
        centres[taken if among is None else among & taken] = self._centre
        if left.any():
            some = self._lists.take(left[self._lists.rows])
            found = stars(some, order[left[order]], self._takes)
            rows = np.flatnonzero(left)
            centres[rows] = found[rows]
        return centres

    def beside(self, centre: int, others: RowIds) -> dict[int, DocumentPair]:
        """Return the pairs of `centre` with others that meet the criteria, by the other document.

        The pairs need not be candidates.
        """
        known = self._centre_pairs if centre == self._centre else {}
        near = {other: known[other] for other in others.tolist() if other in known}
        left = np.array([other for other in others.tolist() if other not in near], np.int64)
        return near | self._measure(np.full(len(left), centre), left)

    def firsts(self, places: RowIds) -> dict[int, tuple[int, DocumentPair]]:
        """Return, for each of `places`, the first document it is paired with, and the pair."""
        if not len(places):
            return {}
        partners = first_partners(self._lists, places, self._check)
        # The centre may have twins, which need its first partner; lists need not have it.
        partners[places == self._centre] = min(self._centre_pairs, default=-1)
        return self._paired(partners, places)

    def holders(self, places: RowIds) -> dict[int, tuple[int, DocumentPair]]:
        """Return the first reference that contains each of `places`, if any, and the pair.

        These are not in the star of the centre.
        """
        references = self.proposals.references
        places = places[~references[places]]
        if not self._directed or not len(places):
            return {}

        def possible(i: RowIds, j: RowIds) -> NDArray[np.bool_]:
            return references[j] & self._takes.possible(j, i)

        check = Check(possible, lambda i, j: self._takes.passes(j, i))
        return self._paired(first_partners(self._lists, places, check), places)

    def _paired(self, partners: RowIds, places: RowIds) -> dict[int, tuple[int, DocumentPair]]:
        """Return the pairs of places with their partners, which are -1 for none; see `firsts`."""
        found = partners >= 0
        pairs = self._measure(partners[found], places[found])
        partner_of = dict(zip(places.tolist(), self.proposals.rows[partners].tolist(), strict=True))
        return {place: (partner_of[place], pair) for place, pair in pairs.items()}

    @cached_property
    def _centre_pairs(self) -> dict[int, DocumentPair]:
        """The pairs of the centre with other documents, by the other document."""
        others = np.delete(np.arange(len(self)), self._centre)
        some = others[self._afford(np.full(len(others), self._centre), others)]
        return self._measure(np.full(len(some), self._centre), some)

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
        centre = int(self.proposals.rows[self._centre])
        pairs = self._centre_pairs.items()
        taken = np.zeros(len(self), np.bool_)
        taken[[other for other, pair in pairs if pair.taken_by(centre, self._criteria)]] = True
        return taken

    def _measure(self, i: RowIds, j: RowIds) -> dict[int, DocumentPair]:
        """Return the pairs (i[k], j[k]) that meet the criteria, by j."""
        a, b = self.proposals.rows[i], self.proposals.rows[j]
        measured = self._documents.measure(a, b)
        good = measured.accepted(self._criteria, len(a)) & self._documents.apart(a, b)
        if self._criteria.by_distance:
            good &= self.proposals.distances(i, j) <= self._criteria.distance
        elif not self._criteria.verify:
            good &= self.proposals.test(i, j)
        pairs = self._documents.pairs(a[good], b[good], measured.take(good))
        return dict(zip(j[good].tolist(), pairs, strict=True))

    @property
    def _check(self) -> Check:
        """The check whether documents are candidates that meet the criteria."""
        return Check(self._possible, self._passes)

    @property
    def _takes(self) -> Check:
        """The check whether i[k], if it is kept, has j[k] in its star."""
        if not self._directed:
            return self._check
        return Check(partial(self._possible, directed=True), partial(self._passes, directed=True))

    def _possible(self, i: RowIds, j: RowIds, directed: bool = False) -> NDArray[np.bool_]:
        good = np.ones(len(i), np.bool_)
        if self._by_keys is not None:
            good = self.proposals.test(i, j)
        if self._forms is not None:
            good &= self._forms.may_reach(i, j)
        if self._sets is not None:
            edited = False if self._forms is None else self._forms.measure(i, j)
            some = np.flatnonzero(good & ~np.asarray(edited))
            good[some] = self._sets.may_reach(i[some], j[some], directed)
        return good

    def _passes(self, i: RowIds, j: RowIds, directed: bool = False) -> NDArray[np.bool_]:
        good = np.zeros(len(i), np.bool_)
        some = self._afford(i, j)
        a, b = self.proposals.rows[i[some]], self.proposals.rows[j[some]]
        measured = self._documents.measure(a, b)
        accepted = measured.taken if directed else measured.accepted
        good[some] = accepted(self._criteria, len(some))
        return good

    def _afford(self, i: RowIds, j: RowIds) -> RowIds:
        """Return which pairs are candidates and within the budget; these count as checked."""
        by = self.proposals.proposed_by(i, j)
        some = np.flatnonzero(by.any(axis=0))
        costs = self._costs
        if self._forms is not None:
            costs = costs * np.where(self._forms.has, _EDIT_COST, 1)
        some = some[: self.budget.afford(costs[i[some]] + costs[j[some]])]
        self.checked += (len(some), *np.count_nonzero(by[:, some], axis=1))
        return some

    @property
    def _costs(self) -> RowIds:
        """What a comparison of each document costs, in shingles."""
        if self._texts.sets is None:
            return np.full(len(self), _VECTOR_COST)
        return self._lengths

    @cached_property
    def _lengths(self) -> RowIds:
        lengths = self._texts.lengths
        if lengths is None:
            return np.ones(len(self), np.int64)
        return lengths[self.proposals.rows]

    @cached_property
    def _by_keys(self) -> Lists | None:
        """Lists in which all candidates meet, if these are few or nothing else is known."""
        lists = self.proposals.lists()
        pairs = lists.count_pairs()
        if pairs <= FEW_PAIRS * len(self) or (self._sets is None and self._forms is None):
            return lists
        # Forms leave pairs out, so the number of theirs says little.
        if self._forms is not None or pairs >= self._by_texts.count_pairs():
            return None
        del self._by_texts  # it would only take memory
        return lists

    @cached_property
    def _by_texts(self) -> Lists:
        """Lists in which all similar texts meet, except those of two in the star of the centre."""
        lists = Lists.none()
        if self._sets is not None:
            settled = self._taken_by_centre | (np.arange(len(self)) == self._centre)
            holders = self._directed and self._criteria.lossless
            lists = self._sets.holder_lists() if holders else self._sets.lists(settled)
        if self._forms is not None:  # short texts need not share a rare shingle
            blocks = self.proposals.blocks() if self.proposals.by_distance else []
            of_forms, left_out = self._forms.lists(blocks)
            self.budget.unchecked += left_out
            lists = lists.joined(of_forms)
        return lists.of_kinds(self.proposals.kinds)

    @property
    def _lists(self) -> Lists:
        """Lists in which all possible pairs meet, except those of two in the star of the centre."""
        return self._by_texts if self._by_keys is None else self._by_keys

    @cached_property
    def _forms(self) -> FamilyForms | None:
        """The forms of short texts, if there are any."""
        if self._texts.short is None:
            return None
        forms = FamilyForms(self._texts.short, self.proposals.rows, self.proposals.edited)
        return forms if forms.has.any() else None

    @cached_property
    def _sets(self) -> FamilySets | None:
        """The shingles of the documents, if these decide."""
        read, rows = self._texts.sets, self.proposals.rows
        if read is None or (self._forms is not None and self._forms.decides_all):
            return None
        return FamilySets(lambda places: read(rows[places]), self._lengths, self._criteria)
