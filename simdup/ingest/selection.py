"""Some rows of data that was passed from Python, as the same kind of data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.ingest.tables import stream_reader

# What tables have and other data has not.
_TABLE = ("iloc", "schema", "features")


def is_table(data: object) -> bool:
    """Return whether data is a table of pandas, Polars or Arrow, or a Hugging Face dataset."""
    return any(hasattr(data, name) for name in _TABLE)


def keep_rows(data: Any) -> Any:
    """Return data whose rows can be taken again.

    An iterator becomes a list, and a stream of Arrow a table.
    """
    # The columns of a pandas frame are attributes too.
    if hasattr(data, "read_all") and not hasattr(data, "iloc"):
        return data.read_all()
    if hasattr(data, "__arrow_c_stream__") and not is_table(data):
        return stream_reader(data).read_all()
    once = not is_table(data) and not isinstance(data, str | os.PathLike | Mapping | Sequence)
    return list(data) if once and isinstance(data, Iterable) else data


def are_paths(data: Any) -> bool:
    """Return whether data that `keep_rows` returned is a path, or several."""
    if is_table(data) or isinstance(data, Mapping):
        return False
    if isinstance(data, Sequence) and not isinstance(data, str):
        data = data[0] if data else None
    return isinstance(data, str | os.PathLike)


def select(data: Any, positions: NDArray[np.int64]) -> Any:
    """Return the rows of data at ascending positions (int64[rows]), as the same kind.

    Tables are known by their methods, so that their libraries need not be imported.
    """
    if hasattr(data, "iloc"):  # pandas
        return data.iloc[positions]
    if hasattr(data, "features"):  # a Hugging Face dataset, whose rows stay where they are
        return data.select(positions)
    if hasattr(data, "schema"):  # pyarrow; else Polars, whose `take` has another name
        return data.take(positions) if hasattr(data, "take") else data[positions]
    numbers = positions.tolist()
    if isinstance(data, Mapping):
        keys = list(data)
        return {keys[i]: data[keys[i]] for i in numbers}
    rows = [data[i] for i in numbers]
    return tuple(rows) if isinstance(data, tuple) else rows
