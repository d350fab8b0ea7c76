"""The spool: texts laid aside in a temporary file, to be read again by those who verify.

Several processes write, each to a file of its own; one reads.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import NamedTuple


class Slot(NamedTuple):
    """Where a text lies: which writer's file, from which byte, how many bytes."""

    writer: int
    start: int
    size: int


class SpoolWriter:
    """Writes texts to the file of one writer in the spool's folder.

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

    def write(self, texts: list[bytes]) -> list[Slot]:
        """Append texts in UTF-8 and return where they lie."""
        # Closed at once: a text is whole in the file before its slot is handed on.
        with open(self._path, "ab") as file:
            file.writelines(texts)
        slots = []
        for text in texts:
            slots.append(Slot(self._writer, self._end, len(text)))
            self._end += len(text)
        return slots


class SpoolReader:
    """Reads texts back from a spool's folder; it maps files, and so keeps nothing in memory."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._maps: dict[int, mmap.mmap] = {}

    def read(self, slot: Slot) -> str:
        """Return the text that lies in a slot."""
        if not slot.size:
            return ""
        mapped = self._maps.get(slot.writer)
        if mapped is None or len(mapped) < slot.start + slot.size:
            with open(_path(self._folder, slot.writer), "rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._maps[slot.writer] = mapped
        return mapped[slot.start : slot.start + slot.size].decode()

    def close(self) -> None:
        """Let go of the files."""
        for mapped in self._maps.values():
            mapped.close()
        self._maps.clear()


def _path(folder: str, writer: int) -> Path:
    return Path(os.path.join(folder, f"texts-{writer}"))
