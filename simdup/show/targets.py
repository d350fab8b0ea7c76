"""Protect files from being overwritten: SOURCEs, files inside them, and existing files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from simdup.base.errors import SimdupError, unreadable
from simdup.base.workspace import entries
from simdup.corpus.files import STDIN
from simdup.corpus.names import without_address
from simdup.corpus.patterns import OWN_HEAD, is_own_result, matches
from simdup.model.settings import Reading
from simdup.show.words import CHINESE, ENGLISH

# Other files that simdup writes, though a walk reads them: clusters as text, models.
_HEADINGS = (words("heading.clusters").encode() for words in (ENGLISH, CHINESE))
_WRITTEN = (*_HEADINGS, b"# simdup-idf ")


def check_target(target: str, sources: Iterable[str], force: bool) -> None:
    """Raise if a target contains a source, is inside one, or is not empty.

    Raises
    ------
    SimdupError
        If the target must not be written.
    """
    check_apart(target, sources)
    try:
        filled = bool(entries(target) if os.path.isdir(target) else os.path.getsize(target))
    except FileNotFoundError:
        return
    except OSError as error:
        raise unreadable(target, error) from None
    if filled and not force:
        raise SimdupError(
            target, "already exists and is not empty", "`force` replaces files with the same names"
        )


def check_apart(target: str, sources: Iterable[str], what: str = "a SOURCE") -> None:
    """Raise if a target is a source, is inside one, or contains one.

    Raises
    ------
    SimdupError
        If it does.
    """
    place = os.path.realpath(target)
    for source in map(without_address, sources):
        real = os.path.realpath(source)
        if place == real or (os.path.exists(target) and _same(target, source)):
            raise SimdupError(target, f"is {what} itself: {source}")
        if place.startswith(os.path.join(real, "")):
            raise SimdupError(target, f"is inside {what}: {source}")
        if real.startswith(os.path.join(place, "")):
            raise SimdupError(target, f"contains {what}: {source}")
    _refuse_index(target)


def check_output(
    path: str | None,
    sources: Iterable[str],
    reading: Reading | None = None,
) -> None:
    """Raise if an output would overwrite a source.

    In a folder that is read, results of an earlier run, and files that the patterns of `reading`
    leave out, may be overwritten.  An index never is.

    Raises
    ------
    SimdupError
        If the file is an index, is read, or is inside a source and not a result of simdup.
    """
    sources = list(sources)
    # Devices and pipes are written to, not overwritten.
    if path is None or path == STDIN or not os.path.isfile(path):
        return
    for source in map(without_address, sources):
        if source != STDIN and _same(path, source):
            raise SimdupError(path, f"is a SOURCE itself: {source}", "write to another file")
    _refuse_index(path)
    for source in sources:
        if source != STDIN and os.path.isdir(source):
            _check_inside(path, source, reading or Reading())


def check_read(path: str, files: Iterable[str]) -> None:
    """Raise if an output is, or contains, one of other files that are read, or standard input.

    Raises
    ------
    SimdupError
        If it does.
    """
    folder = os.path.join(os.path.realpath(path), "")
    for file in files:
        if _same(path, file):
            raise SimdupError(path, "is also read by this command", "write to another file")
        if os.path.realpath(file).startswith(folder):
            what = f"contains a file that this command reads: {file}"
            raise SimdupError(path, what, "write to another folder")
    if os.path.isfile(path) and _same(path, 0):
        raise SimdupError(path, "is standard input", "write to another file")


def _refuse_index(path: str) -> None:
    # An index is work that a mistyped command should not replace.
    from simdup.index.opening import holds_index

    if holds_index(path):
        raise SimdupError(path, "is a simdup index", "choose another name")


def _check_inside(path: str, folder: str, reading: Reading) -> None:
    below = os.path.relpath(os.path.realpath(path), os.path.realpath(folder))
    parts = below.split(os.sep)
    ways = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
    if any(part.startswith(".") for part in parts) or any(
        matches(w, reading.exclude) for w in ways
    ):
        return
    if reading.glob and not matches(ways[-1], reading.glob):
        return
    with suppress(OSError), open(path, "rb") as file:
        head = file.read(OWN_HEAD)
        if head and not (is_own_result(head) or head.startswith(_WRITTEN)):
            raise SimdupError(
                path, f"is inside a SOURCE and was not written by simdup: {folder}",
                "write to another file, or remove this one",
            )  # fmt: skip


def _same(a: str, b: str | int) -> bool:
    """Return whether two names, or a name and an open file, mean the same file or folder."""
    with suppress(OSError):
        one, other = os.stat(a), os.stat(b)
        return os.path.samestat(one, other) and not stat.S_ISCHR(one.st_mode)
    return False
