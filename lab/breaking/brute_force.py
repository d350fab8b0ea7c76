"""Made corpora, scanned by all methods and settings, compared with all pairs one by one."""

from __future__ import annotations

import json
import logging
import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jieba

import simdup
from lab.breaking.brute_corpora import Case, Row, make
from lab.corpora.made import simplified_characters
from lab.oracles import plain
from lab.oracles.brute_force import (
    FEW_TERMS,
    BruteForce,
    Cluster,
    Document,
    Figures,
    Member,
    Settings,
)
from lab.reporting import Cell, Table
from lab.trial import Trial, say
from simdup.model.decisions import Decision, Decisions
from simdup.model.settings import Reading, RunOptions

SMALL, FULL = 18, 2000
PROCESSES = 2
# What `docs/methods.md` and the page on the index promise.
PROMISED = {
    "auto, jaccard": 0.998, "minhash, jaccard": 0.998, "pstable, cosine": 0.998,
    "auto, edit, -s from 0.8": 0.99, "minhash, edit, -s from 0.8": 0.99, "index": 0.99,
}  # fmt: skip
# A text with more words has the three terms that it needs: few are function words.
MANY_WORDS = 8
# What rounding may change in a similarity.
CLOSE = 1e-9
# The standard error of an estimated similarity s is sqrt(s (1 - s) / SKETCH): 0.035 at 0.8.
SKETCH, SIGMAS = 128, 6
# Pairs of a large cluster of which it is asked whether a search proposes them, and ways to explain
# the cluster by those that none proposes.
MOST_ASKED, MOST_EXPLANATIONS = 300, 2000

Pairs = set[tuple[int, int]]
# Names, roles, and the kept one of each document, cluster by cluster.
Shape = list[list[tuple[str, str, str]]]


@dataclass
class Findings:
    """What became of one corpus."""

    case: Case
    wrong: list[str] = field(default_factory=list)  # differences, a line each
    counts: Counter[str] = field(default_factory=Counter)  # what was compared
    # Pairs that are found with a probability, and those that were missed, by their class.
    uncertain: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)


def run(trial: Trial) -> Iterator[Table]:
    """Compare made corpora with all pairs."""
    counts, uncertain, missed = Counter[str](), Counter[str](), Counter[str]()
    by_method: dict[str, Counter[str]] = defaultdict(Counter)
    started = time.monotonic()
    with ProcessPoolExecutor(PROCESSES) as pool:
        seeds = range(trial.pick(SMALL, FULL))
        for number, one in enumerate(pool.map(compare, seeds, chunksize=4), 1):
            for what in one.wrong:
                trial.fail(f"seed {one.case.seed}: {what}")
            counts += one.counts
            uncertain += one.uncertain
            missed += one.missed
            row = by_method[one.case.criteria["method"]]
            row.update(one.counts, failed=bool(one.wrong))
            if number % 100 == 0:
                say(f"{number} corpora, {time.monotonic() - started:.0f} s")
    names = ("corpora", "documents", "pairs compared", "near-duplicates", "clusters", "failed")
    rows: list[tuple[Cell, ...]] = [
        (method, *(row[name] for name in names)) for method, row in sorted(by_method.items())
    ]
    yield Table("Made corpora compared with all pairs", ("method", *names), rows)
    kinds = sorted(name for name in counts if name.startswith("with "))
    yield Table("What they had", ("corpora", "number"), [(k, counts[k]) for k in kinds])
    rows = []
    for name, count in sorted(uncertain.items()):
        recall, promised = 1 - missed[name] / count, PROMISED.get(name)
        rows.append((name, count, missed[name], recall, promised or "nothing"))
        if promised and recall < promised and trial.size == "full":
            trial.fail(f"recall of {name}: {recall:.4f}, not {promised}")
    columns = ("found with a probability", "pairs", "missed", "recall", "promised")
    yield Table("Recall", columns, rows)


def compare(seed: int) -> Findings:
    """Compare the corpus of a seed."""
    return judge(make(seed))


def judge(case: Case) -> Findings:
    """Compare a corpus with all pairs."""
    findings = Findings(case)
    kind = ComparedIndex if case.indexed else ComparedScan
    with TemporaryDirectory(prefix="brute-") as folder:
        try:
            kind(findings, Path(folder)).compare()
        except simdup.SimdupError as error:
            findings.wrong.append(f"error: {error}")
    return findings


# -- a corpus and its oracle -----------------------------------------------------------------------


class Compared:
    """A corpus that is compared with all pairs."""

    def __init__(self, findings: Findings, folder: Path) -> None:
        self.findings, self.counts = findings, findings.counts
        self.case = case = findings.case
        self.folder = folder
        self.documents = documents_of(case)
        self.places = {one.name: one.place for one in self.documents}
        self.truth = self.oracle()
        count = len(self.documents)
        self.counts.update(
            {"corpora": 1, "documents": count, "pairs compared": count * (count - 1) // 2}
        )
        what = [*case.kinds, *(name for name in case.criteria if name != "method")]
        what += ["decisions"] * bool(case.decisions)
        what += ["an index" if case.indexed else "references"] * bool(case.references)
        self.counts.update(f"with {one}" for one in what)

    def oracle(self, **changes: Any) -> BruteForce:
        """Return all pairs, for the settings of the case or others."""
        given = {**self.case.criteria, "decisions": self.case.decisions} | changes
        if "shingle" in given:
            given["shingle"] = str(given["shingle"])

        @cache
        def cosine(a: str, b: str) -> float:
            value = simdup.compare(a, b, cosine=0.5).measures.cosine
            assert value is not None
            return value

        return BruteForce(
            self.documents, Settings(**given), _simplified(), cut, cosine, titled=self.case.titled
        )

    def keywords(self) -> dict[str, Any]:
        """Return what `scan` and `dedupe` are given."""
        case = self.case
        given = case.criteria | {"jobs": 1, "reading": Reading(id_field="id")}
        if case.decisions:
            given["decisions"] = Decisions(tuple(Decision(*one) for one in case.decisions))
        if case.references:
            path = self.folder / "references.jsonl"
            path.write_text("\n".join(map(json.dumps, map(self.record, case.references))), "utf-8")
            given["references"] = [str(path)]
        return given

    def record(self, row: Row) -> dict[str, Any]:
        """Return a row as a record, which has a title only if titles are a field."""
        values = row._asdict()
        if not self.case.titled:
            del values["title"]
        return values

    def scan(self, **changes: Any) -> simdup.Result:
        """Scan the corpus."""
        return simdup.scan(list(map(self.record, self.case.rows)), **self.keywords() | changes)

    def is_proposed(self, i: int, j: int) -> bool:
        """Return whether a search proposes a pair."""
        names = ("method", "similarity", "distance", "shingle", "containment", "cosine")
        given = {name: self.case.criteria[name] for name in names if name in self.case.criteria}
        texts = (self.documents[place].text for place in (i, j))
        return bool(simdup.compare(*texts, **given).proposed_by)

    def pair(self, pair: simdup.Pair) -> tuple[int, int]:
        """Return the places of a pair's documents."""
        return self.places[pair.a], self.places[pair.b]

    def check(self, right: bool, what: str) -> None:
        """Note what is wrong."""
        if not right:
            self.findings.wrong.append(what)

    def same(self, what: str, said: Any, **rights: Any) -> None:
        """Note which attributes are not what they should be."""
        for name, right in rights.items():
            value = getattr(said, name)
            self.check(value == right, f"{what}: {name} is {value}, not {right}")

    def check_figures(self, what: str, right: Figures, said: Any) -> None:
        """Compare the figures of a pair, or of a member beside the kept one."""
        self.counts["figures"] += 1
        for name in ("distance", "similarity", "containment", "cosine"):
            one, other = getattr(right, name), getattr(said, name)
            same = one is other is None or (
                None not in (one, other) and abs(float(one) - other) < CLOSE
            )
            shown = one if one is None or isinstance(one, int) else float(one)
            self.check(same, f"{what}: {name} is {other}, not {shown}")
        self.same(what, said, measure=right.measure)


@cache
def _simplified() -> dict[int, int]:
    return simplified_characters()


def cut(run: str) -> list[str]:
    """Cut a run of Chinese characters as jieba does."""
    jieba.setLogLevel(logging.ERROR)
    words: list[str] = jieba.lcut(run)
    return words


def documents_of(case: Case) -> list[Document]:
    """Return those that take part: with a fingerprint."""
    documents: list[Document] = []
    rows = [*((row, True) for row in case.references), *((row, False) for row in case.rows)]
    for (name, text, *values), reference in rows:
        fingerprint = simdup.fingerprint(text)
        if fingerprint is not None:
            place, terms = len(documents), _terms(text)
            documents.append(Document(place, name, text, fingerprint, terms, *values, reference))
    return documents


@cache
def _terms(text: str) -> int:
    """Return how many terms a text has; of one with many words it only matters that it has some."""
    words = len(set(plain.words(plain.fold(text, _simplified()), cut)))
    return words if words > MANY_WORDS else len(simdup.compare(text, text).weights)


# -- an index: figures within the error of its sketches --------------------------------------------


class ComparedIndex(Compared):
    """A corpus whose references are an index."""

    def compare(self) -> None:
        """Compare a query, and a scan beside the index, with all pairs."""
        self.known = sum(one.reference for one in self.documents)
        path = str(self.folder / "known.index")
        reading, run = Reading(id_field="id"), RunOptions(jobs=1)
        names = ("distance", "similarity", "verify", "method")
        given = {name: self.case.criteria[name] for name in names if name in self.case.criteria}
        records = [row._asdict() for row in self.case.references]
        with simdup.Index.build(path, records, reading=reading, run=run) as index:
            records = list(map(self.record, self.case.rows))
            for answer in index.query(records, reading=reading, run=run, **given):
                if answer.document in self.places:
                    self._check_matches(answer)
        self.found = self.scan(references=[path])
        self._check_members()
        self._check_clusters()

    def _sketched(self, i: int, j: int) -> tuple[int, float, float]:
        """Return the distance of two documents, their similarity, and what an estimate may err."""
        distance, exact = self.truth.sketched(i, j)
        likeness = float(exact)
        return distance, likeness, SIGMAS * math.sqrt(likeness * (1 - likeness) / SKETCH) + CLOSE

    def _check_matches(self, answer: Any) -> None:
        """Compare the matches of one document with all documents of the index."""
        self.counts["queries"] += 1
        matches = {self.places[one.document]: one for one in answer.matches}
        self.check(len(matches) == len(answer.matches), f"query: {answer.document}: one twice")
        values = [one.similarity for one in answer.matches if one.similarity is not None]
        self.check(values == sorted(values, reverse=True), f"query: {answer.document}: order")
        for i in range(self.known):
            self._check_match(i, self.places[answer.document], matches.get(i))

    def _check_match(self, i: int, j: int, match: Any) -> None:
        """Compare what a query says of a document of the index with what it may and must say."""
        truth, settings = self.truth, self.truth.settings
        both = f"query: {self.documents[i].name} and {self.documents[j].name}"
        distance, likeness, error = self._sketched(i, j)
        near, same = distance <= settings.distance, truth.is_copy(i, j)
        allowed = same or min(self.documents[place].terms for place in (i, j)) >= FEW_TERMS
        above = likeness - error >= settings.least
        if settings.by_fingerprints_alone:
            sure = allowed = allowed and near
        else:
            allowed &= near or settings.method != "simhash"
            sure = same or (allowed and near and above)
            allowed &= likeness + error >= settings.least
        if sure:
            self.check(match is not None, f"{both}: no match")
        elif allowed and above and settings.method != "simhash":
            # No fingerprint proposes it, but it is above what an estimate may err.
            self.findings.uncertain["index"] += 1
            self.findings.missed["index"] += match is None
        if match is not None:
            self.check(allowed, f"{both}: {match}, is {distance}, {likeness}")
            self._check_estimate(both, match, i, j)

    def _check_estimate(self, both: str, said: Any, i: int, j: int) -> None:
        self.counts["figures"] += 1
        settings = self.truth.settings
        distance, likeness, error = self._sketched(i, j)
        self.same(both, said, distance=distance)
        if said.similarity is None:
            self.check(not settings.verify, f"{both}: no estimate")
            return
        close = abs(said.similarity - likeness) <= error
        enough = not settings.verify or said.similarity >= settings.least
        self.check(close and enough, f"{both}: estimated {said.similarity}, is {likeness}")

    def _check_members(self) -> None:
        """Compare each member of a cluster with the kept one that its figures refer to."""
        truth = self.truth
        for cluster in self.found.clusters:
            names = {member.number: member.name for member in cluster.members}
            for member in cluster.members:
                place, other = self.places[member.name], self.places[names[member.beside]]
                both = f"index: {names[member.beside]} and {member.name}"
                if place < self.known:
                    self.same(f"index: {member.name}", member, role="kept")
                elif other < self.known and member.role == "redundant":
                    self._check_beside_known(both, member, other, place)
                elif place != other and other >= self.known:
                    pair = truth.is_pair(other, place)
                    self.same(both, member, role="redundant" if pair else "linked")
                    self.check_figures(both, truth.figures(other, place), member)

    def _check_beside_known(self, both: str, member: Any, known: int, place: int) -> None:
        """Compare with an estimate; or exactly, where a copy in the delivery replaces the text.

        A short text with facts is redundant beside the same one only.
        """
        truth = self.truth
        exact = truth.figures(known, place).similarity
        copies = truth.texts.count(truth.texts[known]) > 1
        same = exact is not None and member.similarity is not None
        if not (copies and same and abs(float(exact or 0) - member.similarity) < CLOSE):
            self._check_estimate(both, member, known, place)
        short = truth.by_edit(place, place) and truth.settings.least
        if short and truth.facts[place]:
            same = truth.compact[known] == truth.compact[place]
            self.check(same, f"{both}: facts {truth.facts[place]}")

    def _check_clusters(self) -> None:
        """Check that copies are redundant, and that what is found for sure is together."""
        truth, known = self.truth, self.known
        for j in range(known, len(self.documents)):
            name = self.documents[j].name
            copy = any(truth.is_copy(i, j) for i in range(known))
            self.check(not copy or name in self.found.redundant, f"index: {name} is a copy")
        sure = {(i, j) for i, j in truth.pairs if i >= known and truth.is_certain(i, j)}
        apart = separated(truth, sure, self.found, self.places)
        self.check(not apart, f"index: {apart} are apart")


def separated(
    truth: BruteForce, sure: Pairs, found: simdup.Result, places: dict[str, int]
) -> Pairs:
    """Return those pairs that no cluster has together, though nothing keeps them apart."""
    if truth.settings.linkage == "star" or truth.settings.decisions:
        return set()
    inside = [{places[member.name] for member in cluster.members} for cluster in found.clusters]
    return {pair for pair in sure if not any({*pair} <= cluster for cluster in inside)}


# -- a scan: everything that a result says ---------------------------------------------------------


class ComparedScan(Compared):
    """A corpus that is scanned, and cleaned."""

    def compare(self) -> None:
        """Compare everything that a result says."""
        self.found = self.scan()
        self.explanation = Explanation(self, self.found)
        self.counts["near-duplicates"] += len(self.truth.pairs)
        self.counts["clusters"] += len(self.found.clusters)
        loosely = self._check_clusters() or self.explanation.many
        self._check_summary(loosely)
        self._check_lists()
        if self.case.seed % 3 == 0 and not loosely:
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
            self.check(False, _difference(right, found))
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
        self.same(member.name, member, contained=contained)

    def _check_pairs(self, cluster: simdup.Cluster, right: Cluster) -> None:
        ordered = [self.pair(pair) for pair in cluster.pairs]
        number = f"cluster {cluster.number}"
        self.check(ordered == sorted(ordered), f"{number}: order of pairs")
        for pair, (i, j) in zip(cluster.pairs, ordered, strict=True):
            both = f"{pair.a} and {pair.b}"
            self.check(i < j, f"{both} are not in input order")
            if (i, j) not in self.truth.pairs:
                self.check(False, f"{both} are listed and no pair: {pair}")
                continue
            figures = self.truth.figures(i, j)
            self.check_figures(both, figures, pair)
            self.same(both, pair, exact=figures.exact, contained=figures.contained)
        inside = {pair for pair in self.pairs if {*pair} <= {*right.places}}
        if not cluster.complete:
            self.counts["large clusters"] += 1
            self.same(number, self.truth.settings, all_pairs=False)
            self._check_large(number, right, inside, set(ordered))
        elif self.truth.settings.across:
            # Which pairs of copies are listed is not said where groups decide.
            self.check(inside >= set(ordered), f"{number}: pairs: {_only(inside, ordered)}")
        else:
            expected = self.truth.listed(inside)
            self.check(expected == set(ordered), f"{number}: pairs: {_only(expected, ordered)}")

    def _check_large(self, number: str, right: Cluster, inside: Pairs, listed: Pairs) -> None:
        """Check that each document but the kept one lists one pair.

        It is the pair with the kept one, which no search need propose, else the first in input
        order; but one that is found with a probability may have been missed.
        """
        kept, *others = right.places
        inside |= {pair for pair in self.truth.pairs if kept in pair and {*pair} <= {*right.places}}
        self.check(len(listed) < len(right.places), f"{number}: {len(listed)} pairs")
        for place in others:
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
        rights = {"documents": count, "clusters": len(found.clusters), "pairs": len(found.pairs)}
        rights |= {role: roles[role] for role in ("redundant", "linked")}
        if settings.linkage == "single" and not settings.decisions and not loosely:
            stars = self.oracle(linkage="star").clusters(self.pairs)
            rights["star_redundant"] = sum(len(one.members) - 1 for one in stars)
        self.same("summary", summary, **rights)
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
        self.same(
            "result", found,
            redundant=[one for one in names if one in gone],
            unique=[one for one in names if one not in inside],
            kept=[one for one in names if one in inside - gone],
        )  # fmt: skip

    def _check_dedupe(self) -> None:
        """Compare what `dedupe` leaves out with what stars make redundant."""
        star = self.oracle(linkage=self.case.criteria.get("linkage", "star"))
        cleaned = simdup.dedupe(list(map(self.record, self.case.rows)), **self.keywords())
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
            # A large cluster does not list all pairs, so nothing says which ones were missed.
            lacks = ((self.places[a], self.places[b]) for a, b in right.items() - removed.items())
            if any(not one.complete for one in self.found.clusters) and not any(
                self.truth.is_certain(*pair) or self.is_proposed(*pair) for pair in lacks
            ):
                self.counts["dedupes with missed pairs"] += 1
                return
            self.check(False, f"dedupe: {_only(right.items(), removed.items())}")
            return
        stays = [row.id for row in self.case.rows if row.id not in removed]
        self.check([row["id"] for row in cleaned.data] == stays, "dedupe: what stays")
        for one in cleaned.removed:
            figures = star.figures(self.places[one.document], self.places[one.kept])
            reason = "exact copy" if figures.exact else "near-duplicate"
            self.same(f"dedupe: {one.document}", one, reason=reason)
            self.check_figures(f"dedupe: {one.document}", figures, one)


def _only(right: Iterable[Any], said: Iterable[Any]) -> str:
    """Return what one lacks and what it has more."""
    right, said = set(right), set(said)
    lacks, more = sorted(right - said, key=str), sorted(said - right, key=str)
    return f"lacks {lacks[:4]} ({len(lacks)}), has {more[:4]} ({len(more)})"


def _difference(right: Shape, said: Shape) -> str:
    """Return how clusters differ: in their documents, their order or their roles."""
    groups, others = (
        [tuple(sorted({name for name, *_ in cluster})) for cluster in shape]
        for shape in (right, said)
    )
    if sorted(groups) != sorted(others):
        return f"clusters: {_only(groups, others)}"
    if groups != others:
        return f"order of clusters: {[len(group) for group in groups]}"
    roles = ([one for cluster in shape for one in cluster] for shape in (right, said))
    return f"roles: {_only(*roles)}"


def shape_of(found: simdup.Result) -> Shape:
    """Return the shape of a result."""
    shape = []
    for cluster in found.clusters:
        names = {member.number: member.name for member in cluster.members}
        shape.append([(m.name, m.role, names.get(m.beside, "?")) for m in cluster.members])
    return shape


class Explanation:
    """The clusters of the pairs that were found: of all, or all but some uncertain ones.

    `misses` has the pairs that were missed, `clusters` the clusters without them.
    """

    def __init__(self, one: Compared, found: simdup.Result) -> None:
        self._one, self._truth, self._found = one, one.truth, found
        truth = one.truth
        self.uncertain = {pair for pair in truth.pairs if not truth.is_certain(*pair)}
        self.misses: Pairs = set()
        self.large = frozenset[int]()
        if truth.settings.decisions:
            # The documents of large clusters, before decisions divide them.
            self.large = frozenset(self._large_of(one.scan(decisions=Decisions())))
        self.clusters = truth.clusters(truth.pairs, self.large)
        one.findings.uncertain.update(class_of(truth, *pair) for pair in self.uncertain)
        if self.uncertain and self.shape(self.clusters) == shape_of(found):
            # They are the same without what is not listed.
            self.misses = self._unlisted()
        elif self.uncertain:
            for misses in self._explanations():
                without = truth.clusters(truth.pairs - misses, self.large)
                if self.shape(without) == shape_of(found):
                    self.misses, self.clusters = misses, without
                    break
        one.findings.missed.update(class_of(truth, *pair) for pair in self.misses)

    def _large_of(self, result: simdup.Result) -> set[int]:
        """Return the documents of clusters that do not list all of their pairs."""
        large = (cluster for cluster in result.clusters if not cluster.complete)
        return {self._one.places[member.name] for one in large for member in one.members}

    def shape(self, clusters: list[Cluster]) -> Shape:
        """Return the shape of clusters."""
        names = [one.name for one in self._one.documents]
        return [
            [(names[m.place], m.role, names[m.beside]) for m in cluster.members]
            for cluster in clusters
        ]

    def _explanations(self) -> Iterator[Pairs]:
        """Yield what may have been missed: what is not listed, and what no search proposes."""
        missed = self._missed()
        yield missed
        # A large cluster does not list all of its pairs.
        if self.many or not self._large_of(self._found):
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
        return len(self.uncertain) > MOST_ASKED and bool(self._large_of(self._found))

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
        same, documents = self._truth.texts, self._one.documents
        listed = {frozenset((same[i], same[j])) for i, j in map(self._one.pair, plainly.pairs)}
        large = self._large_of(plainly)
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
        if not self.uncertain or not self._large_of(self._found):
            return False
        joining = truth.joining(truth.pairs)
        for cluster in self._found.clusters:
            inside = {places[member.name] for member in cluster.members}
            numbers = {member.number: member.name for member in cluster.members}
            for member in cluster.members:
                pair = sorted((places[member.name], places[numbers[member.beside]]))
                if member.role == "redundant" and tuple(pair) not in truth.pairs:
                    return False
            if plain.groups({pair for pair in joining if {*pair} <= inside}) != {frozenset(inside)}:
                return False
        sure = {pair for pair in joining if truth.is_certain(*pair)}
        return not separated(truth, sure, self._found, places)


def class_of(truth: BruteForce, i: int, j: int) -> str:
    """Return the class of pairs whose recall is counted together."""
    settings = truth.settings
    if settings.containment is not None:
        what = "containment"
    elif settings.method == "pstable" or not settings.least:
        what = "cosine"
    elif settings.least < 0.2:
        what = "-s below 0.2"
    elif truth.figures(i, j).measure == "jaccard":
        what = "jaccard"
    else:
        least = next(some for some in (0.8, 0.5, 0.2) if settings.least >= some)
        what = f"edit, -s from {least}"
    return f"{settings.method}, {what}"
