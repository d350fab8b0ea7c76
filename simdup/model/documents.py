"""Documents, and those that could not take part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# Why a document without a single weighing term is skipped.
NO_WORDS = "no words but function words"


class Document(NamedTuple):
    """One text with a name."""

    name: str  # as in results; undecodable bytes of a path are surrogate escapes
    text: str  # decoded, as it was
    modified: float = 0.0  # in seconds since 1970; 0 where there is no file
    note: str = ""  # what a person should know about how it was read
    path: str = ""  # of the file it comes from
    record: int = 0  # its number in a file of records, from 1; 0 for a file of its own
    # Of the field that `Criteria.keep` names: NaN where it is no number, None where it is missing;
    # then there are the names of the record's fields.
    value: float | None = None
    fields: Iterable[str] = ()
    # Of the field that tells its group; None where the record has none.
    group: str | None = None

    @property
    def place(self) -> str:
        """Where a record comes from: its file and number, which no other record has."""
        return f"{self.path}#{self.record}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document that could not take part."""

    document: str  # its name
    reason: str  # in a few words
    error: bool = False  # a fault (status 2), not in the nature of the file (empty, binary)


@dataclass(frozen=True, slots=True)
class LeftOut(Skipped):
    """A file that is no document of a folder: not skipped, but noted."""


@dataclass(frozen=True, slots=True)
class NoField(Skipped):
    """A record, or a whole file of records, without a field that is asked for."""

    argument: str = ""  # the attribute of `Reading` that names the field
    # The fields there are, each with how many characters of text it has.
    fields: Mapping[str, int] = field(default_factory=dict)
