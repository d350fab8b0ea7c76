"""Documents, and those that could not take part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# Why a document without a single weighing term is skipped.
NO_WORDS = "no words but function words"


class Document(NamedTuple):
    """One text with a name.

    Attributes
    ----------
    name : str
        How results name it; undecodable bytes of a path are surrogate escapes.
    text : str
        The decoded text, as it was.
    modified : float
        When its file was last changed, in seconds since 1970; 0 where there is no file.
    note : str
        What a person should know about how it was read; empty where there is nothing.
    path : str
        The file it comes from; empty where there is none.
    record : int
        Its number in a file of records, from 1; 0 for a file of its own.
    """

    name: str
    text: str
    modified: float = 0.0
    note: str = ""
    path: str = ""
    record: int = 0

    @property
    def place(self) -> str:
        """Where a record comes from: its file and number, which no other record has."""
        return f"{self.path}#{self.record}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document that could not take part.

    Attributes
    ----------
    document : str
        Its name.
    reason : str
        Why, in a few words.
    error : bool
        Whether that is a fault (status 2) or in the nature of the file (empty, binary).
    """

    document: str
    reason: str
    error: bool = False
