"""Only documents that agree in all fields are pairs; those without a value agree with none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simdup.base.mix64 import mix_columns
from simdup.model.table import Side
from simdup.near.collection import Collection
from simdup.near.field_groups import decided
from simdup.search.arrays import U64, Bools


def column(read: Collection, fields: Sequence[str]) -> U64:
    """Return a key of each document, equal for those that agree (uint64[n])."""
    keys = []
    for field in fields:
        groups = decided(read, "same", field)
        alone = len(groups) + np.arange(len(groups))
        keys.append(np.where(groups < 0, alone, groups).astype(np.uint64))
    return mix_columns(keys)


def allows(a: Side, b: Side) -> Bools:
    """Return which pairs agree."""
    same: Bools = a["equal"] == b["equal"]
    return same
