"""What options take beside numbers, files and choices."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

import click

from simdup.errors import SimdupError


class OpenChoice(click.ParamType):  # type: ignore[type-arg]  # generic since Click 8.5
    """A text; some words mean something of their own, and the shell completes them."""

    name = "text"

    def __init__(self, *words: str) -> None:
        self.words = words


class FileOr(click.Path):
    """A file, or one of some words."""

    def __init__(self, *words: str) -> None:
        super().__init__(readable=False)
        self.words = words


class ColumnNames(OpenChoice):
    """OpenChoice separated by commas."""

    name = "columns"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, ...]:
        """Return the names; fail if one of them is unknown."""
        names = [one.strip() for one in value.split(",") if one.strip()]
        for one in names:
            if one not in self.words:
                self.fail(f"{one!r} is not one of {', '.join(self.words)}", param, ctx)
        return tuple(dict.fromkeys(names))


class Size(click.ParamType):  # type: ignore[type-arg]
    """A number of bytes, such as 500M or 2G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number of bytes."""
        match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)([KMGT]?)(?:I?B)?", str(value).upper())
        if match is None:
            self.fail(f"{value!r} is not a size (expected a number such as 500M or 2G)", param, ctx)
        size = float(match[1]) * 1024 ** " KMGT".index(match[2] or " ")
        return int(min(size, sys.maxsize))


class TextBytes(Size):
    """Bytes of texts: a size such as 16M, ``all`` (None) or ``none`` (0)."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the number of bytes, or None for all."""
        if value in ("all", "none"):
            return None if value == "all" else 0
        return super().convert(value, param, ctx)


class SampleOf(click.ParamType):  # type: ignore[type-arg]
    """A share, or one of several parts; checked here so that a configuration may hold others."""

    name = "sample"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return the text, if it describes a sample."""
        from simdup.index.sample import Sample

        try:
            Sample.parse(value)
        except SimdupError as error:
            self.fail(error.what, param, ctx)
        return str(value)


# What the help calls files and folders: shells complete them, and a configuration's start from it.
_PATHS = ("FILE", "PATH", "SOURCE", "MODEL", "OUT")


def kind_of(kind: Any, metavar: str | None) -> Any:
    """Return the Click type of an option that has this kind and metavar."""
    if isinstance(kind, tuple):
        return click.Choice(kind)
    if kind is None and metavar in _PATHS:
        return click.Path(readable=False)
    return kind


def words_of(kind: Any) -> Sequence[str]:
    """Return the words that a kind completes."""
    words: Sequence[str] = getattr(kind, "words", ())
    return words
