"""Stages 1 to 3: read rows as `scan` reads those of a table, and make their fingerprints.

In: one row per document.  Out: the same rows, with columns or why they were skipped, and rows with
the counts of many documents, which are weighed once the frequencies of all terms are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from simdup.corpus.spool import Slots, SpoolReader, spool_folder
from simdup.model.criteria import Criteria
from simdup.model.fields import TITLE
from simdup.model.settings import Settings
from simdup.near.collection import Collection, ingest_all
from simdup.near.counting import columns_for, originals, titles
from simdup.near.inputs import open_input
from simdup.near.methods.pstable import pstable_signatures
from simdup.reuse.sharing import SHARED
from simdup.search.arrays import I64
from simdup.spark.partitions import Batches, Columns, to_array, to_arrow
from simdup.text.analyzer import Analyzer
from simdup.text.counts import CountedChunk, Counts, iter_chunks, join
from simdup.text.fingerprinter import Fingerprinter, fingerprint
from simdup.text.weights import Model, NoIdf

# What decides which documents are compared, see `partitions`; of its form if a text is short.
COMPARED = {
    "title_key": pa.int64(), "named": pa.bool_(), "digest": pa.binary(), "length": pa.int64(),
    "keys": pa.binary(), "sketch": pa.binary(), "letters": pa.int64(), "facts": pa.int64(),
    "form_keys": pa.binary(), "sketch_1": pa.binary(), "sketch_2": pa.binary(),
}  # fmt: skip
_BESIDE = {
    "skipped": pa.string(), "value": pa.string(), "text_bytes": pa.binary(),
    "seeds_bytes": pa.binary(), "runs_bytes": pa.binary(),
}  # fmt: skip
# Counts of distinct texts, see `pack_counts`, and how many of their documents have terms.
COUNTS = {"counts": pa.binary(), "words": pa.list_(pa.string()), "with_terms": pa.int64()}

FREQUENCIES = pa.schema({"term": pa.int64(), "documents": pa.int64()})

FINGERPRINTS = pa.schema(
    {
        "row": pa.int64(), "fingerprint": pa.binary(), "terms": pa.int64(),
        # Band keys and sketches of vectors, for the method that searches these.
        "vector_keys": pa.binary(), "vector_sketch": pa.binary(),
        # The vectors themselves, if a cosine is measured: term hashes and weights.
        "term_hashes": pa.binary(), "weights": pa.binary(),
    }
)  # fmt: skip

# Entries of counts that are weighed together: a chunk takes some 1.5 MB.
_ENTRIES = 1 << 17
# Documents of a batch that goes back to Spark.
_DOCUMENTS = 1 << 11


def prepared_schema(carried: pa.Schema) -> pa.Schema:
    """Return the columns of prepared documents; those of `carried` come with them."""
    return pa.schema([*carried, *pa.schema(COMPARED | _BESIDE | COUNTS)])


def prepare(batches: Batches, analyzer: Analyzer, settings: Settings) -> Iterator[Columns]:
    """Yield prepared documents and counts of rows, whose ``texts`` are the fields that are read."""
    first = next(batches, None)
    if first is None:
        return
    carried = list[pa.RecordBatch]()

    def texts() -> Batches:
        for batch in chain([first], batches):
            carried.append(batch.drop_columns(["texts"]))
            yield pa.RecordBatch.from_struct_array(batch["texts"])

    fields = pa.schema(list(first.schema.field("texts").type))
    reader = pa.RecordBatchReader.from_batches(fields, texts())
    # The ids of rows stay outside.
    settings = replace(settings, reading=replace(settings.reading, id_field=None))
    # What turns texts into terms was read by the driver.
    opened = replace(open_input(reader, settings), fingerprinter=Fingerprinter(analyzer, NoIdf()))
    # There is no hint that needs titles, and no page that shows texts.
    criteria = settings.criteria
    unused = (titles,) if criteria.verify else (titles, originals)
    makers = columns_for(criteria, TITLE in criteria.same)
    makers = [maker for maker in makers if maker not in unused]
    with spool_folder() as folder, closing(SpoolReader(folder)) as spool:
        collection = ingest_all(opened, makers, spool)
        rows = pa.Table.from_batches(carried)
        yield from _documents(collection, rows)
        yield from _counts(collection, to_array(rows["row"]))


def _documents(collection: Collection, rows: pa.Table) -> Iterator[Columns]:
    """Yield the rows of a partition with what was made of each."""
    reasons = np.full(len(rows), None, object)
    reasons[collection.skipped] = [skip.reason for skip in collection.report.skipped if skip.number]
    for low in range(0, len(rows), _DOCUMENTS):
        part = rows.slice(low, _DOCUMENTS)
        documents = collection.documents.take(np.arange(low, low + len(part)))
        texts = collection.texts.take(documents["text"])
        columns = dict(zip(part.column_names, part.columns, strict=True))
        columns["skipped"] = reasons[low : low + len(part)].tolist()
        for table in (documents, texts):
            columns |= {name: table[name] for name in table if name in COMPARED}
        if "value" in documents:
            columns["value"] = list(map(str, documents["value"].tolist()))
        if "original" in documents:
            columns["text_bytes"] = _spooled(collection.spool, documents["original"])
        for name in SHARED:
            if name in texts:
                columns[f"{name}_bytes"] = _spooled(collection.spool, texts[name])
        if "form" in texts:
            has = texts["form"] >= 0
            forms = collection.forms.take(texts["form"][has])
            form_of = pa.array(np.cumsum(has) - 1, mask=~has)
            columns |= {
                name: to_arrow(forms[name], COMPARED[name]).take(form_of)
                for name in forms
                if name in COMPARED
            }
        yield columns


def _spooled(spool: SpoolReader, slots: Slots) -> list[bytes]:
    return [spool.row(slots, row) for row in range(len(slots))]


def _counts(collection: Collection, numbers: I64) -> Iterator[Columns]:
    """Yield the counts of the texts of a partition, whose rows have these numbers."""
    counts, taken = collection.counts, np.flatnonzero(~collection.skipped)
    text_of = collection.text_of[taken]
    by_text = np.argsort(text_of, kind="stable")
    ends = np.searchsorted(text_of[by_text], np.arange(len(counts) + 1))
    for first, last in iter_chunks(counts.starts, _ENTRIES):
        places = by_text[ends[first] : ends[last]]
        yield pack_counts(counts, first, last, text_of[places] - first, numbers[taken[places]])


def pack_counts(counts: Counts, first: int, last: int, text_of: I64, rows: I64) -> Columns:
    """Return the counts of texts ``first:last`` as a row: arrays in the format of numpy.

    Beside them are the rows of their documents, and which of the texts each of these has.
    """
    entries, content = counts.rows(first, last), BytesIO()
    used = np.zeros(len(counts.ids), np.bool_)
    used[entries.columns] = True
    columns = (np.cumsum(used, dtype=np.int32) - 1)[entries.columns]
    np.savez(
        content, starts=entries.starts, columns=columns, counts=entries.values,
        ids=counts.ids[used], hashes=counts.hashes[used], text_of=text_of, rows=rows,
    )  # fmt: skip
    words = [counts.terms[term] for term in np.flatnonzero(used).tolist()] if counts.terms else []
    with_terms = int(np.count_nonzero(np.diff(entries.starts)[text_of]))
    return {"counts": [content.getvalue()], "words": [words], "with_terms": [with_terms]}


def unpack_counts(table: pa.Table, hash_bytes: int) -> Iterator[tuple[Counts, I64]]:
    """Yield the counts in each row of a table, and the rows of their documents."""
    for content, words in zip(table["counts"], table["words"], strict=True):
        arrays = np.load(BytesIO(content.as_py()))
        names = "starts", "columns", "counts", "ids", "hashes"
        starts, columns, values, ids, hashes = (arrays[name] for name in names)
        chunk = CountedChunk(starts, columns, values, ids, ids, hashes, tuple(words.as_py()))
        yield join([chunk], hash_bytes, row_of=arrays["text_of"]), arrays["rows"]


def count_terms(table: pa.Table, hash_bytes: int) -> Iterator[Columns]:
    """Yield how many documents of a batch have each term."""
    counted = unpack_counts(table, hash_bytes)
    parts = [(counts.ids, counts.document_frequencies()) for counts, _ in counted]
    ids, frequencies = map(np.concatenate, zip(*parts, strict=True))
    terms, places = np.unique(ids, return_inverse=True)
    sums = np.bincount(places, frequencies, len(terms)).astype(np.int64)
    yield {"term": terms.view(np.int64), "documents": sums}


def model_of(terms: pa.Table, documents: int, terms_digest: str) -> Model:
    """Return the model of summed frequencies, of all terms that several documents have."""
    ids = to_array(terms["term"]).view(np.uint64)
    order = np.argsort(ids)
    df = to_array(terms["documents"]).astype(np.int32)
    return Model("corpus", documents, ids[order], df[order], terms_digest, unlisted=1)


def save_model(model: Model, folder: str) -> tuple[str, Callable[[], Model]]:
    """Return the path of a file of a folder that has a model, and what maps it.

    Workers of a machine share its memory.
    """
    path = str(Path(folder) / f"simdup-{model.digest()}.npy")
    np.save(path, np.stack([model.ids, model.df.astype(np.uint64)]))
    about = model.name, model.documents, model.terms_digest, model.unlisted
    return path, partial(_map_model, path, *about)


def _map_model(path: str, name: str, documents: int, digest: str, unlisted: int) -> Model:
    """Map a file of the driver, or the copy of it that Spark made on another machine."""
    if not Path(path).exists():
        from pyspark import SparkFiles

        path = SparkFiles.get(Path(path).name)
    ids, df = np.load(path, mmap_mode="r")
    return Model(name, documents, ids, df, digest, unlisted)


def weigh(
    table: pa.Table,
    fingerprinter: Fingerprinter,
    criteria: Criteria,
    model: Callable[[], Model] | None = None,
) -> Iterator[Columns]:
    """Yield the fingerprints of counted documents, whose IDF a `model` has that is mapped here."""
    if model is not None:
        fingerprinter = replace(fingerprinter, idf=model())
    for counts, rows in unpack_counts(table, fingerprinter.analyzer.hash_bytes):
        weighting = fingerprinter.weigh(counts)
        columns: dict[str, Any] = {"row": rows, **fingerprint(weighting).columns}
        if criteria.method == "pstable":
            signed = pstable_signatures(weighting, criteria)
            columns["vector_keys"] = signed.keys[signed.row_of]
            columns["vector_sketch"] = signed.sketches[signed.row_of]
        if criteria.cosine is not None:
            vectors = [weighting.document(number) for number in range(len(rows))]
            columns["term_hashes"] = [counts.ids[one.columns].tobytes() for one in vectors]
            columns["weights"] = [one.values.tobytes() for one in vectors]
        yield columns
