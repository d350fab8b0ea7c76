"""Stages 2 and 3: the frequencies of terms, and the fingerprints of counted documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simdup.model.criteria import Criteria
from simdup.search.arrays import I64, U64
from simdup.spark.partitions import batch_of, to_array
from simdup.text.analyzer import Analyzer
from simdup.text.bands import pstable_signatures
from simdup.text.counts import Counts, join, unpack_counts
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.weights import Model, Weighting

TERMS = pa.schema({"term": pa.int64(), "documents": pa.int64()})

FINGERPRINTS = pa.schema(
    {
        "row": pa.int64(), "fingerprint": pa.binary(), "terms": pa.int64(),
        # Band keys and sketches of vectors, for the method that searches these.
        "vector_keys": pa.binary(), "vector_sketch": pa.binary(),
        # The vectors themselves, if a cosine is measured: term hashes and weights.
        "term_hashes": pa.binary(), "weights": pa.binary(),
    }
)  # fmt: skip

# Terms of a task that are held before they are summed: 64 MB.
_TERMS = 1 << 22


def count_terms(batches: Iterator[pa.RecordBatch], hash_bytes: int) -> Iterator[pa.RecordBatch]:
    """Yield how many documents of a task have each term; a term may come several times."""
    waiting: list[tuple[U64, I64]] = []
    size = 0
    for batch in batches:
        for counts, _ in _unpack(batch, hash_bytes):
            waiting.append((counts.ids, counts.document_frequencies().astype(np.int64)))
            size += len(counts.ids)
            if size >= _TERMS:
                yield _summed(waiting)
                waiting, size = [], 0
    if waiting:
        yield _summed(waiting)


def _unpack(batch: pa.RecordBatch, hash_bytes: int) -> Iterator[tuple[Counts, I64]]:
    """Yield counts, and the rows of their documents."""
    columns = (batch.column(name).to_pylist() for name in ("counts", "rows", "text_of"))
    for content, rows, text_of in zip(*columns, strict=True):
        texts = np.frombuffer(text_of, np.int64)
        counts = join([unpack_counts(content)], hash_bytes, row_of=texts)
        yield counts, np.frombuffer(rows, np.int64)


def _summed(parts: list[tuple[U64, I64]]) -> pa.RecordBatch:
    ids, places = np.unique(np.concatenate([part for part, _ in parts]), return_inverse=True)
    sums = np.bincount(places, np.concatenate([part for _, part in parts]), len(ids))
    columns = {"term": ids.view(np.int64), "documents": sums.astype(np.int64)}
    return batch_of(TERMS, columns, len(ids))


def model_of(terms: pa.Table, documents: int, terms_digest: str) -> Model:
    """Return the model of summed frequencies, of all terms that several documents have."""
    ids = to_array(terms["term"]).view(np.uint64)
    order = np.argsort(ids)
    df = to_array(terms["documents"]).astype(np.int32)
    return Model("corpus", documents, ids[order], df[order], terms_digest, unlisted=1)


@dataclass(frozen=True)
class ModelFile:
    """A model that workers map from a file, so that those of a machine share its memory."""

    path: str
    name: str
    documents: int
    terms_digest: str
    unlisted: int

    @classmethod
    def save(cls, model: Model, folder: str) -> ModelFile:
        """Write the terms and frequencies of a model to a file of a folder."""
        path = str(Path(folder) / f"simdup-{model.digest()}.npy")
        columns = np.zeros(len(model.ids), [("ids", "<u8"), ("df", "<i4")])
        columns["ids"], columns["df"] = model.ids, model.df
        with Path(path).open("wb") as file:
            np.save(file, columns)
        return cls(path, model.name, model.documents, model.terms_digest, model.unlisted)

    def load(self) -> Model:
        """Return the model."""
        columns = _map(self.path)
        return Model(
            self.name, self.documents, columns["ids"], columns["df"], self.terms_digest,
            self.unlisted,
        )  # fmt: skip


@cache
def _map(path: str) -> NDArray[np.void]:
    """Map a file of the driver, or the copy of it that Spark made on another machine."""
    if not Path(path).exists():
        from pyspark import SparkFiles

        path = SparkFiles.get(Path(path).name)
    found: NDArray[np.void] = np.load(path, mmap_mode="r")
    return found


@dataclass(frozen=True)
class Weigh:
    """Makes the fingerprints of counted documents; can be pickled."""

    fingerprinter: Fingerprinter  # complete if there is no `model`
    criteria: Criteria
    model: ModelFile | None = None

    @property
    def analyzer(self) -> Analyzer:
        """What counted the documents."""
        return self.fingerprinter.analyzer

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the fingerprint of each document."""
        complete = self.fingerprinter
        if self.model is not None:
            complete = Fingerprinter(self.analyzer, self.model.load(), learned=True)
        for batch in batches:
            for counts, rows in _unpack(batch, self.analyzer.hash_bytes):
                yield self._weighed(complete, complete.weigh(counts), rows)

    def _weighed(self, complete: Fingerprinter, weighting: Weighting, rows: I64) -> pa.RecordBatch:
        prints = complete.fingerprints(weighting.counts)
        columns: dict[str, Any] = {"row": rows, **prints.columns}
        if self.criteria.method == "pstable":
            signed = pstable_signatures(weighting, self.criteria)
            columns["vector_keys"] = signed.keys[signed.row_of]
            columns["vector_sketch"] = signed.sketches[signed.row_of]
        if self.criteria.cosine is not None:
            columns["term_hashes"], columns["weights"] = _vectors(weighting, len(rows))
        return batch_of(FINGERPRINTS, columns, len(rows))


def _vectors(weighting: Weighting, documents: int) -> tuple[list[bytes], list[bytes]]:
    every = [weighting.document(number) for number in range(documents)]
    hashes = [weighting.counts.ids[row.columns].tobytes() for row in every]
    return hashes, [row.values.tobytes() for row in every]
