"""Tables that are passed from Python: frames of every library that narwhals knows, and Arrow.

Neither these libraries nor narwhals are imported for data that cannot be a table.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError

# Rows that become Python values at a time.  For 200,000 texts of 500 characters pandas takes 0.45 s
# with 64 rows, 0.24 s with 256, 0.22 s with 512 and 0.18 s with 1024, but texts may be long.
ROWS = 512

# The column of ids of a table without such a column.
INDEX: Final = object()

_MOST_COLUMNS = 12

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
        once = [name for name in self.names if self.names.count(name) == 1]
        columns = zip(once, next(self.read(once), [[]] * len(once)), strict=True)
        texts = [name for name, some in columns if any(isinstance(one, str) for one in some)]
        raise missing(argument, f"no column {name!r} (columns: ", self.names, texts)


def missing(argument: str, what: str, names: Sequence[Any], texts: Sequence[Any]) -> SimdupError:
    """Return the error that a field or column is missing: it lists those there are.

    The hint names the one of the texts, if only one holds strings.
    """
    more = len(names) - _MOST_COLUMNS
    what += ", ".join(f"{name!r:.60}" for name in names[:_MOST_COLUMNS]) or "none"
    what += f" and {more:,} more)" if more > 0 else ")"
    known = f"{texts[0]!r:.60}" if len(texts) == 1 else ""
    hint = f"name the field of the texts with text={known}" if argument == "text" else ""
    return SimdupError(argument, what, hint, argument)


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
