"""The spool keeps bytes that are needed again later, in temporary files.

Several processes write, each to its own file; one process reads.  So neither the texts nor the term
counts of a corpus have to fit into memory.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from simdup.errors import NO_ROOM, SimdupError, reason
from simdup.workspace import work_folder

_PREAD = hasattr(os, "pread")


class Slot(NamedTuple):
    """The position of bytes in the spool: the number of the writer, the offset, the length."""

    writer: int
    start: int
    size: int


class SpoolWriter:
    """Writes to one file in the spool's folder; no two writers may have the same number.

    The folder's creator removes it.
    """

    def __init__(self, folder: str, writer: int) -> None:
        self._writer = writer
        self._path = _path(folder, writer)
        self._end = 0

    def write(self, contents: Iterable[bytes]) -> list[Slot]:
        """Append byte strings and return the slot of each."""
        slots = []
        # Closed at once, so that the file is complete before a reader gets the slots.
        with open(self._path, "ab") as file:
            for content in contents:
                file.write(content)
                slots.append(Slot(self._writer, self._end, len(content)))
                self._end += len(content)
        return slots


class SpoolReader:
    """Reads from a spool's folder without keeping anything in memory; it can be pickled."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._files: dict[int, BinaryIO] = {}

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the open files."""
        return type(self), (self._folder,)

    def read(self, slot: Slot) -> bytes:
        """Return the bytes of a slot."""
        file = self._files.get(slot.writer)
        if file is None:
            file = self._files[slot.writer] = open(_path(self._folder, slot.writer), "rb")  # noqa: SIM115
        if _PREAD:
            # Forked processes share the file position, so nobody may rely on it.
            return os.pread(file.fileno(), slot.size, slot.start)
        file.seek(slot.start)
        return file.read(slot.size)

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()


def _path(folder: str, writer: int) -> str:
    return os.path.join(folder, f"spool-{writer}")


@contextmanager
def spool_folder(content: str = "the texts") -> Iterator[str]:
    """Create a folder for a spool and remove it afterwards; raise if the disk is full."""
    try:
        with work_folder(tempfile.gettempdir()) as folder:
            yield folder
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        what = "no space left" if error.errno == errno.ENOSPC else reason(error)
        hint = "set TMPDIR to a larger disk"
        if error.errno == errno.EFBIG:
            hint = "raise the limit on file sizes (ulimit -f)"
        raise SimdupError(tempfile.gettempdir(), f"{what} for {content}", hint) from None
