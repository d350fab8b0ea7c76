"""Which words two texts have in common, in order.

A longest common subsequence is not what a person wants to read, so what matches by chance between
two larger changes is given up.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple
from zlib import crc32

from simdup.verify.subsequence import longest_common

# Pairs of words that are compared: two texts of 300 kB, 1.1 s.  Longer texts are first compared by
# sections, of the first of about so many words that make few enough pairs.
_MOST_PAIRS = 1 << 32
_SECTIONS = (8, 64, 512)
# A run of fewer words between changes that are both so many times as long is chance: between
# unrelated texts such runs are punctuation and function words.
_FEW_WORDS, _TIMES = 5, 4


class CommonRun(NamedTuple):
    """Words of two texts that are the same: ``a[a0:a1]`` and ``b[b0:b1]``."""

    a0: int
    a1: int
    b0: int
    b1: int


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
    found: list[CommonRun] = []
    for before, run in pairwise([CommonRun(0, 0, 0, 0), *runs, _end(a, b)]):
        found += _rejoined(a, b, _between(before, run))
        found.append(run)
    return [run for run in found if run.a0 < run.a1 or run.b0 < run.b1]


def _end(a: Sequence[object], b: Sequence[object]) -> CommonRun:
    return CommonRun(len(a), len(a), len(b), len(b))


def _between(one: CommonRun, other: CommonRun) -> CommonRun:
    """Return what lies between two matches."""
    return CommonRun(one.a1, other.a0, one.b1, other.b0)


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
    found: list[CommonRun] = []
    last = CommonRun(0, 0, 0, 0)
    for run in [*_runs(x, y), _end(x, y)]:
        at = CommonRun(cuts[0][run.a0], cuts[0][run.a1], cuts[1][run.b0], cuts[1][run.b1])
        gap = _between(last, at)
        inner = _runs(a[gap.a0 : gap.a1], b[gap.b0 : gap.b1])
        found += (
            CommonRun(gap.a0 + m.a0, gap.a0 + m.a1, gap.b0 + m.b0, gap.b0 + m.b1) for m in inner
        )
        found.append(at)
        last = at
    return found


def _runs(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[CommonRun]:
    """Yield what two sequences have in common; nothing of sequences that are too long."""
    if len(a) * len(b) > _MOST_PAIRS:
        return
    first = last = (0, 0)  # the run that has begun, and its end
    for i, j in [*longest_common(a, b), (len(a), len(b) + 1)]:
        if (i, j) != last:
            if first < last:
                yield CommonRun(first[0], last[0], first[1], last[1])
            first = i, j
        last = i + 1, j + 1


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
    pairs = enumerate(zip("".join(x), "".join(y), strict=False))
    alike = next((i for i, (one, other) in pairs if one != other), sum(map(len, x)))
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
