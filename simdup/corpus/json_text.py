"""Parse JSON that others wrote, with the same limit in every Python.

*Arrays* are read whole, and cut into their elements, so that those that stay can be written again
byte for byte; so is the only array of objects that an object holds.  Where an element ends is found
by parsing it as Latin-1, in which each byte is a character: so places are those in the file, in
every encoding that keeps ASCII.  Another process parses the bytes of an element in their encoding.

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
    """Cut a file that is an array, or an object that holds one array of objects.

    All bytes that are yielded are the file again.
    """
    content = read_up_to(stream, LARGEST + 1)
    if len(content) > LARGEST:
        yield TOO_LARGE
        yield Outside(content)
        yield from map(Outside, chunks_of(stream))
        return
    text, start = _as_text(content)
    begin = start if text[start : start + 1] == "[" else _only_array(text, start)[0]
    if begin < 0:
        yield Outside(content[:start])
        yield Fault("not a JSON array, nor an object with one array of objects")
        yield Outside(content[start:])
        return
    done = begin + 1
    yield Outside(content[:done])
    for part in _parts(text, done):
        if ends := part[0]:
            yield Elements(content[done : ends[-1]], [end - done for end in ends])
            done = ends[-1]
    _, at, fault = part
    yield Outside(content[done:at])
    if fault is _CLOSED and begin == start and _blanks(text, at) < len(text):
        fault = Fault("not valid JSON: the array ends before the file does")
    if fault:
        yield fault
    yield Outside(content[at:])


def records_within(content: bytes) -> tuple[dict[str, bool], bytes]:
    """Return the fields of an object that holds one array of objects, and the first of these.

    The fields say which of them is the array.  Of anything else both are empty.
    """
    text, start = _as_text(content)
    begin, keys = _only_array(text, start)
    if begin < 0:
        return {}, b""
    first = _blanks(text, begin + 1)
    return keys, content[first : _DECODER.raw_decode(text, first)[1]]


def _as_text(content: bytes) -> tuple[str, int]:
    """Return a character for each byte, and where the value begins."""
    text = content.replace(b"\0", b" ").decode("latin-1")
    return text, _blanks(text, len(codecs.BOM_UTF8) * content.startswith(codecs.BOM_UTF8))


def _only_array(text: str, start: int) -> tuple[int, dict[str, bool]]:
    """Return where the only array of objects in an object begins, and the object's fields.

    It is -1 where the text is not such an object.
    """
    begins, keys, at = list[int](), dict[str, bool](), start
    try:
        while text[at : at + 1] == ("," if keys else "{"):
            at = _blanks(text, at + 1)
            if text[at : at + 1] != '"':
                return -1, {}
            key, at = _DECODER.raw_decode(text, at)
            at = _blanks(text, at)
            if text[at : at + 1] != ":":
                return -1, {}
            key = key.encode("latin-1", "replace").decode("utf-8", "replace")
            keys[key] = False
            at = _blanks(text, at + 1)
            if text[at : at + 1] != "[":
                at = _blanks(text, _DECODER.raw_decode(text, at)[1])
                continue
            if text.startswith("{", _blanks(text, at + 1)):
                begins.append(at)
                keys[key] = True
            *_, (_, at, fault) = _parts(text, at + 1)
            if fault is not _CLOSED:
                return -1, {}
            at = _blanks(text, at)
    except (RecursionError, json.JSONDecodeError):
        return -1, {}
    whole = text[at : at + 1] == "}" and _blanks(text, at + 1) == len(text)
    return (begins[0], keys) if whole and len(begins) == 1 else (-1, {})


def _parts(text: str, at: int) -> Iterator[tuple[list[int], int, Fault | None]]:
    """Yield what `_scan` finds, from behind the bracket of an array to its end."""
    first, fault = True, None
    while fault is None:
        ends, end, fault = _scan(text, at, first)
        yield ends, end, fault
        if ends:
            at, first = ends[-1], False


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
