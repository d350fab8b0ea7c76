"""Made corpora, scanned and cleaned by all methods and settings, compared with all pairs."""

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
    Pairs,
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
CLOSE = 1e-7
# The standard error of an estimated similarity s is sqrt(s (1 - s) / SKETCH): 0.035 at 0.8.
SKETCH, SIGMAS = 128, 6
# Missed pairs of a corpus of which it is asked whether a search proposes them.
MOST_ASKED = 20
MEASURES = ("distance", "similarity", "containment", "cosine")


# The names of each document and of the kept one that it names, cluster by cluster.
Shape = list[list[tuple[str, str]]]


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
        seeds = range(trial.seed, trial.seed + (trial.corpora or trial.pick(SMALL, FULL)))
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
        # Three standard errors: of few pairs, more may be missed by chance.
        due = (1 - (promised or 0)) * count
        if promised and missed[name] > due + 3 * math.sqrt(due):
            trial.fail(f"recall of {name}: {recall:.4f}, not {promised}")
    columns = ("found with a probability", "pairs", "missed", "recall", "promised")
    yield Table("Recall", columns, rows)


def compare(seed: int) -> Findings:
    """Compare the corpus of a seed."""
    return judge(make(seed))


def judge(case: Case) -> Findings:
    """Compare a corpus with all pairs."""
    findings = Findings(case)
    with TemporaryDirectory(prefix="brute-") as folder:
        try:
            Compared(findings, Path(folder)).compare()
        except Exception as error:
            findings.wrong.append(f"error: {error!r}")
    return findings


# -- a corpus and its oracle -----------------------------------------------------------------------


class Compared:
    """A corpus that is compared with all pairs; its references may be an index."""

    def __init__(self, findings: Findings, folder: Path) -> None:
        self.findings, self.counts = findings, findings.counts
        self.case = case = findings.case
        self.folder = folder
        self.documents = documents_of(case)
        self.places = {document.name: document.place for document in self.documents}
        # So many documents are known by sketches only.
        self.known = sum(document.reference for document in self.documents) * case.indexed
        given = {**case.criteria, "decisions": case.decisions}
        if "shingle" in given:
            given["shingle"] = str(given["shingle"])
        self.settings = Settings(**given)
        self.truth = BruteForce(
            self.documents, self.settings, _simplified(), cut, _cosine, titled=case.titled
        )
        count = len(self.documents)
        self.counts.update(
            {"corpora": 1, "documents": count, "pairs compared": count * (count - 1) // 2}
        )
        what = [*case.kinds, *(name for name in case.criteria if name != "method")]
        what += [f"same {name}" for name in self.settings.same]
        what += ["decisions"] * bool(case.decisions)
        what += ["an index" if case.indexed else "references"] * bool(case.references)
        self.counts.update(f"with {name}" for name in what)

    def compare(self) -> None:
        """Compare what a result and a cleaned corpus say."""
        rows = list(map(self._record, self.case.rows))
        references = list(map(self._record, self.case.references))
        criteria = self.case.criteria
        if self.case.decisions:
            each = (Decision(*decision) for decision in self.case.decisions)
            criteria = criteria | {"decisions": Decisions(tuple(each))}
        reading, run = Reading(id_field="id"), RunOptions(jobs=1)
        if self.case.indexed:
            path = self.folder / "known.index"
            names = ("distance", "similarity", "verify", "method")
            given = {name: criteria[name] for name in names if name in criteria}
            with simdup.Index.build(str(path), references, reading=reading, run=run) as index:
                for answer in index.query(rows, reading=reading, run=run, **given):
                    self._check_matches(answer)
        elif references:
            path = self.folder / "references.jsonl"
            path.write_text("\n".join(map(json.dumps, references)), "utf-8")
        keywords = {**criteria, "references": [str(path)] if references else ()}
        self.found = simdup.scan(rows, reading=reading, run=run, **keywords)
        self.members = {
            self.places[member.name]: member
            for cluster in self.found.clusters
            for member in cluster.members
        }
        self._check_clusters()
        self._check_summary()
        self._check_lists()
        self._check_dedupe(simdup.dedupe(rows, reading=reading, run=run, **keywords))

    def _record(self, row: Row) -> dict[str, Any]:
        """Return a row as a record, which has a title only if titles are a field."""
        values = row._asdict()
        if not self.case.titled:
            del values["title"]
        return values

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
        """Compare the figures of a pair, or of a member with the kept one that it names."""
        self.counts["figures"] += 1
        for name in MEASURES:
            value, other = getattr(right, name), getattr(said, name)
            same = value is other is None or (
                None not in (value, other) and abs(float(value) - other) < CLOSE
            )
            shown = value if value is None or isinstance(value, int) else float(value)
            self.check(same, f"{what}: {name} is {other}, not {shown}")
        self.same(what, said, measure=right.measure)

    # -- clusters

    def _check_clusters(self) -> None:
        """Compare clusters with those of all near pairs, but for some that a search may miss."""
        truth, names = self.truth, [document.name for document in self.documents]
        numbers = {member.number: member.name for member in self.members.values()}
        found = [
            [(self.places[m.name], self.places[numbers[m.beside]]) for m in cluster.members]
            for cluster in self.found.clusters
        ]
        kept = {place: beside for cluster in found for place, beside in cluster}
        near = truth.pairs
        if self.known:
            near = self._near_with_index(found)
        self.counts["near-duplicates"] += len(near)
        self.counts["clusters"] += len(found)
        expected = truth.clusters(near)
        listed = [
            {(self.places[pair.a], self.places[pair.b]) for pair in cluster.pairs}
            for cluster in self.found.clusters
        ]
        if not self.case.decisions:
            chances = {
                pair
                for cluster in expected
                for pair in truth.listed(cluster, near)
                if pair[0] >= self.known and not truth.is_certain(*pair)
            }
            self.findings.uncertain.update(class_of(truth, *pair) for pair in chances)
            missed = chances.difference(*listed)
            self.findings.missed.update(class_of(truth, *pair) for pair in missed)
        if expected != found:
            missed = self._missed(near, found)
            expected = truth.clusters(near - missed)
            self._check_missed(missed)
        if expected != found:
            self.check(False, _difference(*(shape(side, names) for side in (expected, found))))
            return
        for place, member in self.members.items():
            self._check_member(member, place, kept[place])
        for cluster, members, pairs in zip(self.found.clusters, expected, listed, strict=True):
            right = truth.listed(members, near)
            missed = {p for p in right - pairs if p[0] >= self.known and not truth.is_certain(*p)}
            self._check_missed(missed)
            # A document lists the one of the index that it names, and perhaps others.
            perhaps = {(i, j) for i, j in right if i < self.known and (j, i) not in members}
            known = {(i, j) for i, j in pairs if i < self.known and self._may_match(i, j)}
            self._check_pairs(cluster, right - missed - perhaps | known)

    def _missed(self, near: Pairs, found: list[Cluster]) -> Pairs:
        """Return the uncertain pairs that cannot have been found, as a result shows."""
        rank = {place: number for number, place in enumerate(self.truth.order)}
        kept = {place: place for place in rank}
        where = {place: -place for place in rank}
        for number, cluster in enumerate(found, 1):
            kept.update(cluster)
            where.update((place, number) for place, _ in cluster)
        missed = set()
        for pair in near:
            a, b = sorted(pair, key=rank.__getitem__)
            takes = kept[a] == a and rank[a] < rank[kept[b]] and self.truth.may_go(b, a)
            if (takes or where[a] != where[b]) and not self.truth.is_certain(*pair):
                missed.add(pair)
        return missed

    def _check_missed(self, pairs: Pairs) -> None:
        """Check that no search proposes pairs, whatever the rest of the corpus is."""
        if self.case.decisions:
            return
        names = ("method", "similarity", "distance", "shingle", "containment", "cosine")
        given = {name: self.case.criteria[name] for name in names if name in self.case.criteria}
        for pair in sorted(pairs)[:MOST_ASKED]:
            texts = (self.documents[place].text for place in pair)
            proposed_by = {*simdup.compare(*texts, **given).proposed_by} - {"passages"}
            both = " and ".join(self.documents[place].name for place in pair)
            self.check(not proposed_by, f"{both} are proposed and not found")

    def _check_member(self, member: Any, place: int, kept: int) -> None:
        self.same(member.name, member, role="kept" if place == kept else "redundant")
        right = member.number == place - self.known or member.number < 0 > place - self.known
        self.check(right, f"{member.name}: number is {member.number}")
        if place == kept:
            self.same(member.name, member, **dict.fromkeys((*MEASURES, "covered", "contained")))
            return
        both = f"{member.name} beside {self.documents[kept].name}"
        if kept < self.known:
            self._check_beside_known(both, member, kept, place)
            return
        figures = self.truth.figures(place, kept)
        self.check_figures(both, figures, member)
        turned = {"a": "document", "b": "kept"} if place < kept else {"b": "document", "a": "kept"}
        contained = turned.get(figures.contained or "", figures.contained)
        if self.settings.lossless:
            covered = float((figures.covered or ())[place > kept])
            self.check(abs(covered - member.covered) < CLOSE, f"{both}: covered, not {covered}")
        self.same(both, member, contained=contained)

    def _check_pairs(self, cluster: simdup.Cluster, right: Pairs) -> None:
        ordered = [(self.places[pair.a], self.places[pair.b]) for pair in cluster.pairs]
        number = f"cluster {cluster.number}"
        self.check(ordered == sorted(ordered), f"{number}: order of pairs")
        self.check(right == {*ordered}, f"{number}: pairs: {_only(right, ordered)}")
        self.check(len(set(ordered)) == len(ordered), f"{number}: pairs are listed twice")
        for pair, (i, j) in zip(cluster.pairs, ordered, strict=True):
            both = f"{pair.a} and {pair.b}"
            if i >= self.known:
                figures = self.truth.figures(i, j)
                self.check_figures(both, figures, pair)
                self.same(both, pair, exact=figures.exact, contained=figures.contained)

    def _check_summary(self) -> None:
        clusters, count = self.found.clusters, len(self.documents)
        roles = Counter(member.role for member in self.members.values())
        pairs = sum(len(cluster.pairs) for cluster in clusters)
        figures = {"clusters": len(clusters), "pairs": pairs, "redundant": roles["redundant"]}
        figures |= {"documents": count - self.known, "unchecked": 0}
        self.same("summary", self.found.summary, **figures)
        checked = self.found.summary.checked
        self.check(checked <= count * (count - 1) // 2, f"{checked} pairs checked")

    def _check_lists(self) -> None:
        names = [document.name for document in self.documents if not document.reference]
        roles = {member.name: member.role for member in self.members.values()}
        lists = {
            role: [name for name in names if roles.get(name, "unique") == role]
            for role in ("kept", "redundant", "unique")
        }
        self.same("result", self.found, **lists)
        for name, kept, *_ in self.found.spared:
            place, other = self.places[name], self.places[kept]
            right = (min(place, other), max(place, other)) in self.truth.pairs
            right &= roles.get(name) == roles.get(kept) == "kept"
            right &= not self.truth.may_go(place, other)
            self.check(right, f"{name} is spared beside {kept}")

    def _check_dedupe(self, cleaned: Any) -> None:
        """Check that `dedupe` removes what is redundant, with the same figures."""
        numbers = {member.number: member.name for member in self.members.values()}
        names = (*MEASURES, "covered", "measure", "estimated")

        def figures(of: Any) -> list[Any]:
            return [getattr(of, name) for name in names]

        right = {
            (member.name, numbers[member.beside], *figures(member))
            for member in self.members.values()
            if member.role == "redundant"
        }
        said = {(gone.document, gone.kept, *figures(gone)) for gone in cleaned.removed}
        self.check(right == said, f"dedupe: {_only(right, said)}")
        removed = {gone.document for gone in cleaned.removed}
        stays = [row.id for row in self.case.rows if row.id not in removed]
        self.check([row["id"] for row in cleaned.data] == stays, "dedupe: what stays")
        for gone in cleaned.removed:
            exact = self.truth.figures(self.places[gone.document], self.places[gone.kept]).exact
            reason = "exact copy" if exact and not gone.estimated else "near-duplicate"
            self.same(f"dedupe: {gone.document}", gone, reason=reason)

    # -- an index: figures within the error of its sketches

    def _sketched(self, i: int, j: int) -> tuple[int | None, float, float]:
        """Return the distance of two documents, their similarity, and what an estimate may err."""
        distance, exact = self.truth.sketched(i, j)
        likeness = float(exact)
        return distance, likeness, SIGMAS * math.sqrt(likeness * (1 - likeness) / SKETCH) + CLOSE

    def _bounds(self, i: int, j: int) -> tuple[bool, bool]:
        """Return whether a document may match one of the index, and whether it must."""
        truth, settings = self.truth, self.settings
        distance, likeness, error = self._sketched(i, j)
        if distance is None:  # texts without words are in no index
            return False, False
        near, same = distance <= settings.distance, truth.is_copy(i, j)
        allowed = same or min(self.documents[place].terms for place in (i, j)) >= FEW_TERMS
        if settings.by_fingerprints_alone:
            return same or (allowed and near), same or (allowed and near)
        allowed &= near or settings.method != "simhash"
        sure = same or (allowed and near and likeness - error >= settings.least)
        return allowed and likeness + error >= settings.least, sure

    def _may_match(self, i: int, j: int) -> bool:
        """Return whether a document of the index may be near another by estimate, or by its text.

        Its text is known if a copy is in the delivery.
        """
        return self._bounds(i, j)[0] or self.truth.is_pair(i, j)

    def _near_with_index(self, found: list[Cluster]) -> Pairs:
        """Return near pairs; with the index those that may be near in the clusters of a result.

        A document may be taken by any that it matches, so earlier ones are left out.
        """
        pairs = {(i, j) for i, j in self.truth.pairs if i >= self.known}
        for cluster in found:
            known = [i for i, _ in cluster if i < self.known]
            for j, kept in cluster:
                pairs |= {(i, j) for i in known if kept <= i < j and self._may_match(i, j)}
        taken = {j for i, j in pairs if i < self.known}
        for j in {*range(self.known, len(self.documents))} - taken:
            sure = any(
                self.truth.is_pair(i, j) and self._bounds(i, j)[1] for i in range(self.known)
            )
            what = f"index: {self.documents[j].name} is not redundant"
            self.check(not sure or bool(self.case.decisions), what)
        return pairs

    def _check_matches(self, answer: Any) -> None:
        """Compare the matches of one document with all documents of the index."""
        self.counts["queries"] += 1
        if answer.document not in self.places:
            return
        matches = {self.places[one.document]: one for one in answer.matches}
        self.check(len(matches) == len(answer.matches), f"query: {answer.document}: one twice")
        values = [one.similarity for one in answer.matches if one.similarity is not None]
        self.check(values == sorted(values, reverse=True), f"query: {answer.document}: order")
        for i in range(self.known):
            self._check_match(i, self.places[answer.document], matches.get(i))

    def _check_match(self, i: int, j: int, match: Any) -> None:
        """Compare what a query says of a document of the index with what it may and must say."""
        both = f"query: {self.documents[i].name} and {self.documents[j].name}"
        allowed, sure = self._bounds(i, j)
        distance, likeness, error = self._sketched(i, j)
        if sure:
            self.check(match is not None, f"{both}: no match")
        elif allowed and likeness - error >= self.settings.least:
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

    def _check_beside_known(self, both: str, member: Any, known: int, place: int) -> None:
        """Compare with an estimate; or exactly, where a copy in the delivery replaces the text.

        A short text with facts is redundant beside the same one only.
        """
        truth = self.truth
        exact = truth.figures(known, place).similarity
        copies = any(
            truth.is_copy(known, other) for other in range(self.known, len(self.documents))
        )
        same = exact is not None and member.similarity is not None
        if not (copies and same and abs(float(exact or 0) - member.similarity) < CLOSE):
            self._check_estimate(both, member, known, place)
        short = truth.by_edit(place, place) and self.settings.least
        if short and truth.facts[place]:
            same = truth.compact[known] == truth.compact[place]
            self.check(same, f"{both}: facts {truth.facts[place]}")


def shape(clusters: list[Cluster], names: list[str]) -> Shape:
    """Return clusters by names."""
    return [[(names[place], names[kept]) for place, kept in cluster] for cluster in clusters]


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


@cache
def _weights(text: str) -> dict[str, float]:
    """Return the weights of all terms of a text."""
    compared = simdup.compare(text, text, recipe="default,top=0,cap=0")
    return {term: weight for term, (weight, _) in compared.weights.items()}


def _cosine(a: str, b: str) -> float:
    return plain.cosine(_weights(a), _weights(b))


@cache
def _simplified() -> dict[int, int]:
    return simplified_characters()


def cut(run: str) -> list[str]:
    """Cut a run of Chinese characters as jieba does."""
    jieba.setLogLevel(logging.ERROR)
    words: list[str] = jieba.lcut(run)
    return words


def documents_of(case: Case) -> list[Document]:
    """Return the documents of a corpus, references first."""
    documents: list[Document] = []
    rows = [*((row, True) for row in case.references), *((row, False) for row in case.rows)]
    for (name, text, *values), reference in rows:
        place, fingerprint, terms = len(documents), simdup.fingerprint(text), _terms(text)
        documents.append(Document(place, name, text, fingerprint, terms, *values, reference))
    return documents


@cache
def _terms(text: str) -> int:
    """Return how many terms a text has; of one with many words it only matters that it has some."""
    words = len(set(plain.words(plain.fold(text, _simplified()), cut)))
    return words if words > MANY_WORDS else len(_weights(text))


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
