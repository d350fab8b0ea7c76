"""What an index gets: documents to add or to ask about, from texts or fingerprint lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from simdup.base.errors import SimdupError, invalid
from simdup.corpus.batches import Batch, RowBatch, TextBatch, read
from simdup.corpus.files import STDIN
from simdup.corpus.fingerprint_lines import FingerprintLines, format_header, read_lines
from simdup.index.keyset import KeySet
from simdup.index.sections import (
    TEXT_HASH,
    content_hashes,
    line_documents,
    name_keys,
    text_hash,
    to_numbers,
)
from simdup.index.session import Session
from simdup.model.criteria import INDEX_METHODS, Criteria, Shingling
from simdup.model.documents import Document, Skipped
from simdup.model.matches import Added, QueryResults
from simdup.model.settings import RunOptions, Settings
from simdup.model.table import Documents, objects
from simdup.near.batch_reader import (
    DOCUMENTS,
    BatchReader,
    Left,
    ReadBatch,
    document_columns,
    strip_documents,
)
from simdup.near.collection import Collection, ingest_as_they_come
from simdup.near.counting import Counting, Prepared
from simdup.near.sources import Data, Input, open_input
from simdup.text.families import SIZE, bbit_sketch
from simdup.text.fingerprinter import Fingerprinter, Fingerprints
from simdup.text.shingles import Shingler

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
    analyzer = fingerprinter.analyzer
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


def stream_options(sources: Sources, run: RunOptions) -> RunOptions:
    """Return the run options for a query that may have to answer line by line."""
    named = [sources] if isinstance(sources, str) else sources
    if run.jobs is None and isinstance(named, list | tuple) and STDIN in named:
        # Workers receive documents in advance, so a slow writer would wait for its answers.
        return replace(run, jobs=1)
    return run


def text_documents(
    session: Session,
    sources: Sources,
    settings: Settings,
    result: Added | QueryResults,
    known: KeySet | None = None,
) -> Iterator[Documents]:
    """Yield documents, batch by batch, except those already in the index."""
    fingerprinter = session.recipe.fingerprinter
    opened = open_input(sources, settings)
    report, known_before = opened.report, 0
    result.skipped, result.notes = report.skipped, report.notes
    for documents in read_documents(opened, fingerprinter, known):
        found = documents.fingerprints(fingerprinter)
        if isinstance(result, Added):
            result.unchanged += report.unchanged - known_before
            known_before = report.unchanged
        if len(documents):
            yield indexed(documents, found)


def line_documents_of(session: Session, sources: Sources) -> Documents:
    """Return the documents of fingerprint lines, which must have the recipe of the index."""
    bits, digest = session.recipe.bits, session.recipe.resolved["digest"]
    lines = read_fingerprints(sources, bits, digest)
    if len(lines.names) and (lines.bits, lines.recipe) != (bits, digest):
        theirs = f"{lines.bits} bits, recipe {lines.recipe or 'unknown'}"
        header = format_header(digest, bits).decode().rstrip()
        raise SimdupError(
            session.storage.path,
            f"the lines have {theirs}; the index has {bits} bits, recipe {digest or 'unknown'}",
            f"lines with its recipe begin with: {header}" if digest else "",
        )
    return line_documents(lines.names, lines.values)


def require_method(criteria: Criteria, fingerprints: bool = False) -> None:
    """Raise if an index, or fingerprint lines, cannot be searched by the method."""
    if criteria.method not in INDEX_METHODS:
        raise invalid("method", criteria.method, "one of " + ", ".join(INDEX_METHODS))
    if fingerprints and criteria.method == "minhash":
        raise SimdupError(
            "method", "fingerprint lines have no texts, which minhash compares", field="method"
        )
