"""The spool keeps bytes that are needed again later, in temporary files.

Several processes write, each to its own file; one process reads.  So neither the texts nor the term
counts of a corpus have to fit into memory.
"""

from __future__ import annotations

import errno
import os
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.atomic import work_folder
from simdup.base.errors import NO_ROOM, SimdupError, reason
from simdup.base.system import without_signals

_PREAD = hasattr(os, "pread")


class Slot(NamedTuple):
    """The position of bytes in the spool: the number of the writer, the offset, the length."""

    writer: int
    start: int
    size: int


# A slot in a column takes two numbers: the first has the writer above the bits of the offset.
_OFFSET_BITS = 48

Slots = NDArray[np.int64]  # int64[n, 2]


def slot_at(slots: Slots, row: int) -> Slot:
    """Return the slot in a row of a column."""
    address, size = slots[row].tolist()
    return Slot(address >> _OFFSET_BITS, address & (1 << _OFFSET_BITS) - 1, size)


class SpoolWriter:
    """Writes to one file in the spool's folder; no two may do so at once with the same number.

    The folder's creator removes it.
    """

    def __init__(self, folder: str, writer: int) -> None:
        self._writer = writer
        self._path = _path(folder, writer)
        # An earlier writer of this number may have left its part.
        self._end = os.path.getsize(self._path) if os.path.exists(self._path) else 0

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

    def column(self, contents: Iterable[bytes]) -> Slots:
        """Append byte strings and return the slot of each as a column of a table."""
        return _column(self.write(contents))


class SpoolReader:
    """Reads from a spool's folder without keeping anything in memory; it can be pickled."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._files: dict[int, BinaryIO] = {}

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the open files."""
        return type(self), (self.folder,)

    def keep(self, folder: ExitStack) -> None:
        """Close the folder when nothing refers to this reader any more, or Python ends.

        No cycle may: the garbage collector would close it at any moment, however deep the stack.
        """
        weakref.finalize(self, _close, folder, self._files, os.getpid())

    def read(self, slot: Slot) -> bytes:
        """Return the bytes of a slot."""
        # What was skipped has no text, and perhaps there is no such file.
        if not slot.size:
            return b""
        file = self._files.get(slot.writer)
        if file is None:
            file = self._files[slot.writer] = open(_path(self.folder, slot.writer), "rb")  # noqa: SIM115
        if _PREAD:
            # Forked processes share the file position, so nobody may rely on it.
            return os.pread(file.fileno(), slot.size, slot.start)
        file.seek(slot.start)
        return file.read(slot.size)

    def row(self, slots: Slots, row: int) -> bytes:
        """Return the bytes that a row of a column names."""
        return self.read(slot_at(slots, row))

    def text(self, slots: Slots, row: int) -> str:
        """Return the text that a row of a column names."""
        return self.row(slots, row).decode("utf-8", "surrogatepass")

    def runs(self, slots: Slots) -> Iterator[tuple[int, int, bytes]]:
        """Yield the bytes of all rows, those that follow each other at once: first:last, bytes."""
        ends = slots.sum(axis=1)
        cuts = np.flatnonzero(slots[1:, 0] != ends[:-1]) + 1
        bounds = [0, *cuts.tolist(), len(slots)] if len(slots) else []
        for first, last in pairwise(bounds):
            writer, start, _ = slot_at(slots, first)
            yield first, last, self.read(Slot(writer, start, int(slots[first:last, 1].sum())))

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()


def _close(folder: ExitStack, files: dict[int, BinaryIO], process: int) -> None:
    """Close a folder and the files in it, if this is the process that made it."""
    for file in files.values():
        file.close()
    files.clear()
    if os.getpid() == process:
        folder.close()


class BatchSpool(SpoolReader):
    """The bytes of one batch, in memory, for results that are streamed."""

    def __init__(self, content: bytes = b"") -> None:
        super().__init__("")
        self.content = content

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the bytes."""
        return type(self), (self.content,)

    def column(self, contents: Iterable[bytes]) -> Slots:
        """Append byte strings and return the slot of each as a column of a table."""
        parts = [self.content, *contents]
        starts = np.cumsum(list(map(len, parts[:-1]))).tolist()
        self.content = b"".join(parts)
        sizes = map(len, parts[1:])
        return _column(Slot(0, start, size) for start, size in zip(starts, sizes, strict=True))

    def read(self, slot: Slot) -> bytes:
        """Return the bytes of a slot."""
        return self.content[slot.start : slot.start + slot.size]


def _column(slots: Iterable[Slot]) -> Slots:
    packed = [(writer << _OFFSET_BITS | start, size) for writer, start, size in slots]
    return np.array(packed, np.int64).reshape(-1, 2)


def _path(folder: str, writer: int) -> str:
    return os.path.join(folder, f"spool-{writer}")


@contextmanager
def spool_folder(content: str = "the texts") -> Iterator[str]:
    """Create a folder for a spool and remove it afterwards; raise if the disk is full."""
    # Where files may be is tried with one that a signal would leave there.
    with without_signals():
        tempfile.gettempdir()
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
