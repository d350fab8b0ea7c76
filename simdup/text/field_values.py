"""The values of a record's fields: how alike two are, and whether they differ.

*Similarity.*  A title is written with other spelling, accents and markup, a list of authors with
initials in place of names and in another order, a journal abbreviated.  So two values are as
similar as their letters in order, or as the words that they share, whichever says more:

- letters: the edit similarity of the letters and digits, or of two long values the Jaccard
  similarity of their runs of 5.  Below 0.8 it says nothing: 王伟 and 王芳 are two persons.
- words: the share of the letters of both that are in equal words, whatever their order.  A word
  abbreviates another if it begins as that does and its letters follow each other there; then these
  count in both.  A list that ends in "et al." is compared with as much of the other.

Values whose marks differ are different, however similar they are: numbers of any spelling (Part I,
part two, (上), 第三版), and what says that a work is about another one (erratum, reply, 更正).
Nothing is known of two values in different scripts: 王小明 may be Wang Xiaoming.

*Differences.*  A value that must not differ is one or two intervals of numbers, and two values
differ where their intervals do not meet.  A missing value is unbounded, a number with a tolerance
an interval around it, everything else a point.  So whether any two of many values differ is seen
from their largest lower and their smallest upper bound, for intervals of which each two meet have
a point in common (Helly's theorem in one dimension).
"""

from __future__ import annotations

import hashlib
import html
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.when_used import pattern
from simdup.model.criteria import SHORT
from simdup.text.characters import fold_all
from simdup.text.short_texts import spell_numbers

# Two values whose letters are less similar have no more in common than chance gives short ones.
_ALIKE = 0.8
# Runs of letters of long values, as shingles have them.
_RUN = 5
# Of longer lists, abbreviations are not looked for: the time grows with the square of their words.
_MOST_WORDS = 64
# From this on (Han, kana, Hangul), no letters are left out of a word.
_DENSE = "\u2e80"

_TAG = pattern(r"</?[a-zA-Z][^<>]{0,200}>")
_ACCENTS = pattern("[\u0300-\u036f]")
# Letters that no accent is taken from.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})
# Han characters are a word of their own: 王小明 says as much as Wang Xiaoming.
_WORD = pattern("[\u3400-\u9fff\U00020000-\U0003ffff]+|[^\\W_\u3400-\u9fff\U00020000-\U0003ffff]+")
# The rest of a list that names only some.
_REST = pattern(r"[\s,;.]*(?:\b(?:et\.? al|and others|(?<=[;,&] )others)\b|等)[\s.]*$")
# Single numerals that number parts: (一), (上), 上册, 之二.
_ORDINAL = pattern(
    r"[(\[]\s?(?P<a>[一二三四五六七八九十上中下])\s?[)\]]|(?P<b>[上中下])(?=[篇册卷部集编辑])"
    "|(?<=[之其])(?P<c>[一二三四五六七八九十])(?![\u3400-\u9fff])"
)
# A work about another one, which has the title of that.
_NOTICE = pattern(
    r"\b(?:errat(?:um|a)|corrigend(?:um|a)|correction|retraction|reply|response|re(?=:)"
    r"|comment(?:ary)? on)\b|更正|勘误|撤稿|答复|回应"
)
_ENGLISH = {
    word: str(number)
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    )
    for number, word in enumerate(words.split(), 1)
}
_HAN_NUMERALS = {numeral: str(i) for i, numeral in enumerate("一二三四五六七八九十", 1)}
_SINGLE_ROMAN = {"i": "1", "v": "5", "x": "10"}

_DOI = pattern(r"10\.\d{4,9}/\S+")
# What is written beside a number to say what it is.
_UNIT = pattern(r"\b(?:vol(?:ume)?|issue|no|pp?|pages?)\b\.?|[第卷期页号年]")
# More pages may follow: 89-96+119.
_RANGE = pattern(r"([a-z]{0,2})(\d{1,9})\s*[-‐‑–—~]+\s*([a-z]{0,2})(\d{1,9})(?:\s*[+,;&].*)?")
_WHOLE = pattern(r"[\d,]*\d(?:\.\d+)?")
_DATE = pattern(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_SOME_NUMBER = pattern(r"\d+(?:\.\d+)?")

# Intervals of a value: the two ends of a range of pages.
SLOTS = 2


class FieldValue(NamedTuple):
    """A value as it is compared; empty for one without letters and digits."""

    letters: str  # folded, without accents; numbers in digits
    words: tuple[str, ...]
    marks: tuple[str, ...]  # numbers and notices, in order
    numerals: tuple[str, ...]  # single letters that may be Roman numerals, or initials
    shortened: bool  # whether it names only some of a list

    @property
    def all_marks(self) -> list[str]:
        """Its marks and what may be Roman numerals, in order."""
        return sorted(self.marks + self.numerals)

    @property
    def key(self) -> int:
        """A hash that is equal for values of the same words, in any order; 0 for an empty one."""
        return digest64("\0".join(sorted(self.words))) if self.words else 0


def digest64(text: str) -> int:
    """Return a hash of 64 bits, never 0."""
    content = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big") or 1


def plain_values(values: Sequence[str]) -> list[str]:
    """Return values folded, without markup and accents."""
    unmarked = [
        _TAG.sub("", html.unescape(one)) if "&" in one or "<" in one else one for one in values
    ]
    if all(map(str.isascii, unmarked)):
        return list(map(str.lower, unmarked))
    return [one if one.isascii() else _without_accents(one) for one in fold_all(unmarked)]


def _without_accents(text: str) -> str:
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", plain).translate(_LETTERS)


def field_values(values: Sequence[str]) -> list[FieldValue]:
    """Return values as they are compared.

    Examples
    --------
    >>> one, other = field_values(["Müller, John A.; Smith, J.", "J. A. MULLER and Jane Smith"])
    >>> round(similarity(one, other), 2)
    0.7
    """
    return list(map(_field_value, plain_values(values)))


def _field_value(plain: str) -> FieldValue:
    left = _REST.sub("", plain)
    shortened = len(left) < len(plain) and bool(left)
    parts: list[str] = []

    def number_part(found: re.Match[str]) -> str:
        numeral = found["a"] or found["b"] or found["c"]
        parts.append(_HAN_NUMERALS.get(numeral, numeral))
        return f" {parts[-1]} "

    spelled, numbers = spell_numbers(_ORDINAL.sub(number_part, left if shortened else plain))
    words = tuple(_WORD.findall(spelled))
    marks = [
        *numbers,
        *(one for one in parts if not one.isdigit()),  # those in digits are numbers already
        *(_ENGLISH[one] for one in words if one in _ENGLISH),
        *("notice" for _ in _NOTICE.findall(plain)),
    ]
    numerals = tuple(sorted(_SINGLE_ROMAN[one] for one in words if one in _SINGLE_ROMAN))
    return FieldValue("".join(words), words, tuple(sorted(marks)), numerals, shortened)


def similarity(a: FieldValue, b: FieldValue) -> float:
    """Return how similar two values are, from 0 to 1; NaN where nothing is known.

    Neither is empty.
    """
    if a.letters == b.letters:
        return 1.0
    if not _comparable(a.letters, b.letters):
        return math.nan
    if not _same_marks(a, b):
        return 0.0
    letters = _by_letters(a.letters, b.letters)
    return max(letters if letters >= _ALIKE else 0.0, _by_words(a, b))


def _comparable(a: str, b: str) -> bool:
    """Return whether two texts have letters of one script; digits are of any."""
    if a.isascii() and b.isascii():
        return True
    # Whether letters are Han, kana or Hangul, or anything else.
    one, other = ({letter >= _DENSE for letter in text if letter.isalpha()} for text in (a, b))
    return bool(one & other) or not one or not other


def _same_marks(a: FieldValue, b: FieldValue) -> bool:
    """Return whether two values have the same marks, of which some may be Roman numerals."""
    if a.marks == b.marks:
        one, other = Counter(a.numerals), Counter(b.numerals)
        # A single letter that the other value lacks may be an initial.
        return not (one - other and other - one)
    return a.all_marks == b.all_marks


def _by_letters(a: str, b: str) -> float:
    from rapidfuzz.distance import Levenshtein

    if min(len(a), len(b)) < SHORT:
        return float(Levenshtein.normalized_similarity(a, b))
    one, other = ({text[i : i + _RUN] for i in range(len(text) - _RUN + 1)} for text in (a, b))
    return len(one & other) / len(one | other)


def _by_words(a: FieldValue, b: FieldValue) -> float:
    one, other = Counter(a.words), Counter(b.words)
    shared = sum(len(word) * count for word, count in (one & other).items())
    shared += _abbreviated(list((one - other).elements()), list((other - one).elements()))
    sizes = len(a.letters), len(b.letters)
    if a.shortened or b.shortened:
        named = [n for n, value in zip(sizes, (a, b), strict=True) if value.shortened]
        return min(shared / min(named), 1.0)
    return 2 * shared / sum(sizes)


def _abbreviated(a: Sequence[str], b: Sequence[str]) -> int:
    """Return how many letters of words abbreviate words of the other side, each at most once."""
    if len(a) > _MOST_WORDS or len(b) > _MOST_WORDS:
        return 0
    pairs = [
        (-min(len(x), len(y)), min(x, y), max(x, y), i, j)
        for i, x in enumerate(a)
        for j, y in enumerate(b)
        if (abbreviates(x, y) if len(x) < len(y) else abbreviates(y, x))
    ]
    used, others, letters = set[int](), set[int](), 0
    for size, _, _, i, j in sorted(pairs):
        if i not in used and j not in others:
            used.add(i)
            others.add(j)
            letters -= size
    return letters


def abbreviates(short: str, word: str) -> bool:
    """Return whether a word is shortened to another: ``j`` or ``jrnl`` for ``journal``."""
    if short[0] != word[0] or len(short) >= len(word) or short >= _DENSE:
        return False
    rest = iter(word)
    return short.isalpha() and all(letter in rest for letter in short)


# -- differences -----------------------------------------------------------------------------------


def intervals(values: Sequence[str], tolerance: float) -> NDArray[np.float64]:
    """Return the lower and upper bounds of values (float64[n, 2 * SLOTS]), infinite where missing.

    Each row has the lower bounds, then the upper ones.

    Examples
    --------
    >>> intervals(["2019", ""], 1).tolist()
    [[2018.5, -inf, 2019.5, inf], [-inf, -inf, inf, inf]]
    """
    bounds = np.tile([-np.inf] * SLOTS + [np.inf] * SLOTS, (len(values), 1))
    for row, plain in enumerate(plain_values(values)):
        points = _near(plain) if tolerance else _points(plain.strip())
        for slot, point in enumerate(points):
            bounds[row, slot] = round(point - tolerance / 2, 9)
            bounds[row, SLOTS + slot] = round(point + tolerance / 2, 9)
    return bounds


def _near(plain: str) -> Iterable[float]:
    """Return the first number of a value, which a tolerance is for."""
    found = _SOME_NUMBER.search(spell_numbers(plain)[0].replace(",", ""))
    return (float(found[0]),) if found else ()


def _points(plain: str) -> Iterable[float]:
    """Return the points that a value stands for: none if it says nothing."""
    if doi := _DOI.search(plain):
        return (_point(doi[0].rstrip(".,;)]")),)
    bare = spell_numbers(_UNIT.sub(" ", plain))[0].strip(" .:,;")
    if _WHOLE.fullmatch(bare):
        return (_as_number(bare.replace(",", "")),)
    if date := _DATE.fullmatch(bare):
        return (_point("-".join(part.lstrip("0") for part in date.groups())),)
    if pages := _RANGE.fullmatch(bare):
        kind, first, _, last = pages.groups()
        if len(last) < len(first) and int(last) < int(first):  # 1234-41
            last = first[: len(first) - len(last)] + last
        return tuple(_point(kind + n.lstrip("0")) if kind else float(n) for n in (first, last))
    letters = "".join(_WORD.findall(bare))
    return (_point(letters),) if letters else ()


def _as_number(digits: str) -> float:
    number = float(digits)
    # Longer ones are no quantities, and would be rounded.
    return number if number < 1 << 53 and math.isfinite(number) else _point(digits.lstrip("0"))


def _point(text: str) -> float:
    """Return a hash of a text as a number: below 0, so that it is no quantity."""
    return -float(digest64(text) >> 11) - 1


def meet(a: NDArray[np.float64], b: NDArray[np.float64], exactly: Any = False) -> NDArray[np.bool_]:
    """Return which rows of intervals meet (bool[n]); where `exactly`, tolerances do not count."""
    half = a.shape[1] // 2
    low, high = np.maximum(a[:, :half], b[:, :half]), np.minimum(a[:, half:], b[:, half:])
    apart: NDArray[np.bool_] = np.any(low > high, axis=1)
    known = np.isfinite(low) & np.isfinite(high)
    # Intervals of one width meet in all of it only if they are the same.
    widths = np.minimum(a[:, half:] - a[:, :half], b[:, half:] - b[:, :half])
    with np.errstate(invalid="ignore"):
        moved: NDArray[np.bool_] = np.any(known & (high - low < widths - 1e-9), axis=1)
    met: NDArray[np.bool_] = ~(apart | (moved & exactly))
    return met
