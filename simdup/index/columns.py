"""Documents as an index stores them: in columns, and a block of them as sections of a file.

Besides its name and its sketch, a document takes 25 bytes, and 8, 16, 24 or 32 for its fingerprint.
The 25 bytes are 8 for the hash of the name, by which the document is found; 8 for the hash of the
content, which shows whether it has changed; 4 for its length; 1 for its number of terms; and 4 for
the end of its name.  A document from a fingerprint line has no text: its `terms` are 0, and it has
no sketch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.names import from_bytes, to_bytes
from simdup.lsh.bbit import SIZE
from simdup.mix64 import scatter, unscatter
from simdup.model.criteria import Criteria

U64 = NDArray[np.uint64]
RowIds = NDArray[np.int64]
# int64[m] and uint8[m, 128]: the numbers of documents with a text, and their sketches.
RowSketches = tuple[RowIds, NDArray[np.uint8]]


# Bytes of the hash of a text.
TEXT_HASH = 8

# Texts that were removed because of documents, with the figures of each pair.  A text goes by
# `removed_keys`; the document by its ``contents``, which end when it is removed or replaced.
REMOVED = np.dtype([("text", "<u8"), ("kept", "<u8"), ("similarity", "<f8"), ("distance", "<i8")])
RemovedTexts = NDArray[np.void]
NO_REMOVED: RemovedTexts = np.zeros(0, REMOVED)


class MatchColumns(NamedTuple):
    """The columns that decide whether documents match."""

    lengths: NDArray[np.uint32]  # uint32[n]
    terms: NDArray[np.uint8]  # uint8[n]: as in `Columns`
    keys: U64  # uint64[n]
    contents: U64  # uint64[n]
    sketches: NDArray[np.uint8]  # uint8[n, 128]: zeros for documents without a text

    def take(self, which: RowIds) -> MatchColumns:
        """Return the columns of some rows."""
        lengths, terms, keys, contents, sketches = self
        some = lengths[which], terms[which], keys[which], contents[which]
        return MatchColumns(*some, sketches[which])

    def spread(self, which: RowIds) -> MatchColumns:
        """Return the columns of some rows, if `sketches` are only those of texts, in order."""
        if len(self.sketches) == len(self.terms):
            return self.take(which)
        texts = self.terms[which] > 0
        spread = np.zeros((len(which), SIZE), np.uint8)
        if texts.any():
            place = np.cumsum(self.terms > 0) - 1
            spread[texts] = self.sketches[place[which[texts]]]
        lengths, terms, keys, contents, _ = self
        return MatchColumns(lengths[which], terms[which], keys[which], contents[which], spread)


@dataclass(frozen=True, slots=True)
class Columns:
    """Documents as parallel columns."""

    names: list[bytes]  # as in the file system
    values: U64  # uint64[n, words]: fingerprints
    keys: U64  # uint64[n]: hashes of the names
    contents: U64  # uint64[n]: hashes of names and contents together
    lengths: NDArray[np.uint32]  # uint32[n]: characters of the compact text
    terms: NDArray[np.uint8]  # uint8[n]: terms, at most 255; 0 for documents without a text
    # uint8[texts, 128]: sketches of the documents with a text, in order.
    sketches: NDArray[np.uint8]

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.names)

    def take(self, which: RowIds) -> Columns:
        """Return some of the documents, by number."""
        texts = self.terms > 0
        place = np.cumsum(texts) - 1
        return Columns(
            [self.names[i] for i in which.tolist()],
            self.values[which],
            self.keys[which],
            self.contents[which],
            self.lengths[which],
            self.terms[which],
            self.sketches[place[which[texts[which]]]],
        )

    def last_of_names(self) -> Columns:
        """Return the documents without those of which a later one has the name."""
        last = {key: i for i, key in enumerate(self.keys.tolist())}
        return self if len(last) == len(self) else self.take(np.array(sorted(last.values())))

    def match_columns(self, which: RowIds) -> MatchColumns:
        """Return the match columns of some of the documents, by number."""
        whole = MatchColumns(self.lengths, self.terms, self.keys, self.contents, self.sketches)
        return whole.spread(which)

    def iter_sketches(self) -> Iterator[RowSketches]:
        """Yield the sketches of all documents with a text, with their numbers."""
        yield np.flatnonzero(self.terms), self.sketches

    def chunks(self, sizes: Sequence[int]) -> Iterator[Columns]:
        """Cut the documents into chunks of these sizes; the last size repeats."""
        first = number = 0
        while first < len(self):
            size = sizes[min(number, len(sizes) - 1)]
            yield self.take(np.arange(first, min(first + size, len(self))))
            first, number = first + size, number + 1


def concat(several: Sequence[Columns], words: int) -> Columns:
    """Concatenate columns; `words` is the width of a fingerprint if there are no columns."""
    if len(several) == 1:
        return several[0]
    every = [line_columns([], np.zeros((0, words), np.uint64)), *several]
    return Columns(
        [name for columns in every for name in columns.names],
        np.concatenate([columns.values for columns in every]),
        np.concatenate([columns.keys for columns in every]),
        np.concatenate([columns.contents for columns in every]),
        np.concatenate([columns.lengths for columns in every]),
        np.concatenate([columns.terms for columns in every]),
        np.concatenate([columns.sketches for columns in every]),
    )


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
    settings = criteria.shingle, criteria.short_texts, criteria.numbers
    return scatter(texts ^ to_numbers(text_hash(" ".join(map(str, settings)))))


def line_columns(names: Sequence[str], values: U64) -> Columns:
    """Return the columns of fingerprint lines."""
    n = len(names)
    keys = name_keys(names)
    return Columns(
        [to_bytes(name) for name in names],
        values,
        keys,
        content_hashes(keys, values),
        np.zeros(n, np.uint32),
        np.zeros(n, np.uint8),
        np.zeros((0, SIZE), np.uint8),
    )


# -- columns as sections ---------------------------------------------------------------------------

SECTIONS = ("fingerprints", "keys", "contents", "lengths", "terms", "ends", "names", "sketches")


def to_sections(columns: Columns) -> dict[str, bytes]:
    """Return the sections of a block of documents, little-endian."""
    return {
        "fingerprints": columns.values.astype("<u8").tobytes(),
        "keys": columns.keys.astype("<u8").tobytes(),
        "contents": columns.contents.astype("<u8").tobytes(),
        "lengths": columns.lengths.astype("<u4").tobytes(),
        "terms": columns.terms.tobytes(),
        "ends": np.cumsum([len(name) for name in columns.names], dtype="<u4").tobytes(),
        "names": b"".join(columns.names),
        "sketches": columns.sketches.tobytes(),
    }


def from_sections(sections: dict[str, bytes], words: int) -> Columns:
    """Return the documents of a block; raise ValueError if its sections are inconsistent."""
    names = read_names(sections["ends"], sections["names"])
    columns = Columns(
        names,
        to_numbers(sections["fingerprints"]).reshape(-1, words),
        to_numbers(sections["keys"]),
        to_numbers(sections["contents"]),
        np.frombuffer(sections["lengths"], "<u4").astype(np.uint32),
        np.frombuffer(sections["terms"], np.uint8),
        np.frombuffer(sections["sketches"], np.uint8).reshape(-1, SIZE),
    )
    arrays = (columns.values, columns.keys, columns.contents, columns.lengths, columns.terms)
    if any(len(array) != len(names) for array in arrays):
        raise ValueError("columns of different lengths")
    if len(columns.sketches) != np.count_nonzero(columns.terms):
        raise ValueError("sketches are missing")
    return columns


def read_names(ends: bytes, content: bytes, which: RowIds | slice = slice(None)) -> list[bytes]:
    """Return the names in two sections of a block: all, or some by number.

    Raise ValueError if the sections are inconsistent.
    """
    bounds = np.concatenate([[0], np.frombuffer(ends, "<u4")])
    if bounds[-1] != len(content) or (bounds[1:] < bounds[:-1]).any():
        raise ValueError("wrong ends of names")
    places = zip(bounds[:-1][which].tolist(), bounds[1:][which].tolist(), strict=True)
    return [content[start:end] for start, end in places]


def decode_names(names: Iterable[bytes]) -> list[str]:
    """Return names as strings."""
    return [from_bytes(name) for name in names]


def to_numbers(content: bytes) -> U64:
    """Return the 64-bit numbers of a section."""
    return np.frombuffer(content, "<u8").astype(np.uint64, copy=False)
