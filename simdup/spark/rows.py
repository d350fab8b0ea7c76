"""Rows as a user has them, and as the stages take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from simdup.base.errors import SimdupError
from simdup.model.settings import Reading
from simdup.spark.checkpoint import DataFrame

# Spark's names of common types, and the columns that have ids.
_TYPES = {
    pa.int64(): "long", pa.float64(): "double", pa.string(): "string", pa.binary(): "binary",
    pa.bool_(): "boolean",
}  # fmt: skip
_IDS = ("id", "cluster_id", "a", "b")


@dataclass(frozen=True)
class DocumentRows:
    """Documents as rows of a DataFrame, references among them."""

    frame: DataFrame  # `row`, `reference`, `id`, `order0` ..., `text0` ...: texts, and other fields
    carried: pa.Schema  # those that are handed on from stage to stage: all before the texts

    @property
    def names(self) -> list[str]:
        """The columns that are handed on."""
        return list(self.carried.names)

    @property
    def input_order(self) -> list[str]:
        """The columns that order documents, after references."""
        return [*(name for name in self.names if name.startswith("order")), "id", "row"]

    def schema(self, wanted: pa.Schema) -> Any:
        """Return Spark's schema for columns that are handed on or of a common type."""
        from pyspark.sql.types import StructType

        known, schema = {field.name: field.dataType for field in self.frame.schema}, StructType()
        for field in wanted:
            of_id = field.name in _IDS and field.type == self.carried.field("id").type
            name = "id" if of_id else field.name
            kind = known[name] if name in self.names else _TYPES[field.type]
            schema.add(field.name, kind)
        return schema


def open_rows(
    frame: DataFrame, references: DataFrame | None, reading: Reading, order: Sequence[Any]
) -> DocumentRows:
    """Return rows with what is wanted of them.

    Raises
    ------
    SimdupError
        If a column is missing.
    """
    from pyspark.sql import functions as F  # noqa: N812

    chosen = _choose(frame, reading, order, reference=False)
    if references is not None:
        chosen = _choose(references, reading, order, reference=True).unionByName(chosen)
    numbered = chosen.withColumn("row", F.monotonically_increasing_id())
    carried = ["row", *(name for name in chosen.columns if not name.startswith("text"))]
    others = [name for name in chosen.columns if name not in carried]
    empty = numbered.select(*carried).limit(0).toArrow()
    return DocumentRows(numbered.select(*carried, *others), empty.schema)


def _choose(
    frame: DataFrame, reading: Reading, order: Sequence[Any], *, reference: bool
) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    wanted: dict[str, Any] = {"id": reading.id_field}
    wanted |= {f"order{i}": one for i, one in enumerate(order)}
    others = [reading.value_field, reading.title_field]
    named = list(dict.fromkeys([*reading.text_fields, *filter(None, others)]))
    wanted |= {f"text{i}": one for i, one in enumerate(named)}
    columns = [F.lit(reference).alias("reference")]
    for name, one in wanted.items():
        column = require(frame, one) if isinstance(one, str) else one
        columns.append(column.alias(name))
    return frame.select(*columns)


def require(frame: DataFrame, name: str) -> Any:
    """Return a column, whose name may have dots or reach into a structure.

    Raises
    ------
    SimdupError
        If there is none.
    """
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F  # noqa: N812

    for column in (F.col(f"`{name}`"), F.col(name)):
        try:
            frame.select(column).schema  # noqa: B018
        except AnalysisException:
            continue
        return column
    names = ", ".join(map(repr, frame.columns))
    raise SimdupError("data", f"there is no column {name!r} (columns: {names:.300})")
