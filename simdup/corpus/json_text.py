"""Parse JSON that others wrote, with the same limit in every Python.

*Arrays* are read whole, and cut into their elements, so that those that stay can be written again
byte for byte.  Where an element ends is found by parsing it as Latin-1, in which each byte is a
character: so places are those in the file, in every encoding that keeps ASCII.  Another process
parses the bytes of an element in their encoding.

An element that is not valid JSON ends the reading: where the next one begins is not known.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import IO, Any, NamedTuple

from simdup.base.regular_files import read_up_to
from simdup.base.when_used import pattern
from simdup.corpus.lines import BATCH_BYTES, chunks_of

# Arrays and objects within each other.  Python itself reads some 900 levels, from 3.14 on as many
# as the stack has room for.
DEEPEST = 500
# Between tokens; no other characters count.
WHITE_SPACE = b" \t\r\n"

_STRING = pattern(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKET = pattern(r"[\[\]{}]")


def parse_json(text: str) -> Any:
    """Return the value of JSON.

    Raises
    ------
    ValueError
        If it is not JSON, or is nested deeper than `DEEPEST`.
    """
    if is_too_deep(text):
        raise ValueError("nested too deeply")
    try:
        return json.loads(text)
    except RecursionError:  # called with hardly any stack left
        raise ValueError("nested too deeply") from None


def is_too_deep(text: str) -> bool:
    """Return whether brackets outside of strings are nested deeper than `DEEPEST`."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    outside = _STRING.sub("", text)
    steps = (1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(outside))
    return max(accumulate(steps), default=0) > DEEPEST


# The most bytes of an array.  Twice as many are in memory while it is cut, 0.5 GB: half of what a
# scan of a million records takes.  Values of all elements at once would be 2.5 to 5 times as many.
LARGEST = 256 << 20
_BLANKS = pattern(r"[ \t\r\n]*")
# Control characters and long numbers are faults of an element, which do not hide its end.
_DECODER = json.JSONDecoder(strict=False, parse_int=str)


class Elements(NamedTuple):
    """Whole elements, each with the white space around it and the comma before it."""

    content: bytes
    ends: Sequence[int]  # where each one ends in `content`

    def split(self) -> list[bytes]:
        """Return the bytes of each element."""
        return [self.content[start:end] for start, end in pairwise([0, *self.ends])]


class Outside(bytes):
    """What is before the first element, behind the last one, or behind a fault."""


class Fault(str):
    """Why there are no more elements; nothing behind this place is read."""

    __slots__ = ()


_CLOSED = Fault("")
_REST = "the rest of the file is not read"
_BROKEN = Fault(f"not valid JSON: {_REST}")
_ENDLESS = Fault("not valid JSON, or the array does not end")
_DEEP = Fault(f"nested too deeply: {_REST}")
TOO_LARGE = Fault(
    f"an array of more than {LARGEST >> 20} MB: "
    "make JSON lines of it first, such as with jq -c '.[]' big.json > big.jsonl"
)


def split_array(stream: IO[bytes]) -> Iterator[Elements | Outside | Fault]:
    """Cut a file; all bytes that are yielded are the file again."""
    content = read_up_to(stream, LARGEST + 1)
    if len(content) > LARGEST:
        yield TOO_LARGE
        yield Outside(content)
        yield from map(Outside, chunks_of(stream))
        return
    text = content.replace(b"\0", b" ").decode("latin-1")
    done = _blanks(text, len(codecs.BOM_UTF8) if content.startswith(codecs.BOM_UTF8) else 0)
    if text[done : done + 1] != "[":
        yield Outside(content[:done])
        yield Fault("not a JSON array")
        yield Outside(content[done:])
        return
    at = done = done + 1
    yield Outside(content[:done])
    first, fault = True, None  # whether no element has been found, and why there are no more
    while fault is None:
        ends, at, fault = _scan(text, done, first)
        if ends:
            yield Elements(content[done : ends[-1]], [end - done for end in ends])
            done, first = ends[-1], False
    yield Outside(content[done:at])
    if fault is _CLOSED and _blanks(text, at) < len(text):
        fault = Fault("not valid JSON: the array ends before the file does")
    if fault:
        yield fault
    yield Outside(content[at:])


def _scan(text: str, start: int, first: bool) -> tuple[list[int], int, Fault | None]:
    """Return where elements end, where the scan ends, and why; without a reason there are more.

    The text begins there with the comma before an element, unless it is the first.
    """
    ends: list[int] = []
    at = start
    while at - start < BATCH_BYTES:
        begin = _blanks(text, at if first else at + 1)
        if first and text[begin : begin + 1] == "]":
            return ends, begin + 1, _CLOSED
        try:
            end = _DECODER.raw_decode(text, begin)[1]
        except RecursionError:
            return ends, begin, _DEEP
        except json.JSONDecodeError as error:
            if error.msg.startswith("Unterminated") or _blanks(text, error.pos) == len(text):
                return ends, len(text), _ENDLESS
            return ends, error.pos, _BROKEN
        at = _blanks(text, end)
        if is_too_deep(text[begin:end]):
            return ends, begin, _DEEP
        if at == len(text):
            return ends, at, _ENDLESS
        if text[at] == "]":
            return [*ends, end], at + 1, _CLOSED
        if text[at] != ",":
            return ends, at, _BROKEN
        ends.append(at)
        first = False
    return ends, at, None


def _blanks(text: str, start: int) -> int:
    """Return where white space ends."""
    found = _BLANKS.match(text, start)
    return found.end() if found else start


def object_lines(
    text: str, wrong: Callable[[int], Exception]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the values of each line that is not blank; raise if one is no object.

    `wrong` returns the error for the line of a number.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            values = parse_json(line)
        except ValueError:
            values = None
        if not isinstance(values, dict):
            raise wrong(number)
        yield number, values
