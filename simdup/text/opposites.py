"""Words that exclude each other, where two texts differ.

They are in a table (``opposites.txt``), or their form says so: paid and unpaid, upload and
download.  A single character or letter counts only in the place of another one: a numeral, 上 for
下, A for B.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

# Kinds of difference.
NUMBER, OPPOSITE = "number", "opposite"
# From here on, characters are words or parts of words without spaces between them.
HAN = "\u2e80"
# A word or a character, its start and its end: a plain tuple, because there are many.
Token = tuple[str, int, int]
Span = tuple[int, int]


def related(
    a: Sequence[Token], ours: Span, b: Sequence[Token], theirs: Span
) -> Iterator[tuple[str, Span, Span]]:
    """Yield words of two texts that exclude each other.

    Parameters
    ----------
    a, b : sequence of (str, int, int)
        The words of both texts.
    ours, theirs : (int, int)
        Where they differ: places in `a` and in `b`, end exclusive.

    Yields
    ------
    kind : str
        ``opposite``, ``number`` for members of a series, or empty for words that mean the same.
    a, b : (int, int)
        Where the words are in the texts.
    """
    words = _listed(a, *ours)
    related = False
    for word, other_word in product(words, _listed(b, *theirs) if words else ()):
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
            if kind and (all(kinds) or (x[0] < HAN and y[0] < HAN)):
                yield kind, x[1:], y[1:]


# Tokens in whose places there can be others one by one.
_ALIGNED = 3
# Han characters of the longest word that is looked up, and words of the longest phrase.
_LONGEST, _PHRASE = 6, 3


class _Listed(NamedTuple):
    """A word of the table in a text."""

    span: tuple[int, int]
    meanings: tuple[tuple[int, int], ...]  # (set, side)


def _listed(tokens: Sequence[Token], low: int, high: int) -> list[_Listed]:
    """Return the longest words of the table that have a token of a range in them."""
    words, _ = table()
    listed = list[tuple[int, int, tuple[tuple[int, int], ...]]]()
    for start in range(max(low - _LONGEST + 1, 0), high):
        han = tokens[start][0] >= HAN
        phrase = ""
        for end in range(start + 1, min(start + (_LONGEST if han else _PHRASE), len(tokens)) + 1):
            token = tokens[end - 1][0]
            if (token >= HAN) != han:
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
    if x < HAN and y < HAN:
        return NUMBER if x.isalpha() == y.isalpha() and "\0" not in (x, y) else ""
    _, singles = table()
    for one, side in singles.get(x, ()):
        for other, other_side in singles.get(y, ()):
            if one == other and side != other_side:
                return NUMBER if 0 > one >= -len(_SERIES) else OPPOSITE
    return ""


def of_series(x: str, y: str) -> bool:
    """Return whether two characters are members of a series, and no opposites."""
    if len(x) != 1 or len(y) != 1:
        return False
    _, singles = table()
    lines, others = (dict(singles.get(character, ())) for character in (x, y))
    return max(lines.keys() & others.keys(), default=-1) < 0


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
                to = singles if len(word) == 1 and word >= HAN else words
                to.setdefault(word.replace("_", " "), []).append((number, side))
    return tuple(  # type: ignore[return-value]
        {word: tuple(meanings) for word, meanings in some.items()} for some in (words, singles)
    )
