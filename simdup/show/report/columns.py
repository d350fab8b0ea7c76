"""Columns of numbers as bytes that a page reads without parsing, and blocks of bytes in a page.

A table begins with four bytes, the length of a JSON head, and the head: for each column its type,
its offset and how many numbers it has.  Columns are little-endian and aligned to four bytes, so
the page makes typed arrays of them in place.
"""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

_NAMES = {"|u1": "u8", "<u2": "u16", "<i2": "i16", "<u4": "u32", "<i4": "i32", "<f8": "f64"}
_ALIGN = 8


def pack(columns: Mapping[str, NDArray[Any]]) -> bytes:
    """Return columns as bytes; their types are those of `_NAMES`."""
    head: dict[str, tuple[str, int, int]] = {}
    body = bytearray()
    for name, column in columns.items():
        little = column.astype(column.dtype.newbyteorder("<"), copy=False)
        head[name] = (_NAMES[little.dtype.str], len(body), little.size)
        body += little.tobytes()
        body += bytes(-len(body) % _ALIGN)
    described = json.dumps(head).encode()
    described += b" " * (-(len(described) + 4) % _ALIGN)
    return struct.pack("<I", len(described)) + described + body


def deflate(content: bytes) -> bytes:
    """Return raw deflate of the content in base64, as blocks of a page hold it."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return b64encode(packer.compress(content) + packer.flush())


def script_json(value: Any) -> str:
    """Return JSON that is safe in a script element: nothing in it ends the element.

    Lone surrogates, which names may hold, are escaped.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return escape_surrogates(text)


def escape_surrogates(text: str) -> str:
    """Return JSON with its lone surrogates, which UTF-8 does not have, as escapes."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode()
