"""Characters: code points, the folding of texts, and what is made of a folded text.

*Folding* turns texts that differ only in form into the same text.  There are five steps, in this
order: drop what only chooses a form (format characters, category Cf, and variation selectors),
apply Unicode NFKC, fold case, map traditional and Japanese characters and radicals to simplified
characters, and drop strokes through text.  They are repeated until nothing changes, because the
result of one step can need another.  At last 甚么 is spelled 什么: no other frequent
word is like it.

A stroke (a mark such as U+0336 that overlays a character) is decoration on letters, digits and
punctuation.  On a mathematical symbol it is meaning: ≠ is not =, so it stays there.

Implemented as in the standard, NFKC alone takes longer than the segmenter.  But a character that
neither combines with a neighbour nor results from one that does can be folded alone.  So nearly
every text needs only a look-up in an array over all code points.  The array fills itself:
`unicodedata` folds a character when it first occurs.  Only texts with combining characters are
folded step by step.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.kernels.characters import fold as fold_codes
from simdup.kernels.characters import look_up

# Bytes of a digest: even among 10**18 texts, no two should have the same digest by chance.
DIGEST_BYTES = 16
# The type of digests in arrays.  As strings, they would lose the zeros at their ends.
DIGEST_TYPE = np.dtype(f"V{DIGEST_BYTES}")


def text_digest(text: str) -> bytes:
    """Return a digest of a text's characters."""
    return digest_bytes(text.encode("utf-8", "surrogatepass"))


def digest_bytes(content: bytes | memoryview) -> bytes:
    """Return a digest of some bytes."""
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


def to_codes(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text, including lone surrogates."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def lines_of(text: str, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of the line that each place in a text is in, from 1."""
    return np.searchsorted(np.flatnonzero(to_codes(text) == ord("\n")), places) + 1


def from_codes(codes: NDArray[np.uint32]) -> str:
    """Return the text of some code points."""
    return bytes(codes.astype("<u4", copy=False)).decode("utf-32-le", "surrogatepass")


def ends_of(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return where each text begins when all are joined, and the end (int64[texts + 1])."""
    return np.cumsum([0, *map(len, texts)], dtype=np.int64)


def cut_at(joined: str, ends: NDArray[np.int64]) -> list[str]:
    """Return the texts that were joined; see `ends_of`."""
    return [joined[start:end] for start, end in pairwise(ends.tolist())]


@dataclass(frozen=True)
class PreparedText:
    """A folded text, and the forms derived from it."""

    folded: str  # as it is cut into tokens

    @cached_property
    def compact(self) -> str:
        """The folded text without white space, as it is verified."""
        return "".join(self.folded.split())

    @property
    def spaced(self) -> str:
        """The folded text, with each run of white space replaced by one space."""
        return " ".join(self.folded.split())

    @property
    def digest(self) -> bytes:
        """A digest of the compact text: equal for texts that differ only in white space."""
        return text_digest(self.compact)


# Is part of the digest of recipes that fold: another one for every change of what texts fold to.
FOLDING = 2

CODE_POINTS = 0x110000
# Special values in the table, all above every code point.
UNKNOWN = CODE_POINTS  # has not occurred yet
COMBINING = CODE_POINTS + 1  # is folded step by step, as surrogates are
SEVERAL = CODE_POINTS + 2  # folds to nothing or to several characters: SEVERAL + i is _several[i]

# Letters that can end a composition: vowels and finals of Hangul, vowels of Kirat Rai.
_JOINING_LETTERS = frozenset(
    map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3), *range(0x16D63, 0x16D6B)))
)

# Marks of combining class 1 that overlay any character; others belong to one script each.
_STROKES = frozenset(
    c
    for c in map(chr, (*range(0x300, 0x370), *range(0x20D0, 0x2100)))
    if unicodedata.combining(c) == 1
)
# Mathematics has its own category of symbols.
_SYMBOL = "Sm"
# 甚麽 and 甚麼 are 什么, though 甚 alone is another character than 什.
_WORD, _SPELLED = "甚么", "什么"

_several: list[str] = [""]


def fold(text: str) -> str:
    """Return `text` in the form in which texts are compared; see `fold_all`."""
    return fold_all([text])[0]


def fold_all(texts: Sequence[str]) -> list[str]:
    """Return each text in the form in which texts are compared.

    Parameters
    ----------
    texts : sequence of str
        Any texts; a lone surrogate becomes U+FFFD, a surrogate pair becomes its character.

    Returns
    -------
    list of str
        The folded texts.  Texts do not affect their neighbours, and folding again changes
        nothing.

    References
    ----------
    Unicode Standard Annex 15 (NFKC), the Unicode Standard section 3.13 (case folding); the
    character tables of OpenCC; Unicode Standard Annex 44 (Equivalent_Unified_Ideograph).
    """
    return [text.replace(_WORD, _SPELLED) for text in _fold_each(texts)]


def _fold_each(texts: Sequence[str]) -> list[str]:
    """Fold texts, but for the spelling of words."""
    wide = ["" if text.isascii() else text for text in texts]
    codes, ends, combining = fold_codes(_marks(to_codes("".join(wide))), ends_of(wide), *_strings())
    folded = cut_at(from_codes(codes), ends)
    for i in np.flatnonzero(combining).tolist():
        folded[i] = _fold_slowly(texts[i])
    return [t.lower() if t.isascii() else f for t, f in zip(texts, folded, strict=True)]


class Segments(NamedTuple):
    """A folded text, and where it and the text can be cut alike.

    ``fold(text[cuts[i]:cuts[j]]) == folded[folded_cuts[i]:folded_cuts[j]]`` for all i <= j.
    """

    folded: str
    cuts: NDArray[np.int64]  # in the text, from 0 to its end
    folded_cuts: NDArray[np.int64]  # in the folded text; equal ones where a character is dropped


def fold_segments(text: str, starts: Sequence[int] | NDArray[np.int64] = (0,)) -> Segments:
    """Fold a text and tell which characters became which; see `fold_all`.

    At `starts` it is cut in any case: there texts begin that were joined.
    """
    marks = _marks(to_codes(text))
    sizes = np.ones(len(text), np.int64)
    several = marks >= SEVERAL
    sizes[several] = np.diff(ends_of(_several))[marks[several] - SEVERAL]
    combining = marks == COMBINING
    if not combining.any():
        every = np.arange(len(text) + 1)
        folded = _fold_each([text])
        return _spelled(folded, every, np.append(0, np.cumsum(sizes)), starts)
    # A mark belongs to the letter before, and so does what is dropped between them.
    starting = np.zeros(len(text), np.bool_)
    starting[starts] = True
    places = np.where((sizes > 0) | starting, np.arange(len(text)), len(text))
    following = np.minimum.accumulate(places[::-1])[::-1]
    begins = ~np.append(combining & ~starting, False)[following]
    cuts = np.append(np.flatnonzero(begins), len(text))
    folded = _fold_each(cut_at(text, cuts))
    return _spelled(folded, cuts, ends_of(folded), starts)


def _spelled(
    parts: Sequence[str],
    cuts: NDArray[np.int64],
    folded_cuts: NDArray[np.int64],
    starts: Sequence[int] | NDArray[np.int64],
) -> Segments:
    """Spell the words of folded parts, and cut none of them but where a text begins."""
    folded = "".join(parts)
    if _WORD not in folded:
        return Segments(folded, cuts, folded_cuts)
    begins = folded_cuts[np.searchsorted(cuts, starts)]
    whole = cut_at(folded, np.unique(np.concatenate([[0], begins, [len(folded)]])))
    spelled = "".join([text.replace(_WORD, _SPELLED) for text in whole])
    changed = np.flatnonzero(to_codes(folded) != to_codes(spelled))
    kept = ~np.isin(folded_cuts, changed + 1)
    return Segments(spelled, cuts[kept], folded_cuts[kept])


def _marks(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the table entry of each character."""
    return look_up(_table(), codes, UNKNOWN, _entry)


def _strings() -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the strings of marks from SEVERAL on, and where each begins and ends."""
    return to_codes("".join(_several)), ends_of(_several)


def _fold_slowly(text: str) -> str:
    """Fold by the definition; a second round is needed because case folding can undo NFKC."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _in_order("".join(c for c in text if not _chooses_form(c)))
    while True:
        folded = unicodedata.normalize("NFKC", text).casefold().translate(simplified_characters())
        folded = _without_strokes("".join(c for c in folded if not _chooses_form(c)))
        if folded == text:
            return folded
        text = folded


def _chooses_form(character: str) -> bool:
    """Return whether a character only says how others are written or shown."""
    selects = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    return selects or unicodedata.category(character) == "Cf"


def _without_strokes(text: str) -> str:
    """Return a text without strokes, except on mathematical symbols."""
    if _STROKES.isdisjoint(text):
        return text
    kept, category = [], ""
    for c in text:
        if c not in _STROKES:
            own = unicodedata.category(c)
            category = category if own[0] == "M" else own
        elif category != _SYMBOL:
            continue
        kept.append(c)
    return "".join(kept)


def _in_order(text: str) -> str:
    """Decompose a text and sort the marks of each letter: the first step of NFKC.

    The standard library sorts by insertion: a megabyte of marks on one letter would take minutes.
    """
    parts = "".join([unicodedata.normalize("NFKD", c) for c in text])
    runs = groupby(parts, lambda c: unicodedata.combining(c) > 0)
    return "".join(["".join(sorted(run, key=unicodedata.combining)) for _, run in runs])


def _entry(character: str) -> int:
    """Return the table entry of a character."""
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
    """Return whether NFKC may join this character, or part of it, to the previous one.

    This returns True for all marks, though not all combine: a closer look would cost more than
    it saves.
    """
    if _chooses_form(character):
        return False
    parts = unicodedata.normalize("NFKC", character)
    return any(unicodedata.category(c)[0] == "M" or c in _JOINING_LETTERS for c in parts)


@cache
def simplified_characters() -> dict[int, int]:
    """Return the code points of characters that have a simplified one, and of that one."""
    lines = Path(__file__).with_name("simplified.txt").read_text("utf-8").splitlines()
    rows = [line for line in lines if not line.startswith("#")]
    pairs = zip("".join(rows[::2]), "".join(rows[1::2]), strict=True)
    return {ord(character): ord(simplified) for character, simplified in pairs}


@cache
def _table() -> NDArray[np.uint32]:
    """Return the table, with the two large blocks that no Unicode step changes filled in."""
    table = np.full(CODE_POINTS, UNKNOWN, np.uint32)
    han = slice(0x4E00, 0xA000)
    table[han] = np.arange(CODE_POINTS, dtype=np.uint32)[han]
    for traditional, simplified in simplified_characters().items():
        table[traditional] = simplified
    return table


# -- characters, one for one: places in the folded text are those of the text --

_OTHERS = dict(zip("‐‑−‘’○◯", "---''〇〇", strict=True))
# Narrow, they could be part of an address.
_WIDE = "，；！？（）"


class _Folding(dict[int, int]):
    """The folded character of each, which fills itself."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        folded = _OTHERS.get(character) or unicodedata.normalize("NFKC", character).lower()
        digit = unicodedata.decimal(character, None)
        # Raised and circled digits belong to no number.
        if len(folded) > 1 or character in _WIDE or unicodedata.category(character) == "No":
            folded = character
        folded = folded if digit is None else str(digit)
        self[code] = simplified_characters().get(ord(folded), ord(folded))
        return self[code]


FOLDED_IN_PLACE = _Folding()
