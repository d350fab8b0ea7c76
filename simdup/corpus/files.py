"""Files that are to be read, or members of archives, and their formats.

A format is known by the suffix, and where that is not enough by how a file begins.
"""

from __future__ import annotations

import codecs
import os
import stat
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import IO, NamedTuple, TypeAlias

from simdup.base.errors import SimdupError, reason
from simdup.base.regular_files import read_up_to
from simdup.base.when_used import pattern
from simdup.corpus.compression import decompress, split_compression
from simdup.corpus.formats import FORMAT_OF
from simdup.corpus.json_text import LARGEST, WHITE_SPACE, parse_json, records_within
from simdup.corpus.record_fields import has_texts, is_text
from simdup.model.settings import PAGES, Reading

STDIN = "-"
# The format of an archive: its files are the documents.
ARCHIVE = "zip"
# Formats of files that contain many documents.
RECORDS = frozenset({"jsonl", "json", "csv", "tsv", "parquet"})
_FORMAT_OF = FORMAT_OF | {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".csv": "csv", ".tsv": "tsv",
    ".parquet": "parquet",
}  # fmt: skip

# How the file of an index begins; bytes 68 to 71, which SQLite leaves to applications.
SQLITE = b"SQLite format 3\0"
APPLICATION = int.from_bytes(b"sdup", "big")

Opener: TypeAlias = Callable[[], AbstractContextManager[IO[bytes]]]

# Bytes that tell an array or lines of objects from other JSON: a first line is seldom longer.
_HEAD = 1 << 16
_RECORDS = pattern(rb":\s*\[\s*\{")


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
    format: str = "text"  # one of `RECORDS`, or of `FORMATS`, which are one document each
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


# -- formats ---------------------------------------------------------------------------------------


def format_of(path: str, reading: Reading) -> str:
    """Return the format of a file: the one in `reading`, or the one of its suffix.

    The path comes without a compression suffix.
    """
    kind = reading.input_format
    if kind in ("auto", PAGES):
        kind = _FORMAT_OF.get(os.path.splitext(path)[1].lower(), "text")
    return _of_page(kind, reading)


def format_of_file(path: str, opened: Opener | None, reading: Reading) -> str:
    """Return the format of a file; JSON is lines or an array, whichever of the two it is called.

    `opened` opens the file; a named pipe can be read only once, so there is none for it.
    """
    stem, compression = split_compression(path)
    kind = format_of(stem, reading)
    if kind not in ("json", "jsonl") or reading.input_format == kind:
        return kind
    # A file that cannot be opened is noticed when it is read.
    with suppress(OSError, SimdupError):
        if opened is not None:
            with opened() as raw, decompress(raw, compression) as content:
                head = content.read(_HEAD)
                if _begins_array(head):
                    return "json"
                if kind == "jsonl" or _begins_lines(head):
                    return "jsonl"
                if _holds_array(head, content, reading):
                    return kind
    return kind if kind == "jsonl" else _of_page("text", reading)


def _begins_array(head: bytes) -> bool:
    """Return whether the beginning of a file is that of an array of objects."""
    head = head.removeprefix(codecs.BOM_UTF8).lstrip(WHITE_SPACE)
    return head.startswith(b"[") and head[1:].lstrip(WHITE_SPACE).startswith(b"{")


def _holds_array(head: bytes, rest: IO[bytes], reading: Reading) -> bool:
    """Return whether JSON is an object with one array of records that have the wanted fields.

    An object that has these itself is a document.
    """
    if not head.removeprefix(codecs.BOM_UTF8).lstrip(WHITE_SPACE).startswith(b"{"):
        return False
    if not _RECORDS.search(head):
        return False
    keys, record = records_within(head + read_up_to(rest, LARGEST + 1 - len(head)))
    try:
        fields = parse_json(record.decode(reading.encoding or "utf-8"))
    except ValueError:
        return False
    itself = {key: [fields] if array else "" for key, array in keys.items()}
    return has_texts(fields, reading) and not is_text(itself, reading)


def _begins_lines(head: bytes) -> bool:
    """Return whether the beginning of a file is that of JSON lines: two objects, a line each."""
    lines = head.removeprefix(codecs.BOM_UTF8).lstrip(WHITE_SPACE).split(b"\n")
    if len(lines) < 2 or not all(line.lstrip(WHITE_SPACE).startswith(b"{") for line in lines[:2]):
        return False
    try:
        return isinstance(parse_json(lines[0].decode()), dict)
    except ValueError:
        return False


def _of_page(kind: str, reading: Reading) -> str:
    """Return the format of a file whose texts may be pages, whatever its name says."""
    if kind == "text" and reading.html:
        kind = "html"
    return "text" if kind == "html" and reading.extract == "none" else kind


# -- indexes --


def split_indexes(references: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return which of some paths are indexes, and the others."""
    indexes, others = list[str](), list[str]()
    for path in references:
        (indexes if holds_index(path) else others).append(path)
    return indexes, others


def holds_index(path: str) -> bool:
    """Return whether a path is an index."""
    # A pipe can be read only once, and not here; an invalid name is reported where it is opened.
    with suppress(OSError, ValueError):
        if os.path.isfile(path):
            with open(path, "rb") as stream:
                return is_index(stream.read(100))
    return False


def is_index(head: bytes) -> bool:
    """Return whether a file that begins so is an index."""
    return head.startswith(SQLITE) and int.from_bytes(head[68:72], "big") == APPLICATION
