"""From what the user names to a list of files: walking, globs, lists of files."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from simdup.corpus.compression import FOUND_OUT, packing_of
from simdup.corpus.names import from_bytes
from simdup.errors import SimdupError
from simdup.model.documents import Skipped
from simdup.model.reading import Reading

STDIN = "-"
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
    """A file to be read.

    Attributes
    ----------
    path : str
        Where it lies and how results name it; ``-`` is standard input.
    size : int
        Bytes; 0 where that cannot be known.
    modified : float
        Seconds since 1970.
    form : str
        ``text`` and ``html`` are one document, the others hold `RECORDS`.
    packing : str
        How it is compressed: see `simdup.corpus.compression`.
    place : str
        Where its content lies, if not at its path.
    """

    path: str
    size: int = 0
    modified: float = 0.0
    form: str = "text"
    packing: str = ""
    place: str = ""

    @property
    def records(self) -> bool:
        """Whether it holds many documents."""
        return self.form in RECORDS


def list_files(sources: Iterable[str], reading: Reading) -> tuple[list[File], list[Skipped]]:
    """Return the files that the sources hold, each once, and what could not be listed.

    Folders are walked in the order of their entries' bytes; hidden entries and symbolic links are
    left out.  A file that is itself a source is always taken.
    """
    files: list[File] = []
    skipped: list[Skipped] = []
    seen: set[str] = set()
    real: dict[str, str] = {}  # where folders are
    for source in sources:
        for found in _expand(source, reading):
            if isinstance(found, Skipped):
                skipped.append(found)
                continue
            place = found.path
            if place != STDIN:
                folder, name = os.path.split(place)
                if folder not in real:
                    real[folder] = os.path.realpath(folder)
                place = os.path.join(real[folder], name)
                # Below a source links are left out, so only it can be one.
                if found.path == source and os.path.islink(place):
                    place = os.path.realpath(place)
            if place not in seen:
                seen.add(place)
                files.append(found)
    return files, skipped


def one_file(path: str, reading: Reading) -> File:
    """Return a file that is one document, whatever its suffix says of records."""
    stem, packing = (path, FOUND_OUT) if path == STDIN else packing_of(path)
    form = form_of(stem, reading)
    return File(path, form="text" if form in RECORDS else form, packing=packing)


def read_list(path: str, null: bool) -> list[str]:
    """Return the sources that a file (or ``-``, standard input) lists.

    Parameters
    ----------
    path : str
        The list.
    null : bool
        Whether a NUL ends each name, as ``find -print0`` writes, rather than a newline.
    """
    try:
        if path == STDIN:
            content = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                content = file.read()
    except OSError as error:
        raise SimdupError(path, error.strerror or "cannot be read") from None
    return [from_bytes(name) for name in content.split(b"\0" if null else b"\n") if name]


def _expand(source: str, reading: Reading) -> Iterator[File | Skipped]:
    if source == STDIN:
        yield File(STDIN, form=form_of(STDIN, reading), packing=FOUND_OUT)
        return
    try:
        status = os.stat(source)
    except OSError as error:
        yield Skipped(source, (error.strerror or "cannot be read").lower(), error=True)
        return
    except ValueError:
        yield Skipped(source, "no such file or directory", error=True)
        return
    if stat.S_ISDIR(status.st_mode):
        yield from _walk(source, "", reading)
    else:
        yield _file(source, status, reading)


def _walk(folder: str, below: str, reading: Reading) -> Iterator[File | Skipped]:
    try:
        with os.scandir(folder) as entries:
            ordered = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        yield Skipped(folder, (error.strerror or "cannot be read").lower(), error=True)
        return
    for entry in ordered:
        path = below + entry.name
        if entry.name.startswith(".") or entry.is_symlink() or matches(path, reading.exclude):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, path + "/", reading)
        elif not reading.glob or matches(path, reading.glob):
            if entry.is_file(follow_symlinks=False):
                yield _file(entry.path, entry.stat(follow_symlinks=False), reading)
            else:
                # A named pipe would be waited for without end.
                yield Skipped(entry.path, "not a regular file")


def _file(path: str, status: os.stat_result, reading: Reading) -> File:
    stem, packing = packing_of(path)
    return File(path, status.st_size, status.st_mtime, form_of(stem, reading), packing)


def form_of(path: str, reading: Reading) -> str:
    """Return what a file holds, by its suffix (without that of a packing) unless told."""
    form = reading.input_format
    if form == "auto":
        form = _FORMAT_OF.get(os.path.splitext(path)[1].lower(), "text")
    if form == "text" and reading.html:
        form = "html"
    return "text" if form == "html" and reading.extract == "none" else form


def matches(path: str, patterns: Sequence[str]) -> bool:
    """Tell whether shell patterns match a path, or its last part where they have no slash."""
    name = path.rpartition("/")[2]
    return any(
        fnmatchcase(path if "/" in pattern else name, pattern.removeprefix("/"))
        for pattern in patterns
    )
