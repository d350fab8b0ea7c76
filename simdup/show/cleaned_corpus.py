"""Write a cleaned corpus where the user wants it: one file of records, or a folder.

Every operation that writes a corpus again does it by `rewrite_corpus`; what it changes is up to it.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar, cast

from simdup.base.atomic import reserve
from simdup.base.errors import SimdupError, unwritable
from simdup.base.system import is_closed_pipe
from simdup.corpus.changes import Change
from simdup.corpus.files import STDIN, File
from simdup.corpus.rewriting import (
    CleanedFolder,
    check_unchanged,
    copy_input,
    fill,
    list_missing,
    list_others,
    open_folder,
    require_records,
    write_changed,
)
from simdup.corpus.rows import keep_rows, recognise
from simdup.corpus.sources import SourceListing, list_files
from simdup.corpus.spool import spool_folder
from simdup.model.cleaned import DedupeOptions
from simdup.model.documents import Skipped
from simdup.model.fields import parse_fields
from simdup.model.settings import Reading, Settings
from simdup.near.inputs import (
    Data,
    Input,
    check_references,
    open_files,
    require_existing,
    with_fields,
)
from simdup.show.streams import open_output
from simdup.show.targets import check_name, check_places, compression_for, places, single_file


class Copy(NamedTuple):
    """What became of the files of a corpus, but for what was changed in them."""

    written: str | None = None  # where; None if they were not written
    missing: tuple[str, ...] = ()  # files and folders that could not be opened
    # Files that vanished or changed since they were read, with the reason.
    lost: Mapping[str, str] = {}
    notes: tuple[tuple[str, str], ...] = ()  # on files of the target that are not of the corpus
    bytes_before: int | None = None
    bytes_after: int | None = None

    def tell(self, skipped: Sequence[Skipped]) -> tuple[Skipped, ...]:
        """Return what was skipped, and say of what is missing that it was not copied."""
        return tuple(
            replace(one, reason=f"{one.reason}; not copied to {self.written}")
            if one.document in self.missing
            else one
            for one in skipped
        )


# What is said of a corpus that was written again: a named tuple.
Said = TypeVar("Said")


class Changes(ABC, Generic[Said]):
    """What an operation changes in a corpus."""

    def check(self) -> None:
        """Raise if more would go than may."""

    @abstractmethod
    def changes(self, files: Sequence[File]) -> Mapping[str, Change]:
        """Return what is changed in each file, by its path."""

    @abstractmethod
    def without(self, lost: Mapping[str, str]) -> Mapping[str, Change | None]:
        """Return what is changed instead in other files, or raise, if it depends on lost ones."""

    @abstractmethod
    def result(self, copy: Copy) -> Said:
        """Return the outcome once the files have been changed."""

    def remember(self, said: Said, lost: Mapping[str, str]) -> Said:
        """Do what follows once the corpus is written; return the outcome with it."""
        return said


def refuse_lost(lost: Mapping[str, str], paths: Container[str]) -> None:
    """Raise if files of these paths are lost: what is changed in others may depend on them."""
    for path, why in lost.items():
        if path in paths:
            raise SimdupError(path, why, "run it again")


def rows_or_sources(
    data: Data, options: DedupeOptions, reading: Reading, operation: str
) -> tuple[Any, list[str] | None]:
    """Return data that can be taken again, and the sources if it names files.

    Raises
    ------
    SimdupError
        If a file does not exist, or data that is not in files is to be written.
    """
    rows = keep_rows(data)
    paths = recognise(rows, reading)
    if isinstance(paths, list) and paths:
        require_existing(paths)
        return rows, paths
    if options.target is not None:
        what = "data that is not in files cannot be written"
        raise SimdupError("output", what, f"take the data that `{operation}` returns", "output")
    return rows, None


def completed(settings: Settings, options: DedupeOptions) -> Settings:
    """Return settings that read the field by which an account is asked for."""
    return with_fields(settings, None if options.by is None else parse_fields("by", options.by)[0])


def reserved(options: DedupeOptions) -> AbstractContextManager[None]:
    """Keep other runs from adding to the index meanwhile: none would know of the other's texts."""
    return reserve(options.index) if options.add and options.index else nullcontext()


def rewrite_corpus(
    sources: Sequence[str],
    options: DedupeOptions,
    settings: Settings,
    find: Callable[[Input], Changes[Said]],
    finish: Callable[[Said], None],
    references: Sequence[str] = (),
) -> Said:
    """Write a corpus with changes in its files, where and how the options say.

    Parameters
    ----------
    sources : sequence of str
        Files and folders; a single file of records becomes a file, everything else a folder.
    options : DedupeOptions
        Where and how to write the corpus; without a target, nothing is written.
    settings : Settings
        How the sources are read.
    find : callable
        Reads the documents, and finds what is changed.
    finish : callable
        Called with the outcome before the corpus appears at its target.
    references : sequence of str
        Files and folders that are read before the sources, and not written.

    Raises
    ------
    SimdupError
        If the target must not or cannot be written, or a file vanished or changed meanwhile.
    """
    settings = completed(settings, options)
    check_places(sources, options, settings.recipe)
    listing = list_files(sources, settings.reading, references)
    check_references(references, listing.skipped)
    with reserved(options), spool_folder() as folder:
        files = [_rereadable(file, sources, folder) for file in listing.files]
        opened = open_files(listing._replace(files=files), settings)
        others, given = _on_disk(files, listing)
        if options.annotate:
            require_records(given)
        task = _Task(opened, options, find, finish)
        target = options.target
        # A mistyped name should produce nothing, not even an empty folder.
        if target is None or (listing.skipped and not given):
            return task.try_out(given)
        single = single_file(sources, given, target)
        if single is not None:
            return task.write_file(target, single, others)
        if target == STDIN:
            raise SimdupError("output", "only a single file of records can go to standard output",
                              "name a folder", field="output")  # fmt: skip
        check_name(target)
        # The folder that the new one is a copy of.
        root = sources[0] if len(sources) == 1 and os.path.isdir(sources[0]) else ""
        return task.write_folder(target, CleanedFolder(places(sources, given), others, root))


def _rereadable(file: File, sources: Sequence[str], folder: str) -> File:
    """Return a file that can be read twice: standard input is copied to a folder first."""
    if file.path != STDIN:
        return file
    if len(sources) > 1 or not file.records:
        raise SimdupError(
            STDIN, "standard input must be records, and the only SOURCE", "set `input_format`"
        )
    return copy_input(file, os.path.join(folder, "input"))


def _on_disk(files: Sequence[File], listing: SourceListing) -> tuple[list[File], list[File]]:
    """Return references and the others, with archives in place of what is in them."""
    known, given = files[: listing.references], files[listing.references :]
    references = {one.on_disk.path: one.on_disk for one in known}
    others = {one.on_disk.path: one.on_disk for one in (*given, *listing.archives)}
    return list(references.values()), list(others.values())


@dataclass(frozen=True, slots=True)
class _Task(Generic[Said]):
    """A corpus that is written again; see `rewrite_corpus`."""

    opened: Input
    options: DedupeOptions
    find: Callable[[Input], Changes[Said]]
    finish: Callable[[Said], None]

    def try_out(self, files: Sequence[File]) -> Said:
        """Find what would be changed; texts are cut for nobody, to learn what must be kept whole.

        What would be too much is refused after the list of it.
        """
        found = self.find(self.opened)
        changes = {} if self.options.annotate else found.changes(files)
        with open(os.devnull, "wb") as nowhere:
            for file in files:
                change = changes.get(file.path)
                if change is not None and change.spans_of is not None:
                    write_changed(file, nowhere, change, file.compression)
                    check_unchanged([file])
        said = found.result(Copy())
        self.finish(said)
        found.check()
        return found.remember(said, {})

    def write_file(self, target: str, file: File, references: Sequence[File]) -> Said:
        """Write a file of records to another file."""
        settings = self.opened.settings
        compression = compression_for(file, target, settings.reading)
        like = "" if file.path == STDIN else file.path
        alone = nullcontext() if target == STDIN else reserve(target)
        with alone, open_output(target, like) as stream:
            found = self.find(self.opened)
            self.opened.report.require_any(file.path)
            found.check()
            change = found.changes([file]).get(file.path)
            check_unchanged([file, *references])
            try:
                write_changed(file, stream, change, compression, settings.run.progress)
                said = found.result(Copy(target))
                self.finish(said)
            except OSError as error:
                if is_closed_pipe(error):
                    raise
                raise unwritable(f"{file.path} to {target}", error) from None
            check_unchanged([file])
        if compression == file.compression and os.path.isfile(target):
            sizes = {"bytes_before": file.size, "bytes_after": os.path.getsize(target)}
            said = cast(Said, cast(Any, said)._replace(**sizes))
        return found.remember(said, {})

    def write_folder(self, target: str, cleaned: CleanedFolder) -> Said:
        """Write all files to a folder."""
        settings, files = self.opened.settings, [file for file, _ in cleaned.files]
        with reserve(target, parents=True), open_folder(target, self.options.force) as folder:
            found = self.find(self.opened)
            found.check()
            changes = found.changes(files)
            fill(folder, cleaned, changes, found.without, settings.run.progress)
            missing = list_missing(folder, cleaned, self.opened.skipped)
            others = list_others(folder, target)
            notes = tuple((name, "left in place; not part of the result") for name in others)
            written = [os.path.join(folder, below) for _, below in cleaned.files]
            after = sum(os.path.getsize(place) for place in written if os.path.isfile(place))
            before = sum(file.size for file in files)
            said = found.result(Copy(target, tuple(missing), cleaned.lost, notes, before, after))
            self.finish(said)
        return found.remember(said, cleaned.lost)
