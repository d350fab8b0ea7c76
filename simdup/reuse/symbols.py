"""Symbols: a text as the units that the length of a passage is counted in.

A phrase of fifty Chinese characters is a paragraph, one of fifty English letters is half a
sentence.  So a character of a script without spaces is one symbol, and a word of a script with
spaces is two: the halves of its hash, as a Chinese word is nearly two characters.  A punctuation
mark is one, white space none.  Whatever counts, sorts or compares lengths sees symbols only.

Symbols are uint32: code points as they are, halves of hashes with the highest bit set.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.features.text import look_up, to_codes
from simdup.mix64 import GOLDEN, mix64
from simdup.search.arrays import I64, U32, U64

Symbols = U32

# The longest English words have some twenty letters; beyond, it is base64 or DNA, and its
# characters count one each.
LONGEST_WORD = 24

# A symbol in place of one that is not to be compared.  Like `end_marks` it is between the code
# points and the halves of words.
HOLE = np.uint32((1 << 31) - 1)
_CODE_POINTS = 0x110000

_UNKNOWN, _SPACE, _ALONE, _WORD = range(4)
_HALF = np.uint32(1 << 31)
# First words of the names of characters whose scripts have no spaces between words.
_UNSPACED = frozenset(
    ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "TANGUT",
     "NUSHU", "KHITAN", "YI", "THAI", "LAO", "KHMER", "MYANMAR", "TAI", "NEW")
)  # fmt: skip


class SymbolTexts(NamedTuple):
    """Texts as symbols, one after the other."""

    starts: I64  # int64[texts + 1]: where each begins, and the end
    symbols: Symbols


class SymbolPlaces(NamedTuple):
    """A text as symbols, and the characters that each is made of (int64[symbols])."""

    symbols: Symbols
    starts: I64
    ends: I64


def cut(texts: Sequence[str]) -> SymbolTexts:
    """Return folded texts as symbols."""
    # The space keeps the last word of a text apart from the first of the next.
    symbols, owners = _cut(to_codes(" ".join(texts)))
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    borders = np.cumsum(np.append(0, lengths + 1))
    return SymbolTexts(np.searchsorted(owners, borders), symbols)


def places(text: str) -> SymbolPlaces:
    """Return a folded text as symbols, with their characters; halves of a word have all of it."""
    codes = to_codes(text)
    symbols, owners = _cut(codes)
    ends = owners + 1
    if len(symbols):
        halves = np.flatnonzero(symbols >= _HALF)
        kinds = _kinds_of(codes)
        words = np.flatnonzero(kinds != _WORD)
        ends[halves] = np.append(words, len(codes))[np.searchsorted(words, owners[halves])]
    return SymbolPlaces(symbols, owners, ends)


def end_marks(texts: I64) -> Symbols:
    """Return the symbol behind each text: no other text has it."""
    return (_CODE_POINTS + texts).astype(np.uint32)


def _cut(codes: U32) -> tuple[Symbols, I64]:
    """Return the symbols of code points, and the first character of each."""
    kinds = _kinds_of(codes)
    counts = (kinds != _SPACE).view(np.int8)
    word = kinds == _WORD
    edges = np.flatnonzero(np.diff(word, prepend=False, append=False))
    begins, lengths = edges[::2], edges[1::2] - edges[::2]
    short = lengths <= LONGEST_WORD
    counts[word] = np.repeat(~short, lengths)
    begins, lengths = begins[short], lengths[short]
    counts[begins] = 2
    owners = np.repeat(np.arange(len(codes)), counts)
    symbols = codes[owners]
    hashes = _hash_words(codes, begins, lengths)
    first = np.searchsorted(owners, begins)
    symbols[first] = (hashes >> np.uint64(32)).astype(np.uint32) | _HALF
    symbols[first + 1] = hashes.astype(np.uint32) | _HALF
    return symbols, owners


def _hash_words(codes: U32, begins: I64, lengths: I64) -> U64:
    """Return a hash of each word: a polynomial of its characters, mixed."""
    if not len(begins):
        return np.zeros(0, np.uint64)
    first = np.cumsum(lengths) - lengths
    offsets = np.arange(int(lengths.sum())) - np.repeat(first, lengths)
    powers = np.cumprod(np.full(LONGEST_WORD, GOLDEN))
    letters = codes[np.repeat(begins, lengths) + offsets].astype(np.uint64) * powers[offsets]
    return mix64(np.add.reduceat(letters, first))


def _kinds_of(codes: U32) -> NDArray[np.uint8]:
    return look_up(_table(), codes, _UNKNOWN, _kind)


def _kind(character: str) -> int:
    if character.isspace():
        return _SPACE
    if unicodedata.category(character)[0] not in "LMN":
        return _ALONE
    script = unicodedata.name(character, "").partition(" ")[0]
    return _ALONE if script in _UNSPACED else _WORD


@cache
def _table() -> NDArray[np.uint8]:
    table = np.full(_CODE_POINTS, _UNKNOWN, np.uint8)
    table[0x4E00:0x9FD0] = _ALONE
    table[0xAC00:0xD7A4] = _WORD
    return table
