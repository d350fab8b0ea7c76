"""What two texts have in common and what not, character by character.

Texts are compared by words, which keep their places.  Runs of Chinese characters are cut by the
segmenter, on their folded form, so that a text in traditional characters is cut like the same one
in simplified characters.  Everything else is cut into Unicode words, scripts that put no spaces
between words into characters.

A longest common subsequence of these, as rapidfuzz finds it, is not what a person wants to read: so
what matches by chance between two larger changes is given up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple
from zlib import crc32

from rapidfuzz.distance import LCSseq, Postfix, Prefix

from simdup.corpus.decoding import unify_line_ends
from simdup.model.comparison import Span
from simdup.text.analyzer import Analyzer

_HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
# Thai to Myanmar, Khmer, kana.
_WITHOUT_SPACES = "\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff"
# A longer word is a guess of the segmenter's at what it does not know.
_LONGEST = 8
# Pairs of words that are compared, at a bit each: 128 MB.  Longer texts are first compared by
# sections, of the first of about so many words that make few enough pairs.
_MOST_PAIRS = 1 << 30
_SECTIONS = (8, 64, 512)
# A run of fewer words between changes that are both so many times as long is chance: between
# unrelated texts such runs are punctuation and function words.
_FEW_WORDS, _TIMES = 5, 4


class Words(NamedTuple):
    """The words of a text: each begins where the one before it ends."""

    keys: list[str]  # folded, without white space: what is compared
    stops: list[int]  # where each word ends in the text as it was
    ends: list[int]  # where the white space behind each ends


class CommonRun(NamedTuple):
    """Words of two texts that are the same: ``a[a0:a1]`` and ``b[b0:b1]``."""

    a0: int
    a1: int
    b0: int
    b1: int


def find_differences(a: str, b: str, analyzer: Analyzer) -> tuple[Span, ...]:
    """Return what is equal, the same after folding, removed and added, from `a` to `b`.

    White space never makes a word another one.

    Returns
    -------
    tuple of Span
        In order.  Of two neighbours no two are of one kind.
    """
    spans: list[Span] = []
    i = j = 0
    for i_end, j_end, same in _pieces(a, b, cut_words(a, analyzer), cut_words(b, analyzer)):
        text_a, text_b = a[i:i_end], b[j:j_end]
        if same:
            equal = unify_line_ends(text_a) == unify_line_ends(text_b)
            _extend(spans, "equal" if equal else "folded", len(text_a), len(text_b))
        else:
            # White space at the ends of both stays in place.
            tail = Postfix.similarity(*(text[len(text.rstrip()) :] for text in (text_a, text_b)))
            _extend(spans, "removed", len(text_a) - tail, 0)
            _extend(spans, "added", 0, len(text_b) - tail)
            _extend(spans, "equal", tail, tail)
        i, j = i_end, j_end
    return tuple(spans)


def cut_words(text: str, analyzer: Analyzer) -> Words:
    """Cut a text into words with the white space that follows each."""
    matches = list(_pattern(text).finditer(text))
    han = _cut_runs([match["han"] for match in matches if match["han"]], analyzer)
    bodies: list[str] = []
    stops: list[int] = []
    ends: list[int] = []
    for match in matches:
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
    single = f"\\S[{marks}]*" if marks else "\\S"
    han = f"[{_HAN}][{_HAN}{marks}]*"
    return re.compile(f"(?:(?P<han>{han})|{word}|{single}|(?=\\s))(?P<space>\\s*)")


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
    letters = sum(map(len, re.findall("\\w", run)))
    for token in tokens if letters else ():
        yield from [len(token)] if len(token) <= _LONGEST else [1] * len(token)
        letters -= len(token)
        if letters <= 0:
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


def _pieces(a: str, b: str, x: Words, y: Words) -> Iterator[tuple[int, int, bool]]:
    """Yield where pieces of both texts end, and whether they are the same after folding."""
    x_starts, y_starts = [0, *x.ends], [0, *y.ends]
    for match in [*align(x.keys, y.keys), _end(x.keys, y.keys)]:
        yield x_starts[match.a0], y_starts[match.b0], False
        if x.keys[match.a0 : match.a1] == y.keys[match.b0 : match.b1]:
            for i, j in zip(range(match.a0, match.a1), range(match.b0, match.b1), strict=True):
                if a[x_starts[i] : x.ends[i]] != b[y_starts[j] : y.ends[j]]:
                    yield x.stops[i], y.stops[j], True
                yield x.ends[i], y.ends[j], True
        else:
            yield x_starts[match.a1], y_starts[match.b1], True


def _extend(spans: list[Span], kind: str, in_a: int, in_b: int) -> None:
    """Add characters of both texts to the last span of the same kind, or as a new one."""
    if not in_a and not in_b:
        return
    a, b = (spans[-1].a[1], spans[-1].b[1]) if spans else (0, 0)
    a_start, b_start = a, b
    if spans and spans[-1].kind == kind:
        _, (a_start, _), (b_start, _) = spans.pop()
    spans.append(Span(kind, (a_start, a + in_a), (b_start, b + in_b)))


def align(a: Sequence[str], b: Sequence[str]) -> list[CommonRun]:
    """Return the words that two texts have in common, in order.

    Several words may match several others with the same characters: where something beside a word
    changes, the segmenter may cut it differently.

    Parameters
    ----------
    a, b : sequence of str
        Their words, in the form in which they are compared.
    """
    starts = (list(accumulate(map(len, words), initial=0)) for words in (a, b))
    runs = _without_chance(_common_runs(a, b), *starts)
    aligned: list[CommonRun] = []
    for before, run in pairwise([CommonRun(0, 0, 0, 0), *runs, _end(a, b)]):
        aligned += _rejoined(a, b, _between(before, run))
        aligned.append(run)
    return [run for run in aligned if run.a0 < run.a1 or run.b0 < run.b1]


def _end(a: Sequence[object], b: Sequence[object]) -> CommonRun:
    return CommonRun(len(a), len(a), len(b), len(b))


def _between(before: CommonRun, after: CommonRun) -> CommonRun:
    """Return what lies between two matches."""
    return CommonRun(before.a1, after.a0, before.b1, after.b0)


def _common_runs(a: Sequence[str], b: Sequence[str]) -> list[CommonRun]:
    if len(a) * len(b) <= _MOST_PAIRS:
        return list(_runs(a, b))
    for size in _SECTIONS:
        cuts = _cut_sections(a, size), _cut_sections(b, size)
        if len(cuts[0]) * len(cuts[1]) <= _MOST_PAIRS:
            break
    x, y = (
        [tuple(words[i:j]) for i, j in pairwise(at)] for words, at in ((a, cuts[0]), (b, cuts[1]))
    )
    runs, last = list[CommonRun](), CommonRun(0, 0, 0, 0)
    for run in [*_runs(x, y), _end(x, y)]:
        at = CommonRun(*(cuts[side // 2][place] for side, place in enumerate(run)))
        gap = _between(last, at)
        for inner in _runs(a[gap.a0 : gap.a1], b[gap.b0 : gap.b1]):
            a0, a1, b0, b1 = inner
            runs.append(CommonRun(gap.a0 + a0, gap.a0 + a1, gap.b0 + b0, gap.b0 + b1))
        runs.append(at)
        last = at
    return runs


def _runs(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[CommonRun]:
    """Yield what two sequences have in common; nothing of sequences that are too long."""
    if len(a) * len(b) > _MOST_PAIRS:
        return
    numbers: dict[Hashable, int] = {}
    x, y = ([numbers.setdefault(word, len(numbers)) for word in side] for side in (a, b))
    for code in LCSseq.opcodes(x, y):
        if code.tag == "equal":
            yield CommonRun(code.src_start, code.src_end, code.dest_start, code.dest_end)


def _cut_sections(words: Sequence[str], size: int) -> list[int]:
    """Return where sections begin, and the end; the words decide, whatever is before them."""
    hashes = enumerate(crc32(word.encode("utf-8", "replace")) for word in words)
    return [0, *(i for i, value in hashes if i and not value % size), len(words)]


def _without_chance(
    runs: Sequence[CommonRun], a_starts: Sequence[int], b_starts: Sequence[int]
) -> list[CommonRun]:
    """Leave out short runs between long changes: nobody can read a text of such islands."""

    def size(gap: CommonRun) -> int:
        return max(a_starts[gap.a1] - a_starts[gap.a0], b_starts[gap.b1] - b_starts[gap.b0])

    kept = [CommonRun(0, 0, 0, 0)]
    last = len(a_starts) - 1, len(b_starts) - 1
    for run in [*runs, CommonRun(last[0], last[0], last[1], last[1])]:
        while len(kept) > 1:
            around = size(_between(kept[-2], kept[-1])), size(_between(kept[-1], run))
            words = kept[-1].a1 - kept[-1].a0
            if words >= _FEW_WORDS or _TIMES * size(kept[-1]) > min(around):
                break
            kept.pop()
        kept.append(run)
    return kept[1:-1]


def _rejoined(a: Sequence[str], b: Sequence[str], gap: CommonRun) -> Iterator[CommonRun]:
    """Yield words of a gap that are the same at its two ends, but cut differently."""
    x, y = a[gap.a0 : gap.a1], b[gap.b0 : gap.b1]
    i, j = _same_front(x, y)
    yield CommonRun(gap.a0, gap.a0 + i, gap.b0, gap.b0 + j)
    back = ([word[::-1] for word in reversed(words)] for words in (x[i:], y[j:]))
    i, j = _same_front(*back)
    yield CommonRun(gap.a1 - i, gap.a1, gap.b1 - j, gap.b1)


def _same_front(x: Sequence[str], y: Sequence[str]) -> tuple[int, int]:
    """Return with how many words each two lists begin that have the same characters."""
    alike = Prefix.similarity("".join(x), "".join(y))
    sizes = [
        {
            size: count
            for count, size in enumerate(accumulate(map(len, words), initial=0))
            if size <= alike
        }
        for words in (x, y)
    ]
    most = max(sizes[0].keys() & sizes[1].keys())
    return sizes[0][most], sizes[1][most]
