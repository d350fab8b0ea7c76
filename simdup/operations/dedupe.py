"""Dedupe: from sources to the same corpus without its redundant documents."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from simdup.corpus.compression import detect_compression, split_compression
from simdup.corpus.sources import RECORDS, STDIN, File, format_of, list_files
from simdup.errors import SimdupError, unwritable
from simdup.ingest.corpus import Corpus, spool_folder
from simdup.ingest.sources import open_files
from simdup.model.clusters import Removed, Result
from simdup.model.reading import Reading
from simdup.model.settings import Settings
from simdup.operations.scan import examine
from simdup.output.corpus_writer import (
    CleanedFolder,
    check_apart,
    check_target,
    check_unchanged,
    write_folder,
    write_records,
)
from simdup.output.streams import open_output


@dataclass(frozen=True, slots=True)
class DedupeOptions:
    """Where a cleaned corpus goes, and how."""

    target: str | None  # a file or folder; ``-`` for standard output; None writes nothing
    # Files and folders whose documents are never redundant, and are not written.
    references: Sequence[str] = ()
    # How a file that stays unchanged gets into a folder: ``copy``, ``hard`` or ``symbolic``.
    link: str = "copy"
    force: bool = False  # files of the target may be replaced
    # Another file that the caller writes: it must not overwrite anything either.
    report: str | None = None


Finish = Callable[[Result, list[Removed]], None]


def dedupe(
    sources: Sequence[str],
    options: DedupeOptions,
    settings: Settings,
    finish: Finish = lambda result, removed: None,
) -> tuple[Result, list[Removed]]:
    """Write a corpus without its redundant documents.

    Files that could not be read as documents are kept as they are; those that cannot even be
    copied are missing, and listed among the skipped.

    Parameters
    ----------
    sources : sequence of str
        Files and folders; a single file of records becomes a file, everything else a folder.
    options : DedupeOptions
        Where the corpus goes, and how.
    settings : Settings
        As in `scan`.
    finish : callable
        Called with the result before the corpus appears in its place.

    Raises
    ------
    SimdupError
        If the target must not be written to, or cannot be.
    """
    _check_places(sources, options)
    known, _ = list_files(options.references, settings.reading)
    files, skipped = list_files([*options.references, *sources], settings.reading)
    with spool_folder() as folder:
        files = [_rereadable(file, sources, folder) for file in files]
        given = files[len(known) :]
        single = _single_file(sources, given, options.target)
        if options.target == STDIN and single is None:
            raise SimdupError("output", "standard output takes a single file of records",
                              "name a folder", field="output")  # fmt: skip
        compression = _compression(single, options.target, settings.reading)
        result, corpus = examine(open_files(files, skipped, settings, len(known)))
        removed, redundant = _removed(result, corpus)
        if options.target is None:
            finish(result, removed)
        elif single is not None:
            check_unchanged(single)
            try:
                with open_output(options.target) as stream:
                    write_records(single, stream, redundant.get(single.path, ()), compression)
                    finish(result, removed)
            except BrokenPipeError:
                raise
            except OSError as error:
                raise unwritable(f"{single.path} to {options.target}", error) from None
        else:
            placed = zip(given, _places(sources, given), strict=True)
            cleaned = CleanedFolder(options.target, options.link, redundant)
            write_folder(cleaned, placed, lambda: finish(result, removed))
    return result, removed


def _check_places(sources: Sequence[str], options: DedupeOptions) -> None:
    """Refuse to write over a source, or over each other."""
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
            STDIN, "standard input has to be records, and the only source", "name `input_format`"
        )
    place = os.path.join(folder, "input")
    with open(place, "wb") as copy, open(sys.stdin.fileno(), "rb", closefd=False) as stream:
        shutil.copyfileobj(stream, copy)
    with open(place, "rb") as copy:
        compression = detect_compression(copy)
    size, modified = os.path.getsize(place), os.path.getmtime(place)
    return replace(file, content_path=place, compression=compression, size=size, modified=modified)


def _single_file(sources: Sequence[str], files: Sequence[File], target: str | None) -> File | None:
    """Return the file of records that becomes a file; None where the target is a folder."""
    if files and files[0].path == STDIN:
        return files[0]
    folder = target is not None and (target.endswith(os.sep) or os.path.isdir(target))
    if len(sources) != 1 or len(files) != 1 or os.path.isdir(sources[0]) or folder:
        return None
    return files[0] if files[0].records else None


def _compression(file: File | None, target: str | None, reading: Reading) -> str:
    """Return how a single file is compressed: as it was, unless the target's suffix differs."""
    if file is None or target is None:
        return ""
    stem, compression = split_compression(target)
    form = format_of(stem, replace(reading, input_format="auto", html=False))
    if form in RECORDS and form != file.format:
        raise SimdupError(
            target, f"records are written as they were read: {file.format.upper()}",
            "change the suffix",
        )  # fmt: skip
    return compression if compression or form in RECORDS else file.compression


def _places(sources: Sequence[str], files: Sequence[File]) -> list[str]:
    """Return where each file goes: its path below what all the sources have in common."""
    if len(sources) == 1 and os.path.isdir(sources[0]):
        common = os.path.abspath(sources[0])
    else:
        common = os.path.commonpath([os.path.dirname(os.path.abspath(s)) for s in sources])
    return [os.path.relpath(os.path.abspath(file.path), common) for file in files]


def _removed(result: Result, corpus: Corpus) -> tuple[list[Removed], dict[str, set[int]]]:
    """Return what is removed in input order, and its record numbers by file (0 for a file)."""
    # A file that was not read to its end is kept whole.
    unread = {one.document for one in result.skipped if one.error}
    found: list[tuple[int, Removed]] = []
    for cluster in result.clusters:
        kept, *others = cluster.members
        for one in others:
            if one.role == "redundant" and corpus.paths[one.number] not in unread:
                same = corpus.digests[one.number] == corpus.digests[kept.number]
                reason = "exact copy" if same else "near-duplicate"
                entry = Removed(one.name, reason, one.distance or 0, one.similarity, kept.name)
                found.append((one.number, entry))
    found.sort(key=lambda item: item[0])
    redundant: dict[str, set[int]] = {}
    for number, _ in found:
        redundant.setdefault(corpus.paths[number], set()).add(corpus.records[number])
    return [entry for _, entry in found], redundant
