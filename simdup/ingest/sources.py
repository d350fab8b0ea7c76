"""From what the user names to batches of documents that are ready to be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, TypeAlias

from simdup.corpus.batches import Batch, batches, require_extras, text_batches
from simdup.corpus.sources import STDIN, File, list_files
from simdup.features.analyzer import Analyzer
from simdup.model.documents import Skipped
from simdup.model.settings import Settings

# A file or folder, several of them, or names and texts.
Data: TypeAlias = str | Iterable[str] | Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Input:
    """Documents that are ready to be read."""

    batches: Iterator[Batch]  # to be read once
    settings: Settings  # how they are read and counted
    size: int | None  # bytes to be read; None where that cannot be known
    skipped: list[Skipped]  # what could not even be listed
    # Files whose documents are never redundant; they come first.
    references: frozenset[str] = frozenset()

    def analyzer(self) -> Analyzer:
        """Return what turns their texts into terms."""
        return Analyzer.for_recipe(self.settings.recipe, self.settings.run.segmenter)


def open_input(data: Data, settings: Settings, references: Iterable[str] = ()) -> Input:
    """List the files of the sources, or take named texts as they are; see `Input`."""
    reading = settings.reading
    given: Iterator[Any] = iter([data] if isinstance(data, str) else data)
    first = next(given, None)
    if first is not None and not isinstance(first, str):
        known, skipped = list_files(references, reading)
        opened = open_files(known, skipped, settings, len(known))
        texts = text_batches(chain([first], given))
        return replace(opened, batches=chain(opened.batches, texts), size=None)
    references = list(references)
    named = [] if first is None else [first, *given]
    known, _ = list_files(references, reading)
    # Listed together, so that a file that is in both is read once, as a reference.
    files, skipped = list_files([*references, *named], reading)
    return open_files(files, skipped, settings, len(known))


def open_files(
    files: list[File], skipped: list[Skipped], settings: Settings, references: int = 0
) -> Input:
    """Prepare files that were listed; the first so many are references."""
    require_extras(files, settings.reading)
    size = None if any(f.path == STDIN for f in files) else sum(f.size for f in files)
    known = frozenset(file.path for file in files[:references])
    return Input(batches(files, settings.reading), settings, size, skipped, known)
