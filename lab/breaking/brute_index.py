"""Queries and scans against an index, which knows sketches: figures within their error."""

from __future__ import annotations

import math
from typing import Any

import simdup
from lab.breaking.brute_cases import CLOSE, Compared
from lab.oracles.brute_force import FEW_TERMS
from simdup.model.reading import Reading
from simdup.model.settings import RunOptions

# The standard error of an estimated similarity s is sqrt(s (1 - s) / SKETCH): 0.035 at 0.8.
SKETCH, SIGMAS = 128, 6


class ComparedIndex(Compared):
    """A corpus whose references are an index."""

    def compare(self) -> None:
        """Compare a query, and a scan beside the index, with all pairs."""
        self.truth = self.oracle()
        self.known = sum(one.reference for one in self.documents)
        path = str(self.folder / "known.index")
        reading, run = Reading(id_field="id"), RunOptions(jobs=1)
        names = ("distance", "similarity", "verify", "method")
        given = {name: self.case.criteria[name] for name in names if name in self.case.criteria}
        rows, asked = self.case.references, self.case.rows
        records = [row.record() for row in rows]
        with simdup.Index.build(path, records, reading=reading, run=run) as index:
            records = [row.record() for row in asked]
            for found in index.query(records, reading=reading, run=run, **given):
                if found.document in self.places:
                    self._check_matches(found)
        self.found = self.scan(references=[path])
        self._check_members()
        self._check_clusters()

    def _error(self, likeness: float) -> float:
        return SIGMAS * math.sqrt(likeness * (1 - likeness) / SKETCH) + CLOSE

    def _check_matches(self, found: Any) -> None:
        """Compare the matches of one document with all documents of the index."""
        self.counts["queries"] += 1
        matches = {self.places[one.document]: one for one in found.matches}
        self.check(len(matches) == len(found.matches), f"query: {found.document}: one twice")
        values = [one.similarity for one in found.matches if one.similarity is not None]
        self.check(values == sorted(values, reverse=True), f"query: {found.document}: order")
        j = self.places[found.document]
        for i in range(self.known):
            both = f"query: {self.documents[i].name} and {found.document}"
            allowed, sure = self._may_match(i, j)
            if sure:
                self.check(i in matches, f"{both}: no match")
            elif allowed:
                self._count_uncertain(i, j, i in matches)
            if i in matches:
                self.check(allowed, f"{both}: {matches[i]}, is {self.truth.sketched(i, j)}")
                self._check_estimate(both, matches[i], i, j)

    def _may_match(self, i: int, j: int) -> tuple[bool, bool]:
        """Return whether a document may match one of the index, and whether it must."""
        settings = self.truth.settings
        distance, exact = self.truth.sketched(i, j)
        near, same = distance <= settings.distance, self.truth.is_copy(i, j)
        few = min(self.documents[place].terms for place in (i, j)) < FEW_TERMS
        allowed = same or not few
        if settings.by_fingerprints_alone:
            return allowed and near, allowed and near
        if settings.method == "simhash":
            allowed &= near
        likeness = float(exact)
        error = self._error(likeness)
        sure = same or (allowed and near and likeness - error >= settings.least)
        return allowed and likeness + error >= settings.least, sure

    def _count_uncertain(self, i: int, j: int, found: bool) -> None:
        """Count a pair that no fingerprint proposes, but is above what an estimate may err."""
        likeness = float(self.truth.sketched(i, j)[1])
        method = self.truth.settings.method
        if method != "simhash" and likeness - self._error(likeness) >= self.truth.settings.least:
            self.uncertain["index"] += 1
            self.missed["index"] += not found

    def _check_estimate(self, both: str, said: Any, i: int, j: int) -> None:
        self.counts["figures"] += 1
        distance, exact = self.truth.sketched(i, j)
        likeness, settings = float(exact), self.truth.settings
        self.check(said.distance == distance, f"{both}: distance {said.distance}, not {distance}")
        if said.similarity is None:
            self.check(not settings.verify, f"{both}: no estimate")
            return
        close = abs(said.similarity - likeness) <= self._error(likeness)
        self.check(close, f"{both}: estimated {said.similarity}, is {likeness}")
        enough = not settings.verify or said.similarity >= settings.least
        self.check(enough, f"{both}: estimated {said.similarity}")

    def _check_members(self) -> None:
        """Compare each member of a cluster with the kept one that its figures refer to."""
        for cluster in self.found.clusters:
            names = {member.number: member.name for member in cluster.members}
            for member in cluster.members:
                place, other = self.places[member.name], self.places[names[member.beside]]
                both = f"index: {names[member.beside]} and {member.name}"
                if place < self.known:
                    self.check(member.role == "kept", f"index: {member.name} is {member.role}")
                elif other < self.known and member.role == "redundant":
                    self._check_beside_known(both, member, other, place)
                    self._check_numbers(both, other, place)
                elif place != other and other >= self.known:
                    pair = self.truth.is_pair(other, place)
                    right = "redundant" if pair else "linked"
                    self.check(member.role == right, f"{both}: {member.role}, not {right}")
                    self.check_figures(both, self.truth.figures(other, place), member)

    def _check_beside_known(self, both: str, member: Any, known: int, place: int) -> None:
        """Compare with an estimate; or exactly, where a copy in the delivery replaces the text."""
        exact = self.truth.figures(known, place).similarity
        copies = self.truth.texts.count(self.truth.texts[known]) > 1
        same = exact is not None and member.similarity is not None
        if not (copies and same and abs(float(exact or 0) - member.similarity) < CLOSE):
            self._check_estimate(both, member, known, place)

    def _check_numbers(self, both: str, known: int, place: int) -> None:
        """Check that a short text with numbers is redundant beside the same one only."""
        truth = self.truth
        short = truth.by_edit(place, place) and truth.settings.numbers and truth.settings.least
        if short and truth.numbers[place]:
            same = truth.compact[known] == truth.compact[place]
            self.check(same, f"{both}: numbers {truth.numbers[place]}")

    def _check_clusters(self) -> None:
        """Check that copies are redundant, and that what is found for sure is together."""
        truth, known = self.truth, self.known
        cluster_of = {
            self.places[member.name]: cluster.number
            for cluster in self.found.clusters
            for member in cluster.members
        }
        for j in range(known, len(self.documents)):
            name = self.documents[j].name
            copy = any(truth.is_copy(i, j) for i in range(known))
            self.check(not copy or name in self.found.redundant, f"index: {name} is a copy")
        if truth.settings.linkage == "star" or truth.settings.decisions:
            return
        for i, j in truth.pairs:
            if i >= known and truth.is_certain(i, j):
                together = i in cluster_of and cluster_of[i] == cluster_of.get(j)
                self.check(together, f"index: {i} and {j} are apart")
