"""Slot texts: what a text has in a slot, and in what two of them differ.

What is there are facts, and the wording between.  Two texts contradict each other where they have
the same facts but for a value, and hardly another word: then a fact of one is that of the other.  A
fact that only one of them has was left out, which says nothing against the other; only a negation
contradicts by being there.

A *claim* is a range of a text: a whole fact, or the whole slot if it is a negation or wording.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from simdup.base.when_used import pattern
from simdup.model.readings import WORDING
from simdup.reuse.symbols import Symbols, places
from simdup.search.arrays import I64
from simdup.text.characters import fold
from simdup.text.facts import Fact, agree, find_facts, sign_of_facts

# Units of wording in which readings may differ beside their facts: a word, or a particle or two.
WORDING_UNITS = 2

# Characters beside a slot in which a fact of it begins or ends, and an address.
_NEAR, _FAR = 24, 120
# Characters beside it in which a fact shows: 10 before mg, or the year of a date.
_BESIDE = 4

_NEGATION = "negation"
_PRECISE = frozenset(("date", "time", "version", "percent", "amount", "number"))

# Lines about the page before it.
_MATTER = pattern(r"\A---[ \t]*\n.*?^---[ \t]*$", re.DOTALL | re.MULTILINE)
# A line that ends within a sentence, which may be within a number.
_WRAPPED = pattern(r"\n(?<=[\u3400-\u9fff]\n)(?=[\u3400-\u9fff])(?!.[、.)])")
_NUMBER = pattern(
    r"\s*(?:第|(?<=第))[\d零〇一二三四五六七八九十百]+(?=[条章款项节])|(?:\s*\n|(?<=\n))\d{1,3}(?=[.)、]\s)"
)
_ADDRESS, _ASCII = pattern(r"://|@|www\."), pattern("[!-~]*")
_LATIN = pattern("[!-~]")
# Names of markup, and links to other pages of the same place with what they are called.
_NAMES = pattern(
    r"\b(?:id|name|source|src|href|uid|class|ref)=[\"'](?![^\"'\n]*://)[^\"'\n]*[\"']"
    r"|!?\[[^\[\]\n]{0,80}\]\((?!\w+:)[^()\s]*\)"
)
# The path of a file.
_PATH = pattern(r"[.~]{0,2}/|[a-z]:\\|[\w-]+/")
_NAMED = pattern(r"=[\"']|\]\(")
# Codes with other words name other things.
_WORDS_IN = pattern("[a-z]{4,}")
_TOKENS = pattern(r"[a-z0-9_']+|\w")
_MODAL = pattern(
    r"\b(?:may|must|can|could|shall|should|will|would|need|do|does|is|are|be|to|always|ever|with"
    r"|allowed|permitted|either|or)\b"
    "|可以?|应当?|必?须|允许|能够?|需要?|得"
)
# Symbols that are halves of words.
_HALVES = 1 << 31
# Han characters that are seldom part of a fact.
_PLAIN_HAN = pattern(
    "[^\0-\u2e7f零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟年月日号时分秒点刻半上下午早晚凌晨周星期第"
    "元角圆块人民币美欧英镑港毫克公斤吨升米里厘微度摄氏华之倍天个次份不未无没非禁止得勿别]"
)


class Claim(NamedTuple):
    """What a text says in a range of symbols."""

    start: int
    end: int
    kind: str
    value: str
    silent: bool = False  # whether it names the page, and so contradicts nothing


class SlotText(NamedTuple):
    """What a text has in a slot, folded."""

    start: int  # of its symbols
    end: int
    text: str
    facts: tuple[Claim, ...]
    wording: str  # beside the facts
    near: str  # the text of the slot and beside it
    silent: bool  # whether it is about the page


class Sign(NamedTuple):
    """What shows of a slot at first sight."""

    text: str
    fact: bool  # whether there may be one


class FoldedText(NamedTuple):
    """A folded text, and its slots."""

    text: str
    begins: I64  # of each symbol
    ends: I64
    body: int  # where it begins, behind lines between ``---``: they are about the page
    title: str  # says what the page is about
    start: int  # of its symbols among all
    spans: list[tuple[int, int, int, int]]  # symbols of all, and characters, of each slot

    @classmethod
    def of(cls, text: str, title: str, start: int) -> FoldedText:
        """Return a text whose symbols begin at `start`, without slots."""
        folded = _WRAPPED.sub("", fold(text).replace("\r\n", "\n"))
        _, begins, ends = places(folded)
        return cls(folded, begins, ends, _behind_matter(folded), title, start, [])

    def at(self, spans: I64) -> FoldedText:
        """Return the text with slots: ranges of symbols (int64[n, 2])."""
        # Before the first symbol (-1) is the beginning of the text.
        lefts = np.append(self.ends, 0)[spans[:, 0] - self.start - 1]
        rights = np.append(self.begins, len(self.text))[spans[:, 1] - self.start]
        return self._replace(spans=np.column_stack([spans, lefts, rights]).tolist())

    def signs(self, terms: re.Pattern[str] | None) -> Iterator[Sign]:
        """Yield what shows without a look at facts of each slot."""
        text, look = self.text, sign_of_facts().search
        for _, _, left, right in self.spans:
            # Most slots of laws and manuals: another number of an article, or of an item.
            number = _NUMBER.match(text, left)
            if number and number.end() == right:
                yield Sign("", False)
                continue
            fact = left >= self.body and bool(
                look(text, left - _BESIDE, right + _BESIDE)
                or (_LATIN.search(text, left - 1, right + 1) and self._in_address(left, right))
                or (terms and terms.search(text, left - _NEAR, right + _NEAR))
            )
            yield Sign(text[left:right], fact)

    def _in_address(self, left: int, right: int) -> bool:
        """Return whether a range may be within an address."""
        first = left - _ascii_before(self.text, left)
        return _ADDRESS.search(self.text, first, _ascii_to(self.text, right)) is not None

    def parts(self, terms: re.Pattern[str] | None) -> Iterator[SlotText]:
        """Yield what the text has in each slot."""
        for start, end, left, right in self.spans:
            facts, wording, done = list[Claim](), list[str](), left
            low, window = self._window(left, right)
            for fact in self._facts(window, low, right, terms):
                if fact.end < left:
                    continue
                first = int(np.searchsorted(self.ends, fact.start, "right")) + self.start
                last = int(np.searchsorted(self.begins, fact.end)) + self.start
                facts.append(Claim(first, last, *fact[:2], self._silent(fact)))
                wording.append(self.text[done : fact.start])
                done = max(done, fact.end)
            wording.append(self.text[done:right])
            content, words = self.text[left:right], " ".join(wording)
            yield SlotText(start, end, content, tuple(facts), words, window, left < self.body)

    def _silent(self, fact: Fact) -> bool:
        """Return whether a fact is about the page: in front of it, or a code of its title."""
        return fact.start < self.body or (fact.kind == "code" and fact.value in fold(self.title))

    def _window(self, left: int, right: int) -> tuple[int, str]:
        """Return a slot and the text beside it, which may have the rest of a fact, and where."""
        text, low = self.text, max(left - _NEAR, 0)
        # A long word may be an address.
        low -= _ascii_before(text, low)
        high = _ascii_to(text, right + _NEAR)
        # Within a line, a window does not begin with the beginning of a line.
        within = low > 0 and text[low - 1] != "\n"
        return low - within, ";" * within + text[low:high]

    def _facts(
        self, window: str, low: int, right: int, terms: re.Pattern[str] | None
    ) -> Iterator[Fact]:
        """Yield the facts that begin before the end of a slot, without names of other things."""
        names = [one.span() for one in _NAMES.finditer(window)] if _NAMED.search(window) else ()
        for kind, value, first, last in find_facts(window, terms, right - low):
            # A path names another page.
            if (kind == "code" and "/" in value) or (kind == "address" and _PATH.match(value)):
                continue
            if not any(one <= first and last <= other for one, other in names):
                yield Fact(kind, value, first + low, last + low)


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
    wording: int  # units that only one has; more than a few, if their facts cannot be compared


def difference(a: SlotText, b: SlotText) -> Difference:
    """Return in what two parts of a slot differ."""
    facts = [[one for one in part.facts if one.kind != _NEGATION] for part in (a, b)]
    if len(facts[0]) != len(facts[1]):
        return Difference([], WORDING_UNITS + 1)
    wording, pairs = wording_units(a.wording, b.wording), list(zip(*facts, strict=True))
    named = [(x, y) for x, y in pairs if x.silent and y.silent and not same(x, y)]
    wording += sum(wording_units(x.value, y.value) for x, y in named)
    pairs = [pair for pair in pairs if pair not in named]
    if not all(same(*pair) or _comparable(*pair) for pair in pairs):
        return Difference([], WORDING_UNITS + 1)
    negated = [any(one.kind == _NEGATION for one in part.facts) for part in (a, b)]
    # As many near it: one of them has only moved within the sentence.
    if (
        negated[0] != negated[1]
        and all(same(*pair) for pair in pairs)
        and _negations(a.near) != _negations(b.near)
    ):
        # Whatever else differs: "may" and "must not".
        wording = wording_units(*(_MODAL.sub("", part.wording) for part in (a, b)))
        pairs = [] if wording else [(_whole(a, _NEGATION), _whole(b, _NEGATION))]
    elif wording and not pairs:
        pairs = [(_whole(a, WORDING), _whole(b, WORDING))]
    return Difference(pairs, wording)


def _negations(text: str) -> int:
    return sum(fact.kind == _NEGATION for fact in find_facts(text))


def _comparable(x: Claim, y: Claim) -> bool:
    """Return whether one of two facts could be a wrong form of the other."""
    if x.kind == y.kind == "code":
        return _WORDS_IN.findall(x.value) == _WORDS_IN.findall(y.value)
    return x.kind == y.kind or {x.kind, y.kind} <= _PRECISE


def same(x: Claim, y: Claim) -> bool:
    """Return whether two claims are equal, or one says less."""
    return agree(Fact(x.kind, x.value, 0, 0), Fact(y.kind, y.value, 0, 0))


def wording_units(a: str, b: str) -> int:
    """Return the units of words that only one of two texts has, the larger side."""
    if a == b:
        return 0
    one, other = set(_TOKENS.findall(a)), set(_TOKENS.findall(b))
    return max(
        sum(2 if word[0] < "\u2e80" else 1 for word in own) for own in (one - other, other - one)
    )


def least_wording(a: Sign, b: Sign, usual: bool) -> int:
    """Return the least units of wording that one of two slots has alone, whatever their facts.

    They are known only where all facts are made of the `usual` characters.
    """
    if not (a.fact or b.fact):
        return wording_units(a.text, b.text)
    if not usual:
        return 0
    one, other = set(_PLAIN_HAN.findall(a.text)), set(_PLAIN_HAN.findall(b.text))
    return max(len(one - other), len(other - one))


def plain_characters(symbols: Symbols) -> set[str]:
    """Return the characters among symbols that are in no fact."""
    characters = symbols[symbols < _HALVES].astype("<u4").tobytes().decode("utf-32-le", "replace")
    return set(_PLAIN_HAN.findall(characters))


def _whole(part: SlotText, kind: str) -> Claim:
    return Claim(part.start, part.end, kind, "".join(part.text.split()), part.silent)
