"""Where the documents of a result come from, and their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.files import File
from simdup.corpus.spool import BatchSpool, SpoolReader
from simdup.model.criteria import Criteria
from simdup.model.documents import Document
from simdup.model.settings import Reading, Settings
from simdup.model.table import Documents, objects
from simdup.near.collection import Collection
from simdup.near.inputs import Input
from simdup.text.analyzer import Analyzer
from simdup.text.characters import DIGEST_TYPE
from simdup.text.fingerprinter import Fingerprinter


@dataclass(frozen=True)
class SourceDocuments:
    """The documents of a result by their numbers, and their texts, which stay while it does."""

    documents: Documents  # their names, paths, records, digests, sizes and slots of their texts
    files: Sequence[File]
    spool: SpoolReader
    reading: Reading
    criteria: Criteria
    analyzer: Analyzer
    fingerprinter: Fingerprinter | None  # None where no terms are shown

    @classmethod
    def of(
        cls,
        opened: Input,
        collection: Collection,
        fingerprinter: Fingerprinter,
    ) -> SourceDocuments:
        """Return the documents of a collection."""
        columns = {
            name: collection[name] for name in ("name", "path", "record", "digest", "original")
        }
        columns["size"] = _sizes(opened, collection)
        settings, spool = opened.settings, SpoolReader(collection.spool.folder)
        return cls(
            Documents(columns), opened.files, spool, settings.reading, settings.criteria,
            collection.analyzer, fingerprinter,
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
        spool = BatchSpool()
        slots = spool.column(text.encode("utf-8", "surrogatepass") for text in texts)
        columns = {
            "name": objects(one.name for one in documents),
            "path": objects(one.path for one in documents),
            "record": np.array([one.record for one in documents], np.int64),
            "digest": np.array([one.digest for one in prepared], DIGEST_TYPE),
            "size": slots[:, 1].copy(),
            "original": slots,
        }
        return cls(
            Documents(columns), [], spool, settings.reading, settings.criteria, analyzer,
            fingerprinter,
        )  # fmt: skip

    def text(self, number: int) -> str | None:
        """Return a document's text as it was decoded; None if it was not kept.

        A result that was pickled has figures only.
        """
        if not 0 <= number < len(self.documents):
            return None
        try:
            return self.spool.text(self.documents["original"], number)
        except FileNotFoundError:
            return None


def _sizes(opened: Input, collection: Collection) -> NDArray[np.int64]:
    """Return the bytes of files that are one document each, and of the texts of others in UTF-8."""
    sizes, paths = collection["size"].copy(), collection["path"]
    whole = {file.path: file.size for file in opened.files if not file.compression}
    for row in np.flatnonzero((collection["record"] == 0) & ~collection.skipped).tolist():
        sizes[row] = whole.get(paths[row], sizes[row])
    return sizes
