"""Clusters with names: roles, and the figures of members and pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.criteria import EDIT, JACCARD
from simdup.model.measures import DocumentPair
from simdup.model.table import Documents
from simdup.near.copies import present
from simdup.near.join import Joined
from simdup.near.short import short
from simdup.search.arrays import I64, RowIds, run_starts
from simdup.text.simhash import to_hex

# Clusters that get names together.
_AT_ONCE = 1 << 12


def form_clusters(
    joined: Joined,
    documents: Documents,
    order: I64,
    bits: int,
    numbers: Sequence[int],
) -> tuple[Cluster, ...]:
    """Return the clusters of a join, largest first, then by first document.

    Parameters
    ----------
    joined : Joined
    documents : Documents
    order : int64[documents]
        The place of each document in the order of keeping.
    bits : int
        Bits of the fingerprints.
    numbers : sequence of int
        The number that a result gives to each of the documents.
    """
    kept, cluster = joined.kept, joined.cluster
    sizes = np.bincount(cluster[cluster >= 0], minlength=len(cluster))
    rows = np.flatnonzero(cluster >= 0)
    # Each kept document, in the order of keeping, comes before those that it took.
    own = cluster[rows]
    rows = rows[np.lexsort((rows, kept[rows] != rows, order[kept[rows]], own, -sizes[own]))]
    parts = np.split(rows, run_starts(cluster[rows])[1:]) if len(rows) else []
    place = np.zeros(len(cluster), np.int64)
    place[cluster[rows]] = np.repeat(np.arange(len(parts)), list(map(len, parts)))
    of_pairs = place[cluster[joined.pairs["a"]]]
    by_cluster = np.argsort(of_pairs, kind="stable")
    bounds = np.searchsorted(of_pairs[by_cluster], np.arange(len(parts) + 1))
    naming, clusters = _Naming(documents, kept, bits, numbers), list[Cluster]()
    # Pairs are objects for a moment only: a million of them take 300 MB.
    for first in range(0, len(parts), _AT_ONCE):
        ends = bounds[first : first + _AT_ONCE + 1]
        pairs = joined.pairs.take(by_cluster[ends[0] : ends[-1]]).each()
        slices = pairwise((ends - ends[0]).tolist())
        for part, (low, high) in zip(parts[first : first + _AT_ONCE], slices, strict=True):
            number = len(clusters) + 1
            clusters.append(naming.cluster(number, part, pairs[low:high], order[part]))
    return tuple(clusters)


class _Naming:
    """Turns rows into clusters, which have names."""

    def __init__(
        self,
        documents: Documents,
        kept: I64,
        bits: int,
        numbers: Sequence[int],
    ) -> None:
        self._documents = documents
        self._kept = kept
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

    def cluster(
        self, number: int, rows: RowIds, listed: Sequence[DocumentPair], order: I64
    ) -> Cluster:
        """Return the cluster of some rows, as they are ordered, with its pairs.

        If the order of keeping is not that of input, it has it: of two, nothing is left but a pair.
        """
        pairs = {(pair.a, pair.b): pair for pair in listed}
        digits = to_hex(self._documents["fingerprint"][rows], self._bits)
        each = zip(rows.tolist(), self._kept[rows].tolist(), digits, strict=True)
        members = (self._member(row, kept, pairs, value) for row, kept, value in each)
        reordered = len(rows) > 2 and bool((np.diff(order) < 0).any())
        places = tuple(np.argsort(order).tolist()) if reordered else ()
        return Cluster(number, tuple(members), tuple(self._pairs(listed)), places)

    def _member(
        self,
        document: int,
        kept: int,
        pairs: Mapping[tuple[int, int], DocumentPair],
        digits: str,
    ) -> Member:
        """Return a document as a member of its cluster; `kept` took it, if it is another one."""
        name, number = self._names[document], self._numbers[document]
        fingerprint = None if self._wordless[document] else digits
        if kept == document:
            return Member(name, "kept", fingerprint, None, kept=name, number=number, beside=number)
        pair = pairs[min(document, kept), max(document, kept)]
        measures = pair.measures.of_side(document == pair.b)
        return Member(
            name, "redundant", fingerprint, self._distance(pair), self._estimated(pair), False,
            *measures, self._kind(pair),
            self._names[kept], number, self._numbers[kept],
        )  # fmt: skip

    def _pairs(self, pairs: Sequence[DocumentPair]) -> Iterator[Pair]:
        """Yield pairs as results name them."""
        names, documents = self._names, self._documents
        for pair in pairs:
            a, b = pair.a, pair.b
            exact = "digest" in documents and not self._indexed[a]
            exact = exact and bool(documents["digest"][a] == documents["digest"][b])
            yield Pair(
                names[a], names[b], self._distance(pair), exact, self._estimated(pair), False,
                *pair.measures.of_pair, self._kind(pair),
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
