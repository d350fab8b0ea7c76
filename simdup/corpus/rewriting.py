"""Write a corpus again, with what is changed in its files: see `simdup.corpus.changes`.

A folder is filled in a work folder and appears as a whole.  If the target already has files (and
may be written to), they are replaced one by one, atomically, once everything is ready.  If a SOURCE
vanishes or changes meanwhile, the files that it would have replaced stay.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import IO, TypeAlias

from simdup.base.atomic import (
    beside,
    entries,
    make_folders,
    move_folder,
    sync_path,
    walk,
    work_folder,
    writes_into,
)
from simdup.base.errors import SimdupError, unwritable
from simdup.base.regular_files import open_regular
from simdup.base.system import move, sync, unlink
from simdup.corpus.batches import open_content
from simdup.corpus.changes import Change
from simdup.corpus.compression import compress, detect_compression
from simdup.corpus.delimited import change_csv
from simdup.corpus.files import ARCHIVE, File, difference
from simdup.corpus.parquet import change_parquet
from simdup.corpus.record_batches import change_array, change_json
from simdup.model.documents import Skipped
from simdup.model.settings import Progress, Reading, no_progress

# Why a file may keep what is to go.
UNREAD = "it was not read to its end, and is kept whole"
# Bytes between two words on how much was written.
_SAID = 1 << 20


def require_records(files: Sequence[File]) -> None:
    """Raise if a file holds no records, to which fields could be added."""
    for file in files:
        if not file.records:
            kind = "an archive" if file.format == ARCHIVE else "one document"
            what = f"is {kind}, and only records can be annotated"
            raise SimdupError(file.path, what, "see `input_format`, or leave it out with `exclude`")


# Yields the bytes of a file of records with a change.
_Writer: TypeAlias = Callable[[File, IO[bytes], Reading, Change], Iterator[bytes]]
_WRITERS: Mapping[str, _Writer] = {
    "jsonl": change_json, "json": change_array, "csv": change_csv, "tsv": change_csv,
}  # fmt: skip


def write_changed(
    file: File,
    target: IO[bytes],
    change: Change | None,
    compression: str,
    progress: Progress = no_progress,
) -> None:
    """Write a file with a change, what does not change byte for byte.

    `compression` is that of the target.
    """
    with open_content(file) as (stream, _), compress(target, compression) as packer:
        if change is None or change.idle:
            parts = iter(partial(stream.read, _SAID), b"")
        elif not file.records:
            parts = iter([change.text(stream.read())])
        elif file.format == "parquet":
            parts = _table(stream, change)
        else:
            parts = _WRITERS[file.format](file, stream, change.reading, change)
        packer.writelines(_counted(parts, progress))


def _table(stream: IO[bytes], change: Change) -> Iterator[bytes]:
    # A table needs random access, to what is read and to what is written.
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as table:
        shutil.copyfileobj(stream, source)
        source.seek(0)
        change_parquet(source, table, change.reading, change)
        table.seek(0)
        yield from iter(partial(table.read, _SAID), b"")


def _counted(parts: Iterable[bytes], progress: Progress) -> Iterator[bytes]:
    """Yield what is written, and say how many bytes of it were."""
    done = said = 0
    for part in parts:
        yield part
        done += len(part)
        if done >= said + _SAID:
            said = done
            progress("writing", done, None)
    progress("writing", done, None)


def copy_input(file: File, place: str) -> File:
    """Return standard input as a file that can be read twice: a copy of it."""
    with open(place, "wb") as copy, open(sys.stdin.fileno(), "rb", closefd=False) as stream:
        shutil.copyfileobj(stream, copy)
    with open(place, "rb") as copy:
        compression = detect_compression(copy)
    size, modified = os.path.getsize(place), os.path.getmtime(place)
    return replace(file, content_path=place, compression=compression, size=size, modified=modified)


# -- a folder that is filled --


@dataclass(frozen=True, slots=True)
class CleanedFolder:
    """The files to fill a folder with."""

    files: Sequence[tuple[File, str]]  # all files, and the place of each in the folder
    references: Sequence[File]  # files that are read but not written
    root: str  # the folder that it is a copy of, if any
    # Files that vanished or changed since they were read, with the reason.
    lost: dict[str, str] = field(default_factory=dict)


@contextmanager
def open_folder(target: str, force: bool) -> Iterator[str]:
    """Yield an empty folder; its final contents appear in the target.

    With `force`, the target may have files; those with the same names are replaced.

    Raises
    ------
    SimdupError
        If the target cannot be written, or something appeared there meanwhile.
    """
    real = os.path.realpath(target)
    whole = not writes_into(real)
    with beside(real, target) if whole else work_folder(real) as work:
        place = work if whole else os.path.join(work, "files")
        try:
            os.mkdir(place)
        except OSError as error:
            raise unwritable(target, error) from None
        yield place
        if whole:
            if os.path.isdir(real):
                shutil.copystat(real, place)
            return
        if entries(real) and not force:
            raise SimdupError(
                target, "something was created in it during the run", "choose another output"
            )
        try:
            sync_path(place)
            _check_merge(place, real)
            _merge(place, real)
        except OSError as error:
            raise unwritable(str(error.filename2 or error.filename or target), error) from None


def _check_merge(place: str, target: str) -> None:
    """Raise if a symbolic link leads out of the target, or a folder and a file collide."""
    for folder, folders, files in walk(place):
        goal = os.path.normpath(os.path.join(target, os.path.relpath(folder, place)))
        for name in folders:
            path = os.path.join(goal, name)
            if os.path.islink(path):
                raise SimdupError(path, f"a symbolic link leads out of {target}")
            if os.path.lexists(path) and not os.path.isdir(path):
                raise SimdupError(path, "is a file, but a folder in the SOURCEs")
        for name in files:
            path = os.path.join(goal, name)
            if os.path.isdir(path) and not os.path.islink(path):
                raise SimdupError(path, "is a folder, but a file in the SOURCEs")


def _merge(place: str, target: str) -> None:
    """Move files into a folder, replacing those with the same names."""
    with os.scandir(place) as found:
        for entry in found:
            goal = os.path.join(target, entry.name)
            if not entry.is_dir(follow_symlinks=False):
                move(entry.path, goal)
            elif os.path.isdir(goal):
                _merge(entry.path, goal)
            else:
                move_folder(entry.path, goal)
    sync(target)


def fill(
    folder: str,
    cleaned: CleanedFolder,
    changes: Mapping[str, Change],
    without: Callable[[Mapping[str, str]], Mapping[str, Change | None]],
    progress: Progress = no_progress,
) -> None:
    """Write files with their changes into an empty folder, with modes and times.

    A file that vanished or changed since it was read is recorded in ``lost``.  What still exists
    of it is kept whole.

    Parameters
    ----------
    folder : str
        The empty folder.
    cleaned : CleanedFolder
        The files.
    changes : mapping
        What is changed in each file, by its path.
    without : callable
        Returns what is changed instead in other files, because it depends on lost ones.
    progress : callable
        Is told how many bytes are done.

    Raises
    ------
    SimdupError
        If something cannot be written, or two files have the same place.
    """
    files, lost = cleaned.files, cleaned.lost
    for file in (*cleaned.references, *(file for file, _ in files)):
        _note_loss(file, lost)
    current: dict[str, Change | None] = {**changes, **without(lost)}
    pending = files
    done, total = 0, sum(file.size for file, _ in files)
    progress("writing", done, total)
    try:
        while pending:
            for file, below in pending:
                place = os.path.join(folder, below)
                if pending is not files:
                    with suppress(FileNotFoundError):
                        unlink(place)
                elif os.path.lexists(place):
                    raise SimdupError(
                        file.path, f"another SOURCE has the same place in OUT: {below}"
                    )
                make_folders(os.path.dirname(place))
                _write_file(file, place, current.get(file.path), lost)
                if pending is files:
                    done += file.size
                    progress("writing", done, total)
            again = without(lost)
            current.update(again)
            pending = [one for one in files if one[0].path in again]
        _copy_folder_stats(folder, cleaned)
    except OSError as error:
        raise unwritable(str(error.filename2 or error.filename or folder), error) from None


def _note_loss(file: File, lost: dict[str, str]) -> bool:
    """Record a file that has vanished or changed since it was read; return whether it has."""
    why = difference(file)
    if why:
        lost[file.path] = why
    return bool(why)


def check_unchanged(files: Sequence[File]) -> None:
    """Raise if files have vanished or changed since they were read.

    Raises
    ------
    SimdupError
        Names the first such file.
    """
    for file in files:
        if why := difference(file):
            raise SimdupError(file.path, why, "run it again")


def _write_file(file: File, place: str, change: Change | None, lost: dict[str, str]) -> None:
    """Write the remaining part of a file; all of it if it has changed."""
    if file.path not in lost:
        if change is not None and 0 in change.removed:
            return
        try:
            if change is not None and not change.idle:
                with open(place, "xb") as stream:
                    write_changed(file, stream, change, file.compression)
                shutil.copystat(file.path, place)
            else:
                _copy(file.path, place)
        except Exception:
            if not _note_loss(file, lost):
                raise
        else:
            # If the file vanishes from now on, it has already been written.
            if not os.path.exists(file.path) or not _note_loss(file, lost):
                return
        with suppress(FileNotFoundError):
            unlink(place)
    # A named pipe or a folder may have replaced it.
    if os.path.isfile(file.path) and os.access(file.path, os.R_OK):
        _copy(file.path, place)


def _copy(source: str, place: str) -> None:
    with open_regular(source) as stream, open(place, "xb") as target:
        shutil.copyfileobj(stream, target, 1 << 20)
    shutil.copystat(source, place)


def _copy_folder_stats(folder: str, cleaned: CleanedFolder) -> None:
    """Give folders the modes and times of those they are copies of."""
    sources = {"": cleaned.root} if cleaned.root else {}
    for file, below in cleaned.files:
        source, below = os.path.dirname(os.path.abspath(file.path)), os.path.dirname(below)
        while below and below not in sources:
            sources[below] = source
            source, below = os.path.dirname(source), os.path.dirname(below)
    # The inner ones first, because creating anything in a folder changes its time.
    for below in sorted(sources, key=len, reverse=True):
        with suppress(OSError):
            shutil.copystat(sources[below], os.path.join(folder, below))


def list_others(folder: str, target: str) -> list[str]:
    """Return the files of a target that the new folder does not have."""
    others = []
    for place, folders, files in walk(target):
        known = set(entries(place))
        folders[:] = sorted(known.intersection(folders))
        below = os.path.relpath(place, target)
        for name in sorted(known.intersection(files)):
            if not os.path.lexists(os.path.join(folder, below, name)):
                others.append(os.path.normpath(os.path.join(target, below, name)))
    return others


def list_missing(folder: str, cleaned: CleanedFolder, unlisted: Sequence[Skipped]) -> list[str]:
    """Return the files and folders that could not be opened, so that the new folder lacks them."""
    copied = {file.path for file, _ in cleaned.files}  # with archives that could not be listed
    closed = [
        one.document
        for one in unlisted
        if one.error and one.document not in copied and _closed(one.document)
    ]
    return closed + [
        file.path
        for file, below in cleaned.files
        if file.path in cleaned.lost and not os.path.lexists(os.path.join(folder, below))
    ]


def _closed(path: str) -> bool:
    """Return whether a path exists and cannot be opened; a folder may only lack matches."""
    readable = os.path.isdir(path) and os.access(path, os.R_OK | os.X_OK)
    return os.path.lexists(path) and not readable
