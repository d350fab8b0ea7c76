"""A corpus whose documents were cut into symbols, and winnowed; their texts stay in the spool.

Documents with the same symbols are one text, which is compared once.  The result does not depend
on how many processes read them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.names import NameRegistry
from simdup.corpus.spool import Slot, SpoolReader, spool_folder
from simdup.errors import SimdupError
from simdup.ingest.corpus import make_batches
from simdup.ingest.cutting import BatchCutter, CutBatch, CutSlots
from simdup.ingest.given import Given
from simdup.ingest.mapped import mapped
from simdup.ingest.sources import Input
from simdup.model.documents import Skipped
from simdup.reuse.extension import MARGIN
from simdup.reuse.symbols import HOLE, Symbols, end_marks
from simdup.reuse.templates import Template
from simdup.reuse.winnowing import Seeds, Window

I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

# Two positions are sorted as one number: some 13 GB of Chinese.
MOST_UNITS = 1 << 32


@dataclass
class CutCorpus:
    """Documents that were read, as symbols and seeds."""

    folder: str  # of the spool
    reader: SpoolReader
    given: Given
    registry: NameRegistry = field(default_factory=NameRegistry)
    # Of each document.
    names: list[Any] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    records: list[int] = field(default_factory=list)  # their numbers in files of records, or 0
    originals: list[Slot] = field(default_factory=list)
    text_of: list[int] = field(default_factory=list)  # the text it has
    notes: list[tuple[str, str]] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    # The number of each text, by its digest: in the order in which documents have them.
    _texts: dict[bytes, int] = field(default_factory=dict)
    # Of each batch: where its texts are, and the digest and the length of each.
    _spooled: list[tuple[CutSlots, list[bytes], list[int]]] = field(default_factory=list)

    def add(self, batch: CutBatch) -> None:
        """Take in a batch."""
        self.given.take(batch.documents)
        names, notes = self.registry.assign_all(batch.documents, self.given.ids)
        skipped, left_out = self.given.skip_all(batch.skipped)
        self.names += names
        self.notes += notes + left_out
        self.skipped += skipped
        for document, digest in zip(batch.documents, batch.digests, strict=True):
            self.paths.append(document.path)
            self.records.append(document.record)
            self.text_of.append(self._texts.setdefault(digest, len(self._texts)))
        self.originals += batch.originals
        first = zip(batch.digests, batch.first_seen, strict=True)
        if batch.slots is not None:
            self._spooled.append((batch.slots, [d for d, new in first if new], batch.lengths))

    def text(self, document: int) -> str:
        """Return the text of a document as it was decoded."""
        return self.reader.read(self.originals[document]).decode("utf-8", "surrogatepass")

    @cached_property
    def sizes(self) -> I64:
        """The symbols of each text."""
        sizes = np.zeros(len(self._texts), np.int64)
        for _, digests, lengths in self._spooled:
            sizes[[self._texts[digest] for digest in digests]] = lengths
        return sizes

    def assemble(self) -> tuple[I64, Symbols, Seeds]:
        """Return where each text begins, all texts surrounded, and their seeds in order.

        Raises
        ------
        SimdupError
            If there are more units than positions have numbers.
        """
        starts = np.append(0, np.cumsum(self.sizes + 1)) + MARGIN
        size = int(starts[-1]) + MARGIN
        if size > MOST_UNITS:
            what = f"{int(self.sizes.sum()):,} units are more than {MOST_UNITS:,}"
            raise SimdupError("passages", what, "compare it in parts")
        symbols = self._mapped("symbols", np.uint32, size)
        symbols[:MARGIN] = symbols[size - MARGIN :] = HOLE
        symbols[starts[1:] - 1] = end_marks(np.arange(len(self.sizes)))
        most = sum(slots.hashes.size for slots, _, _ in self._spooled) // 8
        hashes = self._mapped("hashes", np.uint64, most)
        positions = self._mapped("positions", np.int64, most)
        filled = np.zeros(len(self.sizes), np.bool_)
        done = 0
        for slots, digests, lengths in self._spooled:
            own = np.array([self._texts[digest] for digest in digests], np.int64)
            fresh = ~filled[own]
            filled[own] = True
            firsts = np.append(0, np.cumsum(lengths, dtype=np.int64))
            self._fill(symbols, starts, (own, firsts, fresh), slots.symbols)
            where = self._array(slots.positions, np.int64)
            owners = np.searchsorted(firsts, where, "right") - 1
            used = fresh[owners]
            end = done + int(np.count_nonzero(used))
            hashes[done:end] = self._array(slots.hashes, np.uint64)[used]
            positions[done:end] = (where + (starts[own] - firsts[:-1])[owners])[used]
            done = end
        hashes, positions = hashes[:done], positions[:done]
        # A process may have met a text before the one that comes first in order.
        if (positions[1:] < positions[:-1]).any():
            order = np.argsort(positions, kind="stable")
            hashes, positions = hashes[order], positions[order]
        return starts, symbols, Seeds(hashes, positions)

    def _fill(
        self, symbols: Symbols, starts: I64, batch: tuple[I64, I64, Bools], slot: Slot
    ) -> None:
        """Put the symbols of those texts of a batch in their places that are not there yet."""
        own, firsts, fresh = batch
        content = self._array(slot, np.uint32)
        if (content == HOLE).any():
            marks = end_marks(np.repeat(own, np.diff(firsts)))
            content = np.where(content == HOLE, marks, content)
        rows = zip(starts[own][fresh], firsts[:-1][fresh], firsts[1:][fresh], strict=True)
        for start, low, high in rows:
            symbols[start : start + high - low] = content[low:high]

    def _mapped(self, name: str, kind: type[np.generic], count: int) -> NDArray[Any]:
        return mapped(os.path.join(self.folder, name), kind, count)

    def _array(self, slot: Slot, kind: type[np.generic]) -> NDArray[Any]:
        return np.frombuffer(self.reader.read(slot), kind)


@dataclass(frozen=True, slots=True)
class PairTexts:
    """The texts of pairs of documents: call it with the number of a pair and a side, 0 or 1."""

    corpus: CutCorpus
    documents: I64  # int64[pairs, 2]

    def __call__(self, pair: int, side: int = 0) -> str:
        """Return a text as it was decoded."""
        return self.corpus.text(int(self.documents[pair, side]))


@contextmanager
def ingest_cut(
    opened: Input, window: Window, template: Template | None = None
) -> Iterator[CutCorpus]:
    """Read and cut all documents, and keep the spool while they are worked on."""
    with spool_folder() as folder:
        reader = SpoolReader(folder)
        try:
            corpus = CutCorpus(folder, reader, opened.given)
            corpus.skipped += opened.skipped
            corpus.notes += opened.notes
            cutter = BatchCutter(opened.settings.reading, window, folder, template)
            for _, batch in make_batches(opened, cutter):
                corpus.add(batch)
            skipped, notes = opened.given.finish()
            corpus.skipped += skipped
            corpus.notes += notes
            yield corpus
        finally:
            reader.close()
