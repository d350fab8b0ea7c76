"""Write a cleaned corpus where the user wants it: one file of records, or a folder.

Every operation that writes a corpus again does it by `rewrite_corpus`; what it changes is up to it.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.base.atomic import reserve
from simdup.base.errors import SimdupError, unwritable
from simdup.base.system import is_closed_pipe
from simdup.corpus.changes import Change
from simdup.corpus.files import STDIN, File
from simdup.corpus.rewriting import (
    UNREAD,
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
from simdup.model.cleaned import AnyOutcome, DedupeOptions, Outcome
from simdup.model.documents import Skipped
from simdup.model.fields import parse_fields
from simdup.model.settings import Reading, Settings
from simdup.near.inputs import (
    Data,
    Input,
    check_references,
    open_files,
    open_input,
    require_existing,
    with_fields,
)
from simdup.show.streams import open_output
from simdup.show.targets import check_name, check_places, compression_for, places, single_file


class Changes(ABC, Generic[AnyOutcome]):
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
    def rows(self, data: Any) -> Any:
        """Return what stays of data that is not in files."""

    @abstractmethod
    def result(self, outcome: Outcome) -> AnyOutcome:
        """Return the outcome once the files have been changed."""

    def remember(self, said: AnyOutcome, lost: Mapping[str, str]) -> AnyOutcome:
        """Do what follows once the corpus is written; return the outcome with it."""
        return said


@dataclass(kw_only=True)
class Cuts(Changes[AnyOutcome]):
    """What an operation cuts out of the documents of a corpus.

    Attributes
    ----------
    names, paths, records : sequences
        Of all documents: the name, the path of the file and the number of the record in it.
    skipped, notes : list
        What could not be read, and what a person should know about some documents.
    files : dict from str to File
        The files that were read, by their paths.
    reading : Reading
        How they were read.
    changed : dict from str to Change
        What is changed in each file, by its path; empty for data that is not in files.
    """

    names: Sequence[Any]
    paths: Sequence[str]
    records: NDArray[np.int64]
    skipped: list[Skipped]
    notes: list[tuple[str, str]]
    files: Mapping[str, File]
    reading: Reading
    changed: dict[str, Change] = field(default_factory=dict)

    def by_file(
        self, rows: Iterable[int], lost: Callable[[list[int]], str]
    ) -> dict[str, list[int]]:
        """Return the rows of documents by their files.

        A file that was not read to its end is kept whole: a note tells what it would have `lost`.
        """
        unread = {document.document for document in self.skipped if document.error}
        files = dict[str, list[int]]()
        for row in rows:
            files.setdefault(self.paths[row], []).append(row)
        for path in sorted(unread & files.keys()):
            self.notes.append((path, f"{lost(files.pop(path))} in it; {UNREAD}"))
        return files

    def without(self, lost: Mapping[str, str]) -> Mapping[str, Change | None]:
        """Raise if a file is lost: what is cut from others may depend on it."""
        for path, why in lost.items():
            if path in self.files:
                raise SimdupError(path, why, "run it again")
        return {}


# Reads the documents of an input, which is from these sources, and finds what is changed.
Find: TypeAlias = Callable[[Input, Sequence[str]], Changes[AnyOutcome]]


def rewrite_data(
    data: Data,
    options: DedupeOptions,
    settings: Settings,
    find: Find[AnyOutcome],
    finish: Callable[[AnyOutcome], None] = lambda said: None,
    references: Sequence[str] = (),
    operation: str = "dedupe",
) -> AnyOutcome:
    """Return data of any kind with changes, or write files so: see `rewrite_corpus`.

    Raises
    ------
    SimdupError
        If a file does not exist, or data that is not in files is to be written.
    """
    rows = keep_rows(data)
    paths = recognise(rows, settings.reading)
    if isinstance(paths, list) and paths:
        require_existing(paths)
        return rewrite_corpus(paths, options, settings, find, finish, references)
    if options.target is not None:
        what = "data that is not in files cannot be written"
        raise SimdupError("output", what, f"take the data that `{operation}` returns", "output")
    if options.annotate:
        what = "data that is not in files cannot be annotated"
        raise SimdupError("annotate", what, "join it with the table of the result", "annotate")
    opened = open_input(rows, completed(settings, options), references)
    with reserved(options):
        found = find(opened, ())
        said = found.result(Outcome(data=found.rows(rows)))
        found.check()
        return found.remember(said, {})


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
    find: Find[AnyOutcome],
    finish: Callable[[AnyOutcome], None] = lambda said: None,
    references: Sequence[str] = (),
) -> AnyOutcome:
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
        Finds what is changed.
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
        task = _Task(opened, options, lambda: find(opened, sources), finish)
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
class _Task(Generic[AnyOutcome]):
    """A corpus that is written again; see `rewrite_corpus`."""

    opened: Input
    options: DedupeOptions
    find: Callable[[], Changes[AnyOutcome]]
    finish: Callable[[AnyOutcome], None]

    def try_out(self, files: Sequence[File]) -> AnyOutcome:
        """Find what would be changed; texts are cut for nobody, to learn what must be kept whole.

        What would be too much is refused after the list of it.
        """
        found = self.find()
        changes = {} if self.options.annotate else found.changes(files)
        with open(os.devnull, "wb") as nowhere:
            for file in files:
                change = changes.get(file.path)
                if change is not None and change.spans_of is not None:
                    write_changed(file, nowhere, change, file.compression)
                    check_unchanged([file])
        said = found.result(Outcome())
        self.finish(said)
        found.check()
        return found.remember(said, {})

    def write_file(self, target: str, file: File, references: Sequence[File]) -> AnyOutcome:
        """Write a file of records to another file."""
        settings = self.opened.settings
        compression = compression_for(file, target, settings.reading)
        like = "" if file.path == STDIN else file.path
        alone = nullcontext() if target == STDIN else reserve(target)
        with alone, open_output(target, like) as stream:
            found = self.find()
            self.opened.report.require_any(file.path)
            found.check()
            change = found.changes([file]).get(file.path)
            check_unchanged([file, *references])
            try:
                write_changed(file, stream, change, compression, settings.run.progress)
                said = found.result(Outcome(written=target))
                self.finish(said)
            except OSError as error:
                if is_closed_pipe(error):
                    raise
                raise unwritable(f"{file.path} to {target}", error) from None
            check_unchanged([file])
        if compression == file.compression and os.path.isfile(target):
            said = replace(said, bytes_before=file.size, bytes_after=os.path.getsize(target))
        return found.remember(said, {})

    def write_folder(self, target: str, cleaned: CleanedFolder) -> AnyOutcome:
        """Write all files to a folder."""
        settings, files = self.opened.settings, [file for file, _ in cleaned.files]
        with reserve(target, parents=True), open_folder(target, self.options.force) as folder:
            found = self.find()
            found.check()
            changes = found.changes(files)
            fill(folder, cleaned, changes, found.without, settings.run.progress)
            missing = list_missing(folder, cleaned, self.opened.skipped)
            others = list_others(folder, target)
            notes = tuple((name, "left in place; not part of the result") for name in others)
            written = [os.path.join(folder, below) for _, below in cleaned.files]
            outcome = Outcome(
                written=target,
                bytes_before=sum(file.size for file in files),
                bytes_after=sum(os.path.getsize(path) for path in written if os.path.isfile(path)),
                missing=tuple(missing),
                lost=cleaned.lost,
                notes=notes,
            )
            said = found.result(outcome)
            self.finish(said)
        return found.remember(said, cleaned.lost)
