"""The spooled texts of documents, as verification reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.spool import Slot
from simdup.features.analyzer import Analyzer
from simdup.features.shingles import Sets, Shingler, Shingles
from simdup.model.shingling import Shingling


@dataclass(frozen=True)
class StoredTexts:
    """Texts by document number; can be pickled."""

    analyzer: Analyzer
    shingling: Shingling
    # int64[documents, 3]: their positions, as in `Slot`.  Processes share an array, whereas each
    # process would copy the objects that it accesses.
    slots: NDArray[np.int64]
    read: Callable[[Slot], bytes]  # returns the bytes of a slot

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the segmenter."""
        return type(self), (self.analyzer, self.shingling, self.slots, self.read)

    @cached_property
    def _shingler(self) -> Shingler:
        return self.analyzer.shingler(self.shingling)

    def text(self, number: int) -> str:
        """Return a text in the form that is cut into shingles."""
        return self.read(Slot(*self.slots[number].tolist())).decode("utf-8", "surrogatepass")

    def shingles(self, number: int) -> Shingles:
        """Return the distinct shingles of a text."""
        return self._shingler.shingles(self.text(number))

    def sets(self, numbers: NDArray[np.int64]) -> Sets:
        """Return the distinct shingles of texts."""
        return self._shingler.distinct_sets(map(self.text, numbers.tolist()))
