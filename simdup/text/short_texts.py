"""Short texts, as their edit similarity sees them: messages, titles, verses.

One changed word changes a third of a message's shingles, and a link adds as many as the message
has.  So the *form* of a short text keeps only letters, digits and their marks; links, names after
an at sign, emoji and punctuation are left out.  Numbers are read from the text, because they make
different texts of "第1集" and "第2集", however similar these are; the form has them in digits.
"""

from __future__ import annotations

import hashlib
import re
import sys
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.when_used import pattern
from simdup.kernels.characters import letters, look_up
from simdup.kernels.sketches import runs
from simdup.model.criteria import SHORT
from simdup.text.characters import CODE_POINTS, PreparedText, cut_at, ends_of, from_codes, to_codes
from simdup.text.shingles import Sets

# A text keeps its links and names if fewer letters would be left: a Han character counts as two.
_FEW_LEFT = 8

_LINK = pattern(r"(?:https?://|ftp://|www\.)[!-~]+", re.IGNORECASE)
# A name of other letters ends where a space or a colon follows: without them, nobody knows where.
_NAME = pattern(r"(?<![a-z0-9_.])@(?:[a-z0-9_][a-z0-9_.-]*|[\w-]{1,20}(?=[\s:]|$))", re.IGNORECASE)
_KEYCAP = pattern("[0-9#*]\ufe0f?\u20e3")

_HAN_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_HAN = "".join([*_HAN_DIGITS, *_HAN_UNITS])
_ROMAN = {"i": 1, "v": 5, "x": 10}
# A single numeral before these is a number: a date, a floor, an episode.  一点 is "a little".
_COUNTED = "时日号月年天周楼层栋室班级集章节条届期季回册卷页组区元块斤等路居"
_NUMBER = pattern(
    # One look at what a number can begin with, before all that it can be.
    rf"(?=[-\d日天{_HAN}]|(?<![a-z0-9])[ivx]{{2}})(?:"
    rf"(?P<sign>(?<![a-zA-Z0-9])-)?(?P<digits>(?<![\d.])\d+\.\d+(?!\.?\d)|\d+(?:,\d{{3}}(?!\d))*)"
    rf"(?P<unit>[十百千万亿]*)(?P<share>[%‰]?)"
    rf"|(?<=第)(?P<nth>[{_HAN}]+)"
    r"|(?<=星期)(?P<weekday>[一二三四五六日天])|(?<=周)(?P<day>[一二三四五六日])"
    rf"|(?P<several>[{_HAN}]{{2,}})"
    rf"|(?P<one>[一两二三四五六七八九十])(?=[{_COUNTED}])|(?P<hour>[两二三四五六七八九十])(?=点)"
    r"|(?<![a-z0-9])(?P<roman>[ivx]{2,4})(?![a-z0-9]))"
)

# What the form does with a character: those from the third on are kept.  Numerals, Latin ones too,
# may become fewer.
_UNKNOWN, _DROPPED, _AFTER_LATIN, _KEPT, _LATIN, _NUMERAL, _ROMAN_NUMERAL = range(7)
# Characters from this on (Han, kana, Hangul) say about as much as two letters.
_DENSE = 0x2E80
# Shingles of four letters, or of two to three Han characters.  Of 3,000 English sentences, those of
# three letters have four times as many candidates by chance.
RUN = 4
# Five Han characters, as shingles of all other texts have.
_LONGEST_RUN = 10
# The letters of a text from which on runs have one letter more.
_DOUBLED = SHORT << np.arange(1, _LONGEST_RUN - RUN + 1)
# Of text without spaces, half are letters that no spelling changes, nearly always.
_HEAD = 2
# Letters of a link or a name that is cut off before it looks like one.
_CUT = 8


class Forms(NamedTuple):
    """The forms of texts."""

    rows: NDArray[np.int64]  # int64[forms]: which of the texts have one, ascending
    texts: list[str]
    numbers: list[tuple[str, ...]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The characters of each form (int64[forms])."""
        return np.fromiter(map(len, self.texts), np.int64, len(self.texts))

    @property
    def number_hashes(self) -> NDArray[np.uint64]:
        """A hash of each form's numbers (uint64[forms]); 0 without numbers."""
        return np.fromiter(map(_hash, self.numbers), np.uint64, len(self.numbers))


def forms_of(prepared: Sequence[PreparedText], longest: int = sys.maxsize) -> Forms:
    """Return the forms of the texts whose form has at most `longest` characters.

    Empty texts have none.

    Parameters
    ----------
    prepared : sequence of PreparedText
        Folded texts.  Without folding, letters in upper and lower case are different.
    longest : int
        At least `_FEW_LEFT`.
    """
    rows = [i for i, text in enumerate(prepared) if text.compact]
    if longest < sys.maxsize:
        heads = [_without_links(prepared[i].folded[: _HEAD * longest]) for i in rows]
        rows = list(compress(rows, _least_letters(heads) <= longest + _CUT))
    spelled = [spell_numbers(_without_links(prepared[i].folded)) for i in rows]
    forms = _letters([text for text, _ in spelled])
    few = [i for i, form in enumerate(forms) if len(form) < _FEW_LEFT > _weight(form)]
    whole = [spell_numbers(prepared[rows[i]].folded) for i in few]
    for i, one, form in zip(few, whole, _letters([text for text, _ in whole]), strict=True):
        spelled[i], forms[i] = one, form or prepared[rows[i]].compact
    kept = [i for i, form in enumerate(forms) if len(form) <= longest]
    return Forms(
        np.array([rows[i] for i in kept], np.int64),
        [forms[i] for i in kept],
        [spelled[i][1] for i in kept],
    )


def spell_numbers(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text with its numbers in digits, and the numbers in order.

    These are numbers in digits, also with a Han unit ("3万"), a share ("5%") or a decimal point;
    Roman and Han numerals of at least two characters; single Han numerals after 第 or 星期, or
    before what is counted with them.

    Examples
    --------
    >>> spell_numbers("第一集 2024-01-05 三点 共1,000人 3.50万 一个 Part iv 周日")[1]
    ('1', '2024', '1', '5', '3', '1000', '35000', '4', '7')
    """
    numbers: list[str] = []

    def spell(number: re.Match[str]) -> str:
        found = _spell(number)
        if not found:
            return number[0]
        numbers.append(found)
        return found

    return _NUMBER.sub(spell, text), tuple(numbers)


def run_lengths(longer: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the letters of the runs by which a short text is contained in another (int64[pairs]).

    A text of twice the length has twice as many runs, and so by chance twice as many of the short
    one.  The next letter of a text has a bit of information at least (Shannon 1951), so a run of
    one letter more is half as likely by chance, and that of two texts of any lengths is about the
    same.

    Parameters
    ----------
    longer : int64[pairs]
        The letters of the longer form.

    References
    ----------
    C. Shannon, "Prediction and entropy of printed English", Bell System Technical Journal 30.

    Examples
    --------
    >>> run_lengths(np.array([20, 120, 240, 1000, 100_000])).tolist()
    [4, 4, 5, 7, 10]
    """
    doublings = np.searchsorted(_DOUBLED, longer, "right")
    return np.minimum(RUN + doublings, _LONGEST_RUN)


def form_sets(forms: Sequence[str], run: int = RUN) -> Sets:
    """Return the shingles of forms: runs in which a Han character counts as two letters."""
    codes = to_codes("".join(forms))
    sizes = np.where(codes >= _DENSE, 2, 1)
    ends = np.append(0, np.cumsum(sizes))
    return Sets(*runs(ends[ends_of(forms)], np.repeat(codes, sizes), run))


def _without_links(text: str) -> str:
    """Return a text without links, names and digits on keycaps."""
    if "://" in text or "www." in text or "@" in text:
        text = _NAME.sub(" ", _LINK.sub(" ", text))
    return _KEYCAP.sub(" ", text) if "\u20e3" in text else text


def _letters(texts: Sequence[str]) -> list[str]:
    """Return texts without everything that is no letter, digit or mark."""
    codes = to_codes("".join(texts))
    left, ends = letters(codes, ends_of(texts), _kinds(codes))
    return cut_at(from_codes(left), ends)


def _least_letters(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return how many letters of each text its form has at least: those in no number."""
    kinds = _kinds(to_codes("".join(texts)))
    firm = (kinds == _KEPT) | (kinds == _LATIN)
    return np.diff(np.append(0, np.cumsum(firm))[ends_of(texts)])


def _kinds(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    return look_up(_table(), codes, _UNKNOWN, _kind)


def _kind(character: str) -> int:
    if character in "+#":
        return _AFTER_LATIN
    if "a" <= character.lower() <= "z":
        return _ROMAN_NUMERAL if character in _ROMAN else _LATIN
    if character in _HAN or character.isdecimal():
        return _NUMERAL
    # Marks that only choose how an emoji looks.
    chooses = "\ufe00" <= character <= "\ufe0f" or character == "\u20e3"
    letter = unicodedata.category(character)[0] in "LMN"
    return _KEPT if letter and not chooses else _DROPPED


@cache
def _table() -> NDArray[np.uint8]:
    """Return the table of kinds, which fills itself: `unicodedata` is asked once a character."""
    table = np.full(CODE_POINTS, _UNKNOWN, np.uint8)
    table[0x4E00:0xA000] = _KEPT
    table[list(map(ord, _HAN))] = _NUMERAL
    return table


def _weight(form: str) -> int:
    """Return how much a form says, in letters."""
    return sum(2 if ord(c) >= _DENSE else 1 for c in form)


def _spell(number: re.Match[str]) -> str:
    """Return a number in plain digits; empty for Han units without a digit, such as 千万."""
    if number["digits"]:
        if number[0].isascii() and number[0].isdigit():
            return number[0].lstrip("0") or "0"
        value = Decimal(number["digits"].replace(",", ""))
        for unit in number["unit"]:
            value *= _HAN_UNITS[unit]
        plain = f"{value:f}"
        plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
        return (number["sign"] or "") + plain + number["share"]
    if day := number["weekday"] or number["day"]:
        return str(_HAN_DIGITS.get(day, 7))
    if number["roman"]:
        return _roman(number["roman"])
    if number["several"] and not any(c in _HAN_DIGITS for c in number["several"]):
        return ""
    return _value(next(filter(None, map(number.group, ("nth", "several", "one", "hour")))))


def _roman(numeral: str) -> str:
    values = [_ROMAN[c] for c in numeral]
    following = [*values[1:], 0]
    return str(sum(-v if v < n else v for v, n in zip(values, following, strict=True)))


def _value(han: str) -> str:
    """Return the value of a numeral: 二〇二四 is 2024, 十二 is 12."""
    if not any(c in _HAN_UNITS for c in han):
        return "".join(str(_HAN_DIGITS[c]) for c in han).lstrip("0") or "0"
    total = part = digit = 0
    for c in han:
        unit = _HAN_UNITS.get(c, 0)
        if not unit:
            digit = _HAN_DIGITS[c]
        elif unit < 10**4:
            part, digit = part + (digit or 1) * unit, 0
        elif total < unit:
            total, part, digit = (total + part + digit or 1) * unit, 0, 0
        else:
            total, part, digit = total + (part + digit) * unit, 0, 0
    return str(total + part + digit)


def _hash(numbers: tuple[str, ...]) -> int:
    if not numbers:
        return 0
    joined = " ".join(numbers).encode()
    return int.from_bytes(hashlib.blake2b(joined, digest_size=8).digest(), "big")
