"""From pairs of documents to clusters, and what of each cluster to keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.linkage import Worth, components, stars
from simdup.lsh.simhash import distance as hamming
from simdup.lsh.simhash import to_hex
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.criteria import UNMEASURED, Criteria, Measures

Measure = Callable[[int, int], Measures]


class DocumentPair(NamedTuple):
    """Two documents that meet the criteria, by their numbers, the smaller first."""

    a: int
    b: int
    distance: int
    measures: Measures = UNMEASURED


@dataclass(frozen=True, slots=True)
class Sketches:
    """What is known of the documents that pairs speak of.

    Attributes
    ----------
    names : sequence of str
        All documents' names.
    values : uint64[documents, words]
        Their fingerprints.
    bits : int
        Bits of each.
    digests : sequence of bytes
        Equal for equal texts; empty where texts are not known.
    references : range
        Documents that are never redundant.
    measure : callable or None
        Measures two documents that are no pair; None where there are no texts.
    """

    names: Sequence[str]
    values: NDArray[np.uint64]
    bits: int
    digests: Sequence[bytes] = ()
    references: range = range(0)
    measure: Measure | None = None


def form_clusters(
    pairs: Sequence[DocumentPair],
    first_of: Mapping[int, int],
    worth: Callable[[int], Worth],
    documents: Sketches,
    criteria: Criteria,
) -> list[Cluster]:
    """Join pairs to clusters.

    Parameters
    ----------
    pairs : sequence of DocumentPair
        Ordered.
    first_of : mapping
        For each copy the first document that is identical with it.
    worth : callable
        Orders documents, the best to keep first.
    documents : Sketches
        What is known of them.
    criteria : Criteria
        Says how pairs are linked.
    """
    numbers = [(pair.a, pair.b) for pair in pairs]
    star = criteria.linkage == "star"
    groups = stars(numbers, first_of, worth) if star else components(numbers)
    cluster_of = {document: number for number, group in enumerate(groups) for document in group}
    pairs_of: list[list[DocumentPair]] = [[] for _ in groups]
    for pair in pairs:
        # Star linkage can part the two documents of a pair.
        if (number := cluster_of.get(pair.a, -1)) == cluster_of.get(pair.b):
            pairs_of[number].append(pair)
    return [
        _cluster(number, group, found, min(group, key=worth), documents, criteria)
        for number, (group, found) in enumerate(zip(groups, pairs_of, strict=True), 1)
    ]


def _cluster(
    number: int,
    group: Sequence[int],
    pairs: Sequence[DocumentPair],
    kept: int,
    documents: Sketches,
    criteria: Criteria,
) -> Cluster:
    names = documents.names
    measured = {(pair.a, pair.b): pair.measures for pair in pairs}
    ordered = [kept, *(document for document in group if document != kept)]
    hexes = to_hex(documents.values[ordered], documents.bits)
    members = [Member(names[kept], "kept", hexes[0], number=kept)]
    chained = False
    for document, digits in zip(ordered[1:], hexes[1:], strict=True):
        pair = (min(kept, document), max(kept, document))
        measures = measured.get(pair)
        apart = hamming(int(hexes[0], 16), int(digits, 16))
        if measures is None:
            measures = documents.measure(*pair) if documents.measure else UNMEASURED
            near = apart <= criteria.distance or criteria.method != "simhash"
            chained |= not (near and criteria.accepts(measures))
        role = "kept" if document in documents.references else "redundant"
        members.append(Member(names[document], role, digits, apart, *measures, number=document))
    digests = documents.digests
    listed = tuple(
        Pair(
            names[p.a],
            names[p.b],
            p.distance,
            *p.measures,
            exact=bool(digests) and digests[p.a] == digests[p.b],
        )
        for p in pairs
    )
    return Cluster(number, tuple(members), listed, chained)
