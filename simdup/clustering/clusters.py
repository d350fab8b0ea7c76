"""Turn groups of documents into clusters: roles, and measures relative to the kept one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.clustering.linkage import components
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.lsh.simhash import to_hex
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.criteria import EDIT, JACCARD, UNMEASURED, Criteria, Measures
from simdup.search.arrays import RowIds


class Measured(NamedTuple):
    """The measures of pairs as parallel arrays (float64[pairs] each); None if not measured."""

    similarity: NDArray[np.float64] | None = None
    containment: NDArray[np.float64] | None = None
    cosine: NDArray[np.float64] | None = None
    # int8[pairs]: 1 for a first text that is contained in the second, 2 for the second, 3 for both;
    # see `Measures`.
    contained: NDArray[np.int8] | None = None
    # bool[pairs]: False for short texts with different numbers; None if these do not matter.
    same_numbers: NDArray[np.bool_] | None = None
    covered: NDArray[np.float64] | None = None  # float64[pairs, 2]: see `Measures`

    def accepted(self, criteria: Criteria, pairs: int) -> NDArray[np.bool_]:
        """Return which of the pairs meet the criteria, whichever of the two is kept."""
        least = (criteria.similarity, criteria.containment, criteria.cosine)
        good = np.ones(pairs, np.bool_) if self.same_numbers is None else self.same_numbers.copy()
        for asked, found in zip(least, self[:3], strict=True):
            if asked is not None and found is not None:
                good &= found >= asked
        return good

    def taken(self, criteria: Criteria, pairs: int) -> NDArray[np.bool_]:
        """Return of which pairs the second document may be removed, if the first is kept."""
        good = self.accepted(criteria, pairs)
        if criteria.directed and self.contained is not None:
            good &= self.contained & 2 > 0
        return good

    def take(self, which: NDArray[np.bool_] | RowIds) -> Measured:
        """Return the measures of some of the pairs."""
        columns: Iterable[Any] = (None if one is None else one[which] for one in self)
        return Measured(*columns)

    def each(self, pairs: int) -> list[Measures]:
        """Return the measures of each pair."""
        columns = [[None] * pairs if one is None else one.tolist() for one in self[:3]]
        sides = [0] * pairs if self.contained is None else self.contained.tolist()
        same = [True] * pairs if self.same_numbers is None else self.same_numbers.tolist()
        covered = [None] * pairs if self.covered is None else map(tuple, self.covered.tolist())
        return list(map(Measures, *columns, map(_SIDES.__getitem__, sides), same, covered))

    def turned(self, which: NDArray[np.bool_]) -> Measured:
        """Return the measures with the two texts of some pairs exchanged."""
        if self.contained is None or self.covered is None:
            return self
        sides = np.where(which, _TURNED[self.contained], self.contained)
        shares = np.where(which[:, np.newaxis], self.covered[:, ::-1], self.covered)
        return self._replace(contained=sides, covered=shares)


# By the values of `Measured.contained`.
_SIDES = (None, "a", "b", "both")
_TURNED = np.array([0, 2, 1, 3], np.int8)

# Measures pairs of documents, given by number.
Measure: TypeAlias = Callable[[RowIds, RowIds], Measured]
# Tells which pairs of documents are measured by edit similarity.
ByEdit: TypeAlias = Callable[[RowIds, RowIds], NDArray[np.bool_]]


def unmeasured(i: RowIds, j: RowIds) -> Measured:
    """Measure nothing, for runs in which fingerprints alone decide."""
    return Measured()


def never(i: RowIds, j: RowIds) -> NDArray[np.bool_]:
    """Tell that no pair is measured by edit similarity."""
    return np.zeros(len(i), np.bool_)


def differ(groups: RowIds, i: RowIds, j: RowIds) -> NDArray[np.bool_]:
    """Return which pairs (i[k], j[k]) are of different groups; -1 differs from all."""
    apart: NDArray[np.bool_] = (groups[i] != groups[j]) | (groups[i] < 0)
    return apart


class DocumentPair(NamedTuple):
    """Two documents that meet the criteria, by number, the smaller first."""

    a: int
    b: int
    distance: int
    measures: Measures = UNMEASURED

    @property
    def estimated(self) -> bool:
        """Whether the similarity is an estimate: documents of indexes have numbers below 0."""
        return self.a < 0 and self.measures.similarity is not None

    def taken_by(self, kept: int, criteria: Criteria) -> bool:
        """Return whether the other document may be removed, if this one is kept."""
        side = "b" if kept == self.a else "a"
        return not criteria.directed or self.measures.contained in (side, "both")


class Group(NamedTuple):
    """A cluster in the making."""

    kept: int  # number of the document that is kept
    members: Sequence[int]  # numbers, ascending
    pairs: Sequence[DocumentPair]  # ordered
    complete: bool = True  # whether `pairs` has every candidate that meets the criteria
    # More pairs, which are not listed, where `pairs` do not connect all members; only of a group
    # that decisions may divide.
    links: Sequence[DocumentPair] = ()


@dataclass(frozen=True, slots=True)
class ScannedDocuments:
    """What is known about the documents of a scan."""

    names: Sequence[Any]
    fingerprints: Fingerprints
    # V16[documents]: equal for equal texts; None where texts are not known.
    digests: NDArray[np.void] | None = None
    references: range = range(0)  # documents that are never redundant
    measure: Measure = unmeasured
    by_edit: ByEdit = never
    # uint64[documents]: equal for equal titles; None where titles do not decide.
    titles: NDArray[np.uint64] | None = None
    # int64[documents]: documents with equal ones are never a pair, unless these are -1; None where
    # groups do not decide.
    groups: RowIds | None = None

    def apart(self, a: RowIds, b: RowIds) -> NDArray[np.bool_]:
        """Return which pairs (a[i], b[i]) the groups of documents allow."""
        return np.ones(len(a), np.bool_) if self.groups is None else differ(self.groups, a, b)

    def kind(self, a: int, b: int, measures: Measures) -> str | None:
        """Return what the similarity of a pair is; None if it was not measured."""
        if measures.similarity is None:
            return None
        # An index has no forms; and where no text is short, nobody needs to be asked.
        if min(a, b) < 0 or self.by_edit is never:
            return JACCARD
        return EDIT if self.by_edit(np.array([a]), np.array([b]))[0] else JACCARD

    def distances(self, a: RowIds, b: RowIds) -> list[int]:
        """Return the Hamming distance of each pair (a[i], b[i])."""
        values = self.fingerprints.values
        distances: list[int] = np.bitwise_count(values[a] ^ values[b]).sum(axis=1).tolist()
        return distances

    def pair(self, pair: DocumentPair) -> Pair:
        """Return a pair as results name it."""
        digests, exact = self.digests, False
        if digests is not None and pair.a >= 0:
            exact = bool(digests[pair.a] == digests[pair.b])
        a, b = self.names[pair.a], self.names[pair.b]
        measures, contained = pair.measures[:3], pair.measures.contained
        kind = self.kind(pair.a, pair.b, pair.measures)
        return Pair(a, b, pair.distance, *measures, exact, pair.estimated, contained, kind)

    def pairs(self, a: RowIds, b: RowIds, measured: Measured) -> list[DocumentPair]:
        """Return the pairs (a[i], b[i]), the smaller number first."""
        low, high = np.minimum(a, b), np.maximum(a, b)
        measures = measured.turned(a > b).each(len(low))
        columns = (low.tolist(), high.tolist(), self.distances(low, high), measures)
        return list(map(DocumentPair, *columns))


def merge(groups: Iterable[Group]) -> list[Group]:
    """Join the groups that share documents; of several kept ones the first is kept."""
    given = list(groups)
    joined = components((group.kept, one) for group in given for one in group.members)
    place = {document: i for i, members in enumerate(joined) for document in members}
    parts: list[list[Group]] = [[] for _ in joined]
    for group in given:
        parts[place[group.kept]].append(group)
    return [
        Group(
            min(part.kept for part in some),
            members,
            sorted(pair for part in some for pair in part.pairs),
            all(part.complete for part in some),
            sorted(pair for part in some for pair in part.links),
        )
        for members, some in zip(joined, parts, strict=True)
    ]


def form_clusters(
    groups: Iterable[Group], documents: ScannedDocuments, criteria: Criteria
) -> tuple[Cluster, ...]:
    """Return the clusters of groups, largest first, then by first document."""
    sorted_groups = sorted(groups, key=lambda group: (-len(group.members), group.members[0]))
    figures = _beside_kept(sorted_groups, documents, criteria)
    return tuple(
        _cluster(number, group, documents, figures, criteria)
        for number, group in enumerate(sorted_groups, 1)
    )


class _Figures(NamedTuple):
    """The distance and measures of a document and the kept one of its cluster."""

    distance: int
    measures: Measures
    taken: bool  # whether the kept document may stand for this one
    estimated: bool = False  # whether the similarity is an estimate


def _beside_kept(
    groups: Sequence[Group], documents: ScannedDocuments, criteria: Criteria
) -> dict[int, _Figures]:
    """Return the figures of every document that is not kept."""
    figures: dict[int, _Figures] = {}
    missing: list[tuple[int, int]] = []
    for group in groups:
        for pair in group.pairs:
            if group.kept in (pair.a, pair.b):
                other = pair.b if pair.a == group.kept else pair.a
                taken = pair.taken_by(group.kept, criteria)
                figures[other] = _Figures(pair.distance, pair.measures, taken, pair.estimated)
        others = (one for one in group.members if one != group.kept and one not in figures)
        missing += [(group.kept, one) for one in others]
    # Of a document of an index all pairs are known, and there is no text to measure.
    a, b = np.array([pair for pair in missing if pair[0] < 0], np.int64).reshape(-1, 2).T
    for other, distance in zip(b.tolist(), documents.distances(a, b), strict=True):
        figures[other] = _Figures(distance, UNMEASURED, False)
    missing = [pair for pair in missing if pair[0] >= 0]
    a, b = np.array(missing, np.int64).reshape(-1, 2).T
    measured = documents.measure(a, b)
    taken = (measured.taken(criteria, len(a)) & documents.apart(a, b)).tolist()
    pairs = documents.pairs(a, b, measured)
    for (_, other), pair, good in zip(missing, pairs, taken, strict=True):
        near = pair.distance <= criteria.distance or not criteria.by_distance
        figures[other] = _Figures(pair.distance, pair.measures, good and near)
    return figures


def _cluster(
    number: int,
    group: Group,
    documents: ScannedDocuments,
    figures: dict[int, _Figures],
    criteria: Criteria,
) -> Cluster:
    names, kept = documents.names, group.kept
    ordered_members = [kept, *(one for one in group.members if one != kept)]
    hexes = to_hex(documents.fingerprints.values[ordered_members], documents.fingerprints.bits)
    members = [Member(names[kept], "kept", hexes[0], number=kept, beside=kept)]
    beside_reference = _beside_references(group, documents, criteria)
    for one, digits in zip(ordered_members[1:], hexes[1:], strict=True):
        distance, measures, taken, estimated = figures[one]
        role, beside = "redundant" if taken else "linked", kept
        if one in documents.references:
            role = "kept"
        elif not taken and one in beside_reference:
            role, pair = "redundant", beside_reference[one]
            beside, _, distance, measures = pair
            estimated = pair.estimated
        shares, side = measures[:3], _side(measures.contained, one > beside)
        kind = documents.kind(one, beside, measures)
        covered = None
        if criteria.lossless and measures.covered is not None:
            covered = measures.covered[one > beside]
        members.append(
            Member(
                names[one], role, digits, distance, *shares, one, beside, estimated, side, kind,
                covered,
            )
        )  # fmt: skip
    pairs = tuple(map(documents.pair, group.pairs))
    return Cluster(number, tuple(members), pairs, complete=group.complete)


def _side(contained: str | None, second: bool) -> str | None:
    """Return which text is contained, for a document that is the second of a pair or the first."""
    if contained in (None, "both"):
        return contained
    return "document" if (contained == "b") == second else "kept"


def _beside_references(
    group: Group, documents: ScannedDocuments, criteria: Criteria
) -> dict[int, DocumentPair]:
    """Return, for each document, its first pair with a reference that may stand for it, if any.

    References come first in the input, so a pair's smaller number is the reference.
    """
    found: dict[int, DocumentPair] = {}
    for pair in group.pairs if documents.references else ():
        if pair.a in documents.references and pair.taken_by(pair.a, criteria):
            found.setdefault(pair.b, pair)
    if not found or documents.digests is None:
        return found
    # Of documents with the same text only the first is compared with references.
    for first, copy, *_ in group.pairs:
        if first not in found or copy in found:
            continue
        beside = found[first]._replace(b=copy)
        same = documents.digests[first] == documents.digests[copy]
        if same and documents.apart(np.array([beside.a]), np.array([copy]))[0]:
            found[copy] = beside
    return found
