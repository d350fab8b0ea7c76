"""Documents as an index keeps them: rows in columns, and a block of rows as the parts of a file.

A document takes 25 bytes and the 8, 16, 24 or 32 of its fingerprint, besides its name and its
sketch: 8 of its name's hash, by which it is found, 8 of its content's, which tells whether it has
changed, 4 of its length, 1 of its terms and 4 of where its name ends.  A document that came as a
fingerprint line has no text: its `terms` are 0, and it has no sketch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.names import from_bytes, to_bytes
from simdup.lsh.bbit import SIZE

Words = NDArray[np.uint64]

# Most terms that are told apart; beyond a few nobody asks.
_MOST_TERMS = 255


@dataclass(frozen=True, slots=True)
class Rows:
    """Documents in columns.

    Attributes
    ----------
    names : list of bytes
        As they stand in a file system.
    values : uint64[n, words]
        Fingerprints.
    keys : uint64[n]
        Hashes of the names.
    contents : uint64[n]
        Hashes of the names and contents together.
    lengths : uint32[n]
        Characters of the folded text without white space.
    terms : uint8[n]
        Terms, 255 for more; 0 where there was no text.
    sketches : uint8[texts, 128]
        Byte sketches of the documents that had a text, in order.
    """

    names: list[bytes]
    values: Words
    keys: Words
    contents: Words
    lengths: NDArray[np.uint32]
    terms: NDArray[np.uint8]
    sketches: NDArray[np.uint8]

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.names)


PARTS = ("fingerprints", "keys", "contents", "lengths", "terms", "ends", "names", "sketches")


def name_keys(names: Iterable[str]) -> Words:
    """Return the hashes by which names are found.

    Two of 10**7 names have the same with a probability of 3 in a million; the later one would
    then take the other's place.
    """
    return _numbers(hashlib.blake2b(to_bytes(name), digest_size=8).digest() for name in names)


def text_hash(text: str) -> bytes:
    """Return 8 bytes that tell whether a text has changed."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def contents_of(keys: Words, what: Words) -> Words:
    """Return the hashes of names and contents together, for who has the content's numbers.

    Parameters
    ----------
    keys : uint64[n]
        Hashes of the names.
    what : uint64[n, m]
        Hashes of the texts, or, where there are none, the fingerprints.
    """
    result = keys
    for word in range(what.shape[1]):
        result = (result ^ what[:, word]) * np.uint64(0x9E3779B97F4A7C15)
        result = result ^ result >> np.uint64(32)
    return result


def text_rows(
    names: Sequence[str],
    values: Words,
    texts: Words,
    lengths: Sequence[int],
    terms: NDArray[np.int64],
    sketches: NDArray[np.uint8],
) -> Rows:
    """Make rows of documents with texts, of which `texts` are the hashes; see `Rows`."""
    keys = name_keys(names)
    return Rows(
        [to_bytes(name) for name in names],
        values,
        keys,
        contents_of(keys, texts[:, None]),
        np.array(lengths, np.uint32),
        np.minimum(terms, _MOST_TERMS).astype(np.uint8),
        sketches,
    )


def line_rows(names: Sequence[str], values: Words, keyed: bool = True) -> Rows:
    """Make rows of fingerprint lines; those only to be asked about need no keys."""
    n = len(names)
    keys = name_keys(names) if keyed else np.zeros(n, np.uint64)
    return Rows(
        [to_bytes(name) for name in names],
        values,
        keys,
        contents_of(keys, values),
        np.zeros(n, np.uint32),
        np.zeros(n, np.uint8),
        np.zeros((0, SIZE), np.uint8),
    )


def taken(rows: Rows, which: NDArray[np.int64]) -> Rows:
    """Return some of the rows, by number."""
    texts = rows.terms > 0
    place = np.cumsum(texts) - 1
    return Rows(
        [rows.names[i] for i in which.tolist()],
        rows.values[which],
        rows.keys[which],
        rows.contents[which],
        rows.lengths[which],
        rows.terms[which],
        rows.sketches[place[which[texts[which]]]],
    )


def joined(several: Sequence[Rows], words: int) -> Rows:
    """Return rows one after another; `words` of a fingerprint are for none at all."""
    if len(several) == 1:
        return several[0]
    none = line_rows([], np.zeros((0, words), np.uint64))
    every = [none, *several]
    return Rows(
        [name for rows in every for name in rows.names],
        np.concatenate([rows.values for rows in every]),
        np.concatenate([rows.keys for rows in every]),
        np.concatenate([rows.contents for rows in every]),
        np.concatenate([rows.lengths for rows in every]),
        np.concatenate([rows.terms for rows in every]),
        np.concatenate([rows.sketches for rows in every]),
    )


@dataclass(frozen=True, slots=True)
class Looks:
    """What of documents is looked at to judge whether their texts are alike.

    Attributes
    ----------
    lengths : uint32[n]
    terms : uint8[n]
        As in `Rows`.
    sketches : uint8[n, 128]
        Zeros where there was no text; of width 0 where there was none of any.
    """

    lengths: NDArray[np.uint32]
    terms: NDArray[np.uint8]
    sketches: NDArray[np.uint8]


def looks_of(rows: Rows, which: NDArray[np.int64]) -> Looks:
    """Return what is looked at of some of the rows, by number."""
    return spread_looks(rows.lengths, rows.terms, rows.sketches, which)


def spread_looks(
    lengths: NDArray[np.uint32],
    terms: NDArray[np.uint8],
    sketches: NDArray[np.uint8],
    which: NDArray[np.int64],
) -> Looks:
    """Return what is looked at, given the columns of some rows and numbers of rows."""
    there = terms[which] > 0
    spread = np.zeros((len(which), SIZE if there.any() else 0), np.uint8)
    if there.any():
        place = np.cumsum(terms > 0) - 1
        spread[there] = sketches[place[which[there]]]
    return Looks(lengths[which], terms[which], spread)


def joined_looks(several: Sequence[Looks]) -> Looks:
    """Return them one after another."""
    size = max(part.sketches.shape[1] for part in several)
    wide = [
        part.sketches
        if part.sketches.shape[1] == size
        else np.zeros((len(part.terms), size), np.uint8)
        for part in several
    ]
    return Looks(
        np.concatenate([part.lengths for part in several]),
        np.concatenate([part.terms for part in several]),
        np.concatenate(wide),
    )


def looks_in_order(looks: Looks, order: NDArray[np.int64]) -> Looks:
    """Return them in another order."""
    return Looks(looks.lengths[order], looks.terms[order], looks.sketches[order])


def to_parts(rows: Rows) -> dict[str, bytes]:
    """Return the parts of a block of rows, little-endian."""
    return {
        "fingerprints": rows.values.astype("<u8").tobytes(),
        "keys": rows.keys.astype("<u8").tobytes(),
        "contents": rows.contents.astype("<u8").tobytes(),
        "lengths": rows.lengths.astype("<u4").tobytes(),
        "terms": rows.terms.tobytes(),
        "ends": np.cumsum([len(name) for name in rows.names], dtype="<u4").tobytes(),
        "names": b"".join(rows.names),
        "sketches": rows.sketches.tobytes(),
    }


def from_parts(parts: dict[str, bytes], words: int) -> Rows:
    """Return the rows of a block.

    Raises
    ------
    ValueError
        If its parts do not belong together.
    """
    names = names_of(parts["ends"], parts["names"])
    rows = Rows(
        names,
        numbers(parts["fingerprints"]).reshape(-1, words),
        numbers(parts["keys"]),
        numbers(parts["contents"]),
        np.frombuffer(parts["lengths"], "<u4").astype(np.uint32),
        np.frombuffer(parts["terms"], np.uint8),
        np.frombuffer(parts["sketches"], np.uint8).reshape(-1, SIZE),
    )
    columns = (rows.values, rows.keys, rows.contents, rows.lengths, rows.terms)
    if any(len(column) != len(names) for column in columns):
        raise ValueError("columns of different lengths")
    if len(rows.sketches) != np.count_nonzero(rows.terms):
        raise ValueError("sketches are missing")
    return rows


def names_of(ends: bytes, content: bytes) -> list[bytes]:
    """Return the names that two parts of a block hold."""
    bounds = np.concatenate([[0], np.frombuffer(ends, "<u4")]).tolist()
    return [content[start:end] for start, end in pairwise(bounds)]


def some_names(ends: bytes, content: bytes, which: NDArray[np.int64]) -> list[bytes]:
    """Return some of them, by number."""
    bounds = np.concatenate([[0], np.frombuffer(ends, "<u4")])
    places = zip(bounds[which].tolist(), bounds[which + 1].tolist(), strict=True)
    return [content[start:end] for start, end in places]


def shown_names(names: Iterable[bytes]) -> list[str]:
    """Return names as they travel in memory."""
    return [from_bytes(name) for name in names]


def numbers(content: bytes) -> Words:
    """Return the 64-bit numbers of a part."""
    return np.frombuffer(content, "<u8").astype(np.uint64, copy=False)


def _numbers(digests: Iterable[bytes]) -> Words:
    return numbers(b"".join(digests))
