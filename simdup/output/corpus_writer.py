"""The writer of cleaned corpora: what stays of files and of records, and nothing else.

A corpus appears whole or not at all: a folder is built beside its place and renamed, a file is
written by `open_output`.  Only where a folder is there already (and may be written to) its files
are replaced one by one, each whole.  Nothing outside the target is ever written or removed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO

from simdup.corpus.batches import open_content
from simdup.corpus.compression import compress
from simdup.corpus.record_batches import raw_records
from simdup.corpus.sources import File
from simdup.errors import SimdupError
from simdup.output.atomic import open_output

LINKS = ("copy", "hard", "symbolic")

# Numbers of the records of each file, by its path, that do not stay; 0 for the file itself.
Redundant = Mapping[str, Collection[int]]


def check_target(target: str, sources: Iterable[str], force: bool) -> None:
    """Refuse a target that holds a source, lies in one, or has something in it.

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
        raise SimdupError(target, (error.strerror or "cannot be read").lower()) from None
    if filled and not force:
        raise SimdupError(
            target, "is there already and not empty", "--force replaces its files of the same names"
        )


def check_apart(target: str, sources: Iterable[str], what: str = "a SOURCE") -> None:
    """Refuse a target that is a source, lies in one or holds one.

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
            raise SimdupError(target, f"lies inside {what}: {source}")
        if real.startswith(os.path.join(place, "")):
            raise SimdupError(target, f"holds {what}: {source}")


def _same(a: str, b: str) -> bool:
    with suppress(OSError):
        return os.path.samefile(a, b)
    return False


def write_folder(
    target: str,
    files: Iterable[tuple[File, str]],
    redundant: Redundant,
    link: str,
    finish: Callable[[], None],
) -> None:
    """Write what stays of files into a folder.

    Parameters
    ----------
    target : str
        The folder.
    files : iterable of (File, str)
        All files, and where each goes in the folder; unreadable ones are passed over.
    redundant : mapping
        What does not stay.
    link : str
        One of `LINKS`: how a file that stays as it is comes there.
    finish : callable
        Called before the folder appears at its place.

    Raises
    ------
    SimdupError
        If something cannot be read or written, or a source has changed since it was read.
    """
    try:
        with _folder(target) as folder:
            real = os.path.realpath(folder)
            for file, below in files:
                place = os.path.join(real, below)
                _make_folder(real, os.path.dirname(place))
                records = redundant.get(file.path, ())
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
                    _put(file.path, place, link)
            finish()
    except OSError as error:
        where = str(error.filename2 or error.filename or target)
        raise SimdupError(where, (error.strerror or "cannot be written").lower()) from None


@contextmanager
def _folder(target: str) -> Iterator[str]:
    """Give the folder to write to: the target, if something is in it, or one that becomes it."""
    if os.path.isdir(target) and os.listdir(target):
        yield target
        return
    target = os.path.realpath(target)
    beside = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.simdup-part")
    # What a killed run left behind.
    shutil.rmtree(beside, ignore_errors=True)
    os.makedirs(beside)
    try:
        yield beside
        if os.path.isdir(target):
            os.rmdir(target)
        os.rename(beside, target)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def _make_folder(root: str, folder: str) -> None:
    """Make a folder below the root; refuse one that a symbolic link leads out of it."""
    if not os.path.isdir(folder):
        os.makedirs(folder, exist_ok=True)
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


def _put(source: str, place: str, link: str) -> None:
    """Let a file stand at a place too, whole as soon as it is there."""
    beside = tempfile.mktemp(prefix=".simdup-", dir=os.path.dirname(place))
    try:
        if link == "hard":
            os.link(os.path.realpath(source), beside)
        elif link == "symbolic":
            os.symlink(os.path.realpath(source), beside)
        else:
            shutil.copy2(source, beside)
        os.replace(beside, place)
    finally:
        # Gone after the renaming, but where both are links to one file it does nothing.
        with suppress(FileNotFoundError):
            os.unlink(beside)


def write_records(
    file: File, target: IO[bytes], redundant: Collection[int], compression: str
) -> None:
    """Write the records of a file that stay, byte for byte and in their order.

    Parameters
    ----------
    file : File
        A file of records.
    target : file
        Where to write.
    redundant : collection of int
        Numbers of the records that do not stay.
    compression : str
        How to compress what is written.
    """
    with open_content(file) as (stream, _):
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
