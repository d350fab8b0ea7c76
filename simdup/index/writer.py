"""Add and remove documents, block by block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simdup.index.keyset import KeySet
from simdup.index.sections import (
    NO_REMOVED,
    RemovedTexts,
    concat,
    last_of_names,
    to_numbers,
    to_sections,
)
from simdup.index.store import BLOCK, Store
from simdup.model.settings import Progress
from simdup.model.table import Documents
from simdup.search.arrays import U64, contains, distinct

# Documents after which progress is shown: they take 50 ms.
_STEP = 16 * BLOCK


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

    def add_all(self, documents: Documents, progress: Progress) -> tuple[int, int]:
        """Add many documents; return how many are new or changed, and how many replaced another."""
        documents = last_of_names(documents)
        total, done, new, replaced = len(documents), 0, 0, 0
        progress("adding", 0, total)
        for first in range(0, total, _STEP):
            some = documents.take(np.arange(first, min(first + _STEP, total)))
            changed, known = self._add_distinct(some)
            done, new, replaced = done + len(some), new + len(changed), replaced + known
            progress("adding", done, total)
        return new, replaced

    def add(self, documents: Documents) -> tuple[Documents, int]:
        """Add documents; a document with a known name and new content replaces the old one.

        Return the documents that are new or changed, and how many of them replaced another.
        """
        return self._add_distinct(last_of_names(documents))

    def _add_distinct(self, documents: Documents) -> tuple[Documents, int]:
        """Add documents of which each has another name."""
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
        if sum(map(len, self._pending)) >= BLOCK:
            self._write_full()
        return documents, int(np.count_nonzero(present))

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
            blocks = self._store.storage.blocks()
            number, documents = blocks[-1] if blocks else (0, BLOCK)
            if documents + len(pending) <= BLOCK:
                pending = concat([self._store.block(number), pending], self._store.words)
                self._put(number, pending)
            else:
                self._put(self._next, pending)
        if removed:
            self._load()
            self.put_removed(NO_REMOVED)
        else:
            self._keys.add(np.array(sorted(self._new_keys), np.uint64))
            self._last, self._pending = self._next - 1, []
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
        whole = len(documents) // BLOCK * BLOCK
        for first in range(0, whole, BLOCK):
            self._put(self._next, documents.take(np.arange(first, first + BLOCK)))
        self._pending = [documents.take(np.arange(whole, len(documents)))]

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
