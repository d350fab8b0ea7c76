"""Templates: text that everybody has, so that nobody copied it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simdup.features.folding import fold_all
from simdup.features.shingles import hash_runs
from simdup.reuse.symbols import HOLE, SymbolTexts, cut
from simdup.search.arrays import U64, contains, distinct


@dataclass(frozen=True)
class Template:
    """Runs of symbols that are ignored wherever they occur."""

    run: int
    hashes: U64  # of its runs of that length, rising

    @classmethod
    def of(cls, texts: Sequence[str], run: int) -> Template:
        """Return the template of some texts: all of their runs of so many units."""
        found = [_hashes(cut([folded]), run) for folded in fold_all(texts)]
        return cls(run, distinct(np.concatenate([np.zeros(0, np.uint64), *found])))

    def cover(self, texts: SymbolTexts) -> SymbolTexts:
        """Return texts with holes where they have a run of the template."""
        hashes = _hashes(texts, self.run)
        if not len(hashes) or not len(self.hashes):
            return texts
        edges = np.zeros(len(texts.symbols) + 1, np.int64)
        known = np.flatnonzero(contains(self.hashes, hashes))
        # Not where a run reaches into the next text.
        ends = texts.starts[np.searchsorted(texts.starts, known, "right")]
        known = known[known + self.run <= ends]
        np.add.at(edges, known, 1)
        np.add.at(edges, known + self.run, -1)
        return texts._replace(symbols=np.where(np.cumsum(edges)[:-1] > 0, HOLE, texts.symbols))


def _hashes(texts: SymbolTexts, run: int) -> U64:
    if len(texts.symbols) < run:
        return np.zeros(0, np.uint64)
    return hash_runs(texts.symbols.astype(np.uint64), run)
