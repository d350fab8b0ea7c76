"""What the growth campaign measures: a piece of work for any size of its input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from simdup.corpus.batches import batches, read
from simdup.corpus.sources import list_files
from simdup.errors import SimdupError
from simdup.model.reading import Reading

Work = Callable[[], object]


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


def reading(
    name: str, shape: str, size: int, file: str, content: Callable[[int], bytes], **how: Any
) -> Probe:
    """Return a probe that reads a file as every command does."""

    def make(n: int, folder: Path) -> Work:
        path = folder / f"{n}{file}"
        path.write_bytes(content(n))
        return lambda: read_whole(str(path), Reading(**how))

    return Probe(name, shape, size, make)


def calling(
    name: str, shape: str, size: int, work: Callable[..., object], *made: Callable[[int], object]
) -> Probe:
    """Return a probe that calls a function with values made for a size."""

    def make(n: int, folder: Path) -> Work:
        given = [one(n) for one in made]
        return lambda: work(*given)

    return Probe(name, shape, size, make)


def from_file(
    name: str,
    shape: str,
    size: int,
    read_it: Callable[[str], object],
    content: Callable[[int], bytes],
) -> Probe:
    """Return a probe of a function that reads, or refuses, a file."""

    def make(n: int, folder: Path) -> Work:
        path = folder / str(n)
        path.write_bytes(content(n))
        return lambda: _tried(read_it, str(path))

    return Probe(name, shape, size, make)


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
