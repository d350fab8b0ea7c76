"""Tables that are passed from Python: pandas, Polars, Arrow and Hugging Face datasets.

They are recognised by what they can do, so none of these libraries is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from simdup.errors import SimdupError
from simdup.model.reading import Reading

# Rows that become Python values at a time.  For 200,000 texts of 500 characters pandas takes 0.9 s
# with 64 rows, 0.5 s with 256 and no less with 1024.
ROWS = 256

# The column of ids of a table without such a column.
INDEX: Final = object()

_MOST_COLUMNS = 12

Column = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Table:
    """A table as far as it matters: how its columns are named and read."""

    columns: Sequence[Any]  # their names
    # Yields the values of some columns, a few rows at a time.
    read: Callable[[Sequence[Any]], Iterator[Sequence[Column]]]
    again: bool = True  # whether it can be read more than once
    index: Any = None  # the name of the index of a pandas table
    indexed: bool = False  # whether there is one

    def id_column(self, wanted: str | None) -> Any:
        """Return the column of ids, or `INDEX`; None if positions are the ids."""
        if wanted is not None:
            found = wanted in self.columns or not self.indexed or wanted != self.index
            return wanted if found else INDEX
        if "id" in self.columns:
            return "id"
        return INDEX if self.indexed else None

    def require(self, argument: str, name: Any) -> None:
        """Raise if there is not exactly one column of this name."""
        found = list(self.columns).count(name)
        if found == 1 or name is INDEX:
            return
        if found:
            what = f"{found} columns have the name {name!r}"
            raise SimdupError(argument, what, "rename them", field=argument)
        what = f"no column {name!r} (columns: {listed(self.columns)})"
        raise SimdupError(argument, what, hint(argument, self._texts()), argument)

    def _texts(self) -> list[Any]:
        """Return the columns that hold strings, as far as the first rows tell."""
        distinct = [name for name in self.columns if list(self.columns).count(name) == 1]
        first = next(self.read(distinct), [[]] * len(distinct))
        columns = zip(distinct, first, strict=True)
        return [name for name, some in columns if any(isinstance(one, str) for one in some)]


def listed(names: Sequence[Any]) -> str:
    """Return names as a message lists them."""
    more = len(names) - _MOST_COLUMNS
    shown = ", ".join(f"{name!r:.60}" for name in names[:_MOST_COLUMNS]) or "none"
    return shown + (f" and {more:,} more" if more > 0 else "")


def hint(argument: str, texts: Sequence[Any]) -> str:
    """Return what to do about a missing field, given those that hold strings."""
    if argument != "text":
        return ""
    known = f"={texts[0]!r:.60}" if len(texts) == 1 else "="
    return f"name the field of the texts with text{known}"


def as_table(data: Any) -> Table | None:
    """Return a table, or None for anything else.

    Raises
    ------
    TypeError
        If it is a table that has not been computed yet.
    """
    if _has(data, "iloc", "columns", "index"):
        return _pandas(data)
    if _has(data, "get_column", "columns", "slice"):
        return Table(data.columns, lambda names: _polars(data, names))
    if _has(data, "collect", "collect_schema"):
        raise TypeError("data: a LazyFrame has no rows yet; pass `data.collect()`")
    if _has(data, "features", "select_columns", "with_format", "__len__"):
        return Table(data.column_names, lambda names: _dataset(data, names))
    if _has(data, "schema", "to_batches", "column_names"):
        return Table(data.column_names, lambda names: _arrow(data.to_batches(), names))
    if _has(data, "schema", "num_rows", "column"):
        return Table(data.schema.names, lambda names: _arrow([data], names))
    if _has(data, "schema", "read_next_batch"):
        return Table(data.schema.names, lambda names: _arrow(data, names), again=False)
    if _has(data, "__arrow_c_stream__"):
        return _stream(data)
    return None


def wanted_columns(table: Table, reading: Reading) -> dict[str, list[Any]]:
    """Return the columns of a table that are wanted, by what they are.

    Raises
    ------
    SimdupError
        If one that was asked for is missing.
    """
    asked = {
        "text": list(reading.text_fields),
        "id": [table.id_column(reading.id_field)],
        "keep": [reading.value_field],
        reading.group_argument: [reading.group_field],
        "title": [reading.title_field],
    }
    wanted = {argument: names for argument, names in asked.items() if names != [None]}
    for argument, names in wanted.items():
        for name in names:
            table.require(argument, name)
    return wanted


def _has(data: Any, *names: str) -> bool:
    # A class has them too, but no rows.
    return not isinstance(data, type) and all(hasattr(data, name) for name in names)


def _pandas(frame: Any) -> Table:
    def read(names: Sequence[Any]) -> Iterator[Sequence[Column]]:
        columns = [frame.index if name is INDEX else frame[name].iloc for name in names]
        for low in range(0, len(frame), ROWS):
            yield [column[low : low + ROWS].tolist() for column in columns]

    return Table(list(frame.columns), read, index=frame.index.name, indexed=True)


def _polars(frame: Any, names: Sequence[Any]) -> Iterator[Sequence[Column]]:
    columns = [frame.get_column(name) for name in names]
    for low in range(0, len(frame), ROWS):
        yield [column.slice(low, ROWS).to_list() for column in columns]


def _arrow(batches: Any, names: Sequence[Any]) -> Iterator[Sequence[Column]]:
    for batch in batches:
        columns = [batch.column(batch.schema.get_field_index(name)) for name in names]
        for low in range(0, batch.num_rows, ROWS):
            yield [column.slice(low, ROWS).to_pylist() for column in columns]


def _stream(data: Any) -> Table | None:
    """Return what a library hands over as a stream of Arrow, such as DuckDB; None for no table."""
    try:
        reader = stream_reader(data)
    except TypeError:
        return None
    return Table(reader.schema.names, lambda names: _arrow(reader, names), again=False)


def stream_reader(data: Any) -> Any:
    """Return the reader of a stream of Arrow.

    Raises
    ------
    SimdupError
        If pyarrow is missing.
    TypeError
        If it is a single column, which is a stream too.
    """
    try:
        import pyarrow as pa
    except ImportError:
        install = "python -m pip install 'simdup[parquet]'"
        raise SimdupError("data", "a stream of Arrow needs pyarrow", install, "data") from None
    try:
        return pa.RecordBatchReader.from_stream(data)
    except (pa.ArrowException, ValueError) as error:
        raise TypeError(f"data: expected a table: {error}") from None


def _dataset(data: Any, names: Sequence[Any]) -> Iterator[Sequence[Column]]:
    # A format would turn texts into arrays of another library.
    rows = data.with_format(None).select_columns(list(names))
    for low in range(0, len(data), ROWS):
        some = rows[low : low + ROWS]
        yield [some[name] for name in names]
