"""Where the documents of a run come from, so that some of them can be read again.

Documents that were not read have a place in the input too.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.batches import Batch, RowBatch, batches
from simdup.corpus.files import STDIN, File
from simdup.corpus.record_batches import RecordBatch
from simdup.corpus.rows import Rows, row_batches
from simdup.model.criteria import Criteria
from simdup.model.documents import Document
from simdup.model.settings import Reading, Settings
from simdup.model.table import Documents, objects
from simdup.near.batch_reader import read_stripped
from simdup.near.collection import Collection
from simdup.near.inputs import Input
from simdup.text.analyzer import Analyzer
from simdup.text.characters import DIGEST_TYPE
from simdup.text.fingerprinter import Fingerprinter


@dataclass(frozen=True)
class SourceDocuments:
    """The documents of a result by their numbers, and the sources that can be read again."""

    documents: Documents  # their names, paths, records, digests, sizes and more
    files: Sequence[File]
    rows: Rows | None  # texts that were passed from Python
    reading: Reading
    criteria: Criteria
    analyzer: Analyzer
    fingerprinter: Fingerprinter | None  # None where no terms are shown
    texts: Sequence[str] = ()  # of all documents, if they are still in memory

    @classmethod
    def of(
        cls,
        opened: Input,
        collection: Collection,
        fingerprinter: Fingerprinter,
    ) -> SourceDocuments:
        """Return the documents of a collection."""
        columns = {name: collection[name] for name in ("name", "path", "record", "digest")}
        columns["size"] = _sizes(opened, collection)
        settings = opened.settings
        return cls(
            Documents(columns), opened.files, opened.rows, settings.reading,
            settings.criteria, collection.analyzer, fingerprinter,
        )  # fmt: skip

    @classmethod
    def of_texts(
        cls,
        documents: Sequence[Document],
        settings: Settings,
        analyzer: Analyzer,
        fingerprinter: Fingerprinter | None,
    ) -> SourceDocuments:
        """Return some documents whose texts are in memory."""
        texts = [one.text for one in documents]
        prepared = analyzer.prepare_all(texts)
        sizes = [len(text.encode("utf-8", "surrogatepass")) for text in texts]
        columns = {
            "name": objects(one.name for one in documents),
            "path": objects(one.path for one in documents),
            "record": np.array([one.record for one in documents], np.int64),
            "digest": np.array([one.digest for one in prepared], DIGEST_TYPE),
            "size": np.array(sizes, np.int64),
        }
        return cls(
            Documents(columns), [], None, settings.reading, settings.criteria, analyzer,
            fingerprinter, texts,
        )  # fmt: skip

    def read_again(self, numbers: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Yield (number, text) of documents, file by file; what cannot be read again is missing."""
        if self.texts:
            yield from ((number, self.texts[number]) for number in numbers)
            return
        wanted: dict[str, dict[int, int]] = {}
        paths, records = self.documents["path"], self.documents["record"]
        for number in numbers:
            wanted.setdefault(paths[number], {})[int(records[number])] = number
        for file in self.files:
            if file.path in wanted and _rewind(file):
                yield from self._read(batches([file], self.reading), wanted[file.path])
        if "" in wanted and self.rows is not None and self.rows.again:
            yield from self._read(row_batches(self.rows, []), wanted[""])

    def _read(self, found: Iterable[Batch], wanted: dict[int, int]) -> Iterator[tuple[int, str]]:
        """Yield the texts of wanted records; a batch without any is not parsed."""
        for batch, following in pairwise(chain(found, [None])):
            if batch is None:
                return
            first, last = _first(batch), _first(following) or sys.maxsize
            if first and not any(first <= record < last for record in wanted):
                continue
            for one in read_stripped(batch, self.reading, self.analyzer.recipe):
                if isinstance(one, Document) and one.record in wanted:
                    yield wanted[one.record], one.text


def _sizes(opened: Input, collection: Collection) -> NDArray[np.int64]:
    """Return the bytes of files that are one document each, and of the texts of others in UTF-8."""
    sizes, paths = collection["size"].copy(), collection["path"]
    whole = {file.path: file.size for file in opened.files if not file.compression}
    for row in np.flatnonzero((collection["record"] == 0) & ~collection.skipped).tolist():
        sizes[row] = whole.get(paths[row], sizes[row])
    return sizes


def _first(batch: Batch | None) -> int:
    """Return the number of the first record of a batch; 0 for anything else."""
    if isinstance(batch, RecordBatch):
        return batch.record
    return batch.first if isinstance(batch, RowBatch) else 0


def let_rewind() -> None:
    """Let standard input be read again: unless it is a file, it is copied to one first."""
    number = sys.stdin.fileno()
    if stat.S_ISREG(os.fstat(number).st_mode):
        return
    with tempfile.TemporaryFile() as copy, open(number, "rb", closefd=False) as stream:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        os.dup2(copy.fileno(), number)


def _rewind(file: File) -> bool:
    """Go to the beginning of standard input; return whether a file can be read again."""
    if file.path != STDIN or file.content_path:
        return True
    with suppress(OSError, ValueError):
        number = sys.stdin.fileno()
        if stat.S_ISREG(os.fstat(number).st_mode):
            os.lseek(number, 0, os.SEEK_SET)
            return True
    return False
