"""Which documents may meet the criteria: what rules pairs out without comparing their texts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simdup.search.arrays import RowIds
from simdup.verify.compared import ComparedDocuments
from simdup.verify.document_texts import SetsOf
from simdup.verify.family_forms import FamilyForms
from simdup.verify.family_sets import FamilySets
from simdup.verify.join import ROWS

# Pairs in a chunk: their sketches take 20 MB.
_CHUNK = 1 << 16
# Documents of which all pairs may be compared: 2**27 pairs take two minutes, their results 34 MB.
# Fewer where nothing but the measures rules pairs out, 10 us each, or pairs would be left out.
MANY_DOCUMENTS, FEW_DOCUMENTS = 1 << 14, 1 << 12

# An edit similarity costs as much as the shingles of a text so many times as long: some 5 us.
_EDIT_COST = 4
# Where shingles do not decide, vectors are compared: few terms, whatever the text.
_VECTOR_COST = 64


class Bounds:
    """Bounds on the measures of some documents, known by their rows in `compared`.

    `sets_of` is asked only if the shingles of texts decide.
    """

    def __init__(self, compared: ComparedDocuments, sets_of: SetsOf) -> None:
        self._compared = compared
        self._sets_of = sets_of
        self._criteria = compared.settings.criteria

    @property
    def affordable(self) -> bool:
        """Whether all pairs of the documents may be compared."""
        exact = self.sets is None or self.sets.few
        known = self.sets is not None or self.forms is not None or not self._criteria.verify
        return len(self._compared) <= (MANY_DOCUMENTS if exact and known else FEW_DOCUMENTS)

    def possible(self, i: RowIds, j: RowIds, directed: bool = False) -> NDArray[np.bool_]:
        """Return which pairs may meet the criteria; none that does is rejected.

        With `directed`, i[k] must contain j[k].
        """
        good, some = self._by_forms(i, j)
        if self.sets is not None:
            good[some] = self.sets.may_reach(i[some], j[some], directed)
        return good

    def every(self) -> Iterator[tuple[RowIds, RowIds, NDArray[np.bool_]]]:
        """Yield all pairs i < j, in chunks, and which of them may meet the criteria."""
        n, sets = len(self._compared), self.sets
        for first in range(0, n, ROWS):
            last = min(first + ROWS, n)
            shared = None if sets is None or not sets.few else sets.shared.count(first, last)
            step = max(_CHUNK // (n - first), 1)
            for low in range(first, last, step):
                i, j = np.triu_indices(min(low + step, last) - low, 1, n - low)
                i, j = i + low, j + low
                if shared is None or sets is None:
                    yield i, j, self.possible(i, j)
                    continue
                good, some = self._by_forms(i, j)
                a, b = i[some], j[some]
                good[some] = sets.reach(a, b, shared[a - first, b - first])
                yield i, j, good

    def _by_forms(self, i: RowIds, j: RowIds) -> tuple[NDArray[np.bool_], RowIds]:
        """Return which pairs their forms do not rule out, and which others their shingles may."""
        if self.forms is None:
            return np.ones(len(i), np.bool_), np.arange(len(i))
        good = self.forms.may_reach(i, j)
        return good, np.flatnonzero(good & ~self.forms.measure(i, j))

    @cached_property
    def lengths(self) -> RowIds:
        """About how many shingles each document has."""
        documents = self._compared.documents
        return documents["length"] if "length" in documents else np.ones(len(documents), np.int64)

    @cached_property
    def costs(self) -> RowIds:
        """What a comparison of each document costs, in shingles."""
        if not self._criteria.by_texts:
            return np.full(len(self._compared), _VECTOR_COST)
        forms = self.forms
        return self.lengths * (1 if forms is None else np.where(forms.has, _EDIT_COST, 1))

    @cached_property
    def forms(self) -> FamilyForms | None:
        """The forms of short texts, if they decide and there are any."""
        forms = FamilyForms(self._compared)
        return forms if self._criteria.by_texts and forms.has.any() else None

    @cached_property
    def sets(self) -> FamilySets | None:
        """The shingles of the documents, if these decide."""
        if not self._criteria.by_texts or (self.forms is not None and self.forms.decides_all):
            return None
        numbers, read = self._compared.numbers, self._sets_of
        return FamilySets(lambda rows: read(numbers[rows]), self.lengths, self._criteria)
