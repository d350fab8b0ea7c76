"""The documents of a run in input order, those included that were skipped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simdup.model.clusters import Cluster

    I64 = NDArray[np.int64]


class Unread(NamedTuple):
    """A document that was skipped before it got a number."""

    before: int  # how many documents with a number precede it
    name: Any
    path: str = ""  # of its file; empty for a text that was passed from Python


@dataclass(frozen=True, slots=True)
class InputDocuments:
    """All documents of a run: references first, then the *input documents*.

    An input document is a text that was passed from Python, or a file or record whose turn to be
    read came, whether it took part or was skipped.  Sources that do not exist and files that a walk
    leaves out do not count, nor do references.

    The number of a document is its place among all of these, references included; its position is
    its place among the input documents.

    Attributes
    ----------
    names : sequence
        The name of each.
    references : int
        How many are references; they come first.
    skipped : tuple of int
        Numbers of the documents that did not take part.
    """

    names: Sequence[Any] = ()
    references: int = 0
    skipped: tuple[int, ...] = ()

    def __len__(self) -> int:
        """Return the number of input documents."""
        return len(self.names) - self.references

    def listed(self) -> list[Any]:
        """Return the names of the input documents, in input order."""
        return list(self.names[self.references :])

    def positions(self, numbers: I64) -> I64:
        """Return the positions of documents (int64[numbers]) that are no references."""
        return numbers - self.references

    def labels(self, clusters: Sequence[Cluster]) -> I64:
        """Return the number of each input document's group (int64[input documents])."""
        import numpy as np

        members = (member.number for cluster in clusters for member in cluster.members)
        numbers = np.fromiter(members, np.int64)
        sizes = np.fromiter((len(cluster.members) for cluster in clusters), np.int64)
        of = np.repeat(np.arange(len(clusters)), sizes)
        given = numbers >= self.references
        places, of = self.positions(numbers[given]), of[given]
        first = np.full(len(clusters), len(self))
        np.minimum.at(first, of, places)
        leader = np.arange(len(self))
        leader[places] = first[of]
        return (np.cumsum(leader == np.arange(len(self))) - 1)[leader]

    def unique(self, clusters: Iterable[Cluster]) -> list[Any]:
        """Return the names of the documents that took part and are in no cluster, in order."""
        clustered = {member.number for cluster in clusters for member in cluster.members}
        clustered.update(self.skipped)
        names, first = self.names, self.references
        return [names[i] for i in range(first, len(names)) if i not in clustered]

    @property
    def taking_part(self) -> int:
        """How many input documents were not skipped."""
        return len(self) - sum(number >= self.references for number in self.skipped)
