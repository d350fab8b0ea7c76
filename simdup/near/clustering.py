"""Groups of documents by linkage, which of each is kept, the roles and figures of the others.

Of identical documents only the first is compared with others.  Where a rule may forbid a pair of
them (`near.rules.parting`), there are two kinds.  If it does not, they are copies: each is a pair
with the others.  Else, as with documents of one group, they are *twins*: never a pair, but every
partner of one is a partner of all.  Those that differ in the column of the rule, and references,
are compared like any others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product, repeat
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdup.base.system import without_dot
from simdup.corpus.patterns import matches
from simdup.model.clusters import Cluster, Member, Pair, Spared
from simdup.model.criteria import EDIT, JACCARD, LOSSLESS, Criteria
from simdup.model.measures import DocumentPair, MeasuredPairs
from simdup.model.table import Documents, Side
from simdup.near.rules import apart, parting, present, short
from simdup.search.arrays import U64, RowIds, components, hamming_distances, ordered
from simdup.search.equal_keys import Duplicates, collapse
from simdup.text.characters import DIGEST_BYTES
from simdup.text.simhash import to_hex

# Orders documents: the smallest is kept first.
Priority: TypeAlias = tuple[float, ...]


def priority_by(
    keep: str,
    column: Callable[[str], NDArray[Any]],
    rank: Callable[[int], int] = lambda document: 0,
) -> Callable[[int], Priority]:
    """Return the sort key of documents: the one to keep comes first; ties go to input order.

    `keep` is that of `simdup.model.criteria.Criteria`; `column` returns the ``length`` of
    documents, the times when they were ``modified``, or the ``value`` of the field that `keep`
    names; NaN comes last.  `rank` precedes all of these: only documents of a group's lowest rank
    can be kept.
    """
    ways = {
        "longest": ("length", -1), "shortest": ("length", 1),
        "newest": ("modified", -1), "oldest": ("modified", 1),
        "max": ("value", -1), "min": ("value", 1),
    }  # fmt: skip
    way = ways.get(keep.partition(":")[0])
    if way is None:
        return lambda document: (rank(document), document)
    # Plain numbers answer faster than those of an array.
    values, sign = column(way[0]).tolist(), way[1]

    def priority(document: int) -> Priority:
        value = sign * values[document]
        return (rank(document), value if value == value else math.inf, document)

    return priority


def rank_by(criteria: Criteria, documents: Documents) -> Callable[[int], int]:
    """Return the rank that precedes the `keep` policy: references, then preferred documents."""
    prefer, decided = criteria.prefer, criteria.decisions.kept
    references = documents["reference"].tolist()
    if not prefer and not decided:
        return lambda document: -1 if references[document] else 0

    def rank(document: int) -> int:
        if references[document]:
            return -2
        name, path = str(documents["name"][document]), documents["path"][document]
        if without_dot(name) in decided:
            return -1
        hits = (i for i, one in enumerate(prefer) if matches(name, [one]) or matches(path, [one]))
        return next(hits, len(prefer))

    return rank


def first_come(document: int) -> Priority:
    """Keep the first of a group: the priority if neither lengths nor times are known."""
    return (document,)


# Measures pairs of documents, given by number.
Measure: TypeAlias = Callable[[RowIds, RowIds], MeasuredPairs]


def unmeasured(a: RowIds, b: RowIds) -> MeasuredPairs:
    """Measure nothing, for runs in which fingerprints alone decide."""
    return MeasuredPairs({"a": a, "b": b})


def with_distances(pairs: MeasuredPairs, documents: Documents) -> MeasuredPairs:
    """Return pairs with the Hamming distances of their documents."""
    values = documents["fingerprint"]
    distances = hamming_distances(values, pairs["a"], values, pairs["b"])
    return pairs.and_columns(distance=distances.astype(np.int64))


class Group(NamedTuple):
    """A cluster in the making."""

    kept: int  # number of the document that is kept
    members: Sequence[int]  # numbers, ascending
    pairs: Sequence[DocumentPair]  # ordered
    complete: bool = True  # whether `pairs` has every candidate that meets the criteria
    # More pairs, which are not listed, where `pairs` do not connect all members; only of a group
    # that decisions may divide.
    links: Sequence[DocumentPair] = ()


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


@dataclass(frozen=True, slots=True)
class Identical:
    """Which documents are identical."""

    first_of: dict[int, int]  # for each copy or twin, the first identical document
    copies_of: dict[int, list[int]]  # for each first document, its copies or twins, ascending
    distinct: RowIds  # documents with a text that are neither, ascending
    sizes: RowIds  # int64[documents]: how many documents each distinct one represents
    twins: frozenset[int]  # the first documents that have twins, not copies
    contents: RowIds  # int64[documents]: equal for identical documents that are compared

    def of(self, first: int) -> list[int]:
        """Return a distinct document and its copies or twins, ascending."""
        return [first, *self.copies_of.get(first, ())]

    def pairs(self, criteria: Criteria, firsts: RowIds) -> MeasuredPairs:
        """Return the pairs of the given first documents with their copies."""
        wanted = set(firsts[self.sizes[firsts] > 1].tolist()) - self.twins
        both = [(first, copy) for first in sorted(wanted) for copy in self.copies_of[first]]
        a, b = np.array(both, np.int64).reshape(-1, 2).T
        return MeasuredPairs.identical(a, b, criteria)

    def spread(
        self, a: RowIds, b: RowIds, priority: Callable[[int], Priority]
    ) -> tuple[RowIds, RowIds, RowIds]:
        """Return pairs of first documents, and pairs of their twins.

        Each twin is paired with the first on the other side and the one that may be kept: these
        connect all, and are few.  The first array tells which given pair each one comes from.
        """
        if not self.twins:
            return np.arange(len(a)), a, b
        found = [
            (i, *pair)
            for i, both in enumerate(zip(a.tolist(), b.tolist(), strict=True))
            for pair in self._of_twins(*both, priority)
        ]
        index, first, second = np.array(found, np.int64).reshape(-1, 3).T
        return index, first, second

    def _of_twins(
        self, a: int, b: int, priority: Callable[[int], Priority]
    ) -> set[tuple[int, int]]:
        if not {a, b} & self.twins:
            return {(a, b)}
        one, other = (self.of(first) if first in self.twins else [first] for first in (a, b))
        heads, others = ({some[0], min(some, key=priority)} for some in (one, other))
        return {*product(heads, other), *product(one, others)}

    def stars(
        self, pairs: Iterable[tuple[int, int]], priority: Callable[[int], Priority]
    ) -> list[list[int]]:
        """Return groups in which the kept document takes every other one (star linkage).

        The first document of a pair may take the second; if either may take the other, there are
        two such pairs.  Of identical documents only the first needs to appear in pairs with others.
        Documents are visited by priority: a document without a group is kept, and those without a
        group that it may take join it.  Redundancy is therefore never transitive.  A stream
        deduplicator that keeps whatever comes first does the same.  Groups are ascending.
        """
        partners: dict[int, set[int]] = {}
        for a, b in pairs:
            a, b = self.first_of.get(a, a), self.first_of.get(b, b)
            partners.setdefault(a, set()).add(b)
            partners.setdefault(b, set())
        taken: set[int] = set()
        groups = []
        for kept in sorted(partners, key=lambda first: min(map(priority, self.of(first)))):
            if kept in taken:
                continue
            members = partners[kept] - taken
            taken |= {kept} | members
            group = self.star(kept, members, priority)
            if len(group) > 1:
                groups.append(group)
        return ordered(groups)

    def star(
        self, centre: int, members: Iterable[int], priority: Callable[[int], Priority]
    ) -> list[int]:
        """Return the documents of a star, ascending, given its distinct documents.

        Twins of the kept one stay out: all their partners are taken.
        """
        found = [one for first in members if first != centre for one in self.of(first)]
        same = self.of(centre)
        return sorted(found + ([min(same, key=priority)] if centre in self.twins else same))


def find_identical(documents: Documents) -> Identical:
    """Find identical documents: those with equal texts or, without texts, equal fingerprints.

    Their blocking keys are equal too.

    Documents without a text are not copies of each other.  A reference that is identical to an
    earlier one, also for the rules, adds nothing, and is left out.
    """
    rows = np.flatnonzero(present(documents))
    content = _content(documents, rows)
    contents = np.arange(len(documents))
    if columns := parting(documents):
        same = collapse(content)
        contents[rows[same.members]] = np.repeat(rows[same.first], same.sizes)
        own = (documents[name][rows].astype(np.uint64) for name in [*columns, "reference"])
        content = np.column_stack([content, *own])
    return _identical(documents, rows, collapse(content), contents)


def _identical(
    documents: Documents, rows: RowIds, groups: Duplicates, contents: RowIds
) -> Identical:
    distinct = rows if groups.distinct is None else rows[groups.distinct]
    sizes = np.ones(len(documents), np.int64)
    references, copies_of = documents["reference"], dict[int, list[int]]()
    for start, size in zip(groups.starts.tolist(), groups.sizes.tolist(), strict=True):
        first, *others = rows[groups.members[start : start + size]].tolist()
        copies_of[first] = [one for one in others if not references[one]]
        sizes[first] += len(copies_of[first])
    first_of = {copy: first for first, others in copies_of.items() for copy in others}
    firsts = np.array([first for first, others in copies_of.items() if others], np.int64)
    # What rules say of a document and its copy, they say of all with the same columns.
    same = Side(documents, firsts)
    twins = frozenset(firsts[~apart(same, same)].tolist())
    return Identical(first_of, copies_of, distinct, sizes, twins, contents)


def _content(documents: Documents, rows: RowIds) -> U64:
    """Return the values that identical documents share (uint64[rows, words])."""
    columns = [documents["fingerprint"][rows]]
    if "digest" in documents:
        columns.append(documents["digest"].view(np.uint64).reshape(-1, DIGEST_BYTES // 8)[rows])
    if "blocking_key" in documents:
        columns.append(documents["blocking_key"][rows, np.newaxis])
    return np.concatenate(columns, axis=1)


# -- groups to clusters ----------------------------------------------------------------------------


def form_clusters(
    groups: Iterable[Group],
    documents: Documents,
    measure: Measure,
    criteria: Criteria,
    bits: int,
    numbers: Sequence[int],
) -> tuple[Cluster, ...]:
    """Return the clusters of groups, largest first, then by first document.

    Parameters
    ----------
    groups : iterable of Group
    documents : Documents
    measure : Measure
        Measures the pairs with kept documents that groups lack.
    criteria : Criteria
    bits : int
        Bits of the fingerprints.
    numbers : sequence of int
        The number that a result gives to each of the documents.
    """
    ordered = sorted(groups, key=lambda group: (-len(group.members), group.members[0]))
    beside = _beside_kept(ordered, documents, measure, criteria)
    naming = _Naming(documents, criteria, bits, numbers)
    return tuple(naming.cluster(number, one, beside) for number, one in enumerate(ordered, 1))


class _Beside(NamedTuple):
    """A document beside the kept one of its cluster."""

    pair: DocumentPair  # may not meet the criteria
    taken: bool  # whether the kept document may stand for this one


def _beside_kept(
    groups: Sequence[Group], documents: Documents, measure: Measure, criteria: Criteria
) -> dict[int, _Beside]:
    """Return every document that is not kept beside the kept one, by its number."""
    found: dict[int, _Beside] = {}
    missing: list[tuple[int, int]] = []
    for group in groups:
        for pair in group.pairs:
            if group.kept in (pair.a, pair.b):
                other = pair.b if pair.a == group.kept else pair.a
                found[other] = _Beside(pair, pair.taken_by(group.kept, criteria))
        others = (one for one in group.members if one != group.kept and one not in found)
        missing += [(group.kept, one) for one in others]
    a, b = np.array(missing, np.int64).reshape(-1, 2).T
    # If an index has no text of a document, groups have all of its pairs already.
    ours = present(documents)
    ours = ours[a] & ours[b]
    pairs = with_distances(measure(a[ours], b[ours]), documents)
    taken = pairs.taken(criteria) & apart(Side(documents, a[ours]), Side(documents, b[ours]))
    if criteria.by_distance:
        taken &= pairs["distance"] <= criteria.distance
    known = with_distances(unmeasured(a[~ours], b[~ours]), documents)
    beside = map(_Beside, pairs.ordered().each(), taken.tolist())
    found |= zip(b[ours].tolist(), beside, strict=True)
    found |= zip(b[~ours].tolist(), map(_Beside, known.each(), repeat(False)), strict=True)
    return found


class _Naming:
    """Turns groups into clusters, which have names instead of rows."""

    def __init__(
        self, documents: Documents, criteria: Criteria, bits: int, numbers: Sequence[int]
    ) -> None:
        self._documents = documents
        self._criteria = criteria
        self._bits = bits
        self._numbers = numbers
        self._names = documents["name"]
        # Bytes answer faster than arrays, which are asked about once for each pair.
        self._references = documents["reference"].tobytes()
        self._has_references = any(self._references)
        self._short = short(documents).tobytes()
        self._indexed = bytes(len(documents))
        if "indexed" in documents:
            self._indexed = documents["indexed"].tobytes()
        # Without terms there is no fingerprint; of an index there are fingerprints only.
        wordless = present(documents) & (documents["terms"] == 0)
        self._wordless = wordless.tobytes()

    def cluster(self, number: int, group: Group, beside: Mapping[int, _Beside]) -> Cluster:
        """Return the cluster of a group."""
        names, kept = self._names, group.kept
        ordered = [kept, *(one for one in group.members if one != kept)]
        values = to_hex(self._documents["fingerprint"][ordered], self._bits)
        hexes = [None if self._wordless[i] else v for i, v in zip(ordered, values, strict=True)]
        number_of = self._numbers
        first = number_of[kept]
        members = [Member(names[kept], "kept", hexes[0], number=first, beside=first)]
        pairs = [beside[one].pair for one in ordered[1:]]
        taken = [beside[one].taken for one in ordered[1:]]
        roles = ["redundant" if good else "linked" for good in taken]
        if self._has_references:
            nearer = self._beside_references(group)
            for i, one in enumerate(ordered[1:]):
                if self._references[one]:
                    roles[i] = "kept"
                elif not taken[i] and one in nearer:
                    roles[i], pairs[i] = "redundant", nearer[one]
        for one, role, digits, pair in zip(ordered[1:], roles, hexes[1:], pairs, strict=True):
            second = one == pair.b
            measures = pair.measures
            covered = None
            if self._criteria.lossless and measures.covered is not None:
                covered = measures.covered[second]
            members.append(
                Member(
                    names[one], role, digits, self._distance(pair), *measures[:3], number_of[one],
                    number_of[pair.a if second else pair.b], self._estimated(pair),
                    _side(measures.contained, second), self._kind(pair), covered,
                )
            )  # fmt: skip
        return Cluster(number, tuple(members), tuple(self._pairs(group.pairs)), group.complete)

    def _pairs(self, pairs: Sequence[DocumentPair]) -> Iterator[Pair]:
        """Yield pairs as results name them."""
        names, documents = self._names, self._documents
        for pair in pairs:
            a, b, measures = pair.a, pair.b, pair.measures
            exact = "digest" in documents and not self._indexed[a]
            exact = exact and bool(documents["digest"][a] == documents["digest"][b])
            yield Pair(
                names[a], names[b], self._distance(pair), *measures[:3], exact,
                self._estimated(pair),
                measures.contained, self._kind(pair),
            )  # fmt: skip

    def _distance(self, pair: DocumentPair) -> int | None:
        """Return the distance of two fingerprints, if there are any."""
        return None if self._wordless[pair.a] or self._wordless[pair.b] else pair.distance

    def _estimated(self, pair: DocumentPair) -> bool:
        """Return whether a similarity counts as an estimate, as all that come from an index do."""
        return pair.measures.similarity is not None and bool(self._indexed[pair.a])

    def _kind(self, pair: DocumentPair) -> str | None:
        """Return what the similarity of a pair is, as `Pair` says it."""
        if pair.measures.similarity is None:
            return None
        short = self._short[pair.a] or self._short[pair.b]
        return EDIT if short and not self._indexed[pair.a] else JACCARD

    def _beside_references(self, group: Group) -> dict[int, DocumentPair]:
        """Return the first pair of each document with a reference that may stand for it, if any.

        References come first in the input, so a pair's smaller number is the reference.
        """
        found: dict[int, DocumentPair] = {}
        for pair in group.pairs:
            if self._references[pair.a] and pair.taken_by(pair.a, self._criteria):
                found.setdefault(pair.b, pair)
        if not found or "digest" not in self._documents:
            return found
        digests = self._documents["digest"]
        # Of documents with the same text only the first is compared with references.
        for first, copy, *_ in group.pairs:
            if first in found and copy not in found and digests[first] == digests[copy]:
                beside = found[first]._replace(b=copy)
                a, b = (Side(self._documents, np.array([one])) for one in beside[:2])
                if apart(a, b)[0]:
                    found[copy] = beside
        return found


def _side(contained: str | None, second: bool) -> str | None:
    """Return which text is contained, for a document that is the second of a pair or the first."""
    if contained in (None, "both"):
        return contained
    return "document" if (contained == "b") == second else "kept"


def describe_spared(
    spared: Sequence[tuple[int, int]],
    clusters: Sequence[Cluster],
    documents: Documents,
    measure: Measure,
    criteria: Criteria,
    lost: Callable[[int, int], Sequence[str]],
    numbers: Sequence[int],
) -> tuple[Spared, ...]:
    """Return the spared documents with their figures, without those that people divided.

    `lost` returns the facts of a document that another one lacks; `numbers` are those of results.
    """
    references, names = documents["reference"], documents["name"]
    stay = [one for one in spared if not references[one[0]]]
    gone = {one.number for each in clusters for one in each.members if one.role == "redundant"}
    stay = [one for one in stay if gone.isdisjoint((numbers[one[0]], numbers[one[1]]))]
    if not stay:
        return ()
    rows, kept = np.array(stay, np.int64).T
    pairs, described = measure(kept, rows), []
    covered = pairs["covered"][:, 1] if "covered" in pairs else np.zeros(len(stay))
    shares = zip(pairs["similarity"].tolist(), covered.tolist(), strict=True)
    for (one, beside), (similarity, share) in zip(stay, shares, strict=True):
        # Below this, the share alone is a reason.
        matter = criteria.lossless and share >= LOSSLESS
        facts = tuple(lost(one, beside)) if matter else ()
        both = numbers[one], numbers[beside]
        described.append(Spared(names[one], names[beside], similarity, share, *both, facts))
    return tuple(described)
