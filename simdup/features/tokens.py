"""Cut texts into tokens; the only module that uses jieba."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from simdup.corpus.opening import read_named
from simdup.errors import SimdupError
from simdup.features.folding import fold
from simdup.features.text import cut_at, ends_of, from_codes, to_codes
from simdup.model.recipe import Recipe

Cut = Callable[[str], list[str]]
Tokenizer = Callable[[Sequence[str]], Iterable[list[str]]]

# Runs of dictionary characters, other single Han characters, words of all other scripts.  The 42
# characters from U+9FD6 are in no dictionary: jieba cuts them one by one, and rjieba together.
_LAST = "\u9fd5"
_HAN_RUN = f"[\u4e00-{_LAST}]+"
_OTHER_HAN = "[\u3007\u3400-\u4dbf\u9fd6-\u9fff\uf900-\ufaff\U00020000-\U000323af]"
_OTHER_WORD = "[^\\W\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]+"
_find_others = re.compile(f"{_OTHER_HAN}|{_OTHER_WORD}").findall
_find_all = re.compile(f"{_HAN_RUN}|{_OTHER_HAN}|{_OTHER_WORD}").findall

# Separates the runs of a text that are cut in one call: no dictionary contains it.
GAP = "\n"
_GAP_CODE = np.uint32(ord(GAP))

# More digits than any corpus needs, and fewer than Python refuses to parse.
_FREQUENCY_DIGITS = 18
# The longest word of jieba's own dictionary has 16.  jieba keeps every beginning of a word: one of
# 20,000 characters takes 400 MB, and an index brings its dictionary along.
_WORD_CHARACTERS = 100
_TAG = re.compile("[a-zA-Z]+")


class Dictionary(NamedTuple):
    """A user dictionary in jieba's format: lines ``word [frequency] [tag]``."""

    path: str  # the file it was read from, for messages
    content: bytes  # UTF-8


NO_DICTIONARY = Dictionary("", b"")


def read_dictionary(path: str) -> Dictionary:
    """Read a user dictionary.

    Raises
    ------
    SimdupError
        If it cannot be read or is not UTF-8.
    """
    content = read_named(path)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        raise SimdupError(path, "not valid UTF-8", "save the dictionary as UTF-8") from None
    return Dictionary(path, content)


def tokenizer(
    recipe: Recipe, segmenter: str = "auto", dictionary: Dictionary = NO_DICTIONARY
) -> Tokenizer:
    """Return the function that cuts folded texts into tokens, one list per text.

    If the order of tokens has no meaning (``words``), it is undefined, and tokens of white space
    may appear among the others; these are not terms.

    Parameters
    ----------
    recipe : Recipe
        Its ``tokens`` and ``fold`` are used.
    segmenter : {"auto", "rjieba", "jieba"}
        The engine; it affects only speed.
    dictionary : Dictionary, optional
        The content of the recipe's dictionary.

    Raises
    ------
    SimdupError
        If the engine is not installed, or the dictionary has a line that is too long.
    """
    kind, _, count = recipe.tokens.partition(":")
    if kind == "split":
        return partial(map, str.split)
    if kind == "tagged":
        return partial(map, tagged_words)
    if kind == "chars":
        return partial(map, lambda text: _grams("".join(text.split()), int(count), ""))
    cut = _segmenter(segmenter, dictionary, recipe.fold)
    if kind == "ngrams":
        return partial(map, lambda text: _grams(list(_words_in_order(text, cut)), int(count), " "))
    return lambda texts: _words(texts, cut)


def _words(texts: Sequence[str], cut: Cut) -> Iterator[list[str]]:
    """Yield the words of each text in undefined order; line feeds among them are gaps."""
    parted = _part(["" if text.isascii() else text for text in texts])
    for text, han, others in zip(texts, *parted, strict=True):
        words: list[str] = _find_others(text if text.isascii() else others)
        if han:
            words += cut(han)
        yield words


def _part(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Separate the runs of dictionary characters of each text from everything else.

    numpy does this for many texts at once: for Chinese text it is five times as fast as a search
    for the runs with a regular expression.
    """
    codes, ends = to_codes("".join(texts)), ends_of(texts)
    han = (codes >= 0x4E00) & (codes <= ord(_LAST))
    begins = ends[:-1][np.diff(ends) > 0]
    parted = []
    for wanted in (han, ~han):
        # One character of the other kind is kept after each run, as a gap.
        kept = wanted.copy()
        kept[1:] |= wanted[:-1]
        kept[begins] = wanted[begins]
        places = np.flatnonzero(kept)
        part = from_codes(np.where(wanted, codes, _GAP_CODE)[places])
        parted.append(cut_at(part, np.searchsorted(places, ends)))
    return parted[0], parted[1]


def _words_in_order(text: str, cut: Cut) -> Iterator[str]:
    matches = _find_all(text)
    tokens = iter(cut(GAP.join(m for m in matches if _is_run(m))))
    for match in matches:
        if not _is_run(match):
            yield match
            continue
        for token in tokens:
            if token == GAP:
                break
            yield token


def _is_run(match: str) -> bool:
    return "\u4e00" <= match[0] <= _LAST


def _grams(items: str | list[str], n: int, glue: str) -> list[str]:
    """Return all runs of n items; fewer than n items are one run."""
    return [glue.join(items[i : i + n]) for i in range(max(1, len(items) - n + 1))] if items else []


def tagged_words(text: str) -> list[str]:
    """Return the words of ``word/tag`` items, without punctuation (tags with wn or wd)."""
    items = (item.rpartition("/") for item in text.split())
    return [word for word, _, tag in items if word and "wn" not in tag and "wd" not in tag]


def _segmenter(engine: str, dictionary: Dictionary, folded: bool) -> Cut:
    if dictionary != NO_DICTIONARY:
        # The engines weigh added words differently, so only one of them may read a dictionary.
        if engine == "rjieba":
            raise SimdupError(
                "segmenter",
                "rjieba cannot use a `dictionary`",
                "remove `segmenter`, or set it to jieba",
                field="segmenter",
            )
        return _jieba(dictionary, folded)
    if engine == "jieba" or (engine == "auto" and find_spec("rjieba") is None):
        return _jieba()
    return _rjieba()


def _rjieba() -> Cut:
    try:
        import rjieba
    except ImportError:
        raise SimdupError(
            "segmenter",
            "rjieba is not installed",
            "pip install rjieba, or set `segmenter` to jieba",
            field="segmenter",
        ) from None
    cut: Cut = rjieba.cut
    return cut


@cache
def _jieba(dictionary: Dictionary = NO_DICTIONARY, folded: bool = True) -> Cut:
    # Importing jieba emits deprecation warnings and sets up a verbose log; users need neither.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import logging

        import jieba
    logging.getLogger("jieba").setLevel(logging.CRITICAL + 1)
    engine = jieba.Tokenizer()
    engine.FREQ, engine.total = engine.gen_pfdict(engine.get_dict_file())
    # Marked as initialized, so that it never uses jieba's cache in the shared temporary folder.
    engine.initialized = True
    for word, frequency, tag in _entries(dictionary):
        engine.add_word(fold(word) if folded else word, frequency, tag)
    cut: Cut = engine.lcut
    return cut


def _entries(dictionary: Dictionary) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield the words of a dictionary with their frequencies and tags."""
    for number, line in enumerate(dictionary.content.decode("utf-8-sig").splitlines(), 1):
        if not line.strip():
            continue
        word, frequency, tag = _entry(line.strip())
        what = ""
        if frequency and len(frequency) > _FREQUENCY_DIGITS:
            what = f"a frequency of {len(frequency)} digits (at most {_FREQUENCY_DIGITS})"
        elif len(word) > _WORD_CHARACTERS:
            what = f"a word of {len(word):,} characters (at most {_WORD_CHARACTERS})"
        if what:
            raise SimdupError(f"{dictionary.path}:{number}", what)
        yield word, frequency, tag


def _entry(line: str) -> tuple[str, str | None, str | None]:
    """Return the word of a line, its frequency and its tag; a word may have spaces in it."""
    word, frequency, tag = line, None, None
    *before, last = word.rsplit(None, 1)
    if before and _TAG.fullmatch(last):
        word, tag = before[0], last
    *before, last = word.rsplit(None, 1)
    if before and last.isdecimal():
        word, frequency = before[0], last
    return word, frequency, tag
