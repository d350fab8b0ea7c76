"""Zip files, read with bounds; the only module that uses zipfile.

A few kB can unpack to many GB.  The sizes that a zip file declares are enough to refuse it, because
no more than the declared size of a member is ever unpacked.
"""

from __future__ import annotations

import errno
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from simdup.corpus.files import ZipMember

# XML of documents unpacks to some 20 times its size, repeated lines to 100 times; bombs to 1,000
# times and more.
MOST_RATIO = 200
# This many bytes are always unpacked.
SMALL = 1 << 20
BOMB = f"unpacks to more than {MOST_RATIO} times its size"
ENCRYPTED = "encrypted"

# What zipfile, and the libraries below it, raise for damaged and hostile data, and besides when
# they read a list of members or the head of one.
_DAMAGES = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError)
_FAULTS = (*_DAMAGES, struct.error, ValueError, RuntimeError, OverflowError)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
# The end of a local header: the lengths of the name and of the extra field that follow.
_LENGTHS = struct.Struct("<26xHH")


def part_of(info: zipfile.ZipInfo) -> ZipMember:
    """Return where zipfile has found a member."""
    return ZipMember(
        info.header_offset, info.compress_size, info.file_size, info.CRC, info.compress_type
    )


def directory(stream: IO[bytes]) -> list[zipfile.ZipInfo]:
    """Return what a zip file lists.

    Raises
    ------
    OSError
        If it is not a zip file, or damaged.
    """
    try:
        with zipfile.ZipFile(stream) as listed:
            return listed.infolist()
    except _FAULTS:
        raise OSError(errno.EIO, "not a zip file, or damaged") from None


def unreadable_member(info: zipfile.ZipInfo) -> str:
    """Return why a member cannot be read; empty if it can."""
    if info.flag_bits & 1:
        return ENCRYPTED
    if info.compress_type not in _METHODS:
        return f"compressed by method {info.compress_type}, which is not supported"
    return ""


@contextmanager
def open_part(stream: IO[bytes], part: ZipMember) -> Iterator[IO[bytes]]:
    """Yield the content of a member as a stream.

    Its place comes from the list, which zipfile alone would read again for each member.

    Raises
    ------
    OSError
        If it is damaged.
    """
    info: Any = zipfile.ZipInfo()
    info.CRC, info.compress_type = part.crc, part.method
    info.compress_size, info.file_size = part.packed, part.size
    damaged = OSError(errno.EIO, "damaged zip data")
    try:
        stream.seek(part.start)
        stream.seek(sum(_LENGTHS.unpack(stream.read(_LENGTHS.size))), os.SEEK_CUR)
        content = zipfile.ZipExtFile(stream, "r", info)
    except _FAULTS:
        raise damaged from None
    try:
        with content:
            yield cast(IO[bytes], content)
    except _DAMAGES:
        raise damaged from None


def read_part(stream: IO[bytes], part: ZipMember) -> bytes:
    """Return the content of a member: at most the size that it declares.

    Raises
    ------
    OSError
        If it is damaged.
    """
    with open_part(stream, part) as content:
        return content.read()
