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

from simdup.clustering.linkage import components

NamePair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """Pairs and clusters of near-duplicates, as one side labels them."""

    pairs: frozenset[NamePair]  # names in their order, the smaller first
    clusters: tuple[tuple[str, ...], ...]  # names; each in at most one cluster, none alone

    @property
    def names(self) -> frozenset[str]:
        """The documents that are in a pair."""
        return frozenset(name for cluster in self.clusters for name in cluster)


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
    different = {_ordered(a, b) for a, b in pairs if a != b}
    groups = _components(copies)
    copies_of = {name: group for group in groups for name in group}
    joined = set(different)
    for a, b in different:
        ours, theirs = copies_of.get(a, (a,)), copies_of.get(b, (b,))
        if ours is not theirs and len(ours) * len(theirs) > 1:
            joined |= {_ordered(one, other) for one in ours for other in theirs}
    joined |= {pair for group in groups for pair in _pairs_within(group)}
    return LabelledPairs(frozenset(joined), tuple(_components(joined)))


def from_clusters(clusters: Iterable[Iterable[str]]) -> LabelledPairs:
    """Return the labels that clusters give: all pairs within a cluster."""
    members = [tuple(dict.fromkeys(cluster)) for cluster in clusters]
    pairs = {pair for cluster in members for pair in _pairs_within(cluster)}
    return LabelledPairs(frozenset(pairs), tuple(one for one in members if len(one) > 1))


def measure(found: LabelledPairs, truth: LabelledPairs) -> Evaluation:
    """Return how well `found` agrees with `truth`."""
    from sklearn.metrics import adjusted_rand_score

    both = len(found.pairs & truth.pairs)
    ours, theirs = _labels(found.clusters), _labels(truth.clusters)
    names = sorted(ours.keys() | theirs.keys())
    # A document in no cluster is a cluster by itself; negative numbers are free.
    labels = [(ours.get(name, -i), theirs.get(name, -i)) for i, name in enumerate(names, 1)]
    bcubed_precision, bcubed_recall = _bcubed(labels)
    return Evaluation(
        documents=len(names),
        found_pairs=len(found.pairs),
        true_pairs=len(truth.pairs),
        both_pairs=both,
        precision=_share(both, len(found.pairs)),
        recall=_share(both, len(truth.pairs)),
        f1=_share(2 * both, len(found.pairs) + len(truth.pairs)),
        found_clusters=len(found.clusters),
        true_clusters=len(truth.clusters),
        adjusted_rand=float(adjusted_rand_score(*zip(*labels, strict=True))) if labels else 1.0,
        bcubed_precision=bcubed_precision,
        bcubed_recall=bcubed_recall,
        bcubed_f1=_share(2 * bcubed_precision * bcubed_recall, bcubed_precision + bcubed_recall),
    )


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
    """Return the number of each document's cluster."""
    return {name: number for number, cluster in enumerate(clusters) for name in cluster}


def _ordered(a: str, b: str) -> NamePair:
    return (a, b) if a < b else (b, a)


def _pairs_within(cluster: Sequence[str]) -> set[NamePair]:
    return {_ordered(a, b) for place, a in enumerate(cluster) for b in cluster[:place]}


def _components(pairs: Iterable[NamePair]) -> list[tuple[str, ...]]:
    numbers: dict[str, int] = {}
    joined = [
        (numbers.setdefault(a, len(numbers)), numbers.setdefault(b, len(numbers)))
        for a, b in sorted(pairs)
    ]
    names = list(numbers)
    return [tuple(names[i] for i in group) for group in components(joined)]
