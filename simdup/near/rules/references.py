"""References are not compared with each other."""

from __future__ import annotations

from simdup.model.table import Side
from simdup.search.arrays import Bools


def allows(a: Side, b: Side) -> Bools:
    """Return in which pairs one is no reference."""
    new: Bools = ~(a["reference"] & b["reference"])
    return new
