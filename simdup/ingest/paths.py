"""Paths that are passed from Python, and what to say of anything else."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from simdup.ingest.tables import as_table

Paths: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

STRINGS = "strings are paths; pass texts with ids, such as enumerate(texts)"


def as_paths(data: Paths, argument: str) -> list[str]:
    """Return a path or several as a list.

    Raises
    ------
    TypeError
        If they are anything else.
    """
    if isinstance(data, str | os.PathLike):
        return [as_path(data, argument)]
    if isinstance(data, bytes | Mapping) or not isinstance(data, Iterable) or as_table(data):
        raise TypeError(f"{argument}: expected a path or paths, not {kind_of(data)}")
    return [as_path(one, argument, i) for i, one in enumerate(data)]


def as_path(one: Any, argument: str, position: int | None = None) -> str:
    """Return a path as a string; raise if it is none."""
    path = os.fspath(one) if isinstance(one, str | os.PathLike) else None
    if isinstance(path, str):
        return path
    where = "" if position is None else f"item {position}: "
    also = f" ({STRINGS})" if position and argument == "data" else ""
    raise TypeError(f"{argument}: {where}expected a path, not {kind_of(one)}{also}")


def as_optional_path(one: Any, argument: str) -> str | None:
    """Return a path as a string, or None; raise if it is neither."""
    return None if one is None else as_path(one, argument)


def kind_of(data: Any) -> str:
    """Return the type of some data, as messages name it."""
    return "None" if data is None else type(data).__name__
