"""What a scan may have missed: pairs that its searches find with a probability only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import simdup
from lab.breaking.brute_cases import Compared
from lab.oracles import plain
from lab.oracles.brute_force import BruteForce, Cluster
from simdup.model.decisions import Decisions

# Pairs of a large cluster of which it is asked whether a search proposes them, and ways to explain
# the cluster by those that none proposes.
MOST_ASKED, MOST_EXPLANATIONS = 300, 2000

Pairs = set[tuple[int, int]]
Shape = list[list[tuple[str, str, str]]]


class Explanation:
    """The clusters of the pairs that were found: of all, or all but some uncertain ones.

    Attributes
    ----------
    misses : set of (int, int)
        The pairs that were missed.
    clusters : list of Cluster
        The clusters without them.
    """

    def __init__(self, one: Compared, truth: BruteForce, found: simdup.Result) -> None:
        self._one, self._truth, self._found = one, truth, found
        self.uncertain = {pair for pair in truth.pairs if not truth.is_certain(*pair)}
        self.misses: Pairs = set()
        self.large = self._large_places()
        self.clusters = truth.clusters(truth.pairs, self.large)
        one.uncertain.update(self._classes(self.uncertain))
        if not self.uncertain:
            return
        if self.shape(self.clusters) == said(found):
            # They are the same without what is not listed.
            self.misses = self._unlisted()
        else:
            self._explain()
        one.missed.update(self._classes(self.misses))

    def _large_places(self) -> frozenset[int]:
        """Return the documents of large clusters, before decisions divide them."""
        if not self._truth.settings.decisions:
            return frozenset()
        whole = self._one.scan(decisions=Decisions())
        large = (one for one in whole.clusters if not one.complete)
        return frozenset(self._one.places[member.name] for one in large for member in one.members)

    def _classes(self, pairs: Pairs) -> Counter[str]:
        return Counter(class_of(self._truth, *pair) for pair in pairs)

    def shape(self, clusters: list[Cluster]) -> Shape:
        """Return names, roles, and the kept one of each document, cluster by cluster."""
        names = [one.name for one in self._one.documents]
        return [
            [(names[m.place], m.role, names[m.beside]) for m in cluster.members]
            for cluster in clusters
        ]

    def _explain(self) -> None:
        for misses in self._explanations():
            without = self._truth.clusters(self._truth.pairs - misses, self.large)
            if self.shape(without) == said(self._found):
                self.misses, self.clusters = misses, without
                return

    def _explanations(self) -> Iterator[Pairs]:
        """Yield what may have been missed: what is not listed, and what no search proposes."""
        missed = self._missed()
        yield missed
        if all(cluster.complete for cluster in self._found.clusters):
            return
        # A large cluster does not list all of its pairs.
        if self.many:
            return
        beyond = sorted(p for p in self.uncertain - missed if not self._one.is_proposed(*p))
        yield missed | set(beyond)
        for count in range(1, 4):
            if len(beyond) ** count <= MOST_EXPLANATIONS:
                for some in combinations(beyond, count):
                    yield missed | set(some)
                    yield missed | (set(beyond) - set(some))

    @property
    def many(self) -> bool:
        """Whether a large cluster may lack more pairs than it can be asked for."""
        large = not all(cluster.complete for cluster in self._found.clusters)
        return large and len(self.uncertain) > MOST_ASKED

    def _unlisted(self) -> Pairs:
        """Return the uncertain pairs that a cluster should list, and does not."""
        unlisted: Pairs = set()
        for cluster in () if self._truth.settings.across else self._found.clusters:
            if cluster.complete:
                inside = {self._one.places[member.name] for member in cluster.members}
                right = self._truth.listed(p for p in self.uncertain if {*p} <= inside)
                unlisted |= right - {self._one.pair(pair) for pair in cluster.pairs}
        return unlisted

    def _missed(self) -> Pairs:
        """Return the uncertain pairs that a scan with single linkage does not list."""
        settings, plainly = self._truth.settings, self._found
        if settings.linkage != "single" or settings.decisions:
            plainly = self._one.scan(linkage="single", decisions=Decisions())
        same = self._truth.texts
        listed = {frozenset((same[i], same[j])) for i, j in map(self._one.pair, plainly.pairs)}
        large = {
            self._one.places[member.name]
            for cluster in plainly.clusters
            if not cluster.complete
            for member in cluster.members
        }
        documents = self._one.documents
        return {
            (i, j)
            for i, j in self.uncertain
            if frozenset((same[i], same[j])) not in listed
            and not {i, j} <= large
            and not (documents[same[i]].reference and documents[same[j]].reference)
        }

    def is_consistent(self) -> bool:
        """Whether clusters hold together by pairs, and lack none that is found for sure.

        That is what can be said of large clusters of which pairs were missed.
        """
        truth, places = self._truth, self._one.places
        if not self.uncertain or all(one.complete for one in self._found.clusters):
            return False
        cluster_of = {}
        for cluster in self._found.clusters:
            inside = {places[member.name] for member in cluster.members}
            cluster_of.update(dict.fromkeys(inside, cluster.number))
            numbers = {member.number: member.name for member in cluster.members}
            for member in cluster.members:
                pair = sorted((places[member.name], places[numbers[member.beside]]))
                if member.role == "redundant" and tuple(pair) not in truth.pairs:
                    return False
            among = {pair for pair in truth.joining(truth.pairs) if {*pair} <= inside}
            if plain.groups(among) != {frozenset(inside)}:
                return False
        if truth.settings.linkage == "star" or truth.settings.decisions:
            return True
        return all(
            i in cluster_of and cluster_of[i] == cluster_of.get(j)
            for i, j in truth.joining(truth.pairs)
            if truth.is_certain(i, j)
        )


def class_of(truth: BruteForce, i: int, j: int) -> str:
    """Return the class of pairs whose recall is counted together."""
    figures, settings = truth.figures(i, j), truth.settings
    method = settings.method
    if settings.containment is not None:
        return f"{method}, containment"
    if method == "pstable" or not settings.least:
        return f"{method}, cosine"
    if settings.least < 0.2:
        return f"{method}, -s below 0.2"
    if figures.measure == "jaccard":
        return f"{method}, jaccard"
    least = next(some for some in (0.8, 0.5, 0.2) if settings.least >= some)
    return f"{method}, edit, -s from {least}"


def said(found: simdup.Result) -> Shape:
    """Return the shape of a result."""
    shape = []
    for cluster in found.clusters:
        names = {member.number: member.name for member in cluster.members}
        shape.append([(m.name, m.role, names.get(m.beside, "?")) for m in cluster.members])
    return shape
