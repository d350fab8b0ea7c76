"""Parse JSON that others wrote, with the same limit in every Python.

*Arrays* are cut into their elements.  Where an element ends is found by parsing it as Latin-1, in
which each byte is a character: so places are those in the file, in every encoding that keeps
ASCII.  Another process parses the bytes of an element in their encoding.

An element that is not valid JSON, or that is longer than the limit, ends the reading: where the
next one begins is not known.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice, pairwise
from typing import Any, NamedTuple

from simdup.base.when_used import pattern
from simdup.corpus.lines import BATCH_BYTES

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


# The most bytes of an element, unless documents may have more; several times as much is in memory.
LONGEST = 100 << 20
_BLANKS = pattern(r"[ \t\r\n]*")
# Control characters and long numbers are faults of an element, which do not hide its end.
_DECODER = json.JSONDecoder(strict=False, parse_int=str)
# A fault this close to the end may be a token that goes on in the next piece: the longest are two
# escapes that spell one character.
_TOKEN = 12


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
_DEEP = Fault(f"nested too deeply: {_REST}")


def split_array(
    chunks: Iterable[bytes], most: int = LONGEST
) -> Iterator[Elements | Outside | Fault]:
    """Cut the chunks of a file; all bytes that are yielded are the file again.

    An element of more than `most` bytes is a fault.
    """
    rest = iter(chunks)
    head = next(rest, b"")
    while head and not head.removeprefix(codecs.BOM_UTF8).strip(WHITE_SPACE):
        yield Outside(head)
        head = next(rest, b"")
    start = len(head) - len(head.removeprefix(codecs.BOM_UTF8).lstrip(WHITE_SPACE))
    if head[start : start + 1] == b"[":
        yield Outside(head[: start + 1])
        yield from _elements(head[start + 1 :], rest, most)
    else:
        yield Fault("not a JSON array")
        yield Outside(head)
    yield from map(Outside, rest)


def _elements(
    window: bytes, rest: Iterator[bytes], most: int
) -> Iterator[Elements | Outside | Fault]:
    """Cut what follows the opening bracket, up to a fault or the end of the file."""
    fault = None
    first = True  # whether no element has been found
    while fault is None:
        ends, place, fault = _scan(window.replace(b"\0", b" ").decode("latin-1"), first, most)
        done = ends[-1] if ends else 0
        if ends:
            yield Elements(window[:done], ends)
        window, place, first = window[done:], place - done, first and not ends
        if fault is None:
            # As much as is there already, or a long element would be parsed with every chunk.
            more = b"".join(islice(rest, 1 + len(window) // BATCH_BYTES))
            window += more
            if not more:
                place, fault = len(window), Fault("not valid JSON, or the array does not end")
    yield Outside(window[:place])
    for piece in chain([window[place:]], rest):
        if fault is _CLOSED and piece.strip(WHITE_SPACE + b"\0"):
            fault = Fault("not valid JSON: the array ends before the file does")
        if fault:
            yield fault
        yield Outside(piece)
        if fault:
            return


def _scan(text: str, first: bool, most: int) -> tuple[list[int], int, Fault | None]:
    """Return where elements end, where the scan ends, and why; without a reason more is needed.

    The text begins with the comma before an element, unless it is the first.
    """
    ends: list[int] = []
    at = 0
    while True:
        begin = _blanks(text, at if first else at + 1)
        if first and text[begin : begin + 1] == "]":
            return ends, begin + 1, _CLOSED
        try:
            end = sound = _DECODER.raw_decode(text, begin)[1]
        except RecursionError:
            return ends, begin, _DEEP
        except json.JSONDecodeError as error:
            end = sound = len(text)
            if not error.msg.startswith("Unterminated"):
                sound = error.pos
                if sound + _TOKEN < end:
                    return ends, sound, _BROKEN
        at = _blanks(text, end)
        if sound - begin > most:
            size = f"{most >> 20} MB" if most >> 20 else f"{most} bytes"
            return ends, begin, Fault(f"an element of more than {size}: use JSON lines; {_REST}")
        if at == len(text):
            return ends, begin, None
        if is_too_deep(text[begin:end]):
            return ends, begin, _DEEP
        if text[at] == "]":
            return [*ends, end], at + 1, _CLOSED
        if text[at] != ",":
            # Behind "0." and "1e", a number may go on in the next piece.
            broken = at + _TOKEN < len(text)
            return ends, at if broken else begin, _BROKEN if broken else None
        ends.append(at)
        first = False


def _blanks(text: str, start: int) -> int:
    """Return where white space ends."""
    found = _BLANKS.match(text, start)
    return found.end() if found else start


def locate_strings(text: str, levels: int = 0) -> dict[str, Any]:
    """Return where the strings of a JSON object are, by the names of its fields.

    Parameters
    ----------
    text : str
        Valid JSON; a comma and white space may be before the object.
    levels : int
        How many levels of objects within the object are looked into.

    Returns
    -------
    dict
        Of each field the start and the end of its string, quotes included; a dict for an object
        that was looked into; None for any other value.  The last of several fields of one name
        counts, as in `parse_json`.
    """
    return _strings_within(text, text.index("{"), levels)[0]


def _strings_within(text: str, at: int, levels: int) -> tuple[dict[str, Any], int]:
    """Return where the strings of the object that begins here are, and where it ends."""
    found: dict[str, Any] = {}
    at = _blanks(text, at + 1)
    while text[at] == '"':
        name, at = _DECODER.raw_decode(text, at)
        begin = _blanks(text, _blanks(text, at) + 1)
        if levels and text[begin] == "{":
            found[name], at = _strings_within(text, begin, levels - 1)
        else:
            value, at = _DECODER.raw_decode(text, begin)
            found[name] = (begin, at) if isinstance(value, str) else None
        at = _blanks(text, at)
        if text[at] == ",":
            at = _blanks(text, at + 1)
    return found, at + 1


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
