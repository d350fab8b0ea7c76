"""From the sources that the user names to a list of files: walking, patterns, lists of files."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple

from simdup.corpus.compression import DETECT, split_compression
from simdup.errors import reason, unreadable
from simdup.model.documents import Skipped
from simdup.model.reading import Reading

STDIN = "-"
NOT_REGULAR = "not a regular file"
RECORDS = frozenset({"jsonl", "csv", "tsv", "parquet"})
_FORMAT_OF = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".html": "html",
    ".htm": "html",
}


@dataclass(frozen=True, slots=True)
class File:
    """A file to be read."""

    path: str  # its path, which is also its name in results; ``-`` is standard input
    size: int = 0  # bytes; 0 if unknown
    modified: float = 0.0  # seconds since 1970
    format: str = "text"  # ``text`` and ``html`` are one document, the others hold `RECORDS`
    compression: str = ""  # see `simdup.corpus.compression`
    content_path: str = ""  # where its content is, if not at its path
    max_size: int = sys.maxsize  # most bytes of a document, unpacked
    regular: bool = False  # whether it was a regular file when it was listed

    @property
    def records(self) -> bool:
        """Whether it holds many documents."""
        return self.format in RECORDS

    @property
    def too_large(self) -> str:
        """Why a document of more bytes is skipped."""
        size, units = self.max_size, ["bytes", "kB", "MB", "GB"]
        while size % 1024 == 0 < size and len(units) > 1:
            size //= 1024
            del units[0]
        return f"larger than {size} {units[0]}: see `max_size`"


def list_files(sources: Iterable[str], reading: Reading) -> tuple[list[File], list[Skipped]]:
    """Return the files of the sources, each once, and what could not be listed.

    Folders are walked in the order of their entries' bytes, without hidden entries and symbolic
    links.  A file that is itself a source is always included.
    """
    files: list[File] = []
    skipped: list[Skipped] = []
    seen: set[str] = set()
    real: dict[str, str] = {}  # the real path of each folder
    for source in sources:
        for found in _expand(source, reading):
            if isinstance(found, Skipped):
                skipped.append(found)
                continue
            path = found.path
            if path != STDIN:
                folder, name = os.path.split(path)
                if folder not in real:
                    real[folder] = os.path.realpath(folder)
                path = os.path.join(real[folder], name)
                # The walk leaves links out, so only the source itself can be one.
                if found.path == source and os.path.islink(path):
                    path = os.path.realpath(path)
            if path not in seen:
                seen.add(path)
                files.append(found)
    return files, skipped


def one_file(path: str, reading: Reading) -> File:
    """Return a file that is one document, even if its suffix says records."""
    stem, compression = (path, DETECT) if path == STDIN else split_compression(path)
    kind = format_of(stem, reading)
    kind = "text" if kind in RECORDS else kind
    return File(path, format=kind, compression=compression, max_size=reading.max_size)


def read_list(path: str, null: bool) -> list[str]:
    """Return the sources that a file lists; ``-`` is standard input.

    With `null` a NUL ends each name, as ``find -print0`` writes, rather than a newline.
    """
    return [os.fsdecode(name) for name in read_bytes(path).split(b"\0" if null else b"\n") if name]


def read_bytes(path: str) -> bytes:
    """Return the content of a file; ``-`` is standard input.

    Raises
    ------
    SimdupError
        If it cannot be read.
    """
    try:
        if path == STDIN:
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise unreadable(path, error) from None


def _expand(source: str, reading: Reading) -> Iterator[File | Skipped]:
    if source == STDIN:
        form = format_of(STDIN, reading)
        yield File(STDIN, format=form, compression=DETECT, max_size=reading.max_size)
        return
    try:
        status = os.stat(source)
    except OSError as error:
        yield Skipped(source, reason(error), error=True)
        return
    except ValueError:
        yield Skipped(source, "no such file or directory", error=True)
        return
    if stat.S_ISDIR(status.st_mode):
        yield from _walk(source, reading)
    else:
        yield _file(source, status, reading)


def _walk(source: str, reading: Reading) -> Iterator[File | Skipped]:
    # Not by recursion: a folder may be deeper than Python's calls.
    open_folders = [_entries(source, "", reading)]
    while open_folders:
        for found in open_folders[-1]:
            if not isinstance(found, _Folder):
                yield found
                continue
            open_folders.append(_entries(found.path, found.below, reading))
            break
        else:
            open_folders.pop()


class _Folder(NamedTuple):
    """A folder below a source."""

    path: str
    below: str  # its path below the source, with a slash at the end


def _entries(folder: str, below: str, reading: Reading) -> Iterator[File | Skipped | _Folder]:
    try:
        with os.scandir(folder) as entries:
            ordered = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        yield _unlisted(folder, error, named=not below)
        return
    for entry in ordered:
        path = below + entry.name
        try:
            if entry.name.startswith(".") or entry.is_symlink() or matches(path, reading.exclude):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield _Folder(entry.path, path + "/")
            elif not reading.glob or matches(path, reading.glob):
                if entry.is_file(follow_symlinks=False):
                    yield _file(entry.path, entry.stat(follow_symlinks=False), reading)
                else:
                    # Reading a named pipe would wait forever.
                    yield Skipped(entry.path, NOT_REGULAR)
        except OSError as error:
            yield _unlisted(entry.path, error)


def _unlisted(path: str, error: OSError, named: bool = False) -> Skipped:
    """Return what is said of a file or folder that the system refused to list.

    That one vanishes is normal in a folder at work, and a fault only if a person named it.
    """
    if isinstance(error, FileNotFoundError) and not named:
        return Skipped(path, "vanished while its folder was listed")
    return Skipped(path, reason(error), error=True)


def _file(path: str, status: os.stat_result, reading: Reading) -> File:
    stem, compression = split_compression(path)
    form = format_of(stem, reading)
    return File(
        path, status.st_size, status.st_mtime, form, compression,
        max_size=reading.max_size, regular=stat.S_ISREG(status.st_mode),
    )  # fmt: skip


def format_of(path: str, reading: Reading) -> str:
    """Return the format of a file: the one asked for, or the one of its suffix.

    The path comes without the suffix of a compression.
    """
    kind = reading.input_format
    if kind == "auto":
        kind = _FORMAT_OF.get(os.path.splitext(path)[1].lower(), "text")
    if kind == "text" and reading.html:
        kind = "html"
    return "text" if kind == "html" and reading.extract == "none" else kind


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Return whether shell patterns match a path, or its last part if they have no slash."""
    name = path.rpartition("/")[2]
    return any(
        fnmatchcase(path if "/" in pattern else name, pattern.removeprefix("/"))
        for pattern in patterns
    )
