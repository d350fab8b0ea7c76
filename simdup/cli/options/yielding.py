"""Configured options that give way to what was typed, instead of being in conflict with it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import click
from click.core import ParameterSource

from simdup.model.recipe import Recipe


class _Merged:
    """The options of a command: those typed, and those of a configuration."""

    def __init__(self, ctx: click.Context, configured: Mapping[str, Any]) -> None:
        self.command = ctx.command_path.partition(" ")[2]
        self._ctx = ctx
        self._configured = configured

    def typed(self, *names: str) -> bool:
        """Return whether one of the parameters was typed."""
        source = self._ctx.get_parameter_source
        return any(source(name) is ParameterSource.COMMANDLINE for name in names)

    def __getitem__(self, name: str) -> Any:
        """Return the value that a parameter would have; None if the command has none."""
        if name in self._configured and not self.typed(name):
            return self._configured[name]
        return self._ctx.params.get(name)

    @property
    def suffix(self) -> str:
        """The suffix of the file to write."""
        path = self["path"] or self["removed"] or ""
        return os.path.splitext(path)[1].lower()

    @property
    def writes_csv(self) -> bool:
        """Whether the result, or the list of what `dedupe` removes, is CSV."""
        if self.command == "dedupe":
            return bool(self["removed"] or self["dry_run"]) and self.suffix in ("", ".", ".csv")
        return not self["listed"] and (_format(self) or self.suffix.lstrip(".")) == "csv"


# Commands whose recipe is that of an index.
INDEXED = ("index add", "query")

_Rule = Callable[[_Merged], Any]


def _format(m: _Merged) -> str:
    """Return the format that was typed, or the configured one unless it gives way."""
    gives_way = not m.typed("format_") and _format_gives_way(m)
    return "" if gives_way else m["format_"] or ""


def _format_gives_way(m: _Merged) -> bool:
    """Return whether something else decides the format, such as the suffix that was typed."""
    if m.command == "cluster" and m["format_"] == "html" and not m["verify_from"]:
        return True
    return m["listed"] or (m.typed("path") and m.suffix.strip(".") != "")


def _index_decides(m: _Merged) -> bool:
    """Return whether the recipe is that of an index."""
    if m.command in INDEXED:
        return True
    if not m["references"]:
        return False
    from simdup.index.opening import split_indexes

    return bool(split_indexes(m["references"])[0])


def _recipe_gives_way(m: _Merged) -> bool:
    return m.typed("named") or _index_decides(m)


_RULES: dict[str, _Rule] = {
    **dict.fromkeys(Recipe.__dataclass_fields__, _recipe_gives_way),
    "named": _index_decides,
    "idf": lambda m: (
        _recipe_gives_way(m)
        or (m.typed("idf_from") and m["idf"] not in ("auto", "corpus"))
        or (m.command == "compare" and m["idf"] == "corpus" and not m["idf_from"])
    ),
    "idf_from": lambda m: m.typed("idf") and m["idf"] not in ("auto", "corpus"),
    "format_": _format_gives_way,
    "listed": lambda m: m.typed("format_"),
    "bom": lambda m: not m.writes_csv,
    "quiet": lambda m: m.typed("verbose"),
    "verbose": lambda m: m.typed("quiet") or m["quiet"],
    "verify": lambda m: m.typed("containment", "cosine"),
    "containment": lambda m: m.typed("verify") and not m["verify"],
    "cosine": lambda m: m.typed("verify") and not m["verify"],
}  # fmt: skip


def gives_way(ctx: click.Context, configured: Mapping[str, Any], name: str) -> bool:
    """Return whether a configured parameter gives way: what was typed wins.

    A typed option also replaces the configured one of the same name.  The others are those that
    would be an error together.
    """
    merged = _Merged(ctx, configured)
    return merged.typed(name) or (name in _RULES and bool(_RULES[name](merged)))
