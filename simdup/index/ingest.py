"""Turn sources into the documents of an index, or read fingerprint lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from simdup.corpus.batches import Batch, RowBatch, TextBatch, read
from simdup.corpus.fingerprint_lines import FingerprintLines, read_lines
from simdup.errors import SimdupError
from simdup.features.shingles import Shingler
from simdup.fingerprints.fingerprinter import Fingerprinter, Fingerprints
from simdup.index.keyset import KeySet
from simdup.index.sections import TEXT_HASH, content_hashes, name_keys, text_hash, to_numbers
from simdup.ingest.batch_reader import (
    DOCUMENTS,
    BatchReader,
    Left,
    ReadBatch,
    document_columns,
)
from simdup.ingest.collection import Collection, ingest_as_they_come
from simdup.ingest.counting import Counting, Prepared
from simdup.ingest.sources import Data, Input
from simdup.ingest.stripped import strip_documents
from simdup.lsh.bbit import SIZE, bbit_sketch
from simdup.model.documents import Document, Skipped
from simdup.model.shingling import Shingling
from simdup.model.table import Documents, objects

# Texts as for a scan, files of fingerprint lines, or names and fingerprints.
Sources: TypeAlias = Data

# Part of the format of an index: other shingles would give other sketches.
_shingler = Shingler(Shingling(5))


def summaries(batch: Prepared) -> Mapping[str, Mapping[str, Any]]:
    """Make what an index stores of texts: a hash of the text, and a sketch of its shingles."""
    each = (
        text_hash(document.text) + bbit_sketch(_shingler.shingles(text.compact)).tobytes()
        for document, text in batch.documents
    )
    found = np.frombuffer(b"".join(each), np.uint8)
    return {DOCUMENTS: {"summary": found.reshape(len(batch.documents), TEXT_HASH + SIZE)}}


@dataclass(frozen=True)
class _ReadChanged:
    """Reads the documents of a batch, except those already in the index."""

    reader: BatchReader
    known: KeySet

    def __call__(self, number: int) -> Callable[[Batch], ReadBatch]:
        """Return the function that reads a batch, for any process."""
        return self.read

    def read(self, batch: Batch) -> ReadBatch:
        found = list(read(batch, self.reader.reading))
        documents = [one for one in found if isinstance(one, Document)]
        skipped = [one for one in found if isinstance(one, Skipped)]
        keys = name_keys(document.name for document in documents)
        strip = self.reader.recipe.strip
        hashes = map(text_hash, strip_documents(documents, strip))
        texts = to_numbers(b"".join(hashes))
        known = self.known.contain(content_hashes(keys, texts[:, None])).tolist()
        # The last text of an id counts, also if it is the one that the index has.
        repeated = batch.repeated if isinstance(batch, RowBatch) else frozenset[str]()
        same = [one and document.name not in repeated
                for document, one in zip(documents, known, strict=True)]  # fmt: skip
        pairs = list(zip(documents, same, strict=True))
        changed = tuple(one for one, as_before in pairs if not as_before)
        done = self.reader.read(TextBatch(changed, batch.size))
        # Only a scan asks what documents they are between.
        done.left = [Left(0, one, "") for one in skipped] + done.left
        as_before = [one for one, unchanged in pairs if unchanged]
        done.unchanged = Documents(document_columns(as_before, self.reader.reading))
        return done


def read_documents(
    opened: Input, fingerprinter: Fingerprinter, known: KeySet | None = None
) -> Iterator[Collection]:
    """Yield documents batch by batch, except those already in the index."""
    settings = opened.settings
    analyzer = replace(fingerprinter.analyzer, segmenter=settings.run.segmenter)
    work = Counting(analyzer, [summaries])
    reader = BatchReader(settings.reading, work, analyzer.recipe)
    return ingest_as_they_come(
        opened, analyzer, reader if known is None else _ReadChanged(reader, known)
    )


def indexed(collection: Collection, found: Fingerprints) -> Documents:
    """Return what an index keeps of fingerprinted documents, except those without words."""
    chosen = np.flatnonzero(found.terms)
    summaries = collection["summary"][chosen]
    names = list(map(str, collection["name"][chosen]))
    keys = name_keys(names)
    texts = to_numbers(summaries[:, :TEXT_HASH].tobytes())
    return Documents(
        {
            "name": objects(names),
            **{name: column[chosen] for name, column in found.columns.items()},
            "name_key": keys,
            "content_key": content_hashes(keys, texts[:, None]),
            "length": collection["length"][chosen],
            "sketch": summaries[:, TEXT_HASH:],
        }
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
