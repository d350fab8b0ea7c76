"""Write a cleaned corpus where the user wants it: one file of records, or a folder.

This is what the operations share that write a corpus again; what they change is up to them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import IO, TypeVar

from simdup.base.atomic import reserve
from simdup.base.errors import SimdupError, unwritable
from simdup.corpus.files import STDIN, File
from simdup.corpus.rewriting import Change, check_unchanged, copy_input, write_records
from simdup.corpus.sources import SourceListing
from simdup.model.documents import Skipped
from simdup.model.settings import Progress, Reading
from simdup.show.streams import open_output
from simdup.show.targets import compression_for

Listed = TypeVar("Listed")


def rereadable(file: File, sources: Sequence[str], folder: str) -> File:
    """Return a file that can be read twice: standard input is copied to a folder first."""
    if file.path != STDIN:
        return file
    if len(sources) > 1 or not file.records:
        raise SimdupError(
            STDIN, "standard input must be records, and the only SOURCE", "set `input_format`"
        )
    return copy_input(file, os.path.join(folder, "input"))


def on_disk(files: Sequence[File], listing: SourceListing) -> tuple[list[File], list[File]]:
    """Return references and the others, with archives in place of what is in them."""
    known, given = files[: listing.references], files[listing.references :]
    references = {one.on_disk.path: one.on_disk for one in known}
    others = {one.on_disk.path: one.on_disk for one in (*given, *listing.archives)}
    return list(references.values()), list(others.values())


@dataclass(frozen=True, slots=True)
class SingleFile:
    """A file of records that is written again."""

    file: File
    target: str
    compression: str  # of the target
    stream: IO[bytes]

    def write(self, change: Change, progress: Progress, listed: Callable[[], Listed]) -> Listed:
        """Write the records, then call `listed`, and return what it returns."""
        try:
            write_records(self.file, self.stream, change, self.compression, progress)
            found = listed()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise unwritable(f"{self.file.path} to {self.target}", error) from None
        check_unchanged([self.file])
        return found

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The bytes of the file and of its target, once written; none where they differ in kind."""
        if self.compression != self.file.compression or not os.path.isfile(self.target):
            return None, None
        return self.file.size, os.path.getsize(self.target)


@contextmanager
def open_single(target: str, file: File, reading: Reading) -> Iterator[SingleFile]:
    """Open the file that a file of records becomes; it appears if the block succeeds."""
    compression = compression_for(file, target, reading)
    like = "" if file.path == STDIN else file.path
    alone = nullcontext() if target == STDIN else reserve(target)
    with alone, open_output(target, like) as stream:
        yield SingleFile(file, target, compression, stream)


def root_of(sources: Sequence[str]) -> str:
    """Return the folder that the new one is a copy of; empty if there are several sources."""
    return sources[0] if len(sources) == 1 and os.path.isdir(sources[0]) else ""


def folder_sizes(folder: str, files: Sequence[tuple[File, str]]) -> tuple[int, int]:
    """Return the bytes of files, and of those that were written of them."""
    written = [os.path.join(folder, below) for _, below in files]
    after = sum(os.path.getsize(place) for place in written if os.path.isfile(place))
    return sum(file.size for file, _ in files), after


def not_copied(skipped: Sequence[Skipped], missing: Container[str], target: str) -> list[Skipped]:
    """Return what was skipped, and say of what is missing that it was not copied."""
    return [
        replace(one, reason=f"{one.reason}; not copied to {target}")
        if one.document in missing
        else one
        for one in skipped
    ]
