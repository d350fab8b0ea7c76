"""Write sources again without their redundant documents, as `dedupe` does with files.

What becomes a file, what a folder, and what must not be written is decided first.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from simdup.base.errors import SimdupError, unwritable
from simdup.base.workspace import reserve
from simdup.corpus.compression import detect_compression, split_compression
from simdup.corpus.files import ARCHIVE, RECORDS, STDIN, File, format_of
from simdup.corpus.names import split_member, without_address
from simdup.corpus.rewriting import Annotations
from simdup.corpus.sources import SourceListing, list_files
from simdup.corpus.spool import spool_folder
from simdup.index.opening import split_indexes
from simdup.model.cleaned import Cleaned, DedupeOptions
from simdup.model.documents import Skipped
from simdup.model.recipe import Recipe
from simdup.model.settings import Progress, Reading, Settings
from simdup.near.sources import Input, open_files
from simdup.operations.losses import (
    Losses,
    check_references,
    find_losses,
    reserved,
    with_groups,
    with_indexes,
)
from simdup.show.corpus_writer import (
    CleanedFolder,
    check_unchanged,
    fill,
    list_others,
    open_folder,
    records_by_file,
    write_records,
)
from simdup.show.streams import open_output
from simdup.show.targets import check_apart, check_read, check_target

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


Finish = Callable[[Cleaned], None]


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
    finish: Finish = lambda cleaned: None,
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
    settings = with_groups(with_linkage(settings), options.by)
    check_places(sources, options, settings.recipe)
    indexes, others = split_indexes(options.references)
    listing = list_files(sources, settings.reading, others)
    check_references(options.references, listing.skipped)
    with reserved(options), spool_folder() as folder:
        files = [rereadable(file, sources, folder) for file in listing.files]
        opened = with_indexes(open_files(listing._replace(files=files), settings), indexes, options)
        references, given = _on_disk(files, listing)
        if options.annotate:
            require_records(given)
        task = _Task(opened, sources, options, _told(finish, settings.run.progress))
        # A mistyped name should produce nothing, not even an empty folder.
        nothing = not given and bool(listing.skipped)
        if options.target is None or nothing:
            return task.list_only()
        single = single_file(sources, given, options.target)
        if single is not None:
            if options.link != "copy":
                why = "has no effect: OUT is not a folder"
                opened = replace(opened, notes=[*opened.notes, ("`link`", why)])
            compression = compression_for(single, options.target, settings.reading)
            return _write_file(replace(task, opened=opened), single, references, compression)
        if options.target == STDIN:
            raise SimdupError("output", "only a single file of records can go to standard output",
                              "name a folder", field="output")  # fmt: skip
        check_name(options.target)
        root = sources[0] if len(sources) == 1 and os.path.isdir(sources[0]) else ""
        placed = list(zip(given, places(sources, given), strict=True))
        check_meeting(placed)
        filled = CleanedFolder(placed, references, options.link, (), root)
        filled.progress = settings.run.progress
        return _write_folder(task, filled)


def _told(finish: Finish, progress: Progress) -> Finish:
    """Return what lists the removed documents, and says so: their texts are read again."""

    def list_removed(cleaned: Cleaned) -> None:
        total = len(cleaned.removed)
        progress("listing", 0, total)
        finish(cleaned)
        progress("listing", total, total)

    return list_removed


@dataclass(frozen=True, slots=True)
class _Task:
    """A corpus that is to be written without its redundant documents."""

    opened: Input
    sources: Sequence[str]
    options: DedupeOptions
    finish: Finish

    def find(self) -> Losses:
        """Find what is redundant; raise if that is too much."""
        return find_losses(self.opened, self.options).checked(self.options, self.sources)

    def list_only(self) -> Cleaned:
        """Find what is redundant and write no corpus; raise after the list if that is too much."""
        losses = find_losses(self.opened, self.options)
        self.finish(losses.cleaned())
        added = losses.checked(self.options, self.sources).remember(self.options)
        return losses.cleaned()._replace(added=added)


def _write_file(task: _Task, file: File, references: Sequence[File], compression: str) -> Cleaned:
    """Write the remaining records of a file to another file, which is compressed so."""
    target = task.options.target or STDIN
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
            progress = task.opened.settings.run.progress
            write_records(file, stream, change, compression, progress)
            task.finish(cleaned)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise unwritable(f"{file.path} to {target}", error) from None
        check_unchanged([file])
    cleaned = cleaned._replace(
        written=target, annotated=task.options.annotate, added=losses.remember(task.options)
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
        task.finish(cleaned)
    return cleaned._replace(
        written=target,
        bytes_before=before,
        bytes_after=after,
        missing=missing,
        annotated=task.options.annotate,
        added=replace(losses, cuts=filled.cuts).remember(task.options, filled.lost),
    )


def _on_disk(files: Sequence[File], listing: SourceListing) -> tuple[list[File], list[File]]:
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
