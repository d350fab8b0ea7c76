"""What an index answers."""

from __future__ import annotations

from typing import NamedTuple


class Match(NamedTuple):
    """A document of an index that is near another.

    Attributes
    ----------
    document : str
        Its name.
    distance : int
        Hamming distance of the fingerprints.
    similarity : float or None
        Estimate of the texts' resemblance, 0 to 1; None where there was no text on either side.
    """

    document: str
    distance: int
    similarity: float | None


class Answer(NamedTuple):
    """What an index holds near a document.

    Attributes
    ----------
    document : str
        The document's name.
    matches : tuple of Match
        The best first.
    added : bool
        Whether it was added to the index, having no match.
    """

    document: str
    matches: tuple[Match, ...]
    added: bool = False

    @property
    def new(self) -> bool:
        """Whether there is no match."""
        return not self.matches
