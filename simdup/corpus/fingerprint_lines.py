"""Fingerprint lines: ``HEX  NAME``, like the output of md5sum, with a header for the recipe.

A name with a backslash, a newline or a carriage return is escaped and its line begins with a
backslash, so that every document is one line for `sort`, `grep` and `head`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import NEWER, SimdupError
from simdup.base.when_used import pattern
from simdup.corpus.names import escape, from_bytes, to_bytes, unescape
from simdup.corpus.sources import read_bytes
from simdup.model.recipe import BITS_EXPECTED

_ESCAPED = "\\\n\r"
_HEADER = pattern(r"# simdup (\d{1,9})((?: \w+=\S+)*)\s*")
_BITS = pattern("[0-9]{1,9}")
_ONE_MODEL = "learn one model with `fit`, and name it in the `recipe` of both: default,idf=FILE"
_SOURCE = "`fingerprint` prints such lines"


@dataclass(frozen=True, slots=True, eq=False)
class Names(Sequence[str]):
    """The names of fingerprint lines, each decoded on access.

    Few of a million names are printed again; the others remain undecoded bytes.
    """

    content: bytes  # the lines
    starts: NDArray[np.int64]  # int64[lines]: where each name begins in `content`
    ends: NDArray[np.int64]  # int64[lines]: where it ends
    escaped: NDArray[np.bool_]  # bool[lines]: whether it is escaped

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        name = from_bytes(self.content[self.starts[index] : self.ends[index]])
        return unescape(name) if self.escaped[index] else name


@dataclass(frozen=True, slots=True)
class FingerprintLines:
    """The content of fingerprint lines."""

    names: Sequence[str]
    # uint64[documents, words]: word 0 is the most significant
    values: NDArray[np.uint64]
    bits: int
    recipe: str  # digest of the recipe; empty without a header


def format_header(digest: str, bits: int) -> bytes:
    """Return the header line."""
    return f"# simdup 1 recipe={digest} bits={bits}\n".encode()


def format_lines(hexes: Iterable[str], names: Iterable[str]) -> bytes:
    """Return one line per document, with its newline."""
    return b"".join(
        to_bytes(f"{'' if (safe := escape(name, _ESCAPED)) == name else chr(92)}{digits}  {safe}\n")
        for digits, name in zip(hexes, names, strict=True)
    )


def read_lines(paths: Sequence[str]) -> FingerprintLines:
    """Read the fingerprint lines of files (``-`` is standard input).

    All lines are parsed at once, as arrays of offsets: a million take a tenth of a second.

    Raises
    ------
    SimdupError
        If a file cannot be read, a line is not a fingerprint line, or headers or widths differ.
    """
    contents = [read_bytes(path) for path in paths]
    # A last line without a newline must not run into the next file.
    content = b"".join(c if c.endswith(b"\n") else c + b"\n" for c in contents if c)
    characters = np.frombuffer(content, np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    # Names have theirs escaped, so a carriage return there is part of the line end.
    ends = ends - ((starts < ends) & (characters[ends - 1] == ord("\r")))
    locate = _locator(paths, contents, starts)
    first = characters[starts]
    recipe, width = "", 0
    for line in np.flatnonzero(first == ord("#")).tolist():
        where = locate(line)
        digest, bits = _read_header(from_bytes(content[starts[line] : ends[line]]), where)
        if width and (recipe, width) != (digest, bits // 4):
            raise _different((width * 4, bits), where)
        recipe, width = digest, bits // 4

    lines = np.flatnonzero((first != ord("#")) & (starts < ends))
    escaped = first[lines] == ord("\\")
    digits, ends = starts[lines] + escaped, ends[lines]
    if len(lines) and not width:
        width = content[digits[0] : ends[0]].find(b"  ")
    valid = (ends - digits >= width + 2) & (width > 0)
    gap = np.where(valid, digits + width, 0)
    valid &= (characters[gap] == ord(" ")) & (characters[gap + 1] == ord(" "))
    if not valid.all():
        what = f"a fingerprint of {width * 4} bits" if width > 0 else "a fingerprint in hex"
        where = locate(int(lines[np.argmin(valid)]))
        raise SimdupError(where, f"expected {what}, two spaces and a name", _SOURCE)
    values, wrong = _parse_hex(characters, digits, width)
    if len(wrong):
        raise SimdupError(locate(int(lines[wrong[0]])), "the fingerprint is not in hex")
    names = Names(content, digits + width + 2, ends, escaped)
    return FingerprintLines(names, values, width * 4 or 64, recipe)


def _different(bits: tuple[int, int], where: str) -> SimdupError:
    """Return the error for fingerprints of two recipes; their bits tell most of it."""
    if bits[0] == bits[1]:
        return SimdupError(where, "fingerprints of different recipes", _ONE_MODEL)
    what = f"fingerprints of different recipes: {bits[1]} bits, {bits[0]} before"
    return SimdupError(where, what, "make all with the same `recipe`")


def _locator(
    paths: Sequence[str], contents: Sequence[bytes], starts: NDArray[np.int64]
) -> Callable[[int], str]:
    """Return what names a line of the concatenated files by its file and its number there."""
    sizes = [len(c) + (not c.endswith(b"\n")) for c in contents if c]
    files = [path for path, c in zip(paths, contents, strict=True) if c]
    firsts = np.searchsorted(starts, np.cumsum([0, *sizes]))

    def locate(line: int) -> str:
        file = int(np.searchsorted(firsts, line, "right")) - 1
        return f"{files[file]}:{line - firsts[file] + 1}"

    return locate


def _read_header(line: str, where: str) -> tuple[str, int]:
    match = _HEADER.fullmatch(line)
    values = dict(item.split("=", 1) for item in match[2].split()) if match else {}
    if match is None or not _BITS.fullmatch(values.get("bits", "")) or "recipe" not in values:
        raise SimdupError(where, "invalid header (expected `# simdup 1 recipe=... bits=...`)")
    if match[1] != "1":
        what = f"fingerprint lines of format {match[1]}; this simdup only reads format 1"
        raise SimdupError(where, what, NEWER)
    bits = int(values["bits"])
    if not 8 <= bits <= 256 or bits % 8:
        raise SimdupError(where, f"fingerprints of {bits} bits", BITS_EXPECTED)
    return values["recipe"], bits


def _parse_hex(
    characters: NDArray[np.uint8], starts: NDArray[np.int64], width: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the value of `width` hex digits at each offset, and the rows with other characters."""
    words = -(-width // 16) or 1
    nibbles = np.zeros((len(starts), words * 16), np.uint8)
    for i in range(width):
        nibbles[:, words * 16 - width + i] = _NIBBLES[characters[starts + i]]
    packed = nibbles[:, 0::2] << 4 | nibbles[:, 1::2]
    return packed.view(">u8").astype(np.uint64), np.flatnonzero((nibbles > 15).any(axis=1))


_NIBBLES = np.full(256, 255, np.uint8)
for _digit in "0123456789abcdefABCDEF":
    _NIBBLES[ord(_digit)] = int(_digit, 16)
