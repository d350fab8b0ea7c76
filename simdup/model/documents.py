"""Documents, and documents that could not take part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from simdup.when_used import pattern

# Where a record is in its file, as the reason for skipping it begins.
_PLACE = pattern(r"((?:line|row) \d+): ")

# The reason for skipping a document in which no term has a weight.
NO_WORDS = "no words but function words"


class Document(NamedTuple):
    """One text with a name."""

    name: str  # as in results; undecodable bytes of a path are surrogate escapes
    text: str  # decoded, but otherwise unchanged
    modified: float = 0.0  # in seconds since 1970; 0 if there is no file
    note: str = ""  # a note on how it was read
    path: str = ""  # of the file it comes from; empty for a text that was passed from Python
    # Its number in a file of records, or among the texts passed from Python, from 1; 0 for a file
    # of its own.
    record: int = 0
    # Of the field that `Criteria.keep` names: NaN if it is not a number, None if it is missing.
    value: float | None = None
    fields: Iterable[str] = ()  # the names of a record's fields, if it lacks a wanted one
    group: str = ""  # of the field that tells its group; empty where the record has none
    # As its page or record names it: empty where a record should and does not; None where the text
    # has it.
    title: str | None = None
    # If its text is that of several fields of a record: whether one of them is empty, and a hash of
    # the first one, 0 if that says little.
    lacking: bool = False
    head: int = 0

    @property
    def place(self) -> str:
        """The file and number of a record, which identify it."""
        return f"{self.path}#{self.record}"

    @property
    def passed(self) -> bool:
        """Whether it was passed from Python, which knows it by an id."""
        return self.record > 0 and not self.path

    def skip(self, reason: str) -> Skipped:
        """Return this document as one that cannot take part."""
        return Skipped(self.name, reason, number=self.record if self.passed else 0)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document that could not take part."""

    document: Any  # its name, or its id as it was passed from Python
    reason: str  # in a few words
    error: bool = False  # whether it is an error (status 2), unlike empty and binary files
    # Its number among the texts passed from Python, from 1; 0 for what comes from files.
    number: int = field(default=0, kw_only=True)

    @property
    def place(self) -> str:
        """The line or row of a record; empty where the reason does not begin with it."""
        place = _PLACE.match(self.reason)
        return place[1] if place else ""

    @property
    def cause(self) -> str:
        """The reason without the line or row."""
        return self.reason.removeprefix(f"{self.place}: ")

    @property
    def fault(self) -> str:
        """The reason, without the line or row if that is the number in the name."""
        number = self.place.rpartition(" ")[2]
        named = number and str(self.document).endswith(f"#{number}")
        return self.cause if named else self.reason


@dataclass(frozen=True, slots=True)
class LeftOut(Skipped):
    """A file in a folder that is not a document: not skipped, but noted."""


@dataclass(frozen=True, slots=True)
class NoField(Skipped):
    """A record, or a whole file of records, without a wanted field."""

    argument: str = ""  # the attribute of `Reading` that names the field
    # The existing fields, each with its number of characters of text.
    fields: Mapping[str, int] = field(default_factory=dict)
