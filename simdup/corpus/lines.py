"""Fingerprint lines: ``HEX  NAME``, as md5sum prints its sums, with a header for the recipe.

A name with a backslash, a newline or a carriage return makes its line begin with a backslash and
stands escaped, so that every document is one line for `sort`, `grep` and `head`.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.names import escape, from_bytes, to_bytes, unescape
from simdup.errors import SimdupError

_ESCAPED = "\\\n\r"
_HEADER = re.compile(r"# simdup (\d+)((?: \w+=\S+)*)\s*")
_HEX = re.compile("[0-9a-fA-F]+")
_HINT = "fingerprint both alike, with one model: simdup fit SOURCE -o MODEL, then --idf MODEL"


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """What fingerprint lines say.

    Attributes
    ----------
    names : list of str
        Documents.
    values : uint64[documents, words]
        Fingerprints, word 0 the most significant.
    bits : int
        Bits of each.
    recipe : str
        Digest of the recipe; empty where no header gives it.
    """

    names: list[str]
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


def read_lines(paths: Iterable[str]) -> Fingerprints:
    """Read the fingerprint lines of files (``-`` is standard input).

    Raises
    ------
    SimdupError
        If a file cannot be read, a line is no fingerprint line, or headers or widths differ.
    """
    names: list[str] = []
    blocks: list[NDArray[np.uint64]] = []
    width = 0
    recipe = ""
    for path in paths:
        digits: list[str] = []
        numbers = array("L")  # of their lines
        for number, line in enumerate(from_bytes(_content(path)).split("\n"), 1):
            if line.startswith("#"):
                said, bits = _read_header(line, path, number)
                if recipe not in ("", said) or width not in (0, bits // 4):
                    raise SimdupError(
                        f"{path}:{number}", "fingerprints of different recipes", _HINT
                    )
                recipe, width = said, bits // 4
                continue
            escaped = line.startswith("\\")
            if escaped:
                line = "\\" + unescape(line[1:])
            elif not line:
                continue
            start = 1 if escaped else 0
            width = width or line.find("  ", start) - start
            end = start + width
            if line[end : end + 2] != "  " or width < 2:
                raise SimdupError(
                    f"{path}:{number}",
                    f"not a fingerprint of {width * 4} bits, two spaces and a name"
                    if width > 1
                    else "not a fingerprint, two spaces and a name",
                    "such lines come from: simdup fingerprint SOURCE",
                )
            digits.append(line[start:end])
            names.append(line[end + 2 :])
            numbers.append(number)
        if digits:
            blocks.append(_values(digits, path, numbers))
    empty = np.zeros((0, -(-width // 16) or 1), np.uint64)
    return Fingerprints(names, np.concatenate([empty, *blocks]), width * 4 or 64, recipe)


def _content(path: str) -> bytes:
    try:
        if path == "-":
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise SimdupError(path, (error.strerror or "cannot be read").lower()) from None


def _read_header(line: str, path: str, number: int) -> tuple[str, int]:
    match = _HEADER.fullmatch(line)
    values = dict(item.split("=", 1) for item in match[2].split()) if match else {}
    if match is None or not values.get("bits", "").isdigit() or "recipe" not in values:
        raise SimdupError(f"{path}:{number}", "not a header `# simdup 1 recipe=... bits=...`")
    if match[1] != "1":
        raise SimdupError(
            f"{path}:{number}", f"lines of format {match[1]}, but this simdup knows 1 only"
        )
    return values["recipe"], int(values["bits"])


def _values(digits: list[str], path: str, numbers: Sequence[int]) -> NDArray[np.uint64]:
    """Return the numbers that hex digits spell, all of one width, read from these lines."""
    words = -(-len(digits[0]) // 16)
    pad = "0" * (words * 16 - len(digits[0]))
    text = pad + pad.join(digits)
    # `fromhex` passes over white space, which would shift what follows.
    if text.isalnum():
        with suppress(ValueError):
            return np.frombuffer(bytes.fromhex(text), ">u8").astype(np.uint64).reshape(-1, words)
    for value, number in zip(digits, numbers, strict=True):
        if not _HEX.fullmatch(value):
            raise SimdupError(f"{path}:{number}", f"{value!r} is not hex digits")
    raise AssertionError("hex digits that are none")
