"""A text cut into words that keep their places, as people read it: no character is left out.

Runs of Chinese characters are cut by the segmenter, on their folded form, so that a text in
traditional characters is cut like the same one in simplified characters.  Everything else is cut
into Unicode words, scripts that put no spaces between words into characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple

from simdup.features.analyzer import Analyzer

_HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
# Thai to Myanmar, Khmer, kana.
_WITHOUT_SPACES = "\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff"


# A longer word is a guess of the segmenter's at what it does not know.
_LONGEST = 8


class Words(NamedTuple):
    """The words of a text: each begins where the one before it ends."""

    keys: list[str]  # folded, without white space: what is compared
    stops: list[int]  # where each word ends in the text as it was
    ends: list[int]  # where the white space behind each ends


def cut_words(text: str, analyzer: Analyzer) -> Words:
    """Cut a text into words with the white space that follows each."""
    found = list(_pattern(text).finditer(text))
    han = _cut_runs([match["han"] for match in found if match["han"]], analyzer)
    bodies: list[str] = []
    stops: list[int] = []
    ends: list[int] = []
    for match in found:
        stop = match.start("space")
        sizes = next(han) if match["han"] else [stop - match.start()]
        at = list(accumulate(sizes, initial=match.start()))
        bodies += (text[start:end] for start, end in pairwise(at))
        stops += at[1:]
        ends += [*at[1:-1], match.end()]
    return _with_keys(bodies, stops, ends, analyzer)


def _pattern(text: str) -> re.Pattern[str]:
    """Return the pattern of a word and the white space behind it.

    Marks belong to the character before them, and so does what folding drops: neither may be cut
    off.  Only those that the text has are named; all of them would be a slow pattern.
    """
    marks = "".join(re.escape(c) for c in sorted(set(text)) if _joins(c))
    letters = f"(?:(?![{_HAN}{_WITHOUT_SPACES}])[\\w{marks}])+"
    word = f"{letters}(?:['’]{letters}|(?<=\\d)[.,](?=\\d){letters})*"
    one = f"\\S[{marks}]*" if marks else "\\S"
    han = f"[{_HAN}][{_HAN}{marks}]*"
    return re.compile(f"(?:(?P<han>{han})|{word}|{one}|(?=\\s))(?P<space>\\s*)")


def _joins(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "M" or category == "Cf"


def _cut_runs(runs: list[str], analyzer: Analyzer) -> Iterator[list[int]]:
    """Yield the sizes of the words of each run of Chinese characters."""
    folded = [text.folded for text in analyzer.prepare_all(runs)]
    tokens = iter(analyzer.words("\n".join(folded)))
    for run, form in zip(runs, folded, strict=True):
        sizes = list(_sizes_in(form, tokens))
        # Folding that drops characters moves all places behind them.
        yield sizes if len(run) == len(form) == sum(sizes) else [1] * len(run)


def _sizes_in(run: str, tokens: Iterable[str]) -> Iterator[int]:
    left = sum(map(len, re.findall("\\w", run)))
    for token in tokens if left else ():
        yield from [len(token)] if len(token) <= _LONGEST else [1] * len(token)
        left -= len(token)
        if left <= 0:
            return


def _with_keys(bodies: list[str], stops: list[int], ends: list[int], analyzer: Analyzer) -> Words:
    """Return words with their keys; what folds to nothing is white space behind another."""
    distinct = list(dict.fromkeys(bodies))
    compact = (text.compact for text in analyzer.prepare_all(distinct))
    key_of = dict(zip(distinct, compact, strict=True))
    words = Words([], [], [])
    for body, stop, end in zip(bodies, stops, ends, strict=True):
        key = key_of[body]
        if not key and words.ends:
            words.ends[-1] = end
            continue
        words.keys.append(key)
        words.stops.append(stop if key else 0)
        words.ends.append(end)
    return words
