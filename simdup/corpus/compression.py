"""Compressed files, read and written as if they were not: gzip and Zstandard.

Zstandard is `compression.zstd` of Python 3.14 and, before, its twin `backports.zstd`: the same
interface in 0.5 MB without dependencies of its own, so that it can be there always.  (zstandard,
the older library, is ten times as large, last released a year earlier, and has another interface.)
"""

from __future__ import annotations

import errno
import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from simdup.errors import SimdupError

# What a file is packed with, by its suffix.
PACKINGS = {".gz": "gzip", ".zst": "zstd"}

# Standard input has no suffix; of text and records none begins so.
FOUND_OUT = "found out"
_MARKS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


def packing_of(path: str) -> tuple[str, str]:
    """Return a path without the suffix of a packing, and that packing; empty for none."""
    stem, suffix = os.path.splitext(path)
    packing = PACKINGS.get(suffix.lower(), "")
    return (stem, packing) if packing else (path, "")


def found_packing(stream: IO[bytes]) -> str:
    """Return how the content of a buffered stream is packed, by how it begins."""
    head = cast(Any, stream).peek(4)[:4]
    return next((packing for mark, packing in _MARKS.items() if head.startswith(mark)), "")


@contextmanager
def unpacked(stream: IO[bytes], packing: str) -> Iterator[IO[bytes]]:
    """Give the content of a stream, unpacked.

    Raises
    ------
    OSError
        If it is damaged or cut off.
    """
    if packing == FOUND_OUT:
        packing = found_packing(stream)
    if not packing:
        yield stream
        return
    damages: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    content: IO[bytes]
    if packing == "gzip":
        content = cast(IO[bytes], gzip.GzipFile(fileobj=stream, mode="rb"))
    else:
        zstd = _zstd()
        damages = (EOFError, zstd.ZstdError)
        content = zstd.ZstdFile(stream, "rb")
    try:
        with content:
            yield content
    except damages:
        raise OSError(errno.EIO, f"damaged {packing} data") from None


@contextmanager
def packed(stream: IO[bytes], packing: str) -> Iterator[IO[bytes]]:
    """Give a stream whose content arrives packed in `stream`."""
    if not packing:
        yield stream
    elif packing == "gzip":
        # Neither name nor time: the same records give the same bytes.  Level 6 is gzip's own.
        with gzip.GzipFile("", "wb", 6, stream, 0) as content:
            yield cast(IO[bytes], content)
    else:
        with _zstd().ZstdFile(stream, "wb") as content:
            yield content


def _zstd() -> Any:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError:
        raise SimdupError(
            "zstd", "this Python cannot read Zstandard", "python -m pip install backports.zstd"
        ) from None
    return zstd
