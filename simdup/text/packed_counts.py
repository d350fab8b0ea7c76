"""Counts of a chunk as bytes, for machines that count and machines that weigh.

The format is a magic number with a version, the sizes of the arrays, and the arrays in order, each
with the smallest type that holds it: most chunks have fewer than 65,536 terms, and few documents
have a term more than 255 times.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simdup.base.errors import SimdupError
from simdup.text.characters import cut_at, ends_of
from simdup.text.counts import CountedChunk, Counts

# It changes with the format, so that what another version stored is refused, not misread.
_MAGIC = b"simdup-counts 1\n"
_HEAD = np.dtype("<i8")
_TYPES = tuple(map(np.dtype, ("u1", "<u2", "<u4")))


def cut_counts(counts: Counts, first: int, last: int) -> CountedChunk:
    """Return rows ``first:last`` of counts as a chunk with terms of its own."""
    rows = counts.rows(first, last)
    terms, columns = np.unique(rows.columns, return_inverse=True)
    return CountedChunk(
        rows.starts,
        columns.astype(np.int32),
        rows.values,
        counts.ids[terms],
        counts.ids[terms],
        counts.hashes[terms],
        tuple(counts.terms[term] for term in terms.tolist()) if counts.terms else (),
    )


def pack_counts(chunk: CountedChunk) -> bytes:
    """Return the counts of a chunk, which are in memory, as bytes."""
    if not isinstance(chunk.columns, np.ndarray) or not isinstance(chunk.counts, np.ndarray):
        raise TypeError("the counts of the chunk are spooled")
    text = "".join(chunk.terms).encode("utf-8", "surrogatepass")
    # Terms may hold any character, so no separator is safe.
    ends = ends_of(chunk.terms) if chunk.terms else np.zeros(0, np.int64)
    small = [_small(one) for one in (chunk.sizes, chunk.columns, chunk.counts, np.diff(ends))]
    arrays = [chunk.ids.astype("<u8"), chunk.hashes, *small, np.frombuffer(text, np.uint8)]
    head = [value for one in arrays for value in (one.itemsize, one.size)]
    return b"".join([_MAGIC, np.array(head, _HEAD).tobytes(), *(one.tobytes() for one in arrays)])


def unpack_counts(content: bytes) -> CountedChunk:
    """Return the chunk that `pack_counts` made bytes of.

    Raises
    ------
    SimdupError
        If another version made them, or they are damaged.
    """
    if not content.startswith(_MAGIC):
        raise SimdupError("counts", "another version of simdup made them", "make them again")
    head = np.frombuffer(content, _HEAD, 14, len(_MAGIC)).reshape(-1, 2).tolist()
    place = len(_MAGIC) + 14 * _HEAD.itemsize
    if place + sum(width * size for width, size in head) != len(content):
        raise SimdupError("counts", "they are damaged", "make them again")
    arrays: list[NDArray[np.unsignedinteger]] = []
    for width, size in head:
        arrays.append(np.frombuffer(content, f"<u{width}", size, place))
        place += width * size
    ids, hashes, sizes, columns, counts, lengths, text = arrays
    terms: list[str] = []
    if len(lengths):
        ends = np.append(0, np.cumsum(lengths, dtype=np.int64))
        terms = cut_at(text.tobytes().decode("utf-8", "surrogatepass"), ends)
    starts = np.append(0, np.cumsum(sizes, dtype=np.int64))
    return CountedChunk(
        starts,
        columns.astype(np.int32),
        counts.astype(np.int32),
        ids.astype(np.uint64),
        ids.astype(np.uint64),
        hashes.astype(np.uint8).reshape(len(ids), -1 if len(ids) else 0),
        tuple(terms),
    )


def _small(values: NDArray[np.integer]) -> NDArray[np.unsignedinteger]:
    """Return values of 0 or more in the smallest type."""
    most = int(values.max(initial=0))
    return values.astype(next(one for one in _TYPES if most <= np.iinfo(one).max))
