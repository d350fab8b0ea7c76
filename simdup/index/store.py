"""Documents in a file, block by block, found by place or by name.

A block has up to `BLOCK` documents, in the order of their arrival.  A removed document is taken out
of its block; a replaced one moves to the end.  So the cost of adding is that of the added
documents, and of reading 8 bytes of each present document: the hash of its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.index.sections import (
    NO_REMOVED,
    REMOVED,
    SECTIONS,
    RemovedTexts,
    from_sections,
    match_columns,
    read_names,
    to_numbers,
)
from simdup.index.storage import Storage
from simdup.model.table import Documents
from simdup.search.arrays import U64, RowIds
from simdup.text.families import SIZE
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
# Sketches that are read at a time, or a few more: 2 MB. One text against 10**6 documents takes the
# same time with twice as many, and a tenth more with an eighth.
_SKETCHES = 1 << 14


class Store:
    """The documents in a file; use it within `Storage.reading` or `Storage.writing`."""

    def __init__(self, storage: Storage, words: int) -> None:
        self.storage = storage
        self.words = words  # 64-bit words of a fingerprint

    def __len__(self) -> int:
        """Return the number of documents."""
        return sum(documents for _, documents in self.storage.blocks())

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
            if len(content) != (stop - before) * SIZE:
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
        with self._shaped(number):
            sections = {kind: self.storage.get(kind, number) for kind in SECTIONS}
            documents = from_sections(sections, self.words)
            if len(documents) != self.storage.documents(number):
                raise ValueError(f"has {len(documents)} documents")
            return documents

    def read_fingerprints(self, number: int) -> tuple[list[str], U64]:
        """Return the names and fingerprints of a block, or raise if they are damaged."""
        with self._shaped(number):
            get = self.storage.get
            names = read_names(get("ends", number), get("names", number))
            values = to_numbers(get("fingerprints", number)).reshape(-1, self.words)
            if not len(names) == len(values) == self.storage.documents(number):
                raise ValueError("columns of different lengths")
            return names, values

    @contextmanager
    def _shaped(self, number: int) -> Iterator[None]:
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
        kinds = ["terms", "lengths", "keys", "contents", "ends", "names"]
        sections = {kind: self.storage.get(kind, number) for kind in kinds}
        with self._shaped(number):
            terms = np.frombuffer(sections["terms"], np.uint8)
            if len(terms) != self.storage.documents(number):
                raise ValueError("columns of different lengths")
            wanted = terms[which].any()
            sections["sketches"] = self.storage.get("sketches", number) if wanted else b""
            return match_columns(sections, which)


def _as_sketches(sections: list[bytes]) -> NDArray[np.uint8]:
    """Return the sketches of sections (uint8[n, 128])."""
    return np.frombuffer(b"".join(sections), np.uint8).reshape(-1, SIZE)
