"""From a batch to its documents as symbols and seeds: read, fold, cut, winnow and spool."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import compress, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.batches import Batch, read
from simdup.corpus.spool import Slot, SpoolWriter
from simdup.features.folding import fold_all
from simdup.features.text import digest_bytes
from simdup.ingest.seen import Seen
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading
from simdup.reuse.symbols import SymbolTexts, cut
from simdup.reuse.templates import Template
from simdup.reuse.winnowing import Window, winnow


class CutSlots(NamedTuple):
    """Where the texts of a batch are, one after the other, that were met first."""

    symbols: Slot  # uint32
    hashes: Slot  # uint64, of their seeds
    positions: Slot  # int64, of their seeds, from the first symbol of the batch


@dataclass(slots=True)
class CutBatch:
    """The documents of a batch, cut."""

    size: int  # of the batch in bytes
    documents: list[Document] = field(default_factory=list)  # without their texts
    digests: list[bytes] = field(default_factory=list)  # of the symbols of each
    originals: list[Slot] = field(default_factory=list)  # the text of each as it was decoded
    first_seen: list[bool] = field(default_factory=list)  # whether its symbols are spooled
    lengths: list[int] = field(default_factory=list)  # symbols of those that are
    slots: CutSlots | None = None
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True)
class BatchCutter:
    """Cuts batches; can be pickled and sent to other processes."""

    reading: Reading
    window: Window
    spool: str  # its folder
    template: Template | None = None
    seen: Seen = field(default_factory=Seen)

    def __reduce__(self) -> tuple[object, ...]:
        """Leave behind what forked processes share."""
        return type(self), (self.reading, self.window, self.spool, self.template)

    def __call__(self, number: int) -> Callable[[Batch], CutBatch]:
        """Return the function from a batch to its documents for the process of that number."""
        writer = SpoolWriter(self.spool, number)
        return lambda batch: self._cut(batch, writer)

    def _cut(self, batch: Batch, writer: SpoolWriter) -> CutBatch:
        done = CutBatch(batch.size)
        found = list(read(batch, self.reading))
        done.skipped = [one for one in found if isinstance(one, Skipped)]
        documents = [one for one in found if isinstance(one, Document)]
        texts = cut(fold_all([one.text for one in documents]))
        bounds = list(pairwise(texts.starts.tolist()))
        filled = [end > start for start, end in bounds]
        done.skipped += [
            one.skip("empty") for one, some in zip(documents, filled, strict=True) if not some
        ]
        documents, bounds = list(compress(documents, filled)), list(compress(bounds, filled))
        done.digests = [digest_bytes(texts.symbols[start:end].data) for start, end in bounds]
        done.first_seen = self._first_seen(done.digests)
        done.originals = writer.write(
            one.text.encode("utf-8", "surrogatepass") for one in documents
        )
        done.documents = [one._replace(text="") for one in documents]
        self._spool(_take(texts.symbols, compress(bounds, done.first_seen)), writer, done)
        return done

    def _first_seen(self, digests: list[bytes]) -> list[bool]:
        here = set[bytes]()
        first = []
        for digest in digests:
            first.append(digest not in here and digest not in self.seen)
            here.add(digest)
            self.seen.add(digest)
        return first

    def _spool(self, texts: SymbolTexts, writer: SpoolWriter, done: CutBatch) -> None:
        if self.template is not None:
            texts = self.template.cover(texts)
        seeds = winnow(texts, self.window)
        arrays = (texts.symbols, seeds.hashes, seeds.positions)
        done.slots = CutSlots(*writer.write(array.tobytes() for array in arrays))
        done.lengths = np.diff(texts.starts).tolist()


def _take(symbols: NDArray[np.uint32], bounds: Iterable[tuple[int, int]]) -> SymbolTexts:
    """Return some of the texts."""
    parts = [symbols[start:end] for start, end in bounds]
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return SymbolTexts(starts, np.concatenate([symbols[:0], *parts]))
