"""The result of cutting repeated parts out of documents, its report and its lists."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple, overload

from simdup.base.errors import counted
from simdup.model.cleaned import Part, RemovedPart
from simdup.model.documents import Skipped
from simdup.model.formats import REMOVED_PART_COLUMNS
from simdup.near.part_search import RepeatedParts
from simdup.show.lines import csv_lines, typed
from simdup.show.summary import size_words
from simdup.show.words import ENGLISH, Phrases


class RemovedParts(Sequence[RemovedPart]):
    """The parts that were cut, in input order; each is made when it is asked for.

    Parameters
    ----------
    names : sequence
        The names of all documents.
    parts : RepeatedParts
        What was cut, by the rows of documents.
    content : bytes or mmap
        The texts of what was cut.
    """

    def __init__(
        self, names: Sequence[Any], parts: RepeatedParts, content: bytes | mmap.mmap
    ) -> None:
        self._names = names
        self._parts = parts
        self._content = content

    def __len__(self) -> int:
        """Return how many parts were cut."""
        return len(self._parts.documents)

    @overload
    def __getitem__(self, at: int) -> RemovedPart: ...
    @overload
    def __getitem__(self, at: slice) -> RemovedParts: ...
    def __getitem__(self, at: int | slice) -> RemovedPart | RemovedParts:
        """Return one part, or some of them."""
        if isinstance(at, slice):
            return RemovedParts(self._names, self._parts.take(at), self._content)
        row, start, end, *stays, first, last = (int(column[at]) for column in self._parts)
        kept, kept_start, kept_end = stays if stays[0] >= 0 else (None, None, None)
        return RemovedPart(
            self._names[row], start, end,
            None if kept is None else self._names[kept], kept_start, kept_end,
            self._content[first:last].decode("utf-8", "surrogatepass"),
        )  # fmt: skip

    def __repr__(self) -> str:
        """Return how many there are."""
        return f"<{counted(len(self), 'removed part')}>"


class Shortened(NamedTuple):
    """The result of cutting repeated parts out of documents.

    Attributes
    ----------
    unit : str
        What the parts are: see `PartCriteria`.
    removed : sequence of RemovedPart
        The parts that were cut, in input order.
    documents, changed, emptied : int
        How many documents were read, how many of them lost a part, and how many all their text.
    characters_before, characters_after : int
        Characters of the texts of all documents.
    skipped : tuple of Skipped
        What could not be read, and documents that are kept whole though they have repeated parts.
    notes : tuple of (str, str)
        Names, and what a person should know about them.
    written : str or None
        Where the corpus was written, if it was.
    bytes_before, bytes_after : int or None
        Sizes of its files and of the written files, where these can be compared.
    missing : tuple of str
        Files and folders that could not be opened, and so are missing from what was written.
    data : object
        What was passed, of the same kind, with shortened texts; of files the names of documents.
    parts : tuple of Part
        What each group lost, if groups were asked for (`by`): the largest losses first.
    """

    unit: str
    removed: Sequence[RemovedPart]
    documents: int
    changed: int
    emptied: int
    characters_before: int
    characters_after: int
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    written: str | None = None
    bytes_before: int | None = None
    bytes_after: int | None = None
    missing: tuple[str, ...] = ()
    data: Any = None
    parts: tuple[Part, ...] = ()

    def __repr__(self) -> str:
        """Return the counts: data may be large."""
        parts = counted(len(self.removed), self.unit)
        documents = counted(self.documents, "document")
        return f"Shortened({parts} cut from {self.changed:,} of {documents})"


def shortened_words(shortened: Shortened, words: Phrases = ENGLISH) -> str:
    """Return how much was cut, from how many documents, and what is left."""
    before, after = shortened.characters_before, shortened.characters_after
    said = [
        words(
            "parts.cut",
            parts=words(f"parts.{shortened.unit}", n=len(shortened.removed)),
            changed=shortened.changed,
            documents=words("documents", n=shortened.documents),
        ),
        words("parts.characters", cut=before - after, before=before,
              share=(before - after) / max(before, 1)),
    ]  # fmt: skip
    if shortened.bytes_before is not None and shortened.bytes_after is not None:
        sizes = [size_words(one, words) for one in (shortened.bytes_after, shortened.bytes_before)]
        said.append(words("parts.bytes", after=sizes[0], before=sizes[1]))
    if shortened.emptied:
        said.append(words("parts.emptied", n=shortened.emptied))
    return words.sentence(said)


def removed_part_lines(shortened: Shortened, jsonl: bool, bom: bool = False) -> Iterator[bytes]:
    """Return the lines of the parts that were cut; those of JSON have each group, too."""
    if jsonl:
        return chain(typed("removed_part", shortened.removed), typed("part", shortened.parts))
    return csv_lines(REMOVED_PART_COLUMNS, shortened.removed, bom)
