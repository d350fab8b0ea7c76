"""A table of the digests of seen texts, which processes share without a lock.

The table may forget a digest, but never contains a wrong one: each digest in it was written as a
whole.  A digest that is lost, or that two processes write at the same time, only means that a text
is segmented twice.
"""

from __future__ import annotations

import mmap

from simdup.features.text import DIGEST_BYTES

# A million digests in 16 MB; pages that nobody writes to take no memory.
_SLOTS = 1 << 20

# If half of the table is full, hardly one digest in a thousand finds all these places taken.
_PROBES = 8


class Seen:
    """A set of digests with a fixed size, shared by forked processes."""

    def __init__(self) -> None:
        self._table = mmap.mmap(-1, _SLOTS * DIGEST_BYTES)

    def __contains__(self, digest: bytes) -> bool:
        """Return whether a digest has been added, and not been forgotten."""
        places = self._places(digest)
        return self._table.find(digest, places.start, places.stop) in places

    def add(self, digest: bytes) -> None:
        """Add a digest; if there is no room, it replaces another one."""
        places = self._places(digest)
        empty = bytes(DIGEST_BYTES)
        free = (i for i in places if self._table[i : i + DIGEST_BYTES] in (empty, digest))
        place = next(free, places[0])
        self._table[place : place + DIGEST_BYTES] = digest

    def _places(self, digest: bytes) -> range:
        first = int.from_bytes(digest[:4], "little") % (_SLOTS - _PROBES) * DIGEST_BYTES
        return range(first, first + _PROBES * DIGEST_BYTES, DIGEST_BYTES)
