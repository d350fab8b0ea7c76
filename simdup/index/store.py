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
from simdup.index.columns import (
    PARTS,
    Looks,
    Rows,
    Words,
    from_parts,
    joined,
    joined_looks,
    looks_in_order,
    numbers,
    shown_names,
    some_names,
    spread_looks,
    taken,
    to_parts,
)
from simdup.index.storage import File
from simdup.lsh.bbit import SIZE

# Rows of a block. Of 200,000 documents with sketches, in blocks of
#
#   rows    bytes beside name and sketch    all fingerprints    100 matches    one match
#    512    41.5                            6.9 ms               36 ms         0.43 ms
#   1024    37.3                            3.4 ms               56 ms         0.48 ms
#   2048    35.2                            2.8 ms               72 ms         0.72 ms
#   4096    34.2                            2.3 ms               96 ms         1.30 ms
#
# are read, and one document is added in 8 to 12 ms whatever the block.
BLOCK = 1024


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

    def looked_at(self, places: NDArray[np.int64]) -> tuple[list[str], Looks]:
        """Return the names of the rows at some places, and what is looked at of their texts.

        Each block is read once, and of it only what is wanted.
        """
        if not len(places):
            return [], Looks(
                np.zeros(0, np.uint32), np.zeros(0, np.uint8), np.zeros((0, 0), np.uint8)
            )
        blocks = self.file.blocks()
        starts = np.cumsum([0, *(documents for _, documents in blocks)])
        order = np.argsort(places, kind="stable")
        ordered = places[order]
        block_of = np.searchsorted(starts, ordered, "right") - 1
        names, looks = list[bytes](), list[Looks]()
        firsts = np.flatnonzero(np.diff(block_of, prepend=-1))
        for inside in np.split(np.arange(len(places)), firsts[1:]):
            block = int(block_of[inside[0]])
            of_block = self._look(blocks[block][0], ordered[inside] - starts[block])
            names += of_block[0]
            looks.append(of_block[1])
        back = np.empty(len(places), np.int64)
        back[order] = np.arange(len(places))
        shown = shown_names(names)
        return [shown[i] for i in back.tolist()], looks_in_order(joined_looks(looks), back)

    def _look(self, number: int, which: NDArray[np.int64]) -> tuple[list[bytes], Looks]:
        get = self.file.get
        terms = np.frombuffer(get("terms", number), np.uint8)
        sketches = np.zeros((0, SIZE), np.uint8)
        if terms[which].any():
            sketches = np.frombuffer(get("sketches", number), np.uint8).reshape(-1, SIZE)
        lengths = np.frombuffer(get("lengths", number), "<u4").astype(np.uint32)
        names = some_names(get("ends", number), get("names", number), which)
        return names, spread_looks(lengths, terms, sketches, which)


class Numbers:
    """A growing set of 64-bit numbers, asked in bulk.

    Asked once, it looks through all that it was given; the fifth time it sorts them.

    Parameters
    ----------
    given : uint64[n]
        The first of them.
    """

    def __init__(self, given: Words) -> None:
        self._given = given
        self._passes = 0
        self._recent: list[Words] = []

    def copy(self) -> Numbers:
        """Return the set as it is now."""
        other = Numbers(self._given)
        other._passes, other._recent = self._passes, list(self._recent)
        return other

    def add(self, more: Words) -> None:
        """Take in numbers."""
        more = np.sort(more)
        while self._recent and len(self._recent[-1]) <= len(more):
            more = np.sort(np.concatenate([self._recent.pop(), more]))
        self._recent.append(more)

    def contain(self, asked: Words) -> NDArray[np.bool_]:
        """Tell which of some numbers are in the set."""
        self._passes += 1
        # A pass through 10**6 numbers takes 5 to 10 ms, sorting them some 30.
        if self._passes == 5:
            self._given = np.sort(self._given)
        ordered = self._given if self._passes >= 5 else np.sort(_sieved(self._given, asked))
        found = within(ordered, asked)
        for part in self._recent:
            found |= within(part, asked)
        return found


def _sieved(given: Words, asked: Words) -> Words:
    """Return those of the numbers whose first bits one of the asked ones has."""
    bits = min(max(len(asked) * 16, 1 << 10).bit_length(), 24)
    shift = np.uint64(64 - bits)
    marks = np.zeros(1 << bits, np.bool_)
    marks[asked >> shift] = True
    sieved: Words = given[marks[given >> shift]]
    return sieved


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
