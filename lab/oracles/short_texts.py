"""Short texts: what is compared of them, their facts, and edits; `docs/methods.md` says which."""

import re
import unicodedata
from collections.abc import Set
from fractions import Fraction
from functools import lru_cache

from simdup.text.differing_facts import differences, restate

from . import plain

SHORT = 120  # letters
FEW_LETTERS = 8  # a Chinese character counts as two
KEYCAP = "[0-9#*]\ufe0f?\u20e3"  # its digit is decoration


@lru_cache(maxsize=1024)
def form(folded: str) -> str:
    """What a text is compared by where it is short; facts are read by `simdup.text`."""
    bare = re.sub(KEYCAP, " ", folded)
    for text, addresses in ((bare, False), (folded, True)):
        letters = _letters(restate([text], addresses)[0].text)
        if sum(2 if c >= "\u2e80" else 1 for c in letters) >= FEW_LETTERS:
            break
    return letters or plain.solid(folded)


@lru_cache(maxsize=4096)
def same_facts(a: str, b: str) -> bool:
    """Whether two folded texts differ in no fact."""
    (one,), (other,) = restate([a]), restate([b])
    return one.key == other.key and not differences(a, b)


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


def _letters(text: str) -> str:
    """Letters, digits and marks; the signs of C++ and C# too."""
    found = ""
    for place, c in enumerate(text):
        kept = unicodedata.category(c)[0] in "LMN" and not "\ufe00" <= c <= "\ufe0f"
        if c in "+#":
            kept = re.search("[a-z][+#]?$", text[:place]) is not None
        found += c if kept and c != "\u20e3" else ""
    return found


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
