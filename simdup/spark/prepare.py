"""Stage 1: read rows as `scan` reads those of a table; fold, cut and count them.

In: a row a document.  Out: a row a document, or why it was skipped, and a row for each batch of
documents with their counts, which are weighed once the frequencies of all terms are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from simdup.features.packed_counts import pack_counts
from simdup.features.text import DIGEST_BYTES
from simdup.ingest.counting import BatchCounter, CountedBatch
from simdup.ingest.rows import Rows, recognise, row_batches
from simdup.spark.arrays import batch_of, of_bytes

# What is made of each document.
_DOCUMENT = {
    "skipped": pa.string(), "digest": pa.binary(), "length": pa.int64(), "value": pa.float64(),
    "keys": pa.binary(), "sketch": pa.binary(), "text": pa.binary(),
}  # fmt: skip
# What is made of a batch: the numbers of its documents, as bytes, and their counts.
_BATCH = {"rows": pa.binary(), "counts": pa.binary()}


def prepared_schema(carried: pa.Schema) -> pa.Schema:
    """Return the columns of prepared documents; those of `carried` come with them."""
    fields = chain(carried, (pa.field(*one) for one in (_DOCUMENT | _BATCH).items()))
    return pa.schema(list(fields))


@dataclass(frozen=True)
class Prepare:
    """Prepares the documents of a task; can be pickled.

    Rows have the columns of `carried`, then ``text0`` ..., and ``value`` if `keep` needs one.
    """

    counter: BatchCounter
    carried: pa.Schema  # what is handed on: `row`, `reference`, `id`, and what orders documents

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield prepared documents and counts."""
        schema, reading = prepared_schema(self.carried), self.counter.reading
        # Messages name the columns as the user does.
        names = [*reading.text_fields, *filter(None, [reading.value_field])]
        for batch in batches:
            columns = batch.columns[-len(names) :]
            given = pa.RecordBatch.from_arrays(columns, names)
            rows = recognise(given, replace(reading, id_field=None))
            assert isinstance(rows, Rows)
            carried = {name: batch.column(name) for name in self.carried.names}
            for some in row_batches(rows, []):
                counted, texts = self.counter.count_texts(some)
                yield from _batches(schema, carried, counted, texts)


def _batches(
    schema: pa.Schema, carried: dict[str, pa.Array], counted: CountedBatch, texts: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    skipped = counted.skipped
    if skipped:
        places = pa.array([one.number - 1 for one in skipped])
        columns = {name: column.take(places) for name, column in carried.items()}
        reasons = [one.reason for one in skipped]
        yield batch_of(schema, columns | {"skipped": reasons}, len(skipped))
    documents = counted.documents
    if not documents:
        return
    places = pa.array([document.record - 1 for document in documents])
    columns = {name: column.take(places) for name, column in carried.items()}
    yield batch_of(schema, columns | _columns(counted, texts), len(documents))
    rows = np.asarray(columns["row"]).astype(np.int64)
    counts = {"rows": [rows.tobytes()], "counts": [pack_counts(counted.counts)]}
    yield batch_of(schema, counts, 1)


def _columns(counted: CountedBatch, texts: Sequence[str]) -> dict[str, Any]:
    digests = np.frombuffer(counted.digests, np.uint8).reshape(-1, DIGEST_BYTES)
    values = [document.value for document in counted.documents]
    found = {"digest": of_bytes(digests), "length": list(counted.lengths), "value": values}
    if texts:
        found["text"] = [text.encode("utf-8", "surrogatepass") for text in texts]
    if counted.signatures is not None:
        found["keys"] = of_bytes(counted.signatures.keys)
        if counted.signatures.sketches is not None:
            found["sketch"] = of_bytes(counted.signatures.sketches)
    return found
