"""Parquet files; the only module that uses pyarrow.

Rows are read in batches, independent of the size of row groups, and in one thread, because a
process with threads cannot safely be forked.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from simdup.corpus.files import STDIN, File
from simdup.corpus.lines import BATCH_BYTES
from simdup.corpus.record_batches import PackedTexts, ParquetBatch, missing_field
from simdup.corpus.record_fields import (
    UNREADABLE,
    Unchanged,
    all_pieces,
    cut_record,
    examples,
    find_field,
    pieces_of,
    text_fields,
)
from simdup.model.documents import NoField, Skipped
from simdup.model.fields import TITLE
from simdup.model.settings import Reading

if TYPE_CHECKING:
    from simdup.corpus.changes import Change
    from simdup.corpus.record_fields import Spans

_INSTALL = "python -m pip install 'simdup[parquet]'"
# Limits the memory if a dictionary encodes many rows with a few long values.
_MOST_ROWS = 1024
# Rows whose values are shown as examples of fields.
_EXAMPLES = 20
# The field of a part of a message that has its text; see `pieces_of`.
_TEXT = "text"


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
    names = _list_leaves(table.schema_arrow)
    # A list or a struct may be a value, too.
    tops = {*names, *table.schema_arrow.names}
    row = row_like(table.schema_arrow)
    missing = missing_field(names, reading, row)
    if missing:
        yield replace(missing, document=file.path, fields=_examples(table) or missing.fields)
        return
    fields = text_fields(row, reading)
    for name in fields:
        if not pieces_of(kind := find_field(row, name)):
            reason = f"field {name!r} is not a string (type {kind})"
            yield NoField(file.path, reason, True, "field", _examples(table))
            return
    groups = (name for _, name in reading.group_fields)
    shown = (reading.id_field, *groups, TITLE if reading.titled else None)
    asked = (*shown, reading.value_field)
    others = [n for n in dict.fromkeys(asked) if n is not None and n in tops]
    rows = max(1, table.metadata.num_rows)
    most = min(max(1, BATCH_BYTES // _bytes_per_row(table, fields)), _MOST_ROWS)
    record = 1
    columns = list(dict.fromkeys([*map(_selected, fields), *others]))
    for batch in table.iter_batches(most, columns=columns, use_threads=False):
        texts = [_texts(batch, name) for name in fields]
        values = {name: _to_values(_column(batch, name), name in shown) for name in others}
        size = file.size * len(batch) // rows
        yield ParquetBatch(file, record, fields, texts, values, size, tuple(names))
        record += len(batch)


def _list_leaves(fields: Any, above: str = "") -> list[str]:
    """Return the names of columns; those within structs have dots."""
    import pyarrow as pa

    leaves: list[str] = []
    for field in fields:
        name = above + field.name
        inner = pa.types.is_struct(field.type)
        leaves += _list_leaves(field.type, name + ".") if inner else [name]
    return leaves


def _examples(table: Any) -> dict[str, str]:
    """Return the fields of the first rows, with examples; none if they cannot be read."""
    try:
        batch = next(table.iter_batches(_EXAMPLES, use_threads=False), None)
        return examples(*(batch.to_pylist() if batch else ()))
    except ValueError:
        return {}


def row_like(schema: Any) -> dict[str, Any]:
    """Return a row as records have it, with what `_like` returns for values."""
    return {field.name: _like(field.type) for field in schema}


def _like(kind: Any) -> Any:
    """Return a value as records have it for a type: its texts are empty, all else is the type."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return {field.name: _like(field.type) for field in kind}
    if _is_list(kind):
        return [_like(kind.value_type)]
    return "" if _is_text(kind) else kind


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _selected(name: str) -> str:
    """Return a field as pyarrow selects it: a list only as a whole."""
    return name.partition("[]")[0]


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


def _strings(batch: Any, name: str) -> tuple[list[bytes | None], list[int] | None]:
    """Return the strings of a field, and which row each is of; None if each row has one.

    They come as bytes, so that one text with invalid UTF-8 does not spoil the others.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    head, path = _head_and_path(batch, name)
    column, rows = batch.column(head), None
    while path or _is_list(column.type) or pa.types.is_struct(column.type):
        if _is_list(column.type):
            places = pc.list_parent_indices(column)
            rows = places if rows is None else rows.take(places)
            column = pc.list_flatten(column)
        else:
            column = pc.struct_field(column, [path.pop(0) if path else _TEXT])
    return column.cast(pa.large_binary()).to_pylist(), rows and rows.to_pylist()


def _head_and_path(batch: Any, name: str) -> tuple[str, list[str]]:
    """Return the column that a field is in, and the names within its structs that lead there."""
    head, *path = [name] if name in batch.schema.names else name.replace("[]", "").split(".")
    return head, path


def _texts(batch: Any, name: str) -> list[bytes | None] | list[PackedTexts | None]:
    """Return the text of each row, or the strings of its list."""
    strings, rows = _strings(batch, name)
    if rows is None:
        return strings
    valid = batch.column(_head_and_path(batch, name)[0]).is_valid().to_pylist()
    texts: list[PackedTexts | None] = [[] if there else None for there in valid]
    for row, string in zip(rows, strings, strict=True):
        texts[row].append(string)  # type: ignore[union-attr]
    return texts


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
    _require_readable(table, [_selected(field)])
    group, schema = table.metadata.row_group(0), table.metadata.schema
    within = f"{_selected(field)}."  # of a list, all its columns are read
    paths = (schema.column(i).path for i in range(group.num_columns))
    places = [i for i, path in enumerate(paths) if path == field or path.startswith(within)]
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


# The columns that tell what was found of a row.
_KINDS = {"cluster": "int64", "similarity": "float64"}


def change_parquet(source: IO[bytes], target: IO[bytes], reading: Reading, change: Change) -> None:
    """Write a table with its rows changed, with the row groups and the compression of the source.

    What is read needs random access, and so does what is written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _damage_named(), pq.ParquetFile(source) as table:
        schema, groups = table.schema_arrow, table.metadata.num_row_groups
        added: list[Any] = []
        if change.note_of is not None:
            names = change.note_of(0)._fields
            change.require_free(schema.names)
            kinds = ((name, _KINDS.get(name, "string")) for name in names)
            added = [pa.field(name, pa.type_for_alias(kind)) for name, kind in kinds]
        compression: Any = "snappy"
        if groups:
            _require_readable(table)
            group = table.metadata.row_group(0)
            columns = [group.column(i) for i in range(group.num_columns)]
            # pyarrow uses one name to read this compression and another to write it.
            compression = {
                column.path_in_schema: column.compression.replace("UNCOMPRESSED", "NONE")
                for column in columns
            }
            first = next(iter(compression.values()), "snappy")
            compression |= {field.name: first for field in added}
        for field in added:
            schema = schema.append(field)
        number = 1
        with pq.ParquetWriter(target, schema, compression=compression) as writer:
            for group in range(groups):
                changed = []
                for batch in table.iter_batches(_MOST_ROWS, row_groups=[group], use_threads=False):
                    changed.append(_changed(batch, number, added, reading, change))
                    number += len(batch)
                rows = pa.Table.from_batches(changed, schema)
                if len(rows):
                    writer.write_table(rows, row_group_size=len(rows))


def _changed(batch: Any, first: int, added: Sequence[Any], reading: Reading, change: Change) -> Any:
    """Return a batch with its rows changed, given the number of its first and further columns."""
    import pyarrow as pa

    numbers = range(first, first + len(batch))
    if change.removed:
        return batch.filter(pa.array([n not in change.removed for n in numbers], pa.bool_()))
    if change.note_of is None:
        return _cut_rows(batch, first, reading, change)
    notes = list(map(change.note_of, numbers))
    for field in added:
        column = [getattr(note, field.name) for note in notes]
        batch = batch.append_column(field, pa.array(column, field.type))
    return batch


def _cut_rows(batch: Any, first: int, reading: Reading, change: Change) -> Any:
    """Return a batch of which some rows have lost spans of their texts."""
    import pyarrow as pa

    names = text_fields(row_like(batch.schema), reading)
    heads = list(dict.fromkeys(_head_and_path(batch, name)[0] for name in names))
    spans_of: Any = change.spans_of
    places = [i for i in range(len(batch)) if spans_of(first + i)]
    if not places:
        return batch
    old = batch.select(heads).take(pa.array(places))
    texts = list(zip(*(_texts(old, name) for name in names), strict=True))
    try:
        rows = _as_text(old.to_pylist())
    except ValueError:  # nanoseconds beside the text, which Python's times lack
        change.whole |= dict.fromkeys((first + at for at in places), UNREADABLE)
        return batch

    def cut(i: int, spans: Spans) -> Any:
        read = chain.from_iterable(t if isinstance(t, list) else [t] for t in texts[i])
        if [piece.decode() for piece in read if piece is not None] != all_pieces(rows[i], names):
            raise Unchanged(UNREADABLE)
        return cut_record(rows[i], names, spans)

    new = [change.cut(first + at, i, cut) for i, at in enumerate(places)]
    rows = [row if isinstance(row, dict) else rows[row] for row in new]
    order = np.arange(len(batch))
    order[places] = np.arange(len(batch), len(batch) + len(places))
    for head in heads:
        at = batch.schema.get_field_index(head)
        kind = batch.schema.field(at)
        both = [batch.column(at), pa.array([row[head] for row in rows], kind.type)]
        column = pa.concat_arrays(both).take(pa.array(order))
        if "dictionary<" in str(kind.type):  # it would still have what was cut
            column = pa.array(column.to_pylist(), kind.type)
        batch = batch.set_column(at, kind, column)
    return batch


def _as_text(value: Any) -> Any:
    """Return a value with strings in place of bytes that are UTF-8."""
    if isinstance(value, dict):
        return {name: _as_text(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return list(map(_as_text, value))
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
    return value


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
