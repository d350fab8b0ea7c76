"""The results of querying an index, and of adding documents to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from simdup.model.documents import Skipped
from simdup.model.formats import Share


class Match(NamedTuple):
    """A document of an index that is near another.

    Attributes
    ----------
    document : str
        The name of the document.
    distance : int
        Hamming distance of the fingerprints.
    similarity : float or None
        Estimated Jaccard similarity of the texts, 0 to 1; None if one of them has no text.  If
        `dedupe` removed the same text because of this document, the similarity of then.
    """

    document: str
    distance: int
    similarity: Share | None = None


class QueryResult(NamedTuple):
    """The near-duplicates of a document in an index.

    Attributes
    ----------
    document : str
        The name of the document.
    matches : tuple of Match
        The matches, best first.
    added : bool
        Whether it was added to the index because it had no match.
    """

    document: str
    matches: tuple[Match, ...] = ()
    added: bool = False

    @property
    def new(self) -> bool:
        """Whether there is no match."""
        return not self.matches


@dataclass(slots=True)
class QueryResults:
    """The results of queries as they arrive; can be iterated over once.

    Attributes
    ----------
    chunks : iterator of list of QueryResult
        Results in groups, as they become available.
    skipped, notes : list
        As in `Result`; complete once the results have ended.
    """

    chunks: Iterator[list[QueryResult]]
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def __iter__(self) -> Iterator[QueryResult]:
        """Yield the results, one for each document, in the order of the documents."""
        return chain.from_iterable(self.chunks)


@dataclass(slots=True)
class Added:
    """What happened to the documents given to an index.

    Attributes
    ----------
    added, replaced, unchanged : int
        How many names were new, how many had new content, and how many documents were present.
    skipped, notes : list
        As in `Result`.
    """

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
