"""What a file of sections should hold, noted by its last writer and compared by every reader.

A section's checksum tells that the section is as it was written, not that it is the one that
belongs there: an older one has a right checksum too, and one that is gone has none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

KIND = "manifest"  # its own sections
# Numbers of sections that one section of the manifest is about: 30 kB, which every transaction
# writes, beside a block of 190 kB.
_SPAN = 128
_DOCUMENTS = "documents"

Entries = dict[int, dict[str, Any]]


@dataclass(slots=True)
class Manifest:
    """The documents of each block, and the checksum of each section, by its number and kind."""

    entries: Entries = field(default_factory=dict)
    changed: set[int] = field(default_factory=set)  # spans that are not written yet

    def read(self, content: bytes) -> None:
        """Take over what `sections` returned; raise ValueError if it is something else."""
        for number, entry in json.loads(content).items():
            if not isinstance(entry, dict):
                raise ValueError("no entry")
            self.entries[int(number)] = entry

    def sections(self) -> dict[int, bytes]:
        """Return the sections that have changed; without content, they are no more."""
        found = {}
        for span in sorted(self.changed):
            numbers = range(span * _SPAN, (span + 1) * _SPAN)
            some = {n: self.entries[n] for n in numbers if self.entries.get(n)}
            found[span] = json.dumps(some).encode() if some else b""
        self.changed.clear()
        return found

    def note(self, kind: str, number: int, checksum: bytes) -> None:
        """Note a section."""
        self.entries.setdefault(number, {})[kind] = checksum.hex()
        self.changed.add(number // _SPAN)

    def note_block(self, number: int, documents: int) -> None:
        """Note how many documents a block has; without any, forget it."""
        if documents:
            self.entries.setdefault(number, {})[_DOCUMENTS] = documents
        else:
            self.entries.pop(number, None)
        self.changed.add(number // _SPAN)

    def has(self, kind: str, number: int, checksum: bytes) -> bool:
        """Tell whether a section is the one that was noted."""
        return bool(self.entries.get(number, {}).get(kind) == checksum.hex())

    def blocks(self) -> dict[int, int]:
        """Return the documents of each block by its number."""
        return {n: entry[_DOCUMENTS] for n, entry in self.entries.items() if _DOCUMENTS in entry}

    def kinds(self) -> set[tuple[str, int]]:
        """Return kind and number of all sections."""
        return {
            (kind, number)
            for number, entry in self.entries.items()
            for kind in entry
            if kind != _DOCUMENTS
        }
