"""Folding: texts that differ in form only become the same text.

Four steps, in this order: format characters (category Cf) dropped, Unicode NFKC, case folding,
traditional characters to simplified ones; and again until nothing changes, for one step can give
work to another.  Done as the standard describes it, NFKC alone costs more than the segmenter.  But
characters that neither combine with a neighbour nor arise from one that does fold on their own, so
nearly every text is a single look-up in an array over all code points.  The array fills itself: a
character is folded through `unicodedata` the first time it is met.  Only texts with combining
characters take the long way.
"""

import unicodedata
from functools import cache
from importlib import resources
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from simdup.features.text import from_codes, to_codes

CODE_POINTS = 0x110000
# Marks beside the code points in the table, all above every code point.
UNKNOWN = CODE_POINTS  # not met yet
COMBINING = CODE_POINTS + 1  # takes the long way, as surrogates do
SEVERAL = CODE_POINTS + 2  # folds to nothing or to several characters: SEVERAL + i is _several[i]

# The letters that end a composition: vowels and finals of Hangul, vowels of Kirat Rai.
_JOINING_LETTERS = frozenset(
    map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3), *range(0x16D63, 0x16D6B)))
)

_several: list[str] = [""]


def fold(text: str) -> str:
    """Return `text` in the form in which texts are compared.

    Parameters
    ----------
    text : str
        Any text; a lone surrogate becomes U+FFFD, two that belong together their character.

    Returns
    -------
    str
        The folded text; folding it again changes nothing.

    References
    ----------
    Unicode Standard Annex 15 (NFKC), the Unicode Standard section 3.13 (case folding); the
    character table of OpenCC.
    """
    if text.isascii():
        return text.lower()
    table = _table()
    codes = to_codes(text)
    folded = table[codes]
    top = int(folded.max())
    if top < CODE_POINTS:
        return from_codes(folded)
    if (folded == UNKNOWN).any():
        for code in np.unique(codes[folded == UNKNOWN]).tolist():
            table[code] = _entry(chr(code))
        return fold(text)
    if (folded == COMBINING).any():
        return _fold_slowly(text)
    return _expanded(folded)


def _expanded(folded: NDArray[np.uint32]) -> str:
    """Put the strings of `_several` in the places of their marks."""
    places = np.flatnonzero(folded >= SEVERAL)
    marks = folded[places].tolist()
    plain = from_codes(np.where(folded < CODE_POINTS, folded, 0))
    parts: list[str] = []
    start = 0
    for place, mark in zip(places.tolist(), marks, strict=True):
        parts += plain[start:place], _several[mark - SEVERAL]
        start = place + 1
    parts.append(plain[start:])
    return "".join(parts)


def _fold_slowly(text: str) -> str:
    """Fold by the definition; case folding can undo NFKC, hence the second round."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _in_order("".join(c for c in text if unicodedata.category(c) != "Cf"))
    while True:
        folded = unicodedata.normalize("NFKC", text).casefold().translate(_simplified())
        folded = "".join(c for c in folded if unicodedata.category(c) != "Cf")
        if folded == text:
            return folded
        text = folded


def _in_order(text: str) -> str:
    """Decompose a text and put the marks of each letter in order, as NFKC itself begins.

    But it orders them by insertion: a megabyte of marks on one letter would take it minutes.
    """
    parts = "".join([unicodedata.normalize("NFKD", c) for c in text])
    runs = groupby(parts, lambda c: unicodedata.combining(c) > 0)
    return "".join(["".join(sorted(run, key=unicodedata.combining)) for _, run in runs])


def _entry(character: str) -> int:
    """Return what the table holds for a character."""
    if 0xD800 <= ord(character) < 0xE000 or _combines(character):
        return COMBINING
    folded = _fold_slowly(character)
    if any(_combines(c) for c in folded):
        return COMBINING
    if len(folded) == 1:
        return ord(folded)
    if folded not in _several:
        _several.append(folded)
    return SEVERAL + _several.index(folded)


def _combines(character: str) -> bool:
    """Tell whether NFKC may join this character, or part of it, to the one before it.

    All marks are taken for such, though not all are: asking which would cost more than it spares.
    """
    parts = unicodedata.normalize("NFKC", character)
    return any(unicodedata.category(c)[0] == "M" or c in _JOINING_LETTERS for c in parts)


@cache
def _simplified() -> dict[int, int]:
    """Return the code points of traditional characters and of their simplified ones."""
    lines = resources.files(__package__).joinpath("simplified.txt").read_text("utf-8").splitlines()
    traditional, simplified = (line for line in lines if not line.startswith("#"))
    return {ord(t): ord(s) for t, s in zip(traditional, simplified, strict=True)}


@cache
def _table() -> NDArray[np.uint32]:
    """Return the table; the two great blocks that no Unicode step changes are filled in at once."""
    table = np.full(CODE_POINTS, UNKNOWN, np.uint32)
    han = slice(0x4E00, 0xA000)
    table[han] = np.arange(CODE_POINTS, dtype=np.uint32)[han]
    for traditional, simplified in _simplified().items():
        table[traditional] = simplified
    return table
