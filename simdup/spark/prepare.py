"""Stages 1 to 3: rows as slices of the table of documents, read, counted and fingerprinted.

What is a column of `simdup.model.table.SCHEMA` on one machine has the same name here.  Numbers are
signed, as Spark has no others; what has several for a document, a digest, and what one machine
spools (`SPOOLED`) are bytes.  Counts of terms come along with each document, and are weighed once
the frequencies of all terms are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simdup.corpus.spool import SpoolReader, spool_folder
from simdup.model.criteria import Criteria
from simdup.model.fields import TITLE
from simdup.model.settings import Settings
from simdup.model.table import SCHEMA, Documents, objects
from simdup.near.collection import Collection, ingest_all
from simdup.near.counting import columns_for, originals, titles
from simdup.near.inputs import open_input
from simdup.near.methods.pstable import pstable_signatures
from simdup.reuse.sharing import SHARED
from simdup.search.arrays import I64
from simdup.text.analyzer import Analyzer
from simdup.text.counts import CountedChunk, Counts, join
from simdup.text.fingerprinter import Fingerprinter, fingerprint
from simdup.text.titles import share_titles
from simdup.text.weights import Model, NoIdf

Batches: TypeAlias = Iterator[pa.RecordBatch]
Columns: TypeAlias = Mapping[str, Any]
# What is done with a partition, or with slices of it; can be pickled.
Work: TypeAlias = Callable[[pa.Table], Iterator[Columns]]

Types: TypeAlias = dict[str, pa.DataType]
# The class of pyspark, whose type differs between versions.
DataFrame: TypeAlias = Any

# Columns of bytes that on one machine are slots of a spool: texts as they were decoded, and seeds.
SPOOLED = ("original", *SHARED)

# Rows of a slice, and of a batch that goes back to Spark.
_ROWS = 1 << 12


def types(**names: str) -> Types:
    """Return the types of columns; a keyword is that of all names that it has."""
    return {name: getattr(pa, kind)() for kind in names for name in names[kind].split()}


# What decides which documents are compared, see `documents_of`; of its form if a text is short.
COMPARED = types(
    int64="title_key length letters facts", bool_="named",
    binary="digest keys sketch form_keys sketch_1 sketch_2",
)  # fmt: skip
# The terms of a document, by term hash, and how often it has each; their feature hashes where
# these are others, and the terms as text as long as they are known.
COUNTS = types(binary="ids times hashes") | {"words": pa.list_(pa.string())}
DOCUMENTS = COMPARED | COUNTS | dict.fromkeys(SPOOLED, pa.binary()) | types(
    string="skipped value", binary="fingerprint vector_keys", int64="terms"
)  # fmt: skip
FREQUENCIES = types(int64="term documents")

# Makes a fingerprinter in a worker.
Sent: TypeAlias = Callable[[], Fingerprinter]


# -- partitions, Arrow in and Arrow out


def run(frame: DataFrame, work: Work, columns: Types, sliced: bool = False) -> DataFrame:
    """Return what is made of each partition of a frame: see `run_here`."""
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = pa.schema(columns)

    # Spark takes functions of one argument only.
    return frame.mapInArrow(
        lambda batches: run_here(batches, work, schema, sliced),
        from_arrow_schema(schema, prefer_timestamp_ntz=True),
    )


def run_here(batches: Batches, work: Work, schema: pa.Schema, sliced: bool = False) -> Batches:
    """Yield what is made of a partition, or of each slice of it, Arrow in and Arrow out.

    Columns of the schema that the work leaves out are null.
    """
    tables = (pa.Table.from_batches([batch]) for batch in batches if len(batch))
    if sliced:
        parts = (table.slice(low, _ROWS) for table in tables for low in range(0, len(table), _ROWS))
    else:
        parts = (pa.concat_tables(whole) for whole in [list(tables)] if whole)
    for part in parts:
        for columns in work(part):
            rows = len(next(iter(columns.values())))
            missing = pa.nulls(rows)
            arrays = [to_arrow(columns.get(field.name, missing), field.type) for field in schema]
            batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
            yield from (batch.slice(low, _ROWS) for low in range(0, rows, _ROWS))


def to_arrow(column: Any, kind: pa.DataType) -> pa.Array:
    """Return a column as Spark has it; an array[n, width] becomes bytes."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.Array):
        return column.cast(kind)
    if not isinstance(column, np.ndarray):
        return pa.array(column, kind)
    if pa.types.is_binary(kind):
        return pack(column, np.arange(len(column) + 1))
    return pa.array(column.astype(kind.to_pandas_dtype()))


def to_array(column: pa.ChunkedArray, kind: Any = None) -> NDArray[Any]:
    """Return a column as an array[n], or array[n, width] of binary rows of one size.

    Nulls become 0.
    """
    if not pa.types.is_binary(column.type):
        array: NDArray[Any] = np.asarray(column.fill_null(0) if column.null_count else column)
        return array if kind is None else array.astype(kind, copy=False)
    starts, values = unpack(column, kind)
    sizes = np.diff(starts)
    if values.dtype.kind == "V":
        return values
    array = np.zeros((len(sizes), sizes.max(initial=0)), values.dtype)
    array[sizes > 0] = values.reshape(-1, array.shape[1])
    return array


def pack(values: NDArray[Any], starts: I64) -> pa.Array:
    """Return the bytes of ``values[starts[i]:starts[i + 1]]`` for each row i."""
    width = values.itemsize * int(np.prod(values.shape[1:]))
    buffers = [
        None,
        pa.py_buffer((starts * width).astype(np.int32)),
        pa.py_buffer(values.tobytes()),
    ]
    return pa.Array.from_buffers(pa.binary(), len(starts) - 1, buffers)


def unpack(column: pa.ChunkedArray, kind: Any) -> tuple[I64, NDArray[Any]]:
    """Return where the values of each row begin, and the values: see `pack`."""
    # All rows of a partition may have more bytes than 32 bits tell.
    array, size = column.cast(pa.large_binary()).combine_chunks(), np.dtype(kind).itemsize
    _, places, content = array.buffers()
    ends = np.frombuffer(places, np.int64, len(array) + 1, 8 * array.offset)
    values = np.frombuffer(content or b"", kind, (ends[-1] - ends[0]) // size, ends[0])
    return (ends - ends[0]) // size, values


def documents_of(table: pa.Table) -> Documents:
    """Return the table of documents; what is null in all rows is no column of it."""
    columns = {
        name: to_array(table[name], SCHEMA[name])
        for name in table.column_names
        if SCHEMA.get(name, object) is not object
        and name not in SPOOLED
        and table[name].null_count < len(table)
    }
    if "id" in table.column_names:
        columns["name"] = objects(table["id"].to_pylist())
    if "title_key" in columns:
        about = (columns[name] for name in ("title_key", "named", "digest"))
        columns["equal"] = share_titles(*about)
    return Documents(columns)


# -- what is made of rows


def prepare(table: pa.Table, analyzer: Analyzer, settings: Settings) -> Iterator[Columns]:
    """Yield rows with what is made of their ``texts``, or why they were skipped."""
    # The ids of rows stay outside.
    settings = replace(settings, reading=replace(settings.reading, id_field=None))
    opened = open_input(pa.Table.from_struct_array(table["texts"].combine_chunks()), settings)
    # What turns texts into terms was read by the driver.
    opened = replace(opened, fingerprinter=Fingerprinter(analyzer, NoIdf()))
    # There is no hint that needs titles, and no page that shows texts.
    criteria = settings.criteria
    unused = (titles,) if criteria.verify else (titles, originals)
    makers = columns_for(criteria, TITLE in criteria.same)
    makers = [maker for maker in makers if maker not in unused]
    with spool_folder() as folder, closing(SpoolReader(folder)) as spool:
        read = ingest_all(opened, makers, spool)
        carried = {name: table[name] for name in table.column_names if name != "texts"}
        yield carried | _columns(read) | _counts(read)


def _columns(read: Collection) -> dict[str, Any]:
    """Return what was made of each document."""
    skipped = np.full(len(read), None, object)
    skipped[read.skipped] = [skip.reason for skip in read.report.skipped if skip.number]
    columns: dict[str, Any] = {"skipped": skipped.tolist()}
    here = {*read.documents, *read.texts}
    columns |= {name: read[name] for name in COMPARED if name in here}
    if "form" in here:
        form = pa.array(read["form"], mask=read["form"] < 0)
        of_forms = (name for name in COMPARED if name in read.forms)
        columns |= {
            name: to_arrow(read.forms[name], COMPARED[name]).take(form) for name in of_forms
        }
    if "value" in here:
        columns["value"] = list(map(str, read["value"].tolist()))
    for name in SPOOLED:
        if name in here:
            columns[name] = [read.spool.row(read[name], row) for row in range(len(read))]
    return columns


def _counts(read: Collection) -> dict[str, Any]:
    """Return the counts of each document: see `COUNTS`."""
    counts, text_of = read.counts, pa.array(read.text_of)
    starts, terms, times = counts.rows(0, len(counts))
    columns = {"ids": pack(counts.ids[terms], starts), "times": pack(times, starts)}
    if counts.hashes.tobytes() != counts.ids.astype(">u8").tobytes():
        columns["hashes"] = pack(counts.hashes[terms], starts)
    if counts.terms:
        words = pa.array(counts.terms, pa.string()).take(pa.array(terms))
        columns["words"] = pa.ListArray.from_arrays(starts.astype(np.int32), words)
    return {name: column.take(text_of) for name, column in columns.items()}


def counts_of(table: pa.Table, size: int) -> Counts:
    """Return the counts of documents, whose feature hashes have `size` bytes: see `COUNTS`."""
    starts, hashes = unpack(table["ids"], np.uint64)
    encoded = pa.array(hashes).dictionary_encode()
    ids, columns = encoded.dictionary.to_numpy(), encoded.indices.to_numpy()
    place = np.zeros(len(ids), np.int64)
    place[columns] = np.arange(len(columns))
    features, words = ids.astype(">u8").view(np.uint8), pa.array([], pa.string())
    if table["hashes"].null_count < len(table):
        features = unpack(table["hashes"], np.uint8)[1].reshape(-1, size)[place]
    if table["words"].null_count < len(table):
        words = table["words"].combine_chunks().flatten().take(pa.array(place))
    times = unpack(table["times"], np.int32)[1]
    chunk = CountedChunk(starts, columns, times, ids, ids, features, tuple(words.to_pylist()))
    return join([chunk], size)


def count_terms(table: pa.Table) -> Iterator[Columns]:
    """Yield how many documents have each term."""
    counted = pa.array(unpack(table["ids"], np.int64)[1]).value_counts()
    yield {"term": counted.field("values"), "documents": counted.field("counts")}


def model_of(terms: pa.Table, documents: int, terms_digest: str) -> Model:
    """Return the model of summed frequencies, of all terms that several documents have."""
    ids = to_array(terms["term"]).view(np.uint64)
    order = np.argsort(ids)
    df = to_array(terms["documents"]).astype(np.int32)
    return Model("corpus", documents, ids[order], df[order], terms_digest, unlisted=1)


def sent(fingerprinter: Fingerprinter, folder: str, add: Callable[[str], None]) -> Sent:
    """Return what makes a fingerprinter in workers, which map its model from a file.

    Those of a machine share its memory.  `add` sends the file, which is in a `folder`, to others.
    """
    model = fingerprinter.idf
    if not isinstance(model, Model):
        return partial(replace, fingerprinter)
    path = str(Path(folder) / f"simdup-{model.digest()}.npy")
    np.save(path, np.stack([model.ids, model.df.astype(np.uint64)]))
    add(path)
    bare = replace(model, ids=model.ids[:0], df=model.df[:0])
    return partial(_mapped, replace(fingerprinter, idf=bare), path)


def _mapped(fingerprinter: Any, path: str) -> Fingerprinter:
    """Map a file of the driver, or the copy of it that Spark made on another machine."""
    if not Path(path).exists():
        from pyspark import SparkFiles

        path = SparkFiles.get(Path(path).name)
    ids, df = np.load(path, mmap_mode="r")
    made: Fingerprinter = replace(fingerprinter, idf=replace(fingerprinter.idf, ids=ids, df=df))
    return made


def weigh(table: pa.Table, fingerprinter: Sent, criteria: Criteria) -> Iterator[Columns]:
    """Yield documents with their fingerprints, and with counts only if vectors are compared."""
    made = fingerprinter()
    weighting = made.weigh(counts_of(table, made.analyzer.hash_bytes))
    vectors = criteria.cosine is not None or "pstable" in criteria.searches
    names = (name for name in table.column_names if vectors or name not in COUNTS)
    columns: dict[str, Any] = {name: table[name] for name in names}
    columns |= fingerprint(weighting).columns
    if "pstable" in criteria.searches:
        columns["vector_keys"] = pstable_signatures(weighting, criteria).keys
    yield columns
