"""Contradictions: slots in which copies differ in a fact, joined over all copies.

What a text has in a slot are facts, and the wording between.  Two texts contradict each other where
they have the same facts but for a value, and hardly another word: then a fact of one is that of the
other.  A fact that only one of them has was left out, which says nothing against the other; only a
negation contradicts by being there.

Around it the texts are copies of each other: between slots that differ in wording, as many units
are equal as a passage has.  A line of a form that everybody fills in for another thing has fewer.

A *claim* is a range of a text: a whole fact, or the whole slot if it is a negation or wording.
Claims that contradict each other are one place, and so are those that are equal in copied text.
A text that has several values at one place has a list there, and says nothing against the others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simdup.base.mix64 import mix64
from simdup.base.when_used import pattern
from simdup.model.readings import FACT_KINDS, KINDS, WORDING, FactDifference
from simdup.model.shared_passages import PassageCriteria
from simdup.reuse.finding import Runs, surround
from simdup.reuse.slots import COPIED, Alignment, SlotFinder
from simdup.reuse.symbols import SymbolTexts, cut, places, spans_in
from simdup.reuse.winnowing import Seeds, Window, winnow
from simdup.search.arrays import I64, Bools, distinct, iter_ranges, run_starts
from simdup.text.characters import fold, fold_all
from simdup.text.facts import Fact, agree, find_facts, sign_of_facts

# Characters beside a slot in which a fact of it begins or ends, and an address.
_NEAR, _FAR = 24, 120
# Characters beside it in which a fact shows: 10 before mg, or the year of a date.
_BESIDE = 4
# Units in which readings may differ: more is another text.
_MOST = 24
# Units of wording in which readings may differ beside their facts: a word, or a particle or two.
_WORDING = 2

# Values that are compared with each other: of more, each is another one.
_SEVERAL = 32

_NEGATION = "negation"
_PRECISE = ("date", "time", "version", "percent", "amount", "number")
# Names of markup, and links to other pages of the same place with what they are called.
_NAMES = pattern(
    r"\b(?:id|name|source|src|href|uid|class|ref)=[\"'](?![^\"'\n]*://)[^\"'\n]*[\"']"
    r"|!?\[[^\[\]\n]{0,80}\]\((?!\w+:)[^()\s]*\)"
)
_NAMED = pattern(r"=[\"']|\]\(")
_LONGEST_TITLE = 400
_ADDRESS = pattern(r"://|@|www\.")
_PLAIN_HAN = pattern(
    "[^\0-\u2e7f零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟年月日号时分秒点刻半上下午早晚凌晨周星期第元角圆块人民币美欧英镑港毫克公斤吨升米里厘微度摄氏华之倍天个次份不未无没非禁止得勿别]"
)
# A line that ends within a sentence, which may be within a number.
_WRAPPED = pattern(r"\n(?<=[\u3400-\u9fff]\n)(?=[\u3400-\u9fff])(?!.[、.)])")
_ASCII = pattern("[!-~]*")
_TOKENS = pattern(r"[a-z0-9_']+|\w")
_MODAL = pattern(
    r"\b(?:may|must|can|could|shall|should|will|would|need|do|does|is|are|be|to)\b"
    "|可以?|应当?|必?须|允许|能够?|需要?|得"
)
# Codes with other words name other things.
_WORDS_IN = pattern("[a-z]{4,}")
_MATTER = pattern(r"\A---[ \t]*\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)


class Claim(NamedTuple):
    """What a text says in a range of symbols."""

    start: int
    end: int
    kind: str
    value: str


class SlotText(NamedTuple):
    """What a text has in a slot, folded."""

    start: int  # of its symbols
    end: int
    text: str
    facts: tuple[Claim, ...]
    wording: str  # beside the facts


class FoldedText(NamedTuple):
    """A folded text, and its slots."""

    text: str
    begins: I64  # of each symbol
    ends: I64
    body: int  # where it begins, behind lines between ``---``: they are about the page
    title: str  # the first line, which says what the page is about
    start: int  # of its symbols among all
    spans: list[tuple[int, int, int, int]]  # symbols of all, and characters, of each slot

    @classmethod
    def of(cls, text: str, spans: I64, start: int) -> FoldedText:
        """Return a text that begins at a symbol, with slots: ranges of symbols (int64[n, 2])."""
        lines = fold(text).replace("\r\n", "\n")
        folded = _WRAPPED.sub("", lines)
        _, begins, ends = places(folded)
        lefts = ends[spans[:, 0] - start - 1]
        rights = np.append(begins, len(folded))[spans[:, 1] - start]
        rows = np.column_stack([spans, lefts, rights]).tolist()
        # Joined to the next line, a title would have the text that it is the title of.
        body = _behind_matter(lines)
        title = lines[body : body + _LONGEST_TITLE].lstrip().partition("\n")[0]
        return cls(folded, begins, ends, _behind_matter(folded), title, start, rows)

    def hints(self, terms: re.Pattern[str] | None) -> list[tuple[str, bool]]:
        """Return the text of each slot, and whether it shows any sign of a fact."""
        text, body, look = self.text, self.body, sign_of_facts().search
        found = [
            (
                text[left:right],
                left >= body
                and bool(
                    look(text, left - _BESIDE, right + _BESIDE)
                    or _ADDRESS.search(
                        text, left - _ascii_before(text, left), _ascii_to(text, right)
                    )
                ),
            )
            for _, _, left, right in self.spans
        ]
        if terms is not None:
            look = terms.search
            spans = zip(found, self.spans, strict=True)
            found = [
                (one, sign or bool(look(text, left - _NEAR, right + _NEAR)))
                for (one, sign), (_, _, left, right) in spans
            ]
        return found

    def parts(self, terms: re.Pattern[str] | None) -> Iterator[SlotText]:
        """Yield what the text has in each slot."""
        for start, end, left, right in self.spans:
            facts, wording, done = list[Claim](), list[str](), left
            for fact in self._facts(left, right, terms) if left >= self.body else ():
                first = int(np.searchsorted(self.ends, fact.start, "right")) + self.start
                last = int(np.searchsorted(self.begins, fact.end)) + self.start
                facts.append(Claim(first, last, fact.kind, fact.value))
                wording.append(self.text[done : fact.start])
                done = max(done, fact.end)
            wording.append(self.text[done:right])
            yield SlotText(start, end, self.text[left:right], tuple(facts), " ".join(wording))

    def _facts(self, left: int, right: int, terms: re.Pattern[str] | None) -> Iterator[Fact]:
        """Yield the facts that are in a slot or beside it: more of one may be in the other text."""
        text, low = self.text, max(left - _NEAR, 0)
        # A long word may be an address.
        low -= _ascii_before(text, low)
        high = _ascii_to(text, right + _NEAR)
        # Within a line, a window does not begin with the beginning of a line.
        within = low > 0 and text[low - 1] != "\n"
        window, low = ";" * within + text[low:high], low - within
        names = [one.span() for one in _NAMES.finditer(window)] if _NAMED.search(window) else ()
        for kind, value, first, last in find_facts(window, terms):
            start, end = first + low, last + low
            if start > right or end < left or (kind == "code" and value in self.title):
                continue
            if not any(one <= first and last <= other for one, other in names):
                yield Fact(kind, value, start, end)


def _behind_matter(text: str) -> int:
    """Return where a text begins behind lines between ``---``."""
    found = _MATTER.match(text)
    return found.end() if found else 0


def _ascii_before(text: str, place: int) -> int:
    """Return how many characters before a place may be of an address that it is in."""
    return _end_of_word(text[max(place - _FAR, 0) : place][::-1], 0)


def _ascii_to(text: str, place: int) -> int:
    """Return where an address ends that a place may be in."""
    return _end_of_word(text, min(place, len(text)))


def _end_of_word(text: str, place: int) -> int:
    found = _ASCII.match(text, place, place + _FAR)
    return found.end() if found else place


class Difference(NamedTuple):
    """In what two parts of a slot differ."""

    claims: list[tuple[Claim, Claim]]  # of both, one beside the other, of which some are equal
    wording: int  # units that only one has


def difference(a: SlotText, b: SlotText) -> Difference:
    """Return in what two parts of a slot differ."""
    facts = [[one for one in part.facts if one.kind != _NEGATION] for part in (a, b)]
    wording = _units(a.wording, b.wording)
    if len(facts[0]) != len(facts[1]):
        return Difference([], wording + _WORDING + 1)
    pairs = list(zip(*facts, strict=True))
    if not all(_agree(*pair) or _comparable(*pair) for pair in pairs):
        return Difference([], wording + _WORDING + 1)
    negated = [any(one.kind == _NEGATION for one in part.facts) for part in (a, b)]
    if negated[0] != negated[1] and all(_agree(*pair) for pair in pairs):
        # Whatever else differs: "may" and "must not".
        wording = _units(*(_MODAL.sub("", part.wording) for part in (a, b)))
        pairs = [] if wording else [(_whole(a, _NEGATION), _whole(b, _NEGATION))]
    elif wording and not pairs:
        pairs = [(_whole(a, WORDING), _whole(b, WORDING))]
    return Difference(pairs, wording)


def _comparable(x: Claim, y: Claim) -> bool:
    """Return whether one of two facts could be a wrong form of the other."""
    if x.kind == y.kind == "code":
        return _WORDS_IN.findall(x.value) == _WORDS_IN.findall(y.value)
    return x.kind == y.kind or {x.kind, y.kind} <= set(_PRECISE)


def _agree(x: Claim, y: Claim) -> bool:
    return agree(Fact(x.kind, x.value, 0, 0), Fact(y.kind, y.value, 0, 0))


def _units(a: str, b: str) -> int:
    """Return the units of words that only one of two texts has, the larger side."""
    if a == b:
        return 0
    one, other = set(_TOKENS.findall(a)), set(_TOKENS.findall(b))
    return max(
        sum(2 if word[0] < "\u2e80" else 1 for word in own) for own in (one - other, other - one)
    )


def _whole(part: SlotText, kind: str) -> Claim:
    return Claim(part.start, part.end, kind, "".join(part.text.split()))


# Two versions of a document are copies of each other, however short they are.
_VERSIONS, _VERSION_CONTEXT = PassageCriteria(min_run=8, min_length=16), 4
# All begin and end with it: a fact at the end of both has equal text on either side, too.
_EDGE = "【〖〔〈〉〕〗】"


def differing_facts(pairs: Sequence[tuple[str, str]]) -> list[list[FactDifference]]:
    """Return the facts in which the texts of each pair contradict each other, in their order."""
    originals = [f"{_EDGE}\n{text}\n{_EDGE}" for pair in pairs for text in pair]
    texts, window = cut(fold_all(originals)), Window.of(_VERSIONS.min_run)
    hashes, positions = winnow(texts, window)
    owners = np.searchsorted(texts.starts, positions, "right") - 1
    starts, symbols = surround(texts)
    # Only both texts of a pair are compared.
    hashes ^= mix64((owners // 2).astype(np.uint64))
    seeds = Seeds(hashes, positions + (starts[:-1] - texts.starts[:-1])[owners])
    texts = SymbolTexts(starts, symbols)
    finder = SlotFinder.of(texts, seeds, _VERSION_CONTEXT, _VERSIONS)
    aligned = Alignment.concat(finder.find(*one) for one in finder.ranges())
    found: list[list[FactDifference]] = [[] for _ in pairs]
    for place in find_contradictions(
        aligned, texts, originals.__getitem__, FACT_KINDS, least=_VERSIONS.min_length
    ):
        own = np.searchsorted(starts, place.spans[:, 0], "right") - 1
        if own.tolist() == [own[0], own[0] + 1]:
            (value_a, at_a), (value_b, at_b) = (
                _located(originals[text], place.spans[row] - starts[text])
                for row, text in enumerate(own.tolist())
            )
            found[own[0] // 2].append(FactDifference(place.kind, value_a, value_b, at_a, at_b))
    return [sorted(one, key=lambda fact: fact.at_a) for one in found]


def _located(text: str, span: I64) -> tuple[str, tuple[int, int]]:
    """Return what a text has in a range of symbols, and where without its edge."""
    start, end = spans_in(text, span[None])[0].tolist()
    edge = len(_EDGE) + 1
    return " ".join(text[start:end].split()), (start - edge, end - edge)


class Contradiction(NamedTuple):
    """Claims that contradict each other, in the order of the texts."""

    kind: str
    spans: I64  # int64[claims, 2]: symbols of all texts
    values: list[str]


def find_contradictions(
    aligned: Alignment,
    texts: SymbolTexts,
    read: Callable[[int], str],
    kinds: Collection[str],
    terms: re.Pattern[str] | None = None,
    least: int = COPIED.min_length,
) -> list[Contradiction]:
    """Return the places where texts contradict each other.

    Parameters
    ----------
    aligned : Alignment
        What is equal.
    texts : SymbolTexts
        All texts, an end mark behind each.
    read : callable
        Returns a text by its number.
    kinds : collection of str
        The kinds of facts.
    terms : re.Pattern, optional
        What else is a fact.
    least : int
        Equal units of copied text.
    """
    slots = _Slots.of(aligned, texts.starts)
    before, broken = slots.before, np.zeros(len(aligned.chains), np.bool_)

    def in_copied() -> Bools:
        """Return which slots are in copied text, as far as it is known where it ends."""
        found: Bools = aligned.copied(broken, least)[before] & ~broken[before]
        return found

    if WORDING in kinds:
        wanted = in_copied()
    else:
        # Most slots are known to be wording, or too near to some, without a look at facts.
        broken[before] = aligned.differing(texts.symbols) > _MOST
        hinted, wording = slots.hints(read, in_copied(), terms)
        broken[before] |= wording > _WORDING
        wanted = in_copied() & hinted
    found = slots.differences(read, wanted, terms)
    for slot, one in found.items():
        broken[before[slot]] |= one.wording > _WORDING
    joined, within = _Joined(), in_copied().tolist()
    for slot, one in found.items():
        for x, y in one.claims:
            kind = min(x.kind, y.kind, key=KINDS.index)
            if kind in kinds and (within[slot] or kind == WORDING):
                joined.add(kind, x, y)
    if WORDING in kinds:
        broken[:] = False
    copied = aligned.runs.take(np.flatnonzero(aligned.copied(broken, least)))
    joined.spread(copied, texts.starts)
    return list(joined.places(texts.starts))


class _Slots(NamedTuple):
    """Slots of pairs of texts: several pairs have one with the same range of a text."""

    before: I64  # int64[slots]: the run before each
    pairs: I64  # int64[slots, 2]: the sides of each
    spans: I64  # int64[sides, 2]: symbols of all texts, ascending
    texts: I64  # int64[sides]
    starts: I64  # of the texts

    @classmethod
    def of(cls, aligned: Alignment, starts: I64) -> _Slots:
        """Return the slots of aligned texts."""
        before, *slots = aligned.slots
        sides = np.concatenate(slots)
        keys, rows = np.unique(sides[:, 0] << 32 | sides[:, 1] - sides[:, 0], return_inverse=True)
        firsts = keys >> 32
        spans = np.stack([firsts, firsts + (keys & 0xFFFFFFFF)], 1)
        texts = np.searchsorted(starts, firsts, "right") - 1
        return cls(before, rows.reshape(2, -1).T, spans, texts, starts)

    def hints(
        self, read: Callable[[int], str], wanted: Bools, terms: re.Pattern[str] | None
    ) -> tuple[Bools, I64]:
        """Return which slots may have a fact, and the units of wording of the others."""
        rows, texts = np.flatnonzero(wanted), dict[int, tuple[str, bool]]()
        for side, folded in self._read(read, self.pairs[rows]):
            texts.update(zip(side.tolist(), folded.hints(terms), strict=True))
        hinted, wording = np.zeros(len(wanted), np.bool_), np.zeros(len(wanted), np.int64)
        for row, (i, j) in zip(rows.tolist(), self.pairs[rows].tolist(), strict=True):
            (a, sign_a), (b, sign_b) = texts[i], texts[j]
            if sign_a or sign_b:
                hinted[row] = True
                one, other = set(_PLAIN_HAN.findall(a)), set(_PLAIN_HAN.findall(b))
                wording[row] = max(len(one - other), len(other - one))
            else:
                wording[row] = _units(a, b)
        return hinted, wording

    def differences(
        self, read: Callable[[int], str], wanted: Bools, terms: re.Pattern[str] | None
    ) -> dict[int, Difference]:
        """Return in what both texts differ in some slots, by the number of the slot."""
        rows, parts = np.flatnonzero(wanted), dict[int, SlotText]()
        for side, folded in self._read(read, self.pairs[rows]):
            parts.update(zip(side.tolist(), folded.parts(terms), strict=True))
        pairs = zip(rows.tolist(), self.pairs[rows].tolist(), strict=True)
        return {row: difference(parts[i], parts[j]) for row, (i, j) in pairs}

    def _read(self, read: Callable[[int], str], pairs: I64) -> Iterator[tuple[I64, FoldedText]]:
        """Yield the texts of pairs of sides in order, and which sides each has."""
        sides = np.unique(pairs)
        texts = self.texts[sides]
        for low, high in pairwise([*run_starts(texts).tolist(), len(texts)]):
            text, own = int(texts[low]), sides[low:high]
            yield own, FoldedText.of(read(text), self.spans[own], int(self.starts[text]))


def _moved(claim: Claim, by: int) -> Claim:
    return claim._replace(start=claim.start + by, end=claim.end + by)


def _values(claims: Sequence[Claim]) -> dict[str, str]:
    """Return for each value what it is a part of, if it is of one only: 5月1日 of 2024年5月1日."""
    each = {claim.value: claim for claim in claims}
    found = dict(zip(each, each, strict=True))
    if len(each) <= _SEVERAL:
        for value, claim in each.items():
            more = [x for x, y in each.items() if len(x) > len(value) and _agree(claim, y)]
            found[value] = more[0] if len(more) == 1 else value
    return found


def _ranges(lows: I64, highs: I64) -> I64:
    """Return the numbers of some ranges, one range after the other."""
    counts = highs - lows
    found: I64 = np.repeat(highs - np.cumsum(counts), counts) + np.arange(counts.sum())
    return found


class _Joined:
    """Claims that are joined to places."""

    def __init__(self) -> None:
        self.numbers = dict[tuple[int, int], int]()
        self.claims = list[Claim]()
        self.kinds = Counter[tuple[int, str]]()
        self.pairs = list[tuple[int, int]]()

    def add(self, kind: str, x: Claim, y: Claim) -> None:
        """Add two claims of one place; of a kind, if they contradict each other."""
        a, b = self._number(x), self._number(y)
        self.pairs.append((a, b))
        if not _agree(x, y):
            self.kinds[a, kind] += 1

    def spread(self, runs: Runs, starts: I64) -> None:
        """Add the claims that equal runs of other texts have, too."""
        done, beside = 0, COPIED.min_run // 2
        own, other = np.concatenate([runs[:2], runs[1::-1]], axis=1)
        order = np.argsort(own, kind="stable")
        own, shifts, lengths = own[order], (other - own)[order], np.tile(runs.lengths, 2)[order]
        lasts, firsts = own + lengths - beside, np.searchsorted(own, starts)
        while done < len(self.claims):
            numbers = np.arange(done, len(self.claims))
            spans = np.array([one[:2] for one in self.claims[done:]], np.int64)
            done = len(self.claims)
            order = np.argsort(spans[:, 0], kind="stable")
            spans, numbers = spans[order], numbers[order]
            # From one copy to the next there are as many rounds as copies: few runs are of each.
            texts = distinct(np.searchsorted(starts, spans[:, 0], "right") - 1)
            near = _ranges(firsts[texts], firsts[texts + 1])
            low = np.searchsorted(spans[:, 0], own[near] + beside)
            high = np.searchsorted(spans[:, 0], lasts[near], "right")
            for which, offset in iter_ranges(np.maximum(high - low, 0), 1 << 18):
                rows, run = low[which] + offset, near[which]
                inside = spans[rows, 1] <= lasts[run]
                rows, by = numbers[rows[inside]].tolist(), shifts[run[inside]].tolist()
                for number, shift in zip(rows, by, strict=True):
                    copy = self._number(_moved(self.claims[number], shift))
                    self.pairs.append((number, copy))

    def _number(self, claim: Claim) -> int:
        number = self.numbers.setdefault(claim[:2], len(self.claims))
        if number == len(self.claims):
            self.claims.append(claim)
        return number

    def places(self, starts: I64) -> Iterator[Contradiction]:
        """Yield what is joined, where several texts have one value each, and not the same."""
        parent = list(range(len(self.claims)))

        def root(claim: int) -> int:
            while parent[claim] != claim:
                parent[claim] = claim = parent[parent[claim]]
            return claim

        for pair in self.pairs:
            low, high = sorted(map(root, pair))
            parent[high] = low
        groups = dict[int, list[int]]()
        for claim in range(len(parent)):
            groups.setdefault(root(claim), []).append(claim)
        kinds = dict[int, Counter[str]]()
        for (claim, kind), count in self.kinds.items():
            kinds.setdefault(root(claim), Counter())[kind] += count
        for number, group in groups.items():
            if number not in kinds:
                continue
            claims = sorted(self.claims[one] for one in group)
            names = _values(claims)
            spans = np.array([one[:2] for one in claims], np.int64)
            texts = (np.searchsorted(starts, spans[:, 0], "right") - 1).tolist()
            said = dict[int, set[str]]()
            for text, one in zip(texts, claims, strict=True):
                said.setdefault(text, set()).add(names[one.value])
            rows = [row for row, text in enumerate(texts) if len(said[text]) == 1]
            values = [names[claims[row].value] for row in rows]
            if len(set(values)) > 1:
                kind = max(kinds[number].items(), key=lambda one: (one[1], one[0]))[0]
                yield Contradiction(kind, spans[rows], values)
