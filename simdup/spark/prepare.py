"""Stage 1: read rows as `scan` reads those of a table; fold, cut and count them.

In: one row per document.  Out: one row per document, or why it was skipped, and rows with the
counts of many documents, which are weighed once the frequencies of all terms are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from simdup.model.settings import Settings
from simdup.near.collection import Collection, ingest
from simdup.near.counting import columns_for, titles
from simdup.near.sources import open_input
from simdup.spark.partitions import batch_of, to_arrow
from simdup.text.analyzer import Analyzer
from simdup.text.counts import cut_counts, iter_chunks, pack_counts
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.weights import NoIdf

# What decides which documents are compared, see `partitions`; of its form if a text is short.
COMPARED = {
    "title_key": pa.int64(), "named": pa.bool_(), "digest": pa.binary(), "length": pa.int64(),
    "keys": pa.binary(), "sketch": pa.binary(), "letters": pa.int64(), "numbers": pa.int64(),
    "form_keys": pa.binary(), "sketch_1": pa.binary(), "sketch_2": pa.binary(),
}  # fmt: skip
_OTHERS = {
    "skipped": pa.string(), "value": pa.string(), "text_bytes": pa.binary(),
    "seed_bytes": pa.binary(),
}  # fmt: skip
# Counts of distinct texts, the rows of their documents, and which text each document has.
_COUNTS = {"counts": pa.binary(), "rows": pa.binary(), "text_of": pa.binary()}

# Entries of counts that are weighed together: a chunk takes some 300 kB.
_ENTRIES = 1 << 17
# Documents of a batch that goes back to Spark.
_DOCUMENTS = 1 << 11


def prepared_schema(carried: pa.Schema) -> pa.Schema:
    """Return the columns of prepared documents; those of `carried` come with them."""
    fields = chain(carried, (pa.field(*one) for one in (COMPARED | _OTHERS | _COUNTS).items()))
    return pa.schema(list(fields))


@dataclass(frozen=True)
class Prepare:
    """Prepares the documents of a task; can be pickled.

    Rows have the columns of `carried`, then ``text0`` ...: the fields of texts, then those of
    values and titles, if asked for, each once.
    """

    analyzer: Analyzer
    settings: Settings
    carried: pa.Schema  # what is handed on: `row`, `reference`, `id`, and what orders documents

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield prepared documents and counts."""
        carried: list[pa.RecordBatch] = []
        reading = self.settings.reading
        # Messages name the columns as the user does.
        more = filter(None, [self.settings.criteria.keep_field, reading.title_field])
        names = list(dict.fromkeys([*reading.text_fields, *more]))

        def texts() -> Iterator[pa.RecordBatch]:
            for batch in chain([first], batches):
                carried.append(batch.select(self.carried.names))
                yield pa.RecordBatch.from_arrays(batch.columns[-len(names) :], names)

        first = next(batches, None)
        if first is None:
            return
        kinds = [column.type for column in first.columns[-len(names) :]]
        schema = pa.schema(list(map(pa.field, names, kinds)))
        reader = pa.RecordBatchReader.from_batches(schema, texts())
        # The ids of rows stay outside.
        settings = replace(self.settings, reading=replace(reading, id_field=None))
        opened = open_input(reader, settings)
        # What turns texts into terms was read by the driver.
        opened = replace(opened, fingerprinter=Fingerprinter(self.analyzer, NoIdf()))
        # There is no hint that needs titles.
        makers = [one for one in columns_for(self.settings.criteria) if one is not titles]
        with ingest(opened, makers) as collection:
            rows = pa.Table.from_batches(carried)
            schema = prepared_schema(self.carried)
            yield from _skipped(collection, rows, schema)
            yield from _documents(collection, rows, schema)
            yield from _counts(collection, rows, schema)


def _skipped(collection: Collection, rows: pa.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    skipped = [one for one in collection.report.skipped if one.number]
    if skipped:
        taken = rows.take(pa.array([one.number - 1 for one in skipped]))
        columns: dict[str, Any] = {name: taken[name] for name in taken.column_names}
        columns["skipped"] = [one.reason for one in skipped]
        yield batch_of(schema, columns, len(skipped))


def _documents(
    collection: Collection, rows: pa.Table, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    places, read = collection["record"] - 1, collection.spool.row
    for low in range(0, len(collection), _DOCUMENTS):
        own = collection.documents.take(np.arange(low, min(low + _DOCUMENTS, len(collection))))
        texts = collection.texts.take(own["text"])
        taken = rows.take(pa.array(places[low : low + len(own)]))
        columns: dict[str, Any] = {name: taken[name] for name in taken.column_names}
        for part in (own, texts):
            columns |= {name: part[name] for name in part if name in COMPARED}
        if "value" in own:
            columns["value"] = list(map(str, own["value"].tolist()))
        for name, slots in (("text_bytes", "content"), ("seed_bytes", "seeds")):
            if slots in texts:
                columns[name] = [read(texts[slots], row) for row in range(len(texts))]
        if "form" in texts:
            has = texts["form"] >= 0
            forms = collection.forms.take(texts["form"][has])
            form_of = pa.array(np.cumsum(has) - 1, mask=~has)
            columns |= {name: to_arrow(forms[name]).take(form_of) for name in forms}
        yield batch_of(schema, columns, len(own))


def _counts(collection: Collection, rows: pa.Table, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    counts, text_of = collection.counts, collection.text_of
    numbers = np.asarray(rows["row"])[collection["record"] - 1]
    by_text = np.argsort(text_of, kind="stable")
    ends = np.searchsorted(text_of[by_text], np.arange(len(counts) + 1))
    for first, last in iter_chunks(counts.starts, _ENTRIES):
        documents = by_text[ends[first] : ends[last]]
        columns = {
            "counts": [pack_counts(cut_counts(counts, first, last))],
            "rows": [numbers[documents].tobytes()],
            "text_of": [(text_of[documents] - first).tobytes()],
        }
        yield batch_of(schema, columns, 1)
