"""Which texts have been seen: a table of digests that processes share without a lock.

It may forget, but never errs: a digest that it holds was written whole by somebody, while one that
it lost, or that two processes wrote at the same time, only costs a text that is cut twice.
"""

from __future__ import annotations

import mmap

from simdup.features.text import DIGEST_BYTES

# A million digests in 16 MB, of which pages that nobody writes to take no memory.
_SLOTS = 1 << 20

# At a load of one half, hardly one digest in a thousand finds so many places taken.
_PROBES = 8


class Seen:
    """A set of digests of a fixed size; forked processes share it."""

    def __init__(self) -> None:
        self._table = mmap.mmap(-1, _SLOTS * DIGEST_BYTES)

    def __contains__(self, digest: bytes) -> bool:
        """Tell whether a digest has been added, and not been forgotten."""
        places = self._places(digest)
        return self._table.find(digest, places.start, places.stop) in places

    def add(self, digest: bytes) -> None:
        """Add a digest, in place of another where there is no room."""
        places = self._places(digest)
        empty = bytes(DIGEST_BYTES)
        free = (i for i in places if self._table[i : i + DIGEST_BYTES] in (empty, digest))
        place = next(free, places[0])
        self._table[place : place + DIGEST_BYTES] = digest

    def _places(self, digest: bytes) -> range:
        first = int.from_bytes(digest[:4], "little") % (_SLOTS - _PROBES) * DIGEST_BYTES
        return range(first, first + _PROBES * DIGEST_BYTES, DIGEST_BYTES)
