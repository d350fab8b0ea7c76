"""The documents of an index: segments of some megabytes, each a table, a blob for each column.

What is added becomes a segment.  What is removed or replaced is marked in its segment, and nobody
sees it any more.  Small neighbours become one segment, as the digits of a number that is counted
up, and so does what is left of a segment that is half empty; so documents stay in the order of
their arrival, and are written about as often as their number has digits.

Besides its name and its sketch, a document takes 33 bytes, and 8, 16, 24 or 32 for its fingerprint.
The 33 bytes are 8 for the hash of the name, by which the document is found; 8 for the hash of the
content, which shows whether it has changed; 8 for the hash of the folded text without white space,
which shows whether it is equal to another; 4 for its length; 1 for its number of terms; and 4 for
the length of its name.  A short text takes 9 more, for its letters and its facts.  A document from
a fingerprint line has no text: its ``terms`` are 0, and it has no sketch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.base.mix64 import scatter, unscatter
from simdup.corpus.names import from_bytes, to_bytes
from simdup.index.file import Entry, IndexFile
from simdup.model.criteria import Criteria
from simdup.model.table import SCHEMA, Documents, objects
from simdup.search.arrays import U64, Bools, Members, RowIds, contains
from simdup.text.families import SKETCH_BYTES
from simdup.text.sketch_bands import RowSketches

# Bytes of a segment at most, unless one document has more.  Blobs of up to 2 MB are read in 0.8 of
# the time that blobs of 11 MB take: they stay in the processor's cache while they are checked.
FULL = 1 << 21
# Segments whose sketches are kept.
_SKETCHES = 8
# Bytes of the hash of a text.
TEXT_HASH = 8
# The columns of numbers, as they are stored; one without a value but 0 is not.
NUMBERS = {
    "fingerprint": "<u8", "name_key": "<u8", "content_key": "<u8", "compact_key": "<u8",
    "length": "<u4", "terms": "u1", "letters": "u1", "facts": "<u8", "sketch": "u1",
}  # fmt: skip
# What an index of passages has beside them: see `simdup.index.passages`.
PASSAGE_NUMBERS = {"symbols_digest": "V16", "size": "<u8"}
# Columns of bytes of any length, and what has the length of each.
_BYTES = {"name": "<u4", "packed_text": "<u4", "gram_hashes": "<u4"}
PASSAGE_COLUMNS = ("symbols_digest", "packed", "grams", "packed_text", "gram_hashes", "size")

# Texts that were removed because of documents, with the figures of each pair.  A text goes by
# `removed_keys`; the document by its ``content_key``, which ends when it is removed or replaced.
REMOVED = np.dtype([("text", "<u8"), ("kept", "<u8"), ("similarity", "<f8"), ("distance", "<i8")])
RemovedTexts = NDArray[np.void]
NO_REMOVED: RemovedTexts = np.zeros(0, REMOVED)


# -- making columns --------------------------------------------------------------------------------


def name_keys(names: Iterable[str]) -> U64:
    """Return the hashes by which names are found.

    With 10**7 names, the probability that two have the same hash is 3 in a million; then the later
    document would replace the other.
    """
    digests = (hashlib.blake2b(to_bytes(name), digest_size=8).digest() for name in names)
    return to_numbers(b"".join(digests))


def text_hash(text: str) -> bytes:
    """Return `TEXT_HASH` bytes that show whether a text has changed."""
    content = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=TEXT_HASH).digest()


def content_hashes(keys: U64, contents: U64) -> U64:
    """Return the hashes of names and contents together.

    The contents are the hashes of texts (uint64[n, 1]) or, without texts, the fingerprints.
    """
    for word in range(contents.shape[1]):
        keys = scatter(keys ^ contents[:, word])
    return keys


def text_hashes(keys: U64, contents: U64) -> U64:
    """Return the hashes of texts, given those of names, and of names and texts together."""
    return unscatter(contents) ^ keys


def removed_keys(texts: U64, criteria: Criteria) -> U64:
    """Return the hashes of texts that were removed, given those of the texts.

    What decides how a pair is measured is mixed in: by other settings it may not be one.
    """
    settings = criteria.shingle, criteria.short_texts
    return scatter(texts ^ to_numbers(text_hash(" ".join(map(str, settings)))))


def line_documents(names: Sequence[str], values: U64) -> Documents:
    """Return the documents of fingerprint lines, which have no sketches."""
    keys, many = name_keys(names), len(names)
    columns = {name: np.zeros(many, SCHEMA[name]) for name in NUMBERS}
    contents = content_hashes(keys, values)
    columns |= {"name": objects(names), "sketch": np.zeros((many, SKETCH_BYTES), np.uint8)}
    return Documents(columns | {"fingerprint": values, "name_key": keys, "content_key": contents})


def last_of_names(documents: Documents) -> Documents:
    """Return the documents without those of which a later one has the name."""
    last = {key: i for i, key in enumerate(documents["name_key"].tolist())}
    if len(last) == len(documents):
        return documents
    return documents.take(np.array(sorted(last.values())))


def sketched(documents: Documents) -> RowSketches:
    """Return the rows of the documents with a text, and their sketches."""
    rows = np.flatnonzero(documents["terms"])
    return rows, documents["sketch"][rows]


def to_numbers(content: bytes) -> U64:
    """Return the 64-bit numbers in some bytes."""
    return np.frombuffer(content, "<u8").astype(np.uint64, copy=False)


def _weights(documents: Documents) -> RowIds:
    """Return about how many bytes each document takes (int64[documents])."""
    weights = np.full(len(documents), 48 + SKETCH_BYTES + documents["fingerprint"].itemsize)
    for name in _BYTES:
        if name in documents:
            weights += np.fromiter(map(len, documents[name]), np.int64, len(documents))
    return weights


# -- reading ---------------------------------------------------------------------------------------


class Segment:
    """A segment; what is removed of it is not there."""

    def __init__(self, file: IndexFile, entry: Entry, words: int, number: int) -> None:
        self.entry = entry
        self._file, self._words = file, words
        self.number = number  # its place in the file, from 1
        self._kept: dict[str, NDArray[Any]] = {}

    def __len__(self) -> int:
        """Return the number of documents."""
        return self.entry.live

    @contextmanager
    def shaped(self) -> Iterator[None]:
        """Raise that the segment is damaged if what is read of it is inconsistent."""
        try:
            yield
        except (ValueError, IndexError, OverflowError) as error:
            what = f"segment {self.number} is damaged ({error})"
            raise self._file.damaged(what) from None

    def read(self, name: str) -> bytes:
        """Return a blob; there is none of a column without a value."""
        blob = self.entry.columns.get(name)
        return self._file.get(blob, f"part {name} of segment {self.number}") if blob else b""

    @cached_property
    def live(self) -> slice | Bools:
        """Which rows are documents."""
        if not self.entry.gone:
            return slice(None)
        bits = np.unpackbits(np.frombuffer(self.read("gone"), np.uint8), count=self.entry.rows)
        if int(bits.sum()) != self.entry.gone:
            raise self._file.damaged(f"segment {self.number} is damaged (marks)")
        live: Bools = bits == 0
        return live

    def _column(self, name: str, kind: str, *shape: int) -> NDArray[Any]:
        """Return a column of numbers of all rows."""
        content, rows = self.read(name), self.entry.rows
        if not content:
            return np.zeros((rows, *shape), kind)
        with self.shaped():
            return np.frombuffer(content, kind).reshape(rows, *shape)

    def column(self, name: str) -> NDArray[Any]:
        """Return a column of numbers; all but sketches are kept."""
        if name not in self._kept:
            kind = (NUMBERS | PASSAGE_NUMBERS)[name]
            shape = {"fingerprint": (self._words,), "sketch": (SKETCH_BYTES,)}.get(name, ())
            values = self._column(name, kind, *shape)[self.live]
            values = values.astype(SCHEMA[name], copy=False)
            if name == "sketch":
                return values
            self._kept[name] = values
        return self._kept[name]

    def bounds(self, name: str) -> RowIds:
        """Return where each item of a column of bytes begins, and where the last one ends."""
        key = f"{name} bounds"
        if key not in self._kept:
            sizes = self._column(f"{name}_size", _BYTES[name]).astype(np.int64)
            self._kept[key] = np.append(0, np.cumsum(sizes))
            with self.shaped():
                blob = self.entry.columns.get(name)
                if self._kept[key][-1] != (blob.size if blob else 0):
                    raise ValueError(f"wrong sizes of {name}")
        return self._kept[key]

    def items(self, name: str, rows: RowIds | slice = slice(None)) -> Iterator[bytes]:
        """Yield the items of a column of bytes: of all documents, or of some."""
        bounds, content = self.bounds(name), self.read(name)
        places = np.arange(self.entry.rows)[self.live][rows]
        for first, last in zip(bounds[places].tolist(), bounds[places + 1].tolist(), strict=True):
            yield content[first:last]

    def names(self, rows: RowIds | slice = slice(None)) -> list[str]:
        """Return the names of the documents, or of some."""
        return list(map(from_bytes, self.items("name", rows)))

    def take(self, rows: RowIds, sketches: NDArray[np.uint8]) -> Documents:
        """Return what decides whether documents match, and their names."""
        columns = {name: self.column(name)[rows] for name in NUMBERS if name != "sketch"}
        columns["sketch"] = sketches[rows]
        return Documents({"name": objects(self.names(rows)), **columns})

    def documents(self) -> Documents:
        """Return all columns."""
        columns = {name: self.column(name) for name in NUMBERS}
        if "packed_text" in self.entry.columns:
            columns |= {name: self.column(name) for name in PASSAGE_NUMBERS}
            kept = ("packed_text", "gram_hashes")
            columns |= {name: objects(self.items(name)) for name in kept}
        return Documents({"name": objects(self.names()), **columns})


class Segments:
    """The documents of an open file; use it within `IndexFile.reading` or `IndexFile.writing`."""

    def __init__(self, file: IndexFile, words: int) -> None:
        self.file = file
        self.words = words  # 64-bit words of a fingerprint
        self._each: list[Segment] = []
        # What is found by bands is looked up, and again to be measured.
        self._sketches = lru_cache(_SKETCHES)(lambda one: one.column("sketch"))

    def __iter__(self) -> Iterator[Segment]:
        """Return the segments, the oldest first; those that are as they were keep what was read."""
        read = {(one.number, one.entry.key): one for one in self._each}
        self._each = [
            read.get((number, entry.key)) or Segment(self.file, entry, self.words, number)
            for number, entry in enumerate(self.file.head.segments, 1)
        ]
        return iter(self._each)

    def __len__(self) -> int:
        """Return the number of documents."""
        with self.file.reading():
            return sum(entry.live for entry in self.file.head.segments)

    def column(self, name: str) -> NDArray[Any]:
        """Return a column of numbers of all documents."""
        parts = [one.column(name) for one in self]
        shape = (0, self.words) if name == "fingerprint" else (0,)
        return np.concatenate(parts) if parts else np.zeros(shape, SCHEMA[name])

    def sketches(self) -> Iterator[RowSketches]:
        """Yield the sketches of all documents with a text, with their rows, in chunks."""
        first = 0
        for one in self:
            texts = one.column("terms") > 0
            if texts.all():
                yield np.arange(first, first + len(one)), one.column("sketch")
            elif texts.any():
                yield first + np.flatnonzero(texts), one.column("sketch")[texts]
            first += len(one)

    def look_up(self, rows: RowIds) -> Documents:
        """Return what decides whether documents match, and their names, by ascending rows."""
        first, parts = 0, list[Documents]()
        for one in self:
            low, high = rows.searchsorted([first, first + len(one)])
            if high > low:
                parts.append(one.take(rows[low:high] - first, self._sketches(one)))
            first += len(one)
        return Documents.concat(parts) if parts else line_documents([], self._nothing)

    @property
    def _nothing(self) -> U64:
        return np.zeros((0, self.words), np.uint64)

    def find(self, contents: U64) -> RowIds:
        """Return the rows of documents by their ``content_key``, -1 for one that is missing."""
        column = self.column("content_key")
        here = np.flatnonzero(np.isin(column, contents))
        here = here[np.argsort(column[here])]
        rows = np.full(len(contents), -1)
        present = np.isin(contents, column[here])
        rows[present] = here[column[here].searchsorted(contents[present])]
        return rows

    def removed(self) -> RemovedTexts:
        """Return the texts that were removed because of documents, as `REMOVED`."""
        if "removed" not in self.file.head.blobs:
            return NO_REMOVED
        content = self.file.named("removed")
        if len(content) % REMOVED.itemsize:
            raise self.file.damaged("part removed is damaged")
        return np.frombuffer(content, REMOVED)


# -- writing ---------------------------------------------------------------------------------------


class Edit:
    """Adds and removes documents in one transaction, which ends with `finish`."""

    def __init__(self, segments: Segments) -> None:
        self._segments, self._file = segments, segments.file
        self._waiting: list[Documents] = []
        self._weight = 0
        self.given = self.new = self.replaced = 0
        self.gone = 0  # documents, so that others have other rows

    def add(self, documents: Documents) -> None:
        """Add documents; one with the name of an earlier one replaces it if its content differs.

        Raises
        ------
        SimdupError
            If the index keeps texts, and they have none.
        """
        if "passages" not in self._file.head.blobs:
            documents = documents.without(*PASSAGE_COLUMNS)
        elif len(documents) and "packed_text" not in documents:
            raise SimdupError(
                self._file.path,
                "keeps the texts of its documents, and fingerprints have none",
                "add the texts themselves, or use an index without `passages`",
            )
        self.given += len(documents)
        self._waiting.append(documents)
        self._weight += int(_weights(documents).sum())
        if self._weight >= FULL:
            self._flush()

    def add_now(self, documents: Documents) -> bool:
        """Add documents; return whether all others have the rows that they had."""
        expected = self.new + len(documents), self.gone
        self.add(documents)
        self._flush()
        return (self.new, self.gone) == expected

    def _flush(self) -> None:
        waiting, self._waiting, self._weight = self._waiting, [], 0
        if not waiting:
            return
        documents = last_of_names(Documents.concat(waiting))
        keys = Members(np.sort(documents["content_key"]))
        columns = (one.column("content_key") for one in self._segments)
        here = np.sort(np.concatenate([keys.ordered[:0], *(each[keys(each)] for each in columns)]))
        documents = documents.take(~contains(here, documents["content_key"]))
        self.new += len(documents)
        self.replaced += int(np.count_nonzero(self.remove(documents["name_key"])))
        ends, first = np.cumsum(_weights(documents)), 0
        while first < len(documents):
            room = FULL + (int(ends[first - 1]) if first else 0)
            last = max(int(np.searchsorted(ends, room, "right")), first + 1)
            self._file.head.segments.append(self._write(documents.take(np.arange(first, last))))
            first = last

    def remove(self, keys: U64) -> Bools:
        """Remove the documents with these name hashes; return which were present."""
        self._flush()
        asked, found = Members(np.sort(keys)), [keys[:0]]
        entries = self._file.head.segments
        for place, one in enumerate(self._segments):
            names = one.column("name_key")
            hit = asked(names)
            if hit.any():
                found.append(names[hit])
                entries[place] = self._marked(one, hit)
                self.gone += int(np.count_nonzero(hit))
        return contains(np.sort(np.concatenate(found)), keys)

    def _marked(self, one: Segment, hit: Bools) -> Entry:
        """Return the entry of a segment in which documents are marked as removed."""
        gone = np.ones(one.entry.rows, np.bool_)
        gone[one.live] = hit
        columns = dict(one.entry.columns)
        if before := columns.pop("gone", None):
            self._file.drop(before)
        columns["gone"] = self._file.put(np.packbits(gone).tobytes())
        return Entry(one.entry.rows, int(gone.sum()), columns)

    def _write(self, documents: Documents) -> Entry:
        contents: dict[str, bytes] = {}
        for name, kind in (NUMBERS | PASSAGE_NUMBERS).items():
            if name in documents:
                values = documents[name]
                zero = values.dtype.kind != "V" and not values.any()
                contents[name] = b"" if zero else values.astype(kind).tobytes()
        for name, kind in _BYTES.items():
            if name in documents:
                items = list(map(to_bytes, documents[name]) if name == "name" else documents[name])
                contents[name] = b"".join(items)
                contents[f"{name}_size"] = np.array(list(map(len, items)), kind).tobytes()
        columns = {name: self._file.put(each) for name, each in contents.items() if each}
        return Entry(len(documents), 0, columns)

    def finish(self, removed: RemovedTexts = NO_REMOVED) -> None:
        """Write what waits, and texts that were removed because of documents; tidy up.

        What is known of a removed text stays; what was removed because of documents that are gone
        is dropped.
        """
        self._flush()
        if self._file.dirty:
            self._merge()
        known = self._segments.removed() if self.gone or len(removed) else NO_REMOVED
        every = np.concatenate([known, removed])
        if len(every):
            every = every[self._segments.find(every["kept"]) >= 0]
            every = every[np.unique(every["text"], return_index=True)[1]]
            if not np.array_equal(every, known):
                self._file.set("removed", every.tobytes())

    def _merge(self) -> None:
        """Make one segment of neighbours that are small, or of one that is half empty."""
        groups = list[list[Segment]]()
        for one in self._segments:
            group = [one] if len(one) else []
            if not group:
                self._file.drop(*one.entry.columns.values())
            while group and groups and _small(groups[-1], group):
                group = groups.pop() + group
            groups += [group] if group else []
        self._file.head.segments[:] = map(self._joined, groups)

    def _joined(self, group: Sequence[Segment]) -> Entry:
        if len(group) == 1 and 2 * group[0].entry.gone <= group[0].entry.rows:
            return group[0].entry
        entry = self._write(Documents.concat([one.documents() for one in group]))
        for one in group:
            self._file.drop(*one.entry.columns.values())
        return entry


def _small(before: Sequence[Segment], group: Sequence[Segment]) -> bool:
    """Return whether what comes before a group is to be merged with it."""
    size = sum(one.entry.size for one in (*before, *group))
    return sum(map(len, before)) <= sum(map(len, group)) and size <= FULL
