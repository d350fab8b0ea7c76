"""Fingerprint lines: ``HEX  NAME``, as md5sum prints its sums, with a header for the recipe.

A name with a backslash, a newline or a carriage return makes its line begin with a backslash and
stands escaped, so that every document is one line for `sort`, `grep` and `head`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.names import escape, from_bytes, to_bytes, unescape
from simdup.errors import SimdupError
from simdup.model.recipe import BITS_EXPECTED

_ESCAPED = "\\\n\r"
_HEADER = re.compile(r"# simdup (\d+)((?: \w+=\S+)*)\s*")
_HINT = "fingerprint both alike, with one model: simdup fit SOURCE -o MODEL, then --idf MODEL"


class Names(Sequence[str]):
    """The names of fingerprint lines, each made when it is asked for.

    Of a million lines few are printed again; their names stay the bytes that were read.

    Parameters
    ----------
    content : bytes
        What was read.
    starts, ends : int64[lines]
        Where each name stands in it.
    escaped : bool[lines]
        Whether it stands escaped.
    """

    def __init__(
        self,
        content: bytes,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        escaped: NDArray[np.bool_],
    ) -> None:
        self._content, self._starts, self._ends, self._escaped = content, starts, ends, escaped

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self._starts)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        """Return a name."""
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        name = from_bytes(self._content[self._starts[at] : self._ends[at]])
        return unescape(name) if self._escaped[at] else name


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """What fingerprint lines say.

    Attributes
    ----------
    names : sequence of str
        Documents.
    values : uint64[documents, words]
        Fingerprints, word 0 the most significant.
    bits : int
        Bits of each.
    recipe : str
        Digest of the recipe; empty where no header gives it.
    """

    names: Sequence[str]
    values: NDArray[np.uint64]
    bits: int
    recipe: str


def header(digest: str, bits: int) -> bytes:
    """Return the header line."""
    return f"# simdup 1 recipe={digest} bits={bits}\n".encode()


def lines(hexes: Iterable[str], names: Iterable[str]) -> bytes:
    """Return the lines of documents, with their newlines."""
    return b"".join(
        to_bytes(f"{'' if (safe := escape(name, _ESCAPED)) == name else chr(92)}{digits}  {safe}\n")
        for digits, name in zip(hexes, names, strict=True)
    )


def read_lines(paths: Sequence[str]) -> Fingerprints:
    """Read the fingerprint lines of files (``-`` is standard input).

    All lines are taken at once, as arrays of places: a million take a tenth of a second.

    Raises
    ------
    SimdupError
        If a file cannot be read, a line is no fingerprint line, or headers or widths differ.
    """
    contents = [_content(path) for path in paths]
    # A last line without its newline must not run into the next file.
    content = b"".join(c if c.endswith(b"\n") else c + b"\n" for c in contents if c)
    characters = np.frombuffer(content, np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    where = _Where(paths, contents, starts)
    first = characters[starts]
    recipe, width = "", 0
    for line in np.flatnonzero(first == ord("#")).tolist():
        said, bits = _read_header(from_bytes(content[starts[line] : ends[line]]), where.of(line))
        if width and (recipe, width) != (said, bits // 4):
            raise SimdupError(where.of(line), "fingerprints of different recipes", _HINT)
        recipe, width = said, bits // 4

    lines = np.flatnonzero((first != ord("#")) & (starts < ends))
    escaped = first[lines] == ord("\\")
    digits, ends = starts[lines] + escaped, ends[lines]
    if len(lines) and not width:
        width = content[digits[0] : ends[0]].find(b"  ")
    right = (ends - digits >= width + 2) & (width > 0)
    gap = np.where(right, digits + width, 0)
    right &= (characters[gap] == ord(" ")) & (characters[gap + 1] == ord(" "))
    if not right.all():
        what = f"a fingerprint of {width * 4} bits" if width > 0 else "a fingerprint"
        raise SimdupError(
            where.of(int(lines[np.argmin(right)])),
            f"not {what}, two spaces and a name",
            "such lines come from: simdup fingerprint SOURCE",
        )
    values = _values(characters, digits, width, lambda row: where.of(int(lines[row])))
    names = Names(content, digits + width + 2, ends, escaped)
    return Fingerprints(names, values, width * 4 or 64, recipe)


class _Where:
    """Knows in which file, and at which of its lines, a line of the whole stands."""

    def __init__(
        self, paths: Sequence[str], contents: Sequence[bytes], starts: NDArray[np.int64]
    ) -> None:
        given = [
            (p, len(c) + (not c.endswith(b"\n"))) for p, c in zip(paths, contents, strict=True) if c
        ]
        self._paths = [path for path, _ in given]
        ends = np.cumsum([size for _, size in given])
        self._first = np.searchsorted(starts, np.concatenate([[0], ends]))

    def of(self, line: int) -> str:
        file = int(np.searchsorted(self._first, line, "right")) - 1
        return f"{self._paths[file]}:{line - self._first[file] + 1}"


def _content(path: str) -> bytes:
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise SimdupError(path, (error.strerror or "cannot be read").lower()) from None


def _read_header(line: str, where: str) -> tuple[str, int]:
    match = _HEADER.fullmatch(line)
    values = dict(item.split("=", 1) for item in match[2].split()) if match else {}
    if match is None or not values.get("bits", "").isdigit() or "recipe" not in values:
        raise SimdupError(where, "not a header `# simdup 1 recipe=... bits=...`")
    if match[1] != "1":
        raise SimdupError(where, f"lines of format {match[1]}, but this simdup knows 1 only")
    bits = int(values["bits"])
    if not 8 <= bits <= 256 or bits % 8:
        raise SimdupError(where, f"fingerprints of {bits} bits", BITS_EXPECTED)
    return values["recipe"], bits


def _values(
    characters: NDArray[np.uint8],
    starts: NDArray[np.int64],
    width: int,
    where: Callable[[int], str],
) -> NDArray[np.uint64]:
    """Return the numbers that `width` hex digits from each of the places spell."""
    words = -(-width // 16) or 1
    nibbles = np.zeros((len(starts), words * 16), np.uint8)
    for place in range(width):
        nibbles[:, words * 16 - width + place] = _NIBBLES[characters[starts + place]]
    bad = (nibbles > 15).any(axis=1)
    if bad.any():
        raise SimdupError(where(int(np.argmax(bad))), "the fingerprint is not hex digits")
    packed = nibbles[:, 0::2] << 4 | nibbles[:, 1::2]
    return packed.view(">u8").astype(np.uint64)


_NIBBLES = np.full(256, 255, np.uint8)
for _digit in "0123456789abcdefABCDEF":
    _NIBBLES[ord(_digit)] = int(_digit, 16)
