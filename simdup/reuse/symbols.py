"""Symbols: a text as the units that the length of a passage is counted in.

A phrase of fifty Chinese characters is a paragraph, one of fifty English letters is half a
sentence.  So a character of a script without spaces is one symbol, and a word of a script with
spaces is two: the halves of its hash, as a Chinese word is nearly two characters.  A punctuation
mark is one, white space none.  A word that a hyphen divides at the end of a line is one word.
Whatever counts, sorts or compares lengths sees symbols only.

Symbols are uint32: code points as they are, halves of hashes with the highest bit set.

*Offsets* lead from symbols back to the characters of the text as it was before folding.  Folding
makes two letters of a ligature, one character of a letter and its accent, none of a soft hyphen.  A
passage may begin only where the text can be cut so that its folded form is cut there, too; where it
cannot, in either text, the passage begins a symbol later or ends a symbol earlier.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.kernels.characters import look_up
from simdup.search.arrays import I64, U32, Bools
from simdup.text.characters import ends_of, fold_segments, to_codes

Symbols = U32

# The longest English words have some twenty letters; beyond, it is base64 or DNA, and its
# characters count one each.
LONGEST_WORD = 24

# A symbol in place of one that is not to be compared.  Like `end_marks` it is between the code
# points and the halves of words.
HOLE = np.uint32((1 << 31) - 1)
_CODE_POINTS = 0x110000

_UNKNOWN, _SPACE, _ALONE, _WORD = range(4)
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
    return SymbolTexts(*_cut(to_codes("".join(texts)), ends_of(texts))[:2])


def cut_lines(texts: Sequence[str]) -> tuple[SymbolTexts, I64]:
    """Return folded texts as symbols, and the symbols that lines begin with but for the first."""
    codes = to_codes("".join(texts))
    starts, symbols, begins, _ = _cut(codes, ends_of(texts))
    feeds = np.flatnonzero(codes == ord("\n"))
    return SymbolTexts(starts, symbols), np.unique(np.searchsorted(begins, feeds))


def places(text: str) -> SymbolPlaces:
    """Return a folded text as symbols, with their characters; halves of a word have all of it."""
    return SymbolPlaces(*_cut(to_codes(text), ends_of([text]))[1:])


def end_marks(texts: I64) -> Symbols:
    """Return the symbol behind each text: nothing else is equal to it."""
    return (_CODE_POINTS + 2 * texts).astype(np.uint32)


def hole_marks(texts: I64) -> Symbols:
    """Return the symbol of each text in place of holes: it is equal to nothing but these."""
    return end_marks(texts) + np.uint32(1)


def is_hole(symbols: Symbols) -> Bools:
    """Return which symbols are text of a template, or a mark behind a text."""
    holes: Bools = (symbols >= _CODE_POINTS) & (symbols <= HOLE)
    return holes


class Units(NamedTuple):
    """The units of texts, or of documents, that count: those outside some spans.

    Texts are one after the other, with a mark behind each; what is in none of them does not count.
    """

    firsts: I64  # int64[texts + 1]: where each text begins
    starts: I64  # of the spans, which do not overlap, rising
    ends: I64

    @classmethod
    def outside_holes(cls, firsts: I64, symbols: Symbols, given: Bools | None = None) -> Units:
        """Return the units of texts that are surrounded, without what a template has.

        See `hole_marks`; the marks behind texts are in none of them.  What is `given`, by symbol,
        does not count either.
        """
        holes = is_hole(symbols)
        if given is not None:
            holes |= given[: len(symbols)]
        edges = np.flatnonzero(np.diff(holes, prepend=False, append=False))
        return cls(firsts, edges[::2], edges[1::2])

    @property
    def sizes(self) -> I64:
        """How many units of each text count."""
        texts = np.arange(len(self.firsts) - 1)
        return self.before(texts, np.diff(self.firsts) - 1)

    def before(self, texts: I64 | int, places: I64) -> I64:
        """Return how many units that count are before places in texts."""
        first = self.firsts[texts]
        found: I64 = self._all_before(first + places) - self._all_before(first)
        return found

    def _all_before(self, places: I64) -> I64:
        part = np.searchsorted(self.starts, places, "right")
        gone = np.append(0, np.cumsum(self.ends - self.starts))[part]
        found: I64 = places - gone + np.maximum(np.append(0, self.ends)[part] - places, 0)
        return found

    def spans(self, text: int) -> I64:
        """Return the spans in a text that do not count (int64[n, 2])."""
        first, end = self.firsts[[text, text + 1]] - [0, 1]
        low, high = np.searchsorted(self.ends, first, "right"), np.searchsorted(self.starts, end)
        inside = np.clip(np.stack([self.starts[low:high], self.ends[low:high]], 1), first, end)
        found: I64 = inside - first
        return found


def _cut(codes: U32, ends: I64) -> tuple[I64, Symbols, I64, I64]:
    """Return symbols; see `simdup.kernels.passages.cut`."""
    from simdup.kernels.passages import cut

    return cut(codes, ends, look_up(_table(), codes, _UNKNOWN, _kind), LONGEST_WORD)


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


class Offsets(NamedTuple):
    """Where each symbol of a text begins and ends in it; -1 where the text cannot be cut there."""

    begins: I64
    ends: I64


def offsets(texts: Sequence[str]) -> tuple[Offsets, I64]:
    """Return where the symbols of texts are, and where those of each text begin (int64[texts]).

    Positions are those of the texts joined by a space: no hyphen at the end of one divides a word.
    """
    text_starts = ends_of([f"{text} " for text in texts])[:-1]
    text = " ".join(texts)
    folded, cuts, folded_cuts = fold_segments(text, text_starts[text_starts < len(text)])
    _, starts, ends = places(folded)
    # Of several cuts at one place, with dropped characters between, a passage takes the inner ones.
    first, last = np.full((2, len(folded) + 1), -1)
    first[folded_cuts[::-1]] = cuts[::-1]
    last[folded_cuts] = cuts
    begins, ends_in_text = last[starts], first[ends]
    # Both halves of a word have all of it: no passage begins with the second one.
    same = np.flatnonzero(np.diff(starts) == 0)
    begins[same + 1] = -1
    ends_in_text[same] = -1
    firsts = np.searchsorted(starts, folded_cuts[np.searchsorted(cuts, text_starts)])
    return Offsets(begins, ends_in_text), firsts


def characters(texts: Sequence[str], owners: I64, spans: I64) -> I64:
    """Return where spans of symbols (int64[n, 2]) begin and end in texts; -1 as in `Offsets`.

    `owners` has the number of the text that each is of.
    """
    (begins, ends), firsts = offsets(texts)
    own = spans + firsts[owners, None]
    found = np.stack([begins[own[:, 0]], ends[own[:, 1] - 1]], 1)
    text_starts = ends_of([f"{text} " for text in texts])[owners, None]
    return np.where(found < 0, -1, found - text_starts)


def spans_in(text: str, spans: I64) -> I64:
    """Return where ranges of symbols (int64[n, 2]) begin and end in a text, wider where it cannot
    be cut; an empty one is behind the symbol before.
    """
    (begins, ends), _ = offsets([text])
    first, last = np.flatnonzero(begins >= 0), np.flatnonzero(ends >= 0)
    found = np.empty_like(spans)
    # The first symbols may not be cut from what is before them, such as a line end.
    found[:, 0] = np.append(0, begins[first])[np.searchsorted(first, spans[:, 0], "right")]
    found[:, 1] = np.append(ends[last], len(text))[np.searchsorted(last, spans[:, 1] - 1)]
    empty = spans[:, 0] == spans[:, 1]
    found[empty, 0] = found[empty, 1]
    return found


def symbols_before(text: str, places: I64) -> I64:
    """Return how many symbols begin before each place of a text."""
    (begins, _), _ = offsets([text])
    # Where the text cannot be cut, a symbol begins with the one before.
    return np.searchsorted(np.maximum.accumulate(np.maximum(begins, 0)), places)


# From the numbers of documents and a span of symbols in each to characters, as `characters` does.
LookUp = Callable[[I64, I64], I64]

# Characters of documents that are folded together: short ones cost as much one by one.
_BATCH = 1 << 18


def look_up_in(read: Callable[[int], str]) -> LookUp:
    """Return the function that looks spans up in the texts of documents."""

    def look_up(documents: I64, spans: I64) -> I64:
        found = np.empty_like(spans)
        order = np.argsort(documents, kind="stable")
        each, firsts = np.unique(documents[order], return_index=True)
        ends = np.append(firsts, len(order))[1:]
        low, texts, size = 0, list[str](), 0
        for number, document in enumerate(each.tolist()):
            texts.append(read(document))
            size += len(texts[-1])
            if size >= _BATCH or number == len(each) - 1:
                rows = order[firsts[low] : ends[number]]
                owners = np.repeat(np.arange(len(texts)), (ends - firsts)[low : number + 1])
                found[rows] = characters(texts, owners, spans[rows])
                low, texts, size = number + 1, [], 0
        return found

    return look_up


def locate(look_up: LookUp, documents: I64, a: I64, b: I64) -> tuple[I64, I64]:
    """Return the characters of spans that pairs of documents share, cut alike in both.

    Parameters
    ----------
    look_up : callable
        See `LookUp`.
    documents : int64[n, 2]
        The pairs.
    a, b : int64[n, 2]
        Where each span begins and ends in either, in symbols; the first symbols are equal, and so
        are the last ones.
    """
    a, b = a.copy(), b.copy()
    found = np.zeros((2, *a.shape), np.int64)
    left = np.arange(len(a))
    while len(left):
        # Each document is looked up once for both sides.
        both = look_up(documents[left].T.ravel(), np.concatenate([a[left], b[left]]))
        found[:, left] = both.reshape(2, -1, 2)
        uncut = found[:, left].min(axis=0) < 0
        for side in (a, b):
            side[left] += uncut * np.array([1, -1])
        left = left[uncut.any(axis=1)]
        empty = (a[left, 0] >= a[left, 1]) | (b[left, 0] >= b[left, 1])
        found[:, left[empty]] = 0
        left = left[~empty]
    return found[0], found[1]
