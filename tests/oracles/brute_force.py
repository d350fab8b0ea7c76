"""Near-duplicates by all pairs, one by one: what `docs/methods.md` says, in plain Python.

It was written from the documentation, not from the code.  It is given fingerprints, numbers of
terms and cosines; everything else it computes.  Thresholds are compared as fractions.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from . import plain

SHORT = 120  # letters
FEW_LETTERS = 8  # a Chinese character counts as two
FEW_TERMS = 3
TITLE = 200  # characters
# Links, names after an at sign, digits on keycaps.
MARKS = (
    r"(?:https?://|ftp://|www\.)[!-~]+",
    r"(?<![a-z0-9_.])@(?:[a-z0-9_][a-z0-9_.-]*|[\w-]{1,20}(?=[\s:]|$))",
    "[0-9#*]\ufe0f?\u20e3",
)


@dataclass(frozen=True)
class Settings:
    """The matching options, with their defaults; a similarity of None is the default one."""

    method: str = "auto"
    distance: int = 3
    similarity: float | None = None
    containment: float | None = None
    cosine: float | None = None
    verify: bool = True
    shingle: str = "5"
    short_texts: bool = True
    numbers: bool = True
    same_title: bool = False
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
    """All pairs of a few documents.

    Parameters
    ----------
    documents
        Those that take part, by rising places from 0.
    settings
        The matching options.
    simplified
        The simplified character of each traditional one, as numbers.
    cut
        Cuts a run of Chinese characters into words.
    cosine
        The cosine of two texts.
    titled
        Whether the titles are named by records; otherwise the texts have them.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        settings: Settings,
        simplified: Mapping[int, int],
        cut: Callable[[str], list[str]],
        cosine: Callable[[str, str], float],
        titled: bool = False,
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
        self.numbers = [numbers(text) for text in self._folded]
        self._measured: dict[tuple[int, int], Figures] = {}

    @cached_property
    def _shingles(self) -> list[set[Hashable]]:
        size = self.settings.shingle
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

    def form_length(self, place: int) -> int:
        """How many letters of a text count."""
        return len(self._forms[place])

    def by_edit(self, i: int, j: int) -> bool:
        """Whether a pair is measured by edit similarity."""
        shorter = min(self.form_length(i), self.form_length(j))
        return self.settings.verify and self.settings.short_texts and shorter < SHORT

    def figures(self, i: int, j: int) -> Figures:
        """The measures of two documents."""
        i, j = min(i, j), max(i, j)
        found = self._without_cosine(i, j)
        return found if self.settings.cosine is None else replace(found, cosine=self.cosine(i, j))

    def cosine(self, i: int, j: int) -> float:
        """The cosine of two documents."""
        same = self.documents[i].fingerprint == self.documents[j].fingerprint
        if same and self.compact[i] == self.compact[j]:
            return 1.0
        return self._cosine(self.documents[i].text, self.documents[j].text)

    def _without_cosine(self, i: int, j: int) -> Figures:
        if (i, j) not in self._measured:
            self._measured[i, j] = self._measure(i, j)
        return self._measured[i, j]

    def _measure(self, i: int, j: int) -> Figures:
        a, b = self.documents[i], self.documents[j]
        distance = (a.fingerprint ^ b.fingerprint).bit_count()
        exact = self.compact[i] == self.compact[j]
        if not self.settings.verify:
            return Figures(distance, None, None, None, None, exact, None)
        containment, contained = None, None
        sets = self._shingles[i], self._shingles[j]
        common = len(sets[0] & sets[1])
        if self.settings.containment is not None:
            containment = Fraction(common, min(map(len, sets)))
            least = Fraction(str(self.settings.containment))
            sides = (common >= least * len(sets[0]), common >= least * len(sets[1]))
            names = {(True, False): "a", (False, True): "b", (True, True): "both"}
            contained = names.get(sides)
        if self.by_edit(i, j):
            similarity, measure = edit_similarity(self._forms[i], self._forms[j]), "edit"
        else:
            similarity, measure = Fraction(common, len(sets[0] | sets[1])), "jaccard"
        return Figures(distance, similarity, containment, None, measure, exact, contained)

    def sketched(self, i: int, j: int) -> tuple[int, Fraction]:
        """What an index estimates: the distance, and the similarity of 5-grams, short or not."""
        a, b = self.documents[i], self.documents[j]
        sets = [plain.shingles(self.compact[place]) for place in (i, j)]
        similarity = Fraction(len(sets[0] & sets[1]), len(sets[0] | sets[1]))
        return (a.fingerprint ^ b.fingerprint).bit_count(), similarity

    def is_pair(self, i: int, j: int) -> bool:
        """Whether two documents are near-duplicates, if a search proposes them."""
        a, b = self.documents[i], self.documents[j]
        if i == j or (a.reference and b.reference):
            return False
        if self.settings.across and a.group is not None and a.group == b.group:
            return False
        exact = self.compact[i] == self.compact[j]
        if self.settings.same_title:
            titles = self._titles[i], self._titles[j]
            if titles[0] != titles[1] or (titles[0] is None and not exact):
                return False
        distance = (a.fingerprint ^ b.fingerprint).bit_count()
        if exact and not distance:
            return True
        return self._are_alike(i, j, distance, exact)

    def _are_alike(self, i: int, j: int, distance: int, exact: bool) -> bool:
        settings = self.settings
        alone = settings.by_fingerprints_alone
        if (alone or settings.method == "simhash") and distance > settings.distance:
            return False
        # Where no similarity is asked for, edits decide nothing.
        edits = self.by_edit(i, j) and bool(settings.least)
        few = min(self.documents[i].terms, self.documents[j].terms) < FEW_TERMS
        if few and not exact and not edits:
            return False
        if alone:
            return True
        if settings.numbers and edits and self.numbers[i] != self.numbers[j]:
            return False
        if edits:
            # What need not be computed: the lengths differ too much.
            lengths = sorted((self.form_length(i), self.form_length(j)))
            if lengths[0] < Fraction(str(settings.least)) * lengths[1]:
                return False
        found = self._without_cosine(i, j)
        assert found.similarity is not None
        if found.similarity < Fraction(str(settings.least)):
            return False
        if settings.containment is not None:
            assert found.containment is not None
            if found.containment < Fraction(str(settings.containment)):
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
        firsts: dict[Hashable, int] = {}
        keys = zip((one.fingerprint for one in self.documents), self.compact, strict=True)
        return [firsts.setdefault(key, place) for place, key in enumerate(keys)]

    @cached_property
    def first_copies(self) -> list[int]:
        """For each document the first one of which it is a copy, or itself."""
        firsts: dict[Hashable, int] = {}
        title = self._titles if self._titled and self.settings.same_title else None
        return [
            firsts.setdefault(
                (one.fingerprint, self.compact[place], title[place] if title else None), place
            )
            for place, one in enumerate(self.documents)
        ]

    def listed(self, pairs: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        """Those pairs that a result lists: of a copy only that with the first one."""
        first = self.first_copies
        return {(i, j) for i, j in pairs if first[j] == i or (first[i] == i and first[j] == j)}

    def rank(self, place: int) -> tuple[float, ...]:
        """What decides which document is kept; the least is."""
        one, settings = self.documents[place], self.settings
        keeps = [names[0] for kind, names in settings.decisions if kind == "keep"]
        matches = [
            number for number, pattern in enumerate(settings.prefer)
            if fnmatchcase(one.name, pattern)
        ]  # fmt: skip
        keep = settings.keep or ("longest" if settings.containment is not None else "first")
        value = {
            "first": 0.0,
            "longest": -float(len(self.compact[place])),
            "shortest": float(len(self.compact[place])),
        }.get(keep)
        if value is None:
            sign = -1 if keep.startswith("max:") else 1
            value = float("inf") if one.value is None else sign * one.value
        if one.reference:
            return (False, False, 0, value, place)
        if one.name in keeps:
            return (True, False, 0, value, place)
        preferred = matches[0] if matches else len(settings.prefer)
        return (True, True, preferred, value, place)

    def may_go(self, place: int, kept: int) -> bool:
        """Whether a document may be redundant beside a kept one that it is a pair with."""
        if self.settings.containment is None or not self.settings.verify:
            return True
        if self.is_copy(place, kept):
            return True
        contained = self.figures(place, kept).contained
        return contained in ("both", "a" if place < kept else "b")

    def clusters(self, pairs: set[tuple[int, int]]) -> list[Cluster]:
        """The clusters that pairs make, in the order of results."""
        joined = self._without_copies_of_references(pairs)
        if self.settings.linkage == "star":
            groups = self._stars(self._partners(joined))
        else:
            groups = self._components(joined)
        partners = self._partners(pairs)
        found = [self._cluster(group, partners) for group in groups]
        return sorted(found, key=lambda one: (-len(one.members), min(one.places)))

    def _partners(self, pairs: set[tuple[int, int]]) -> list[set[int]]:
        partners: list[set[int]] = [set() for _ in self.documents]
        for i, j in pairs:
            partners[i].add(j)
            partners[j].add(i)
        return partners

    def _without_copies_of_references(self, pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
        """A copy of a reference joins that one only; another reference then joins nothing."""
        if self.settings.across:
            return pairs

        def joins(copy: int, other: int) -> bool:
            first = self.first_copies[copy]
            return first in (copy, other) or not self.documents[first].reference

        return {(i, j) for i, j in pairs if joins(i, j) and joins(j, i)}

    def _distinct(self) -> set[frozenset[str]]:
        """Which two names must not share a cluster."""
        apart: set[frozenset[str]] = set()
        for kind, names in self.settings.decisions:
            two = {frozenset(pair) for pair in combinations(names, 2)}
            if kind == "distinct":
                apart |= two
            elif kind == "duplicates":
                apart -= two
        return apart

    def _may_meet(self, some: Iterable[int], others: Iterable[int]) -> bool:
        apart, named = self._distinct(), self.documents
        others = list(others)
        return not any(
            frozenset((named[i].name, named[j].name)) in apart for i in some for j in others
        )

    def _components(self, pairs: set[tuple[int, int]]) -> list[set[int]]:
        groups = [set(group) for group in plain.groups(pairs)]
        whole = [group for group in groups if self._all_may_meet(group)]
        for group in groups:
            if group not in whole:
                inside = self.listed(pair for pair in pairs if pair[0] in group)
                whole += self._cut_apart(group, inside)
        return [set(group) for group in whole if len(group) > 1]

    def _all_may_meet(self, group: set[int]) -> bool:
        return all(self._may_meet([i], [j]) for i, j in combinations(group, 2))

    def _cut_apart(self, group: set[int], pairs: Iterable[tuple[int, int]]) -> list[set[int]]:
        """The most alike pairs first, then the smaller distance, then input order."""

        def order(pair: tuple[int, int]) -> tuple[Fraction, int, tuple[int, int]]:
            figures = self.figures(*pair)
            return (-(figures.similarity or Fraction(0)), figures.distance, pair)

        where = {place: {place} for place in group}
        for i, j in sorted(pairs, key=order):
            if where[i] is not where[j] and self._may_meet(where[i], where[j]):
                joined = where[i] | where[j]
                where.update(dict.fromkeys(joined, joined))
        return list({id(some): some for some in where.values()}.values())

    def _stars(self, partners: list[set[int]]) -> list[set[int]]:
        """The best document is kept; what is redundant beside it joins it."""
        free = set(range(len(self.documents)))
        found = []
        for kept in sorted(free, key=self.rank):
            if kept not in free:
                continue
            free.discard(kept)
            star = {kept}
            for place in sorted(partners[kept] & free):
                if self.may_go(place, kept) and self._may_meet([place], star):
                    star.add(place)
            free -= star
            if len(star) > 1:
                found.append(star)
        return found

    def _cluster(self, group: set[int], partners: list[set[int]]) -> Cluster:
        ranked = sorted(group, key=self.rank)
        kept = ranked[0]
        references = [place for place in ranked if self.documents[place].reference]
        members = [Member(kept, "kept", kept)]
        for place in sorted(group - {kept}):
            if self.documents[place].reference:
                members.append(Member(place, "kept", kept))
                continue
            near = [
                one
                for one in dict.fromkeys([kept, *references])
                if one in partners[place] and self.may_go(place, one)
            ]
            role = "redundant" if near else "linked"
            members.append(Member(place, role, near[0] if near else kept))
        return Cluster(tuple(members))


def form(folded: str) -> str:
    """What a text is compared by where it is short."""
    return _form(folded)[0]


def numbers(folded: str) -> tuple[str, ...]:
    """The numbers in it, in order, in plain digits."""
    return _form(folded)[1]


def _form(folded: str) -> tuple[str, tuple[str, ...]]:
    bare = folded
    for mark in MARKS:
        bare = re.sub(mark, " ", bare)
    for text in (bare, folded):
        respelled, found = _respell(text)
        letters = _letters(respelled)
        if sum(2 if c >= "\u2e80" else 1 for c in letters) >= FEW_LETTERS:
            break
    return letters or plain.solid(folded), found


def _letters(text: str) -> str:
    """Letters, digits and marks; the signs of C++ and C# too."""
    found = ""
    for place, c in enumerate(text):
        kept = unicodedata.category(c)[0] in "LMN" and not "\ufe00" <= c <= "\ufe0f"
        if c in "+#":
            kept = re.search("[a-z][+#]?$", text[:place]) is not None
        found += c if kept and c != "\u20e3" else ""
    return found


_DIGITS = "零〇一二两三四五六七八九"
_VALUES = dict(zip(_DIGITS, (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_COUNTED = "时日号月年天周楼层栋室班级集章节条届期季回册卷页组区元块斤等路居"
# Tried from the first to the last at each place.
_NUMBERS = {
    "digits": r"(?:(?<![a-z0-9])-)?(?:(?<![0-9.])[0-9]+\.[0-9]+(?!\.?[0-9])"
    r"|[0-9]+(?:,[0-9]{3}(?![0-9]))*)[十百千万亿]*[%‰]?",
    "nth": f"(?<=第)[{_DIGITS}十百千万亿]+",
    "weekday": "(?<=星期)[一二三四五六日天]|(?<=周)[一二三四五六日]",
    "several": f"[{_DIGITS}十百千万亿]{{2,}}",
    "single": f"[一两二三四五六七八九十](?=[{_COUNTED}])|[两二三四五六七八九十](?=点)",
    "roman": "(?<![a-z0-9])[ivx]{2,4}(?![a-z0-9])",
}
_NUMBER = re.compile("|".join(f"(?P<{name}>{one})" for name, one in _NUMBERS.items()))


def _respell(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with its numbers in plain digits, and these in order."""
    found: list[str] = []

    def spell(match: re.Match[str]) -> str:
        value = _value(match)
        if value:
            found.append(value)
        return value or match[0]

    return _NUMBER.sub(spell, text), tuple(found)


def _value(match: re.Match[str]) -> str:
    said, kind = match[0], match.lastgroup
    if kind == "digits":
        whole, units, share = re.fullmatch(r"(.*?)([十百千万亿]*)([%‰]?)", said).groups()  # type: ignore[union-attr]
        value = Fraction(whole.replace(",", "")) * math.prod(_UNITS[unit] for unit in units)
        sign, value = ("-", -value) if whole.startswith("-") else ("", value)
        places = len(whole.partition(".")[2])
        text = str(int(value * 10**places)).rjust(places + 1, "0")
        part = text[len(text) - places :].rstrip("0")
        return sign + text[: len(text) - places] + (f".{part}" if part else "") + share
    if kind == "weekday":
        return str(_VALUES.get(said, 7))
    if kind == "roman":
        values = [{"i": 1, "v": 5, "x": 10}[c] for c in said]
        after = [*values[1:], 0]
        return str(sum(-v if v < n else v for v, n in zip(values, after, strict=True)))
    if kind == "several" and not set(said) & set(_DIGITS):
        return ""
    return str(_chinese_value(said))


def _chinese_value(text: str) -> int:
    """Digits alone are read one by one; otherwise the largest unit divides what is around it."""
    if not set(text) & set(_UNITS):
        return int("".join(str(_VALUES[c]) for c in text) or 0)
    place = max(range(len(text)), key=lambda i: (_UNITS.get(text[i], 0), i))
    before, after = text[:place], text[place + 1 :]
    return (_chinese_value(before) if before else 1) * _UNITS[text[place]] + _last(after)


def _last(text: str) -> int:
    """After a unit, 零 says that one is left out."""
    text = text.lstrip("零〇")
    return _chinese_value(text) if text else 0


def title(text: str) -> str | None:
    """The first heading, else the first line with words, without its markup."""
    lines = [line.strip() for line in text[:4096].splitlines()]
    heading = next((line for line in lines if re.match(r"#+ ", line)), None)
    line = heading or next((line for line in lines if any(map(str.isalnum, line))), None)
    return " ".join(line.lstrip("#=*_~>|+- \t").split())[:TITLE] if line else None


def edit_similarity(a: str, b: str) -> Fraction:
    """The share of the longer text that stays where one becomes the other."""
    longer = max(len(a), len(b))
    return Fraction(longer - edit_distance(a, b), longer)


def edit_distance(a: str, b: str) -> int:
    """The fewest insertions, deletions and replacements: the table's columns as bits of a number.

    Bit i of `up` (`down`) says that the distance grows (falls) by one from row i to row i + 1.
    """
    shorter, longer = sorted((a, b), key=len)
    if not shorter:
        return len(longer)
    where: dict[str, int] = {}
    for i, c in enumerate(shorter):
        where[c] = where.get(c, 0) | 1 << i
    every, last = (1 << len(shorter)) - 1, 1 << len(shorter) - 1
    up, down, distance = every, 0, len(shorter)
    for c in longer:
        equal = where.get(c, 0)
        vertical = equal | down
        horizontal = (((equal & up) + up) ^ up) | equal
        grows = (down | ~(horizontal | up)) & every
        falls = up & horizontal
        distance += bool(grows & last) - bool(falls & last)
        grows, falls = (grows << 1 | 1) & every, falls << 1 & every
        up = (falls | ~(vertical | grows)) & every
        down = grows & vertical
    return distance
