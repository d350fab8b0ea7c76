"""The methods: how candidates are found, a row each, and the module that has it.

A method is a module with two functions.  `makers` returns what makes its columns of the texts of a
batch, while documents are read.  `search` returns what proposes pairs of them, if they have what it
needs.  It may have a third, `notes`: what a person should know of what it promises.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simdup.model.criteria import Criteria
from simdup.near.features import Feature, asked_for

METHODS = (
    Feature("pstable", lambda criteria: "pstable" in criteria.searches),
    Feature("minhash", lambda criteria: "minhash" in criteria.searches),
    Feature("short_texts", lambda criteria: criteria.by_edit),
    Feature("simhash", lambda criteria: "simhash" in criteria.searches),
    Feature("passages", lambda criteria: "passages" in criteria.searches),
)


def methods_of(criteria: Criteria) -> Iterator[Any]:
    """Return the modules of the methods that criteria ask for."""
    return asked_for(__name__, METHODS, criteria)


def notes(criteria: Criteria) -> list[tuple[str, str]]:
    """Return what a person should know of what the methods promise."""
    each = (getattr(module, "notes", None) for module in methods_of(criteria))
    return [note for notes_of in each if notes_of for note in notes_of(criteria)]
