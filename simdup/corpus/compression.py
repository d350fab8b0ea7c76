"""Read and write gzip and Zstandard as streams.

Zstandard is `compression.zstd` in Python 3.14 and, before that, its backport `backports.zstd`: the
same interface in 0.5 MB without further dependencies, so it can always be installed.  (zstandard,
the older library, is ten times as large, last released a year earlier, and differs in interface.)
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from simdup.base.errors import SimdupError

# A compression is one of these names, or empty.
_SUFFIXES = {".gz": "gzip", ".zst": "zstd"}
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}

# Standard input has no suffix, so its compression is detected by these magic bytes, with which no
# text or record begins.
DETECT = "detect"

_BUFFER = 1 << 16  # bytes that are compressed at a time

# To begin a frame of Zstandard takes as long as to decompress 10 kB, and an empty one has 9 bytes.
# This many are always read, and one more for each few bytes of content.
_FRAMES, _LEAST = 10_000, 8


def split_compression(path: str) -> tuple[str, str]:
    """Split a path into the path without a compression suffix, and the compression."""
    stem, suffix = os.path.splitext(path)
    compression = _SUFFIXES.get(suffix.lower(), "")
    return (stem, compression) if compression else (path, "")


def detect_compression(stream: IO[bytes]) -> str:
    """Return the compression of a buffered stream, by its first bytes."""
    head = cast(Any, stream).peek(4)[:4]
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "")


@contextmanager
def decompress(stream: IO[bytes], compression: str) -> Iterator[IO[bytes]]:
    """Return a stream of the decompressed content of `stream`.

    Raises
    ------
    OSError
        If it is damaged or truncated.
    """
    if compression == DETECT:
        compression = detect_compression(stream)
    if not compression:
        yield stream
        return
    damages: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    content: IO[bytes]
    if compression == "gzip":
        content = cast(IO[bytes], gzip.GzipFile(fileobj=stream, mode="rb"))
    else:
        zstd = _import_zstd()
        damages = (EOFError, zstd.ZstdError)
        content = io.BufferedReader(_ZstdReader(stream, zstd.ZstdDecompressor), _BUFFER)
    try:
        with content:
            yield content
    except damages as error:
        # The suffix said gzip, the first bytes say something else.
        foreign = str(error).startswith("Not a gzipped file")
        what = "not gzip data" if foreign else f"damaged {compression} data"
        raise OSError(errno.EIO, what) from None


@contextmanager
def compress(stream: IO[bytes], compression: str) -> Iterator[IO[bytes]]:
    """Return a stream that compresses what is written to it, and writes that to `stream`."""
    if not compression:
        yield stream
        return
    nothing = b""
    if compression == "gzip":
        # No name and no time, so that equal records give equal bytes.  Level 6 is gzip's default.
        content: Any = gzip.GzipFile("", "wb", 6, stream, 0)
    else:
        zstd = _import_zstd()
        # It writes no byte for no content, which zstd takes for a cut file.
        content, nothing = zstd.ZstdFile(stream, "wb"), zstd.compress(b"")
    # Both take a microsecond or more for each write, however short the line is.
    with io.BufferedWriter(content, _BUFFER) as buffered:
        yield buffered
        if not buffered.tell():
            stream.write(nothing)


class _ZstdReader(io.RawIOBase):
    """The content of a stream of frames; unlike `ZstdFile` it counts them."""

    def __init__(self, stream: IO[bytes], make: Callable[[], Any]) -> None:
        self._stream = stream
        self._make = make
        self._frame: Any = None  # no frame: an empty file is empty content, as with gzip
        self._left = _FRAMES * _LEAST  # more content, or fewer frames

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some content; return its size, 0 at the end."""
        data = b""
        while not data:
            given = b""
            if self._frame is None or self._frame.eof:
                given = getattr(self._frame, "unused_data", b"")
                given = given or self._stream.read(io.DEFAULT_BUFFER_SIZE)
                if not given:
                    return 0
                self._begin()
            elif self._frame.needs_input:
                given = self._stream.read(io.DEFAULT_BUFFER_SIZE)
                if not given:
                    raise EOFError
            data = self._frame.decompress(given, len(buffer))
        self._left += len(data)
        buffer[: len(data)] = data
        return len(data)

    def _begin(self) -> None:
        self._left -= _LEAST
        if self._left < 0:
            raise OSError(errno.EIO, "zstd data in too many frames for its size")
        self._frame = self._make()


def _import_zstd() -> Any:
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
