"""Arrow columns as arrays of numpy and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def of_bytes(rows: NDArray[Any]) -> pa.Array:
    """Return the rows of an array[n, width] as a binary column."""
    rows = np.ascontiguousarray(rows)
    width = rows.itemsize * int(np.prod(rows.shape[1:]))
    buffers = [None, pa.py_buffer(rows.tobytes())]
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(rows), buffers).cast(
        pa.binary()
    )


def to_rows(column: pa.ChunkedArray, kind: Any) -> NDArray[Any]:
    """Return a binary column, all of one size, as an array[n, width] of a type."""
    rows = np.frombuffer(b"".join(column.to_pylist()), kind)
    return rows.reshape(len(column), -1 if len(rows) else 0)


def to_array(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a column of numbers without nulls as an array."""
    found: NDArray[Any] = np.asarray(column)
    return found


def batch_of(schema: pa.Schema, columns: Mapping[str, Any], rows: int) -> pa.RecordBatch:
    """Return a batch of a schema; columns that are not given are null."""
    arrays = [
        pa.nulls(rows, field.type)
        if columns.get(field.name) is None
        else _cast(columns[field.name], field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _cast(column: Any, kind: pa.DataType) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.Array):
        return column if column.type == kind else column.cast(kind)
    return pa.array(column, kind)


def table_of(batches: Iterable[pa.RecordBatch]) -> pa.Table | None:
    """Return all batches of a task as a table; None if there are none."""
    every: Sequence[pa.RecordBatch] = list(batches)
    return pa.Table.from_batches(every) if every else None
