"""Open the output: standard output, or a file that is written atomically."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from simdup.atomic import beside
from simdup.errors import NO_ROOM, unwritable


@contextmanager
def open_output(path: str | None, like: str = "") -> Iterator[BinaryIO]:
    """Open a file for writing, or standard output for None and ``-``.

    A file is written beside its target and published only on success: a reader never sees half of
    it, and an interrupted run leaves the old file.  It keeps the mode of the file that it replaces,
    or gets the mode and times of the file `like`.  Devices and pipes are written directly.

    Raises
    ------
    SimdupError
        If the file cannot be written.
    """
    if path is None or path == "-":
        with _check_room("standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    with _explain(path):
        mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        # The target of /dev/stdout may have no name.
        with _open(path, path, "wb") as stream:
            yield stream
        return
    with beside(os.path.realpath(path), path) as place:
        with _open(path, place, "xb") as stream:
            yield stream
        with _explain(path):
            if like:
                shutil.copystat(like, place)
            elif mode is not None:
                os.chmod(place, stat.S_IMODE(mode))


@contextmanager
def _open(path: str, place: str, how: str) -> Iterator[BinaryIO]:
    with _explain(path):
        stream: BinaryIO = open(place, how)  # type: ignore[assignment]  # noqa: SIM115
    with _check_room(path), stream:
        yield stream


@contextmanager
def _explain(path: str) -> Iterator[None]:
    """Raise errors that name the file as the user does."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from None


@contextmanager
def _check_room(path: str) -> Iterator[None]:
    """Turn errors about full disks and file size limits into SimdupErrors."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno not in NO_ROOM:
            raise
        raise unwritable(path, error) from None


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
