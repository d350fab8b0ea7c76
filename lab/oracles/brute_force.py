"""Near-duplicates by all pairs, one by one: what `docs/methods.md` says, in plain Python.

It was written from the documentation, not from the code.  It is given fingerprints, numbers of
terms and cosines; everything else it computes.  Thresholds are compared as fractions.
"""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, repeat

from simdup.text.differing_facts import restate

from . import plain
from .short_texts import SHORT, contents, edit_similarity, form, same_facts

FEW_TERMS = 3
TITLE = 200  # characters
LARGEST = Fraction(9999, 10_000)  # similarity of texts that differ


@dataclass(frozen=True)
class Settings:
    """The matching options, with their defaults; a similarity of None is the default one."""

    method: str = "auto"
    distance: int = 3
    similarity: float | None = None
    containment: float | None = None
    cosine: float | None = None
    verify: bool = True
    shingle: str | None = None
    same: tuple[str, ...] = ()  # of `title` and `group`
    across: str | None = None
    linkage: str = "single"
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
    fingerprint: int
    terms: int
    title: str | None = None
    group: str | None = None
    value: float | None = None
    reference: bool = False


@dataclass(frozen=True)
class Figures:
    """What is measured between two documents; None where it is not."""

    distance: int
    similarity: Fraction | None
    containment: Fraction | None
    cosine: float | None
    measure: str | None
    exact: bool
    # Which of them is contained in the other: a, b, both or None.
    contained: str | None


@dataclass(frozen=True)
class Member:
    """A document of a cluster, and the place of the kept document that its figures refer to."""

    place: int
    role: str
    beside: int


@dataclass(frozen=True)
class Cluster:
    """The kept document first, then the others in input order."""

    members: tuple[Member, ...]

    @property
    def places(self) -> tuple[int, ...]:
        """The places of its documents."""
        return tuple(member.place for member in self.members)


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
        self._folded = [plain.fold(one.text, dict(simplified)) for one in documents]
        self.compact = [plain.solid(text) for text in self._folded]
        self._simplified = dict(simplified)
        self._cut = cut
        self._forms = [form(text) for text in self._folded]
        self.facts = [one.key for one in restate(self._folded)]
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

    def by_edit(self, i: int, j: int) -> bool:
        """Whether a pair is measured by edit similarity."""
        shorter = min(len(self._forms[i]), len(self._forms[j]))
        return self.settings.verify and self.settings.short_texts and shorter < SHORT

    def figures(self, i: int, j: int) -> Figures:
        """The measures of two documents."""
        i, j = min(i, j), max(i, j)
        found = self._without_cosine(i, j)
        return found if self.settings.cosine is None else replace(found, cosine=self.cosine(i, j))

    def cosine(self, i: int, j: int) -> float:
        """The cosine of two documents."""
        if self.is_copy(i, j):
            return 1.0
        return self._cosine(self.documents[i].text, self.documents[j].text)

    def distance(self, i: int, j: int) -> int:
        """The bits in which two fingerprints differ."""
        return (self.documents[i].fingerprint ^ self.documents[j].fingerprint).bit_count()

    def _measure(self, i: int, j: int) -> Figures:
        distance, exact = self.distance(i, j), self.compact[i] == self.compact[j]
        if not self.settings.verify:
            return Figures(distance, None, None, None, None, exact, None)
        containment, contained = None, None
        sets = self._shingles[i], self._shingles[j]
        common = len(sets[0] & sets[1])
        if self.settings.containment is not None:
            fits = self.by_edit(i, j) and self.settings.shingle is None
            held = contents(self._folded[i], self._folded[j]) if fits else sets
            containment = Fraction(len(held[0] & held[1]), min(map(len, held)))
            contained = plain.within(*held, Fraction(str(self.settings.containment)))
        if self.by_edit(i, j):
            similarity, measure = edit_similarity(self._forms[i], self._forms[j]), "edit"
        else:
            similarity, measure = Fraction(common, len(sets[0] | sets[1])), "jaccard"
        if not exact:
            similarity = min(similarity, LARGEST)
        return Figures(distance, similarity, containment, None, measure, exact, contained)

    def sketched(self, i: int, j: int) -> tuple[int, Fraction]:
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
        if edits and not same_facts(self._folded[i], self._folded[j]):
            return False
        if edits:
            # What need not be computed: the lengths differ too much.
            lengths = sorted((len(self._forms[i]), len(self._forms[j])))
            if lengths[0] < Fraction(str(settings.least)) * lengths[1]:
                return False
        found = self._without_cosine(i, j)
        for value, least in (
            (found.similarity, settings.least),
            (found.containment, settings.containment),
        ):
            if least is not None and value < Fraction(str(least)):
                return False
        return settings.cosine is None or self.cosine(i, j) >= settings.cosine

    @cached_property
    def pairs(self) -> set[tuple[int, int]]:
        """The places of all pairs that meet the criteria."""
        places = range(len(self.documents))
        return {(i, j) for i, j in combinations(places, 2) if self.is_pair(i, j)}

    def is_certain(self, i: int, j: int) -> bool:
        """Whether a pair is found for sure: a copy, or near by fingerprint."""
        settings = self.settings
        if settings.all_pairs or settings.by_fingerprints_alone:
            return True
        if settings.method in ("auto", "simhash"):
            return self.figures(i, j).distance <= settings.distance
        return self.is_copy(i, j)

    def is_copy(self, i: int, j: int) -> bool:
        """Whether one is a copy of the other."""
        a, b = self.documents[i], self.documents[j]
        return a.fingerprint == b.fingerprint and self.compact[i] == self.compact[j]

    @cached_property
    def texts(self) -> list[int]:
        """For each document the first one with its text and fingerprint, whatever its title."""
        return self._firsts(repeat(None))

    @cached_property
    def first_copies(self) -> list[int]:
        """For each document the first one of which it is a copy, or itself."""
        titles = self._titled and "title" in self.settings.same
        own = [(one.place if one.group is None else None, one.group) for one in self.documents]
        groups = own if "group" in self.settings.same else repeat(None)
        return self._firsts(zip(self._titles if titles else repeat(None), groups, strict=False))

    def _firsts(self, more: Iterable[Hashable]) -> list[int]:
        firsts: dict[Hashable, int] = {}
        prints = (one.fingerprint for one in self.documents)
        keys = zip(prints, self.compact, more, strict=False)
        return [firsts.setdefault(key, place) for place, key in enumerate(keys)]

    def listed(self, pairs: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        """Those pairs that a result lists: of a copy only that with the first one."""
        first = self.first_copies
        return {(i, j) for i, j in pairs if first[j] == i or (first[i] == i and first[j] == j)}

    def rank(self, place: int) -> tuple[float, ...]:
        """What decides which document is kept; the least is."""
        one, settings = self.documents[place], self.settings
        keeps = [names[0] for kind, names in settings.decisions if kind == "keep"]
        keep = settings.keep or ("longest" if settings.containment is not None else "first")
        length = float(len(self.compact[place]))
        value = {"first": 0.0, "longest": -length, "shortest": length}.get(keep)
        if value is None:
            sign = -1 if keep.startswith("max:") else 1
            value = float("inf") if one.value is None else sign * one.value
        if one.reference:
            return (False, False, 0, value, place)
        if one.name in keeps:
            return (True, False, 0, value, place)
        matches = [n for n, pattern in enumerate(settings.prefer) if fnmatchcase(one.name, pattern)]
        return (True, True, min(matches, default=len(settings.prefer)), value, place)

    def may_go(self, place: int, kept: int) -> bool:
        """Whether a document may be redundant beside a kept one that it is a pair with."""
        if self.settings.containment is None or not self.settings.verify:
            return True
        if self.is_copy(place, kept):
            return True
        contained = self.figures(place, kept).contained
        return contained in ("both", "a" if place < kept else "b")

    def clusters(
        self, pairs: set[tuple[int, int]], large: frozenset[int] = frozenset()
    ) -> list[Cluster]:
        """The clusters that pairs make, in the order of results.

        `large` are the documents of clusters that do not list all pairs.
        """
        joined = self.joining(pairs)
        if self.settings.linkage == "star":
            groups = self._stars(self._partners(joined))
        else:
            groups = [set(group) for group in plain.groups(joined)]
        groups = [part for group in groups for part in self._parts(group, joined, large)]
        partners = self._partners(pairs)
        found = [self._cluster(group, partners) for group in groups]
        return sorted(found, key=lambda one: (-len(one.members), min(one.places)))

    def _partners(self, pairs: set[tuple[int, int]]) -> list[set[int]]:
        partners: list[set[int]] = [set() for _ in self.documents]
        for i, j in pairs:
            partners[i].add(j)
            partners[j].add(i)
        return partners

    def joining(self, pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
        """A copy of a reference joins that one only; another reference then joins nothing.

        Where groups decide, the first reference with a text in each group joins others.
        """
        documents, seen = self.documents, dict[Hashable, int]()
        for place, one in enumerate(documents):
            seen.setdefault((self.first_copies[place], one.group), place)

        def joins(copy: int, other: int) -> bool:
            if self.settings.across:
                first = seen[self.first_copies[copy], documents[copy].group]
                return first == copy or not documents[copy].reference
            first = self.first_copies[copy]
            return first in (copy, other) or not documents[first].reference

        return {(i, j) for i, j in pairs if joins(i, j) and joins(j, i)}

    @cached_property
    def _apart(self) -> set[frozenset[str]]:
        """Which two names must not share a cluster."""
        apart: set[frozenset[str]] = set()
        for kind, names in self.settings.decisions:
            two = {frozenset(pair) for pair in combinations(names, 2)}
            if kind == "distinct":
                apart |= two
            elif kind == "duplicates":
                apart -= two
        return apart

    def _parts(
        self, group: set[int], pairs: set[tuple[int, int]], large: frozenset[int]
    ) -> list[set[int]]:
        """The parts that decisions leave of a cluster.

        The most alike pairs join first, then those of the smaller distance, then by input order.
        """

        def may_meet(some: Iterable[int], others: Collection[int]) -> bool:
            named = self.documents
            two = (frozenset((named[i].name, named[j].name)) for i in some for j in others)
            return self._apart.isdisjoint(two)

        def alike(pair: tuple[int, int]) -> tuple[Fraction, int, list[int]]:
            figures = self.figures(*pair)
            return (-(figures.similarity or Fraction(0)), figures.distance, sorted(pair))

        if all(may_meet([i], [j]) for i, j in combinations(group, 2)):
            return [group]
        inside = {pair for pair in pairs if {*pair} <= group}
        if large.isdisjoint(group):
            listed = self.listed(inside)
        else:  # with the kept one if that holds, else with the first near-duplicate
            kept, partners, listed = min(group, key=self.rank), self._partners(inside), set()
            for place in group - {kept}:
                partner = kept if kept in partners[place] else min(partners[place])
                listed.add((min(place, partner), max(place, partner)))
        where = {place: {place} for place in group}
        for i, j in sorted(listed, key=alike):
            if where[i] is not where[j] and may_meet(where[i], where[j]):
                joined = where[i] | where[j]
                where.update(dict.fromkeys(joined, joined))
        return [part for part in {id(one): one for one in where.values()}.values() if len(part) > 1]

    def _stars(self, partners: list[set[int]]) -> list[set[int]]:
        """The best document is kept; what is redundant beside it joins it."""
        free = set(range(len(self.documents)))
        found = []
        for kept in sorted(free, key=self.rank):
            if kept not in free:
                continue
            free.discard(kept)
            star = {kept, *(one for one in partners[kept] & free if self.may_go(one, kept))}
            free -= star
            if len(star) > 1:
                found.append(star)
        return found

    def _cluster(self, group: set[int], partners: list[set[int]]) -> Cluster:
        kept = min(group, key=self.rank)
        references = [place for place in sorted(group) if self.documents[place].reference]
        members = [Member(kept, "kept", kept)]
        for place in sorted(group - {kept}):
            if self.documents[place].reference:
                members.append(Member(place, "kept", kept))
                continue
            # With the kept one every document is compared, whether a search proposes it or not.
            near = [
                one
                for one in dict.fromkeys([kept, *references])
                if (
                    one in partners[place]
                    or (one == kept and tuple(sorted((place, one))) in self.pairs)
                )
                and self.may_go(place, one)
            ]
            role = "redundant" if near else "linked"
            members.append(Member(place, role, near[0] if near else kept))
        return Cluster(tuple(members))


def title(text: str) -> str | None:
    """The first heading, else the first line with words, without its markup."""
    lines = [line.strip() for line in text[:4096].splitlines()]
    heading = next((line for line in lines if re.match(r"#+ ", line)), None)
    line = heading or next((line for line in lines if any(map(str.isalnum, line))), None)
    return " ".join(line.lstrip("#=*_~>|+- \t").split())[:TITLE] if line else None
