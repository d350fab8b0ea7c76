"""Walk a folder: which files it holds at any depth, and why others are left out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from simdup.base.errors import NOT_REGULAR, reason
from simdup.corpus.ignore_files import IGNORE_FILE, IgnoreFile, ignored, read_ignore_file
from simdup.corpus.names import is_archive
from simdup.corpus.patterns import Patterns
from simdup.model.documents import Skipped


@dataclass(slots=True)
class Rules:
    """Which files walks include, and how many `.simdupignore` files have left out so far."""

    glob: Patterns
    exclude: Patterns
    ignore: bool  # whether to read `.simdupignore` files
    files: int = 0
    folders: int = 0


class WalkedFile(NamedTuple):
    """A file below a source."""

    path: str
    status: os.stat_result
    below: str = ""  # its path below the source


class _Folder(NamedTuple):
    """A folder below a source."""

    path: str
    below: str = ""  # its path below the source, with a slash at the end
    above: tuple[IgnoreFile, ...] = ()  # of the folders above it


def walk(source: str, rules: Rules) -> Iterator[WalkedFile | Skipped]:
    """Yield the files of a folder in the order of their entries' bytes.

    Hidden entries and symbolic links are left out.

    Raises
    ------
    SimdupError
        If a `.simdupignore` cannot be read.
    """
    # Not recursive: a folder may be deeper than Python's call stack.
    open_folders = [_entries(_Folder(source), rules)]
    while open_folders:
        for found in open_folders[-1]:
            if not isinstance(found, _Folder):
                yield found
                continue
            open_folders.append(_entries(found, rules))
            break
        else:
            open_folders.pop()


def _entries(folder: _Folder, rules: Rules) -> Iterator[WalkedFile | Skipped | _Folder]:
    below, files = folder.below, folder.above
    try:
        with os.scandir(folder.path) as entries:
            ordered = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    except OSError as error:
        yield _unlisted(folder.path, error, named=not below)
        return
    for entry in ordered if rules.ignore else ():
        if entry.name == IGNORE_FILE:
            files = (*files, read_ignore_file(entry, len(below)))
    for entry in ordered:
        path = below + entry.name
        try:
            if entry.name.startswith(".") or entry.is_symlink() or rules.exclude.match(path):
                continue
            if entry.is_dir(follow_symlinks=False):
                path += "/"
                if files and ignored(path, files):
                    rules.folders += 1
                else:
                    yield _Folder(entry.path, path, files)
            elif is_archive(entry.name) or not rules.glob or rules.glob.match(path):
                if files and ignored(path, files):
                    rules.files += 1
                elif entry.is_file(follow_symlinks=False):
                    yield WalkedFile(entry.path, entry.stat(follow_symlinks=False), path)
                else:
                    # Reading a named pipe would wait forever.
                    yield Skipped(entry.path, NOT_REGULAR)
        except OSError as error:
            yield _unlisted(entry.path, error)


def _unlisted(path: str, error: OSError, named: bool = False) -> Skipped:
    """Return why a file or folder could not be listed.

    In a folder that is in use, files may vanish; this is an error only if the user named the file.
    """
    if isinstance(error, FileNotFoundError) and not named:
        return Skipped(path, "vanished while its folder was listed")
    return Skipped(path, reason(error), error=True)
