"""The writer of cleaned corpora: the files and records that stay.

A folder is filled in a work folder and appears as a whole.  If the target already has files (and
may be written to), they are replaced one by one, atomically, once everything is ready.  If a SOURCE
vanishes or changes meanwhile, the files that it would have replaced stay.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO

from simdup.base.atomic import (
    beside,
    entries,
    make_folders,
    move_folder,
    sync_one,
    sync_path,
    walk,
    work_folder,
    writes_into,
)
from simdup.base.errors import SimdupError, unwritable
from simdup.corpus.batches import open_content
from simdup.corpus.compression import compress
from simdup.corpus.files import File, difference
from simdup.corpus.opening import open_regular
from simdup.corpus.rewriting import COLUMNS, Annotations, rewrite_records, without
from simdup.model.cleaned import Removed
from simdup.model.settings import Progress, no_progress

# Bytes between two words on how much was written.
_SAID = 1 << 20


@dataclass(frozen=True, slots=True)
class RemovedDocument:
    """A document that is left out."""

    entry: Removed
    path: str  # of the file that it comes from
    record: int  # its number in that file; 0 for the file itself
    kept_path: str  # of the file with the document that is kept instead
    number: int  # of the document, in input order
    kept: int  # number of the one that is kept instead; below 0 in an index


@dataclass(slots=True)
class CleanedFolder:
    """The files to fill a folder with."""

    files: Sequence[tuple[File, str]]  # all files, and the place of each in the folder
    references: Sequence[File]  # files that are read but not written
    link: str  # how to put unchanged files there: ``copy``, ``hard`` or ``symbolic``
    cuts: Sequence[
        RemovedDocument
    ]  # the documents left out; those that must stay after all are dropped
    root: str = ""  # the folder that it is a copy of, if any
    # What is added to the records of each file, by its path, instead of leaving some out.
    annotations: Mapping[str, Annotations] = field(default_factory=dict)
    # Files that vanished or changed since they were read, with the reason.
    lost: dict[str, str] = field(default_factory=dict)
    progress: Progress = no_progress


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
    if not writes_into(real):
        with beside(real, target) as place:
            _make_folder(place, target)
            yield place
            if os.path.isdir(real):
                shutil.copystat(real, place)
        return
    with work_folder(real) as work:
        place = os.path.join(work, "files")
        _make_folder(place, target)
        yield place
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


def _make_folder(place: str, target: str) -> None:
    try:
        os.mkdir(place)
    except OSError as error:
        raise unwritable(target, error) from None


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
                os.replace(entry.path, goal)
            elif os.path.isdir(goal):
                _merge(entry.path, goal)
            else:
                move_folder(entry.path, goal)
    sync_one(target)


def fill(folder: str, cleaned: CleanedFolder) -> None:
    """Write the remaining documents into an empty folder, with modes and times.

    A file that vanished or changed since it was read is recorded in ``lost``.  What still exists
    of it is kept whole, and so are documents that are redundant because of it.

    Raises
    ------
    SimdupError
        If something cannot be written, or two files have the same place.
    """
    lost = cleaned.lost
    for file in (*cleaned.references, *(file for file, _ in cleaned.files)):
        _note_loss(file, lost)
    _restore(cleaned)
    pending = cleaned.files
    written: set[str] = set()
    done, total = 0, sum(file.size for file, _ in pending)
    cleaned.progress("writing", done, total)
    try:
        while pending:
            redundant = records_by_file(cleaned.cuts)
            for file, below in pending:
                place = os.path.join(folder, below)
                if file.path in written:
                    _unlink(place)
                elif os.path.lexists(place):
                    raise SimdupError(
                        file.path, f"another SOURCE has the same place in OUT: {below}"
                    )
                make_folders(os.path.dirname(place))
                _write_file(file, place, redundant.get(file.path, ()), cleaned)
                if file.path not in written:
                    done += file.size
                    cleaned.progress("writing", done, total)
                written.add(file.path)
            again = _restore(cleaned)
            pending = [one for one in cleaned.files if one[0].path in again]
        _copy_folder_stats(folder, cleaned)
    except OSError as error:
        raise unwritable(str(error.filename2 or error.filename or folder), error) from None


def records_by_file(cuts: Sequence[RemovedDocument]) -> dict[str, set[int]]:
    """Return, for each file, the numbers of the records left out; 0 for the file itself."""
    found: dict[str, set[int]] = {}
    for cut in cuts:
        found.setdefault(cut.path, set()).add(cut.record)
    return found


def _restore(cleaned: CleanedFolder) -> set[str]:
    """Drop cuts that depend on lost files; return the files that keep more as a result."""
    lost = cleaned.lost
    void = {cut.path for cut in cleaned.cuts if cut.kept_path in lost}
    cleaned.cuts = [c for c in cleaned.cuts if c.path not in lost and c.kept_path not in lost]
    return void - lost.keys()


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


def _write_file(file: File, place: str, records: Collection[int], cleaned: CleanedFolder) -> None:
    """Write the remaining part of a file; all of it if it has changed."""
    if file.path not in cleaned.lost:
        if 0 in records:
            return
        try:
            change = cleaned.annotations.get(file.path, records)
            if change:
                with open(place, "xb") as stream:
                    write_records(file, stream, change, file.compression)
                shutil.copystat(file.path, place)
            else:
                _copy(file.path, place, cleaned.link)
        except Exception:
            if not _note_loss(file, cleaned.lost):
                raise
        else:
            # If the file vanishes from now on, it has already been written.
            if not os.path.exists(file.path) or not _note_loss(file, cleaned.lost):
                return
        _unlink(place)
    # A named pipe or a folder may have replaced it.
    if os.path.isfile(file.path) and os.access(file.path, os.R_OK):
        _copy(file.path, place, cleaned.link)


def _copy(source: str, place: str, link: str) -> None:
    if link == "hard":
        os.link(os.path.realpath(source), place)
    elif link == "symbolic":
        os.symlink(os.path.realpath(source), place)
    else:
        with open_regular(source) as stream, open(place, "xb") as target:
            shutil.copyfileobj(stream, target, 1 << 20)
        shutil.copystat(source, place)


def _unlink(place: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(place)


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


def write_records(
    file: File,
    target: IO[bytes],
    change: Collection[int] | Annotations,
    compression: str,
    progress: Progress = no_progress,
) -> None:
    """Write the records of a file in their order: all annotated, or some of them byte for byte.

    `change` has the numbers of those left out, or what is added to each; `compression` is that of
    the target.
    """
    with open_content(file) as (stream, _), compress(target, compression) as packer:
        if file.format != "parquet":
            lines = change.change if isinstance(change, Annotations) else without(change)
            packer.writelines(_counted(rewrite_records(file, stream, lines), progress))
        # Nothing in a damaged file is redundant, so its bytes are kept.
        elif not change:
            shutil.copyfileobj(stream, packer)
        else:
            with _seekable(stream) as source, tempfile.TemporaryFile() as table:
                _write_rows(source, table, change)
                table.seek(0)
                shutil.copyfileobj(table, packer)


def _counted(lines: Iterable[bytes], progress: Progress) -> Iterator[bytes]:
    """Yield lines, and say how many bytes of them were written."""
    done = said = 0
    for line in lines:
        yield line
        done += len(line)
        if done >= said + _SAID:
            said = done
            progress("writing", done, None)
    progress("writing", done, None)


def _write_rows(
    source: IO[bytes], target: IO[bytes], change: Collection[int] | Annotations
) -> None:
    from simdup.corpus.parquet import add_columns, column_names, copy_rows

    if isinstance(change, Annotations):
        change.require_free(column_names(source))
        add_columns(source, target, change.of, COLUMNS)
    else:
        copy_rows(source, target, lambda row: row not in change)


@contextmanager
def _seekable(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Yield a copy of a stream as a file with random access."""
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield copy
