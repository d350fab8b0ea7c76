"""The spooled texts of documents, as verification reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.spool import Slot, Slots, slot_at
from simdup.features.analyzer import Analyzer
from simdup.features.facts import Facts, facts_of, lost_facts
from simdup.features.shingles import Sets, Shingler, Shingles
from simdup.features.short_texts import forms_of
from simdup.features.text import PreparedText
from simdup.model.shingling import Shingling

# Texts whose forms are made together: most are short, and take 2 MB.
_TOGETHER = 1 << 10
# Texts whose facts are remembered: some 10 MB of pages.
_REMEMBERED = 1 << 10


@dataclass(frozen=True)
class StoredTexts:
    """Folded texts by document number; can be pickled."""

    analyzer: Analyzer
    shingling: Shingling
    # Of each document.  Processes share an array, whereas each would copy the objects it accesses.
    slots: Slots
    read: Callable[[Slot], bytes]  # returns the bytes of a slot

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the segmenter."""
        return type(self), (self.analyzer, self.shingling, self.slots, self.read)

    @cached_property
    def _shingler(self) -> Shingler:
        return self.analyzer.shingler(self.shingling)

    def text(self, number: int) -> PreparedText:
        """Return a text."""
        folded = self.read(slot_at(self.slots, number)).decode("utf-8", "surrogatepass")
        return PreparedText(folded)

    def lost_facts(self, removed: int, kept: int) -> list[str]:
        """Return the facts of a text that another one lacks."""
        facts = self._facts
        return lost_facts(facts(removed), facts(kept), self.text(kept))

    @cached_property
    def _facts(self) -> Callable[[int], Facts]:
        return lru_cache(_REMEMBERED)(lambda number: facts_of(self.text(number)))

    def forms(self, numbers: Sequence[int]) -> list[str]:
        """Return the forms of texts, whether they are short or not."""
        parts = (numbers[i : i + _TOGETHER] for i in range(0, len(numbers), _TOGETHER))
        return [form for part in parts for form in forms_of(list(map(self.text, part))).texts]

    def shingles(self, number: int) -> Shingles:
        """Return the distinct shingles of a text."""
        return self._shingler.shingles(self._shingler.text_of(self.text(number)))

    def sets(self, numbers: NDArray[np.int64]) -> Sets:
        """Return the distinct shingles of texts."""
        texts = map(self.text, numbers.tolist())
        return self._shingler.distinct_sets(map(self._shingler.text_of, texts))
