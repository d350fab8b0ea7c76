"""Parquet files; the only module that uses pyarrow.

Rows are read in batches, independent of the size of row groups, and in one thread, because a
process with threads cannot safely be forked.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import IO, Any

from simdup.corpus.files import STDIN, File
from simdup.corpus.lines import BATCH_BYTES
from simdup.corpus.record_batches import ParquetBatch, missing_field
from simdup.model.documents import Skipped
from simdup.model.fields import TITLE
from simdup.model.settings import Reading

_INSTALL = "python -m pip install 'simdup[parquet]'"
# Limits the memory if a dictionary encodes many rows with a few long values.
_MOST_ROWS = 1024


def cut_parquet(
    file: File, stream: IO[bytes], reading: Reading
) -> Iterator[ParquetBatch | Skipped]:
    """Cut a Parquet file into batches of the wanted columns."""
    try:
        import pyarrow as pa
    except ImportError:
        yield Skipped(file.path, "reading Parquet needs pyarrow", error=True, hint=_INSTALL)
        return
    try:
        with _open_table(file, stream) as table:
            yield from _batches(file, table, reading)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        yield Skipped(file.path, f"not Parquet: {_first_line(error)}", error=True)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or "cannot be read"


@contextmanager
def _open_table(file: File, stream: IO[bytes]) -> Iterator[Any]:
    """Open a table; it needs random access, so a stream is first copied to a file."""
    import pyarrow.parquet as pq

    if file.path == STDIN or file.compression or file.member:
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(stream, copy, BATCH_BYTES)
            copy.seek(0)
            with pq.ParquetFile(copy) as table:
                yield table
    else:
        with pq.ParquetFile(stream) as table:
            yield table


def _batches(file: File, table: Any, reading: Reading) -> Iterator[ParquetBatch | Skipped]:
    import pyarrow as pa

    leaves = _list_leaves(table.schema_arrow)
    names = [name for name, _ in leaves]
    # A list or a struct may be a value, too.
    tops = {*names, *table.schema_arrow.names}
    missing = missing_field(names, reading, unique=True)
    if missing:
        sizes = {name: _bytes_of(table, name) for name, kind in leaves if _is_text(kind)}
        yield replace(missing, document=file.path, fields=dict.fromkeys(names, 0) | sizes)
        return
    kinds = dict(leaves)
    fields = reading.text_fields
    for name in fields:
        if not _is_text(kinds[name]):
            reason = f"field {name!r} is not a string (type {kinds[name]})"
            yield Skipped(file.path, reason, error=True)
            return
    groups = (name for _, name in reading.group_fields)
    shown = (reading.id_field, *groups, TITLE if reading.titled else None)
    asked = (*shown, reading.value_field)
    others = [n for n in dict.fromkeys(asked) if n is not None and n in tops]
    rows = max(1, table.metadata.num_rows)
    most = min(max(1, BATCH_BYTES // _bytes_per_row(table, fields)), _MOST_ROWS)
    record = 1
    columns = [*fields, *others]
    for batch in table.iter_batches(most, columns=columns, use_threads=False):
        # As bytes, so that one text with invalid UTF-8 does not spoil the others.
        texts = [_column(batch, name).cast(pa.large_binary()).to_pylist() for name in fields]
        values = {name: _to_values(_column(batch, name), name in shown) for name in others}
        size = file.size * len(batch) // rows
        yield ParquetBatch(file, record, texts, values, size, tuple(names))
        record += len(batch)


def _list_leaves(fields: Any, above: str = "") -> list[tuple[str, Any]]:
    """Return the names and types of columns; those within structs have dots."""
    import pyarrow as pa

    leaves: list[tuple[str, Any]] = []
    for one in fields:
        name = above + one.name
        inner = pa.types.is_struct(one.type)
        leaves += _list_leaves(one.type, name + ".") if inner else [(name, one.type)]
    return leaves


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    types = pa.types
    text = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(is_text(kind) for is_text in text)


def _column(batch: Any, name: str) -> Any:
    """Return a column of a batch, or one within a struct."""
    import pyarrow.compute as pc

    if name in batch.schema.names:
        return batch.column(name)
    head, *path = name.split(".")
    return pc.struct_field(batch.column(head), path)


# Units of time, and how many of each make a second.
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def _to_values(column: Any, shown: bool) -> list[Any]:
    """Return the values of a column; dates and times are seconds since 1970, or text if shown."""
    import pyarrow as pa

    kind = column.type
    if shown and (pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        # In UTC: the names of other time zones need a database, which Windows has not.
        unzoned = pa.timestamp(kind.unit) if pa.types.is_timestamp(kind) else kind
        texts: list[Any] = column.cast(unzoned).cast(pa.string()).to_pylist()
        return texts
    if pa.types.is_date(kind):
        column = column.cast(pa.timestamp("s"))
        kind = column.type
    if not pa.types.is_timestamp(kind):
        values: list[Any] = column.to_pylist()
        return values
    # As numbers: Python's times have no nanoseconds, and not every year.
    per_second = _PER_SECOND[kind.unit]
    numbers = column.cast(pa.int64()).to_pylist()
    return [None if number is None else number / per_second for number in numbers]


def _bytes_of(table: Any, field: str) -> int:
    """Return the uncompressed bytes of a column in the first row group, which stands for all."""
    if not table.metadata.num_row_groups:
        return 0
    _require_readable(table, [field])
    group, schema = table.metadata.row_group(0), table.metadata.schema
    places = [i for i in range(group.num_columns) if schema.column(i).path == field]
    return sum(group.column(i).total_uncompressed_size for i in places)


def _bytes_per_row(table: Any, fields: Sequence[str]) -> int:
    """Return the uncompressed bytes of some columns in a row, of the row group with the longest."""
    groups = [table.metadata.row_group(i) for i in range(table.metadata.num_row_groups)]
    if not groups:
        return 1
    per_row = [group.total_byte_size / max(1, group.num_rows) for group in groups]
    share = sum(_bytes_of(table, name) for name in fields) / max(1, groups[0].total_byte_size)
    return max(1, int(share * max(per_row)))


def _require_readable(table: Any, columns: list[str] | None = None) -> None:
    """Raise if what the first row group says of columns is damaged.

    Reading such a column raises.  Asking for its size or compression ends the process: pyarrow does
    not catch the exception of C++ there.
    """
    next(table.iter_batches(1, row_groups=[0], columns=columns, use_threads=False), None)


def copy_rows(source: IO[bytes], target: IO[bytes], keep: Callable[[int], bool]) -> None:
    """Copy the rows to keep, with the schema, row groups and compression of the source.

    `keep` returns whether to keep row number N, counted from 1.
    """
    import pyarrow as pa

    def change(batch: Any, first: int) -> Any:
        mask = [keep(row) for row in range(first, first + len(batch))]
        return batch.filter(pa.array(mask, pa.bool_()))

    _rewrite(source, target, change)


def add_columns(
    source: IO[bytes], target: IO[bytes], values_of: Callable[[int], Sequence[Any]], names: Any
) -> None:
    """Copy all rows with further columns, as `copy_rows` does.

    Parameters
    ----------
    source, target : binary files
    values_of : callable
        Returns the values of a row by its number, from 1.
    names : mapping from str to type
        The names of the columns, and the Python type of their values; any value may be None.
    """
    import pyarrow as pa

    kinds = {int: pa.int64(), float: pa.float64(), str: pa.string()}
    added = [pa.field(name, kinds[kind]) for name, kind in names.items()]

    def change(batch: Any, first: int) -> Any:
        rows = [values_of(row) for row in range(first, first + len(batch))]
        columns = zip(*rows, strict=True) if rows else [[]] * len(added)
        for field, column in zip(added, columns, strict=True):
            batch = batch.append_column(field, pa.array(column, field.type))
        return batch

    _rewrite(source, target, change, added)


def change_texts(
    source: IO[bytes],
    target: IO[bytes],
    names: Sequence[str],
    change: Callable[[int, Sequence[bytes | None]], Sequence[bytes | None] | None],
) -> None:
    """Copy all rows with other texts in some columns, as `copy_rows` does.

    Parameters
    ----------
    source, target : binary files
    names : sequence of str
        The columns; dots reach into structs.
    change : callable
        Returns what is written of the texts of a row, in UTF-8, given its number, from 1, and the
        texts; None to keep them.
    """
    import pyarrow as pa

    def changed(batch: Any, first: int) -> Any:
        columns = [_column(batch, name).cast(pa.large_binary()).to_pylist() for name in names]
        rows = list(zip(*columns, strict=True))
        new = [change(first + i, row) for i, row in enumerate(rows)]
        if all(row is None for row in new):
            return batch
        texts = [old if row is None else row for old, row in zip(rows, new, strict=True)]
        for name, column in zip(names, zip(*texts, strict=True), strict=True):
            batch = _with_column(batch, name, pa.array(column, pa.large_binary()))
        return batch

    _rewrite(source, target, changed)


def _with_column(batch: Any, name: str, values: Any) -> Any:
    """Return a batch with other values in a column, or in one within a struct."""
    head, *path = [name] if name in batch.schema.names else name.split(".")
    at = batch.schema.get_field_index(head)
    return batch.set_column(at, batch.schema.field(at), _with_field(batch.column(at), path, values))


def _with_field(column: Any, path: Sequence[str], values: Any) -> Any:
    """Return a column with other values in the field of a struct, or in itself without a path."""
    import pyarrow as pa

    kind = column.type
    if path:
        fields = [kind.field(i) for i in range(kind.num_fields)]
        arrays = [column.field(i) for i in range(kind.num_fields)]
        at = kind.get_field_index(path[0])
        arrays[at] = _with_field(arrays[at], path[1:], values)
        return pa.StructArray.from_arrays(arrays, fields=fields, mask=column.is_null())
    if not pa.types.is_dictionary(kind):
        return values.cast(kind)
    encoded = values.cast(kind.value_type).dictionary_encode()
    indices = encoded.indices.cast(kind.index_type)
    return pa.DictionaryArray.from_arrays(indices, encoded.dictionary, ordered=kind.ordered)


@contextmanager
def _damage_named() -> Iterator[None]:
    """Raise what pyarrow cannot read as an error of the system, of one line."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        # Those of the system have a number, those of pyarrow none.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise OSError(errno.EIO, f"not Parquet: {_first_line(error)}") from None


def _rewrite(
    source: IO[bytes],
    target: IO[bytes],
    change: Callable[[Any, int], Any],
    added: Sequence[Any] = (),
) -> None:
    """Write each batch of rows changed; `change` is called with it and the number of its first."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _damage_named(), pq.ParquetFile(source) as table:
        metadata = table.metadata
        compression: Any = "snappy"
        if metadata.num_row_groups:
            _require_readable(table)
            group = metadata.row_group(0)
            columns = [group.column(i) for i in range(group.num_columns)]
            # pyarrow uses one name to read this compression and another to write it.
            compression = {
                column.path_in_schema: column.compression.replace("UNCOMPRESSED", "NONE")
                for column in columns
            }
            first = next(iter(compression.values()), "snappy")
            compression |= {field.name: first for field in added}
        schema = table.schema_arrow
        for field in added:
            schema = schema.append(field)
        number = 1
        with pq.ParquetWriter(target, schema, compression=compression) as writer:
            for group in range(metadata.num_row_groups):
                changed = []
                for batch in table.iter_batches(_MOST_ROWS, row_groups=[group], use_threads=False):
                    changed.append(change(batch, number))
                    number += len(batch)
                rows = pa.Table.from_batches(changed, schema)
                if len(rows):
                    writer.write_table(rows, row_group_size=len(rows))


def column_names(source: IO[bytes]) -> list[str]:
    """Return the names of the columns of a Parquet file."""
    import pyarrow.parquet as pq

    names: list[str] = pq.read_schema(source).names
    source.seek(0)
    return names
