"""Write a cleaned corpus where the user wants it: one file of records, or a folder.

This is what the operations share that write a corpus again; what they change is up to them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import IO, Any, Generic, Protocol, TypeVar, cast

from simdup.base.atomic import reserve
from simdup.base.errors import SimdupError, unwritable
from simdup.base.system import is_closed_pipe
from simdup.corpus.files import STDIN, File
from simdup.corpus.rewriting import (
    Change,
    CleanedFolder,
    check_unchanged,
    copy_input,
    fill,
    list_missing,
    list_others,
    open_folder,
    write_records,
)
from simdup.corpus.sources import SourceListing, list_files
from simdup.corpus.span_cutting import SpanCuts
from simdup.corpus.spool import spool_folder
from simdup.model.cleaned import DedupeOptions
from simdup.model.documents import Skipped
from simdup.model.settings import Progress, Reading, Settings
from simdup.near.inputs import Input, open_files
from simdup.show.streams import open_output
from simdup.show.targets import check_name, check_places, compression_for, places, single_file

Listed = TypeVar("Listed")


def rereadable(file: File, sources: Sequence[str], folder: str) -> File:
    """Return a file that can be read twice: standard input is copied to a folder first."""
    if file.path != STDIN:
        return file
    if len(sources) > 1 or not file.records:
        raise SimdupError(
            STDIN, "standard input must be records, and the only SOURCE", "set `input_format`"
        )
    return copy_input(file, os.path.join(folder, "input"))


def on_disk(files: Sequence[File], listing: SourceListing) -> tuple[list[File], list[File]]:
    """Return references and the others, with archives in place of what is in them."""
    known, given = files[: listing.references], files[listing.references :]
    references = {one.on_disk.path: one.on_disk for one in known}
    others = {one.on_disk.path: one.on_disk for one in (*given, *listing.archives)}
    return list(references.values()), list(others.values())


@dataclass(frozen=True, slots=True)
class SingleFile:
    """A file of records that is written again."""

    file: File
    target: str
    compression: str  # of the target
    stream: IO[bytes]
    reading: Reading

    def write(self, change: Change, progress: Progress, listed: Callable[[], Listed]) -> Listed:
        """Write the records, then call `listed`, and return what it returns."""
        try:
            write_records(self.file, self.stream, change, self.compression, self.reading, progress)
            found = listed()
        except OSError as error:
            if is_closed_pipe(error):
                raise
            raise unwritable(f"{self.file.path} to {self.target}", error) from None
        check_unchanged([self.file])
        return found

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The bytes of the file and of its target, once written; none where they differ in kind."""
        if self.compression != self.file.compression or not os.path.isfile(self.target):
            return None, None
        return self.file.size, os.path.getsize(self.target)


@contextmanager
def open_single(target: str, file: File, reading: Reading) -> Iterator[SingleFile]:
    """Open the file that a file of records becomes; it appears if the block succeeds."""
    compression = compression_for(file, target, reading)
    like = "" if file.path == STDIN else file.path
    alone = nullcontext() if target == STDIN else reserve(target)
    with alone, open_output(target, like) as stream:
        yield SingleFile(file, target, compression, stream, reading)


def root_of(sources: Sequence[str]) -> str:
    """Return the folder that the new one is a copy of; empty if there are several sources."""
    return sources[0] if len(sources) == 1 and os.path.isdir(sources[0]) else ""


def folder_sizes(folder: str, files: Sequence[tuple[File, str]]) -> tuple[int, int]:
    """Return the bytes of files, and of those that were written of them."""
    written = [os.path.join(folder, below) for _, below in files]
    after = sum(os.path.getsize(place) for place in written if os.path.isfile(place))
    return sum(file.size for file, _ in files), after


def not_copied(skipped: Sequence[Skipped], missing: Container[str], target: str) -> list[Skipped]:
    """Return what was skipped, and say of what is missing that it was not copied."""
    return [
        replace(one, reason=f"{one.reason}; not copied to {target}")
        if one.document in missing
        else one
        for one in skipped
    ]


# -- a corpus in which each file is changed on its own --


class Outcome(Protocol):
    """What is said of a corpus that was written again; a named tuple."""

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Documents that could not take part, or that had to be kept as they are."""


Said = TypeVar("Said", bound=Outcome)
Said_co = TypeVar("Said_co", bound=Outcome, covariant=True)


class Changes(Protocol[Said_co]):
    """What is changed in a corpus."""

    @property
    def paths(self) -> Container[str]:
        """The files that documents are of."""

    @property
    def notes(self) -> list[tuple[str, str]]:
        """Names, and what a person should know about them."""

    def changes(self, opened: Input) -> Mapping[str, Change]:
        """Return what is changed in each file, by its path."""

    def result(self, changes: Any) -> Said_co:
        """Return the outcome once the files have been changed."""


def rewrite_corpus(
    sources: Sequence[str],
    options: DedupeOptions,
    settings: Settings,
    find: Callable[[Input], Changes[Said]],
    finish: Callable[[Said], None],
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

    Raises
    ------
    SimdupError
        If the target must not or cannot be written, or a file vanished or changed meanwhile.
    """
    check_places(sources, options, settings.recipe)
    listing = list_files(sources, settings.reading)
    with spool_folder() as folder:
        files = [rereadable(file, sources, folder) for file in listing.files]
        opened = open_files(listing._replace(files=files), settings)
        _, given = on_disk(files, listing)
        task = _CorpusTask(opened, options, sources, find, finish)
        # A mistyped name should produce nothing, not even an empty folder.
        if options.target is None or (listing.skipped and not given):
            return task.try_out(given)
        single = single_file(sources, given, options.target)
        if single is not None:
            return task.write_file(options.target, single)
        if options.target == STDIN:
            raise SimdupError("output", "only a single file of records can go to standard output",
                              "name a folder", field="output")  # fmt: skip
        check_name(options.target)
        return task.write_folder(options.target, places(sources, given))


@dataclass(frozen=True, slots=True)
class _CorpusTask(Generic[Said]):
    """A corpus that is written again; see `rewrite_corpus`."""

    opened: Input
    options: DedupeOptions
    sources: Sequence[str]
    find: Callable[[Input], Changes[Said]]
    finish: Callable[[Said], None]

    def try_out(self, files: Sequence[File]) -> Said:
        """Find what would be changed, and write it to nowhere to learn what must be kept whole."""
        found = self.find(self.opened)
        changes = found.changes(self.opened)
        with open(os.devnull, "wb") as nowhere:
            for file in files:
                if isinstance(cuts := changes.get(file.path), SpanCuts) and len(cuts):
                    write_records(
                        file, nowhere, cuts, file.compression, self.opened.settings.reading
                    )
        check_unchanged(files)
        said = found.result(changes)
        self.finish(said)
        return said

    def write_file(self, target: str, file: File) -> Said:
        """Write a file of records to another file."""
        with open_single(target, file, self.opened.settings.reading) as single:
            found = self.find(self.opened)
            self.opened.report.require_any(file.path)
            changes = found.changes(self.opened)
            check_unchanged([file])

            def listed() -> Said:
                said = found.result(changes)
                self.finish(said)
                return said

            progress = self.opened.settings.run.progress
            said = single.write(changes.get(file.path, ()), progress, listed)
        before, after = single.sizes
        written: Said = cast(Any, said)._replace(
            written=target, bytes_before=before, bytes_after=after
        )
        return written

    def write_folder(self, target: str, files: Sequence[tuple[File, str]]) -> Said:
        """Write all files to a folder."""
        with reserve(target, parents=True), open_folder(target, self.options.force) as folder:
            found = self.find(self.opened)
            changes = found.changes(self.opened)
            settings = self.opened.settings
            filled = CleanedFolder(files, (), root_of(self.sources), (), changes, settings.reading)
            fill(folder, filled, settings.run.progress)
            # What is changed in a file may depend on another one that is gone.
            for path, why in filled.lost.items():
                if path in found.paths:
                    raise SimdupError(path, why, "run it again")
            missing = list_missing(folder, filled, self.opened.skipped)
            found.notes.extend(
                (name, "left in place; not part of the result")
                for name in list_others(folder, target)
            )
            said = found.result(changes)
            before, after = folder_sizes(folder, files)
            said = cast(Any, said)._replace(
                skipped=tuple(not_copied(said.skipped, missing, target)), missing=tuple(missing),
                bytes_before=before, bytes_after=after,
            )  # fmt: skip
            self.finish(said)
        written: Said = cast(Any, said)._replace(written=target)
        return written
