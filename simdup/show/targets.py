"""Where output goes, and what it must not overwrite: SOURCEs, files inside them, existing files.

A folder for a cleaned corpus is filled in a work folder and appears as a whole.  If the target
already has files (and may be written to), they are replaced one by one, atomically, once everything
is ready.  If a SOURCE vanishes or changes meanwhile, the files that it would have replaced stay.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

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
from simdup.base.errors import SimdupError, unreadable, unwritable
from simdup.corpus.compression import split_compression
from simdup.corpus.files import STDIN, File, difference
from simdup.corpus.formats import RECORDS, format_of
from simdup.corpus.names import split_member, without_address
from simdup.corpus.opening import open_regular
from simdup.corpus.own_results import HEAD, is_own_result
from simdup.corpus.patterns import matches
from simdup.corpus.rewriting import Annotations, write_records
from simdup.model.cleaned import DedupeOptions, RemovedDocument
from simdup.model.recipe import Recipe
from simdup.model.settings import Progress, Reading, no_progress
from simdup.show.words import CHINESE, ENGLISH

# Other files that simdup writes, though a walk reads them: clusters as text, models.
_HEADINGS = (words("heading.clusters").encode() for words in (ENGLISH, CHINESE))
_WRITTEN = (*_HEADINGS, b"# simdup-idf ")
# Suffixes of files, beside those of formats and of compression.
_FILES = (".txt", ".md", ".json", ".zip")
# Compressed files and archives that a reader would take a file of records for.
_UNWRITTEN = (".zip", ".bz2", ".xz", ".lzma", ".7z", ".lz4", ".br", ".tar", ".tgz", ".rar")


def check_target(target: str, sources: Iterable[str], force: bool) -> None:
    """Raise if a target contains a source, is inside one, or is not empty.

    Raises
    ------
    SimdupError
        If the target must not be written.
    """
    check_apart(target, sources)
    try:
        filled = bool(entries(target) if os.path.isdir(target) else os.path.getsize(target))
    except FileNotFoundError:
        return
    except OSError as error:
        raise unreadable(target, error) from None
    if filled and not force:
        raise SimdupError(
            target, "already exists and is not empty", "`force` replaces files with the same names"
        )


def check_apart(target: str, sources: Iterable[str], what: str = "a SOURCE") -> None:
    """Raise if a target is a source, is inside one, or contains one.

    Raises
    ------
    SimdupError
        If it does.
    """
    place = os.path.realpath(target)
    for source in map(without_address, sources):
        real = os.path.realpath(source)
        if place == real or (os.path.exists(target) and _same(target, source)):
            raise SimdupError(target, f"is {what} itself: {source}")
        if place.startswith(os.path.join(real, "")):
            raise SimdupError(target, f"is inside {what}: {source}")
        if real.startswith(os.path.join(place, "")):
            raise SimdupError(target, f"contains {what}: {source}")
    _refuse_index(target)


def check_output(
    path: str | None,
    sources: Iterable[str],
    reading: Reading | None = None,
) -> None:
    """Raise if an output would overwrite a source.

    In a folder that is read, results of an earlier run, and files that the patterns of `reading`
    leave out, may be overwritten.  An index never is.

    Raises
    ------
    SimdupError
        If the file is an index, is read, or is inside a source and not a result of simdup.
    """
    sources = list(sources)
    # Devices and pipes are written to, not overwritten.
    if path is None or path == STDIN or not os.path.isfile(path):
        return
    for source in map(without_address, sources):
        if source != STDIN and _same(path, source):
            raise SimdupError(path, f"is a SOURCE itself: {source}", "write to another file")
    _refuse_index(path)
    for source in sources:
        if source != STDIN and os.path.isdir(source):
            _check_inside(path, source, reading or Reading())


def check_read(path: str, files: Iterable[str]) -> None:
    """Raise if an output is, or contains, one of other files that are read, or standard input.

    Raises
    ------
    SimdupError
        If it does.
    """
    folder = os.path.join(os.path.realpath(path), "")
    for file in files:
        if _same(path, file):
            raise SimdupError(path, "is also read by this command", "write to another file")
        if os.path.realpath(file).startswith(folder):
            what = f"contains a file that this command reads: {file}"
            raise SimdupError(path, what, "write to another folder")
    if os.path.isfile(path) and _same(path, 0):
        raise SimdupError(path, "is standard input", "write to another file")


def _refuse_index(path: str) -> None:
    # An index is work that a mistyped command should not replace.
    from simdup.index.opening import holds_index

    if holds_index(path):
        raise SimdupError(path, "is a simdup index", "choose another name")


def _check_inside(path: str, folder: str, reading: Reading) -> None:
    below = os.path.relpath(os.path.realpath(path), os.path.realpath(folder))
    parts = below.split(os.sep)
    ways = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
    if any(part.startswith(".") for part in parts) or any(
        matches(w, reading.exclude) for w in ways
    ):
        return
    if reading.glob and not matches(ways[-1], reading.glob):
        return
    with suppress(OSError), open(path, "rb") as file:
        head = file.read(HEAD)
        if head and not (is_own_result(head) or head.startswith(_WRITTEN)):
            raise SimdupError(
                path, f"is inside a SOURCE and was not written by simdup: {folder}",
                "write to another file, or remove this one",
            )  # fmt: skip


def _same(a: str, b: str | int) -> bool:
    """Return whether two names, or a name and an open file, mean the same file or folder."""
    with suppress(OSError):
        one, other = os.stat(a), os.stat(b)
        return os.path.samestat(one, other) and not stat.S_ISCHR(one.st_mode)
    return False


# -- what a cleaned corpus becomes --


def check_places(sources: Sequence[str], options: DedupeOptions, recipe: Recipe) -> None:
    """Refuse to write over what is read, or over each other, and sources that are not a corpus."""
    for source in sources:
        if not os.path.lexists(source) and split_member(source):
            what = "a file in an archive is not a corpus that can be cleaned"
            raise SimdupError(source, what, "name the archive, or the file in `references`")
        if without_address(source) != source:
            what = "a single record is not a corpus that can be cleaned"
            raise SimdupError(source, what, "name its file, or the record in `references`")
    target, report = options.target, options.report
    named = [source for source in (*sources, *options.references) if source != STDIN]
    if target is not None and target != STDIN:
        check_target(target, named, options.force)
        check_read(target, recipe.files)
    if options.index is not None:
        for name in (target, report):
            if name is not None and os.path.realpath(name) == os.path.realpath(options.index):
                raise SimdupError(name, "is the index", "choose another name")
    if report is not None and report != STDIN:
        check_apart(report, named)
        if target is not None and target != STDIN:
            check_apart(report, [target], "OUT")


def check_name(target: str) -> None:
    """Raise if a new folder would have the name of a file."""
    if os.path.isdir(target) or target.endswith(os.sep):
        return
    stem, compression = split_compression(target)
    suffix = os.path.splitext(stem)[1].lower()
    if compression or suffix in _FILES or format_of(stem, Reading()) != "text":
        raise SimdupError(
            target, "has the name of a file, but the result is a folder",
            "only a single file of records becomes a file; name a folder, or end the name with /",
        )  # fmt: skip


def single_file(sources: Sequence[str], files: Sequence[File], target: str | None) -> File | None:
    """Return the file of records that becomes a file; None if the target is a folder."""
    if files and files[0].path == STDIN:
        return files[0]
    folder = target is not None and (target.endswith(os.sep) or os.path.isdir(target))
    if len(sources) != 1 or len(files) != 1 or os.path.isdir(sources[0]) or folder:
        return None
    return files[0] if files[0].records else None


def compression_for(file: File, target: str, reading: Reading) -> str:
    """Return the compression of a single file: unchanged, unless the target's suffix differs."""
    stem, compression = split_compression(target)
    suffix = os.path.splitext(target)[1].lower()
    if suffix in _UNWRITTEN:
        raise SimdupError(
            target, f"{suffix} files are not written", "end the name with .gz or .zst"
        )
    form = format_of(stem, replace(reading, input_format="auto", html=False))
    like = os.path.splitext(split_compression(file.path)[0])[1]
    if form in RECORDS and form != file.format and not stem.endswith(like or os.sep):
        what = f"records keep their format, {file.format.upper()}"
        raise SimdupError(target, what, "change the suffix")
    return compression if compression or form in RECORDS else file.compression


def places(sources: Sequence[str], files: Sequence[File]) -> list[tuple[File, str]]:
    """Return each file with its place: its path below the common folder of all sources.

    Raises
    ------
    SimdupError
        If two files have the same place.
    """
    if len(sources) == 1 and os.path.isdir(sources[0]):
        common = os.path.abspath(sources[0])
    else:
        common = os.path.commonpath([os.path.dirname(os.path.abspath(s)) for s in sources])
    placed, taken = [], dict[str, str]()
    for file in files:
        below = os.path.relpath(os.path.abspath(file.path), common)
        other = taken.setdefault(below, file.path)
        if other != file.path:
            raise SimdupError(file.path, f"would have the same place in OUT as {other}: {below}",
                              "clean them separately")  # fmt: skip
        placed.append((file, below))
    return placed


# -- a folder that is filled --


@dataclass(slots=True)
class CleanedFolder:
    """The files to fill a folder with."""

    files: Sequence[tuple[File, str]]  # all files, and the place of each in the folder
    references: Sequence[File]  # files that are read but not written
    link: str  # how to put unchanged files there: ``copy``, ``hard`` or ``symbolic``
    # The documents left out; those that must stay after all are dropped.
    cuts: Sequence[RemovedDocument]
    root: str = ""  # the folder that it is a copy of, if any
    progress: Progress = no_progress
    # What is added to the records of each file, by its path, instead of leaving some out.
    annotations: Mapping[str, Annotations] = field(default_factory=dict)
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
