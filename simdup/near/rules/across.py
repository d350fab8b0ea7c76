"""Documents that agree in a field are no pair; those without a value may be one with any."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simdup.model.table import Side
from simdup.near.collection import Collection
from simdup.near.field_groups import decided
from simdup.search.arrays import Bools, RowIds


def column(read: Collection, fields: Sequence[str]) -> RowIds:
    """Return the group of each document by each field, -1 for none (int64[n, fields])."""
    return np.stack([decided(read, "across", field) for field in fields], axis=1)


def allows(a: Side, b: Side) -> Bools:
    """Return which pairs agree in no field."""
    group = a["different"]
    apart: Bools = ((group != b["different"]) | (group < 0)).all(axis=1)
    return apart
