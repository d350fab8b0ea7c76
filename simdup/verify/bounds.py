"""Which documents may meet the criteria: what rules pairs out without comparing their texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import ShortTexts
from simdup.features.shingles import Sets
from simdup.model.criteria import Criteria
from simdup.search.arrays import RowIds
from simdup.verify.family_forms import FamilyForms
from simdup.verify.family_sets import FamilySets
from simdup.verify.join import ROWS
from simdup.verify.stored import StoredTexts

if TYPE_CHECKING:
    from simdup.verify.proposals import Proposals

# Pairs in a chunk: their sketches take 20 MB.
_CHUNK = 1 << 16
# Documents of which all pairs may be compared: 2**27 pairs take two minutes, their results 34 MB.
# Fewer where nothing but the measures rules pairs out, 10 us each, or pairs would be left out.
MANY_DOCUMENTS, FEW_DOCUMENTS = 1 << 14, 1 << 12

# An edit similarity costs as much as the shingles of a text so many times as long: some 5 us.
_EDIT_COST = 4
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
        stored: StoredTexts | None,
        criteria: Criteria,
        short: ShortTexts | None = None,
    ) -> Texts:
        """Return stored texts, whose shingles and forms decide if a similarity is asked for."""
        if stored is None or not criteria.verify or not criteria.similarity:
            return cls(lengths)
        return cls(lengths, stored.sets, short)


class Bounds:
    """Bounds on the measures of some documents, known by their places in `proposals`."""

    def __init__(self, proposals: Proposals, texts: Texts) -> None:
        self._proposals = proposals
        self._texts = texts
        self._criteria = proposals.settings.criteria

    @property
    def affordable(self) -> bool:
        """Whether all pairs of the documents may be compared."""
        exact = self.sets is None or self.sets.few
        known = self.sets is not None or self.forms is not None or not self._criteria.verify
        return len(self._proposals) <= (MANY_DOCUMENTS if exact and known else FEW_DOCUMENTS)

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
        n, sets = len(self._proposals), self.sets
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
        if self._texts.lengths is None:
            return np.ones(len(self._proposals), np.int64)
        return self._texts.lengths[self._proposals.rows]

    @cached_property
    def costs(self) -> RowIds:
        """What a comparison of each document costs, in shingles."""
        if self._texts.sets is None:
            return np.full(len(self._proposals), _VECTOR_COST)
        forms = self.forms
        return self.lengths * (1 if forms is None else np.where(forms.has, _EDIT_COST, 1))

    @cached_property
    def forms(self) -> FamilyForms | None:
        """The forms of short texts, if there are any."""
        if self._texts.short is None:
            return None
        proposals = self._proposals
        forms = FamilyForms(self._texts.short, proposals.rows, proposals.edited)
        return forms if forms.has.any() else None

    @cached_property
    def sets(self) -> FamilySets | None:
        """The shingles of the documents, if these decide."""
        read, rows = self._texts.sets, self._proposals.rows
        if read is None or (self.forms is not None and self.forms.decides_all):
            return None
        return FamilySets(lambda places: read(rows[places]), self.lengths, self._criteria)
