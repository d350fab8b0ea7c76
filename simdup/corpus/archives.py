"""Zip archives: the files in them, as a walk of the unpacked folder would find them.

A few kB can unpack to many GB.  The declared sizes are added up before anything is read: an archive
that unpacks to too much is skipped as a whole, and no more than the declared size of a member is
ever unpacked.  An archive within an archive is named and skipped.

The only module that uses zipfile.
"""

from __future__ import annotations

import errno
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import IO, Any, cast

from simdup.base.errors import reason
from simdup.corpus.compression import split_compression
from simdup.corpus.decoding import NotText, decode
from simdup.corpus.files import ARCHIVE, ArchiveMember, File, ZipMember, format_of_file
from simdup.corpus.names import is_archive
from simdup.corpus.patterns import Patterns
from simdup.model.documents import Skipped
from simdup.model.settings import Reading

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

# Listing this many takes some 2 s.
_MOST_MEMBERS = 100_000
_NESTED = "an archive within an archive: unpack it first"
# Folders in which macOS keeps what its file system knows.
_HIDDEN = ("__MACOSX",)
# Names in UTF-8 are marked; others should be in the code page of the IBM PC.
_UTF8, _IBM_PC = 0x800, "cp437"
_UNICODE_PATH = b"up"
_DOS = 0


def files_in(
    archive: tuple[str, os.stat_result],
    below: str,
    rules: tuple[Patterns, Patterns],
    reading: Reading,
) -> Iterator[File | Skipped]:
    """Yield an archive itself and its files, as a walk of the unpacked archive would find them.

    Parameters
    ----------
    archive : tuple of str and os.stat_result
        Its path, and what it is.
    below : str
        Its path below the source; empty if it is the source.
    rules : tuple of Patterns
        Which files to read, and which files and folders to leave out.  If the archive is to be
        read, so are all files in it.
    reading : Reading
        How they are read.
    """
    glob, exclude = rules
    path, status = archive
    whole = not glob or bool(below and glob.match(below))
    chosen: list[File | Skipped] = []
    for one in list_archive(path, status.st_size, status.st_mtime):
        name = _name(one, path)
        steps = [below, *name.split("/")] if below else name.split("/")
        paths = ["/".join(steps[: i + 1]) for i in range(bool(below), len(steps))]
        if any(exclude.match(f"{folder}/") for folder in paths[:-1]) or exclude.match(paths[-1]):
            continue
        # What an archive within this one holds, no pattern can tell.
        if whole or is_archive(name) or glob.match(paths[-1]):
            chosen.append(one if isinstance(one, Skipped) else _file(one, reading))
    if chosen or whole:
        yield File(path, status.st_size, status.st_mtime, ARCHIVE, regular=True, walked=bool(below))
    yield from chosen


def named_member(path: str, inner: str, reading: Reading) -> File | Skipped:
    """Return a file in an archive, or one of its records, that a SOURCE names."""
    wanted = f"{path}/{inner}"
    try:
        status = os.stat(path)
    except OSError as error:
        return Skipped(wanted, reason(error), error=True)
    found = {_name(one, path): one for one in list_archive(path, status.st_size, status.st_mtime)}
    if isinstance(member := found.get(inner), ArchiveMember):
        return replace(_file(member, reading), walked=False)
    for one in found.values():
        # The archive itself, or one in it, cannot be read.
        if isinstance(one, Skipped) and f"{wanted}/".startswith(f"{one.document}/"):
            return replace(one, document=wanted)
    end = inner.rfind("#", 0, len(inner) - 1)
    while end > 0:
        if isinstance(member := found.get(inner[:end]), ArchiveMember):
            file = replace(_file(member, reading), walked=False, record=inner[end + 1 :])
            if file.records:
                return file
        end = inner.rfind("#", 0, end)
    return Skipped(wanted, f"no such file in {path}", error=True)


def _name(one: ArchiveMember | Skipped, path: str) -> str:
    """Return the path below the archive; empty for the archive itself."""
    return one.name if isinstance(one, ArchiveMember) else str(one.document)[len(path) + 1 :]


def _file(member: ArchiveMember, reading: Reading) -> File:
    """Return a file in an archive; within a folder or an archive, it is not named but found."""
    path = f"{member.archive}/{member.name}"

    @contextmanager
    def opened() -> Iterator[IO[bytes]]:
        with open(member.archive, "rb") as raw, open_part(raw, member.part) as content:
            yield content

    form = format_of_file(path, opened, reading)
    return File(
        path, member.part.size, member.modified, form, split_compression(path)[1],
        max_size=reading.max_size, regular=True, walked=True, member=member,
    )  # fmt: skip


@lru_cache(maxsize=2)
def list_archive(path: str, size: int, modified: float) -> tuple[ArchiveMember | Skipped, ...]:
    """Return the files in an archive, and what cannot be read of it.

    They come in the order of their names' bytes, folder by folder.  Hidden files and symbolic links
    are left out.

    Parameters
    ----------
    path : str
        The archive.
    size, modified : int, float
        Its size and time.
    """
    if not size:
        return (Skipped(path, "empty"),)
    try:
        with open(path, "rb") as stream:
            listed = directory(stream)
        if len(listed) > _MOST_MEMBERS:
            raise OSError(0, f"has more than {_MOST_MEMBERS:,} members: unpack it")
        members = _named(listed)
        if sum(info.file_size for _, info in members) > SMALL + MOST_RATIO * size:
            raise OSError(0, BOMB)
    except OSError as error:
        return (Skipped(path, reason(error), error=True),)
    found: list[ArchiveMember | Skipped] = []
    for name, info in members:
        if fault := _NESTED if is_archive(name) else unreadable_member(info):
            found.append(Skipped(f"{path}/{name}", fault, error=True))
        else:
            found.append(ArchiveMember(path, size, modified, name, part_of(info)))
    return tuple(found)


def _named(listed: list[zipfile.ZipInfo]) -> list[tuple[str, zipfile.ZipInfo]]:
    """Return the files of a list with their names, in order; of two with one name the last."""
    infos = [info for info in listed if not stat.S_ISLNK(info.external_attr >> 16)]
    found: dict[tuple[bytes, ...], zipfile.ZipInfo] = {}
    for name, info in zip(_names(infos), infos, strict=True):
        parts = [part for part in name.split("/") if part not in ("", ".", "..")]
        hidden = any(part.startswith(".") or part in _HIDDEN for part in parts)
        if parts and not hidden and not name.endswith("/"):
            found[tuple(part.encode() for part in parts)] = info
    return [(_path(b"/".join(name)), found[name]) for name in sorted(found)]


def _path(name: bytes) -> str:
    """Return a name as that of a file, which the locale may not be able to spell."""
    path = name.decode()
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return os.fsdecode(name)
    return path


def _names(infos: list[zipfile.ZipInfo]) -> list[str]:
    """Return the names of members.

    Windows in Chinese writes GBK, and says nothing of it: such names are decoded like texts, all of
    an archive at once.
    """
    raw = [b"" if info.flag_bits & _UTF8 else _raw_name(info) for info in infos]
    legacy = [name for name in raw if not name.isascii()]
    encoding = _IBM_PC
    try:
        decoded = decode(b"\n".join(legacy))
        if not decoded.replaced and _is_asian(decoded.text):
            encoding = decoded.encoding
    except NotText:
        pass
    names = []
    for info, name in zip(infos, raw, strict=True):
        text = name.decode(encoding, "replace") if name else info.orig_filename
        text = _unicode_path(info, name) or text
        # Some programs for Windows write its own separator; after decoding, it is no half of a
        # character.
        text = text.replace("\\", "/") if info.create_system == _DOS else text
        names.append(text.partition("\0")[0])
    return names


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    return info.orig_filename.encode(_IBM_PC, "replace")


def _unicode_path(info: zipfile.ZipInfo, name: bytes) -> str:
    """Return the name in the extra field that WinRAR and others add, if it is of this name."""
    extra = info.extra
    while len(extra) >= 4:
        length = int.from_bytes(extra[2:4], "little")
        kind, field, extra = extra[:2], extra[4 : 4 + length], extra[4 + length :]
        if kind == _UNICODE_PATH and field[1:5] == zlib.crc32(name).to_bytes(4, "little"):
            return field[5:].decode("utf-8", "replace")
    return ""


def _is_asian(text: str) -> bool:
    """Return whether a text has a Chinese character, kana or hangul."""
    return any("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" for c in text)


# -- zip files, read with bounds -------------------------------------------------------------------


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
