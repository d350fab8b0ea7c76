"""Write sources again without their redundant documents, as `dedupe` does with files."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np

from simdup.corpus.compression import detect_compression, split_compression
from simdup.corpus.files import STDIN, File
from simdup.corpus.formats import RECORDS, format_of
from simdup.corpus.names import split_member, without_address
from simdup.corpus.sources import Listing, list_files
from simdup.corpus.spool import spool_folder
from simdup.errors import SimdupError, unwritable
from simdup.index.opening import split_indexes
from simdup.ingest.sources import Input, open_files
from simdup.model.cleaned import Cleaned, Removed
from simdup.model.documents import Skipped
from simdup.model.reading import Reading
from simdup.model.result import Result
from simdup.model.settings import Settings
from simdup.operations.scan import examine
from simdup.output.corpus_writer import (
    CleanedFolder,
    Cut,
    check_unchanged,
    fill,
    list_others,
    open_folder,
    records_by_file,
    write_records,
)
from simdup.output.cuts import list_cuts
from simdup.output.streams import open_output
from simdup.output.targets import check_apart, check_target
from simdup.workspace import reserve

# How to put unchanged files into a folder.
LINKS = ("copy", "hard", "symbolic")


@dataclass(frozen=True, slots=True)
class DedupeOptions:
    """Where and how to write a cleaned corpus."""

    target: str | None  # a file or folder; ``-`` for standard output; None writes nothing
    # Files, folders and indexes whose documents are never redundant, and are not written.
    references: Sequence[str] = ()
    link: str = "copy"  # one of `LINKS`
    force: bool = False  # whether files of the target may be replaced
    # Another file that the caller writes; it must not overwrite anything either.
    report: str | None = None


# Suffixes of files, beside those of formats and of compression.
_FILES = (".txt", ".md", ".json", ".zip")

Finish = Callable[[Result, list[Removed]], None]


def with_linkage(settings: Settings) -> Settings:
    """Return settings with a definite linkage, by default star.

    So every removed document is near one that stays.
    """
    criteria = settings.criteria
    return replace(settings, criteria=replace(criteria, linkage=criteria.linkage or "star"))


def rewrite(
    sources: Sequence[str],
    options: DedupeOptions,
    settings: Settings,
    finish: Finish = lambda result, removed: None,
) -> Cleaned:
    """Write a corpus without its redundant documents.

    Only documents that meet the criteria with a document that stays are redundant.  Files that
    could not be read as documents are copied as they are; those that cannot be opened are
    missing, and are listed as skipped.

    Parameters
    ----------
    sources : sequence of str
        Files and folders; a single file of records becomes a file, everything else a folder.
    options : DedupeOptions
        Where and how to write the corpus.
    settings : Settings
        As in `scan`, except that the default linkage is ``star``.
    finish : callable
        Called with the result before the corpus appears at its target.

    Returns
    -------
    Cleaned
        ``result``, ``removed``, and what was ``written``.

    Raises
    ------
    SimdupError
        If the target must not or cannot be written, or a reference gives no document.
    """
    settings = with_linkage(settings)
    _check_places(sources, options)
    indexes, others = split_indexes(options.references)
    listing = list_files(sources, settings.reading, others)
    _check_references(options.references, listing.skipped)
    with spool_folder() as folder:
        files = [_rereadable(file, sources, folder) for file in listing.files]
        opened = replace(open_files(listing._replace(files=files), settings), indexes=indexes)
        references, given = _on_disk(files, listing)
        # A mistyped name should produce nothing, not even an empty folder.
        nothing = not given and bool(listing.skipped)
        if options.target is None or nothing:
            cleaned = without(*find_cuts(opened, options.references))
            finish(cleaned.result, cleaned.removed)
            return cleaned
        single = _single_file(sources, given, options.target)
        if single is not None:
            if options.link != "copy":
                why = "has no effect: OUT is not a folder"
                opened = replace(opened, notes=[*opened.notes, ("`link`", why)])
            compression = _compression(single, options.target, settings.reading)
            job = _File(single, references, compression)
            return _write_file(opened, options, job, finish)
        if options.target == STDIN:
            raise SimdupError("output", "only a single file of records can go to standard output",
                              "name a folder", field="output")  # fmt: skip
        _check_name(options.target)
        root = sources[0] if len(sources) == 1 and os.path.isdir(sources[0]) else ""
        placed = list(zip(given, _places(sources, given), strict=True))
        _check_meeting(placed)
        filled = CleanedFolder(placed, references, options.link, (), root)
        return _write_folder(opened, options, filled, finish)


@dataclass(frozen=True, slots=True)
class _File:
    """A file of records that becomes a file of records."""

    file: File
    references: Sequence[File]
    compression: str  # of the file that is written


def _write_file(opened: Input, options: DedupeOptions, job: _File, finish: Finish) -> Cleaned:
    """Write the remaining records of a file to another file."""
    target = options.target or STDIN
    like = "" if job.file.path == STDIN else job.file.path
    with ExitStack() as stack:
        if target != STDIN:
            stack.enter_context(reserve(target))
        stream = stack.enter_context(open_output(target, like))
        result, cuts = find_cuts(opened, options.references)
        cleaned = without(result, cuts)
        redundant = records_by_file(cuts).get(job.file.path, ())
        check_unchanged([job.file, *job.references])
        try:
            write_records(job.file, stream, redundant, job.compression)
            finish(result, cleaned.removed)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise unwritable(f"{job.file.path} to {target}", error) from None
        check_unchanged([job.file])
    cleaned = cleaned._replace(written=target)
    if job.compression != job.file.compression or not os.path.isfile(target):
        return cleaned
    return cleaned._replace(bytes_before=job.file.size, bytes_after=os.path.getsize(target))


def _write_folder(
    opened: Input, options: DedupeOptions, filled: CleanedFolder, finish: Finish
) -> Cleaned:
    """Write the remaining documents to a folder."""
    target = options.target or ""
    with reserve(target, parents=True), open_folder(target, options.force) as folder:
        result, filled.cuts = find_cuts(opened, options.references)
        fill(folder, filled)
        missing = _missing(opened.skipped, filled, folder)
        skipped = [
            replace(one, reason=f"{one.reason}; not copied to {target}")
            if one.document in missing else one
            for one in result.skipped
        ]  # fmt: skip
        known = {one.document for one in skipped}
        skipped += [
            Skipped(path, f"{why}; documents that are redundant because of it are kept", error=True)
            for path, why in filled.lost.items()
            if path not in known
        ]
        others = [(name, "left in place; not part of the result") for name in
                  list_others(folder, target)]  # fmt: skip
        result = replace(result, skipped=tuple(skipped), notes=(*result.notes, *others))
        cleaned = without(result, filled.cuts)
        before = sum(file.size for file, _ in filled.files)
        places = [os.path.join(folder, below) for _, below in filled.files]
        after = sum(os.path.getsize(place) for place in places if os.path.isfile(place))
        finish(result, cleaned.removed)
    return cleaned._replace(written=target, bytes_before=before, bytes_after=after, missing=missing)


def _on_disk(files: Sequence[File], listing: Listing) -> tuple[list[File], list[File]]:
    """Return references and the others, with archives in place of what is in them."""
    known, given = files[: listing.references], files[listing.references :]
    references = {one.on_disk.path: one.on_disk for one in known}
    others = {one.on_disk.path: one.on_disk for one in (*given, *listing.archives)}
    return list(references.values()), list(others.values())


def _missing(unlisted: Sequence[Skipped], filled: CleanedFolder, folder: str) -> tuple[str, ...]:
    """Return the files and folders that could not be opened, so that the new folder lacks them."""
    copied = {file.path for file, _ in filled.files}  # with archives that could not be listed
    closed = [
        one.document
        for one in unlisted
        if one.error and one.document not in copied and _closed(one.document)
    ]
    return *closed, *(
        file.path
        for file, below in filled.files
        if file.path in filled.lost and not os.path.lexists(os.path.join(folder, below))
    )


def _closed(path: str) -> bool:
    """Return whether a path exists and cannot be opened; a folder may only lack matches."""
    readable = os.path.isdir(path) and os.access(path, os.R_OK | os.X_OK)
    return os.path.lexists(path) and not readable


def find_cuts(opened: Input, references: Sequence[str]) -> tuple[Result, list[Cut]]:
    """Find what is redundant; raise if a reference gave no document."""
    result, corpus = examine(opened)
    _check_references(references, result.skipped)
    cuts, notes = list_cuts(result, corpus, opened.files)
    return replace(result, notes=(*result.notes, *notes)), cuts


def without(result: Result, cuts: Sequence[Cut]) -> Cleaned:
    """Return what is left without these documents."""
    numbers = np.array([cut.number for cut in cuts], np.int64)
    return Cleaned(result, [cut.entry for cut in cuts], positions=result.inputs.positions(numbers))


def _check_references(references: Sequence[str], skipped: Sequence[Skipped]) -> None:
    """Raise if a reference gave no document: with a mistyped name, everything would stay."""
    named = {*references, *map(without_address, references)}
    for one in skipped:
        if one.error and one.document in named:
            raise SimdupError(one.document, f"{one.reason}, but is a reference")


def _check_name(target: str) -> None:
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


def _check_places(sources: Sequence[str], options: DedupeOptions) -> None:
    """Refuse to write over a source, or over each other, and sources that are not a corpus."""
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
    if report is not None and report != STDIN:
        check_apart(report, named)
        if target is not None and target != STDIN:
            check_apart(report, [target], "OUT")


def _rereadable(file: File, sources: Sequence[str], folder: str) -> File:
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


def _single_file(sources: Sequence[str], files: Sequence[File], target: str | None) -> File | None:
    """Return the file of records that becomes a file; None if the target is a folder."""
    if files and files[0].path == STDIN:
        return files[0]
    folder = target is not None and (target.endswith(os.sep) or os.path.isdir(target))
    if len(sources) != 1 or len(files) != 1 or os.path.isdir(sources[0]) or folder:
        return None
    return files[0] if files[0].records else None


def _compression(file: File | None, target: str | None, reading: Reading) -> str:
    """Return the compression of a single file: unchanged, unless the target's suffix differs."""
    if file is None or target is None:
        return ""
    stem, compression = split_compression(target)
    form = format_of(stem, replace(reading, input_format="auto", html=False))
    like = os.path.splitext(split_compression(file.path)[0])[1]
    if form in RECORDS and form != file.format and not stem.endswith(like or os.sep):
        what = f"records keep their format, {file.format.upper()}"
        raise SimdupError(target, what, "change the suffix")
    return compression if compression or form in RECORDS else file.compression


def _places(sources: Sequence[str], files: Sequence[File]) -> list[str]:
    """Return the place of each file: its path below the common folder of all sources."""
    if len(sources) == 1 and os.path.isdir(sources[0]):
        common = os.path.abspath(sources[0])
    else:
        common = os.path.commonpath([os.path.dirname(os.path.abspath(s)) for s in sources])
    return [os.path.relpath(os.path.abspath(file.path), common) for file in files]


def _check_meeting(placed: Sequence[tuple[File, str]]) -> None:
    """Raise if two files have the same place."""
    taken: dict[str, str] = {}
    for file, below in placed:
        other = taken.setdefault(below, file.path)
        if other != file.path:
            raise SimdupError(file.path, f"would have the same place in OUT as {other}: {below}",
                              "clean them separately")  # fmt: skip
