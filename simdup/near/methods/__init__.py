"""The methods: how candidates are found, a row each, and the module that has it.

A method is a module with two functions.  `makers` returns what makes its columns of the texts of a
batch, while documents are read.  `search` returns what proposes pairs of them, if they have what it
needs.  It may have a third, `notes`: what a person should know of what it promises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.text.weights import Weighting

if TYPE_CHECKING:
    from simdup.near.candidates import Search
    from simdup.near.collection import Collection


class Row(NamedTuple):
    """A method: the module that has it, and whether criteria ask for it."""

    module: str
    asked: Callable[[Criteria], bool]


METHODS = (
    Row("pstable", lambda criteria: "pstable" in criteria.searches),
    Row("minhash", lambda criteria: "minhash" in criteria.searches),
    Row("short_texts", lambda criteria: criteria.by_edit),
    Row("simhash", lambda criteria: "simhash" in criteria.searches),
    Row("passages", lambda criteria: "passages" in criteria.searches),
)


def methods_of(criteria: Criteria) -> Iterator[Any]:
    """Yield the modules of the methods that criteria ask for."""
    for row in METHODS:
        if row.asked(criteria):
            yield import_module(f"{__name__}.{row.module}")


def searches_of(corpus: Collection, weighting: Weighting, settings: Settings) -> list[Search]:
    """Return the searches that the criteria ask for, if documents have what they need."""
    methods = methods_of(settings.criteria)
    searches = (method.search(corpus, weighting, settings) for method in methods)
    return [search for search in searches if search is not None]
