"""The table of inverse document frequencies that jieba ships: 270,000 lines ``word value``.

A comparison of two texts asks for a few hundred of its words, and making a dictionary of all lines
took longer than everything else it does.  So lines are recognised by a 64-bit key of their words,
which numpy makes of all of them at once, and sorts.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError, unreadable
from simdup.mix64 import U64, mix64

_PIECE = 8  # bytes that are compared at a time
# By the number of bytes that count: the mask of a little-endian piece.
_MASKS = np.array([(1 << 8 * count) - 1 for count in range(_PIECE + 1)], np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class IdfTable:
    """Words with values, as they are written in a file."""

    content: bytes
    keys: U64  # uint64[lines]: `_keys` of the words, ascending; of equal ones the last line counts
    starts: NDArray[np.int64]  # int64[lines]: where each value starts in `content`
    ends: NDArray[np.int64]  # int64[lines]: and ends
    median: float  # of all values
    longest: int  # bytes of the longest word
    digest: bytes  # 16 bytes that stand for the whole file

    def values(self, words: list[bytes]) -> NDArray[np.float64]:
        """Return the value of each word, the median for those that the table lacks."""
        if not words:
            return np.empty(0)
        # The beginning of a longer word is not in the table either; a megabyte of one took 8 s.
        words = [word[: self.longest + 1] for word in words]
        lengths = np.array([len(word) for word in words])
        asked = _keys(b"".join(words), np.cumsum(lengths) - lengths, lengths)
        found = np.full(len(asked), self.median)
        lines = np.searchsorted(self.keys, asked, side="right") - 1
        # Before the first line is the last one, whose key is another.
        for word in np.flatnonzero(self.keys[lines] == asked).tolist():
            line = lines[word]
            found[word] = float(self.content[self.starts[line] : self.ends[line]])
        return found


@cache
def jieba_idf() -> IdfTable:
    """Return the table of the installed jieba.

    The file is read where it lies: importing jieba for it would cost ten times as much.

    Raises
    ------
    SimdupError
        If jieba is not installed, or its table cannot be read.
    """
    found = find_spec("jieba")
    if found is None or found.origin is None:
        raise SimdupError("idf", "jieba is not installed", "pip install jieba", field="idf")
    path = Path(found.origin).with_name("analyse").joinpath("idf.txt")
    try:
        return parse_table(path.read_bytes())
    except OSError as error:
        raise unreadable(str(path), error, "install jieba again") from None


def parse_table(content: bytes) -> IdfTable:
    """Return the table whose file has this content: lines of a word, a space and a number."""
    codes = np.frombuffer(content, np.uint8)
    spaces, line_ends = np.flatnonzero(codes == ord(" ")), np.flatnonzero(codes == ord("\n"))
    if not content.endswith(b"\n"):
        line_ends = np.append(line_ends, len(content))
    if len(spaces) != len(line_ends) or not len(spaces) or (spaces >= line_ends).any():
        raise SimdupError("idf", "jieba's table is damaged", "install jieba again", field="idf")
    words = np.concatenate([[0], line_ends[:-1] + 1])
    starts = spaces + 1
    values = _keys(content, starts, line_ends - starts)
    _, first, counts = np.unique(values, return_index=True, return_counts=True)
    spans = zip(starts[first].tolist(), line_ends[first].tolist(), strict=True)
    different = [float(content[start:end]) for start, end in spans]
    median = _median(different, counts.tolist())
    lengths = spaces - words
    keys = _keys(content, words, lengths)
    order = np.argsort(keys)
    if (keys[order[1:]] == keys[order[:-1]]).any():
        order = np.argsort(keys, kind="stable")  # twice as slow; jieba's table has no word twice
    digest = hashlib.blake2b(content, digest_size=16).digest()
    columns = (keys[order], starts[order], line_ends[order])
    return IdfTable(content, *columns, median, int(lengths.max()), digest)


def _keys(content: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> U64:
    """Return a 64-bit key of each of some runs of bytes; equal runs have equal keys."""
    padded = content + bytes(_PIECE)
    pieces = np.ndarray(len(content) + 1, "<u8", padded, strides=(1,))  # one from every byte on
    keys = mix64(lengths.astype(np.uint64))
    for done in range(0, int(lengths.max()), _PIECE):
        left = np.flatnonzero(lengths > done)
        mask = _MASKS[np.minimum(lengths[left] - done, _PIECE)]
        keys[left] = mix64(keys[left] ^ (pieces[starts[left] + done] & mask))
    return keys


def _median(values: list[float], counts: list[int]) -> float:
    """Return the median of numbers of which each occurs a number of times."""
    times = sorted(zip(values, counts, strict=True))
    ends = list(accumulate(count for _, count in times))
    low, high = (times[bisect_right(ends, at)][0] for at in ((ends[-1] - 1) // 2, ends[-1] // 2))
    return (low + high) / 2
