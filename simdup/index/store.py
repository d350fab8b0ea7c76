"""Documents in a file, block by block: found by place or by name, added and removed.

A block has up to `BLOCK` documents, in the order of their arrival, and fewer where their texts are
kept and are long.  A removed document is taken out of its block; a replaced one moves to the end.
So the cost of adding is that of the added documents, and of reading 8 bytes of each present
document: the hash of its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.index.sections import (
    NO_REMOVED,
    PASSAGE_COLUMNS,
    PASSAGES,
    REMOVED,
    SECTIONS,
    RemovedTexts,
    concat,
    from_sections,
    last_of_names,
    match_columns,
    read_names,
    to_numbers,
    to_sections,
)
from simdup.index.storage import Storage
from simdup.model.settings import Progress
from simdup.model.table import Documents
from simdup.search.arrays import U64, RowIds, contains, distinct
from simdup.text.families import SKETCH_BYTES
from simdup.text.sketch_bands import RowSketches

# Documents per block. Reading from 200,000 documents with sketches, in blocks of
#
#   rows    bytes beside name and sketch    all fingerprints    100 matches    one match
#    512    41.5                            6.9 ms               36 ms         0.43 ms
#   1024    37.3                            3.4 ms               56 ms         0.48 ms
#   2048    35.2                            2.8 ms               72 ms         0.72 ms
#   4096    34.2                            2.3 ms               96 ms         1.30 ms
#
# takes this long; adding one document takes 8 to 12 ms with any block size.
BLOCK = 1024
# Bytes of texts and hashes per block of an index of passages; a longer document has one of its own.
# Adding one document writes up to as many again.
BLOCK_BYTES = 1 << 22
# Sketches that are read at a time, or a few more: 2 MB. One text against 10**6 documents takes the
# same time with twice as many, and a tenth more with an eighth.
_SKETCHES = 1 << 14
# Documents after which progress is shown: they take 50 ms.
_STEP = 16 * BLOCK


class Store:
    """The documents in a file; use it within `Storage.reading` or `Storage.writing`."""

    def __init__(self, storage: Storage, words: int) -> None:
        self.storage = storage
        self.words = words  # 64-bit words of a fingerprint

    def __len__(self) -> int:
        """Return the number of documents."""
        return sum(documents for _, documents in self.storage.blocks())

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of sections that each block has."""
        return SECTIONS + PASSAGES if self.storage.has("passages") else SECTIONS

    def sections(self, kind: str, item: int) -> Iterator[tuple[int, bytes]]:
        """Yield the sections of a kind with `item` bytes per document, of all blocks."""
        blocks = self.storage.blocks()
        for (number, documents), content in zip(blocks, self.storage.sections(kind), strict=True):
            if len(content) != documents * item:
                raise self.storage.damaged(f"block {number} is damaged ({kind})")
            yield number, content

    def column(self, kind: str, words: int = 1) -> U64:
        """Return the ``keys`` or ``contents`` (uint64[n]) of all documents."""
        return to_numbers(b"".join(content for _, content in self.sections(kind, words * 8)))

    def fingerprints(self) -> U64:
        """Return the fingerprints of all documents (uint64[n, words])."""
        return self.column("fingerprints", self.words).reshape(-1, self.words)

    def iter_sketches(self) -> Iterator[RowSketches]:
        """Yield the sketches of all documents with a text, with their places, in chunks."""
        terms = np.frombuffer(
            b"".join(content for _, content in self.sections("terms", 1)), np.uint8
        )
        texts = np.flatnonzero(terms)
        blocks = self.storage.blocks()
        stops = texts.searchsorted(np.cumsum([documents for _, documents in blocks])).tolist()
        first = before = stop = 0
        waiting = list[bytes]()
        sections = self.storage.sections("sketches")
        for (number, _), stop, content in zip(blocks, stops, sections, strict=True):
            if len(content) != (stop - before) * SKETCH_BYTES:
                raise self.storage.damaged(f"block {number} is damaged (sketches)")
            waiting.append(content)
            before = stop
            if stop - first >= _SKETCHES:
                yield texts[first:stop], _as_sketches(waiting)
                waiting, first = [], stop
        yield texts[first:stop], _as_sketches(waiting)

    def removed(self) -> RemovedTexts:
        """Return the texts that were removed, as `REMOVED`; there may be none."""
        if not self.storage.has("removed"):
            return NO_REMOVED
        content = self.storage.get("removed")
        if len(content) % REMOVED.itemsize:
            raise self.storage.damaged("section removed 0 is damaged")
        return np.frombuffer(content, REMOVED)

    def find(self, contents: U64) -> RowIds:
        """Return the places of documents by their ``contents``, -1 for one that is missing."""
        column = self.column("contents")
        here = np.flatnonzero(np.isin(column, contents))
        here = here[np.argsort(column[here])]
        places = np.full(len(contents), -1)
        present = np.isin(contents, column[here])
        places[present] = here[column[here].searchsorted(contents[present])]
        return places

    def block(self, number: int) -> Documents:
        """Return the documents of a block, or raise if they are damaged."""
        with self.shaped(number):
            sections = {kind: self.storage.get(kind, number) for kind in self.kinds}
            documents = from_sections(sections, self.words)
            if len(documents) != self.storage.documents(number):
                raise ValueError(f"has {len(documents)} documents")
            return documents

    def read_fingerprints(self, number: int) -> tuple[list[str], U64]:
        """Return the names and fingerprints of a block, or raise if they are damaged."""
        with self.shaped(number):
            get = self.storage.get
            names = read_names(get("ends", number), get("names", number))
            values = to_numbers(get("fingerprints", number)).reshape(-1, self.words)
            if not len(names) == len(values) == self.storage.documents(number):
                raise ValueError("columns of different lengths")
            return names, values

    @contextmanager
    def shaped(self, number: int) -> Iterator[None]:
        """Raise that a block is damaged if what is read of it is inconsistent."""
        try:
            yield
        except SimdupError:
            raise
        except (ValueError, IndexError) as error:
            raise self.storage.damaged(f"block {number} is damaged ({error})") from None

    def look_up(self, places: RowIds) -> Documents:
        """Return what decides whether documents match, and their names, by place.

        Each block is read once, and only the required sections.
        """
        blocks = self.storage.blocks()
        starts = np.cumsum([0, *(documents for _, documents in blocks)])
        order = np.argsort(places, kind="stable")
        ordered = places[order]
        block_of = np.searchsorted(starts, ordered, "right") - 1
        found = list[Documents]()
        firsts = np.flatnonzero(np.diff(block_of, prepend=-1))
        for inside in np.split(np.arange(len(places)), firsts[1:]):
            block = int(block_of[inside[0]])
            found.append(self._look_up_in(blocks[block][0], ordered[inside] - starts[block]))
        back = np.empty(len(places), np.int64)
        back[order] = np.arange(len(places))
        return Documents.concat(found).take(back)

    def _look_up_in(self, number: int, which: RowIds) -> Documents:
        kinds = ["terms", "lengths", "keys", "contents", "compacts", "ends", "names"]
        sections = {kind: self.storage.get(kind, number) for kind in kinds}
        with self.shaped(number):
            terms = np.frombuffer(sections["terms"], np.uint8)
            if len(terms) != self.storage.documents(number):
                raise ValueError("columns of different lengths")
            wanted = terms[which].any()
            sections["sketches"] = self.storage.get("sketches", number) if wanted else b""
            return match_columns(sections, which)


def _as_sketches(sections: list[bytes]) -> NDArray[np.uint8]:
    """Return the sketches of sections (uint8[n, 128])."""
    return np.frombuffer(b"".join(sections), np.uint8).reshape(-1, SKETCH_BYTES)


class KeySet:
    """A growing set of 64-bit hashes: the first look-ups scan all hashes, the fifth sorts them."""

    def __init__(self, given: U64) -> None:
        self._given = given
        self._passes = 0
        self._recent: list[U64] = []

    def copy(self) -> KeySet:
        """Return a copy of the set."""
        other = KeySet(self._given)
        other._passes, other._recent = self._passes, list(self._recent)
        return other

    def add(self, more: U64) -> None:
        """Add hashes."""
        more = np.sort(more)
        while self._recent and len(self._recent[-1]) <= len(more):
            more = np.sort(np.concatenate([self._recent.pop(), more]))
        self._recent.append(more)

    def contain(self, asked: U64) -> NDArray[np.bool_]:
        """Return which of the hashes are in the set."""
        self._passes += 1
        # A scan of 10**6 numbers takes 5 to 10 ms, sorting them some 30 ms.
        if self._passes == 5:
            self._given = np.sort(self._given)
        ordered = self._given if self._passes >= 5 else np.sort(_sieve(self._given, asked))
        found = contains(ordered, asked)
        for part in self._recent:
            found |= contains(part, asked)
        return found


def _sieve(given: U64, asked: U64) -> U64:
    """Return the given hashes that share their first bits with one of `asked`."""
    bits = min(max(len(asked) * 16, 1 << 10).bit_length(), 24)
    shift = np.uint64(64 - bits)
    marks = np.zeros(1 << bits, np.bool_)
    marks[asked >> shift] = True
    kept: U64 = given[marks[given >> shift]]
    return kept


# Reads what the slots of documents refer to.
Load = Callable[[Documents], Documents]


def as_they_are(documents: Documents) -> Documents:
    """Return documents that refer to nothing."""
    return documents


def _weights(documents: Documents) -> RowIds:
    """Return how much of a block each document fills, of `BLOCK_BYTES` in all."""
    weights = np.zeros(len(documents), np.int64)
    for name in ("packed_text", "gram_hashes"):
        if name in documents:
            weights += np.fromiter(map(len, documents[name]), np.int64)
    return np.maximum(weights, BLOCK_BYTES // BLOCK)


def _cut(documents: Documents) -> Iterator[slice]:
    """Yield what goes into one block after the other."""
    ends, first = np.cumsum(_weights(documents)), 0
    while first < len(ends):
        room = BLOCK_BYTES + (int(ends[first - 1]) if first else 0)
        last = max(int(np.searchsorted(ends, room, "right")), first + 1)
        yield slice(first, last)
        first = last


class Writer:
    """Adds and removes documents; every transaction ends with `flush`.

    It reads the hashes of all names and contents when it is created, and serves several
    transactions as long as nobody else writes between them.  Use it within `Storage.writing`.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._load()

    def _load(self) -> None:
        self.contents = KeySet(self._store.column("contents"))
        self._keys = KeySet(self._store.column("keys"))
        self._last = max((number for number, _ in self._store.storage.blocks()), default=0)
        self._next = self._last + 1
        self._new_keys: set[int] = set()
        self._outdated: list[int] = []
        self._pending: list[Documents] = []
        self._pending_weight = 0

    def add_all(
        self, documents: Documents, progress: Progress, load: Load = as_they_are
    ) -> tuple[int, int]:
        """Add many documents; return how many are new or changed, and how many replaced another."""
        documents = last_of_names(documents)
        total, done, new, replaced = len(documents), 0, 0, 0
        step = _STEP if load is as_they_are else BLOCK
        progress("adding", 0, total)
        for first in range(0, total, step):
            some = load(documents.take(np.arange(first, min(first + step, total))))
            changed, known = self.add(some)
            done, new, replaced = done + len(some), new + len(changed), replaced + known
            progress("adding", done, total)
        return new, replaced

    def add(self, documents: Documents) -> tuple[Documents, int]:
        """Add documents, of which each has another name.

        One with a known name and new content replaces the old one.  Return the documents that are
        new or changed, and how many of them replaced another.
        """
        documents = self._as_kept(documents)
        if not self._new_keys.isdisjoint(documents["name_key"].tolist()):
            # A name may occur twice in one transaction: the first must be found like any other.
            self.flush()
            self._load()
        new = np.flatnonzero(~self.contents.contain(documents["content_key"]))
        if len(new) < len(documents):
            documents = documents.take(new)
        present = self._keys.contain(documents["name_key"])
        self._outdated += documents["name_key"][present].tolist()
        self._new_keys.update(documents["name_key"].tolist())
        self.contents.add(documents["content_key"])
        self._pending.append(documents)
        self._pending_weight += int(_weights(documents).sum())
        if self._pending_weight >= BLOCK_BYTES:
            self._write_full()
        return documents, int(np.count_nonzero(present))

    def _as_kept(self, documents: Documents) -> Documents:
        """Return documents with the columns that this index keeps.

        Raises
        ------
        SimdupError
            If it keeps texts, and they have none.
        """
        if not self._store.storage.has("passages"):
            return documents.without(*PASSAGE_COLUMNS)
        if len(documents) and "packed_text" not in documents:
            raise SimdupError(
                self._store.storage.path,
                "keeps the texts of its documents, and fingerprints have none",
                "add the texts themselves, or use an index without `passages`",
            )
        return documents

    def remove(self, keys: U64) -> NDArray[np.bool_]:
        """Remove the documents with these name hashes; return which were present."""
        present = self._keys.contain(keys)
        self._outdated += keys[present].tolist()
        return present

    def flush(self) -> bool:
        """Write pending changes; return whether documents were removed, and places shifted."""
        removed = bool(self._outdated)
        if removed:
            self._remove_outdated(distinct(np.array(self._outdated, np.uint64)))
        pending = concat(self._pending, self._store.words)
        if len(pending):
            number, joined = self._next, pending
            for last, documents in self._store.storage.blocks()[-1:]:
                if documents + len(pending) <= BLOCK:
                    joined = concat([self._store.block(last), pending], self._store.words)
                    number = last
            if number != self._next and int(_weights(joined).sum()) > BLOCK_BYTES:
                number, joined = self._next, pending
            self._put(number, joined)
        if removed:
            self._load()
            self.put_removed(NO_REMOVED)
        else:
            self._keys.add(np.array(sorted(self._new_keys), np.uint64))
            self._last, self._pending, self._pending_weight = self._next - 1, [], 0
            self._new_keys = set()
        return removed

    def put_removed(self, more: RemovedTexts) -> None:
        """Add texts that were removed because of documents, which are in the file by now.

        What is known of a text stays; what was removed because of documents that are gone is
        dropped.
        """
        known = self._store.removed()
        every = np.concatenate([known, more])
        every = every[self.contents.contain(every["kept"])]
        every = every[np.unique(every["text"], return_index=True)[1]]
        if not np.array_equal(every, known):
            self._store.storage.put("removed", every.tobytes())

    def _write_full(self) -> None:
        documents = concat(self._pending, self._store.words)
        parts = [documents.take(np.arange(*one.indices(len(documents)))) for one in _cut(documents)]
        last = parts.pop()
        self._pending_weight = int(_weights(last).sum())
        if self._pending_weight >= BLOCK_BYTES:
            parts, last, self._pending_weight = [*parts, last], last.take(np.arange(0)), 0
        for part in parts:
            self._put(self._next, part)
        self._pending = [last]

    def _put(self, number: int, documents: Documents) -> None:
        self._store.storage.put_block(number, len(documents), to_sections(documents))
        self._next = max(self._next, number + 1)

    def _remove_outdated(self, outdated: U64) -> None:
        """Remove documents from the blocks that existed when the transaction began."""
        hit = [
            number
            for number, content in self._store.sections("keys", 8)
            if number <= self._last and contains(outdated, to_numbers(content)).any()
        ]
        for number in hit:
            documents = self._store.block(number)
            self._put(number, documents.take(~contains(outdated, documents["name_key"])))
