"""Measure how well found near-duplicates agree with known ones.

Pairs are judged one by one: precision is the share of found pairs that are true, recall the share
of true pairs that are found, F1 their harmonic mean.  Clusters are judged as partitions of the
documents: the adjusted Rand index, scikit-learn's, counts pairs of documents that both partitions
join or both separate, less what chance would give; B-cubed asks for each document how much of its
found cluster truly belongs with it (precision), and how much of its true cluster was found with it
(recall).

The documents are those that either side names.  A document in no pair is a cluster by itself.

References
----------
L. Hubert, P. Arabie, "Comparing partitions", Journal of Classification 2 (1985).
A. Bagga, B. Baldwin, "Entity-based cross-document coreferencing using the vector space model",
COLING 1998: B-cubed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any

import numpy as np

from simdup.near.clusters import components

NamePair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """Pairs of near-duplicates, as one side labels them.

    Documents with the same partners share a group, so a cluster of m documents takes O(m).

    Attributes
    ----------
    groups : tuple of tuple of str
        Names; each is in one group.
    links : frozenset of (int, int)
        Groups, the smaller number first: each document of one is a pair with each of the other.
        A link of a group with itself joins all its documents.
    """

    groups: tuple[tuple[str, ...], ...] = ()
    links: frozenset[tuple[int, int]] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The documents that are in a pair."""
        return frozenset(chain.from_iterable(self.groups))

    def count_pairs(self) -> int:
        """Return how many pairs there are, without listing them."""
        sizes = [len(group) for group in self.groups]
        return sum(
            sizes[a] * (sizes[a] - 1) // 2 if a == b else sizes[a] * sizes[b] for a, b in self.links
        )

    @property
    def clusters(self) -> list[tuple[str, ...]]:
        """The names that pairs connect, by cluster."""
        return [
            tuple(chain.from_iterable(self.groups[group] for group in linked))
            for linked in components(self.links)
        ]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The measures: shares from 0 to 1, except the Rand index, which may be negative."""

    documents: int  # how many documents either side names
    found_pairs: int
    true_pairs: int
    both_pairs: int  # those in both
    # Of pairs.  If nothing was found, precision is 1; if nothing is true, recall is 1.
    precision: float
    recall: float
    f1: float
    found_clusters: int  # of two documents or more
    true_clusters: int  # likewise
    adjusted_rand: float  # 1 for equal partitions, about 0 for unrelated ones
    # Means over documents.
    bcubed_precision: float
    bcubed_recall: float
    bcubed_f1: float


def from_pairs(pairs: Iterable[NamePair], copies: Iterable[NamePair] = ()) -> LabelledPairs:
    """Return the labels that pairs in any order give; clusters are what they connect.

    Some of the pairs are copies of each other: what one is a pair with, so is the other.  A
    document does not pair with itself.
    """
    numbers: dict[str, int] = {}
    joined = [_numbered(pair, numbers) for pair in pairs if pair[0] != pair[1]]
    same = [_numbered(pair, numbers) for pair in copies if pair[0] != pair[1]]
    names = list(numbers)
    members = components([*same, *((number, number) for number in range(len(names)))])
    group_of = {number: group for group, among in enumerate(members) for number in among}
    links = {(group, group) for group, among in enumerate(members) if len(among) > 1}
    for a, b in joined:
        ours, theirs = group_of[a], group_of[b]
        links.add((min(ours, theirs), max(ours, theirs)))
    groups = tuple(tuple(names[number] for number in among) for among in members)
    return LabelledPairs(groups, frozenset(links))


def from_clusters(clusters: Iterable[Iterable[str]]) -> LabelledPairs:
    """Return the labels that clusters give: all pairs within a cluster."""
    members = [tuple(dict.fromkeys(cluster)) for cluster in clusters]
    members = [cluster for cluster in members if len(cluster) > 1]
    if len(set(chain.from_iterable(members))) < sum(map(len, members)):
        # The partners of a document in two clusters need not be pairs of each other.
        return from_pairs(pair for cluster in members for pair in combinations(cluster, 2))
    return LabelledPairs(tuple(members), frozenset((i, i) for i in range(len(members))))


def _numbered(pair: NamePair, numbers: dict[str, int]) -> tuple[int, int]:
    a, b = (numbers.setdefault(name, len(numbers)) for name in pair)
    return a, b


def measure(found: LabelledPairs, truth: LabelledPairs) -> Evaluation:
    """Return how well `found` agrees with `truth`."""
    from sklearn.metrics import adjusted_rand_score

    found_pairs, true_pairs = found.count_pairs(), truth.count_pairs()
    both = _common_pairs(found, truth)
    found_clusters, true_clusters = found.clusters, truth.clusters
    ours, theirs = _labels(found_clusters), _labels(true_clusters)
    names = sorted(ours.keys() | theirs.keys())
    # A document in no cluster is a cluster by itself; negative numbers are free.
    labels = [(ours.get(name, -i), theirs.get(name, -i)) for i, name in enumerate(names, 1)]
    bcubed_precision, bcubed_recall = _bcubed(labels)
    return Evaluation(
        documents=len(names),
        found_pairs=found_pairs,
        true_pairs=true_pairs,
        both_pairs=both,
        precision=_share(both, found_pairs),
        recall=_share(both, true_pairs),
        f1=_share(2 * both, found_pairs + true_pairs),
        found_clusters=len(found_clusters),
        true_clusters=len(true_clusters),
        adjusted_rand=float(adjusted_rand_score(*zip(*labels, strict=True))) if labels else 1.0,
        bcubed_precision=bcubed_precision,
        bcubed_recall=bcubed_recall,
        bcubed_f1=_share(2 * bcubed_precision * bcubed_recall, bcubed_precision + bcubed_recall),
    )


def _common_pairs(one: LabelledPairs, other: LabelledPairs) -> int:
    """Return how many pairs both sides have, without listing the pairs of a group.

    Let C count the documents of each group of one side in each of the other, and let A and B be
    the matrices of links.  The sum of (A C) times (C B), cell by cell, counts each common pair
    twice, and each document that is linked with itself on both sides once.
    """
    from scipy import sparse

    mine, theirs = _labels(one.groups), _labels(other.groups)
    shared = sorted(mine.keys() & theirs.keys())
    rows, columns = [mine[name] for name in shared], [theirs[name] for name in shared]
    shape = len(one.groups), len(other.groups)
    cells = sparse.csr_array((np.ones(len(shared), np.int64), (rows, columns)), shape)
    ours, others = _matrix(one), _matrix(other)
    twice = ((ours @ cells) * (cells @ others)).sum()
    alone = ours.diagonal() @ cells @ others.diagonal()
    return int(twice - alone) // 2


def _matrix(side: LabelledPairs) -> Any:
    """Return the links of a side as a symmetric matrix of zeros and ones."""
    from scipy import sparse

    both_ways = side.links | {(b, a) for a, b in side.links}
    rows, columns = np.array(sorted(both_ways), np.int64).reshape(-1, 2).T
    ones = np.ones(len(rows), np.int64)
    return sparse.csr_array((ones, (rows, columns)), (len(side.groups),) * 2)


def _bcubed(labels: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return B-cubed precision and recall of documents labelled by both sides."""
    rows = Counter(row for row, _ in labels)
    columns = Counter(column for _, column in labels)
    cells = Counter(labels).items()
    precise = sum(count**2 / rows[row] for (row, _), count in cells)
    complete = sum(count**2 / columns[column] for (_, column), count in cells)
    return _share(precise, len(labels)), _share(complete, len(labels))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _labels(clusters: Sequence[tuple[str, ...]]) -> dict[str, int]:
    """Return the number of each document's cluster or group."""
    return {name: number for number, cluster in enumerate(clusters) for name in cluster}
