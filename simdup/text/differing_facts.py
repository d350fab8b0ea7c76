"""The facts in which two short texts differ.

A message, a title or a line says one thing, and one word makes another thing of it: another number,
another day, another host, "not", or "after" for "before".  So short texts that differ in a fact are
no near-duplicates, however similar they are.

Facts that have a value are aligned in their order.  A *key* is made of what every spelling of them
has in common, so that only texts with the same key need to be compared.  All else is asked about a
pair: units and years that only some texts have, addresses, negations, and words that exclude each
other (`simdup.text.opposites`).  These are found where the words of the texts differ.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from simdup.base.when_used import pattern
from simdup.model.readings import FactDifference
from simdup.text.characters import fold_segments
from simdup.text.facts import Fact, agree, read
from simdup.text.opposites import HAN, NUMBER, OPPOSITE, Token, of_series, related

# Kinds of difference that are no kinds of facts with a value.
NEGATION, ADDRESS = "negation", "address"
# Kinds of difference, the most precise first.
KINDS = (
    "address", "date", "time", "version", "percent", "amount", "code", "number", "negation",
    "opposite",
)  # fmt: skip
# An article, 一个 or a bare 1 often says nothing: such a fact may be missing.
_BARE = "1"


class Difference(NamedTuple):
    """A fact in which two texts differ.

    Attributes
    ----------
    kind : str
        The kind of the fact: ``number`` also for one numeral, letter or character of a series in
        the place of another, and ``opposite`` for words that exclude each other.
    a, b : (int, int)
        Where each text has it, end exclusive; an empty range for nothing.
    """

    kind: str
    a: tuple[int, int]
    b: tuple[int, int]


class Restated(NamedTuple):
    """A short text as it is compared with others."""

    text: str  # each fact in one spelling, without links, names and numbers of lists
    key: str  # equal for texts whose facts may be the same
    # What texts have in common that differ only in the values of their facts; empty without any.
    frame: str = ""
    kind: str = ""  # of all its facts; empty for several kinds


def restate(texts: Sequence[str], addresses: bool = False) -> list[Restated]:
    """Return folded texts with each fact in one spelling, and the keys of their facts.

    Parameters
    ----------
    texts : sequence of str
        Folded texts.
    addresses : bool
        Whether links and names stay in the texts; they are in no key.

    Examples
    --------
    >>> restate(["3. 第三集下午3点见，共1,000人 https://example.org"])[0][:2]
    ('  3集15:00见，共1000人  ', '3 15:00 1000')
    """
    # All are read at a time: most have few facts, or none.
    joined = _BETWEEN.join(texts)
    facts = iter([*read(joined), _END])
    kind, value, start, end = next(facts)
    restated, text_end = list[Restated](), -len(_BETWEEN)
    for text in texts:
        done = text_end + len(_BETWEEN)
        text_end = done + len(text)
        if start >= text_end:
            restated.append(Restated(text, ""))
            continue
        parts, key, frame, kinds = list[str](), list[str](), list[str](), set[str]()
        while start < text_end:
            stays = kind == ADDRESS and (addresses or not _LINK.match(value))
            if kind != NEGATION and not stays:
                gap = joined[done:start]
                done = end
                parts.append(gap)
                frame.append(gap)
                if value and kind != ADDRESS:
                    spelling, core = _stated(kind, value, joined[start:end])
                    parts.append(spelling)
                    if core:
                        key.append(core)
                    kinds.add(kind or NUMBER)
                else:
                    parts.append(" ")
            kind, value, start, end = next(facts)
        rest = joined[done:text_end]
        parts.append(rest)
        frame.append(rest)
        only = kinds.pop() if len(kinds) == 1 else ""
        framed = "\0".join(frame) if only or kinds else ""
        restated.append(Restated("".join(parts), " ".join(key), framed, only))
    return restated


# What says nothing about a text: each copy of a message may have another link.
_LINK = pattern(r"[a-z][a-z+.-]*://|www\.|@")
# No fact goes from one text to the next.
_BETWEEN = "\n\0\n"
_END = Fact("", "", sys.maxsize, sys.maxsize)


def differences(a: str, b: str) -> list[Difference]:
    """Return the facts in which two short folded texts differ, in their order.

    Texts with different keys differ in one at least.

    Examples
    --------
    >>> [one.kind for one in differences("每次10毫克，饭前服用", "每次20毫克，饭后服用")]
    ['amount', 'opposite']
    """
    (differing,) = differences_of([(a, b)])
    return differing


def differences_of(pairs: Sequence[tuple[str, str]]) -> list[list[Difference]]:
    """Return the differences of each pair of texts.

    Their facts are read at a time: to begin a text costs as much as to read one.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    facts = dict(zip(texts, _read_each(texts), strict=True))
    differing = list[list[Difference]]()
    for a, b in pairs:
        # Words could be aligned otherwise, and it must not matter who asks.
        first, second = (_Read(text, facts[text]) for text in sorted((a, b)))
        found = _differences(first, second) if a != b else []
        if a > b:
            found = [Difference(kind, one, other) for kind, other, one in found]
        differing.append(found)
    return differing


class _Read(NamedTuple):
    """A text with its facts."""

    text: str
    facts: list[Fact]


def _read_each(texts: Sequence[str]) -> list[list[Fact]]:
    facts = iter([*read(_BETWEEN.join(texts)), _END])
    fact, begin, each = next(facts), 0, list[list[Fact]]()
    for text in texts:
        of_text, end = list[Fact](), begin + len(text)
        while fact.start < end:
            of_text.append(Fact(*fact[:2], fact.start - begin, fact.end - begin))
            fact = next(facts)
        each.append(of_text)
        begin = end + len(_BETWEEN)
    return each


def _differences(a: _Read, b: _Read) -> list[Difference]:
    differing = [*_values(a, b), *_addresses(a, b), *_words(a, b)]
    return sorted(differing, key=lambda one: (one.a, one.b))


def located_differences(a: str, b: str) -> list[FactDifference]:
    """Return the facts in which two short texts differ, where they are in the texts as written."""
    folded = fold_segments(a), fold_segments(b)
    differing = []
    for kind, *spans in differences(folded[0].folded, folded[1].folded):
        places = []
        for (start, end), (_, cuts, folded_cuts) in zip(spans, folded, strict=True):
            first = np.searchsorted(folded_cuts, start, "right") - 1
            last = np.searchsorted(folded_cuts, end) if end > start else first
            places.append((int(cuts[first]), int(cuts[last])))
        (start, end), (b_start, b_end) = at_a, at_b = places
        written = " ".join(a[start:end].split()), " ".join(b[b_start:b_end].split())
        differing.append(FactDifference(kind, *written, at_a, at_b))
    return differing


# -- facts with a value --


# What is counted stays: 三个 is 3个.
_COUNTER = pattern("[\u4e00-\u9fff](?<![零〇一二两三四五六七八九十百千万亿廿卅])")
_NUMERALS = pattern(r"[\d零〇一二两三四五六七八九十百千万亿.-]+|\b[ivx]+\b")


# The same facts are written again and again.
@lru_cache(1 << 14)
def _stated(kind: str, value: str, written: str) -> tuple[str, str]:
    """Return a fact in one spelling, and its core."""
    if kind in ("code", "version"):
        return written, _core(kind, value)
    if kind == NUMBER and _COUNTER.match(written[-1:]):
        return value + written[-1], _core(kind, value)
    # Of 第三条, the word stays.
    spelling = value if kind else _NUMERALS.sub(f" {value} ", written, count=1)
    return spelling, _core(kind, value)


@lru_cache(1 << 14)
def _core(kind: str, value: str) -> str:
    """Return what is the same in every spelling of a fact, with or without a unit or a year.

    Empty for a bare 1, which often says nothing.
    """
    core = value
    if kind == "date":
        year, *days = value.replace("--", "-", 1).split("-")
        core = " ".join(days) or year
    elif kind in ("amount", "percent"):
        core = value.partition(" ")[0]
    elif kind == "code":
        core = re.sub("[^a-z0-9]", "", value)
    elif kind == "version":
        core = re.sub(r"(?:\.0)+$", "", value)
    return "" if core == _BARE else core


def _values(a: _Read, b: _Read) -> Iterator[Difference]:
    """Yield the facts with a value that differ."""
    first, second = (
        [fact for fact in facts if fact.value and fact.kind not in (NEGATION, ADDRESS)]
        for _, facts in (a, b)
    )
    if not first and not second:
        return
    cores = ([_core(*fact[:2]) for fact in facts] for facts in (first, second))
    for low, high, left, right in _opcodes(*cores):
        one, other = first[low:high], second[left:right]
        if len(one) == len(other):
            for x, y in zip(one, other, strict=True):
                if not agree(x, y) or _measured_otherwise(x, y, a.text, b.text):
                    yield Difference(_kind(x, y), x[2:], y[2:])
            continue
        if rest := [fact for fact in one + other if _core(*fact[:2])]:
            spans = _span(one, first, low, a.text), _span(other, second, left, b.text)
            yield Difference(_kind(*rest[:2]), *spans)


def _measured_otherwise(x: Fact, y: Fact, a: str, b: str) -> bool:
    """Return whether a number has a short word behind it where the other one has a unit."""
    if {x.kind, y.kind} != {"number", "amount"}:
        return False
    bare, text = (x, a) if x.kind == "number" else (y, b)
    return _BEHIND.match(text, bare.end) is not None


_BEHIND = pattern(r"\s?[a-z]{1,2}(?!\w)")


def _kind(*facts: Fact) -> str:
    return min((fact.kind or "number" for fact in facts), key=KINDS.index)


def _span(some: Sequence[Fact], facts: Sequence[Fact], place: int, text: str) -> tuple[int, int]:
    if some:
        return some[0].start, some[-1].end
    start = facts[place].start if place < len(facts) else len(text)
    return start, start


def _opcodes(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ranges of two sequences that are aligned, equal ones item by item."""
    if a == b:
        yield from ((i, i + 1, i, i + 1) for i in range(len(a)))
        return
    from rapidfuzz.distance import Levenshtein

    for code in Levenshtein.opcodes(a, b):
        yield code.src_start, code.src_end, code.dest_start, code.dest_end


# -- addresses --


def _addresses(a: _Read, b: _Read) -> Iterator[Difference]:
    """Yield addresses in whose place the other text has another; one may have left some out."""
    first, second = ([fact for fact in facts if fact.kind == ADDRESS] for _, facts in (a, b))
    if not first or not second:
        return
    values = [Counter(fact.value for fact in some) for some in (first, second)]
    ones = [fact for fact in first if fact.value not in values[1]]
    others = [fact for fact in second if fact.value not in values[0]]
    for x, y in zip(ones, others, strict=False):
        yield Difference(ADDRESS, x[2:], y[2:])


# -- words --

# A grade has its sign, and a sum.
_TOKEN = pattern(r"(?<![a-z])[a-z][+-](?!\w)|[+*/×÷=<>-](?=\s?\d)|[a-z]+(?:['’][a-z]+)*|[^\W_]")


_LETTER = pattern(r"[^\W_]|[+*/×÷=<>-]")


def _tokens(read: _Read, low: int, high: int) -> list[Token]:
    """Return the words and Han characters of a range; a fact with a value is one token."""
    text, facts = read
    tokens, done = list[Token](), low
    for kind, value, start, end in [*facts, Fact("", "", high, high)]:
        if kind == NEGATION or end <= low:
            continue
        for word in _TOKEN.finditer(text, done, min(start, high)):
            tokens.append((word[0], *word.span()))
        if start >= high:
            break
        if value:
            tokens.append(("\0", start, end))
        done = end
    return tokens


# Characters beside a difference that make a word or a phrase with it; half as many of Han.
_BESIDE = 12


def _differing(a: str, b: str, negated: bool) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the ranges of two texts outside of which they are equal, with whole words beside.

    None if they differ in no letter, or if nothing is negated and one only has words between those
    of the other.
    """
    from rapidfuzz.distance import Postfix, Prefix

    before = int(Prefix.similarity(a, b))
    behind = int(Postfix.similarity(a[before:], b[before:]))
    ends = len(a) - behind, len(b) - behind
    differing = a[before : ends[0]] + b[before : ends[1]]
    if not _LETTER.search(differing):
        return None
    if not negated and before in ends:
        beside = a[before - 1 : before], differing[0], differing[-1], a[ends[0] : ends[0] + 1]
        left, first, last, right = ((c.isalnum() and c < HAN) or c in ("'", "’") for c in beside)
        if not ((left and (first or right)) or (last and right)):
            return None
    low = _outwards(a, before, -1)
    first_end, second_end = (
        _outwards(text, end, 1) for text, end in zip((a, b), ends, strict=True)
    )
    return (low, first_end), (low, second_end)


def _outwards(text: str, place: int, step: int) -> int:
    """Return where what is beside a place ends, forwards (1) or backwards (-1)."""
    beside = text[place : place + 1] if step > 0 else text[place - 1 : place]
    place += step * (_BESIDE if beside < HAN else _BESIDE // 2)
    if place <= 0 or place >= len(text):
        return min(max(place, 0), len(text))
    while 0 < place < len(text):
        character = text[place if step > 0 else place - 1]
        if character >= HAN or not character.isalnum():
            break
        place += step
    return place


def _words(read_a: _Read, read_b: _Read) -> Iterator[Difference]:
    """Yield words that exclude each other, and negations that only one text has."""
    a, b = read_a.text, read_b.text
    negated = any(fact.kind == NEGATION for _, facts in (read_a, read_b) for fact in facts)
    ranges = _differing(a, b, negated)
    if ranges is None:
        return
    first, second = (
        _tokens(read, *part) for read, part in zip((read_a, read_b), ranges, strict=True)
    )
    negations = [
        [fact for fact in facts if fact.kind == NEGATION and low <= fact.start < high]
        for (_, facts), (low, high) in zip((read_a, read_b), ranges, strict=True)
    ]
    covered: list[list[tuple[int, int]]] = [[], []]
    ranges_negated: list[list[tuple[int, int]]] = [[], []]
    differing, replaced = list[Difference](), 0
    words = [token[0] for token in first], [token[0] for token in second]
    for low, high, left, right in _opcodes(*words) if words[0] != words[1] else ():
        one, other = first[low:high], second[left:right]
        if words[0][low:high] == words[1][left:right]:
            continue
        for ranges_of, some in zip(ranges_negated, (one, other), strict=True) if negated else ():
            few = some and max(len(one), len(other)) <= _NEGATED
            if few and all(_WITH_NEGATION.fullmatch(token[0]) for token in some):
                ranges_of.append((some[0][1], some[-1][2]))
        if one and other:
            replaced += 1
            for kind, x, y in related(first, (low, high), second, (left, right)):
                covered[0].append(x)
                covered[1].append(y)
                if kind:
                    differing.append(Difference(kind, x, y))
    if replaced > 1 and "\n" in a.strip() and "\n" in b.strip():
        # In verses, 上 and 下 are no parts of a series, and 春 is nearly 秋.
        differing = [one for one in differing if not of_series(a[slice(*one.a)], b[slice(*one.b)])]
    alone, others = (
        [
            (fact.start, fact.end)
            for fact in some
            if _within(fact.start, inside) and not _within(fact.start, outside)
        ]
        for some, inside, outside in zip(negations, ranges_negated, covered, strict=True)
    )
    more = len(alone) - len(others)
    if more % 2 and [found.kind for found in differing] == [OPPOSITE]:
        return  # "not open" is closed
    yield from differing
    # Two negations are none: 不得不.
    if more % 2:
        yield Difference(NEGATION, (alone or [(0, 0)])[-1], (others or [(0, 0)])[-1])


# Tokens in which a negation is one; in more, something else is said.
_NEGATED = 5
# What can be with a negation where texts differ; with other words, something else is said.
_WITH_NEGATION = pattern(
    "[不没未无非勿毋甭别禁止严切并从绝也还都再曾暂概均将是有会能可以要必须应当得让准许用想肯敢愿太够予去来人权法已]"
    r"|not|no|never|without|cannot|neither|nor|non|any|an?|yet|longer|more|ever|always|been?|to"
    r"|it|they|we|you|i|can|will|may"
    r"|(?:do|does|did|is|are|was|were|has|have|had|ca|could|wo|would|should|must|might|need)"
    r"(?:n['’]?t)?"
)


def _within(place: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in ranges)
