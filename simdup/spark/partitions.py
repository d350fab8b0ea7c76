"""A partition as a slice of the table of documents: Arrow columns as arrays of numpy and back.

What is a column of `simdup.model.table.SCHEMA` on one machine has the same name here.  Numbers are
signed, as Spark has no others, and what has several for a document, or a digest, is bytes.  Texts
and seeds, which one machine spools, come along as ``text_bytes``, ``seeds_bytes`` and
``runs_bytes``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simdup.model.settings import Settings
from simdup.model.table import SCHEMA, Documents, objects
from simdup.near.candidates import Candidates, EqualKeys, Search
from simdup.near.methods.passages import ListedPairs
from simdup.near.methods.pstable import pstable_fewest
from simdup.near.methods.short_texts import EditSignatures, EqualForms
from simdup.near.methods.simhash import NearFingerprints
from simdup.near.short import formed
from simdup.text.bands import Signatures
from simdup.text.titles import share_titles

Batches: TypeAlias = Iterator[pa.RecordBatch]
Columns: TypeAlias = Mapping[str, Any]
# What is done with a partition, or parts of it; can be pickled.
Work: TypeAlias = Callable[[Any], Iterator[Columns]]
Cut: TypeAlias = Callable[[Batches], Iterator[Any]]

# Classes of pyspark, whose types differ between versions.
DataFrame: TypeAlias = Any
Session: TypeAlias = Any

# Rows of a batch that goes back to Spark.
_ROWS = 1 << 13


def whole(batches: Batches) -> Iterator[pa.Table]:
    """Yield all batches of a partition as one table, if they have rows."""
    if parts := list(batches):
        yield pa.Table.from_batches(parts)


def each(batches: Batches) -> Iterator[pa.Table]:
    """Yield each batch of a partition as a table."""
    return (pa.Table.from_batches([batch]) for batch in batches)


def stream(batches: Batches) -> Iterator[Batches]:
    """Yield the batches themselves, so that only one is in memory."""
    yield batches


def run(frame: DataFrame, work: Work, schema: pa.Schema, cut: Cut = whole) -> DataFrame:
    """Return what is made of each partition of a frame: see `run_here`."""
    from pyspark.sql.pandas.types import from_arrow_schema

    # Spark takes functions of one argument only.
    return frame.mapInArrow(
        lambda batches: run_here(batches, work, schema, cut),
        from_arrow_schema(schema, prefer_timestamp_ntz=True),
    )


def run_here(batches: Batches, work: Work, schema: pa.Schema, cut: Cut = whole) -> Batches:
    """Yield what is made of a partition, Arrow in and Arrow out.

    Parameters
    ----------
    batches : iterator of pyarrow.RecordBatch
    work : callable
        Yields columns of some rows; those of the schema that it leaves out are null.
    schema : pyarrow.Schema
    cut : callable
        What `work` gets of the batches: `whole`, `each` or `stream`.
    """
    for part in cut(batch for batch in batches if len(batch)):
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
    if not pa.types.is_binary(kind):
        return pa.array(column.astype(kind.to_pandas_dtype()))
    width = column.itemsize * int(np.prod(column.shape[1:]))
    buffers = [None, pa.py_buffer(column.tobytes())]
    return pa.Array.from_buffers(pa.binary(width), len(column), buffers).cast(kind)


def to_array(column: pa.ChunkedArray, kind: Any = None) -> NDArray[Any]:
    """Return a column as an array[n], or array[n, width] of binary rows of one size.

    Nulls become 0.
    """
    if pa.types.is_binary(column.type):
        rows, kind = column.to_pylist(), np.dtype(kind)
        size = max((len(row) for row in rows if row is not None), default=0)
        content = b"".join(bytes(size) if row is None else row for row in rows)
        values = np.frombuffer(content, kind)
        return values if kind.kind == "V" else values.reshape(len(rows), size // kind.itemsize)
    array: NDArray[Any] = np.asarray(column.fill_null(0) if column.null_count else column)
    return array if kind is None else array.astype(kind, copy=False)


def documents_of(table: pa.Table) -> Documents:
    """Return the table of documents; what is null in all rows is no column of it."""
    columns = {
        name: to_array(table[name], SCHEMA[name])
        for name in table.column_names
        if SCHEMA.get(name, object) is not object and table[name].null_count < len(table)
    }
    if "id" in table.column_names:
        columns["name"] = objects(table["id"].to_pylist())
    if "title_key" in columns:
        about = (columns[name] for name in ("title_key", "named", "digest"))
        columns["equal"] = share_titles(*about)
    return Documents(columns)


def candidates_among(table: pa.Table, settings: Settings) -> Candidates:
    """Return the documents of a table, in input order, with what proposes pairs of them."""
    documents = documents_of(table)
    criteria, rows = settings.criteria, np.arange(len(documents))
    searches: list[Search] = []
    if "vector_keys" in documents:
        keys, sketches = documents["vector_keys"], documents["vector_sketch"]
        signatures = Signatures(keys, sketches, pstable_fewest(criteria), rows)
        searches.append(EqualKeys("pstable", signatures))
    if "keys" in documents:
        searches.append(EqualKeys("minhash", Signatures.of(documents, criteria, rows)))
    if "form_keys" in documents:
        form_of = np.where(formed(documents), rows, -1)
        of_forms = EditSignatures.of(documents, criteria, form_of)
        searches.append(EqualForms("minhash", of_forms))
    if "simhash" in criteria.searches:
        searches.append(NearFingerprints(settings))
    if "partners" in table.column_names:
        searches.append(_listed(table))
    return Candidates(documents, searches, settings)


def _listed(table: pa.Table) -> Search:
    """Return the pairs that share passages, by the places of their documents in the table."""
    numbers, partners = to_array(table["row"]), table["partners"].combine_chunks()
    by_number, later = np.argsort(numbers), to_array(partners.flatten())
    a = to_array(pc.list_parent_indices(partners))
    b = by_number[np.searchsorted(numbers, later, sorter=by_number)]
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    return ListedPairs(low[order], high[order])
