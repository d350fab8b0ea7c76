"""Files that are to be read, or members of archives."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import dataclass
from typing import NamedTuple

from simdup.base.errors import reason
from simdup.corpus.formats import RECORDS

STDIN = "-"
# The format of an archive: its files are the documents.
ARCHIVE = "zip"


class ZipMember(NamedTuple):
    """Where a member of a zip file is, and what the file declares of it."""

    start: int  # of its local header
    packed: int  # bytes
    size: int  # bytes, unpacked
    crc: int
    method: int  # of compression


class ArchiveMember(NamedTuple):
    """Where a file in an archive is."""

    archive: str  # the path of the archive
    size: int  # of the archive in bytes
    modified: float  # the archive, in seconds since 1970
    name: str  # of the file, below the archive
    part: ZipMember


@dataclass(frozen=True, slots=True)
class File:
    """A file to be read."""

    path: str  # also its name in results; ``-`` is standard input
    size: int = 0  # bytes; 0 if unknown
    modified: float = 0.0  # seconds since 1970
    format: str = "text"  # ``text`` and ``html`` are one document; the others contain records
    compression: str = ""  # see `simdup.corpus.compression`
    content_path: str = ""  # where its content is, if not at `path`
    max_size: int = sys.maxsize  # the most bytes of a document, decompressed
    regular: bool = False  # whether it was a regular file when it was listed
    walked: bool = False  # whether it was found in a folder, not named
    member: ArchiveMember | None = None  # where it is, if it is in an archive
    record: str = ""  # the only record that is wanted, by number or name; see `find_record`

    @property
    def records(self) -> bool:
        """Whether it contains many documents."""
        return self.format in RECORDS

    @property
    def on_disk(self) -> File:
        """The file itself, or the archive that it is in."""
        if self.member is None:
            return self
        of = self.member
        return File(of.archive, of.size, of.modified, ARCHIVE, regular=True, walked=self.walked)

    @property
    def address(self) -> str:
        """How the only record that is wanted is named."""
        return f"{self.path}#{self.record}"

    @property
    def too_large(self) -> str:
        """The reason for skipping a document above `max_size`."""
        size, units = self.max_size, ["bytes", "kB", "MB", "GB"]
        while size % 1024 == 0 < size and len(units) > 1:
            size //= 1024
            del units[0]
        return f"larger than {size} {units[0]}: see `max_size`"


def difference(file: File) -> str:
    """Return how a file differs from what it was when it was listed; empty if it does not."""
    path, size = file.content_path or file.path, file.size
    if file.member is not None:
        path, size = file.member.archive, file.member.size
    try:
        now = os.stat(path)
    except OSError as error:
        return f"{reason(error)}: vanished during the run"
    if file.regular and not stat.S_ISREG(now.st_mode):
        return "no longer a regular file"
    if (now.st_size, now.st_mtime) != (size, file.modified):
        return "changed while it was read"
    return "" if os.access(path, os.R_OK) else "permission denied"
