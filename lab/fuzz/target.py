"""A target: what is called with made-up bytes, and the bytes to begin with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

One = TypeVar("One")


@dataclass(frozen=True)
class Target:
    """Something that reads what others wrote.

    `check` takes an input, and returns False if nothing of it could be read.  Its name is that of
    the target; the first line of its docstring is shown in the list.
    """

    check: Callable[[bytes], object]
    seeds: tuple[bytes, ...]  # inputs to begin with: short ones that get far
    words: tuple[bytes, ...] = ()  # what its format is made of
    most: int = 2000  # bytes of an input

    @property
    def name(self) -> str:
        """The name on the command line."""
        return self.check.__name__.strip("_")

    @property
    def summary(self) -> str:
        """One line on what it tries."""
        return (self.check.__doc__ or "").partition("\n")[0]


class Taken:
    """An input that is consumed from its beginning, choice by choice; after its end it is zeros."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        """Return whether there is more."""
        return self._at < len(self._data)

    def bytes(self, count: int) -> bytes:
        """Return the next bytes; fewer at the end."""
        self._at += count
        return self._data[self._at - count : self._at]

    def number(self, size: int = 1) -> int:
        """Return the next number, of this many bytes."""
        return int.from_bytes(self.bytes(size), "little")

    def choice(self, options: Sequence[One]) -> One:
        """Return one of some options."""
        return options[self.number() % len(options)]

    def part(self) -> bytes:
        """Return a part of the input that begins with its length."""
        return self.bytes(self.number())

    def rest(self) -> bytes:
        """Return all that is left."""
        return self.bytes(len(self._data))
