"""The steps after clusters: what else a result says, a row each, and the module that has it.

A step is a module with a function `step`.  It gets what a scan has found, and returns fields of the
result or of its summary, by name.
"""

from __future__ import annotations

from typing import Any

from simdup.near.features import Feature, asked_for
from simdup.near.rows import Scanned

STEPS = (
    Feature("spared", lambda run: run.criteria.directed),
    Feature("template_hint", lambda run: run.criteria.verify),
    Feature("kept_apart", lambda run: True),
    Feature("similarities", lambda run: "similarities" in run.asked and run.criteria.verify),
    Feature("facts_lost", lambda run: "facts" in run.asked and run.criteria.verify),
)


def after(scanned: Scanned) -> dict[str, Any]:
    """Return what the steps say that a scan asks for, by name."""
    said: dict[str, Any] = {}
    for module in asked_for(__name__, STEPS, scanned):
        said |= module.step(scanned)
    return said
