"""The steps after clusters: what else a result says, a row each, and the module that has it.

A step is a module with a function `step`.  It gets what a scan has found, and returns fields of the
result or of its summary, by name.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from simdup.near.rows import Scanned


class Row(NamedTuple):
    """A step: the module that has it, and whether a scan asks for it."""

    module: str
    asked: Callable[[Scanned], bool]


STEPS = (
    Row("spared", lambda scanned: scanned.criteria.directed),
    Row("template_hint", lambda scanned: scanned.criteria.verify),
    Row("kept_apart", lambda scanned: scanned.criteria.by_edit),
    Row("facts_lost", lambda scanned: scanned.facts and scanned.criteria.verify),
)


def after(scanned: Scanned) -> dict[str, Any]:
    """Return what the steps say that a scan asks for, by name."""
    said: dict[str, Any] = {}
    for row in STEPS:
        if row.asked(scanned):
            said |= import_module(f"{__name__}.{row.module}").step(scanned)
    return said
