"""What was left out of a cleaned corpus, and what stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from simdup.model.result import Result


@dataclass(frozen=True, slots=True)
class Removed:
    """A document that was left out of a cleaned corpus."""

    document: str  # its name
    reason: str  # ``exact copy`` (of the folded text without white space) or ``near-duplicate``
    distance: int  # Hamming distance to the document that was kept
    similarity: float | None  # Jaccard similarity to it; None where it was not measured
    kept: str  # its name
    estimated: bool = False  # whether the similarity is an estimate: the kept one is in an index
    measure: str | None = None  # what the similarity is: ``jaccard`` or, of short texts, ``edit``


class Cleaned(NamedTuple):
    """The result of cleaning a corpus.

    Attributes
    ----------
    result : Result
        What the scan found.
    removed : list of Removed
        The documents left out, in input order.
    written : str or None
        Where the corpus was written; None if nothing was.
    bytes_before, bytes_after : int or None
        Sizes of its files and of the written files; None if they cannot be compared.
    missing : tuple of str
        Files and folders that could not be opened, and so are missing from what was written.
    positions : array of int64
        Where the removed documents are among those of the result: int64[removed].
    data : object
        What stays, of the same kind as was given; of files the names of their documents.
    """

    result: Result
    removed: list[Removed]
    written: str | None = None
    bytes_before: int | None = None
    bytes_after: int | None = None
    missing: tuple[str, ...] = ()
    positions: Any = ()
    data: Any = None

    @property
    def documents(self) -> int:
        """How many documents were read, not counting references."""
        return self.result.inputs.taking_part
