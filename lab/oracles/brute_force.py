"""Near-duplicates by all pairs, one by one: what `docs/methods.md` says, in plain Python.

It was written from the documentation, not from the code.  It is given fingerprints, numbers of
terms and cosines, and reads facts by `simdup.text`; everything else it computes.  Thresholds are
compared as fractions.
"""

import re
from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations

from simdup.reuse.contradictions import differing_facts
from simdup.text.differing_facts import restate
from simdup.text.facts import facts_of, lost_facts

from . import plain
from .leaders import leaders
from .short_texts import SHORT, contents, edit_similarity, form, same_facts

FEW_TERMS = 3
FEW_MEMBERS = 12  # of a cluster that lists all pairs
TITLE = 200  # characters
LARGEST = Fraction(9999, 10_000)  # similarity of texts that differ
LOSSLESS = Fraction("0.98")

Pairs = set[tuple[int, int]]
# The members of a cluster, each with the kept document that it names.
Cluster = list[tuple[int, int]]


@dataclass(frozen=True)
class Settings:
    """The matching options, with their defaults; a similarity of None is the default one."""

    method: str = "auto"
    distance: int = 3
    similarity: float | None = None
    containment: float | None = None
    cosine: float | None = None
    lossless: bool = False
    verify: bool = True
    shingle: str | None = None
    same: tuple[str, ...] = ()  # of `title`, `group` and `facts`
    across: str | None = None
    keep: str | None = None
    prefer: tuple[str, ...] = ()
    all_pairs: bool = False
    decisions: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def least(self) -> float:
        """The similarity that a pair must have."""
        if self.similarity is not None:
            return self.similarity
        return 0.0 if self.containment is not None else 0.8

    @property
    def short_texts(self) -> bool:
        """Whether short texts are measured by edits."""
        return self.method in ("auto", "minhash")

    @property
    def by_fingerprints_alone(self) -> bool:
        """Whether the texts decide nothing."""
        measures = self.least or self.containment is not None or self.cosine is not None
        return not self.verify or not measures


@dataclass(frozen=True)
class Document:
    """A document that takes part; references come first in the order of places."""

    place: int
    name: str
    text: str
    fingerprint: int | None
    terms: int
    title: str | None = None
    group: str | None = None
    value: float | None = None
    reference: bool = False


@dataclass(frozen=True)
class Figures:
    """What is measured between two documents; None where it is not."""

    distance: int | None
    exact: bool
    similarity: Fraction | None = None
    containment: Fraction | None = None
    cosine: float | None = None
    measure: str | None = None
    # Which of them is contained in the other: a, b, both or None.
    contained: str | None = None
    # The share of each one's shingles that the other has.
    covered: tuple[Fraction, Fraction] | None = None


class BruteForce:
    """All pairs of a few documents."""

    def __init__(
        self,
        documents: Sequence[Document],  # by rising places from 0
        settings: Settings,
        simplified: Mapping[int, int],  # of each traditional character, as numbers
        cut: Callable[[str], list[str]],  # a run of Chinese characters into words
        cosine: Callable[[str, str], float],  # of two texts
        titled: bool = False,  # by records; otherwise the texts have titles
    ) -> None:
        self.documents = documents
        self.settings = settings
        self._cosine = cosine
        self._titled = titled
        folded = [plain.fold(document.text, dict(simplified)) for document in documents]
        self.compact = [plain.solid(text) for text in folded]
        # Copies are measured as the first of them: they may differ in white space.
        firsts: dict[Hashable, str] = {}
        keys = zip((document.fingerprint for document in documents), self.compact, strict=True)
        self._folded = list(map(firsts.setdefault, keys, folded))
        self._simplified = dict(simplified)
        self._cut = cut
        self._forms = [form(text) for text in self._folded]
        self._without_cosine = cache(self._measure)

    @cached_property
    def _shingles(self) -> list[set[Hashable]]:
        size = self.settings.shingle or "5"
        if size.startswith("words:"):
            number = int(size.removeprefix("words:"))
            words = [plain.words(text, self._cut) for text in self._folded]
            return [set(plain.word_runs(some, number)) for some in words]
        return [set(plain.shingles(text, int(size))) for text in self._folded]

    @cached_property
    def _titles(self) -> list[str | None]:
        """The titles as they are compared; identical texts have that of the first."""
        if self._titled:
            named = [one.title for one in self.documents]
        else:
            firsts: dict[str, str | None] = {}
            for one, compact in zip(self.documents, self.compact, strict=True):
                firsts.setdefault(compact, title(one.text))
            named = [firsts[compact] for compact in self.compact]
        return [
            plain.solid(plain.fold(one, self._simplified)) if one is not None else None
            for one in named
        ]

    @cached_property
    def facts(self) -> list[object]:
        """The facts of each text, where it is short."""
        return [restated.key for restated in restate(self._folded)]

    def by_edit(self, i: int, j: int) -> bool:
        """Whether a pair is measured by edit similarity."""
        shorter = min(len(self._forms[i]), len(self._forms[j]))
        return self.settings.verify and self.settings.short_texts and shorter < SHORT

    def figures(self, i: int, j: int) -> Figures:
        """The measures of two documents."""
        i, j = min(i, j), max(i, j)
        figures = self._without_cosine(i, j)
        if self.settings.cosine is None:
            return figures
        return replace(figures, cosine=self.cosine(i, j))

    def cosine(self, i: int, j: int) -> float:
        """The cosine of two documents."""
        if self.is_copy(i, j):
            return 1.0
        return self._cosine(self.documents[i].text, self.documents[j].text)

    def distance(self, i: int, j: int) -> int | None:
        """The bits in which two fingerprints differ."""
        a, b = self.documents[i].fingerprint, self.documents[j].fingerprint
        return None if a is None or b is None else (a ^ b).bit_count()

    def _measure(self, i: int, j: int) -> Figures:
        settings = self.settings
        distance, exact = self.distance(i, j), self.compact[i] == self.compact[j]
        if not settings.verify:
            return Figures(distance, exact)
        sets = self._shingles[i], self._shingles[j]
        if self.by_edit(i, j):
            similarity, measure = edit_similarity(self._forms[i], self._forms[j]), "edit"
        else:
            similarity, measure = _share(*sets, sets[0] | sets[1]), "jaccard"
        similarity = Fraction(1) if exact else min(similarity, LARGEST)
        figures = Figures(distance, exact, similarity, measure=measure)
        if settings.containment is None and not settings.lossless:
            return figures
        fits = settings.containment is not None and settings.shingle is None
        held = contents(self._folded[i], self._folded[j]) if fits and self.by_edit(i, j) else sets
        shares = _share(*held, held[0]), _share(*held, held[1])
        if settings.containment is not None:
            figures = replace(figures, containment=max(shares))
        least = Fraction(str(settings.containment or 0))
        inside = [share >= least for share in shares]
        if settings.lossless:
            shares = _share(*sets, sets[0]), _share(*sets, sets[1])
            said = facts_of(self._folded[i]), facts_of(self._folded[j])
            lost = lost_facts(*said), lost_facts(*said[::-1])
            inside = [inside[k] and shares[k] >= LOSSLESS and not lost[k] for k in (0, 1)]
        sides = {(True, False): "a", (False, True): "b", (True, True): "both"}
        return replace(figures, covered=shares, contained=sides.get((inside[0], inside[1])))

    def sketched(self, i: int, j: int) -> tuple[int | None, Fraction]:
        """What an index estimates: the distance, and the similarity of 5-grams, short or not."""
        a, b = (plain.shingles(self.compact[place]) for place in (i, j))
        estimate = Fraction(len(a & b), len(a | b))
        equal = self.compact[i] == self.compact[j]
        return self.distance(i, j), estimate if equal else min(estimate, LARGEST)

    def is_pair(self, i: int, j: int) -> bool:
        """Whether two documents are near-duplicates, if a search proposes them."""
        a, b = self.documents[i], self.documents[j]
        if i == j or (a.reference and b.reference):
            return False
        if self.settings.across and a.group is not None and a.group == b.group:
            return False
        if "group" in self.settings.same and (a.group is None or a.group != b.group):
            return False
        exact = self.compact[i] == self.compact[j]
        if "title" in self.settings.same:
            titles = self._titles[i], self._titles[j]
            if titles[0] != titles[1] or (titles[0] is None and not exact):
                return False
        return self.is_copy(i, j) or self._are_alike(i, j, exact)

    def _are_alike(self, i: int, j: int, exact: bool) -> bool:
        settings, distance = self.settings, self.distance(i, j)
        if distance is None:  # without words, only equal texts are
            return exact
        alone = settings.by_fingerprints_alone
        if (alone or settings.method == "simhash") and distance > settings.distance:
            return False
        # Where no similarity is asked for, edits decide nothing.
        edits = self.by_edit(i, j) and bool(settings.least)
        few = min(self.documents[i].terms, self.documents[j].terms) < FEW_TERMS
        runs = self.by_edit(i, j) and settings.containment is not None and not settings.shingle
        if few and not exact and not edits and not runs:
            return False
        if alone:
            return True
        least = Fraction(str(settings.least))
        if edits:
            # What need not be computed: the lengths differ too much.
            lengths = sorted((len(self._forms[i]), len(self._forms[j])))
            if lengths[0] < least * lengths[1]:
                return False
        figures = self._without_cosine(i, j)
        if figures.similarity < least:
            return False
        if (figures.containment or 0) < Fraction(str(settings.containment or 0)):
            return False
        folded = self._folded[i], self._folded[j]
        if edits and not same_facts(*folded):
            return False
        if settings.cosine is not None and self.cosine(i, j) < settings.cosine:
            return False
        return "facts" not in settings.same or exact or not differing_facts([folded])[0]

    @cached_property
    def pairs(self) -> Pairs:
        """The places of all pairs that meet the criteria."""
        places = range(len(self.documents))
        return {(i, j) for i, j in combinations(places, 2) if self.is_pair(i, j)}

    def is_certain(self, i: int, j: int) -> bool:
        """Whether a pair is found for sure: a copy, or near by fingerprint."""
        settings = self.settings
        if settings.all_pairs or settings.by_fingerprints_alone or self.is_copy(i, j):
            return True
        distance = self.distance(i, j)
        near = distance is not None and distance <= settings.distance
        return near and settings.method in ("auto", "simhash")

    def is_copy(self, i: int, j: int) -> bool:
        """Whether one is a copy of the other."""
        a, b = self.documents[i], self.documents[j]
        return a.fingerprint == b.fingerprint and self.compact[i] == self.compact[j]

    @cached_property
    def order(self) -> list[int]:
        """The places of the documents in the order of keeping."""
        settings = self.settings
        decided = {names[0] for kind, names in settings.decisions if kind == "keep"}
        keep = settings.keep or ("longest" if settings.containment is not None else "first")

        def rank(place: int) -> tuple[float, ...]:
            document = self.documents[place]
            if document.reference:
                return (False, place)
            prefer = [fnmatchcase(document.name, pattern) for pattern in settings.prefer]
            length = float(len(self.compact[place]))
            value = {"first": 0.0, "longest": -length, "shortest": length}.get(keep)
            if value is None:
                sign = -1 if keep.startswith("max:") else 1
                value = float("inf") if document.value is None else sign * document.value
            preferred = [*prefer, True].index(True)
            return (True, document.name not in decided, preferred, value, place)

        return sorted(range(len(self.documents)), key=rank)

    def may_go(self, place: int, kept: int) -> bool:
        """Whether a document may be redundant beside a kept one that it is near."""
        settings = self.settings
        if settings.containment is None and not settings.lossless:
            return True
        if self.is_copy(place, kept):
            return True
        return self.figures(place, kept).contained in ("both", "a" if place < kept else "b")

    @cached_property
    def distinct(self) -> set[tuple[int, int]]:
        """Which two documents must not share a cluster; the last decision on two holds."""
        places = {document.name: document.place for document in self.documents}
        distinct: set[tuple[int, int]] = set()
        for kind, names in self.settings.decisions:
            known = sorted(places[name] for name in names if name in places)
            pairs = {*combinations(known, 2)}
            distinct = distinct | pairs if kind == "distinct" else distinct
            distinct = distinct - pairs if kind == "duplicates" else distinct
        return distinct

    def clusters(self, pairs: Pairs) -> list[Cluster]:
        """The clusters that pairs make, and their members, in the order of results."""
        both = pairs | {(j, i) for i, j in pairs}
        takes = {(kept, place) for kept, place in both if self.may_go(place, kept)}
        kept, groups = leaders(self.order, pairs, takes, self.distinct)
        rank = {place: number for number, place in enumerate(self.order)}
        clusters = [
            sorted(
                ((place, kept[place]) for place in group),
                key=lambda member: (rank[member[1]], member[0] != member[1], member),
            )
            for group in {id(group): group for group in groups.values()}.values()
            if len(group) > 1
        ]
        return sorted(clusters, key=lambda cluster: (-len(cluster), min(cluster)))

    def listed(self, cluster: Cluster, pairs: Pairs) -> Pairs:
        """Which of the pairs a result lists of a cluster."""
        if self.settings.all_pairs or len(cluster) <= FEW_MEMBERS:
            places = {place for place, _ in cluster}
            return {pair for pair in pairs if {*pair} <= places}
        return {(min(two), max(two)) for two in cluster if two[0] != two[1]}


def _share(a: Set[Hashable], b: Set[Hashable], whole: Set[Hashable]) -> Fraction:
    return Fraction(len(a & b), len(whole)) if whole else Fraction(1)


def title(text: str) -> str | None:
    """The first heading, else the first line with words, without its markup."""
    lines = [line.strip() for line in text[:4096].splitlines()]
    heading = next((line for line in lines if re.match(r"#+ ", line)), None)
    line = heading or next((line for line in lines if any(map(str.isalnum, line))), None)
    return " ".join(line.lstrip("#=*_~>|+- \t").split())[:TITLE] if line else None
