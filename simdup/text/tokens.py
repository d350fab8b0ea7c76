"""Cut texts into tokens; the only module that uses jieba."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.base.regular_files import read_named
from simdup.base.when_used import pattern
from simdup.kernels.characters import look_up
from simdup.model.recipe import Recipe
from simdup.text.characters import CODE_POINTS, ends_of, fold, from_codes, to_codes

if TYPE_CHECKING:
    from simdup.kernels.words import Dictionary as Words

# The characters that jieba's dictionary and model know.  It cuts the 42 characters from U+9FD6,
# which are in no dictionary, one by one.
_HAN = range(0x4E00, 0x9FD6)
_OTHER_HAN = pattern("[\u3007\u3400-\u4dbf\u9fd6-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_HAN_WORD = pattern("[\u4e00-\u9fd5]+")
# Kinds of all other characters; see `simdup.kernels.words.cut`.
_GAP, _ALONE, _LETTER, _UNKNOWN = range(4)

# More digits than any corpus needs, and fewer than Python refuses to parse.
_FREQUENCY_DIGITS = 18
# The longest word of jieba's own dictionary has 16.  jieba keeps every beginning of a word: one of
# 20,000 characters takes 400 MB, and an index brings its dictionary along.
_WORD_CHARACTERS = 100
_TAG = pattern("[a-zA-Z]+")

# The states of jieba's model, and the steps between them in the order in which the loop reads them.
_STATES = ("B", "E", "M", "S")
_STEPS = tuple(step.split("-") for step in ("E-B", "S-B", "B-E", "M-E", "B-M", "M-M", "E-S", "S-S"))
_NEVER = -3.14e100  # what jieba takes for the logarithm of 0


class Dictionary(NamedTuple):
    """A user dictionary in jieba's format: lines ``word [frequency] [tag]``."""

    path: str  # the file it was read from, for messages
    content: bytes  # UTF-8


NO_DICTIONARY = Dictionary("", b"")


class Tokens(NamedTuple):
    """The tokens of some texts, as parts of one array of code points."""

    codes: NDArray[np.uint32]
    ends: NDArray[np.int64]  # int64[texts + 1]: where each text begins, and the end
    # int32[tokens, 3]: where each token begins and ends in its text, and its place in the
    # dictionary, or 0.
    spans: NDArray[np.int32]
    sizes: NDArray[np.int64]  # int64[texts]: how many tokens each text has

    def lists(self) -> list[list[str]]:
        """Return the tokens of each text."""
        joined = from_codes(self.codes)
        begins = np.repeat(self.ends[:-1], self.sizes)
        parts = zip(
            (begins + self.spans[:, 0]).tolist(), (begins + self.spans[:, 1]).tolist(), strict=True
        )
        tokens = [joined[begin:end] for begin, end in parts]
        bounds = np.append(0, np.cumsum(self.sizes)).tolist()
        return [tokens[first:last] for first, last in pairwise(bounds)]


Tokenizer = Callable[[Sequence[str]], Tokens]


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


def tokenizer(recipe: Recipe, dictionary: Dictionary = NO_DICTIONARY) -> Tokenizer:
    """Return the function that cuts folded texts into tokens.

    Parameters
    ----------
    recipe : Recipe
        Its ``tokens`` and ``fold`` are used.
    dictionary : Dictionary, optional
        The content of the recipe's dictionary.

    Raises
    ------
    SimdupError
        If the dictionary has a line that is too long.
    """
    kind, _, count = recipe.tokens.partition(":")
    if kind == "split":
        return lambda texts: join_tokens(list(map(str.split, texts)))
    if kind == "tagged":
        return lambda texts: join_tokens(list(map(tagged_words, texts)))
    if kind == "chars":
        return lambda texts: _characters(texts, int(count))
    own = dictionary != NO_DICTIONARY
    words = partial(_cut, _own_words(dictionary, recipe.fold) if own else _jieba_words())
    if kind == "words":
        return words
    return lambda texts: _ngrams(words(texts).lists(), int(count))


def join_tokens(lists: Sequence[list[str]], glue: str = "") -> Tokens:
    """Return the tokens of texts, given as strings, none of them empty."""
    texts = list(map(glue.join, lists))
    sizes = np.fromiter(map(len, lists), np.int64, len(lists))
    ends = ends_of(texts)
    lengths = np.fromiter(map(len, chain.from_iterable(lists)), np.int64, int(sizes.sum()))
    # Of a text of k tokens, the i-th follows i others, and as much glue.
    firsts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    before = np.append(0, np.cumsum(lengths + len(glue)))
    begins = before[:-1] - before[firsts]
    spans = np.stack([begins, begins + lengths, np.zeros_like(begins)], 1)
    return Tokens(to_codes("".join(texts)), ends, spans.astype(np.int32), sizes)


def _ngrams(lists: Sequence[list[str]], n: int) -> Tokens:
    """Return all runs of n words of each text; fewer than n words are one run."""
    return _runs(join_tokens(lists, " "), n)


def _characters(texts: Sequence[str], n: int) -> Tokens:
    """Return all runs of n characters of each text, without white space."""
    solid = ["".join(text.split()) for text in texts]
    ends = ends_of(solid)
    begins = np.arange(ends[-1]) - np.repeat(ends[:-1], np.diff(ends))
    spans = np.stack([begins, begins + 1, np.zeros_like(begins)], 1).astype(np.int32)
    return _runs(Tokens(to_codes("".join(solid)), ends, spans, np.diff(ends)), n)


def _runs(tokens: Tokens, n: int) -> Tokens:
    """Return the runs of n tokens of each text; fewer than n tokens are one run."""
    sizes = tokens.sizes
    counts = np.where(sizes >= n, sizes - n + 1, sizes > 0)
    each = np.repeat(np.arange(len(sizes)), counts)
    ends = np.cumsum(sizes)
    first = (ends - sizes)[each] + np.arange(len(each)) - (np.cumsum(counts) - counts)[each]
    last = np.minimum(first + n, ends[each]) - 1
    spans = np.stack([tokens.spans[first, 0], tokens.spans[last, 1], np.zeros_like(each)], 1)
    return tokens._replace(spans=spans.astype(np.int32), sizes=counts)


def _cut(words: Words, texts: Sequence[str]) -> Tokens:
    """Cut texts into words, in order."""
    from simdup.kernels.words import cut

    codes, ends = to_codes("".join(texts)), ends_of(texts)
    # From here on, the table has all characters that occur.
    look_up(_kinds(), codes, _UNKNOWN, _kind)
    return Tokens(codes, ends, *cut(words, codes, ends, _kinds()))


def _kind(character: str) -> int:
    if _OTHER_HAN.match(character):
        return _ALONE
    return _LETTER if character.isalnum() or character == "_" else _GAP


@cache
def _kinds() -> NDArray[np.uint8]:
    kinds = np.full(CODE_POINTS, _UNKNOWN, np.uint8)
    kinds[_HAN.start : _HAN.stop] = _GAP
    return kinds


def tagged_words(text: str) -> list[str]:
    """Return the words of ``word/tag`` items, without punctuation (tags with wn or wd)."""
    items = (item.rpartition("/") for item in text.split())
    return [word for word, _, tag in items if word and "wn" not in tag and "wd" not in tag]


@cache
def _jieba_words() -> Words:
    """Return the dictionary that jieba comes with."""
    from simdup.kernels.words import Dictionary as Words

    return Words((jieba_folder() / "dict.txt").read_bytes(), -1.0, *_model())


@cache
def _own_words(dictionary: Dictionary, folded: bool) -> Words:
    """Return jieba's dictionary with words of one's own, which jieba itself adds."""
    from simdup.kernels.words import Dictionary as Words

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
    split = dict[str, int]()
    for word, frequency, tag in _entries(dictionary):
        if not (word := fold(word) if folded else word):
            continue
        engine.add_word(word, frequency, tag)
        if frequency and not int(frequency):
            split[word] = 0
    # jieba keeps the beginnings of words beside them, with the frequency 0.
    known = ((word, frequency) for word, frequency in engine.FREQ.items() if frequency)
    lines = (
        f"{word} {frequency}\n"
        for word, frequency in chain(known, split.items())
        if _HAN_WORD.fullmatch(word)
    )
    return Words("".join(lines).encode(), math.log(engine.total), *_model())


def _model() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return jieba's model for words that no dictionary has; see `simdup.kernels.words`."""
    start, steps, emit = (_table(name) for name in ("prob_start", "prob_trans", "prob_emit"))
    chances = np.full((len(_HAN), len(_STATES)), _NEVER)
    for state, name in enumerate(_STATES):
        codes = np.array(list(map(ord, emit[name])))
        values = np.array(list(emit[name].values()))
        known = (codes >= _HAN.start) & (codes < _HAN.stop)
        chances[codes[known] - _HAN.start, state] = values[known]
    every = [start[one] for one in _STATES] + [steps[one][other] for one, other in _STEPS]
    return chances, np.array(every)


def _table(name: str) -> Any:
    """Return a table of jieba's model.  Importing jieba for it would take 0.1 s."""
    spec = spec_from_file_location(name, jieba_folder() / "finalseg" / f"{name}.py")
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.P


def jieba_folder() -> Path:
    """Return where jieba is installed, without importing it."""
    spec = find_spec("jieba")
    if spec is None or spec.origin is None:
        raise SimdupError("jieba", "is not installed", "pip install jieba")
    return Path(spec.origin).parent


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
