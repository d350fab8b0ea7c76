"""Files in archives, as a walk or a SOURCE finds them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import IO

from simdup.corpus.archives import Inside, list_archive, open_member
from simdup.corpus.compression import split_compression
from simdup.corpus.extras import without_missing
from simdup.corpus.files import ARCHIVE, File
from simdup.corpus.formats import format_of_file
from simdup.corpus.names import is_archive
from simdup.corpus.patterns import Patterns
from simdup.errors import reason
from simdup.model.documents import Skipped
from simdup.model.settings import Reading


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
        Which files to read, and which files and folders to leave out.  If an archive is to be read,
        so are all files in it.
    reading : Reading
        How they are read.
    """
    glob, exclude = rules
    path, status = archive
    whole = not glob or bool(below and glob.match(below))
    chosen: list[File | Skipped] = []
    for one in _listed(path, status, reading):
        name = one.name if isinstance(one, Inside) else str(one.document)[len(path) + 1 :]
        steps = [below, *name.split("/")] if below else name.split("/")
        paths = ["/".join(steps[: i + 1]) for i in range(bool(below), len(steps))]
        if any(map(exclude.match, paths)):
            continue
        if whole or any(glob.match(p) for p in paths if p is paths[-1] or is_archive(p)):
            # What is in an archive may be there for others, so a missing extra is only noted.
            chosen.append(
                without_missing(_file(path, one, reading), reading)
                if isinstance(one, Inside)
                else one
            )
    if chosen or whole:
        yield File(path, status.st_size, status.st_mtime, ARCHIVE, regular=True, walked=bool(below))
    yield from chosen


def named_member(path: str, inner: str, reading: Reading) -> File | Skipped:
    """Return a file in an archive, or one of its records, that a SOURCE names."""
    wanted = f"{path}/{inner}"
    try:
        listed = _listed(path, os.stat(path), reading)
    except OSError as error:
        return Skipped(wanted, reason(error), error=True)
    found: dict[str, File | Skipped] = {}
    for one in listed:
        if isinstance(one, Skipped):
            found[str(one.document)] = one
        elif wanted.startswith(f"{path}/{one.name}"):
            found[f"{path}/{one.name}"] = replace(_file(path, one, reading), walked=False)
    if wanted in found:
        return found[wanted]
    if isinstance(broken := found.get(path), Skipped):
        return replace(broken, document=wanted)
    end = wanted.rfind("#", 0, len(wanted) - 1)
    while end > 0:
        file = found.get(wanted[:end])
        if isinstance(file, File) and file.records:
            return replace(file, record=wanted[end + 1 :])
        end = wanted.rfind("#", 0, end)
    return Skipped(wanted, f"no such file in {path}", error=True)


def _listed(path: str, status: os.stat_result, reading: Reading) -> tuple[Inside | Skipped, ...]:
    return list_archive(path, status.st_size, status.st_mtime, reading.max_size)


def _file(path: str, found: Inside, reading: Reading) -> File:
    """Return a file in an archive; within a folder or an archive, it is not named but found."""
    member = found.member
    name = f"{path}/{found.name}"

    @contextmanager
    def opened() -> Iterator[IO[bytes]]:
        with open(path, "rb") as raw, open_member(raw, member) as content:
            yield content

    form = format_of_file(name, opened, reading)
    return File(
        name, found.size, member.modified, form, split_compression(name)[1],
        max_size=reading.max_size, regular=True, walked=True, member=member,
    )  # fmt: skip
