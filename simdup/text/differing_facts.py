"""The facts in which two short texts differ.

A message, a title or a line says one thing, and one word makes another thing of it: another number,
another day, another host, "not", or "after" for "before".  So short texts that differ in a fact are
no near-duplicates, however similar they are.

Facts that have a value are aligned in their order.  A *key* is made of what every spelling of them
has in common, so that only texts with the same key need to be compared.  All else is asked about a
pair: units and years that only some texts have, addresses, negations, and words that exclude each
other.  These are found where the words of the texts differ, in a table (``opposites.txt``) or by
their form: paid and unpaid, upload and download, one numeral or one letter in the place of another.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simdup.base.when_used import pattern
from simdup.model.readings import FactDifference
from simdup.text.characters import fold_segments
from simdup.text.facts import Fact, agree, read

# Kinds of difference that are no kinds of facts with a value.
NEGATION, ADDRESS, NUMBER, OPPOSITE = "negation", "address", "number", "opposite"
# Kinds of difference, the most precise first.
KINDS = (
    "address", "date", "time", "version", "percent", "amount", "code", "number", "negation",
    "opposite",
)  # fmt: skip
# An article, 一个 or a bare 1 often says nothing: such a fact may be missing.
_BARE = "1"
# Texts whose facts are remembered: of a family, one is compared with all others.
_REMEMBERED = 1 << 12


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

    text: str  # each fact in one spelling, without addresses and numbers of lists
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
        Whether addresses stay in the texts; they are in no key.

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
            if kind != NEGATION and not (kind == ADDRESS and addresses):
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
    if a == b:
        return []
    if a > b:
        # Words could be aligned otherwise, and it must not matter who asks.
        return [Difference(kind, one, other) for kind, other, one in differences(b, a)]
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


@lru_cache(_REMEMBERED)
def _facts(folded: str) -> list[Fact]:
    return list(read(folded))


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


def _values(a: str, b: str) -> Iterator[Difference]:
    """Yield the facts with a value that differ."""
    first, second = (
        [fact for fact in _facts(text) if fact.value and fact.kind not in (NEGATION, ADDRESS)]
        for text in (a, b)
    )
    cores = ([_core(*fact[:2]) for fact in facts] for facts in (first, second))
    for low, high, left, right in _opcodes(*cores):
        one, other = first[low:high], second[left:right]
        if len(one) == len(other):
            for x, y in zip(one, other, strict=True):
                if not agree(x, y) or _measured_otherwise(x, y, a, b):
                    yield Difference(_kind(x, y), x[2:], y[2:])
            continue
        if rest := [fact for fact in one + other if _core(*fact[:2])]:
            spans = _span(one, first, low, a), _span(other, second, left, b)
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


def _addresses(a: str, b: str) -> Iterator[Difference]:
    """Yield addresses in whose place the other text has another; one may have left some out."""
    first, second = ([fact for fact in _facts(text) if fact.kind == ADDRESS] for text in (a, b))
    values = [Counter(fact.value for fact in some) for some in (first, second)]
    ones = [fact for fact in first if fact.value not in values[1]]
    others = [fact for fact in second if fact.value not in values[0]]
    for x, y in zip(ones, others, strict=False):
        yield Difference(ADDRESS, x[2:], y[2:])


# -- words --

# A grade has its sign, and a sum.
_TOKEN = pattern(r"(?<![a-z])[a-z][+-](?!\w)|[+*/×÷=<>-](?=\s?\d)|[a-z]+(?:['’][a-z]+)*|[^\W_]")


_LETTER = pattern(r"[^\W_]|[+*/×÷=<>-]")


# A word or a character, its start and its end: a plain tuple, because there are many.
_Token = tuple[str, int, int]


def _tokens(text: str, low: int, high: int) -> list[_Token]:
    """Return the words and Han characters of a range; a fact with a value is one token."""
    tokens, done = list[_Token](), low
    for kind, value, start, end in [*_facts(text), Fact("", "", high, high)]:
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


# Characters beside a difference that make a word or a phrase with it.
_BESIDE = 12


def _differing(a: str, b: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the ranges of two texts outside of which they are equal, with whole words beside.

    None if they differ in no letter.
    """
    from rapidfuzz.distance import Postfix, Prefix

    before = int(Prefix.similarity(a, b))
    behind = int(Postfix.similarity(a[before:], b[before:]))
    differing = a[before : len(a) - behind] + b[before : len(b) - behind]
    if not _LETTER.search(differing):
        return None
    low = max(before - _BESIDE, 0)
    while low and a[low - 1].isalnum() and a[low - 1] < _HAN:
        low -= 1
    ends = (min(len(text) - behind + _BESIDE, len(text)) for text in (a, b))
    first, second = (
        next(
            (i for i in range(end, len(text)) if not text[i].isalnum() or text[i] >= _HAN),
            len(text),
        )
        for end, text in zip(ends, (a, b), strict=True)
    )
    return (low, first), (low, second)


def _words(a: str, b: str) -> Iterator[Difference]:
    """Yield words that exclude each other, and negations that only one text has."""
    ranges = _differing(a, b)
    if ranges is None:
        return
    first, second = (_tokens(text, *part) for text, part in zip((a, b), ranges, strict=True))
    negations = [
        [fact for fact in _facts(text) if fact.kind == NEGATION and low <= fact.start < high]
        for text, (low, high) in zip((a, b), ranges, strict=True)
    ]
    covered: list[list[tuple[int, int]]] = [[], []]
    ranges_negated: list[list[tuple[int, int]]] = [[], []]
    differing, replaced = list[Difference](), 0
    words = [token[0] for token in first], [token[0] for token in second]
    for low, high, left, right in _opcodes(*words) if words[0] != words[1] else ():
        one, other = first[low:high], second[left:right]
        if words[0][low:high] == words[1][left:right]:
            continue
        for ranges_of, some in zip(ranges_negated, (one, other), strict=True):
            if some and max(len(one), len(other)) <= _NEGATED:
                ranges_of.append((some[0][1], some[-1][2]))
        if one and other:
            replaced += 1
            for kind, x, y in _related(first, (low, high), second, (left, right)):
                covered[0].append(x)
                covered[1].append(y)
                if kind:
                    differing.append(Difference(kind, x, y))
    if replaced > 1 and "\n" in a.strip() and "\n" in b.strip():
        # In verses, 上 and 下 are no parts of a series, and 春 is nearly 秋.
        differing = [one for one in differing if not _of_series(one, a, b)]
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
    if more:
        yield Difference(NEGATION, (alone or [(0, 0)])[-1], (others or [(0, 0)])[-1])


# Tokens in which a negation is one: in more, something else is said.
_NEGATED = 5


def _within(place: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in ranges)


def _related(
    a: Sequence[_Token], ours: tuple[int, int], b: Sequence[_Token], theirs: tuple[int, int]
) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    """Yield words of two ranges of tokens that exclude each other, and without a kind synonyms."""
    sides = [_listed(tokens, *places) for tokens, places in ((a, ours), (b, theirs))]
    related = False
    for word, other_word in product(*sides):
        meanings = dict(other_word.meanings)
        shared = [side == meanings[line] for line, side in word.meanings if line in meanings]
        if shared:
            related = True
            yield "" if any(shared) else OPPOSITE, word.span, other_word.span
    if related:
        return
    one, other = a[slice(*ours)], b[slice(*theirs)]
    for x, y in product(one, other):
        if x[0].isascii() and y[0].isascii() and formed_opposites(x[0], y[0]):
            yield OPPOSITE, x[1:], y[1:]
    if len(one) == len(other) <= _ALIGNED:
        pairs = list(zip(one, other, strict=True))
        kinds = [_single(x[0], y[0]) for x, y in pairs]
        # One character of a Chinese word is no word.
        for kind, (x, y) in zip(kinds, pairs, strict=True):
            if kind and (all(kinds) or (x[0] < _HAN and y[0] < _HAN)):
                yield kind, x[1:], y[1:]


# Tokens in whose places there can be others one by one.
_ALIGNED = 3
# Han characters of the longest word that is looked up, and words of the longest phrase.
_LONGEST, _PHRASE = 6, 3


class _Listed(NamedTuple):
    """A word of the table in a text."""

    span: tuple[int, int]
    meanings: tuple[tuple[int, int], ...]  # (set, side)


def _listed(tokens: Sequence[_Token], low: int, high: int) -> list[_Listed]:
    """Return the longest words of the table that have a token of a range in them."""
    words, _ = table()
    listed = list[tuple[int, int, tuple[tuple[int, int], ...]]]()
    for start in range(max(low - _LONGEST + 1, 0), high):
        han = tokens[start][0] >= _HAN
        phrase = ""
        for end in range(start + 1, min(start + (_LONGEST if han else _PHRASE), len(tokens)) + 1):
            token = tokens[end - 1][0]
            if (token >= _HAN) != han:
                break
            phrase += token if han or not phrase else f" {token}"
            if end <= low:
                continue
            if meanings := words.get(phrase, ()) if han else _meanings(phrase):
                listed.append((start, end, meanings))
    return [
        _Listed((tokens[start][1], tokens[end - 1][2]), meanings)
        for start, end, meanings in listed
        if not any(x <= start and end <= y and (x, y) != (start, end) for x, y, _ in listed)
    ]


_HAN = "\u2e80"


@lru_cache(1 << 14)
def _meanings(phrase: str) -> tuple[tuple[int, int], ...]:
    """Return the sets and sides of a word or phrase in any form."""
    words, _ = table()
    forms = dict.fromkeys(_stems(phrase))
    return tuple(meaning for form in forms for meaning in words.get(form, ()))


def _stems(word: str) -> Iterator[str]:
    """Yield a word as it is written, and what it may be a form of."""
    yield word
    for ending, rest in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            stem = word[: -len(ending)]
            yield stem + rest
            if not rest and len(stem) > 3 and stem[-1] == stem[-2]:
                yield stem[:-1]


_ENDINGS = (
    ("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ed", "e"), ("ing", ""),
    ("ing", "e"), ("ily", "y"), ("ly", ""), ("ly", "e"), ("er", ""), ("er", "e"), ("ier", "y"),
    ("est", ""), ("est", "e"), ("iest", "y"),
)  # fmt: skip

# Beginnings and ends in whose places others make the opposite.
_BEGINNINGS = tuple(
    pair.split("/")
    for pair in """/un /in /im /il /ir /dis /non /de /mis in/ex in/out in/de im/ex en/dis em/dis
    as/dis ap/dis as/de up/down over/under pre/post max/min out/in inter/intra hyper/hypo
    macro/micro pro/anti on/off fore/back multi/single bi/uni mono/stereo sub/super any/no some/no
    every/no ever/never any/every""".split()  # noqa: SIM905
)
_FINALS = ("ful", "less"), ("er", "ee"), ("or", "ee"), ("", "less")
# Letters that such words share.
_SHARED = 3


def formed_opposites(x: str, y: str) -> bool:
    """Return whether two words are opposites by their form.

    Examples
    --------
    >>> formed_opposites("refundable", "nonrefundable"), formed_opposites("upload", "download")
    (True, True)
    """
    if x[-_SHARED:] != y[-_SHARED:] and x[:_SHARED] != y[:_SHARED]:
        return False
    for one, other in (x, y), (y, x):
        for begin, else_begin in _BEGINNINGS:
            rest = one[len(begin) :]
            if (
                len(rest) >= _SHARED
                and one.startswith(begin)
                and other.startswith(else_begin)
                and other[len(else_begin) :] == rest
            ):
                return True
        for final, else_final in _FINALS:
            if one.endswith(final) and other == one[: len(one) - len(final)] + else_final:
                return True
    return False


def _single(x: str, y: str) -> str:
    """Return how two tokens of one character exclude each other, if they do."""
    if x[1:] in ("+", "-") and y[1:] in ("", "+", "-") and x != y:
        return NUMBER
    if len(x) != 1 or len(y) != 1 or x == y:
        return ""
    if x < _HAN and y < _HAN:
        return NUMBER if x.isalpha() == y.isalpha() and "\0" not in (x, y) else ""
    _, singles = table()
    for one, side in singles.get(x, ()):
        for other, other_side in singles.get(y, ()):
            if one == other and side != other_side:
                return NUMBER if 0 > one >= -len(_SERIES) else OPPOSITE
    return ""


def _of_series(one: Difference, a: str, b: str) -> bool:
    """Return whether two texts differ in members of a series, of one character each."""
    x, y = a[slice(*one.a)], b[slice(*one.b)]
    if len(x) != 1 or len(y) != 1:
        return False
    _, singles = table()
    meanings = [dict(singles.get(one, ())) for one in (x, y)]
    shared = [number for number in meanings[0] if number in meanings[1]]
    return max(shared, default=-1) < 0


# Characters that count or order things.
_SERIES = (
    "零一二三四五六七八九十", "甲乙丙丁戊己庚辛壬癸", "上中下", "子丑寅卯辰巳午未申酉戌亥",
)  # fmt: skip

Meanings = dict[str, tuple[tuple[int, int], ...]]


@cache
def table() -> tuple[Meanings, Meanings]:
    """Return the table of opposites: sets and sides of words, and those of single characters."""
    words, singles = dict[str, list[tuple[int, int]]](), dict[str, list[tuple[int, int]]]()
    for number, series in enumerate(_SERIES, 1):
        for side, character in enumerate(series):
            singles.setdefault(character, []).append((-number, side))
    lines = Path(__file__).with_name("opposites.txt").read_text("utf-8").splitlines()
    for number, line in enumerate(lines, len(_SERIES) + 1):
        if line.startswith("#"):
            continue
        sides = [side.split() for side in line.split(" / ")]
        # Of more than two sides, none is the opposite of another one.
        number = number if len(sides) == 2 else -number
        for side, written in enumerate(sides):
            for word in written:
                to = singles if len(word) == 1 and word >= _HAN else words
                to.setdefault(word.replace("_", " "), []).append((number, side))
    return tuple(  # type: ignore[return-value]
        {word: tuple(meanings) for word, meanings in some.items()} for some in (words, singles)
    )
