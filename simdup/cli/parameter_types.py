"""What options take beside numbers, files and choices."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from simdup.errors import SimdupError
from simdup.output.details import COLUMNS


class OpenChoice(click.ParamType):  # type: ignore[type-arg]  # generic since Click 8.5
    """A text; some words mean something of their own, and the shell completes them."""

    name = "text"

    def __init__(self, *words: str, read: Callable[[str], Any] = str) -> None:
        self.words, self._read = words, read

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return what the text means; fail if it means nothing."""
        try:
            return self._read(str(value))
        except SimdupError as error:
            self.fail(error.what, param, ctx)


class FileOr(click.Path):
    """A file, or one of some words."""

    def __init__(self, *words: str) -> None:
        super().__init__(readable=False)
        self.words = words


def _columns(text: str) -> tuple[str, ...]:
    names = [one.strip() for one in text.split(",") if one.strip()]
    for one in names:
        if one not in COLUMNS:
            raise SimdupError("columns", f"{one!r} is not one of {', '.join(COLUMNS)}")
    return tuple(dict.fromkeys(names))


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)([KMGT]?)(?:I?B)?", text.upper())
    if match is None:
        raise SimdupError("size", f"{text!r} is not a size (expected a number such as 500M or 2G)")
    size = float(match[1]) * 1024 ** " KMGT".index(match[2] or " ")
    return int(min(size, sys.maxsize))


def _text_bytes(text: str) -> int | None:
    if text in ("all", "none"):
        return None if text == "all" else 0
    return _size(text)


def _sample(text: str) -> str:
    from simdup.index.sample import Sample

    Sample.parse(text)
    return text


COLUMN_NAMES = OpenChoice(*COLUMNS, read=_columns)  # separated by commas
SIZE = OpenChoice(read=_size)  # a number of bytes, such as 500M or 2G
TEXT_BYTES = OpenChoice(read=_text_bytes)  # a size, ``all`` (None) or ``none`` (0)
# A share, or one of several parts; checked here so that a configuration may hold others.
SAMPLE = OpenChoice(read=_sample)

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
