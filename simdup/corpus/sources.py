"""Turn the sources that the user names into a list of files: folders, patterns, file lists."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from simdup.corpus.compression import DETECT, split_compression
from simdup.corpus.formats import RECORDS, format_of, format_of_file
from simdup.corpus.ignore_files import IGNORE_FILE
from simdup.corpus.names import split_address
from simdup.corpus.patterns import Patterns
from simdup.corpus.walking import Rules, walk
from simdup.errors import reason, unreadable
from simdup.model.documents import Skipped
from simdup.model.reading import Reading

STDIN = "-"


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
    record: str = ""  # the only record that is wanted, by number or name; see `find_record`

    @property
    def records(self) -> bool:
        """Whether it contains many documents."""
        return self.format in RECORDS

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


class Listed(str):
    """A SOURCE from a file list; unlike a SOURCE named by the user, it may be empty."""

    __slots__ = ()


class Named(list[str]):
    """SOURCEs that a command was given: each missing one is reported, and the rest is read."""


class Listing(NamedTuple):
    """The files of sources, each once, and messages about the sources."""

    files: list[File]  # in order, those that are only references first
    skipped: list[Skipped]  # files and folders that could not be listed
    notes: list[tuple[str, str]]  # names, and notes on them
    references: int  # how many of the files are only references
    named: list[str]  # sources that the user named, each of which should give a document


def list_files(sources: Iterable[str], reading: Reading, references: Iterable[str] = ()) -> Listing:
    """Return the files of sources and references; a file that is in both is a source.

    Folders are walked in the order of their entries' bytes, without hidden entries and symbolic
    links.  A file that is itself a source is always included.
    """
    lister = _Lister(reading)
    # Sources come first: a file in both is not a reference.
    given = [file for source in sources for file in lister.list_source(source)]
    known: list[File] = []
    for reference in dict.fromkeys(references):
        found = lister.list_source(reference)
        if not found and lister.met_again:
            lister.notes.append(
                (reference, "`references` has no effect: all of its files are SOURCEs")
            )
        known += found
    given = lister.without_parts(given, known)
    known = lister.without_parts(known)
    notes = lister.all_notes()
    return Listing([*known, *given], lister.skipped, notes, len(known), lister.named)


class _Lister:
    """Lists sources one after another, each file once."""

    def __init__(self, reading: Reading) -> None:
        self.skipped: list[Skipped] = []
        self.notes: list[tuple[str, str]] = []
        self.named: list[str] = []
        self.met_again = False  # whether a file of the last source had been listed before
        self._reading = reading
        self._rules = Rules(Patterns(reading.glob), Patterns(reading.exclude), reading.ignore)
        self._walked = False
        self._seen: set[str] = set()
        self._real: dict[str, str] = {}  # the real path of each folder
        self._outputs = frozenset(map(os.path.realpath, reading.outputs))

    def list_source(self, source: str) -> list[File]:
        """Return the files of a source that were not listed before."""
        files: list[File] = []
        faults = len(self.skipped)
        self.met_again = False
        for found in _expand(source, self._rules, self._reading):
            if isinstance(found, Skipped):
                self.skipped.append(found)
                continue
            path = self._real_path(found)
            place = f"{path}#{found.record}" if found.record else path
            if path in self._seen or place in self._seen:
                self.met_again = True
            elif found.walked and path in self._outputs:
                self.notes.append((found.path, "left out: this run writes to it"))
            else:
                self._seen.add(place)
                files.append(found)
        folder = source != STDIN and os.path.isdir(source)
        self._walked |= folder
        failed = not files and any(one.error for one in self.skipped[faults:])
        if isinstance(source, Listed) or self.met_again or failed:
            return files
        if folder and not files and self._reading.glob:
            what = f"nothing matches `glob` {', '.join(map(repr, self._reading.glob))}"
            self.skipped.append(Skipped(source, what, error=True))
        else:
            self.named.append(source)
        return files

    def _real_path(self, file: File) -> str:
        if file.path == STDIN:
            return STDIN
        folder, name = os.path.split(file.path)
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        path = os.path.join(self._real[folder], name)
        # The walk leaves links out, so only the source itself can be one.
        return path if file.walked or not os.path.islink(path) else os.path.realpath(path)

    def without_parts(self, files: list[File], references: Iterable[File] = ()) -> list[File]:
        """Return files without single records of those that are listed whole.

        Documents are told from references by their file, so one file cannot be on both sides.
        """
        parts = any(file.record for file in files)
        others = {self._real_path(file) for file in references} if parts else set()
        stay = []
        for file in files:
            path = self._real_path(file) if file.record else ""
            if path in others:
                self.named.remove(file.address)
                what = "cannot be a SOURCE: its file is a reference"
                self.skipped.append(Skipped(file.address, what, error=True))
            elif path not in self._seen:
                stay.append(file)
        return stay

    def all_notes(self) -> list[tuple[str, str]]:
        """Return the notes, with the patterns that matched nothing."""
        if not self._walked:
            asked = (("`glob`", self._reading.glob), ("`exclude`", self._reading.exclude))
            why = "has no effect: no SOURCE is a folder"
            return self.notes + [(name, why) for name, patterns in asked if patterns]
        glob, exclude = self._rules.glob.unused, self._rules.exclude.unused
        # If no pattern matched, each folder already has a note.
        unused = [("`glob`", one) for one in glob if len(glob) < len(set(self._reading.glob))]
        unused += [("`exclude`", one) for one in exclude]
        notes = self.notes + [(name, f"nothing matches {one!r}") for name, one in unused]
        return notes + self._ignored()

    def _ignored(self) -> list[tuple[str, str]]:
        """Return the note on what `.simdupignore` files left out."""
        counts = ((self._rules.files, "file"), (self._rules.folders, "folder"))
        parts = [f"{count:,} {what}{'s' * (count != 1)}" for count, what in counts if count]
        return [(IGNORE_FILE, f"left out {' and '.join(parts)}")] if parts else []


def one_file(path: str, reading: Reading) -> File:
    """Return a file that is read as one document, even if its suffix means records."""
    stem, compression = (path, DETECT) if path == STDIN else split_compression(path)
    kind = format_of(stem, reading)
    kind = "text" if kind in RECORDS else kind
    return File(path, format=kind, compression=compression, max_size=reading.max_size)


def addressed(source: str, reading: Reading) -> File | Skipped | None:
    """Return the file that holds a record such as ``train.jsonl#5``; None for no such file."""
    found = None if os.path.lexists(source) else split_address(source)
    if found is None:
        return None
    path, record = found
    try:
        file = replace(_file(path, os.stat(path), reading), record=record)
    except OSError as error:
        return Skipped(path, reason(error), error=True)
    if not file.records:
        return Skipped(source, f"{path} holds no records: see `input_format`", error=True)
    return file


def read_list(path: str, null: bool) -> list[Listed]:
    """Return the sources that a file lists; ``-`` is standard input.

    With `null`, each name ends with NUL, as ``find -print0`` writes it, instead of a newline.
    """
    names = read_bytes(path).split(b"\0" if null else b"\n")
    return [Listed(os.fsdecode(name)) for name in names if name]


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


def _expand(source: str, rules: Rules, reading: Reading) -> Iterator[File | Skipped]:
    if source == STDIN:
        form = format_of(STDIN, reading)
        yield File(STDIN, format=form, compression=DETECT, max_size=reading.max_size)
        return
    try:
        status = os.stat(source)
    except OSError as error:
        yield addressed(source, reading) or Skipped(source, reason(error), error=True)
        return
    except ValueError:
        yield Skipped(source, "no such file or folder", error=True)
        return
    if stat.S_ISDIR(status.st_mode):
        for found in walk(source, rules):
            if isinstance(found, Skipped):
                yield found
            else:
                yield _file(*found, reading, walked=True)
    else:
        yield _file(source, status, reading)


def _file(path: str, status: os.stat_result, reading: Reading, walked: bool = False) -> File:
    compression = split_compression(path)[1]
    form = format_of_file(path, stat.S_ISREG(status.st_mode), reading)
    return File(
        path, status.st_size, status.st_mtime, form, compression,
        max_size=reading.max_size, regular=stat.S_ISREG(status.st_mode), walked=walked,
    )  # fmt: skip


def difference(file: File) -> str:
    """Return how a file differs from what it was when it was listed; empty if it does not."""
    path = file.content_path or file.path
    try:
        now = os.stat(path)
    except OSError as error:
        return f"{reason(error)}: vanished during the run"
    if file.regular and not stat.S_ISREG(now.st_mode):
        return "no longer a regular file"
    if (now.st_size, now.st_mtime) != (file.size, file.modified):
        return "changed while it was read"
    return "" if os.access(path, os.R_OK) else "permission denied"


def is_page(file: File, reading: Reading) -> bool:
    """Return whether a file is HTML, or contains records of HTML."""
    if file.records:
        return reading.html
    kind = format_of(split_compression(file.path)[0], reading)
    return kind == "html" or (kind == "json" and reading.html)
