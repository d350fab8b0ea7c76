"""Documents as an index stores them: a table, and a block of it as sections of a file.

Besides its name and its sketch, a document takes 33 bytes, and 8, 16, 24 or 32 for its fingerprint.
The 33 bytes are 8 for the hash of the name, by which the document is found; 8 for the hash of the
content, which shows whether it has changed; 8 for the hash of the folded text without white space,
which shows whether it is equal to another; 4 for its length; 1 for its number of terms; and 4 for
the end of its name.  A document from a fingerprint line has no text: its ``terms`` are 0, and it
has no sketch.

In an index of passages, a block has `PASSAGES` too: the texts, and what they are searched by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.base.mix64 import scatter, unscatter
from simdup.corpus.names import from_bytes, to_bytes
from simdup.model.criteria import Criteria
from simdup.model.table import Documents, objects
from simdup.search.arrays import I64, U64, RowIds
from simdup.text.characters import DIGEST_TYPE
from simdup.text.families import SKETCH_BYTES
from simdup.text.sketch_bands import RowSketches

# Bytes of the hash of a text.
TEXT_HASH = 8

# Texts that were removed because of documents, with the figures of each pair.  A text goes by
# `removed_keys`; the document by its ``contents``, which end when it is removed or replaced.
REMOVED = np.dtype([("text", "<u8"), ("kept", "<u8"), ("similarity", "<f8"), ("distance", "<i8")])
RemovedTexts = NDArray[np.void]
NO_REMOVED: RemovedTexts = np.zeros(0, REMOVED)


def sketched(documents: Documents) -> RowSketches:
    """Return the rows of the documents with a text, and their sketches."""
    rows = np.flatnonzero(documents["terms"])
    if "sketch" not in documents:
        return rows, np.zeros((0, SKETCH_BYTES), np.uint8)
    return rows, documents["sketch"][rows]


def last_of_names(documents: Documents) -> Documents:
    """Return the documents without those of which a later one has the name."""
    last = {key: i for i, key in enumerate(documents["name_key"].tolist())}
    if len(last) == len(documents):
        return documents
    return documents.take(np.array(sorted(last.values())))


def concat(several: Sequence[Documents], words: int) -> Documents:
    """Join tables; `words` is the width of a fingerprint if there are none."""
    parts = list(several) or [line_documents([], np.zeros((0, words), np.uint64))]
    if any("sketch" in part for part in parts):
        parts = [
            part if "sketch" in part
            else part.and_columns(sketch=np.zeros((len(part), SKETCH_BYTES), np.uint8))
            for part in parts
        ]  # fmt: skip
    return parts[0] if len(parts) == 1 else Documents.concat(parts)


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
    keys = name_keys(names)
    return Documents(
        {
            "name": objects(names),
            "fingerprint": values,
            "name_key": keys,
            "content_key": content_hashes(keys, values),
            "compact_key": np.zeros(len(keys), np.uint64),
            "length": np.zeros(len(keys), np.int64),
            "terms": np.zeros(len(keys), np.uint8),
        }
    )


# -- a table as sections ---------------------------------------------------------------------------

SECTIONS = (
    "fingerprints", "keys", "contents", "compacts", "lengths", "terms", "ends", "names", "sketches",
)  # fmt: skip
# What a block of an index of passages has beside them: see `Extents`, and the columns of passages
# in `simdup.model.table`.
PASSAGES = ("extents", "digests", "grams", "texts")
PASSAGE_COLUMNS = ("symbols_digest", "packed", "grams", "packed_text", "gram_hashes", "size")


def to_sections(documents: Documents) -> dict[str, bytes]:
    """Return the sections of a block of documents, little-endian."""
    names = list(map(to_bytes, documents["name"]))
    sections = {
        "fingerprints": documents["fingerprint"].astype("<u8").tobytes(),
        "keys": documents["name_key"].astype("<u8").tobytes(),
        "contents": documents["content_key"].astype("<u8").tobytes(),
        "compacts": documents["compact_key"].astype("<u8").tobytes(),
        "lengths": documents["length"].astype("<u4").tobytes(),
        "terms": documents["terms"].tobytes(),
        "ends": np.cumsum(list(map(len, names)), dtype="<u4").tobytes(),
        "names": b"".join(names),
        "sketches": sketched(documents)[1].tobytes(),
    }
    if "packed_text" not in documents:
        return sections
    texts, grams = documents["packed_text"].tolist(), documents["gram_hashes"].tolist()
    columns = [np.cumsum(list(map(len, texts))), np.cumsum(list(map(len, grams))) // 8]
    return sections | {
        "extents": np.stack([*columns, documents["size"]], 1).astype("<u8").tobytes(),
        "digests": documents["symbols_digest"].tobytes(),
        "grams": b"".join(grams),
        "texts": b"".join(texts),
    }


def from_sections(sections: dict[str, bytes], words: int) -> Documents:
    """Return the documents of a block; raise ValueError if its sections are inconsistent."""
    values = to_numbers(sections["fingerprints"]).reshape(-1, words)
    documents = match_columns(sections).and_columns(fingerprint=values)
    if "extents" not in sections:
        return documents
    extents = read_extents(sections["extents"], len(documents))
    grams = np.append(0, extents.grams * 8)
    return documents.and_columns(
        packed_text=objects(_pieces(sections["texts"], np.append(0, extents.texts))),
        gram_hashes=objects(_pieces(sections["grams"], grams)),
        symbols_digest=np.frombuffer(sections["digests"], DIGEST_TYPE),
        size=extents.sizes,
    )


class Extents(NamedTuple):
    """How much of a block's texts and hashes each document has (int64[documents] each)."""

    texts: I64  # where it ends among the compressed texts, in bytes
    grams: I64  # where it ends among the hashes, which are 8 bytes each
    sizes: I64  # bytes of its text in UTF-8


def read_extents(content: bytes, documents: int) -> Extents:
    """Return the extents of a block's documents; raise ValueError if they are wrong."""
    rows = np.frombuffer(content, "<i8").astype(np.int64, copy=False).reshape(documents, 3)
    if (rows < 0).any() or (np.diff(rows[:, :2], axis=0) < 0).any():
        raise ValueError("wrong ends of texts")
    return Extents(*rows.T)


def _pieces(content: bytes, bounds: I64) -> Iterator[bytes]:
    if bounds[-1] != len(content):
        raise ValueError("wrong ends of texts")
    return (content[start:end] for start, end in pairwise(bounds.tolist()))


def match_columns(sections: dict[str, bytes], which: RowIds | slice = slice(None)) -> Documents:
    """Return what decides whether documents match, and their names: of all, or some by number.

    Raise ValueError if the sections are inconsistent.
    """
    terms = np.frombuffer(sections["terms"], np.uint8)
    kinds = ("keys", "contents", "compacts")
    keys, contents, compacts = (to_numbers(sections[kind]) for kind in kinds)
    lengths = np.frombuffer(sections["lengths"], "<u4").astype(np.int64)
    names = read_names(sections["ends"], sections["names"], which)
    sketches = np.frombuffer(sections["sketches"], np.uint8).reshape(-1, SKETCH_BYTES)
    sizes = {len(terms), len(keys), len(contents), len(compacts), len(lengths)}
    if len(sizes | {len(sections["ends"]) // 4}) > 1:
        raise ValueError("columns of different lengths")
    texts = terms > 0
    if len(sketches) not in (0, np.count_nonzero(texts)) or texts[which].any() > len(sketches):
        raise ValueError("sketches are missing")
    of_text = np.where(texts, np.cumsum(texts) - 1, 0)[which]
    rows = np.zeros((len(of_text), SKETCH_BYTES), np.uint8)
    here = texts[which]
    rows[here] = sketches[of_text[here]]
    columns: dict[str, NDArray[Any]] = {
        "length": lengths,
        "terms": terms,
        "name_key": keys,
        "content_key": contents,
        "compact_key": compacts,
    }
    some = {name: column[which] for name, column in columns.items()}
    return Documents({"name": objects(names), "sketch": rows, **some})


def read_names(ends: bytes, content: bytes, which: RowIds | slice = slice(None)) -> list[str]:
    """Return the names in two sections of a block: all, or some by number.

    Raise ValueError if the sections are inconsistent.
    """
    bounds = np.concatenate([[0], np.frombuffer(ends, "<u4")])
    if bounds[-1] != len(content) or (bounds[1:] < bounds[:-1]).any():
        raise ValueError("wrong ends of names")
    places = zip(bounds[:-1][which].tolist(), bounds[1:][which].tolist(), strict=True)
    return [from_bytes(content[start:end]) for start, end in places]


def to_numbers(content: bytes) -> U64:
    """Return the 64-bit numbers of a section."""
    return np.frombuffer(content, "<u8").astype(np.uint64, copy=False)
