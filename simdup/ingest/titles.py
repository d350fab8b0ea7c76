"""The titles of a corpus: where they decide, a key of each; otherwise all of them in the spool.

A hint may ask for some of the latter: 4 us a document, none of the time for pages, 4 % for poems.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.spool import Slot
from simdup.features.text import DIGEST_BYTES, PreparedText
from simdup.features.titles import title_keys, title_of
from simdup.model.documents import Document
from simdup.search.duplicates import collapse


@dataclass(slots=True)
class BatchTitles:
    """The titles of a batch's documents."""

    named: bytes  # 1 for a title that does not come from the text
    keys: bytes = b""  # see `title_keys`
    lines: bytes = b""  # the titles, a line each
    slot: Slot | None = None  # where these are, once they are spooled

    @classmethod
    def of(cls, documents: Sequence[tuple[Document, PreparedText]], keyed: bool) -> BatchTitles:
        """Return the titles of documents with their texts, or the keys of these."""
        titles = [title_of(document) for document, _ in documents]
        named = bytes(document.title is not None for document, _ in documents)
        if keyed:
            return cls(named, b"".join(title_keys(titles, [text for _, text in documents])))
        return cls(named, lines="\n".join(titles).encode("utf-8", "surrogatepass"))


@dataclass(slots=True)
class Titles:
    """The titles of all documents."""

    _keys: bytearray = field(default_factory=bytearray)
    _named: bytearray = field(default_factory=bytearray)
    # Of each batch: the number of its first document, and where its titles are.
    _firsts: list[int] = field(default_factory=list)
    _slots: list[Slot] = field(default_factory=list)

    def add(self, batch: BatchTitles | None) -> None:
        """Add the titles of a batch, if they are asked for."""
        if batch is None:
            return
        if batch.slot is not None:  # else there are keys
            self._firsts.append(len(self._named))
            self._slots.append(batch.slot)
        self._keys += batch.keys
        self._named += batch.named

    def keys(self, digests: NDArray[np.void]) -> NDArray[np.uint64]:
        """Return a key of each document, equal for those whose titles are equal (uint64[n])."""
        return share_titles(*self.each(), digests)

    def each(self) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
        """Return a key of each document's own title, and which do not come from the texts."""
        keys = np.frombuffer(bytes(self._keys), np.uint64)
        return keys, np.frombuffer(bytes(self._named), np.uint8) > 0

    def named(self, document: int) -> bool:
        """Return whether the title of a document does not come from its text."""
        return bool(self._named[document])

    def read(self, documents: Iterable[int], read: Callable[[Slot], bytes]) -> dict[int, str]:
        """Return the titles of some documents; `read` returns the bytes of a slot."""
        found, batches = dict[int, str](), dict[int, list[str]]()
        for document in documents:
            batch = bisect(self._firsts, document) - 1
            if batch not in batches:
                lines = read(self._slots[batch]).decode("utf-8", "surrogatepass")
                batches[batch] = lines.split("\n")
            found[document] = batches[batch][document - self._firsts[batch]]
        return found


def share_titles(
    keys: NDArray[np.uint64], named: NDArray[np.bool_], digests: NDArray[np.void]
) -> NDArray[np.uint64]:
    """Return the keys of titles, those of identical texts as the first of these has it (uint64[n]).

    Identical texts, by their digests, have one title: one may have other line breaks.  A title that
    a page or a record names (`named`, bool[n]) is its own.
    """
    keys = keys.copy()
    own = np.flatnonzero(~named)
    words = digests[own].view(np.uint64).reshape(-1, DIGEST_BYTES // 8)
    same = collapse(words)
    firsts = np.repeat(same.members[same.starts], same.sizes)
    keys[own[same.members]] = keys[own[firsts]]
    return keys
