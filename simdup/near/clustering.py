"""Which of several documents is kept, which are identical, and clusters with names.

Of identical documents only the first is compared with others.  Where a rule may forbid a pair of
them (`near.rules.parting`), there are two kinds.  If it does not, they are copies: each is a pair
with the others.  Else, as with documents of one group or references, they are *twins*: never a
pair, but every partner of one is a partner of all.  Those that differ in the column of the rule are
compared like any others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from simdup.model.clusters import Cluster, Member, Pair, Spared
from simdup.model.criteria import EDIT, JACCARD, LOSSLESS, Criteria
from simdup.model.measures import DocumentPair, MeasuredPairs
from simdup.model.table import Documents, Side
from simdup.near.rules import apart, parting
from simdup.near.short import short
from simdup.near.texts import Texts
from simdup.search.arrays import I64, U64, Bools, RowIds, hamming_distances
from simdup.search.equal_keys import Duplicates, collapse
from simdup.text.characters import DIGEST_BYTES
from simdup.text.simhash import to_hex

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
    """A cluster in the making, of documents by their numbers."""

    members: Sequence[int]  # ascending
    taken_by: Mapping[int, int]  # for each redundant document the one that took it
    pairs: Sequence[DocumentPair]  # ordered; those of redundant documents are among them


@dataclass(frozen=True, slots=True)
class Identical:
    """Which documents are identical."""

    copies_of: dict[int, list[int]]  # for each first document, its copies or twins, ascending
    distinct: RowIds  # documents with a text that are neither, ascending
    sizes: RowIds  # int64[documents]: how many documents each distinct one represents
    twins: frozenset[int]  # the first documents that have twins, not copies
    contents: RowIds  # int64[documents]: equal for identical documents that are compared

    def of(self, first: int) -> list[int]:
        """Return a distinct document and its copies or twins, ascending."""
        return [first, *self.copies_of.get(first, ())]


def find_identical(documents: Documents) -> Identical:
    """Find identical documents: those with equal texts or, without texts, equal fingerprints.

    Their blocking keys are equal too.

    Documents without a text are not copies of each other, nor is a document one of a reference.
    """
    rows = np.flatnonzero(present(documents))
    content = _content(documents, rows)
    contents = np.arange(len(documents))
    columns = parting(documents)
    if columns or documents["reference"].any():
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
    copies_of = dict[int, list[int]]()
    for start, size in zip(groups.starts.tolist(), groups.sizes.tolist(), strict=True):
        first, *copies_of[first] = rows[groups.members[start : start + size]].tolist()
        sizes[first] = size
    firsts = np.array(list(copies_of), np.int64)
    # What rules say of a document and its copy, they say of all with the same columns.
    same = Side(documents, firsts)
    twins = frozenset(firsts[~apart(same, same) | documents["reference"][firsts]].tolist())
    return Identical(copies_of, distinct, sizes, twins, contents)


def present(documents: Documents) -> Bools:
    """Return which documents take part: those with a text or, without texts, with terms."""
    if "digest" not in documents:
        has_terms: Bools = documents["terms"] > 0
        return has_terms
    has_text: Bools = documents["digest"] != np.zeros((), documents["digest"].dtype)
    return has_text


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
    order: I64,
    criteria: Criteria,
    bits: int,
    numbers: Sequence[int],
) -> tuple[Cluster, ...]:
    """Return the clusters of groups, largest first, then by first document.

    Parameters
    ----------
    groups : iterable of Group
    documents : Documents
    order : int64[documents]
        The place of each document in the order of keeping.
    criteria : Criteria
    bits : int
        Bits of the fingerprints.
    numbers : sequence of int
        The number that a result gives to each of the documents.
    """
    sorted_groups = sorted(groups, key=lambda group: (-len(group.members), group.members[0]))
    naming = _Naming(documents, order, criteria, bits, numbers)
    return tuple(naming.cluster(number, group) for number, group in enumerate(sorted_groups, 1))


class _Naming:
    """Turns groups into clusters, which have names instead of rows."""

    def __init__(
        self,
        documents: Documents,
        order: I64,
        criteria: Criteria,
        bits: int,
        numbers: Sequence[int],
    ) -> None:
        self._documents = documents
        self._order = order
        self._criteria = criteria
        self._bits = bits
        self._numbers = numbers
        self._names = documents["name"]
        # Bytes answer faster than arrays, which are asked about once for each pair.
        self._short = short(documents).tobytes()
        self._indexed = bytes(len(documents))
        if "indexed" in documents:
            self._indexed = documents["indexed"].tobytes()
        # Without terms there is no fingerprint; of an index there are fingerprints only.
        wordless = present(documents) & (documents["terms"] == 0)
        self._wordless = wordless.tobytes()

    def cluster(self, number: int, group: Group) -> Cluster:
        """Return the cluster of a group."""
        taken_by = group.taken_by
        # Each kept document, in the order of keeping, comes before those that it took.
        kept = sorted(set(group.members) - taken_by.keys(), key=self._order.__getitem__)
        below: dict[int, list[int]] = {document: [document] for document in kept}
        for document in group.members:
            if document in taken_by:
                below[taken_by[document]].append(document)
        pairs = {(pair.a, pair.b): pair for pair in group.pairs}
        ordered = [document for head in kept for document in below[head]]
        digits = to_hex(self._documents["fingerprint"][ordered], self._bits)
        members = (
            self._member(document, taken_by.get(document), pairs, value)
            for document, value in zip(ordered, digits, strict=True)
        )
        return Cluster(number, tuple(members), tuple(self._pairs(group.pairs)))

    def _member(
        self,
        document: int,
        kept: int | None,
        pairs: Mapping[tuple[int, int], DocumentPair],
        digits: str,
    ) -> Member:
        """Return a document as a member of its cluster; `kept` took it."""
        name, number = self._names[document], self._numbers[document]
        fingerprint = None if self._wordless[document] else digits
        if kept is None:
            return Member(name, "kept", fingerprint, number=number, beside=number)
        pair = pairs[min(document, kept), max(document, kept)]
        second, measures, covered = document == pair.b, pair.measures, None
        if self._criteria.lossless and measures.covered is not None:
            covered = measures.covered[second]
        return Member(
            name, "redundant", fingerprint, self._distance(pair), *measures[:3], number,
            self._numbers[kept], self._estimated(pair), _side(measures.contained, second),
            self._kind(pair), covered,
        )  # fmt: skip

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
        edited = self._short[pair.a] or self._short[pair.b]
        return EDIT if edited and not self._indexed[pair.a] else JACCARD


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
    texts: Texts,
    numbers: Sequence[int],
) -> tuple[Spared, ...]:
    """Return the spared documents with their figures, without those that people divided.

    `numbers` are those of results.
    """
    names = documents["name"]
    gone = {one.number for each in clusters for one in each.members if one.role == "redundant"}
    stay = [pair for pair in spared if gone.isdisjoint(numbers[document] for document in pair)]
    if not stay:
        return ()
    rows, kept = np.array(stay, np.int64).T
    pairs, described = measure(kept, rows), []
    covered = pairs["covered"][:, 1] if "covered" in pairs else np.zeros(len(stay))
    shares = zip(pairs["similarity"].tolist(), covered.tolist(), strict=True)
    for (one, beside), (similarity, share) in zip(stay, shares, strict=True):
        # Below this, the share alone is a reason.
        matter = criteria.lossless and share >= LOSSLESS
        facts: tuple[str, ...] = ()
        if matter:
            from simdup.near.measures.lossless import lost

            facts = tuple(lost(texts, one, beside))
        both = numbers[one], numbers[beside]
        described.append(Spared(names[one], names[beside], similarity, share, *both, facts))
    return tuple(described)
