"""Where output goes, and what it must not overwrite: SOURCEs, files inside them, existing files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from simdup.base.atomic import entries
from simdup.base.errors import SimdupError, unreadable
from simdup.base.system import common_folder, ends_as_folder, is_inside, relative
from simdup.corpus.compression import split_compression
from simdup.corpus.files import RECORDS, STDIN, File, format_of
from simdup.corpus.names import split_member, without_address
from simdup.corpus.patterns import OWN_HEAD, is_own_result, matches
from simdup.model.cleaned import DedupeOptions
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading
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
        if place == os.path.realpath(source) or (os.path.exists(target) and _same(target, source)):
            raise SimdupError(target, f"is {what} itself: {source}")
        if is_inside(target, source):
            raise SimdupError(target, f"is inside {what}: {source}")
        if is_inside(source, target):
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
    for file in files:
        if _same(path, file):
            raise SimdupError(path, "is also read by this command", "write to another file")
        if is_inside(file, path):
            what = f"contains a file that this command reads: {file}"
            raise SimdupError(path, what, "write to another folder")
    if os.path.isfile(path) and _same(path, 0):
        raise SimdupError(path, "is standard input", "write to another file")


def _refuse_index(path: str) -> None:
    # An index is work that a mistyped command should not replace.
    from simdup.corpus.files import holds_index

    if holds_index(path):
        raise SimdupError(path, "is a simdup index", "choose another name")


def _check_inside(path: str, folder: str, reading: Reading) -> None:
    below = relative(os.path.realpath(path), os.path.realpath(folder))
    parts = below.split("/") if below else []
    ways = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
    if (
        not ways
        or any(part.startswith(".") for part in parts)
        or any(matches(w, reading.exclude, folder=w != below) for w in ways)
    ):
        return
    if reading.glob and not matches(ways[-1], reading.glob):
        return
    with suppress(OSError), open(path, "rb") as file:
        head = file.read(OWN_HEAD)
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
    if os.path.isdir(target) or ends_as_folder(target):
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
    folder = target is not None and (ends_as_folder(target) or os.path.isdir(target))
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
    form = format_of(stem, replace(reading, input_format="auto"))
    like = os.path.splitext(split_compression(file.path)[0])[1]
    if (
        form in RECORDS
        and form != file.format
        and not (stem.endswith(like) if like else ends_as_folder(stem))
    ):
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
        above = [os.path.dirname(os.path.abspath(source)) for source in sources]
        common = common_folder(above)
        if not common:
            what = f"is on another drive than {sources[0]}"
            raise SimdupError(sources[-1], what, "clean them separately")
    placed, taken = [], dict[str, str]()
    for file in files:
        below = os.path.relpath(os.path.abspath(file.path), common)
        other = taken.setdefault(below, file.path)
        if other != file.path:
            raise SimdupError(file.path, f"would have the same place in OUT as {other}: {below}",
                              "clean them separately")  # fmt: skip
        placed.append((file, below))
    return placed
