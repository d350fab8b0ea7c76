"""Turn what the user names into batches of documents, and tell what was skipped or missing.

Documents are grouped by a field of their records, or by the folder of their file.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from os import PathLike
from os.path import lexists
from typing import Any, TypeAlias

import numpy as np

from simdup.base.errors import SimdupError, counted, did_you_mean
from simdup.base.system import portable
from simdup.corpus.batches import Batch, batches
from simdup.corpus.files import STDIN, File
from simdup.corpus.names import split_address, split_member, without_address
from simdup.corpus.record_fields import shapes
from simdup.corpus.rows import INDEX, STRINGS, Rows, recognise, row_batches
from simdup.corpus.sources import Named, SourceListing, list_files
from simdup.model.documents import LeftOut, NoField, Skipped
from simdup.model.fields import TITLE, record_field
from simdup.model.settings import Reading, Settings
from simdup.model.table import Documents
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter

# -- what people are told --------------------------------------------------------------------------

_NOTHING = "contains no document"


class SourceReport:
    """Collects what is skipped and noted; finds sources without documents, and missing fields.

    Documents come in batches, and results may be streamed, so each batch is passed in, and what is
    known only at the end is added by `finish`.

    Parameters
    ----------
    named : iterable of str
        The sources that the user named.
    reading : Reading
        How they are read.
    """

    def __init__(self, named: Iterable[str] = (), reading: Reading | None = None) -> None:
        self.reading = reading or Reading()
        self._told = frozenset(map(os.path.realpath, self.reading.told))
        self.skipped: list[Skipped] = []
        self.notes: list[tuple[str, str]] = []  # names, and what a person should know about them
        self.unchanged = 0  # how many documents were left out because they are known
        # Of the texts passed from Python, by number; filled while they are cut into batches.
        self.ids: list[Any] = []
        self.id_name = "id"  # what these are
        # Keyed by the path that `os.path.dirname` returns for its contents.
        self._waiting = {_place(source): source for source in named}
        self._named = set(self._waiting)
        self.sources = frozenset(self._waiting)  # what was named, as documents begin
        # Not asked of every document where no source can be one record.
        self._addresses = any("#" in source for source in self._named)
        self._documents = self._values = self._lacking_text = 0
        self._records = False  # whether any of the documents is a record
        # For each wanted field: the fields of records without it, with examples.
        self._lacking: dict[str, dict[str, str]] = {}
        self._hint = ""  # of a table without a wanted field
        self.shapes = Counter[str]()  # how many records have each known shape
        self.stripped: set[str] = set()  # the expressions of `Recipe.strip` that matched something

    def take(
        self,
        documents: Documents,
        stripped: Iterable[str] = (),
        shapes: Mapping[str, int] | None = None,
    ) -> None:
        """Record documents of sources, which `stripped` expressions matched, and known shapes."""
        self.stripped.update(stripped)
        self.shapes.update(shapes or {})
        records = documents["record"] > 0
        self._documents += len(documents)
        self._records = self._records or bool(records.any())
        if "lacking" in documents:
            self._lacking_text += int(np.count_nonzero(documents["lacking"]))
        if "valued" in documents:
            lacking = documents["fields"][~documents["valued"]]
            for fields in filter(None, lacking.tolist()):
                self._lack("value_field", dict.fromkeys(fields, ""))
        if "valued" in documents:
            self._values += int(np.count_nonzero(documents["valued"]))
        if self._waiting:
            for path in dict.fromkeys(documents["path"].tolist()):
                self._take_path(path)
        if self._addresses:
            for row in range(len(documents)):
                self._take_record(*(documents[name][row] for name in ("path", "record", "name")))

    def _take_path(self, place: str) -> None:
        # A document in a folder also belongs to all parent folders.
        while place:
            self._waiting.pop(place, None)
            above = os.path.dirname(place)
            place = "" if above == place else above

    def _take_record(self, path: str, record: int, name: str) -> None:
        """Notice a record that may have been named itself, by its number or its name."""
        for address in (f"{path}#{record}", f"{path}#{name}"):
            if self._waiting.pop(address, None):
                self._named.add(name)

    def skip(self, one: Skipped) -> Skipped:
        """Record a skipped document and return it; if the user named it, it becomes an error."""
        if one.number:
            return replace(one, document=self.ids[one.number - 1])
        if isinstance(one, NoField):
            if one.argument:
                self._lack(one.argument, one.fields)
            self._hint = self._hint or one.hint
            one = Skipped(one.document, one.reason, one.error)
        if one.error:
            # A file with faulty records already has messages.
            self._waiting.pop(one.document.rpartition("#")[0], None)
        if one.document not in self._named:
            return one
        self._waiting.pop(one.document, None)
        return replace(one, error=True)

    def leave(self, one: Skipped) -> Skipped | None:
        """Record what does not take part; return it if it was skipped, not left out of a folder."""
        if not isinstance(one, LeftOut):
            skipped = self.skip(one)
            self.skipped.append(skipped)
            if skipped.hint and not skipped.error:
                self.notes.append((skipped.document, f"{skipped.reason}: {skipped.hint}"))
            return skipped
        if os.path.realpath(str(one.document)) not in self._told:
            self.notes.append((one.document, one.reason))
        return None

    def require_any(self, path: str) -> None:
        """Raise if no record of a file could be read: what is written of it would look clean."""
        faults = (one for one in self.skipped if one.error and one.document != path)
        fault = next((one.fault for one in faults), "")
        if fault and not self._documents:
            raise SimdupError(path, f"no record can be read, so nothing is written: {fault}")

    def _lack(self, argument: str, fields: Mapping[str, str]) -> None:
        shapes().add_examples(self._lacking.setdefault(argument, {}), fields)

    def finish(self, strip: Sequence[str] = ()) -> None:
        """Add sources that gave nothing, and notes, once all documents have been read.

        One of these tells which of the expressions `strip` have matched nothing.

        Raises
        ------
        SimdupError
            If no record has a wanted field.
        """
        for argument in ("field", "id_field"):
            # Some files of records may not have the default field; this must not hide the
            # results of other files.
            asked = getattr(self.reading, argument) != getattr(Reading(), argument)
            if argument in self._lacking and not self._records and (asked or not self._documents):
                raise self._no_field(argument)
        valued = self.reading.value_field is not None
        if valued and self._documents and not self._values:
            raise self._no_field("value_field")
        for source in self._waiting.values():
            self.skipped.append(Skipped(source, _NOTHING, error=True))
        repeated = len(self.ids) - len(set(self.ids))
        if repeated:
            count = f"{repeated:,} of {counted(len(self.ids), 'text')}"
            self.notes.append(("`id`", f"{count} with the {self.id_name} of an earlier one"))
        if self._lacking_text:
            count = f"{self._lacking_text:,} of {counted(self._documents, 'document')}"
            self.notes.append(("`field`", f"{count} without text in at least one of the fields"))
        if self.shapes and self.reading.field is None:
            self.notes += shapes().shape_notes(self.shapes, "field")
        unused = (one for one in strip if one not in self.stripped)
        self.notes += [("`strip`", f"nothing matches {one!r}") for one in unused]

    def refuse(self, one: Skipped) -> SimdupError:
        """Return the error for a document that was skipped and is needed."""
        if not isinstance(one, NoField) or not one.argument:
            return SimdupError(one.document, one.fault, one.hint)
        self._lack(one.argument, one.fields)
        return self._no_field(one.argument, one.document)

    def _no_field(self, argument: str, record: str = "") -> SimdupError:
        """Return the error for a field that no record has, or not the only one that is needed."""
        fields = self._lacking.get(argument, {})
        wanted = getattr(self.reading, argument)
        if argument == "field":
            names = self.reading.text_fields
            wanted = next((name for name in names if name not in fields), names[0])
        there = f" {shapes().shown_fields(fields)}" if fields else ""
        bare = wanted.removesuffix("[]")
        there_is = any(name == bare or name.startswith((f"{bare}[", f"{bare}.")) for name in fields)
        has = f"text in the field {wanted!r}" if there_is else f"field {wanted!r}"
        what = f"{'no' if record else 'no record has a'} {has}{there}"
        if argument == "value_field":
            return SimdupError("keep", what, field="keep")
        hint = shapes().hint_of(fields) if argument == "field" else ""
        if self.reading.field is not None and argument == "field":
            hint = did_you_mean(wanted, shapes().able_fields(fields)) or hint
        hint = "; ".join(filter(None, (hint, self._hint)))
        return SimdupError(record or argument, what, hint, "" if record else argument)


def _place(source: str) -> str:
    return portable(source).rstrip("/") or source


def check_references(references: Sequence[str], skipped: Sequence[Skipped]) -> None:
    """Raise if a reference gave no document: with a mistyped name, everything would stay."""
    named = {*references, *map(without_address, references)}
    for one in skipped:
        if one.error and one.document in named:
            raise SimdupError(one.document, f"{one.reason}, but is a reference", one.hint)


# -- what is read ----------------------------------------------------------------------------------

# A file or folder, several of them; pairs of id and text, a mapping from id to text, mappings with
# fields, or a table of a library that is not imported here: see `simdup.corpus.rows.recognise`.
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
    # Those of the batches that are of references: the first ones, as long as none was read.
    reference_batches: Iterator[Batch] = field(default_factory=lambda: iter(()))
    # References that a user named, each of which must give a document.
    required: Sequence[str] = ()
    in_place: bool = False  # whether what is stripped leaves spaces, so that places stay

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
        If a table lacks a column, or none of the paths exists.
    TypeError
        If the data is of no kind that is known.
    """
    settings = with_fields(settings)
    rows = recognise(data, settings.reading)
    if isinstance(rows, list):
        if not isinstance(data, Named):
            require_existing(rows)
        return open_files(list_files(rows, settings.reading, references), settings)
    opened = open_files(list_files([], settings.reading, references), settings)
    if any(name is INDEX for _, name in rows.asked):
        opened.report.id_name = "index"
    batches = chain(opened.batches, row_batches(rows, opened.report.ids))
    return replace(opened, batches=batches, size=None, rows=rows)


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


def with_fields(settings: Settings, by: str | None = None) -> Settings:
    """Return settings that read the fields of records which decide pairs and what is kept.

    Documents are also grouped `by` a field.
    """
    reading, criteria = settings.reading, settings.criteria
    asked = [(rule, name) for rule, names in criteria.fields.items() for name in names]
    asked += [] if by is None else [("by", by)]
    fields = {name: argument for argument, name in reading.group_fields}
    for argument, named in asked:
        if (name := record_field(named)) is not None:
            fields.setdefault(name, argument)
    reading = replace(
        reading,
        value_field=criteria.keep_field,
        group_fields=tuple((argument, name) for name, argument in fields.items()),
        titled=reading.titled or any(named == TITLE for _, named in asked),
    )
    return replace(settings, reading=reading)


def open_files(listing: SourceListing, settings: Settings) -> Input:
    """Prepare listed files."""
    files = listing.files
    settings = with_fields(settings)
    reading = settings.reading
    first = batches(files[: listing.references], reading)
    return Input(
        chain(first, batches(files[listing.references :], reading)),
        settings,
        None if any(f.path == STDIN for f in files) else sum(f.size for f in files),
        listing.skipped,
        frozenset(file.path for file in files[: listing.references]),
        listing.notes,
        SourceReport(listing.named, reading),
        files,
        reference_batches=first,
    )
