"""Short texts, as their edit similarity sees them: messages, titles, verses.

One changed word changes a third of a message's shingles, and a link adds as many as the message
has.  So the *form* of a short text keeps only letters, digits and their marks; links, names after
an at sign, emoji and punctuation are left out.  Numbers are read from the text, because they make
different texts of "第1集" and "第2集", however similar these are; the form has them in digits.
"""

from __future__ import annotations

import hashlib
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.when_used import pattern
from simdup.kernels.characters import letters, look_up
from simdup.kernels.sketches import runs
from simdup.model.criteria import SHORT
from simdup.text.characters import CODE_POINTS, PreparedText, cut_at, ends_of, from_codes, to_codes
from simdup.text.differing_facts import KINDS, Restated, restate
from simdup.text.fact_values import HAN
from simdup.text.shingles import Sets

# A text keeps its links and names if fewer letters would be left: a Han character counts as two.
_FEW_LEFT = 8

# What may be part of an address, in the head of a text.
_ADDRESS = pattern("[!-~]+[./:@][!-~]+")
_KEYCAP = pattern("[0-9#*]\ufe0f?\u20e3")

# What the form does with a character: those from the third on are kept.
_UNKNOWN, _DROPPED, _AFTER_LATIN, _KEPT, _LATIN, _NUMERAL = range(6)
# Characters from this on (Han, kana, Hangul) say about as much as two letters.
_DENSE = 0x2E80
# Shingles of four letters, or of two to three Han characters.  Of 3,000 English sentences, those of
# three letters have four times as many candidates by chance.
RUN = 4
# Five Han characters, as shingles of all other texts have.
_LONGEST_RUN = 10
# The letters of a text from which on runs have one letter more.
_DOUBLED = SHORT << np.arange(1, _LONGEST_RUN - RUN + 1)
# How many times as many characters and letters the head of a text has as its form may have: facts
# in words have more letters than in one spelling.
_HEAD, _LETTERS = 3, 2


class Forms(NamedTuple):
    """The forms of texts."""

    rows: NDArray[np.int64]  # int64[forms]: which of the texts have one, ascending
    texts: list[str]
    facts: list[Restated]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The characters of each form (int64[forms])."""
        return np.fromiter(map(len, self.texts), np.int64, len(self.texts))

    @property
    def keys(self) -> NDArray[np.uint64]:
        """A hash of each text's facts (uint64[forms]); 0 without facts."""
        return np.fromiter((_hash(one.key) for one in self.facts), np.uint64, len(self.facts))

    def frames(self, similarity: float) -> dict[str, NDArray[Any]]:
        """Return what is equal in texts that differ only in the values of facts of some kind.

        ``frame`` is a hash (uint64[forms]), 0 without facts and where facts are so much of the text
        that it is not similar without them, and ``kind`` the place of the kind in `KINDS`, -1 for
        several.
        """
        frames = (
            _hash(one.frame) if len(one.frame) >= similarity * len(one.text) else 0
            for one in self.facts
        )
        kinds = (KINDS.index(one.kind) if one.kind else -1 for one in self.facts)
        many = len(self.facts)
        return {
            "frame": np.fromiter(frames, np.uint64, many),
            "kind": np.fromiter(kinds, np.int8, many),
        }


# Of pairs that differ in facts of several kinds.
_SEVERAL = "several"


def count_kept_apart(
    frames: NDArray[np.uint64],
    kinds: NDArray[np.int8],
    facts: NDArray[np.uint64],
    measured: Iterable[str] = (),
) -> dict[str, int]:
    """Return the pairs of short texts that a fact keeps apart, by the kind of the fact.

    Texts with other values share no keys, so they are no candidates: those that differ in nothing
    else are counted by what they have in common.

    Parameters
    ----------
    frames, kinds, facts : uint64[forms], int8[forms], uint64[forms]
        As in `Forms`.
    measured : iterable of str
        The kinds in which candidates were measured to differ.

    Returns
    -------
    dict
        The most frequent kind first.
    """
    pairs = Counter(measured)
    framed = np.flatnonzero(frames)
    _, firsts, groups, sizes = np.unique(
        frames[framed], return_index=True, return_inverse=True, return_counts=True
    )
    valued = np.stack([groups.astype(np.uint64), facts[framed]])
    (owners, _), values = np.unique(valued, axis=1, return_counts=True)
    apart = sizes * (sizes - 1) // 2
    np.subtract.at(apart, owners.astype(np.int64), values * (values - 1) // 2)
    for kind in np.unique(kinds[framed][firsts]).tolist():
        if many := int(apart[kinds[framed][firsts] == kind].sum()):
            pairs[KINDS[kind] if kind >= 0 else _SEVERAL] += many
    return dict(pairs.most_common())


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
    most = _LETTERS * longest
    long = [i for i in rows if len(prepared[i].folded) > most]
    if long:
        heads = [_without_addresses(prepared[i].folded[: _HEAD * longest]) for i in long]
        longer = set(compress(long, _lengths(heads) > most))
        rows = [i for i in rows if i not in longer]
    restated = restate([_without_keycaps(prepared[i].folded) for i in rows])
    forms = _letters([one.text for one in restated])
    few = [i for i, form in enumerate(forms) if len(form) < _FEW_LEFT > _weight(form)]
    whole = restate([prepared[rows[i]].folded for i in few], addresses=True)
    for i, each, form in zip(few, whole, _letters([one.text for one in whole]), strict=True):
        restated[i], forms[i] = each, form or prepared[rows[i]].compact
    kept = [i for i, form in enumerate(forms) if len(form) <= longest]
    return Forms(
        np.array([rows[i] for i in kept], np.int64),
        [forms[i] for i in kept],
        [restated[i] for i in kept],
    )


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


def _without_addresses(head: str) -> str:
    # Few Chinese texts have a sign that addresses have.
    return _ADDRESS.sub(" ", head) if any(sign in head for sign in "./:@") else head


def _without_keycaps(text: str) -> str:
    return _KEYCAP.sub(" ", text) if "\u20e3" in text else text


def _letters(texts: Sequence[str]) -> list[str]:
    """Return texts without everything that is no letter, digit or mark."""
    codes = to_codes("".join(texts))
    left, ends = letters(codes, ends_of(texts), _kinds(codes))
    return cut_at(from_codes(left), ends)


def _lengths(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return how many letters and marks each text has, without numerals."""
    kinds = _kinds(to_codes("".join(texts)))
    kept = (kinds >= _KEPT) & (kinds != _NUMERAL)
    return np.diff(np.append(0, np.cumsum(kept))[ends_of(texts)])


def _kinds(codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
    return look_up(_table(), codes, _UNKNOWN, _kind)


def _kind(character: str) -> int:
    if character in "+#":
        return _AFTER_LATIN
    if "a" <= character.lower() <= "z":
        return _LATIN
    if character in HAN or character.isdecimal():
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
    table[list(map(ord, HAN))] = _NUMERAL
    return table


def _weight(form: str) -> int:
    """Return how much a form says, in letters."""
    return sum(2 if ord(c) >= _DENSE else 1 for c in form)


def _hash(key: str) -> int:
    if not key:
        return 0
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big")
