"""The texts of documents, as verification reads them: by the numbers of the documents.

Short ones have an edit similarity: how much of the longer of two stays if one becomes the other.
The distance is the least number of characters inserted, deleted or replaced; the similarity is
1 - distance / length of the longer text.

References
----------
V. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", Soviet
Physics Doklady 10 (1966).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.spool import Slot, slot_at
from simdup.model.criteria import Shingling
from simdup.model.table import Documents
from simdup.search.arrays import RowIds
from simdup.text.analyzer import Analyzer
from simdup.text.characters import PreparedText
from simdup.text.shingles import Sets, Shingler, Shingles
from simdup.text.short_texts import Facts, facts_of, forms_of, lost_facts

# Texts whose forms are made together: most are short, and take 2 MB.
_TOGETHER = 1 << 10
# Texts whose facts are remembered: some 10 MB of pages.
_REMEMBERED = 1 << 10
# Forms that are remembered: 8 to 20 MB.
FORMS = 1 << 16

# Returns the distinct shingles of documents, by number.
SetsOf: TypeAlias = Callable[[RowIds], Sets]


@dataclass(frozen=True)
class Texts:
    """Texts by document number; can be pickled.

    Attributes
    ----------
    documents : Documents
        ``content``, the slots of their folded texts, and what `simdup.near.rules`
        needs.
    analyzer : Analyzer
    shingling : Shingling
        What shingles are.
    read : callable
        Returns the bytes of a slot.
    """

    documents: Documents
    analyzer: Analyzer
    shingling: Shingling
    read: Callable[[Slot], bytes]
    _forms: dict[int, str] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the segmenter, and what is remembered."""
        return type(self), (self.documents, self.analyzer, self.shingling, self.read)

    def take(self, documents: RowIds) -> Texts:
        """Return some of the texts, whose numbers are the places of their documents here."""
        return replace(self, documents=self.documents.take(documents), _forms={})

    def by(self, shingling: Shingling) -> Texts:
        """Return the same texts with other shingles."""
        return replace(self, shingling=shingling)

    def text(self, number: int) -> PreparedText:
        """Return a text."""
        content = self.read(slot_at(self.documents["content"], number))
        return PreparedText(content.decode("utf-8", "surrogatepass"))

    def lost_facts(self, removed: int, kept: int) -> list[str]:
        """Return the facts of a text that another one lacks."""
        facts = self._facts
        return lost_facts(facts(removed), facts(kept), self.text(kept))

    def edit_similarities(self, a: RowIds, b: RowIds) -> NDArray[np.float64]:
        """Return the edit similarity of each pair (a[k], b[k])."""
        forms = self.forms([*a.tolist(), *b.tolist()])
        return edit_similarities(forms[: len(a)], forms[len(a) :])

    def forms(self, numbers: Sequence[int]) -> list[str]:
        """Return the forms of texts, whether they are short or not."""
        known = self._forms
        if len(known) > FORMS:
            known.clear()
        missing = list(dict.fromkeys(one for one in numbers if one not in known))
        for first in range(0, len(missing), _TOGETHER):
            some = missing[first : first + _TOGETHER]
            known.update(zip(some, forms_of(list(map(self.text, some))).texts, strict=True))
        return [known[one] for one in numbers]

    @property
    def sizes(self) -> RowIds:
        """The bytes of each text (int64[n])."""
        sizes: RowIds = self.documents["content"][:, 1]
        return sizes

    def shingles(self, numbers: Sequence[int]) -> Iterator[Shingles]:
        """Yield the distinct shingles of each of some texts."""
        starts, hashes = self.sets(np.array(numbers, np.int64))
        return (hashes[first:last].copy() for first, last in pairwise(starts.tolist()))

    def sets(self, numbers: RowIds) -> Sets:
        """Return the distinct shingles of texts."""
        texts = map(self.text, numbers.tolist())
        return self._shingler.distinct_sets(map(self._shingler.text_of, texts))

    @cached_property
    def _facts(self) -> Callable[[int], Facts]:
        return lru_cache(_REMEMBERED)(lambda number: facts_of(self.text(number)))

    @cached_property
    def _shingler(self) -> Shingler:
        return self.analyzer.shingler(self.shingling)


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


def cut_slot(whole: memoryview, slot: Slot) -> bytes:
    """Return the bytes of a slot in memory."""
    return bytes(whole[slot.start : slot.start + slot.size])


def no_texts(documents: RowIds) -> Sets:
    """Raise: fingerprints alone decide."""
    raise ValueError("texts are not known")
