"""What people decided about documents, in a report page or by hand, and what is known already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from simdup.base.system import without_dot

KINDS = ("duplicates", "distinct", "keep")
# What a judge says who cannot tell: it decides nothing.
UNSURE = "unsure"
# What may be said of a pair in an audit.
VERDICTS = ("duplicates", "distinct", UNSURE)
# Pairs that an audit draws: with them a precision of 0.95 is known to within 3 or 4 in 100.
SAMPLE = 200
SEED = 1


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision about documents, by their names.

    Attributes
    ----------
    kind : str
        ``duplicates``: they are; ``distinct``: none of them shares a cluster with another of them;
        ``keep``: the first of them is the one to keep.
    documents : tuple of str
        Names, without the `./` that a name may begin with; see `without_dot`.
    """

    kind: str
    documents: tuple[str, ...]

    def __post_init__(self) -> None:
        """Write names in one way, because a scan of `./docs` follows what was decided on `docs`."""
        names = tuple(dict.fromkeys(map(without_dot, self.documents)))
        object.__setattr__(self, "documents", names)


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions in the order they were made: of two that contradict each other the later holds."""

    each: tuple[Decision, ...] = ()

    @property
    def kept(self) -> frozenset[str]:
        """The documents that are to be kept."""
        return frozenset(one.documents[0] for one in self.each if one.kind == "keep")

    @property
    def divide(self) -> bool:
        """Whether some of them forbid that documents share a cluster."""
        return any(one.kind == "distinct" for one in self.each)

    @property
    def names(self) -> Iterable[str]:
        """All documents that are named, each once."""
        return dict.fromkeys(name for one in self.each for name in one.documents)


UNDECIDED = Decisions()


class Entry(NamedTuple):
    """A document of a known cluster."""

    digest: str  # of its text, as hex digits
    name: str  # for readers, escaped; only of equal texts it tells which one is known


@dataclass(frozen=True, slots=True)
class Baseline:
    """Known clusters: all pairs of documents in one of them are known.

    Clusters are kept rather than pairs, because many documents list only pairs with kept ones, and
    which these are depends on the others.
    """

    clusters: tuple[tuple[Entry, ...], ...] = ()
    comments: tuple[str, ...] = ()  # one above each, for readers; or none at all

    @property
    def digests(self) -> Counter[str]:
        """How many entries have each digest."""
        return Counter(entry.digest for cluster in self.clusters for entry in cluster)
