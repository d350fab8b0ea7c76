"""The spool: what is wanted again later, laid aside in temporary files.

Several processes write, each to a file of its own; one reads.  So neither texts nor term counts of
a corpus need stay in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import BinaryIO, NamedTuple


class Slot(NamedTuple):
    """Where bytes lie: which writer's file, from which byte, how many."""

    writer: int
    start: int
    size: int


class SpoolWriter:
    """Writes to the file of one writer in the spool's folder.

    Parameters
    ----------
    folder : str
        The spool's folder; who made it removes it.
    writer : int
        A number that no other writer there has.
    """

    def __init__(self, folder: str, writer: int) -> None:
        self._writer = writer
        self._path = _path(folder, writer)
        self._end = 0

    def write(self, contents: Iterable[bytes]) -> list[Slot]:
        """Append byte strings and return where each lies."""
        slots = []
        # Closed at once: all is in the file before its slots are handed on.
        with open(self._path, "ab") as file:
            for content in contents:
                file.write(content)
                slots.append(Slot(self._writer, self._end, len(content)))
                self._end += len(content)
        return slots


class SpoolReader:
    """Reads back from a spool's folder; keeps nothing in memory.

    Parameters
    ----------
    folder : str
        The spool's folder.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._files: dict[int, BinaryIO] = {}

    def read(self, slot: Slot) -> bytes:
        """Return the bytes that lie in a slot."""
        file = self._files.get(slot.writer)
        if file is None:
            file = self._files[slot.writer] = open(_path(self._folder, slot.writer), "rb")  # noqa: SIM115
        file.seek(slot.start)
        return file.read(slot.size)

    def close(self) -> None:
        """Let go of the files."""
        for file in self._files.values():
            file.close()
        self._files.clear()


def _path(folder: str, writer: int) -> str:
    return os.path.join(folder, f"spool-{writer}")
