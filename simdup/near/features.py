"""Features: a file and a row each.

A package has a table with a row for each of its modules that is a feature.  A run imports those
that it asks for, and what calls them knows none by name: without its file and its row, a feature is
gone, and all else is as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, NamedTuple


class Feature(NamedTuple):
    """A row: a module of the package, and whether a run, given what decides, asks for it."""

    module: str
    asked: Callable[[Any], bool]


def load(package: str, module: str) -> Any:
    """Return a module of a package."""
    return import_module(f"{package}.{module}")


def asked_for(package: str, rows: Iterable[Feature], run: Any) -> Iterator[Any]:
    """Yield the modules of a package that a run asks for."""
    return (load(package, row.module) for row in rows if row.asked(run))
