"""The manifest: what a file should contain, written by the last writer, checked by every reader.

The checksum of a section proves that the section is as it was written, but not that it belongs
there: an older version has a valid checksum too, and a missing section has none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

KIND = "manifest"  # the kind of its own sections
# How many section numbers one section of the manifest covers: 30 kB, which every transaction
# writes in addition to a block of 190 kB.
_SPAN = 128
_DOCUMENTS = "documents"
# No index has as many blocks, and no block as many documents.
MOST = 1 << 32

Entries = dict[int, dict[str, Any]]


@dataclass(slots=True)
class Manifest:
    """The number of documents of each block, and the checksum of each section."""

    entries: Entries = field(default_factory=dict)
    changed: set[int] = field(default_factory=set)  # spans that are not yet written

    def read(self, content: bytes) -> None:
        """Read what `sections` returned; raise ValueError if it is invalid."""
        for number, entry in json.loads(content).items():
            documents = entry.get(_DOCUMENTS, 0) if isinstance(entry, dict) else None
            if not (isinstance(documents, int) and max(documents, int(number)) < MOST):
                raise ValueError("no entry")
            self.entries[int(number)] = entry

    def sections(self) -> dict[int, bytes]:
        """Return the sections that have changed; an empty one is to be removed."""
        found = {}
        for span in sorted(self.changed):
            numbers = range(span * _SPAN, (span + 1) * _SPAN)
            some = {n: self.entries[n] for n in numbers if self.entries.get(n)}
            found[span] = json.dumps(some).encode() if some else b""
        self.changed.clear()
        return found

    def note(self, kind: str, number: int, checksum: bytes) -> None:
        """Record a section."""
        self.entries.setdefault(number, {})[kind] = checksum.hex()
        self.changed.add(number // _SPAN)

    def note_block(self, number: int, documents: int) -> None:
        """Record how many documents a block has; without any, remove it."""
        if documents:
            self.entries.setdefault(number, {})[_DOCUMENTS] = documents
        else:
            self.entries.pop(number, None)
        self.changed.add(number // _SPAN)

    def has(self, kind: str, number: int, checksum: bytes) -> bool:
        """Return whether a section is the recorded one."""
        return bool(self.entries.get(number, {}).get(kind) == checksum.hex())

    def blocks(self) -> dict[int, int]:
        """Return the number of documents of each block."""
        return {n: entry[_DOCUMENTS] for n, entry in self.entries.items() if _DOCUMENTS in entry}

    def kinds(self) -> set[tuple[str, int]]:
        """Return the kind and number of all sections."""
        return {
            (kind, number)
            for number, entry in self.entries.items()
            for kind in entry
            if kind != _DOCUMENTS
        }
