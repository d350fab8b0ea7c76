"""Short texts: what is compared of them, their numbers, and edits; `docs/methods.md` says which."""

import math
import re
import unicodedata
from collections.abc import Set
from fractions import Fraction
from functools import lru_cache

from . import plain

SHORT = 120  # letters
FEW_LETTERS = 8  # a Chinese character counts as two
# Links, names after an at sign, digits on keycaps.
MARKS = (
    r"(?:https?://|ftp://|www\.)[!-~]+",
    r"(?<![a-z0-9_.])@(?:[a-z0-9_][a-z0-9_.-]*|[\w-]{1,20}(?=[\s:]|$))",
    "[0-9#*]\ufe0f?\u20e3",
)


@lru_cache(maxsize=1024)
def form(folded: str) -> str:
    """What a text is compared by where it is short."""
    return _form(folded)[0]


def numbers(folded: str) -> tuple[str, ...]:
    """The numbers in it, in order, in plain digits."""
    return _form(folded)[1]


def run_length(longer: int) -> int:
    """The letters of a run: one more each time that the longer form is twice as long."""
    length = 4
    while longer >= 240 and length < 10:
        longer, length = longer // 2, length + 1
    return length


def runs(form: str, length: int) -> set[str]:
    """All runs of so many letters, of which a Chinese character is two; a shorter form is one."""
    halves = "".join(c + c if c >= "\u2e80" else c for c in form)
    return {halves[i : i + length] for i in range(max(1, len(halves) - length + 1))}


def contents(a: str, b: str) -> tuple[Set[str], Set[str]]:
    """The sets of two folded texts that containment compares: runs if one is short."""
    forms = form(a), form(b)
    if min(map(len, forms)) >= SHORT:
        return plain.shingles(a), plain.shingles(b)
    length = run_length(max(map(len, forms)))
    return runs(forms[0], length), runs(forms[1], length)


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


def placed_runs(form: str) -> set[tuple[str, int, int]]:
    """The runs of two characters, each with the two windows of 8 that it begins in."""
    if len(form) < 2:
        return {(form, 0, 0), (form, 1, 0)}
    found = set()
    for place in range(len(form) - 1):
        run = form[place : place + 2]
        found |= {(run, 0, place // 8), (run, 1, (place + 4) // 8)}
    return found


def edit_similarity(a: str, b: str) -> Fraction:
    """The share of the longer text that stays where one becomes the other."""
    longer = max(len(a), len(b))
    return Fraction(longer - plain.edit_distance(a, b), longer)
