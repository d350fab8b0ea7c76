"""Clusters as a table of pandas, Polars or Arrow: the only module that makes such tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from simdup.base.errors import SimdupError, invalid
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.formats import (
    CLUSTER_COLUMNS,
    MEASURE_COLUMNS,
    what_is_written,
    written_fields,
)

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

    from simdup.model.cleaned import Removed

# The values of each column by its name, in order.
Columns: TypeAlias = dict[str, list[Any]]

# The first that is installed makes a frame, if none is named.
_LIBRARIES = ("pandas", "polars")


def columns_of(names: Sequence[str], items: Sequence[Member | Pair]) -> Columns:
    """Return columns of documents of clusters, or of pairs: None for no value."""
    getters: dict[str, Callable[[Any], Any]] = {name: attrgetter(name) for name in names}
    getters |= {"document": attrgetter("name"), "measure": measure_of}
    return {name: list(map(getters[name], items)) for name in names}


def cluster_columns(clusters: Sequence[Cluster]) -> Columns:
    """Return the columns of the CSV of clusters, a row for each document: None for no value."""
    members = [member for cluster in clusters for member in cluster.members]
    numbers = [cluster.number for cluster in clusters for _ in cluster.members]
    columns = (*CLUSTER_COLUMNS[1:], *MEASURE_COLUMNS, "kept", "new")
    return {"cluster": numbers} | columns_of(columns, members)


def table_columns(clusters: Sequence[Cluster]) -> Columns:
    """Return the columns of tables: those of the CSV, then ``row``."""
    columns = cluster_columns(clusters)
    for name in ("document", "kept"):
        columns[name] = list(map(_spelled, columns[name]))
    # A document of an index was not read.
    numbers = [member.number for cluster in clusters for member in cluster.members]
    return columns | {"row": [None if number < 0 else number for number in numbers]}


def _spelled(name: Any) -> Any:
    """Return an id as it is, a name with bytes that are not UTF-8 with these escaped."""
    if not isinstance(name, str) or name.isascii():
        return name
    return name.encode("utf-8", "backslashreplace").decode()


def measure_of(one: Member | Pair | Removed) -> str | None:
    """Return what a similarity is, as tables name it; estimates are of Jaccard similarities."""
    if one.similarity is None:
        return None
    return "estimated" if one.estimated else one.measure


def _types(columns: Columns) -> dict[str, type]:
    """Return the type of each column; those of documents have one if all of them are text."""
    types = {field.key: what_is_written(field.hint)[0] for field in written_fields(Member)}
    text = all(isinstance(one, str) for one in columns["document"])
    types |= {"cluster": int, "row": int} | dict.fromkeys(
        ("document", "kept"), str if text else Any
    )
    return {name: types[name] for name in columns if types[name] is not Any}


def to_frame(columns: Columns, library: str | None = None) -> pandas.DataFrame | polars.DataFrame:
    """Return columns as a DataFrame of a library; by default of the first that is installed."""
    if library is not None and library not in _LIBRARIES:
        raise invalid("library", library, "pandas or polars")
    wanted = _LIBRARIES if library is None else (library,)
    name = next(filter(find_spec, wanted), None)
    if name == "pandas":
        import pandas

        # A nullable type: an integer that is missing would turn all of them into floats.
        kinds = {int: "Int64", float: "float64", bool: "bool"}
        types = {of: kinds[kind] for of, kind in _types(columns).items() if kind in kinds}
        return pandas.DataFrame(columns).astype(types | {"cluster": "int64"})
    if name == "polars":
        import polars

        series: dict[type, type[polars.DataType]] = {
            int: polars.Int64, float: polars.Float64, bool: polars.Boolean, str: polars.String,
        }  # fmt: skip
        overrides = {of: series[kind] for of, kind in _types(columns).items()}
        return polars.DataFrame(columns, schema_overrides=overrides)
    what = f"needs {' or '.join(wanted)} to be installed"
    raise SimdupError("to_frame", what, f"python -m pip install {wanted[0]}")


def to_arrow(columns: Columns) -> pa.Table:
    """Return columns as a table of pyarrow."""
    if not find_spec("pyarrow"):
        hint = "python -m pip install 'simdup[parquet]'"
        raise SimdupError("to_arrow", "needs pyarrow, which is not installed", hint)
    import pyarrow as pa

    kinds = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    types = {name: kinds[kind] for name, kind in _types(columns).items()}
    columns = columns | {name: _of_one_type(columns[name]) for name in ("document", "kept")}
    return pa.table({name: pa.array(values, types.get(name)) for name, values in columns.items()})


def _of_one_type(ids: list[Any]) -> list[Any]:
    """Return ids as they are, or as text if they are of several types, as no column can be."""
    plain = all(isinstance(one, str | int | float) for one in ids)
    return ids if plain and len({type(one) for one in ids}) < 2 else [str(one) for one in ids]
