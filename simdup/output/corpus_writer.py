"""The writer of cleaned corpora: the files and records that stay.

A corpus appears whole or not at all: a folder is built beside its place and renamed, a file is
written by `open_output`.  Only in a folder that exists already (and may be written to) are files
replaced one by one, each whole.  Nothing outside the target is ever written or removed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO

from simdup.atomic import beside
from simdup.corpus.batches import open_content
from simdup.corpus.compression import compress
from simdup.corpus.record_batches import raw_records
from simdup.corpus.sources import File
from simdup.errors import SimdupError, unreadable, unwritable
from simdup.output.streams import open_output


def check_target(target: str, sources: Iterable[str], force: bool) -> None:
    """Refuse a target that contains a source, is inside one, or is not empty.

    Raises
    ------
    SimdupError
        If it must not be written to.
    """
    check_apart(target, sources)
    try:
        filled = bool(os.listdir(target) if os.path.isdir(target) else os.path.getsize(target))
    except FileNotFoundError:
        return
    except OSError as error:
        raise unreadable(target, error) from None
    if filled and not force:
        raise SimdupError(
            target, "already exists and is not empty", "`force` replaces files of the same names"
        )


def check_apart(target: str, sources: Iterable[str], what: str = "a SOURCE") -> None:
    """Refuse a target that is a source, is inside one or contains one.

    Raises
    ------
    SimdupError
        If it does.
    """
    place = os.path.realpath(target)
    for source in sources:
        real = os.path.realpath(source)
        if place == real or (os.path.exists(target) and _same(target, source)):
            raise SimdupError(target, f"is {what} itself: {source}")
        if place.startswith(os.path.join(real, "")):
            raise SimdupError(target, f"is inside {what}: {source}")
        if real.startswith(os.path.join(place, "")):
            raise SimdupError(target, f"contains {what}: {source}")


def _same(a: str, b: str) -> bool:
    with suppress(OSError):
        return os.path.samefile(a, b)
    return False


@dataclass(frozen=True, slots=True)
class CleanedFolder:
    """A folder that a cleaned corpus is written to."""

    target: str
    link: str  # how a file that stays unchanged gets there: ``copy``, ``hard`` or ``symbolic``
    # Of each file, by its path, the numbers of the records left out; 0 for the file itself.
    redundant: Mapping[str, Collection[int]]


def write_folder(
    cleaned: CleanedFolder, files: Iterable[tuple[File, str]], finish: Callable[[], None]
) -> None:
    """Write what stays of files into a folder.

    `files` are all files, and where each goes in the folder; unreadable ones are passed over.
    `finish` is called before the folder appears in its place.

    Raises
    ------
    SimdupError
        If something cannot be read or written, or a source has changed since it was read.
    """
    try:
        with _open_folder(cleaned.target) as folder:
            real = os.path.realpath(folder)
            for file, below in files:
                place = os.path.join(real, below)
                _make_folder(real, os.path.dirname(place))
                records = cleaned.redundant.get(file.path, ())
                if 0 in records:
                    with suppress(FileNotFoundError):
                        os.unlink(place)
                    continue
                if not os.access(file.path, os.R_OK):
                    continue
                check_unchanged(file)
                if records:
                    with open_output(place) as stream:
                        write_records(file, stream, records, file.compression)
                else:
                    _copy(file.path, place, cleaned.link)
            finish()
    except OSError as error:
        raise unwritable(str(error.filename2 or error.filename or cleaned.target), error) from None


@contextmanager
def _open_folder(target: str) -> Iterator[str]:
    """Yield the folder to write to: the target if it has entries, or one that becomes it."""
    if os.path.isdir(target) and os.listdir(target):
        yield target
        return
    with beside(os.path.realpath(target), target) as place:
        os.makedirs(place)
        yield place


def _make_folder(root: str, folder: str) -> None:
    """Make a folder below the root; refuse one that a symbolic link leads out of it."""
    missing, above = [], folder
    while not os.path.isdir(above):
        missing.append(above)
        above = os.path.dirname(above)
    # os.makedirs is recursive, and folders can be deeper than Python's calls.
    for one in reversed(missing):
        os.mkdir(one)
    if os.path.realpath(folder) != os.path.normpath(folder):
        raise SimdupError(folder, f"a symbolic link leads out of {root}")


def check_unchanged(file: File) -> None:
    """Refuse to go on with a file that is not what was read before.

    Raises
    ------
    SimdupError
        If its size or its time of change differs.
    """
    now = os.stat(file.content_path or file.path)
    if (now.st_size, now.st_mtime) != (file.size, file.modified):
        raise SimdupError(file.path, "changed while it was read", "run it again")


def _copy(source: str, place: str, link: str) -> None:
    """Copy or link a file to a place, where it appears whole."""
    with beside(place) as path:
        if link == "hard":
            os.link(os.path.realpath(source), path)
        elif link == "symbolic":
            os.symlink(os.path.realpath(source), path)
        else:
            shutil.copy2(source, path)


def write_records(
    file: File, target: IO[bytes], redundant: Collection[int], compression: str
) -> None:
    """Write the records of a file that stay, byte for byte and in their order.

    `redundant` are the numbers of those that do not; `compression` is that of the target.
    """
    with open_content(file) as (stream, _):
        # Of a damaged file nothing is redundant, and its bytes are all there is to keep.
        if file.format == "parquet" and not redundant:
            with compress(target, compression) as packer:
                shutil.copyfileobj(stream, packer)
            return
        if file.format == "parquet":
            with _seekable(stream) as source, tempfile.TemporaryFile() as table:
                from simdup.corpus.parquet import copy_rows

                copy_rows(source, table, lambda row: row not in redundant)
                table.seek(0)
                with compress(target, compression) as packer:
                    shutil.copyfileobj(table, packer)
            return
        with compress(target, compression) as packer:
            packer.writelines(
                raw
                for number, raw in raw_records(file, stream)
                if number not in redundant or not number
            )


@contextmanager
def _seekable(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Give a copy of a stream in a file, in which one can go to and fro."""
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy
