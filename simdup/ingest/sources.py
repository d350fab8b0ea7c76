"""Turn what the user names into batches of documents that are ready to be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeAlias

from simdup.corpus.batches import Batch, batches, require_extras, text_batches
from simdup.corpus.sources import STDIN, File, Listing, is_page, list_files
from simdup.features.analyzer import Analyzer
from simdup.fingerprints.fingerprinter import Fingerprinter
from simdup.ingest.given import Given
from simdup.model.documents import Skipped
from simdup.model.reading import Reading
from simdup.model.settings import Settings

# A file or folder, several of them, or pairs of name and text.
Data: TypeAlias = str | Iterable[str] | Iterable[tuple[str, str]]


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
    given: Given = field(default_factory=Given)  # told of what the batches hold
    indexes: Sequence[str] = ()  # paths of indexes whose documents are references too
    # Makes their fingerprints; None where the recipe and the corpus decide.
    fingerprinter: Fingerprinter | None = None

    def analyzer(self) -> Analyzer:
        """Return what turns their texts into terms."""
        if self.fingerprinter is not None:
            return replace(self.fingerprinter.analyzer, segmenter=self.settings.run.segmenter)
        return Analyzer.for_recipe(self.settings.recipe, self.settings.run.segmenter)


def open_input(data: Data, settings: Settings, references: Iterable[str] = ()) -> Input:
    """List the files of the sources, or use named texts directly; see `Input`."""
    given: Iterator[Any] = iter([data] if isinstance(data, str) else data)
    first = next(given, None)
    if first is not None and not isinstance(first, str):
        opened = open_files(list_files([], settings.reading, references), settings)
        texts = text_batches(chain([first], given))
        return replace(opened, batches=chain(opened.batches, texts), size=None)
    named = [] if first is None else [first, *given]
    return open_files(list_files(named, settings.reading, references), settings)


def open_files(listing: Listing, settings: Settings) -> Input:
    """Prepare listed files."""
    files = listing.files
    reading = replace(settings.reading, value_field=settings.criteria.keep_field)
    settings = replace(settings, reading=reading)
    require_extras(files, reading)
    return Input(
        batches(files, reading),
        settings,
        None if any(f.path == STDIN for f in files) else sum(f.size for f in files),
        listing.skipped,
        frozenset(file.path for file in files[: listing.references]),
        [*listing.notes, *_without_effect(files, reading)],
        Given(listing.named, reading),
    )


def _without_effect(files: Iterable[File], reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield the given arguments that affect none of the files, and why."""
    default = Reading()
    if not any(file.records for file in files):
        for name in ("field", "id_field"):
            if getattr(reading, name) != getattr(default, name):
                yield f"`{name}`", "has no effect: no SOURCE contains records"
    if reading.extract != default.extract:
        # If the markup is the text, only the option itself makes a page.
        pages = replace(reading, extract=default.extract)
        if not any(is_page(file, pages) for file in files):
            yield "`extract`", "has no effect: no SOURCE contains HTML"
