"""Edit similarity, of pairs with a short text: how much stays if one text becomes the other.

The distance is the least number of characters inserted, deleted or replaced; the similarity is
1 - distance / length of the longer text.  Short texts that differ in a fact are different.

References
----------
V. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", Soviet
Physics Doklady 10 (1966).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.table import Side
from simdup.near.short import by_edit, same_keys
from simdup.near.texts import Texts
from simdup.search.arrays import RowIds
from simdup.text.differing_facts import KINDS, differences_of
from simdup.text.short_texts import forms_of

# Texts whose forms are made together: most are short, and take 2 MB.
_TOGETHER = 1 << 10
# Forms that are remembered: 8 to 20 MB.
REMEMBERED = 1 << 16


def measure(pairs: MeasuredPairs, texts: Texts, criteria: Criteria) -> MeasuredPairs:
    """Replace ``similarity`` where a text is short, and add ``differing``."""
    if "letters" not in texts.documents:
        return pairs
    a, b = pairs["a"], pairs["b"]
    one, other = Side(texts.documents, a), Side(texts.documents, b)
    short = by_edit(one, other)
    similarity = pairs["similarity"].copy()
    edited = edit_similarities(*(forms(texts, side[short].tolist()) for side in (a, b)))
    similarity[short] = texts.below_equal(a[short], b[short], edited)
    same = ~short | same_keys(one, other)
    differing = np.where(same, 0, -1).astype(np.int8)
    if criteria.edits_decide:
        # What is capped below 1 is asked all the same: equal texts differ in nothing.
        near = short & same
        near[short] &= edited >= criteria.similarity
        differing[near] = _differing(texts, a[near], b[near])
    return pairs.and_columns(similarity=similarity, differing=differing)


def forms(texts: Texts, rows: Sequence[int]) -> list[str]:
    """Return the forms of texts, whether they are short or not."""
    made: dict[int, str] = texts.memory.setdefault("forms", {})
    if len(made) > REMEMBERED:
        made.clear()
    missing = list(dict.fromkeys(row for row in rows if row not in made))
    for first in range(0, len(missing), _TOGETHER):
        part = missing[first : first + _TOGETHER]
        made.update(zip(part, forms_of(texts.folded(part)).texts, strict=True))
    return [made[row] for row in rows]


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


def _differing(texts: Texts, a: RowIds, b: RowIds) -> NDArray[np.int8]:
    """Return the kind of fact in which short texts (a[k], b[k]) differ; see `MeasuredPairs`."""
    rows = np.unique([a, b]).tolist()
    folded = {row: text.folded for row, text in zip(rows, texts.folded(rows), strict=True)}
    each = zip(a.tolist(), b.tolist(), strict=True)
    found = differences_of([(folded[i], folded[j]) for i, j in each])
    kinds = (KINDS.index(facts[0].kind) + 1 if facts else 0 for facts in found)
    return np.fromiter(kinds, np.int8, len(a))
