"""Dedupe: from sources to the same corpus without its redundant documents."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from simdup.corpus.compression import detect_compression, split_compression
from simdup.corpus.sources import RECORDS, STDIN, File, format_of, list_files
from simdup.errors import SimdupError
from simdup.ingest.counting import Corpus, Effort, open_files, spool_folder
from simdup.model.clusters import Removed, Result
from simdup.model.criteria import Criteria
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.operations.scan import examine
from simdup.output.atomic import open_output
from simdup.output.corpus_writer import (
    check_apart,
    check_target,
    check_unchanged,
    write_folder,
    write_records,
)


def dedupe(
    sources: Sequence[str],
    target: str | None,
    recipe: Recipe,
    criteria: Criteria,
    reading: Reading,
    effort: Effort,
    *,
    references: Sequence[str] = (),
    link: str = "copy",
    force: bool = False,
    report: str | None = None,
    finish: Callable[[Result, list[Removed]], None] = lambda result, removed: None,
) -> tuple[Result, list[Removed]]:
    """Write a corpus without its redundant documents.

    What could not be read as a document stays as it is; what cannot even be copied is missing, and
    among the skipped.

    Parameters
    ----------
    sources : sequence of str
        Files and folders; a single file of records becomes a file, all else a folder.
    target : str or None
        Where the corpus goes; ``-`` for standard output; None writes nothing.
    recipe, criteria, reading, effort
        See their classes.
    references : sequence of str
        Files and folders whose documents are never redundant, and are not written.
    link : str
        How a file that stays as it is comes into a folder: ``copy``, ``hard`` or ``symbolic``.
    force : bool
        Whether files of the target may be replaced.
    report : str or None
        A file that `finish` writes: it must not be in anybody's way either.
    finish : callable
        Called with the result before the corpus appears at its place.

    Raises
    ------
    SimdupError
        If the target must not be written to, or cannot be.
    """
    named = [source for source in (*sources, *references) if source != STDIN]
    if target not in (None, STDIN):
        check_target(str(target), named, force)
    if report not in (None, STDIN):
        check_apart(str(report), named)
        if target is not None and target != STDIN:
            check_apart(str(report), [target], "OUT")
    old, _ = list_files(references, reading)
    files, skipped = list_files([*references, *sources], reading)
    with spool_folder() as folder:
        files = [_standing(file, sources, folder) for file in files]
        given = files[len(old) :]
        single = _single(sources, given, target)
        compression = ""
        if single is not None and target is not None:
            compression = _compression(single, target, reading)
        if target == STDIN and single is None:
            raise SimdupError("--output -", "takes a single file of records", "name a folder")
        intake = open_files(files, skipped, reading, effort, len(old))
        result, corpus = examine(intake, recipe, criteria, reading)
        # Of a file that was not read to its end, all stays.
        whole = {one.document for one in result.skipped if one.error}
        removed: list[Removed] = []
        redundant: dict[str, set[int]] = {}
        for number, entry in _redundant(result, corpus):
            path = corpus.paths[number]
            if path not in whole:
                removed.append(entry)
                redundant.setdefault(path, set()).add(corpus.records[number])
        if target is None:
            finish(result, removed)
        elif single is not None:
            check_unchanged(single)
            try:
                with open_output(target) as stream:
                    write_records(single, stream, redundant.get(single.path, ()), compression)
                    finish(result, removed)
            except BrokenPipeError:
                raise
            except OSError as error:
                what = (error.strerror or "cannot be written").lower()
                raise SimdupError(f"{single.path} to {target}", what) from None
        else:
            write_folder(
                target,
                zip(given, _places(sources, given), strict=True),
                redundant,
                link,
                lambda: finish(result, removed),
            )
    return result, removed


def _standing(file: File, sources: Sequence[str], folder: str) -> File:
    """Return a file that can be read twice: standard input is laid aside first."""
    if file.path != STDIN:
        return file
    if len(sources) > 1 or not file.records:
        raise SimdupError(
            STDIN, "standard input has to be records, and alone", "name their --input-format"
        )
    place = os.path.join(folder, "input")
    with open(place, "wb") as copy, open(sys.stdin.fileno(), "rb", closefd=False) as stream:
        shutil.copyfileobj(stream, copy)
    with open(place, "rb") as copy:
        compression = detect_compression(copy)
    status = os.stat(place)
    return replace(
        file,
        content_path=place,
        compression=compression,
        size=status.st_size,
        modified=status.st_mtime,
    )


def _single(sources: Sequence[str], files: Sequence[File], target: str | None) -> File | None:
    """Return the file of records that becomes a file; None where the target is a folder."""
    if files and files[0].path == STDIN:
        return files[0]
    folder = target is not None and (target.endswith(os.sep) or os.path.isdir(target))
    if len(sources) != 1 or len(files) != 1 or os.path.isdir(sources[0]) or folder:
        return None
    return files[0] if files[0].records else None


def _compression(file: File, target: str, reading: Reading) -> str:
    """Return how a single file is compressed: as it was, unless the target's suffix differs."""
    stem, compression = split_compression(target)
    form = format_of(stem, replace(reading, input_format="auto", html=False))
    if form in RECORDS and form != file.format:
        raise SimdupError(
            target, f"records come out as they went in: {file.format.upper()}", "change the suffix"
        )
    return compression if compression or form in RECORDS else file.compression


def _places(sources: Sequence[str], files: Sequence[File]) -> list[str]:
    """Return where each file goes: its path below what all the sources have in common."""
    if len(sources) == 1 and os.path.isdir(sources[0]):
        common = os.path.abspath(sources[0])
    else:
        common = os.path.commonpath([os.path.dirname(os.path.abspath(s)) for s in sources])
    return [os.path.relpath(os.path.abspath(file.path), common) for file in files]


def _redundant(result: Result, corpus: Corpus) -> list[tuple[int, Removed]]:
    """Return the numbers of what is redundant, and what is to be said of it, in input order."""
    found: list[tuple[int, Removed]] = []
    for cluster in result.clusters:
        kept = cluster.members[0]
        for one in cluster.members[1:]:
            if one.role == "redundant":
                same = corpus.digests[one.number] == corpus.digests[kept.number]
                reason = "exact copy" if same else "near-duplicate"
                apart = one.distance or 0
                entry = Removed(one.name, reason, apart, one.similarity, kept.name)
                found.append((one.number, entry))
    return sorted(found, key=lambda item: item[0])
