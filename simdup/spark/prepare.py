"""Stages 1 to 3: read rows as `scan` reads those of a table, and make their fingerprints.

In: one row per document.  Out: one row per document, or why it was skipped, and rows with the
counts of many documents, which are weighed once the frequencies of all terms are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simdup.corpus.spool import Slots, SpoolReader
from simdup.model.criteria import Criteria
from simdup.model.fields import TITLE
from simdup.model.settings import Settings
from simdup.near.collection import Collection, ingest
from simdup.near.counting import columns_for, originals, titles
from simdup.near.inputs import open_input
from simdup.reuse.sharing import SHARED
from simdup.search.arrays import I64
from simdup.spark.partitions import Batches, Columns, carried_names, to_array, to_arrow
from simdup.text.analyzer import Analyzer
from simdup.text.bands import pstable_signatures
from simdup.text.characters import cut_at, ends_of
from simdup.text.counts import CountedChunk, Counts, iter_chunks, join
from simdup.text.fingerprinter import Fingerprinter, fingerprint
from simdup.text.weights import Model, NoIdf, Weighting

# What decides which documents are compared, see `partitions`; of its form if a text is short.
COMPARED = {
    "title_key": pa.int64(), "named": pa.bool_(), "digest": pa.binary(), "length": pa.int64(),
    "keys": pa.binary(), "sketch": pa.binary(), "letters": pa.int64(), "facts": pa.int64(),
    "form_keys": pa.binary(), "sketch_1": pa.binary(), "sketch_2": pa.binary(),
}  # fmt: skip
_OTHERS = {
    "skipped": pa.string(), "value": pa.string(), "text_bytes": pa.binary(),
    "seeds_bytes": pa.binary(), "runs_bytes": pa.binary(),
}  # fmt: skip
# Counts of distinct texts, the rows of their documents, and which text each document has.
COUNTS = {"counts": pa.binary(), "rows": pa.binary(), "text_of": pa.binary()}
# How many of these documents have terms.
WITH_TERMS = {"with_terms": pa.int64()}

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

# Entries of counts that are weighed together: a chunk takes some 300 kB.
_ENTRIES = 1 << 17
# Documents of a batch that goes back to Spark.
_DOCUMENTS = 1 << 11


def prepared_schema(carried: pa.Schema) -> pa.Schema:
    """Return the columns of prepared documents; those of `carried` come with them."""
    fields = chain(
        carried, (pa.field(*one) for one in (COMPARED | _OTHERS | COUNTS | WITH_TERMS).items())
    )
    return pa.schema(list(fields))


def fields_read(settings: Settings) -> list[str]:
    """Return the fields of texts, then those of values and titles, if asked for, each once."""
    more = [settings.criteria.keep_field, TITLE if settings.reading.titled else None]
    return list(dict.fromkeys([*settings.reading.text_fields, *filter(None, more)]))


@dataclass(frozen=True)
class Prepare:
    """Prepares the documents of a partition; can be pickled.

    Rows have the columns that are handed on, then ``text0`` ...: see `fields_read`.
    """

    analyzer: Analyzer
    settings: Settings

    def __call__(self, batches: Batches) -> Iterator[Columns]:
        """Yield prepared documents and counts."""
        first = next(batches, None)
        if first is None:
            return
        carried = list[pa.RecordBatch]()
        # Messages name the columns as the user does.
        names = fields_read(self.settings)
        kept = carried_names(first.schema.names)

        def texts() -> Batches:
            for batch in chain([first], batches):
                carried.append(batch.select(kept))
                yield pa.RecordBatch.from_arrays(batch.columns[-len(names) :], names)

        kinds = first.schema.types[-len(names) :]
        schema = pa.schema(list(map(pa.field, names, kinds)))
        reader = pa.RecordBatchReader.from_batches(schema, texts())
        # The ids of rows stay outside.
        settings = self.settings
        settings = replace(settings, reading=replace(settings.reading, id_field=None))
        opened = open_input(reader, settings)
        # What turns texts into terms was read by the driver.
        opened = replace(opened, fingerprinter=Fingerprinter(self.analyzer, NoIdf()))
        # There is no hint that needs titles, and no page that shows texts.
        criteria = self.settings.criteria
        unused = (titles,) if criteria.verify else (titles, originals)
        makers = columns_for(criteria, TITLE in criteria.same)
        makers = [maker for maker in makers if maker not in unused]
        with ingest(opened, makers) as collection:
            rows = pa.Table.from_batches(carried)
            if skipped := [one for one in collection.report.skipped if one.number]:
                taken = _taken(rows, np.array([one.number - 1 for one in skipped]))
                yield taken | {"skipped": [one.reason for one in skipped]}
            yield from _documents(collection, rows)
            yield from _counts(collection, np.asarray(rows["row"]))


def _taken(rows: pa.Table, places: I64) -> dict[str, Any]:
    return dict(zip(rows.column_names, rows.take(pa.array(places)).columns, strict=True))


def _documents(collection: Collection, rows: pa.Table) -> Iterator[Columns]:
    places = collection["record"] - 1
    for low in range(0, len(collection), _DOCUMENTS):
        own = collection.documents.take(np.arange(low, min(low + _DOCUMENTS, len(collection))))
        texts = collection.texts.take(own["text"])
        columns = _taken(rows, places[low : low + len(own)])
        for part in (own, texts):
            columns |= {name: part[name] for name in part if name in COMPARED}
        if "value" in own:
            columns["value"] = list(map(str, own["value"].tolist()))
        if "original" in own:
            columns["text_bytes"] = _spooled(collection.spool, own["original"])
        for name in SHARED:
            if name in texts:
                columns[f"{name}_bytes"] = _spooled(collection.spool, texts[name])
        if "form" in texts:
            has = texts["form"] >= 0
            forms = collection.forms.take(texts["form"][has])
            form_of = pa.array(np.cumsum(has) - 1, mask=~has)
            columns |= {name: to_arrow(forms[name]).take(form_of) for name in forms}
        yield columns


def _spooled(spool: SpoolReader, slots: Slots) -> pa.Array:
    """Return a column of the bytes that slots name."""
    content = b"".join(some for *_, some in spool.runs(slots))
    ends = np.append(0, np.cumsum(slots[:, 1]))
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.large_binary(), len(slots), buffers)


def _counts(collection: Collection, numbers: I64) -> Iterator[Columns]:
    counts, text_of = collection.counts, collection.text_of
    numbers = numbers[collection["record"] - 1]
    by_text = np.argsort(text_of, kind="stable")
    ends = np.searchsorted(text_of[by_text], np.arange(len(counts) + 1))
    sizes = np.diff(counts.starts)
    for first, last in iter_chunks(counts.starts, _ENTRIES):
        documents = by_text[ends[first] : ends[last]]
        yield {
            "counts": [pack_counts(counts, first, last)],
            "rows": [numbers[documents].tobytes()],
            "text_of": [(text_of[documents] - first).tobytes()],
            "with_terms": [int(np.count_nonzero(sizes[text_of[documents]]))],
        }


def pack_counts(counts: Counts, first: int, last: int) -> bytes:
    """Return rows ``first:last`` of counts as bytes: arrays in the format of numpy.

    Each has the smallest type that holds it: most chunks have fewer than 65,536 terms, and few
    documents have a term more than 255 times.
    """
    rows, used = counts.rows(first, last), np.zeros(len(counts.ids), np.bool_)
    used[rows.columns] = True
    numbers = np.flatnonzero(used)
    terms = [counts.terms[term] for term in numbers.tolist()] if counts.terms else []
    # Terms may hold any character, so no separator is safe.
    text, ends = "".join(terms).encode("utf-8", "surrogatepass"), ends_of(terms)
    columns = (np.cumsum(used) - 1)[rows.columns]
    small = {"starts": rows.starts, "columns": columns, "counts": rows.values, "ends": ends}
    arrays: dict[str, Any] = {"ids": counts.ids[numbers], "hashes": counts.hashes[numbers]}
    for name, one in small.items():
        arrays[name] = one.astype(np.min_scalar_type(one.max(initial=0)))
    content = BytesIO()
    np.savez(content, text=np.frombuffer(text, np.uint8), **arrays)
    return content.getvalue()


def unpack_counts(content: bytes) -> CountedChunk:
    """Return the chunk that `pack_counts` made bytes of."""
    arrays = np.load(BytesIO(content))
    text, ids = arrays["text"].tobytes().decode("utf-8", "surrogatepass"), arrays["ids"]
    columns, counts = (arrays[name].astype(np.int32) for name in ("columns", "counts"))
    terms = tuple(cut_at(text, arrays["ends"].astype(np.int64)))
    starts = arrays["starts"].astype(np.int64)
    return CountedChunk(starts, columns, counts, ids, ids, arrays["hashes"], terms)


def _unpack(table: pa.Table, hash_bytes: int) -> Iterator[tuple[Counts, I64]]:
    """Yield counts, and the rows of their documents."""
    for content, rows, text_of in zip(*(table[one].to_pylist() for one in COUNTS), strict=True):
        texts = np.frombuffer(text_of, np.int64)
        counts = join([unpack_counts(content)], hash_bytes, row_of=texts)
        yield counts, np.frombuffer(rows, np.int64)


def count_terms(table: pa.Table, hash_bytes: int) -> Iterator[Columns]:
    """Yield how many documents of a batch have each term."""
    parts = [(one.ids, one.document_frequencies()) for one, _ in _unpack(table, hash_bytes)]
    ids, each = map(np.concatenate, zip(*parts, strict=True))
    terms, places = np.unique(ids, return_inverse=True)
    sums = np.bincount(places, each, len(terms)).astype(np.int64)
    yield {"term": terms.view(np.int64), "documents": sums}


def model_of(terms: pa.Table, documents: int, terms_digest: str) -> Model:
    """Return the model of summed frequencies, of all terms that several documents have."""
    ids = to_array(terms["term"]).view(np.uint64)
    order = np.argsort(ids)
    df = to_array(terms["documents"]).astype(np.int32)
    return Model("corpus", documents, ids[order], df[order], terms_digest, unlisted=1)


@dataclass(frozen=True)
class MappedModel(Model):
    """A model that workers map from a file, so that those of a machine share its memory."""

    path: str = ""

    @classmethod
    def save(cls, model: Model, folder: str) -> MappedModel:
        """Write the terms and frequencies of a model to a file of a folder."""
        path = str(Path(folder) / f"simdup-{model.digest()}.npy")
        columns = np.zeros(len(model.ids), [("ids", "<u8"), ("df", "<i4")])
        columns["ids"], columns["df"] = model.ids, model.df
        with Path(path).open("wb") as file:
            np.save(file, columns)
        return _mapped(path, model.name, model.documents, model.terms_digest, model.unlisted)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without what is in the file."""
        about = self.name, self.documents, self.terms_digest, self.unlisted
        return _mapped, (self.path, *about)


def _mapped(path: str, name: str, documents: int, digest: str, unlisted: int) -> MappedModel:
    columns = _map(path)
    return MappedModel(name, documents, columns["ids"], columns["df"], digest, unlisted, path)


@cache
def _map(path: str) -> NDArray[np.void]:
    """Map a file of the driver, or the copy of it that Spark made on another machine."""
    if not Path(path).exists():
        from pyspark import SparkFiles

        path = SparkFiles.get(Path(path).name)
    found: NDArray[np.void] = np.load(path, mmap_mode="r")
    return found


def weigh(table: pa.Table, fingerprinter: Fingerprinter, criteria: Criteria) -> Iterator[Columns]:
    """Yield the fingerprints of counted documents."""
    for counts, rows in _unpack(table, fingerprinter.analyzer.hash_bytes):
        weighting = fingerprinter.weigh(counts)
        columns: dict[str, Any] = {"row": rows, **fingerprint(weighting).columns}
        if criteria.method == "pstable":
            signed = pstable_signatures(weighting, criteria)
            columns["vector_keys"] = signed.keys[signed.row_of]
            columns["vector_sketch"] = signed.sketches[signed.row_of]
        if criteria.cosine is not None:
            columns["term_hashes"], columns["weights"] = _vectors(weighting, len(rows))
        yield columns


def _vectors(weighting: Weighting, documents: int) -> tuple[list[bytes], list[bytes]]:
    every = [weighting.document(number) for number in range(documents)]
    hashes = [weighting.counts.ids[row.columns].tobytes() for row in every]
    return hashes, [row.values.tobytes() for row in every]
