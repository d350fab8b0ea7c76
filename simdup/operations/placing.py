"""Where a cleaned corpus goes: what becomes a file, what a folder, and what must not be written."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace

from simdup.corpus.compression import detect_compression, split_compression
from simdup.corpus.files import ARCHIVE, STDIN, File
from simdup.corpus.formats import RECORDS, format_of
from simdup.corpus.names import split_member, without_address
from simdup.errors import SimdupError
from simdup.model.cleaned import DedupeOptions
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.output.targets import check_apart, check_read, check_target

# Suffixes of files, beside those of formats and of compression.
_FILES = (".txt", ".md", ".json", ".zip")
# Compressed files and archives that a reader would take a file of records for.
_UNWRITTEN = (".zip", ".bz2", ".xz", ".lzma", ".7z", ".lz4", ".br", ".tar", ".tgz", ".rar")


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


def rereadable(file: File, sources: Sequence[str], folder: str) -> File:
    """Return a file that can be read twice: standard input is copied first."""
    if file.path != STDIN:
        return file
    if len(sources) > 1 or not file.records:
        raise SimdupError(
            STDIN, "standard input must be records, and the only SOURCE", "set `input_format`"
        )
    place = os.path.join(folder, "input")
    with open(place, "wb") as copy, open(sys.stdin.fileno(), "rb", closefd=False) as stream:
        shutil.copyfileobj(stream, copy)
    with open(place, "rb") as copy:
        compression = detect_compression(copy)
    size, modified = os.path.getsize(place), os.path.getmtime(place)
    return replace(file, content_path=place, compression=compression, size=size, modified=modified)


def single_file(sources: Sequence[str], files: Sequence[File], target: str | None) -> File | None:
    """Return the file of records that becomes a file; None if the target is a folder."""
    if files and files[0].path == STDIN:
        return files[0]
    folder = target is not None and (target.endswith(os.sep) or os.path.isdir(target))
    if len(sources) != 1 or len(files) != 1 or os.path.isdir(sources[0]) or folder:
        return None
    return files[0] if files[0].records else None


def compression_for(file: File | None, target: str | None, reading: Reading) -> str:
    """Return the compression of a single file: unchanged, unless the target's suffix differs."""
    if file is None or target is None:
        return ""
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


def places(sources: Sequence[str], files: Sequence[File]) -> list[str]:
    """Return the place of each file: its path below the common folder of all sources."""
    if len(sources) == 1 and os.path.isdir(sources[0]):
        common = os.path.abspath(sources[0])
    else:
        common = os.path.commonpath([os.path.dirname(os.path.abspath(s)) for s in sources])
    return [os.path.relpath(os.path.abspath(file.path), common) for file in files]


def check_meeting(placed: Sequence[tuple[File, str]]) -> None:
    """Raise if two files have the same place."""
    taken: dict[str, str] = {}
    for file, below in placed:
        other = taken.setdefault(below, file.path)
        if other != file.path:
            raise SimdupError(file.path, f"would have the same place in OUT as {other}: {below}",
                              "clean them separately")  # fmt: skip


def require_records(files: Sequence[File]) -> None:
    """Raise if a file holds no records, to which fields could be added."""
    for file in files:
        if not file.records:
            kind = "an archive" if file.format == ARCHIVE else "one document"
            what = f"is {kind}, and only records can be annotated"
            raise SimdupError(file.path, what, "see `input_format`, or leave it out with `exclude`")
