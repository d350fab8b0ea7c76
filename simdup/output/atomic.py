"""Where results go: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from simdup.errors import SimdupError

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@contextmanager
def open_output(path: str | None) -> Iterator[BinaryIO]:
    """Open a file for writing, or standard output for None and ``-``.

    A file is written beside its place and renamed when all went well: a reader never sees half of
    it, and an interrupted run leaves what was there.  Devices and pipes are written as they are.

    Raises
    ------
    SimdupError
        If the file cannot be written.
    """
    if path is None or path == "-":
        with _room("standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    try:
        mode = _mode(path)
        special = mode is not None and not stat.S_ISREG(mode)
        # What /dev/stdout leads to need not have a name: only files are followed to theirs.
        target = path if special else os.path.realpath(path)
        if special:
            stream, beside = open(target, "wb"), None  # noqa: SIM115
        else:
            handle, beside = tempfile.mkstemp(prefix=".simdup-", dir=os.path.dirname(target))
            stream = open(handle, "wb")  # noqa: SIM115
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        with _room(path), stream:
            yield stream
            try:
                stream.flush()
                if beside is not None:
                    os.fsync(stream.fileno())
                    os.chmod(beside, 0o666 & ~_umask() if mode is None else stat.S_IMODE(mode))
                    os.replace(beside, target)
            except OSError as error:
                raise _unwritable(path, error) from None
    except BaseException:
        if beside is not None:
            with suppress(OSError):
                os.unlink(beside)
        raise


@contextmanager
def _room(path: str) -> Iterator[None]:
    """Tell of a file that cannot hold what is being written to it."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno not in _NO_ROOM:
            raise
        raise _unwritable(path, error) from None


def _unwritable(path: str, error: OSError) -> SimdupError:
    return SimdupError(path, (error.strerror or "cannot be written").lower())


def _mode(path: str) -> int | None:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
