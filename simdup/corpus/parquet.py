"""Parquet files; the only place that knows pyarrow.

Rows are taken in blocks, whatever the size of a row group, in one thread: a process that has
started others cannot safely be forked.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import IO, Any

from simdup.corpus.records import BATCH_BYTES, Rows
from simdup.corpus.sources import STDIN, File
from simdup.errors import SimdupError
from simdup.model.documents import Skipped
from simdup.model.reading import Reading

# Bounds the memory where a dictionary of few long values stands for many rows.
_MOST_ROWS = 1024


def require_pyarrow(path: str) -> None:
    """Refuse work that needs pyarrow where it is missing.

    Raises
    ------
    SimdupError
        If it is not installed.
    """
    # Looked for, not imported: it starts a thread, and processes are yet to be forked.
    if find_spec("pyarrow") is None:
        raise SimdupError(
            path, "reading Parquet needs pyarrow", "python -m pip install 'simdup[parquet]'"
        )


def row_batches(file: File, stream: IO[bytes], reading: Reading) -> Iterator[Rows | Skipped]:
    """Cut a Parquet file into batches of the columns that are wanted."""
    import pyarrow as pa

    try:
        with _opened(file, stream) as table:
            yield from _batches(file, table, reading)
    except (pa.ArrowException, OSError) as error:
        what = str(error).partition("\n")[0] or "cannot be read"
        yield Skipped(file.path, f"not Parquet: {what}", error=True)


@contextmanager
def _opened(file: File, stream: IO[bytes]) -> Iterator[Any]:
    """Open a table, which is read here and there: a stream is first copied to a file."""
    import pyarrow.parquet as pq

    if file.path == STDIN or file.packing:
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(stream, copy, BATCH_BYTES)
            copy.seek(0)
            with pq.ParquetFile(copy) as table:
                yield table
    else:
        with pq.ParquetFile(stream) as table:
            yield table


def _batches(file: File, table: Any, reading: Reading) -> Iterator[Rows | Skipped]:
    import pyarrow as pa

    schema = table.schema_arrow
    for wanted in (reading.field, reading.id_field):
        if wanted is not None and schema.names.count(wanted) != 1:
            has = ", ".join(map(repr, schema.names))
            yield Skipped(file.path, f"no field {wanted!r} among {has}: see --field", error=True)
            return
    kind = schema.field(reading.field).type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)
    if not any(is_text(kind) for is_text in (*text, pa.types.is_large_binary)):
        reason = f"field {reading.field!r} is not a string but {kind}"
        yield Skipped(file.path, reason, error=True)
        return
    columns = [name for name in (reading.field, reading.id_field) if name is not None]
    rows = max(1, table.metadata.num_rows)
    per_row = max(1, _bytes_of(table.metadata, reading.field) // rows)
    size = min(max(1, BATCH_BYTES // per_row), _MOST_ROWS)
    record = 1
    for batch in table.iter_batches(size, columns=columns, use_threads=False):
        # As bytes, so that one text that is not UTF-8 does not spoil the others.
        texts = batch.column(reading.field).cast(pa.large_binary()).to_pylist()
        names: list[Any] | None = None
        if reading.id_field is not None:
            names = batch.column(reading.id_field).to_pylist()
        yield Rows(file, record, texts, names, file.size * len(texts) // rows)
        record += len(texts)


def _bytes_of(metadata: Any, field: str) -> int:
    """Return the bytes of a column, unpacked."""
    total = 0
    for group in range(metadata.num_row_groups):
        columns = metadata.row_group(group)
        for at in range(columns.num_columns):
            column = columns.column(at)
            if column.path_in_schema == field:
                total += column.total_uncompressed_size
    return total


def copy_rows(source: IO[bytes], target: IO[bytes], stays: Callable[[int], bool]) -> None:
    """Copy the rows that stay, with the schema, row groups and compression of the source.

    Parameters
    ----------
    source, target : file
        Where to read and to write.
    stays : callable
        Tells of a row's number, from 1, whether it stays.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(source) as table:
        metadata = table.metadata
        compression: Any = "snappy"
        if metadata.num_row_groups:
            group = metadata.row_group(0)
            columns = [group.column(at) for at in range(group.num_columns)]
            # What is read as one name is written as another.
            compression = {
                column.path_in_schema: column.compression.replace("UNCOMPRESSED", "NONE")
                for column in columns
            }
        number = 1
        with pq.ParquetWriter(target, table.schema_arrow, compression=compression) as writer:
            for group in range(metadata.num_row_groups):
                held = []
                for batch in table.iter_batches(_MOST_ROWS, row_groups=[group], use_threads=False):
                    mask = [stays(row) for row in range(number, number + len(batch))]
                    number += len(batch)
                    held.append(batch.filter(pa.array(mask, pa.bool_())))
                rows = pa.Table.from_batches(held, table.schema_arrow)
                if len(rows):
                    writer.write_table(rows, row_group_size=len(rows))
