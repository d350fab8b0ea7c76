"""Clusters, roles, figures and counts of a scan, compared with those of all pairs.

A scan may have missed pairs that its searches find with a probability only: `Explanation`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import simdup
from lab.breaking.brute_cases import Compared
from lab.oracles import plain
from lab.oracles.brute_force import BruteForce, Cluster, Member
from simdup.model.decisions import Decisions

# Pairs of a large cluster of which it is asked whether a search proposes them, and ways to explain
# the cluster by those that none proposes.
MOST_ASKED, MOST_EXPLANATIONS = 300, 2000

Pairs = set[tuple[int, int]]
Shape = list[list[tuple[str, str, str]]]


class ComparedScan(Compared):
    """A corpus that is scanned, and cleaned."""

    def compare(self) -> None:
        """Compare everything that a result says."""
        self.truth = self.oracle()
        self.found = self.scan()
        self.explanation = Explanation(self, self.truth, self.found)
        self.counts["near-duplicates"] += len(self.truth.pairs)
        self.counts["clusters"] += len(self.found.clusters)
        loosely = self._check_clusters()
        self._check_summary(loosely)
        self._check_lists()
        if self.case.seed % 3 == 0 and not loosely and not self.explanation.many:
            self._check_dedupe()

    @property
    def pairs(self) -> Pairs:
        """The pairs that were found."""
        return self.truth.pairs - self.explanation.misses

    def _check_clusters(self) -> bool:
        """Compare clusters; return whether they could be compared loosely only."""
        expected = self.explanation.clusters
        right, found = self.explanation.shape(expected), shape_of(self.found)
        if right != found:
            if self.explanation.is_consistent():
                self.counts["large clusters with missed pairs"] += 1
                return True
            self.wrong.append(_difference(right, found))
            return False
        for cluster, one in zip(self.found.clusters, expected, strict=True):
            for member, right_one in zip(cluster.members, one.members, strict=True):
                if not self.documents[right_one.place].reference and member.role != "kept":
                    self._check_member(member, right_one)
            self._check_pairs(cluster, one)
        return False

    def _check_member(self, member: Any, right: Member) -> None:
        figures = self.truth.figures(right.place, right.beside)
        self.check_figures(f"{member.name} beside its kept one", figures, member)
        contained = figures.contained
        if contained in ("a", "b"):
            this = (contained == "a") == (right.place < right.beside)
            contained = "document" if this else "kept"
        what = f"{member.name}: contained is {member.contained}, not {contained}"
        self.check(member.contained == contained, what)

    def _check_pairs(self, cluster: simdup.Cluster, right: Cluster) -> None:
        ordered = [self.pair(pair) for pair in cluster.pairs]
        number = f"cluster {cluster.number}"
        self.check(ordered == sorted(ordered), f"{number}: order of pairs")
        for pair, (i, j) in zip(cluster.pairs, ordered, strict=True):
            both = f"{pair.a} and {pair.b}"
            self.check(i < j, f"{both} are not in input order")
            if (i, j) not in self.truth.pairs:
                self.wrong.append(f"{both} are listed and no pair: {pair}")
                continue
            figures = self.truth.figures(i, j)
            self.check_figures(both, figures, pair)
            self.check(pair.exact == figures.exact, f"{both}: exact {pair.exact}")
            self.check(pair.contained == figures.contained, f"{both}: {pair.contained}")
        inside = {pair for pair in self.pairs if {*pair} <= {*right.places}}
        if not cluster.complete:
            self.counts["large clusters"] += 1
            every = self.truth.settings.all_pairs
            self.check(not every, f"{number} is not complete with all_pairs")
            self._check_large(number, right, inside, set(ordered))
        elif self.truth.settings.across:
            # Which pairs of copies are listed is not said where groups decide.
            self.check(inside >= set(ordered), f"{number}: pairs: {_only(inside, ordered)}")
        else:
            expected = self.truth.listed(inside)
            self.check(expected == set(ordered), f"{number}: pairs: {_only(expected, ordered)}")

    def _check_large(self, number: str, right: Cluster, inside: Pairs, listed: Pairs) -> None:
        """Check that each document but the kept one lists one pair.

        It is the pair with the kept one, else the first in input order; but one that is found with
        a probability may have been missed.
        """
        kept = right.places[0]
        self.check(len(listed) < len(right.places), f"{number}: {len(listed)} pairs")
        for place in right.places[1:]:
            allowed = []
            partners = sorted(i + j - place for i, j in inside if place in (i, j))
            for partner in sorted(partners, key=lambda one: one != kept):
                allowed.append((min(place, partner), max(place, partner)))
                if self.truth.is_certain(*allowed[-1]):
                    break
            what = f"{number}: {self.documents[place].name}: none of {allowed[:4]} is listed"
            self.check(not listed.isdisjoint(allowed), what)

    def _check_summary(self, loosely: bool) -> None:
        found, summary, settings = self.found, self.found.summary, self.truth.settings
        count = len(self.documents)
        pairs = count * (count - 1) // 2
        roles = Counter(member.role for one in found.clusters for member in one.members)
        rights = {
            "documents": count, "clusters": len(found.clusters), "redundant": roles["redundant"],
            "linked": roles["linked"], "pairs": len(found.pairs),
        }  # fmt: skip
        loosely = loosely or self.explanation.many
        if settings.linkage == "single" and not settings.decisions and not loosely:
            stars = self.oracle(linkage="star").clusters(self.pairs)
            rights["star_redundant"] = sum(len(one.members) - 1 for one in stars)
        for name, right in rights.items():
            number = getattr(summary, name)
            self.check(number == right, f"summary: {name} is {number}, not {right}")
        most = f"{summary.candidates} candidates of {pairs} pairs, {summary.unchecked} unchecked"
        self.check(summary.candidates + summary.unchecked <= pairs, most)
        # In large clusters copies list pairs that need no check.
        if all(one.complete for one in found.clusters):
            self.check(summary.pairs <= summary.candidates, f"{most}, {summary.pairs} listed")
        for name, number in summary.candidates_by.items():
            self.check(number <= summary.candidates, f"{most}, {name} {number}")

    def _check_lists(self) -> None:
        found = self.found
        names = [one.name for one in self.documents if not one.reference]
        members = [member for one in found.clusters for member in one.members]
        gone = {member.name for member in members if member.role == "redundant"}
        inside = {member.name for member in members}
        self.check(found.redundant == [one for one in names if one in gone], "Result.redundant")
        self.check(found.unique == [one for one in names if one not in inside], "Result.unique")
        self.check(found.kept == [one for one in names if one in inside - gone], "Result.kept")

    def _check_dedupe(self) -> None:
        """Compare what `dedupe` leaves out with what stars make redundant."""
        star = self.oracle(linkage=self.case.criteria.get("linkage", "star"))
        cleaned = simdup.dedupe([row.record() for row in self.case.rows], **self.keywords())
        names = [one.name for one in self.documents]
        right = {
            names[member.place]: names[member.beside]
            for cluster in star.clusters(self.pairs, self.explanation.large)
            for member in cluster.members
            if member.role == "redundant"
        }
        removed = {one.document: one.kept for one in cleaned.removed}
        self.counts["dedupes"] += 1
        if right != removed:
            self.wrong.append(f"dedupe: {_only(right.items(), removed.items())}")
            return
        rows = [row.name for row in self.case.rows]
        stays = [name for name in rows if name not in removed]
        self.check([row["id"] for row in cleaned.data] == stays, "dedupe: what stays")
        for one in cleaned.removed:
            figures = star.figures(self.places[one.document], self.places[one.kept])
            reason = "exact copy" if figures.exact else "near-duplicate"
            self.check(one.reason == reason, f"dedupe: {one.document}: {one.reason}")
            self.check_figures(f"dedupe: {one.document}", figures, one)


def _only(right: Iterable[Any], said: Iterable[Any]) -> str:
    """Return what one lacks and what it has more."""
    right, said = set(right), set(said)
    lacks, more = sorted(right - said, key=str), sorted(said - right, key=str)
    return f"lacks {lacks[:4]} ({len(lacks)}), has {more[:4]} ({len(more)})"


def _difference(right: Shape, said: Shape) -> str:
    """Return how clusters differ: in their documents, their order or their roles."""
    groups = [{name for name, *_ in one} for one in right]
    others = [{name for name, *_ in one} for one in said]
    if sorted(map(sorted, groups)) != sorted(map(sorted, others)):
        return f"clusters: {_only(map(_sorted, groups), map(_sorted, others))}"
    if groups != others:
        return f"order of clusters: {[len(g) for g in groups]}"
    right_roles = [one for cluster in right for one in cluster]
    said_roles = [one for cluster in said for one in cluster]
    return f"roles: {_only(right_roles, said_roles)}"


def _sorted(group: set[str]) -> tuple[str, ...]:
    return tuple(sorted(group))


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
        if self.shape(self.clusters) == shape_of(found):
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
            if self.shape(without) == shape_of(self._found):
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
        # A copy lists no pairs of its own: it lacks those of the document that it is a copy of.
        same = self._truth.texts
        missed = {frozenset((same[i], same[j])) for i, j in unlisted}
        return {(i, j) for i, j in self.uncertain if frozenset((same[i], same[j])) in missed}

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


def shape_of(found: simdup.Result) -> Shape:
    """Return the shape of a result."""
    shape = []
    for cluster in found.clusters:
        names = {member.number: member.name for member in cluster.members}
        shape.append([(m.name, m.role, names.get(m.beside, "?")) for m in cluster.members])
    return shape
