"""What the growth campaign measures: a piece of work for any size of its input."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, AnyStr, NamedTuple

from simdup.corpus.batches import batches, read
from simdup.corpus.sources import list_files
from simdup.errors import SimdupError
from simdup.model.reading import Reading

MILLION = 1 << 20
Work = Callable[[], object]
# What a file looks like, the size to begin with, and its content for any size.
Shape = tuple[str, int, Callable[[int], bytes]]


class Probe(NamedTuple):
    """Work that may grow with its input.

    Attributes
    ----------
    name : str
        What works.
    shape : str
        What its input looks like.
    size : int
        Of an input that takes some milliseconds: characters, bytes, records or texts.
    make : callable
        Returns the work for an input of any size; files go into the folder.
    """

    name: str
    shape: str
    size: int
    make: Callable[[int, Path], Work]


def calling(
    name: str, shape: str, size: int, work: Callable[..., object], *made: Callable[[int], object]
) -> Probe:
    """Return a probe that calls a function with values made for a size."""

    def make(n: int, folder: Path) -> Work:
        values = [one(n) for one in made]
        return lambda: work(*values)

    return Probe(name, shape, size, make)


def from_files(
    name: str, work: Callable[[str], object], *shapes: Shape, suffix: str = ""
) -> list[Probe]:
    """Return probes of what reads, or refuses, a file: one for each shape of its content."""

    def prepared(content: Callable[[int], bytes], n: int, folder: Path) -> Work:
        path = folder / f"{n}{suffix}"
        path.write_bytes(content(n))
        return lambda: _tried(work, str(path))

    return [Probe(name, shape, size, partial(prepared, content)) for shape, size, content in shapes]


def reading(name: str, suffix: str, *shapes: Shape, **how: Any) -> list[Probe]:
    """Return probes that read a file as every command does."""
    return from_files(name, partial(read_whole, how=Reading(**how)), *shapes, suffix=suffix)


def again(unit: AnyStr) -> Callable[[int], AnyStr]:
    """Return what repeats something up to a size."""
    return lambda n: unit * (n // len(unit))


def letters(n: int, alphabet: str = "ab", seed: int = 0) -> str:
    """Return n letters of an alphabet, at random."""
    return "".join(random.Random(seed).choices(alphabet, k=n))


def read_whole(path: str, how: Reading) -> int:
    """Read all documents of a file; return how many there are, those that are skipped included."""
    listing = list_files([path], how)
    count = len(listing.skipped)
    for batch in batches(listing.files, how):
        count += sum(1 for _ in read(batch, how))
    return count


def _tried(read_it: Callable[[str], object], path: str) -> object:
    try:
        return read_it(path)
    except SimdupError as error:
        return error
