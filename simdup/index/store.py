"""Documents in a file, block by block: found by place or by name, added and removed.

A block holds up to `BLOCK` rows.  Rows stand in the order in which they came; a row that is
removed is taken out of its block, and one that is replaced moves to the end.  So adding costs
what the added rows cost, and a pass over 8 bytes of each row that is there: their names' hashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from simdup.errors import SimdupError
from simdup.index.file import File
from simdup.index.rows import PARTS, Rows, Words, from_parts, joined, numbers, taken, to_parts

# Rows of a block: see the figures in `benchmarks/index.py`.
BLOCK = 4096


class Store:
    """Rows in a file, to be read within `File.reading` or `File.writing`.

    Parameters
    ----------
    file : File
        The file.
    words : int
        64-bit words of a fingerprint.
    """

    def __init__(self, file: File, words: int) -> None:
        self.file = file
        self.words = words

    def __len__(self) -> int:
        """Return the number of rows."""
        return sum(documents for _, documents in self.file.blocks())

    def column(self, kind: str) -> Words:
        """Return the ``keys`` or ``contents`` (uint64[n]) of all rows."""
        return numbers(b"".join(content for _, content in self.file.parts(kind)))

    def fingerprints(self) -> Words:
        """Return the fingerprints of all rows (uint64[n, words])."""
        return self.column("fingerprints").reshape(-1, self.words)

    def block(self, number: int) -> Rows:
        """Return the rows of a block.

        Raises
        ------
        SimdupError
            If they are damaged.
        """
        try:
            return from_parts({kind: self.file.get(kind, number) for kind in PARTS}, self.words)
        except (ValueError, IndexError) as error:
            raise SimdupError(self.file.path, f"block {number} is damaged ({error})") from None

    def blocks(self) -> Iterator[Rows]:
        """Yield the rows of each block."""
        for number, _ in self.file.blocks():
            yield self.block(number)

    def rows_at(self, places: NDArray[np.int64]) -> Rows:
        """Return the rows that stand at some places, in that order; each block is read once."""
        blocks = self.file.blocks()
        starts = np.cumsum([0, *(documents for _, documents in blocks)])
        order = np.argsort(places, kind="stable")
        ordered = places[order]
        wanted = np.searchsorted(starts, ordered, "right") - 1
        parts = []
        for at in np.unique(wanted).tolist():
            inside = ordered[wanted == at] - starts[at]
            parts.append(taken(self.block(blocks[at][0]), inside))
        back = np.empty(len(places), np.int64)
        back[order] = np.arange(len(places))
        return taken(joined(parts, self.words), back)


class Numbers:
    """A growing set of 64-bit numbers, asked in bulk.

    Parameters
    ----------
    given : uint64[n]
        The first of them.
    """

    def __init__(self, given: Words) -> None:
        self._sorted = np.sort(given)
        self._recent: list[Words] = []

    def add(self, more: Words) -> None:
        """Take in numbers."""
        more = np.sort(more)
        while self._recent and len(self._recent[-1]) <= len(more):
            more = np.sort(np.concatenate([self._recent.pop(), more]))
        self._recent.append(more)

    def contain(self, asked: Words) -> NDArray[np.bool_]:
        """Tell which of some numbers are in the set."""
        found = np.zeros(len(asked), np.bool_)
        for part in (self._sorted, *self._recent):
            found |= within(part, asked)
        return found


def within(ordered: Words, asked: Words) -> NDArray[np.bool_]:
    """Tell which numbers stand in a sorted array."""
    if not len(ordered):
        return np.zeros(len(asked), np.bool_)
    at = np.minimum(np.searchsorted(ordered, asked), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[at] == asked
    return found


class Writer:
    """Adds and removes rows; `settle` must end a transaction.

    It knows all names' and contents' hashes, which are read when it is made: it is good for
    several transactions as long as nobody else writes between them.

    Parameters
    ----------
    store : Store
        Where rows go, within `File.writing`.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._load()

    def _load(self) -> None:
        self.contents = Numbers(self._store.column("contents"))
        self._keys = Numbers(self._store.column("keys"))
        self._last = max((number for number, _ in self._store.file.blocks()), default=0)
        self._next = self._last + 1
        self._fresh: set[int] = set()
        self._doomed: list[int] = []
        self._held: list[Rows] = []

    def add(self, rows: Rows) -> tuple[Rows, int]:
        """Add rows; a name that is there with another content is replaced.

        Returns
        -------
        rows : Rows
            What was added: all but the unchanged ones.
        replaced : int
            How many of them replace another.
        """
        keys = rows.keys.tolist()
        if len(set(keys)) < len(keys):
            last = {key: at for at, key in enumerate(keys)}
            rows = taken(rows, np.array(sorted(last.values()), np.int64))
            keys = rows.keys.tolist()
        if not self._fresh.isdisjoint(keys):
            # The same name twice in one transaction: the first is to be found as any other.
            self.settle()
            self._load()
        new = np.flatnonzero(~self.contents.contain(rows.contents))
        if len(new) < len(rows):
            rows = taken(rows, new)
        there = self._keys.contain(rows.keys)
        self._doomed += rows.keys[there].tolist()
        self._fresh.update(rows.keys.tolist())
        self.contents.add(rows.contents)
        self._held.append(rows)
        if sum(map(len, self._held)) >= BLOCK:
            self._write_full()
        return rows, int(np.count_nonzero(there))

    def remove(self, keys: Words) -> NDArray[np.bool_]:
        """Remove the rows with these names' hashes, and tell which there were."""
        there = self._keys.contain(keys)
        self._doomed += keys[there].tolist()
        return there

    def settle(self) -> bool:
        """Write what is held; tell whether rows have gone, and places with them."""
        struck = bool(self._doomed)
        if struck:
            self._strike(np.unique(np.array(self._doomed, np.uint64)))
        held = joined(self._held, self._store.words)
        if len(held):
            blocks = self._store.file.blocks()
            number, documents = blocks[-1] if blocks else (0, BLOCK)
            if documents + len(held) <= BLOCK:
                held = joined([self._store.block(number), held], self._store.words)
                self._put(number, held)
            else:
                self._put(self._next, held)
        if struck:
            self._load()
        else:
            fresh = np.array(sorted(self._fresh), np.uint64)
            self._keys.add(fresh)
            self._last, self._held = self._next - 1, []
            self._fresh = set()
        return struck

    def _write_full(self) -> None:
        rows = joined(self._held, self._store.words)
        whole = len(rows) // BLOCK * BLOCK
        for first in range(0, whole, BLOCK):
            self._put(self._next, taken(rows, np.arange(first, first + BLOCK)))
        self._held = [taken(rows, np.arange(whole, len(rows)))]

    def _put(self, number: int, rows: Rows) -> None:
        self._store.file.put_block(number, len(rows), to_parts(rows))
        self._next = max(self._next, number + 1)

    def _strike(self, doomed: Words) -> None:
        """Take rows out of the blocks that were there when the transaction began."""
        hit = [
            number
            for number, content in self._store.file.parts("keys")
            if number <= self._last and within(doomed, numbers(content)).any()
        ]
        for number in hit:
            rows = self._store.block(number)
            self._put(number, taken(rows, np.flatnonzero(~within(doomed, rows.keys))))


def in_chunks(rows: Rows, sizes: Sequence[int]) -> Iterator[Rows]:
    """Cut rows into chunks of these sizes, the last of which repeats."""
    first = at = 0
    while first < len(rows):
        size = sizes[min(at, len(sizes) - 1)]
        yield taken(rows, np.arange(first, min(first + size, len(rows))))
        first, at = first + size, at + 1
