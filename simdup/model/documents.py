"""Documents, those that could not take part, and all of a run in input order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from simdup.base.when_used import pattern
from simdup.model.formats import Hidden

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from simdup.model.clusters import Cluster

    I64 = NDArray[np.int64]


# Where a record is in its file, as the reason for skipping it begins.
_PLACE = pattern(r"((?:line|row) \d+): ")

# The reason for skipping a document in which no term has a weight.
NO_WORDS, NOTHING_ELSE = "no words", "no words but function words"


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
    groups: tuple[str, ...] = ()  # of the fields that tell its groups; empty where it has none
    # As its page or record names it: empty where a record should and does not; None where the text
    # has it.
    title: str | None = None
    lacking: bool = False  # whether one of several fields that are its text is empty
    # The fields that its text is of, if these are those of a known shape, or lists.
    shape: str = ""

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
    error: Hidden[bool] = False  # whether it is an error (status 2), unlike empty and binary files
    # Its number among the texts passed from Python, from 1; 0 for what comes from files.
    number: Hidden[int] = field(default=0, kw_only=True)
    hint: Hidden[str] = field(default="", kw_only=True)  # the next step, if there is one

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

    argument: Hidden[str] = ""  # the attribute of `Reading` that names the field
    # The existing fields, each with an example of its value; empty where there is none.
    fields: Hidden[Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InputDocuments:
    """All documents of a run: references first, then the *input documents*.

    An input document is a text that was passed from Python, or a file or record whose turn to be
    read came, whether it took part or was skipped.  Sources that do not exist and files that a walk
    leaves out do not count, nor do references.

    The number of a document is its row, references included; its position is its place among the
    input documents.

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
    def took_part(self) -> NDArray[np.bool_]:
        """Whether each is an input document that was not skipped: bool[documents]."""
        import numpy as np

        found = np.arange(len(self.names)) >= self.references
        found[list(self.skipped)] = False
        return found

    @property
    def taking_part(self) -> int:
        """How many input documents were not skipped."""
        return len(self) - sum(number >= self.references for number in self.skipped)
