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

    Most documents have a number: their place among all that were counted, references included.
    Its position is a document's place among the input documents.

    Attributes
    ----------
    names : sequence
        The name of each document with a number.
    references : int
        How many of these are references; they come first.
    wordless : tuple of int
        Numbers of the documents that were skipped because no term of them has a weight.
    unread : tuple of Unread
        The input documents without a number, in order.
    """

    names: Sequence[Any] = ()
    references: int = 0
    wordless: tuple[int, ...] = ()
    unread: tuple[Unread, ...] = ()

    def __len__(self) -> int:
        """Return the number of input documents."""
        return len(self.names) - self.references + len(self.unread)

    def listed(self) -> list[Any]:
        """Return the names of the input documents, in input order."""
        found: list[Any] = []
        done = self.references
        for one in self.unread:
            found += self.names[done : one.before]
            found.append(one.name)
            done = one.before
        return found + list(self.names[done:])

    def positions(self, numbers: I64) -> I64:
        """Return the positions of documents (int64[numbers]) that are no references."""
        import numpy as np

        before = np.array([one.before for one in self.unread], np.int64)
        return numbers - self.references + np.searchsorted(before, numbers, side="right")

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
        clustered.update(self.wordless)
        names, first = self.names, self.references
        return [names[i] for i in range(first, len(names)) if i not in clustered]

    @property
    def taking_part(self) -> int:
        """How many input documents were not skipped."""
        wordless = sum(number >= self.references for number in self.wordless)
        return len(self.names) - self.references - wordless
