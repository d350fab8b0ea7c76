"""Cut a JSON array into its elements without parsing them.

Commas and brackets outside of strings tell where an element ends.  Whether a quote opens or closes
a string follows from the number of quotes before it, so a chunk is scanned as an array of bytes
(Langdale, Lemire, "Parsing Gigabytes of JSON per Second", VLDB Journal 2019, section 3.1), at some
200 MB/s.  An element that is not valid JSON is found when it is parsed, in another process.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_BLANK = b" \t\r\n"
_QUOTE, _BACKSLASH, _COMMA = b'"\\,'

_MARKS = np.zeros(256, np.bool_)
_MARKS[list(b"[]{},")] = True
_STEPS = np.zeros(256, np.int8)  # in depth
_STEPS[list(b"[{")] = 1
_STEPS[list(b"]}")] = -1


class Elements(NamedTuple):
    """Whole elements, each with the white space around it and the comma before it."""

    content: bytes
    ends: NDArray[np.int64]  # where each one ends in `content`

    def split(self) -> list[bytes]:
        """Return the bytes of each element."""
        return [self.content[start:end] for start, end in pairwise([0, *self.ends.tolist()])]


class ElementPart(bytes):
    """A part of an element that exceeds the size limit of records; the last part is empty."""


class Outside(bytes):
    """What is before the first element, behind the last one, or part of none that ends."""


def fault_of(outside: bytes) -> str:
    """Return why a file is not one array, given the first bytes outside of elements, or nothing."""
    if not outside.startswith(b"["):
        return "not a JSON array"
    if not outside.startswith(b"[]"):
        return "not valid JSON: the array does not end"
    return "not valid JSON: the array ends before the file does" if len(outside) > 2 else ""


def split_array(chunks: Iterable[bytes], most: int) -> Iterator[Elements | ElementPart | Outside]:
    """Cut a file; all the bytes together are the file.

    Parameters
    ----------
    chunks : iterable of bytes
        The file, in an encoding where the bytes of ASCII characters have no other meaning.
    most : int
        An element of more than this many bytes is yielded in parts.
    """
    rest = iter(chunks)
    for head in rest:
        start = len(head) - len(head.removeprefix(codecs.BOM_UTF8).lstrip(_BLANK))
        if head[start : start + 1] == b"[":
            yield Outside(head[: start + 1])
            yield from _elements(chain([head[start + 1 :]], rest), most)
        else:
            yield Outside(head)
            if start == len(head):
                continue
        yield from map(Outside, rest)


def _elements(chunks: Iterator[bytes], most: int) -> Iterator[Elements | ElementPart | Outside]:
    """Cut what follows the opening bracket, up to the end of the chunk with the closing one."""
    scanner = _Scanner()
    begun: list[bytes] = []
    size = 0
    oversized = False
    anything = False  # whether the array is known to have an element
    for chunk in chunks:
        ends, closed = scanner.scan(chunk)
        if oversized and len(ends):
            done, oversized = int(ends[0]), False
            if done:
                yield ElementPart(chunk[:done])
            yield ElementPart()
            chunk, ends = chunk[done:], ends[1:] - done
        if len(ends):
            content = b"".join([*begun, chunk[: ends[-1]]])
            ends, chunk = ends + size, chunk[ends[-1] :]
            if closed:
                # White space before the closing bracket stays there, whichever element is the last.
                chunk = content[len(content.rstrip(_BLANK)) :] + chunk
                content = content.rstrip(_BLANK)
                ends[-1] = len(content)
            if content or anything:
                yield Elements(content, ends)
            begun, size, anything = [], 0, True
        if closed:
            yield Outside(chunk)
            return
        if oversized:
            yield ElementPart(chunk)
            continue
        begun.append(chunk)
        size += len(chunk)
        if size > most:
            yield ElementPart(b"".join(begun))
            begun, size, oversized, anything = [], 0, True, True
    yield Outside(b"".join(begun))


class _Scanner:
    """Finds where the elements of an array end, chunk by chunk."""

    def __init__(self) -> None:
        self._depth = 1
        self._in_string = False
        self._escapes = False  # whether the last byte escapes the next one

    def scan(self, chunk: bytes) -> tuple[NDArray[np.int64], bool]:
        """Return where elements end in a chunk, and whether the last one ends the array."""
        codes = np.frombuffer(chunk, np.uint8)
        quotes = self._quotes(codes)
        marks = np.flatnonzero(_MARKS[codes])
        before = np.searchsorted(quotes, marks) + self._in_string
        marks = marks[before % 2 == 0]
        self._in_string ^= len(quotes) % 2 == 1
        kinds = codes[marks]
        depths = self._depth + np.cumsum(_STEPS[kinds], dtype=np.int64)
        if len(depths):
            self._depth = int(depths[-1])
        closing = np.flatnonzero(depths == 0)[:1]
        last = int(closing[0]) if len(closing) else len(marks)
        ends = marks[:last][(kinds[:last] == _COMMA) & (depths[:last] == 1)]
        return np.concatenate([ends, marks[closing]]), len(closing) > 0

    def _quotes(self, codes: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return where strings begin and end."""
        quotes = np.flatnonzero(codes == _QUOTE)
        slashes = np.flatnonzero(codes == _BACKSLASH)
        if not (len(slashes) or self._escapes):
            return quotes
        escaped = np.zeros(len(codes) + 1, np.bool_)
        escaped[0] = self._escapes and len(codes) > 0
        # In a run of backslashes, each one that is not escaped itself escapes the next.
        starts = np.diff(slashes, prepend=-2) > 1
        place = np.arange(len(slashes)) - np.flatnonzero(starts)[np.cumsum(starts) - 1]
        if self._escapes and len(slashes) and slashes[0] == 0:
            place[np.cumsum(starts) == 1] += 1
        escaped[slashes[place % 2 == 0] + 1] = True
        if len(codes):
            self._escapes = bool(escaped[-1])
        return quotes[~escaped[quotes]]
