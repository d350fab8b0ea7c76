"""Leave out redundant documents: rows of data, or documents of files, which are written again."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from simdup.base.atomic import reserve
from simdup.base.errors import SimdupError, unwritable
from simdup.corpus.compression import detect_compression
from simdup.corpus.files import STDIN, File
from simdup.corpus.rewriting import (
    Annotations,
    CleanedFolder,
    check_unchanged,
    fill,
    list_others,
    open_folder,
    records_by_file,
    require_records,
    write_records,
)
from simdup.corpus.rows import Paths, as_optional_path, as_paths, keep_rows, recognise, select
from simdup.corpus.sources import SourceListing, list_files
from simdup.corpus.spool import spool_folder
from simdup.index.opening import split_indexes
from simdup.model.cleaned import DedupeOptions
from simdup.model.criteria import Criteria, CriteriaFields
from simdup.model.documents import Skipped
from simdup.model.recipe import Recipe
from simdup.model.settings import Progress, Reading, RunOptions, Settings
from simdup.near.inputs import Data, GroupBy, Input, open_files, open_input, require_existing
from simdup.operations.losses import Losses, check_references, find_losses
from simdup.show.result import Cleaned
from simdup.show.streams import open_output
from simdup.show.targets import check_name, check_places, compression_for, places, single_file


def dedupe(
    data: Data,
    recipe: Recipe | str = "default",
    criteria: Criteria | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    references: Paths = (),
    link: str = "copy",
    force: bool = False,
    by: str | None = None,
    max_removed: float | None = None,
    annotate: bool = False,
    index: str | os.PathLike[str] | None = None,
    add: bool = False,
    reading: Reading | None = None,
    run: RunOptions | None = None,
    jobs: int | None = None,
    text: str | tuple[str, ...] | None = None,
    id: str | None = None,  # noqa: A002
    title: str | None = None,
    **fields: Unpack[CriteriaFields],
) -> Cleaned:
    """Return data without its redundant documents, or write files without them.

    Only documents that meet the criteria with a document that stays are redundant: the default
    linkage is ``star``.  What was skipped stays.

    Parameters
    ----------
    data, recipe, criteria, reading, run, jobs, text, id, title, **fields
        As in `scan`.
    output : path, optional
        Where to write files without their redundant documents: one file of records becomes a file,
        everything else a folder.  Data that is not in files cannot be written.
    references : path or iterable of path
        Files, folders and indexes whose documents are never redundant, and not part of the result.
    link : str
        How unchanged files come into a folder: ``copy``, ``hard`` or ``symbolic``.
    force : bool
        Whether files of the folder may be replaced.  Like `link` it matters with `output` only.
    by : str, optional
        A field or column, or ``folder``: `Cleaned.parts` tells what each of its values lost.
    max_removed : float, optional
        The largest share of documents that all of them, each of several paths, and each group of
        `by` may lose; if one would lose more, it is an error, and nothing is written.

    annotate : bool
        Whether files of records are written with all records, and each with fields that tell what
        was found of it: ``cluster``, ``role``, ``kept``, ``similarity`` and ``measure``.

    index : path, optional
        An index of documents that were seen before: what is near one of them is redundant, by an
        estimate.  One of the same name is an earlier version, and does not count.
    add : bool
        Whether documents that stay are added to the index, which is created if it does not exist.
        What was removed because of one is removed again when the same text comes again.

    Returns
    -------
    Cleaned
        ``data``: what stays, of the same kind as was given (a list for an iterator); of paths the
        names of the documents that stay.  ``removed``: what does not, and why.  ``result``: what
        `scan` returns with this linkage.

    Raises
    ------
    SimdupError
        If an argument is invalid, `output` must not or cannot be written, a reference gives no
        document, or more would be removed than `max_removed`.

    Examples
    --------
    >>> text = "The quick brown fox jumps over the lazy dog near the old river bank."
    >>> cleaned = dedupe([("a", text), ("b", text.upper()), ("c", "Nothing like the others.")])
    >>> [name for name, _ in cleaned.data], [one.document for one in cleaned.removed]
    (['a', 'c'], ['b'])
    """
    settings = Settings.of(
        recipe, criteria, reading=reading, run=run, jobs=jobs, text=text, id=id, title=title,
        **fields,
    )  # fmt: skip
    rows, named = keep_rows(data), as_paths(references, "references")
    target = as_optional_path(output, "output")
    options = DedupeOptions(
        target, named, link, force, by=by, max_removed=max_removed, annotate=annotate,
        index=as_optional_path(index, "index"), add=add,
    )  # fmt: skip
    paths = recognise(rows, settings.reading)
    if isinstance(paths, list) and paths:
        require_existing(paths)
        cleaned = rewrite(paths, options, settings)
        return cleaned._replace(data=select(cleaned.result.documents, _staying(cleaned)))
    return _dedupe_rows(rows, options, settings)


def _dedupe_rows(rows: Any, options: DedupeOptions, settings: Settings) -> Cleaned:
    """Return rows that were passed from Python without the redundant ones."""
    if options.target is not None:
        what = "data that is not in files cannot be written"
        raise SimdupError("output", what, "take the data that `dedupe` returns", "output")
    if options.annotate:
        what = "data that is not in files cannot be annotated"
        raise SimdupError("annotate", what, "join it with the table of the result", "annotate")
    indexes, others = split_indexes(options.references)
    opened = open_input(rows, _completed(settings, options), others)
    with _reserved(options):
        losses = find_losses(_with_indexes(opened, indexes, options), options).checked()
        cleaned = losses.cleaned()._replace(added=losses.remember())
    if len(rows) != len(cleaned.result.inputs):
        raise RuntimeError(f"{len(rows)} rows gave {len(cleaned.result.inputs)} documents")
    return cleaned._replace(data=select(rows, _staying(cleaned)))


def _staying(cleaned: Cleaned) -> NDArray[np.int64]:
    """Return the positions of the documents that were not removed."""
    stays = np.ones(len(cleaned.result.inputs), np.bool_)
    if not cleaned.annotated:
        stays[cleaned.positions] = False
    return np.flatnonzero(stays)


def _completed(settings: Settings, options: DedupeOptions) -> Settings:
    """Return settings with a definite linkage, and the field by which an account is wanted.

    The default linkage is star, so that every removed document is near one that stays.
    """
    criteria, reading = settings.criteria, settings.reading
    if options.by is not None:
        field = GroupBy("by", options.by).field
        reading = replace(reading, group_field=field, group_argument="by")
    criteria = replace(criteria, linkage=criteria.linkage or "star")
    return replace(settings, criteria=criteria, reading=reading)


def _with_indexes(opened: Input, indexes: Sequence[str], options: DedupeOptions) -> Input:
    """Return an input with indexes as references, and that of documents seen before."""
    seen = options.index
    if seen is not None and (not options.add or os.path.lexists(seen)):
        indexes = [*indexes, seen]
    return replace(opened, indexes=indexes, seen=seen)


def _reserved(options: DedupeOptions) -> AbstractContextManager[None]:
    """Keep other runs from adding to the index meanwhile: none would know of the other's texts."""
    return reserve(options.index) if options.add and options.index else nullcontext()


# -- files --


def rewrite(
    sources: Sequence[str],
    options: DedupeOptions,
    settings: Settings,
    finish: Callable[[Cleaned], None] = lambda cleaned: None,
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
        Called with what was cleaned, before the corpus appears at its target.

    Returns
    -------
    Cleaned
        ``result``, ``removed``, and what was ``written``.

    Raises
    ------
    SimdupError
        If the target must not or cannot be written, a reference gives no document, or more than
        `max_removed` of the documents would be removed.
    """
    settings = _completed(settings, options)
    check_places(sources, options, settings.recipe)
    indexes, others = split_indexes(options.references)
    listing = list_files(sources, settings.reading, others)
    check_references(options.references, listing.skipped)
    with _reserved(options), spool_folder() as folder:
        files = [_rereadable(file, sources, folder) for file in listing.files]
        opened = open_files(listing._replace(files=files), settings)
        references, given = _on_disk(files, listing)
        if options.annotate:
            require_records(given)
        task = _Task(_with_indexes(opened, indexes, options), sources, options, finish)
        # A mistyped name should produce nothing, not even an empty folder.
        nothing = not given and bool(listing.skipped)
        if options.target is None or nothing:
            return task.list_only()
        single = single_file(sources, given, options.target)
        if single is not None:
            return _write_file(task, single, references)
        if options.target == STDIN:
            raise SimdupError("output", "only a single file of records can go to standard output",
                              "name a folder", field="output")  # fmt: skip
        check_name(options.target)
        root = sources[0] if len(sources) == 1 and os.path.isdir(sources[0]) else ""
        placed = places(sources, given)
        filled = CleanedFolder(placed, references, options.link, (), root, task.progress)
        return _write_folder(task, filled)


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


def _on_disk(files: Sequence[File], listing: SourceListing) -> tuple[list[File], list[File]]:
    """Return references and the others, with archives in place of what is in them."""
    known, given = files[: listing.references], files[listing.references :]
    references = {one.on_disk.path: one.on_disk for one in known}
    others = {one.on_disk.path: one.on_disk for one in (*given, *listing.archives)}
    return list(references.values()), list(others.values())


@dataclass(frozen=True, slots=True)
class _Task:
    """A corpus that is to be written without its redundant documents."""

    opened: Input
    sources: Sequence[str]
    options: DedupeOptions
    finish: Callable[[Cleaned], None]

    @property
    def progress(self) -> Progress:
        """What is told how much is done."""
        return self.opened.settings.run.progress

    def find(self) -> Losses:
        """Find what is redundant; raise if that is too much."""
        return find_losses(self.opened, self.options).checked(self.sources)

    def list_only(self) -> Cleaned:
        """Find what is redundant and write no corpus; raise after the list if that is too much."""
        losses = find_losses(self.opened, self.options)
        self.list_removed(losses.cleaned())
        added = losses.checked(self.sources).remember()
        return losses.cleaned()._replace(added=added)

    def list_removed(self, cleaned: Cleaned) -> None:
        """Let the caller list the removed documents, and say so: their texts are read again."""
        total = len(cleaned.removed)
        self.progress("listing", 0, total)
        self.finish(cleaned)
        self.progress("listing", total, total)


def _write_file(task: _Task, file: File, references: Sequence[File]) -> Cleaned:
    """Write the remaining records of a file to another file."""
    target = task.options.target or STDIN
    if task.options.link != "copy":
        notes = [*task.opened.notes, ("`link`", "has no effect: OUT is not a folder")]
        task = replace(task, opened=replace(task.opened, notes=notes))
    compression = compression_for(file, target, task.opened.settings.reading)
    like = "" if file.path == STDIN else file.path
    with ExitStack() as stack:
        if target != STDIN:
            stack.enter_context(reserve(target))
        stream = stack.enter_context(open_output(target, like))
        losses = task.find()
        cleaned = losses.cleaned()
        change: Collection[int] | Annotations = records_by_file(losses.cuts).get(file.path, ())
        if task.options.annotate:
            change = losses.annotations([file])[file.path]
        check_unchanged([file, *references])
        try:
            write_records(file, stream, change, compression, task.progress)
            task.list_removed(cleaned)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise unwritable(f"{file.path} to {target}", error) from None
        check_unchanged([file])
    cleaned = cleaned._replace(
        written=target, annotated=task.options.annotate, added=losses.remember()
    )
    if compression != file.compression or not os.path.isfile(target):
        return cleaned
    return cleaned._replace(bytes_before=file.size, bytes_after=os.path.getsize(target))


def _write_folder(task: _Task, filled: CleanedFolder) -> Cleaned:
    """Write the remaining documents to a folder."""
    target = task.options.target or ""
    with reserve(target, parents=True), open_folder(target, task.options.force) as folder:
        losses = task.find()
        result, filled.cuts = losses.result, losses.cuts
        if task.options.annotate:
            filled.cuts, filled.annotations = (), losses.annotations([f for f, _ in filled.files])
        fill(folder, filled)
        missing = _missing(task.opened.skipped, filled, folder)
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
        cuts = losses.cuts if task.options.annotate else filled.cuts
        cleaned = replace(losses, result=result, cuts=cuts).cleaned()
        before = sum(file.size for file, _ in filled.files)
        written = [os.path.join(folder, below) for _, below in filled.files]
        after = sum(os.path.getsize(place) for place in written if os.path.isfile(place))
        task.list_removed(cleaned)
    return cleaned._replace(
        written=target,
        bytes_before=before,
        bytes_after=after,
        missing=missing,
        annotated=task.options.annotate,
        added=replace(losses, cuts=filled.cuts).remember(filled.lost),
    )


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
