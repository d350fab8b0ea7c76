"""From pairs of documents to clusters, and which document of each to keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.linkage import Priority, components, stars
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.lsh.simhash import to_hex
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.criteria import UNMEASURED, Criteria, Measures


class DocumentPair(NamedTuple):
    """Two documents that meet the criteria, by their numbers, the smaller first."""

    a: int
    b: int
    distance: int
    measures: Measures = UNMEASURED


@dataclass(frozen=True, slots=True)
class DocumentPairs:
    """The pairs of a corpus."""

    pairs: list[DocumentPair]  # ordered
    first_of: Mapping[int, int]  # for each copy the first document that is identical with it
    candidates: int  # how many pairs were proposed, copies included, before they were verified


@dataclass(frozen=True, slots=True)
class ScannedDocuments:
    """What is known about the documents of a scan."""

    names: Sequence[str]
    fingerprints: Fingerprints
    digests: Sequence[bytes] = ()  # equal for equal texts; empty where texts are not known
    references: range = range(0)  # documents that are never redundant
    # Measures two documents by their numbers; None where pairs are not verified.
    measure: Callable[[int, int], Measures] | None = None

    def distances(self, a: NDArray[np.int64] | int, b: NDArray[np.int64] | list[int]) -> list[int]:
        """Return the Hamming distances of documents side by side, or of one and others."""
        values = self.fingerprints.values
        distances: list[int] = np.bitwise_count(values[a] ^ values[b]).sum(axis=1).tolist()
        return distances

    def pair(self, pair: DocumentPair) -> Pair:
        """Return a pair as results name it."""
        exact = bool(self.digests) and self.digests[pair.a] == self.digests[pair.b]
        a, b = self.names[pair.a], self.names[pair.b]
        return Pair(a, b, pair.distance, *pair.measures, exact=exact)


class _Group(NamedTuple):
    """A cluster in the making: its documents by number, the kept one, and their pairs."""

    kept: int
    members: Sequence[int]
    pairs: Sequence[DocumentPair]


def form_clusters(
    found: DocumentPairs,
    documents: ScannedDocuments,
    priority: Callable[[int], Priority],
    criteria: Criteria,
) -> tuple[Cluster, ...]:
    """Join pairs to clusters, each with its document of the least priority kept."""
    numbers = [(pair.a, pair.b) for pair in found.pairs]
    star = criteria.linkage == "star"
    groups = stars(numbers, found.first_of, priority) if star else components(numbers)
    group_of = {document: number for number, group in enumerate(groups) for document in group}
    pairs_of: list[list[DocumentPair]] = [[] for _ in groups]
    for pair in found.pairs:
        # Star linkage can put the two documents of a pair into different groups.
        if (number := group_of.get(pair.a, -1)) == group_of.get(pair.b):
            pairs_of[number].append(pair)
    return tuple(
        _cluster(number, _Group(min(group, key=priority), group, pairs), documents, criteria)
        for number, (group, pairs) in enumerate(zip(groups, pairs_of, strict=True), 1)
    )


def _cluster(
    number: int, group: _Group, documents: ScannedDocuments, criteria: Criteria
) -> Cluster:
    kept, names = group.kept, documents.names
    measured = {(pair.a, pair.b): pair.measures for pair in group.pairs}
    ordered = [kept, *(document for document in group.members if document != kept)]
    hexes = to_hex(documents.fingerprints.values[ordered], documents.fingerprints.bits)
    members = [Member(names[kept], "kept", hexes[0], number=kept)]
    distances = documents.distances(kept, ordered)
    chained = False
    for document, digits, distance in list(zip(ordered, hexes, distances, strict=True))[1:]:
        pair = (min(kept, document), max(kept, document))
        measures = measured.get(pair)
        if measures is None:
            measures = documents.measure(*pair) if documents.measure else UNMEASURED
            near = distance <= criteria.distance or criteria.method != "simhash"
            chained |= not (near and criteria.accepts(measures))
        role = "kept" if document in documents.references else "redundant"
        members.append(Member(names[document], role, digits, distance, *measures, number=document))
    return Cluster(number, tuple(members), tuple(map(documents.pair, group.pairs)), chained)
