"""A partition as a slice of the table of documents: Arrow columns as arrays of numpy and back.

What is a column of `simdup.model.table.SCHEMA` on one machine has the same name here.  Numbers are
signed, as Spark has no others, and what has several for a document, or a digest, is bytes.  Texts
and seeds, which one machine spools, come along as ``text_bytes`` and ``seed_bytes``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simdup.model.settings import Settings
from simdup.model.table import SCHEMA, Documents, objects
from simdup.near.candidates import ListedPairs, Search, chosen_searches
from simdup.near.rules import formed
from simdup.text.bands import EditSignatures, Signatures, pstable_fewest
from simdup.text.titles import share_titles


def to_arrow(column: NDArray[Any]) -> pa.Array:
    """Return an array[n] or array[n, width] as a column."""
    if column.ndim == 1 and column.dtype.kind in "iu":
        return pa.array(column.astype(np.int64))
    if column.ndim == 1 and column.dtype.kind != "V":
        return pa.array(column)
    width = column.itemsize * int(np.prod(column.shape[1:]))
    buffers = [None, pa.py_buffer(column.tobytes())]
    fixed = pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(column), buffers)
    return fixed.cast(pa.binary())


def to_array(column: pa.ChunkedArray, kind: Any = None) -> NDArray[Any]:
    """Return a column as an array[n], or array[n, width] of binary rows of one size.

    Nulls become 0.
    """
    if pa.types.is_binary(column.type):
        rows, kind = column.to_pylist(), np.dtype(kind)
        size = max((len(row) for row in rows if row is not None), default=0)
        content = b"".join(bytes(size) if row is None else row for row in rows)
        found = np.frombuffer(content, kind)
        return found if kind.kind == "V" else found.reshape(len(rows), size // kind.itemsize)
    array: NDArray[Any] = np.asarray(column.fill_null(0) if column.null_count else column)
    return array if kind is None else array.astype(kind, copy=False)


def batch_of(schema: pa.Schema, columns: Mapping[str, Any], rows: int) -> pa.RecordBatch:
    """Return a batch of a schema; columns that are not given are null."""
    arrays = [
        _cast(columns[field.name], field.type)
        if field.name in columns
        else pa.nulls(rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _cast(column: Any, kind: pa.DataType) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    elif isinstance(column, np.ndarray):
        column = to_arrow(column)
    if isinstance(column, pa.Array):
        return column if column.type == kind else column.cast(kind)
    return pa.array(column, kind)


def table_of(batches: Iterable[pa.RecordBatch]) -> pa.Table | None:
    """Return all batches of a task as a table; None if they have no rows."""
    every = [batch for batch in batches if len(batch)]
    return pa.Table.from_batches(every) if every else None


def in_order(table: pa.Table, carried: pa.Schema) -> pa.Table:
    """Return documents in input order: references first; what is equal in all, by row."""
    names = [name for name in carried.names if name.startswith("order")]
    columns = [pc.invert(table["reference"]).cast(pa.int8())]
    for name in (*names, "id", "row"):
        # As Spark does: nulls first.
        columns += [table[name].is_valid().cast(pa.int8()), table[name]]
    keys = pa.table(columns, list(map(str, range(len(columns)))))
    places = pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in keys.column_names])
    return table.take(places)


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
        columns["blocking_key"] = share_titles(*about)
    return Documents(columns)


def searches_among(table: pa.Table, documents: Documents, settings: Settings) -> list[Search]:
    """Return the searches of the criteria among the documents of a table."""
    criteria, rows = settings.criteria, np.arange(len(documents))
    of_vectors = of_texts = of_forms = None
    if "vector_keys" in documents:
        keys, sketches = documents["vector_keys"], documents["vector_sketch"]
        of_vectors = Signatures(keys, sketches, pstable_fewest(criteria), rows)
    if "keys" in documents:
        of_texts = Signatures.of(documents, criteria, rows)
    if "form_keys" in documents:
        form_of = np.where(formed(documents), rows, -1)
        of_forms = EditSignatures.of(documents, criteria, form_of)
    searches = chosen_searches(settings, of_vectors, of_texts, of_forms)
    if "partners" in table.column_names:
        searches.append(_listed(table))
    return searches


def _listed(table: pa.Table) -> ListedPairs:
    """Return the pairs that share passages, by the places of their documents in the table."""
    rows, partners = to_array(table["row"]), table["partners"].to_pylist()
    sizes = [len(some or ()) for some in partners]
    others = np.array([one for some in partners for one in some or ()], np.int64)
    by_row = np.argsort(rows)
    a = np.repeat(np.arange(len(rows)), sizes)
    b = by_row[np.searchsorted(rows, others, sorter=by_row)]
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    return ListedPairs(low[order], high[order])
