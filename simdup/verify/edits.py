"""Edit similarity: how much of the longer of two short texts stays if one becomes the other.

The distance is the least number of characters inserted, deleted or replaced; the similarity is
1 - distance / length of the longer text.

References
----------
V. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", Soviet
Physics Doklady 10 (1966).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.short_texts import ShortTexts
from simdup.search.arrays import RowIds

# Forms that are remembered: 8 to 20 MB.
FORMS = 1 << 16


class Edits:
    """Measures the pairs that have a short text.

    Parameters
    ----------
    short : ShortTexts
        Tells which pairs these are.
    forms_of : callable
        Returns the forms of documents, by number, whether `short` knows them or not.
    """

    def __init__(self, short: ShortTexts, forms_of: Callable[[Sequence[int]], list[str]]) -> None:
        self.short = short
        self._forms_of = forms_of
        self._known: dict[int, str] = {}

    def take(self, documents: RowIds) -> Edits:
        """Return the same of some documents, which are known by their places there."""
        return Edits(
            replace(self.short, row_of=self.short.row_of[documents]),
            lambda places: self.forms(documents[places].tolist()),
        )

    def similarities(self, a: RowIds, b: RowIds) -> NDArray[np.float64]:
        """Return the edit similarity of each pair (a[k], b[k])."""
        forms = self.forms([*a.tolist(), *b.tolist()])
        return edit_similarities(forms[: len(a)], forms[len(a) :])

    def forms(self, documents: Sequence[int]) -> list[str]:
        """Return the forms of documents."""
        if len(self._known) > FORMS:
            self._known.clear()
        known = self._known
        missing = list({one: None for one in documents if one not in known})
        known.update(zip(missing, self._forms_of(missing), strict=True))
        return [known[one] for one in documents]


def edit_similarities(a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
    """Return the edit similarity of each pair (a[k], b[k]) of texts that are not empty.

    Examples
    --------
    >>> edit_similarities(["明天下午三点开会"], ["明天下午两点开会"])
    array([0.875])
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    if not len(a):
        return np.zeros(0)
    distances = cpdist(a, b, scorer=Levenshtein.distance, dtype=np.int64)
    longer = np.maximum(list(map(len, a)), list(map(len, b)))
    similarities: NDArray[np.float64] = (longer - distances) / longer
    return similarities
