"""A partition as a slice of the table of documents: Arrow columns as arrays of numpy and back.

What is a column of `simdup.model.table.SCHEMA` on one machine has the same name here.  Numbers are
signed, as Spark has no others, and what has several for a document, or a digest, is bytes.  Texts
and seeds, which one machine spools, come along as ``text_bytes``, ``seeds_bytes`` and
``runs_bytes``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from simdup.model.settings import Settings
from simdup.model.table import SCHEMA, Documents, objects
from simdup.near.candidates import Candidates, EqualKeys, Search
from simdup.near.methods.short_texts import EqualForms
from simdup.near.methods.simhash import NearFingerprints
from simdup.near.short import formed
from simdup.text.bands import EditSignatures, Signatures, pstable_fewest
from simdup.text.titles import share_titles

# Classes of pyspark, whose types differ between versions.
DataFrame: TypeAlias = Any
Session: TypeAlias = Any

Batches: TypeAlias = Iterator[pa.RecordBatch]
Columns: TypeAlias = Mapping[str, Any]

# Rows of a batch that goes back to Spark.
_ROWS = 1 << 13


def whole(batches: Batches) -> Iterator[pa.Table]:
    """Yield all batches of a partition as one table, if they have rows."""
    if every := list(batches):
        yield pa.Table.from_batches(every)


def each(batches: Batches) -> Iterator[pa.Table]:
    """Yield each batch of a partition as a table."""
    return (pa.Table.from_batches([batch]) for batch in batches)


def stream(batches: Batches) -> Iterator[Batches]:
    """Yield the batches themselves, so that only one is in memory."""
    yield batches


@dataclass(frozen=True)
class Task:
    """What is done with a partition, Arrow in and Arrow out; can be pickled.

    Attributes
    ----------
    work : callable
        Yields columns of some rows; those of the schema that it leaves out are null.
    schema : pyarrow.Schema
    cut : callable
        What `work` gets of the batches: `whole`, `each` or `stream`.
    """

    work: Callable[[Any], Iterator[Columns]]
    schema: pa.Schema
    cut: Callable[[Batches], Iterator[Any]] = whole

    def __call__(self, batches: Batches) -> Batches:
        """Yield what is made of the batches of a partition."""
        for part in self.cut(batch for batch in batches if len(batch)):
            for columns in self.work(part):
                rows = len(next(iter(columns.values())))
                arrays = [
                    _cast(columns[field.name], field.type)
                    if field.name in columns
                    else pa.nulls(rows, field.type)
                    for field in self.schema
                ]
                batch = pa.RecordBatch.from_arrays(arrays, schema=self.schema)
                yield from (batch.slice(low, _ROWS) for low in range(0, rows, _ROWS))


def _cast(column: Any, kind: pa.DataType) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    elif isinstance(column, np.ndarray):
        column = to_arrow(column)
    if isinstance(column, pa.Array):
        return column if column.type == kind else column.cast(kind)
    return pa.array(column, kind)


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


def content_of(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], memoryview]:
    """Return where the bytes of each row begin, with the end of the last, and those of all rows."""
    array = column.cast(pa.large_binary()).combine_chunks()
    starts = np.frombuffer(array.buffers()[1], np.int64, len(array) + 1, 8 * array.offset)
    return starts, memoryview(array.buffers()[2] or b"")


def order_names(names: Sequence[str]) -> list[str]:
    """Return which columns order documents, after references."""
    return [*(one for one in names if one.startswith("order")), "id", "row"]


def carried_names(names: Sequence[str]) -> list[str]:
    """Return which columns are handed on from stage to stage: ids, and what orders documents."""
    handed_on = {"reference", *order_names(names)}
    return [one for one in names if one in handed_on]


def in_order(table: pa.Table) -> pa.Table:
    """Return documents in input order: references first; what is equal in all, by row."""
    columns = [pc.invert(table["reference"]).cast(pa.int8())]
    for name in order_names(table.column_names):
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
        columns["equal"] = share_titles(*about)
    return Documents(columns)


def candidates_among(table: pa.Table, settings: Settings) -> Candidates:
    """Return the documents of a table with what proposes pairs of them."""
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
    from simdup.near.methods.passages import ListedPairs

    rows, partners = to_array(table["row"]), table["partners"].combine_chunks()
    by_row, others = np.argsort(rows), to_array(partners.flatten())
    a = to_array(pc.list_parent_indices(partners))
    b = by_row[np.searchsorted(rows, others, sorter=by_row)]
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    return ListedPairs(low[order], high[order])
