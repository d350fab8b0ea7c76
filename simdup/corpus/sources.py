"""Turn the sources that the user names into a list of files: folders, patterns, file lists.

A walk says which files a folder holds at any depth, and why others are left out.
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from importlib import import_module
from itertools import accumulate, chain, islice
from typing import NamedTuple, TypeAlias

from simdup.base.errors import NOT_REGULAR, SimdupError, did_you_mean, reason, unreadable
from simdup.base.regular_files import open_regular
from simdup.base.system import (
    WINDOWS,
    composed,
    expanded,
    identity,
    is_hidden,
    is_link,
    listed_name,
    portable,
    relative,
    spellings,
    status_of,
)
from simdup.corpus.compression import DETECT, split_compression
from simdup.corpus.files import ARCHIVE, RECORDS, STDIN, File, format_of, format_of_file
from simdup.corpus.names import is_archive, split_address, split_member, without_address
from simdup.corpus.patterns import IGNORE_FILE, IgnoreFile, Patterns, ignored, read_ignore_file
from simdup.model.documents import Skipped
from simdup.model.settings import Reading

# How paths in a folder begin, and the ignore files that apply: None for a folder that is left out.
_Entered: TypeAlias = "tuple[str, tuple[IgnoreFile, ...] | None]"


@dataclass(slots=True)
class Rules:
    """Which files walks and lists include, and how many `.simdupignore` files left out so far."""

    glob: Patterns
    exclude: Patterns
    ignore: bool  # whether to read `.simdupignore` files
    files: int = 0
    folders: int = 0
    _entered: dict[str, _Entered] = field(default_factory=dict)  # folders with listed files

    def leave_out(self, path: str, files: Sequence[IgnoreFile]) -> bool:
        """Return whether to leave out an entry, given its path below the source.

        Paths of folders end with a slash.
        """
        folder = path.endswith("/")
        if self.exclude.match(path):
            return True
        if not (folder or not self.glob or is_archive(path) or self.glob.match(path)):
            return True
        if not files or not ignored(path, files):
            return False
        self.files += not folder
        self.folders += folder
        return True

    def leave_out_listed(self, source: str) -> bool:
        """Return whether to leave out what a list names, as a walk of the working folder would."""
        above, name = os.path.split(without_address(source).rstrip("/"))
        if name in ("", os.curdir, os.pardir):
            return False
        if above not in self._entered:
            self._entered[above] = self._enter(above)
        below, files = self._entered[above]
        return files is None or self.leave_out(below + name + "/" * os.path.isdir(source), files)

    def _enter(self, above: str) -> _Entered:
        """Return what applies in a folder; elsewhere no ignore file does."""
        inside = relative(above or os.curdir, os.curdir)
        whole = "" if inside == os.curdir else inside or portable(os.path.abspath(above))
        folders = accumulate(whole.split("/"), "{}/{}".format)
        below = ""
        files: tuple[IgnoreFile, ...] = ()
        for folder in ["", *folders] if inside else filter(None, folders):
            if folder not in self._entered:
                self._entered[folder] = self._apply(folder, files, bool(inside))
            below, applied = self._entered[folder]
            if applied is None:
                return below, None
            files = applied
        return below, files

    def _apply(self, folder: str, files: tuple[IgnoreFile, ...], inside: bool) -> _Entered:
        """Return what applies in a folder, given the files that apply to the folder itself."""
        below = f"{folder}/".lstrip("/")
        if below and self.leave_out(below, files):
            return below, None
        own = below + IGNORE_FILE
        if inside and self.ignore and os.path.lexists(own):
            files = (*files, read_ignore_file(own, len(below)))
        return below, files


class WalkedFile(NamedTuple):
    """A file below a source."""

    path: str
    status: os.stat_result
    below: str = ""  # its path below the source


# What is in a folder: files, and the same of the folders in it.
_Entries: TypeAlias = "Iterator[WalkedFile | Skipped | _Entries]"


def walk(source: str, rules: Rules) -> Iterator[WalkedFile | Skipped]:
    """Yield the files of a folder in the order of their entries' bytes.

    Hidden entries and symbolic links are left out.

    Raises
    ------
    SimdupError
        If a `.simdupignore` cannot be read.
    """
    # Not recursive: a folder may be deeper than Python's call stack.
    open_folders = [_entries(source, rules)]
    while open_folders:
        for found in open_folders[-1]:
            if isinstance(found, Iterator):
                open_folders.append(found)
                break
            yield found
        else:
            open_folders.pop()


def _entries(
    folder: str, rules: Rules, below: str = "", files: tuple[IgnoreFile, ...] = ()
) -> _Entries:
    """Yield what is in a folder, given its path below the source, and the files that apply."""
    try:
        with os.scandir(folder) as entries:
            ordered = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        yield _unlisted(folder, error, named=not below)
        return
    for entry in ordered if rules.ignore else ():
        if entry.name == IGNORE_FILE:
            files = (*files, read_ignore_file(entry.path, len(below)))
    for entry in ordered:
        path, place = below + entry.name, portable(entry.path)
        try:
            if is_hidden(entry) or is_link(entry):
                continue
            if is_folder := entry.is_dir(follow_symlinks=False):
                path += "/"
            if rules.leave_out(path, files):
                continue
            if is_folder:
                yield _entries(place, rules, path, files)
            elif entry.is_file(follow_symlinks=False):
                yield WalkedFile(place, status_of(entry), path)
            else:
                # Reading a named pipe would wait forever.
                yield Skipped(place, NOT_REGULAR)
        except OSError as error:
            yield _unlisted(place, error)


def _unlisted(path: str, error: OSError, named: bool = False) -> Skipped:
    """Return why a file or folder could not be listed.

    In a folder that is in use, files may vanish; this is an error only if the user named the file.
    """
    if isinstance(error, FileNotFoundError) and not named:
        return Skipped(path, "vanished while its folder was listed")
    return Skipped(path, reason(error), error=True)


# Comparing a name with this many takes some 20 ms.
_MOST_BESIDE = 1000


class Listed(str):
    """A SOURCE from a file list: it may be empty, and patterns leave it out, as in a folder."""

    __slots__ = ("file",)
    file: str  # the list

    def __new__(cls, source: str, file: str) -> Listed:
        """Return a source of a list."""
        self = super().__new__(cls, source)
        self.file = file
        return self

    def __reduce__(self) -> tuple[type[Listed], tuple[str, str]]:
        """Return what makes it again in a worker."""
        return Listed, (str(self), self.file)


class Named(list[str]):
    """SOURCEs that a command was given: each missing one is reported, and the rest is read."""


# What is noted of a reference that adds nothing.
ONLY_SOURCES = (
    "`references` has no effect: all of its files are SOURCEs; "
    "a run without `references` compares these with each other"
)


class SourceListing(NamedTuple):
    """The files of sources, each once, and messages about the sources."""

    files: list[File]  # in order, those that are only references first
    skipped: list[Skipped]  # files and folders that could not be listed
    notes: list[tuple[str, str]]  # names, and notes on them
    references: int  # how many of the files are only references
    named: list[str]  # sources that the user named, each of which should give a document
    archives: list[File]  # archives of the sources, whose members are listed


def list_files(
    sources: Iterable[str], reading: Reading, references: Iterable[str] = ()
) -> SourceListing:
    """Return the files of sources and references; a file that is in both is a source.

    Folders are walked in the order of their entries' bytes, without hidden entries and symbolic
    links.  A file that is itself a source is always included.
    """
    lister = _SourceLister(reading)
    # Sources come first: a file in both is not a reference.
    given = [
        file for one in sources for source in _spelt(one) for file in lister.list_source(source)
    ]
    archives = lister.archives[:]
    known: list[File] = []
    for reference in dict.fromkeys(chain.from_iterable(map(_spelt, references))):
        found = lister.list_source(reference)
        if not found and lister.met_again:
            lister.notes.append((reference, ONLY_SOURCES))
        known += found
    lister.check_lists()
    given = lister.without_parts(given, known)
    known = lister.without_parts(known)
    notes = lister.all_notes()
    return SourceListing(
        [*known, *given], lister.skipped, notes, len(known), lister.named, archives
    )


class _SourceLister:
    """Lists sources one after another, each file once."""

    def __init__(self, reading: Reading) -> None:
        self.skipped: list[Skipped] = []
        self.notes: list[tuple[str, str]] = []
        self.named: list[str] = []
        self.archives: list[File] = []
        self.met_again = False  # whether a file of the last source had been listed before
        self._reading = reading
        self._rules = Rules(Patterns(reading.glob), Patterns(reading.exclude), reading.ignore)
        self._filtered = False  # whether patterns decided about any source
        self._lists: dict[str, bool] = {}  # whether any source of each list gave something
        self._seen: set[str] = set()
        self._real: dict[str, str] = {}  # the real path of each folder
        self._spellings = cache(spellings)  # one list of a folder for all of its files
        self._folders: dict[object, str] = {}  # and by what it is: it may have several spellings
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
                (self.archives if found.format == ARCHIVE else files).append(found)
        folder = source != STDIN and (os.path.isdir(source) or _is_archive_file(source))
        self._filtered |= folder or isinstance(source, Listed)
        failed = not files and any(one.error for one in self.skipped[faults:])
        gave = bool(files) or self.met_again or failed
        if isinstance(source, Listed):
            self._lists[source.file] = gave or self._lists.get(source.file, False)
        elif folder and not gave and self._reading.glob:
            self._skip_unmatched(source)
        elif not (self.met_again or failed):
            self.named.append(source)
        return files

    def _skip_unmatched(self, pile: str) -> None:
        """Report a folder or a list in which nothing matches."""
        what = f"nothing matches `glob` {', '.join(map(repr, self._reading.glob))}"
        self.skipped.append(Skipped(pile, what, error=True))

    def check_lists(self) -> None:
        """Report lists of which `glob` left nothing."""
        for name in (name for name, gave in self._lists.items() if not gave):
            if self._reading.glob:
                self._skip_unmatched(name)

    def _real_path(self, file: File) -> str:
        if file.path == STDIN:
            return STDIN
        folder, name = os.path.split(file.path)
        if folder not in self._real:
            real = os.path.realpath(folder)
            self._real[folder] = self._folders.setdefault(identity(folder or os.curdir), real)
        if not file.walked:
            names = self._spellings(folder or os.curdir)
            name = names.get(name) or names.get(composed(name).casefold(), name)
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
        if not self._filtered:
            asked = (("`glob`", self._reading.glob), ("`exclude`", self._reading.exclude))
            why = "has no effect: files that are named are always read"
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
    """Return a file in an archive, or that holds a record; None for no such address.

    Addresses are ``archive.zip/inner/a.docx``, ``train.jsonl#5`` and ``archive.zip/train.jsonl#5``.
    """
    if os.path.lexists(source):
        what = "is an archive: name a file in it, as archive.zip/a.txt"
        return Skipped(source, what, error=True) if _is_archive_file(source) else None
    if inside := split_member(source):
        from simdup.corpus.archives import named_member

        return named_member(*inside, reading)
    found = split_address(source)
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


def _spelt(source: str) -> list[str]:
    """Return the paths that a SOURCE means, as documents are named."""
    if isinstance(source, Listed):
        return [Listed(portable(source), source.file)]
    if source == STDIN:
        return [source]
    return [portable(path) for path in expanded(source)]


def _is_archive_file(source: str) -> bool:
    return is_archive(source) and os.path.isfile(source)


def read_list(path: str, null: bool) -> list[Listed]:
    """Return the sources that a file lists; ``-`` is standard input.

    With `null`, each name ends with NUL, as ``find -print0`` writes it, instead of a newline.
    """
    content = read_bytes(path)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # as PowerShell writes it
        content = content.decode("utf-16", "replace").encode()
    content = content.removeprefix(codecs.BOM_UTF8)
    names = content.split(b"\0" if null else b"\r\n" if WINDOWS and b"\r\n" in content else b"\n")
    return [Listed(listed_name(name), path) for name in names if name]


def read_bytes(path: str) -> bytes:
    """Return the content of a file or pipe that is an argument; ``-`` is standard input.

    Raises
    ------
    SimdupError
        If it cannot be read, or is a device.
    """
    try:
        if path == STDIN:
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, "a device, not a file")
            return file.read()
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:  # a NUL
        raise SimdupError(path, "no such file or folder") from None


def _expand(source: str, rules: Rules, reading: Reading) -> Iterator[File | Skipped]:
    if source == STDIN:
        form = format_of(STDIN, reading)
        yield File(STDIN, format=form, compression=DETECT, max_size=reading.max_size)
        return
    if isinstance(source, Listed) and rules.leave_out_listed(source):
        return
    try:
        status = os.stat(source)
    except OSError as error:
        hint = "" if isinstance(source, Listed) else _near(source)
        yield addressed(source, reading) or Skipped(source, reason(error), error=True, hint=hint)
        return
    except ValueError:
        yield Skipped(source, "no such file or folder", error=True)
        return
    if stat.S_ISDIR(status.st_mode):
        for found in walk(source, rules):
            if isinstance(found, Skipped):
                yield found
            elif is_archive(found.path):
                yield from _files_in(found, rules, reading)
            else:
                yield _file(found.path, found.status, reading, walked=True)
    elif is_archive(source) and stat.S_ISREG(status.st_mode):
        yield from _files_in(WalkedFile(source, status), rules, reading)
    else:
        file = _file(source, status, reading)
        yield _in_own_form(file, reading) or file


def _in_own_form(file: File, reading: Reading) -> Skipped | None:
    """Return why a file of JSON that is named should not be read as one text."""
    if not (file.format == "text" and reading.input_format == "auto" and file.regular):
        return None
    nested = import_module("simdup.corpus.nested_json")
    fault = nested.file_in_own_form(file, reading)
    return fault and Skipped(file.path, fault[0], error=True, hint=fault[1])


def _near(source: str) -> str:
    """Return a hint at what is nearly called like a SOURCE that is missing, beside its place."""
    folder, name = os.path.split(source.rstrip("/"))
    try:
        with os.scandir(folder or os.curdir) as entries:
            beside = [entry.name for entry in islice(entries, _MOST_BESIDE)]
    except OSError:
        return ""
    # A link that leads nowhere is there.
    return "" if name in beside else did_you_mean(name, sorted(beside), folder)


def _files_in(found: WalkedFile, rules: Rules, reading: Reading) -> Iterator[File | Skipped]:
    from simdup.corpus.archives import files_in

    return files_in((found.path, found.status), found.below, (rules.glob, rules.exclude), reading)


def _file(path: str, status: os.stat_result, reading: Reading, walked: bool = False) -> File:
    compression = split_compression(path)[1]
    regular = stat.S_ISREG(status.st_mode)
    form = format_of_file(path, partial(open_regular, path) if regular else None, reading)
    return File(
        path, status.st_size, status.st_mtime, form, compression,
        max_size=reading.max_size, regular=regular, walked=walked,
    )  # fmt: skip
