"""What is passed from Python: paths, pairs, mappings, records and tables, cut into batches.

Workers get texts and ids as text; the ids themselves stay here, and come back by number.

Tables are frames of every library that narwhals knows, and Arrow.  Neither these libraries nor
narwhals are imported for data that cannot be a table.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.corpus.batches import RowBatch
from simdup.corpus.lines import BATCH_BYTES
from simdup.corpus.record_fields import (
    MISSING,
    Spans,
    cut_record,
    examples,
    find_field,
    is_list,
    pieces_of,
    shapes,
    text_fields,
    without_spans,
)
from simdup.corpus.records import Texts, as_number, without_surrogates
from simdup.model.documents import Skipped
from simdup.model.fields import TITLE
from simdup.model.settings import DEFAULT_FIELDS, Reading

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

STRINGS = "strings are paths; pass texts with ids, such as enumerate(texts)"


def as_paths(data: Paths, argument: str) -> list[str]:
    """Return a path or several as a list.

    Raises
    ------
    TypeError
        If they are anything else.
    """
    if isinstance(data, str | os.PathLike):
        return [as_path(data, argument)]
    if isinstance(data, bytes | Mapping) or not isinstance(data, Iterable) or as_table(data):
        raise TypeError(f"{argument}: expected a path or paths, not {kind_of(data)}")
    return [as_path(one, argument, i) for i, one in enumerate(data)]


def as_path(one: Any, argument: str, position: int | None = None) -> str:
    """Return a path as a string; raise if it is none."""
    path = os.fspath(one) if isinstance(one, str | os.PathLike) else None
    if isinstance(path, str):
        return path
    where = "" if position is None else f"item {position}: "
    also = f" ({STRINGS})" if position and argument == "data" else ""
    raise TypeError(f"{argument}: {where}expected a path, not {kind_of(one)}{also}")


def as_optional_path(one: Any, argument: str) -> str | None:
    """Return a path as a string, or None; raise if it is neither."""
    return None if one is None else as_path(one, argument)


def kind_of(data: Any) -> str:
    """Return the type of some data, as messages name it."""
    return "None" if data is None else type(data).__name__


# Rows that become Python values at a time.  For 200,000 texts of 500 characters pandas takes 0.45 s
# with 64 rows, 0.24 s with 256, 0.22 s with 512 and 0.18 s with 1024, but texts may be long.
ROWS = 512
# Rows whose values are shown as examples of fields.
_EXAMPLES = 20

# The column of ids of a table without such a column.
INDEX: Final = object()

Column = Sequence[Any]


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table as far as it matters: how its columns are named and read."""

    names: list[Any]  # of its columns
    # Yields the values of some columns, a few rows at a time.
    read: Callable[[Sequence[Any]], Iterator[Sequence[Column]]]
    # Returns the rows at ascending positions (int64[rows]) as the same kind of table.
    take: Callable[[NDArray[np.int64]], Any]
    index: Any = None  # of a pandas table
    stream: Any = None  # what can be read only once

    def id_column(self, wanted: str | None) -> Any:
        """Return the column of ids, or `INDEX`; None if positions are the ids."""
        name = "id" if wanted is None else wanted
        if name in self.names:
            return name
        indexed = self.index is not None and wanted in (None, self.index.name)
        return INDEX if indexed else wanted

    def require(self, argument: str, name: Any) -> None:
        """Raise if there is not exactly one column of this name."""
        count = self.names.count(name)
        if count == 1 or name is INDEX:
            return
        if count:
            what = f"{count} columns have the name {name!r}"
            raise SimdupError(argument, what, "rename them", field=argument)
        fields = dict.fromkeys(self.names, "") | examples(*self.first_rows())
        raise missing(argument, f"no column {name!r}", fields, "columns")

    def first_rows(self) -> list[dict[Any, Any]]:
        """Return the first rows, with the columns whose names are no others'."""
        once = [name for name in self.names if self.names.count(name) == 1]
        columns = [column[:_EXAMPLES] for column in next(self.read(once), ())]
        return [dict(zip(once, row, strict=True)) for row in zip(*columns, strict=True)]

    def text_fields(self, reading: Reading) -> tuple[str, ...]:
        """Return the fields of the text: those asked for, or those that the columns tell."""
        if reading.field is not None or DEFAULT_FIELDS[0] in self.names:
            return reading.text_fields
        if self.stream is None:
            rows = self.first_rows()
            values = {name: [row[name] for row in rows] for name in (rows or [{}])[0]}
            row = {
                name: next((value for value in column if not _is_null(value)), None)
                for name, column in values.items()
            }
        else:
            from simdup.corpus.parquet import row_like

            row = row_like(self.stream.schema)
        return text_fields(row, reading)

    def column_of(self, field: Any) -> Any:
        """Return the column that a field is, or is in."""
        head = field if field in self.names else re.split(r"\.|\[", str(field), maxsplit=1)[0]
        return head if head in self.names else field


def missing(
    argument: str, what: str, fields: Mapping[Any, str], kind: str = "fields"
) -> SimdupError:
    """Return the error that a field or column is missing: it lists those there are.

    The hint names the one of the texts, if only one can be it.
    """
    name = shapes().only_prose(fields)
    hint = f"name the field of the texts with text={'' if name is None else repr(name)}"
    listed = f"{what} {shapes().shown_fields(fields, kind)}"
    return SimdupError(argument, listed, hint if argument == "text" else "", argument)


def as_table(data: Any) -> DataTable | None:
    """Return a table, or None for anything else.

    Raises
    ------
    SimdupError
        If it is a stream of Arrow, and pyarrow is missing.
    TypeError
        If it is a lazy frame, which has no rows yet.
    """
    kind = type(data)
    if hasattr(kind, "select_columns") and hasattr(kind, "__len__"):  # a Hugging Face dataset
        return DataTable(data.column_names, partial(_dataset, data), data.select)
    stream = hasattr(kind, "__arrow_c_stream__")
    if not stream and not hasattr(kind, "columns"):
        return None
    for how in () if stream else ("collect", "compute"):
        if hasattr(kind, how):
            raise TypeError(f"data: a {kind.__name__} has no rows yet; pass `data.{how}()`")
    arrow: Any = sys.modules.get("pyarrow")
    if arrow and isinstance(data, arrow.Table | arrow.RecordBatch):
        batches = data.to_batches() if isinstance(data, arrow.Table) else [data]
        return DataTable(data.schema.names, partial(_arrow, batches), data.take)

    import narwhals as nw

    if nw.dependencies.is_into_series(data):  # a stream of Arrow, too
        return None
    return _frame(data) or (_stream(data) if stream else None)


def _frame(data: Any) -> DataTable | None:
    """Return a frame of a library that narwhals knows; None for anything else."""
    import narwhals as nw

    try:
        frame = nw.from_native(data, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        # Columns of one name are an error only if they are asked for.
        once = _frame(data.loc[:, ~data.columns.duplicated(keep=False)])
        return once and replace(once, names=list(data.columns), take=data.iloc.__getitem__)
    if not isinstance(frame, nw.DataFrame):
        return None

    # Rows of narwhals have no index, whatever is below.
    plain = isinstance(data, nw.DataFrame)
    index: Any = None if plain else nw.maybe_get_index(frame)

    def read(names: Sequence[Any]) -> Iterator[Sequence[Column]]:
        columns = [index if name is INDEX else frame.get_column(name) for name in names]
        for low in range(0, len(frame), ROWS):
            yield [column[low : low + ROWS].to_list() for column in columns]

    def take(positions: NDArray[np.int64]) -> Any:
        return data[positions] if plain else frame[positions].to_native()

    return DataTable(frame.columns, read, take, index)


def _stream(data: Any) -> DataTable | None:
    """Return what a library hands over as a stream of Arrow, such as DuckDB; None for no table."""
    try:
        import pyarrow as pa
    except ImportError:
        install = "python -m pip install 'simdup[parquet]'"
        raise SimdupError("data", "a stream of Arrow needs pyarrow", install, "data") from None
    try:
        reader = pa.RecordBatchReader.from_stream(data)
    except (pa.ArrowException, ValueError):
        return None
    return DataTable(
        reader.schema.names,
        partial(_arrow, reader),
        lambda positions: reader.read_all().take(positions),
        stream=reader,
    )


def _dataset(data: Any, names: Sequence[Any]) -> Iterator[Sequence[Column]]:
    rows = data.with_format("arrow").select_columns(list(dict.fromkeys(names)))
    return _arrow(rows.iter(ROWS), names)


def _arrow(batches: Iterable[Any], names: Sequence[Any]) -> Iterator[Sequence[Column]]:
    for batch in batches:
        columns = [batch.column(name) for name in names]
        for low in range(0, batch.num_rows, ROWS):
            yield [column.slice(low, ROWS).to_pylist() for column in columns]


# Items taken from an iterable at a time, and rows of the first batch.
_ROWS = 64
# Rows of a batch, however short they are.
_MOST_ROWS = 1024
# The classes of texts that can be sent to other processes as they are.
_PLAIN = {str}
# Those of ids that are never null, and can be hashed.
_PLAIN_IDS = {str, int}
# The columns of pairs.
_PAIR = (("text", None), ("id", None))

_ACCEPTED = (
    "a path or paths, an iterable of (id, text) or of mappings, a mapping from id to text, "
    "or a pandas, Polars or Arrow table or a Hugging Face dataset"
)


@dataclass(frozen=True, slots=True)
class Rows:
    """Texts that were passed from Python."""

    # Reads them from the beginning: the columns of a few rows at a time, with `MISSING` where a row
    # lacks a field.
    read: Callable[[], Iterable[Sequence[Column]]]
    # What these columns are, by the argument that asks for them, and their names.
    asked: Sequence[tuple[str, Any]]

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the texts' columns; pairs and mappings have none."""
        return tuple(name for argument, name in self.asked if name and argument == "text")


def recognise(data: Any, reading: Reading) -> Rows | list[str]:
    """Return the rows or the paths that some data is.

    Raises
    ------
    TypeError
        If it is neither.
    SimdupError
        If a column is missing.
    """
    if isinstance(data, str | os.PathLike):
        return [as_path(data, "data")]
    if table := as_table(data):
        fields = table.text_fields(reading)
        asked = _asked(reading, table.id_column(reading.id_field), fields)
        if TITLE not in table.names:
            asked = [one for one in asked if one != (TITLE, TITLE)]
        columns = [
            table.column_of(name) if argument == "text" else name for argument, name in asked
        ]
        for (argument, _), column in zip(asked, columns, strict=True):
            table.require(argument, column)
        shape = _shape(fields, reading)
        reached = partial(_reaching, partial(table.read, columns), columns, asked, shape)
        return Rows(reached, [*asked, ("shape", "")])
    if isinstance(data, Mapping):
        return _mapping_rows(data)
    if isinstance(data, bytes | bytearray | memoryview) or not isinstance(data, Iterable):
        raise TypeError(f"data: expected {_ACCEPTED}, not {kind_of(data)}")
    items = iter(data)
    first = next(items, MISSING)
    if first is MISSING:
        return []
    if isinstance(first, str | os.PathLike):
        return [as_path(one, "data", i) for i, one in enumerate(chain([first], items))]
    items = chain([first], items)
    if _is_record(first):
        named = "id" if reading.id_field is None else reading.id_field
        asked = [*_asked(reading, named, reading.text_fields), ("shape", "")]
        return Rows(lambda: _records(items, asked, reading), asked)
    if is_pair(first):
        return Rows(lambda: _pairs(items), _PAIR)
    raise TypeError(f"data: expected {_ACCEPTED}, not {kind_of(data)} of {kind_of(first)}")


def _shape(fields: tuple[str, ...], reading: Reading) -> str:
    """Return the name of the shape that has these fields; empty for fields that were asked for."""
    if reading.field is not None or fields == DEFAULT_FIELDS:
        return ""
    name: str = shapes().shape_name(fields)
    return name


def _reaching(
    read: Callable[[], Iterable[Sequence[Column]]],
    columns: Sequence[Any],
    asked: Sequence[tuple[str, Any]],
    shape: str,
) -> Iterator[Sequence[Column]]:
    """Yield columns, or the fields within them, and the name of the shape."""
    for values in read():
        fields = [
            of if column is name else [find_field({column: value}, name) for value in of]
            for of, column, (_, name) in zip(values, columns, asked, strict=True)
        ]
        yield [*fields, [shape] * len(fields[0])]


def _asked(reading: Reading, id_field: Any, fields: Iterable[str]) -> list[tuple[str, Any]]:
    """Return the fields that are read, each with the argument that asks for it."""
    others = [("id", id_field), ("keep", reading.value_field), *reading.group_fields]
    texts = [("text", name) for name in fields]
    titles = [(TITLE, TITLE)] if reading.titled else []
    return texts + [one for one in others if one[1] is not None] + titles


def row_batches(rows: Rows, ids: list[Any]) -> Iterator[RowBatch]:
    """Cut rows into batches, in order, and append their ids to `ids`.

    The first batches are small, so that streamed results begin at once.
    """
    pending = dict[str, list[Any]]()
    size, most, seen = 0, _ROWS, set[str]()
    # Positions repeat nothing, and the names of millions take memory.
    named = "id" in dict(rows.asked)

    def batch() -> RowBatch:
        names, texts = list(map(str, pending.pop("names"))), pending.pop("texts")
        repeated = set[str]()
        for name in names if named else ():
            (repeated if name in seen else seen).add(name)
        first = len(ids) - len(names) + 1
        return RowBatch(first, names, texts, size, pending, frozenset(repeated))

    for some in rows.read():
        columns, sizes = _checked(rows, some, len(ids))
        # No more at once than fit into a batch, whichever they are.
        step = min(_ROWS, max(1, BATCH_BYTES // max([1, *sizes])))
        for low in range(0, len(sizes), step):
            for name, column in columns.items():
                pending.setdefault(name, []).extend(column[low : low + step])
            ids += columns["names"][low : low + step]
            size += sum(sizes[low : low + step])
            if size >= BATCH_BYTES or len(pending["names"]) >= most:
                yield batch()
                pending, size, most = {}, 0, min(2 * most, _MOST_ROWS)
    if pending:
        yield batch()


def _checked(
    rows: Rows, some: Sequence[Column], done: int
) -> tuple[dict[str, Sequence[Any]], list[int]]:
    """Return some rows as columns of a `RowBatch`, and about how many bytes each text takes.

    Names are the ids, of all rows, and missing texts are reasons; `done` rows come before.
    """
    width = sum(argument == "text" for argument, _ in rows.asked)
    parts = list(zip(*some[:width], strict=True))
    texts = some[:width]
    columns: dict[str, Sequence[Any]] = {"names": range(done, done + len(parts)), "texts": parts}
    groups = []
    for (argument, field), column in zip(rows.asked[width:], some[width:], strict=True):
        if argument == "id":
            columns["names"] = _hashable(column, done, field)
        elif argument == "keep":
            columns["value"] = list(map(_number, column))
        elif argument == TITLE:
            columns["title"] = [None if one is MISSING else _text(one) for one in column]
        elif argument == "shape":
            columns["shape"] = column
        else:
            groups.append(map(_text, column))
    if groups:
        columns["groups"] = list(zip(*groups, strict=True))
    if any(set(map(type, column)) != _PLAIN for column in texts):
        if "shape" in columns:
            texts = [[_joined(value, width) for value in column] for column in texts]
            listed = ", ".join(rows.fields)
            columns["shape"] = [
                shape or listed * any(map(is_list, row))
                for shape, row in zip(columns["shape"], parts, strict=True)
            ]
            parts = list(zip(*texts, strict=True))
        named = enumerate(zip(columns["names"], parts, strict=True), done + 1)
        columns["texts"] = [_texts(one, rows.fields, name, number) for number, (name, one) in named]
    return columns, list(map(sum, zip(*map(_sizes, texts), strict=True)))


def _joined(value: Any, fields: int) -> Any:
    """Return the text of a list's strings, as of records in files; anything else as it is."""
    pieces = pieces_of(value) if is_list(value) else None
    if pieces is None:
        return value
    return "\n".join(pieces) if pieces or fields == 1 else None


def _texts(parts: Sequence[Any], fields: Sequence[str], name: Any, number: int) -> Texts | Skipped:
    """Return the texts of a row's fields, or why it has none, as for records of files."""
    what = [f"field {field!r}" for field in fields] or ["the text"]
    # The class of a text may not be known where it is sent to.
    texts = tuple(str.__str__(one) if isinstance(one, str) else None for one in parts)
    for one, field in zip(parts, what, strict=True):
        if one is MISSING or not (isinstance(one, str) or _is_null(one)):
            reason = f"no {field}" if one is MISSING else f"{field} is not a string"
            return Skipped(str(name), reason, error=True, number=number)
    if any(one is not None for one in texts):
        return texts
    return Skipped(str(name), f"{what[0]} is null", error=True, number=number)


def _sizes(column: Column) -> list[int]:
    """Return about how many bytes each text takes: Chinese takes three a character."""
    return [len(one) * (1 if one.isascii() else 3) if isinstance(one, str) else 0 for one in column]


def _hashable(ids: Column, done: int, field: Any) -> Column:
    """Return ids, with positions in place of those that a field lacks."""
    if set(map(type, ids)) <= _PLAIN_IDS:
        return ids
    if field is not None:
        ids = [done + i if _is_null(one) else one for i, one in enumerate(ids)]
    for i, one in enumerate(ids, done):
        try:
            hash(one)
        except TypeError:
            raise TypeError(f"id: that of row {i} is not hashable: {one!r:.60}") from None
    return ids


def _is_null(value: Any) -> bool:
    if value is None or value is MISSING:
        return True
    if isinstance(value, float):
        return value != value
    # The missing values of pandas are equal to nothing, not even in a comparison.
    return type(value).__name__ in ("NAType", "NaTType")


def _number(value: Any) -> float | None:
    return None if value is MISSING else as_number(None if _is_null(value) else value)


def _text(value: Any) -> str:
    return "" if _is_null(value) else without_surrogates(str(value))


def _mapping_rows(data: Mapping[Any, Any]) -> Rows:
    if data and not any(isinstance(text, str) for text in data.values()):
        kind = kind_of(next(iter(data.values())))
        also = " (pass columns as a DataFrame, and rows as a list of mappings)"
        raise TypeError(f"data: expected a mapping from id to text, not to {kind}{also}")
    return Rows(lambda: _pairs(iter(data.items())), _PAIR)


def is_pair(item: Any) -> bool:
    """Return whether an item may be an id with its text."""
    return isinstance(item, tuple | list) and len(item) == 2


def _is_record(item: Any) -> bool:
    # Rows of sqlite3 have keys too, but are no mappings.
    return hasattr(item, "keys") and hasattr(item, "__getitem__") and not isinstance(item, type)


def _pairs(items: Iterator[Any]) -> Iterator[Sequence[Column]]:
    for some in _alike(items, is_pair, "(id, text)"):
        yield [text for _, text in some], [name for name, _ in some]


def _records(
    items: Iterator[Any], asked: Sequence[tuple[str, Any]], reading: Reading
) -> Iterator[Sequence[Column]]:
    """Yield fields of records, a few at a time; raise at the end if no record had one of them.

    Only texts and a named id must be there.
    """
    asked, needed = asked[:-1], ("id", reading.id_field)
    lacking = dict.fromkeys(one for one in asked if one[0] == "text" or one == needed)
    first: list[Mapping[Any, Any]] = []
    for some in _alike(items, _is_record, "a mapping"):
        records = [item if isinstance(item, Mapping) else dict(item) for item in some]
        columns = [[find_field(record, name) for record in records] for _, name in asked]
        shapes = [""] * len(records)
        for i, record in enumerate(records) if reading.field is None else ():
            if (
                columns[0][i] is MISSING
                and (fields := text_fields(record, reading)) != DEFAULT_FIELDS
            ):
                columns[0][i] = [find_field(record, name) for name in fields]
                shapes[i] = _shape(fields, reading)
        for one, column in zip(asked, columns, strict=True):
            if one in lacking and any(value is not MISSING for value in column):
                del lacking[one]
        first = first or records[:_EXAMPLES]
        yield [*columns, shapes]
    for argument, name in lacking if first else ():
        raise missing(argument, f"no record has a field {name!r}", examples(*first))


def _alike(items: Iterator[Any], like: Callable[[Any], bool], kind: str) -> Iterator[list[Any]]:
    """Yield items, a few at a time; raise if one is of another kind."""
    done = 0
    while some := list(islice(items, _ROWS)):
        for i, item in enumerate(some, done):
            if not like(item):
                what = f"expected {kind} like those before, not {kind_of(item)}"
                raise TypeError(f"data: item {i}: {what}")
        yield some
        done += len(some)


def keep_rows(data: Any) -> Any:
    """Return data whose rows can be taken again.

    An iterator becomes a list, and a stream of Arrow a table.
    """
    if table := as_table(data):
        return data if table.stream is None else table.stream.read_all()
    again = isinstance(data, str | os.PathLike | Mapping | Sequence)
    return data if again or not isinstance(data, Iterable) else list(data)


def select(data: Any, positions: NDArray[np.int64]) -> Any:
    """Return the rows of data at ascending positions (int64[rows]), as the same kind."""
    if table := as_table(data):
        return table.take(positions)
    numbers = positions.tolist()
    if isinstance(data, Mapping):
        keys = list(data)
        return {keys[i]: data[keys[i]] for i in numbers}
    rows = [data[i] for i in numbers]
    return tuple(rows) if isinstance(data, tuple) else rows


# -- texts that are cut ----------------------------------------------------------------------------


def cut_rows(data: Any, reading: Reading, spans: Mapping[int, Spans]) -> Any:
    """Return data of the same kind, with spans cut out of the texts of some rows.

    Parameters
    ----------
    data
        Rows that can be taken again: see `keep_rows`.
    reading : Reading
        Names the fields or columns of the texts.
    spans : mapping from int to spans
        By the positions of rows; places in their texts as these are read.

    Raises
    ------
    SimdupError
        If the data is of a kind whose texts cannot be replaced.
    """
    if table := as_table(data):
        return _cut_table(table, data, reading, spans)
    if isinstance(data, Mapping):
        rows = enumerate(data.items())
        return {key: without_spans(text, spans.get(i, ())) for i, (key, text) in rows}
    cut = [_cut_row(row, reading, spans[i]) if i in spans else row for i, row in enumerate(data)]
    return tuple(cut) if isinstance(data, tuple) else cut


def _cut_row(row: Any, reading: Reading, spans: Spans) -> Any:
    if is_pair(row):
        return type(row)((row[0], without_spans(row[1], spans)))
    record = dict(row)
    return cut_record(record, text_fields(record, reading), spans)


def _cut_table(table: DataTable, data: Any, reading: Reading, spans: Mapping[int, Spans]) -> Any:
    fields = table.text_fields(reading)
    names = list(dict.fromkeys(map(table.column_of, fields)))
    new: dict[str, list[Any]] = {name: [] for name in names}
    read = (row for columns in table.read(names) for row in zip(*columns, strict=True))
    for i, row in enumerate(read):
        record: Mapping[str, Any] = dict(zip(names, row, strict=True))
        if i in spans:
            record = cut_record(record, fields, spans[i])
        for name in names:
            new[name].append(record[name])
    arrow: Any = sys.modules.get("pyarrow")
    if arrow and isinstance(data, arrow.Table | arrow.RecordBatch):
        for name, column in new.items():
            at = data.schema.get_field_index(name)
            kind = data.schema.field(at)
            data = data.set_column(at, kind, arrow.array(column, kind.type))
        return data

    import narwhals as nw

    if not nw.dependencies.is_into_dataframe(data):
        what = f"the texts of {kind_of(data)} cannot be replaced"
        raise SimdupError("data", what, "pass a pandas, Polars or Arrow table", "data")
    frame: Any = nw.from_native(data, eager_only=True)
    backend = frame.implementation
    schema = frame.schema
    cut = [nw.new_series(name, one, schema[name], backend=backend) for name, one in new.items()]
    if (index := nw.maybe_get_index(frame)) is not None:
        cut = [nw.maybe_set_index(one, index=index) for one in cut]
    return frame.with_columns(*cut).to_native() if cut else data
