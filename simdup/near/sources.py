"""Turn what the user names into batches of documents that are ready to be read.

Documents are grouped by a field of their records, or by the folder of their file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from os import PathLike
from os.path import lexists
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.corpus.batches import Batch, batches, require_extras
from simdup.corpus.files import STDIN, File
from simdup.corpus.names import split_address, split_member
from simdup.corpus.sources import Named, SourceListing, is_page, list_files
from simdup.model.documents import Skipped
from simdup.model.settings import Reading, Settings
from simdup.model.table import Documents
from simdup.near.rows import STRINGS, Rows, recognise, row_batches
from simdup.near.source_report import SourceReport
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter

# Groups are folders, not values of a field.
FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class GroupBy:
    """What documents are grouped by."""

    argument: str  # that asks for it
    name: str  # of a field of records, or `FOLDER`

    @property
    def field(self) -> str | None:
        """The field of records that has to be read; None for folders."""
        return None if self.name == FOLDER else self.name

    def group(self, documents: Documents) -> Groups:
        """Return the groups of documents.

        Raises
        ------
        SimdupError
            If no document has the field.
        """
        if self.field is None:
            places = zip(documents["path"].tolist(), documents["name"].tolist(), strict=True)
            values = [os.path.dirname(path or str(name)) or os.curdir for path, name in places]
            # One folder may be written in several ways: as it is written first.
            written: dict[str, str] = {}
            first = {
                one: written.setdefault(os.path.abspath(one), one) for one in dict.fromkeys(values)
            }
            values = [first[one] for one in values]
        else:
            # An empty cell of a table counts as missing.
            values = documents["group"].tolist()
            if values and not any(values):
                what = f"no record has a field {self.name!r}"
                raise SimdupError(self.argument, what, field=self.argument)
        numbers: dict[str, int] = {}
        of = [numbers.setdefault(value, len(numbers)) if value else -1 for value in values]
        return Groups(list(numbers), np.array(of, np.int64))


@dataclass(frozen=True, slots=True)
class Groups:
    """Which group each document belongs to."""

    names: Sequence[str]  # of the groups, in the order of their first documents
    of: NDArray[np.int64]  # int64[documents]: the place of each one's group; -1 for none


# A file or folder, several of them; pairs of id and text, a mapping from id to text, mappings with
# fields, or a table of a library that is not imported here: see `simdup.near.rows.recognise`.
Data: TypeAlias = str | PathLike[str] | Iterable[Any]


@dataclass(frozen=True, slots=True)
class Input:
    """Documents that are ready to be read."""

    batches: Iterator[Batch]  # to be read once
    settings: Settings  # how they are read and counted
    size: int | None  # bytes to be read; None if unknown
    skipped: list[Skipped]  # files and folders that could not be listed
    # Files whose documents are never redundant; they come first.
    references: frozenset[str] = frozenset()
    notes: Sequence[tuple[str, str]] = ()  # names, and what a person should know about them
    report: SourceReport = field(default_factory=SourceReport)  # told of what batches hold
    files: Sequence[File] = ()  # what the batches are cut from
    rows: Rows | None = None  # texts passed from Python, which follow those of the files
    indexes: Sequence[str] = ()  # paths of indexes whose documents are references too
    # The path of an index, which may not exist yet, of documents that earlier runs have seen: one
    # of the same name is an earlier version, and no reference.
    seen: str | None = None
    # Makes their fingerprints; None where the recipe and the corpus decide.
    fingerprinter: Fingerprinter | None = None

    def analyzer(self) -> Analyzer:
        """Return what turns their texts into terms."""
        if self.fingerprinter is not None:
            return self.fingerprinter.analyzer
        return Analyzer.for_recipe(self.settings.recipe)


def open_input(data: Data, settings: Settings, references: Iterable[str] = ()) -> Input:
    """List the files of the sources, or use what was passed from Python; see `Input`.

    Raises
    ------
    SimdupError
        If a table lacks a column, none of the paths exists, or an extra is missing.
    TypeError
        If the data is of no kind that is known.
    """
    settings = _with_fields(settings)
    rows = recognise(data, settings.reading)
    if isinstance(rows, list):
        if not isinstance(data, Named):
            require_existing(rows)
        return open_files(list_files(rows, settings.reading, references), settings)
    opened = open_files(list_files([], settings.reading, references), settings)
    batches = chain(opened.batches, row_batches(rows, opened.report.ids))
    notes = [*opened.notes]
    if rows.fields:
        used = ("`field`", "`id_field`", "`title_field`")
        notes = [note for note in notes if note[0] not in used]
    return replace(opened, batches=batches, size=None, notes=notes, rows=rows)


def require_existing(paths: Sequence[str]) -> None:
    """Raise if there are paths and none of them exists: from Python, texts look like these.

    Raises
    ------
    SimdupError
        If none exists.
    """
    if not paths or any(map(_exists, paths)):
        return
    more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
    what = f"no such file or folder: {paths[0]!r:.120}{more}"
    raise SimdupError("data", what, STRINGS, "data")


def _exists(path: str) -> bool:
    return path == STDIN or lexists(path) or bool(split_address(path) or split_member(path))


def _with_fields(settings: Settings) -> Settings:
    """Return settings that read the fields of records which decide pairs and what is kept."""
    reading, criteria = settings.reading, settings.criteria
    reading = replace(reading, value_field=criteria.keep_field)
    for argument, name in criteria.grouped_by.items():
        field, other = GroupBy(argument, name).field, reading.group_field
        if field is not None and other not in (None, field):
            what = f"cannot be {field!r} beside groups by {other!r}: only one field is read"
            raise SimdupError(argument, what, "one of both may be folder", argument)
        if field is not None and other is None:
            reading = replace(reading, group_field=field, group_argument=argument)
    return replace(settings, reading=reading)


def open_files(listing: SourceListing, settings: Settings) -> Input:
    """Prepare listed files."""
    files = listing.files
    settings = _with_fields(settings)
    reading = settings.reading
    require_extras(files, reading)
    return Input(
        batches(files, reading),
        settings,
        None if any(f.path == STDIN for f in files) else sum(f.size for f in files),
        listing.skipped,
        frozenset(file.path for file in files[: listing.references]),
        [*listing.notes, *_without_effect(files, reading)],
        SourceReport(listing.named, reading),
        files,
    )


def _without_effect(files: Iterable[File], reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield the given arguments that affect none of the files, and why."""
    default = Reading()
    if not any(file.records for file in files):
        for name in ("field", "id_field", "title_field"):
            if getattr(reading, name) != getattr(default, name):
                yield f"`{name}`", "has no effect: no SOURCE contains records"
    if reading.extract != default.extract:
        # If the markup is the text, only the option itself makes a page.
        pages = replace(reading, extract=default.extract)
        if not any(is_page(file, pages) for file in files):
            yield "`extract`", "has no effect: no SOURCE contains HTML"
