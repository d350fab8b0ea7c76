"""What `brute_force` compares: a made corpus, its oracle, and a scan of it."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jieba

import simdup
from lab.breaking.brute_corpora import Case, Row
from lab.corpora.made import simplified_characters
from lab.oracles import plain
from lab.oracles.brute_force import BruteForce, Document, Figures, Settings
from simdup.model.decisions import Decision, Decisions
from simdup.model.reading import Reading

# A text with more words has the three terms that it needs: few are function words.
MANY_WORDS = 8
# What rounding may change in a similarity.
CLOSE = 1e-9


@dataclass
class Outcome:
    """What became of one corpus.

    Attributes
    ----------
    wrong : list of str
        Differences, a line each.
    counts : Counter
        What was compared.
    uncertain, missed : Counter
        Pairs that are found with a probability, and those that were missed, by their class.
    """

    case: Case
    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    uncertain: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)


class Compared:
    """A corpus that is compared with all pairs."""

    def __init__(self, case: Case, folder: Path, outcome: Outcome) -> None:
        self.case = case
        self.folder = folder
        self.wrong = outcome.wrong
        self.counts = outcome.counts
        self.uncertain = outcome.uncertain
        self.missed = outcome.missed
        self.documents = documents_of(case.references, case.rows)
        self.places = {one.name: one.place for one in self.documents}
        self._count()

    def _count(self) -> None:
        case, count = self.case, len(self.documents)
        self.counts["corpora"] += 1
        self.counts["documents"] += count
        self.counts["pairs compared"] += count * (count - 1) // 2
        what = [*case.kinds, *(name for name in case.criteria if name != "method")]
        if case.decisions:
            what.append("decisions")
        if case.references:
            what.append("an index" if case.indexed else "references")
        self.counts.update(f"with {one}" for one in what)

    def oracle(self, **changes: Any) -> BruteForce:
        """Return all pairs, for the settings of the case or others."""
        case = self.case
        settings = settings_of(case, **changes)

        @cache
        def cosine(a: str, b: str) -> float:
            value = simdup.compare(a, b, cosine=0.5).cosine
            assert value is not None
            return value

        return BruteForce(self.documents, settings, _simplified(), cut, cosine, titled=case.titled)

    def keywords(self) -> dict[str, Any]:
        """Return what `scan` and `dedupe` are given."""
        case = self.case
        given = dict(case.criteria)
        if case.decisions:
            given["decisions"] = Decisions(tuple(Decision(*one) for one in case.decisions))
        given |= {"jobs": 1, "reading": Reading(id_field="id")}
        if case.titled:
            given["title"] = "title"
        if case.references:
            given["references"] = [str(self.reference())]
        return given

    def reference(self) -> Path:
        """Return the file of the references, or their index."""
        path = self.folder / "references.jsonl"
        if not path.exists():
            lines = [json.dumps(row.record()) for row in self.case.references]
            path.write_text("\n".join(lines), "utf-8")
        return path

    def scan(self, **changes: Any) -> simdup.Result:
        """Scan the corpus."""
        rows = [row.record() for row in self.case.rows]
        return simdup.scan(rows, **self.keywords() | changes)

    def is_proposed(self, i: int, j: int) -> bool:
        """Return whether a search proposes a pair."""
        names = ("method", "similarity", "distance", "shingle", "containment", "cosine",
                 "short_texts", "numbers")  # fmt: skip
        given = {name: self.case.criteria[name] for name in names if name in self.case.criteria}
        return bool(
            simdup.compare(self.documents[i].text, self.documents[j].text, **given).proposed_by
        )

    def pair(self, pair: simdup.Pair) -> tuple[int, int]:
        """Return the places of a pair's documents."""
        return self.places[pair.a], self.places[pair.b]

    def check(self, right: bool, what: str) -> None:
        """Note what is wrong."""
        if not right:
            self.wrong.append(what)

    def check_figures(self, what: str, right: Figures, said: Any) -> None:
        """Compare the figures of a pair, or of a member beside the kept one."""
        self.counts["figures"] += 1
        for name in ("distance", "similarity", "containment", "cosine"):
            one, other = getattr(right, name), getattr(said, name)
            same = (one is None) == (other is None) and (
                one is None or abs(float(one) - other) < CLOSE
            )
            shown = one if one is None or isinstance(one, int) else float(one)
            self.check(same, f"{what}: {name} is {other}, not {shown}")
        measure = right.measure if self.case.criteria.get("short_texts", True) else said.measure
        self.check(said.measure == measure, f"{what}: measure is {said.measure}, not {measure}")


@cache
def _simplified() -> dict[int, int]:
    return simplified_characters()


def cut(run: str) -> list[str]:
    """Cut a run of Chinese characters as jieba does."""
    jieba.setLogLevel(logging.ERROR)
    found: list[str] = jieba.lcut(run)
    return found


def settings_of(case: Case, **changes: Any) -> Settings:
    """Return the matching options of a case as the oracle has them."""
    given = {**case.criteria, "decisions": case.decisions} | changes
    given["shingle"] = str(given.get("shingle", "5"))
    return Settings(**given)


def documents_of(references: Iterable[Row], rows: Iterable[Row]) -> list[Document]:
    """Return those that take part: with a fingerprint."""
    found: list[Document] = []
    for reference, some in ((True, references), (False, rows)):
        for row in some:
            fingerprint = simdup.fingerprint(row.text)
            if fingerprint is not None:
                found.append(
                    Document(
                        len(found), row.name, row.text, fingerprint, _terms(row.text), row.title,
                        row.group, row.value, reference,
                    )
                )  # fmt: skip
    return found


@cache
def _terms(text: str) -> int:
    """Return how many terms a text has; of one with many words it only matters that it has some."""
    words = len(set(plain.words(plain.fold(text, _simplified()), cut)))
    return words if words > MANY_WORDS else simdup.compare(text, text).terms
