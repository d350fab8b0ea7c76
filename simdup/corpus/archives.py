"""Zip archives: the files in them, as a walk of the unpacked folder would find them.

The declared sizes are added up before anything is read: an archive that unpacks to too much is
skipped as a whole.
"""

from __future__ import annotations

import io
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, TYPE_CHECKING, NamedTuple

from simdup.corpus.decoding import decode
from simdup.corpus.encoding_detection import NotText
from simdup.corpus.files import ArchiveMember, ZipMember
from simdup.corpus.names import is_archive
from simdup.corpus.zipped import (
    BOMB,
    MOST_RATIO,
    SMALL,
    directory,
    open_part,
    part_of,
    read_part,
    unreadable_member,
)
from simdup.errors import reason
from simdup.model.documents import Skipped

if TYPE_CHECKING:
    from zipfile import ZipInfo

# Archives in archives, the outermost included.
_MOST_DEPTH = 3
# Listing this many takes some 2 s.
_MOST_MEMBERS = 100_000
# Folders in which macOS keeps what its file system knows.
_HIDDEN = ("__MACOSX",)
# Names in UTF-8 are marked; others should be in the code page of the IBM PC.
_UTF8, _IBM_PC = 0x800, "cp437"
_UNICODE_PATH = b"up"
_DOS = 0


class Inside(NamedTuple):
    """A file in an archive."""

    name: str  # its path below the archive
    member: ArchiveMember

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.member.parts[-1].size


@lru_cache(maxsize=2)
def list_archive(path: str, size: int, modified: float, most: int) -> tuple[Inside | Skipped, ...]:
    """Return the files in an archive, and what cannot be read of it.

    They come in the order of their names' bytes, folder by folder.  Hidden files and symbolic links
    are left out.

    Parameters
    ----------
    path : str
        The archive.
    size, modified : int, float
        Its size and time.
    most : int
        The most bytes of an archive in it.
    """
    if not size:
        return (Skipped(path, "empty"),)
    try:
        with open(path, "rb") as stream:
            lister = _ArchiveLister(ArchiveMember(path, size, modified, ()), most)
            return tuple(lister.members(stream, "", ()))
    except OSError as error:
        return (Skipped(path, reason(error), error=True),)


@dataclass
class _ArchiveLister:
    """Lists an archive and those in it."""

    archive: ArchiveMember
    most: int
    members_left: int = _MOST_MEMBERS
    bytes_left: int = 0

    def __post_init__(self) -> None:
        self.bytes_left = SMALL + MOST_RATIO * self.archive.size

    def members(
        self, stream: IO[bytes], above: str, parts: tuple[ZipMember, ...]
    ) -> Iterator[Inside | Skipped]:
        """Yield what is in an archive.

        Raises
        ------
        OSError
            If it cannot be read, or unpacks to too much.
        """
        listed = directory(stream)
        self.members_left -= len(listed)
        if self.members_left < 0:
            raise OSError(0, f"has more than {_MOST_MEMBERS:,} members: unpack it")
        for name, info in _named(listed):
            self.bytes_left -= info.file_size
            if self.bytes_left < 0:
                raise OSError(0, BOMB)
            part, path = part_of(info), f"{self.archive.archive}/{above}{name}"
            if fault := self._fault(name, info, len(parts)):
                yield Skipped(path, fault, error=True)
            elif not is_archive(name):
                yield Inside(above + name, self.archive._replace(parts=(*parts, part)))
            else:
                try:
                    content = io.BytesIO(read_part(stream, part))
                    found = list(self.members(content, f"{above}{name}/", (*parts, part)))
                except OSError as error:
                    if min(self.members_left, self.bytes_left) < 0:
                        raise
                    found = [Skipped(path, reason(error), error=True)]
                yield from found

    def _fault(self, name: str, info: ZipInfo, depth: int) -> str:
        if fault := unreadable_member(info):
            return fault
        if is_archive(name) and depth + 1 == _MOST_DEPTH:
            return f"an archive within {_MOST_DEPTH} archives"
        too_large = is_archive(name) and info.file_size > self.most
        return "an archive that is too large to be read within another" if too_large else ""


@contextmanager
def open_member(raw: IO[bytes], member: ArchiveMember | None) -> Iterator[IO[bytes]]:
    """Yield the content of a member, or the stream as it is if there is none.

    Raises
    ------
    OSError
        If it is damaged.
    """
    if member is None:
        yield raw
        return
    within = member._replace(parts=member.parts[:-1])
    stream = io.BytesIO(_unpacked(within)) if within.parts else raw
    with open_part(stream, member.parts[-1]) as content:
        yield content


# The members of an archive within another come one after another.
@lru_cache(maxsize=1)
def _unpacked(member: ArchiveMember) -> bytes:
    with open(member.archive, "rb") as raw, open_member(raw, member) as content:
        return content.read()


def _named(listed: list[ZipInfo]) -> list[tuple[str, ZipInfo]]:
    """Return the files of a list with their names, in order; of two with one name the last."""
    infos = [info for info in listed if not stat.S_ISLNK(info.external_attr >> 16)]
    found: dict[tuple[bytes, ...], ZipInfo] = {}
    for name, info in zip(_names(infos), infos, strict=True):
        parts = [part for part in name.split("/") if part not in ("", ".", "..")]
        hidden = any(part.startswith(".") or part in _HIDDEN for part in parts)
        if parts and not hidden and not name.endswith("/"):
            found[tuple(part.encode() for part in parts)] = info
    return [(b"/".join(name).decode(), found[name]) for name in sorted(found)]


def _names(infos: list[ZipInfo]) -> list[str]:
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


def _raw_name(info: ZipInfo) -> bytes:
    return info.orig_filename.encode(_IBM_PC, "replace")


def _unicode_path(info: ZipInfo, name: bytes) -> str:
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
