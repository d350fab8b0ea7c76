"""Near-duplicates that are known, and that a check does not report again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Entry(NamedTuple):
    """A document of a known cluster."""

    digest: str  # of its text, as hex digits
    name: str  # for readers, escaped; only of equal texts it tells which one is known


@dataclass(frozen=True, slots=True)
class Baseline:
    """Known clusters: all pairs of documents in one of them are known.

    Clusters are kept rather than pairs, because a large cluster lists only one pair for each
    document, and which one depends on the others.
    """

    clusters: tuple[tuple[Entry, ...], ...] = ()
