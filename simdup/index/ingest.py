"""Turn sources into the columns of an index: documents, or fingerprint lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from simdup.corpus.batches import Batch, RowBatch, TextBatch, read
from simdup.corpus.fingerprint_lines import FingerprintLines, read_lines
from simdup.corpus.names import to_bytes
from simdup.errors import SimdupError
from simdup.features.shingles import Shingler
from simdup.features.text import PreparedText
from simdup.fingerprints.fingerprinter import Fingerprinter, Fingerprints
from simdup.index.columns import (
    Columns,
    content_hashes,
    name_keys,
    text_hash,
    to_numbers,
)
from simdup.index.keyset import KeySet
from simdup.ingest.corpus import Corpus, ingest_as_they_come
from simdup.ingest.counting import BatchCounter, BatchOptions, CountedBatch
from simdup.ingest.sources import Data, Input
from simdup.ingest.stripped import strip_documents
from simdup.lsh.bbit import SIZE, bbit_sketch
from simdup.model.documents import Document, Skipped
from simdup.model.shingling import Shingling

# Texts as for a scan, files of fingerprint lines, or names and fingerprints.
Sources: TypeAlias = Data

# Terms are counted up to this number; only small numbers matter.
_MOST_TERMS = 255

# Part of the format of an index: other shingles would give other sketches.
_shingler = Shingler(Shingling(5))


def summarize(document: Document, text: PreparedText) -> bytes:
    """Return what an index stores of a text: a hash of the text, and a sketch of its shingles."""
    sketch = bbit_sketch(_shingler.shingles(text.compact))
    return text_hash(document.text) + sketch.tobytes()


KEEP_SUMMARIES = BatchOptions(extras=summarize)


@dataclass(frozen=True)
class _CountChanged:
    """Counts the documents of a batch, except those already in the index."""

    counter: BatchCounter
    known: KeySet

    def __call__(self, number: int) -> Callable[[Batch], CountedBatch]:
        """Return the function that counts a batch, for any process."""
        return self.count

    def count(self, batch: Batch) -> CountedBatch:
        found = list(read(batch, self.counter.reading))
        documents = [one for one in found if isinstance(one, Document)]
        skipped = [one for one in found if isinstance(one, Skipped)]
        keys = name_keys(document.name for document in documents)
        strip = self.counter.analyzer.recipe.strip
        hashes = map(text_hash, strip_documents(documents, strip))
        texts = to_numbers(b"".join(hashes))
        known = self.known.contain(content_hashes(keys, texts[:, None])).tolist()
        # The last text of an id counts, also if it is the one that the index has.
        repeated = batch.repeated if isinstance(batch, RowBatch) else frozenset[str]()
        same = [one and document.name not in repeated
                for document, one in zip(documents, known, strict=True)]  # fmt: skip
        pairs = list(zip(documents, same, strict=True))
        changed = tuple(one for one, as_before in pairs if not as_before)
        counted = self.counter.count(TextBatch(changed, batch.size))
        counted.skipped = skipped + counted.skipped
        counted.unchanged = [one._replace(text="") for one, as_before in pairs if as_before]
        return counted


def read_documents(
    opened: Input, fingerprinter: Fingerprinter, known: KeySet | None = None
) -> Iterator[Corpus]:
    """Yield documents batch by batch, except those already in the index."""
    settings = opened.settings
    analyzer = replace(fingerprinter.analyzer, segmenter=settings.run.segmenter)
    options = replace(KEEP_SUMMARIES, standalone=True)
    counter = BatchCounter(analyzer, settings.reading, options)
    work = counter if known is None else _CountChanged(counter, known)
    return ingest_as_they_come(opened, analyzer, work)


def to_columns(corpus: Corpus, found: Fingerprints) -> Columns:
    """Return the columns of fingerprinted documents, except those without words."""
    chosen = np.flatnonzero(found.terms)
    rows = chosen.tolist()
    summaries = np.frombuffer(b"".join(corpus.extras[i] for i in rows), np.uint8)
    summaries = summaries.reshape(-1, 8 + SIZE)
    names = [str(corpus.names[i]) for i in rows]
    keys = name_keys(names)
    return Columns(
        [to_bytes(name) for name in names],
        found.values[chosen],
        keys,
        content_hashes(keys, to_numbers(summaries[:, :8].tobytes())[:, None]),
        corpus.lengths[chosen].astype(np.uint32),
        np.minimum(found.terms[chosen], _MOST_TERMS).astype(np.uint8),
        summaries[:, 8:],
    )


def read_fingerprints(sources: Sources, bits: int, digest: str) -> FingerprintLines:
    """Read fingerprint lines from files, or convert pairs of names and fingerprints."""
    given: list[Any] = [sources] if isinstance(sources, str | os.PathLike) else list(sources)
    if not given:
        return FingerprintLines([], np.zeros((0, -(-bits // 64)), np.uint64), bits, digest)
    if isinstance(given[0], str | os.PathLike):
        return read_lines([os.fspath(one) for one in given])
    size = -(-bits // 64) * 8
    try:
        content = b"".join(value.to_bytes(size, "big") for _, value in given)
        if any(value >> bits for _, value in given):
            raise OverflowError
    except OverflowError:
        what = f"fingerprints must be numbers of {bits} bits"
        raise SimdupError("fingerprints", what, field="fingerprints") from None
    values = np.frombuffer(content, ">u8").astype(np.uint64).reshape(len(given), -1)
    return FingerprintLines([name for name, _ in given], values, bits, digest)
