"""Term counts: how often each document has each term, as one sparse matrix.

A `TermCounter` numbers terms in the order in which it meets them and returns, chunk by chunk, the
rows of documents and the new terms.  Several counters (one per process) work in parallel, each with
its own numbers.  `join` converts their chunks to one numbering, by ascending term hash, so the
result does not depend on which process counted what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.spool import Slot
from simdup.features.hashing import REMEMBERED_TERMS, FeatureHash, term_hash
from simdup.features.tokens import GAP

TermNumbers = NDArray[np.int32]

# Entries processed at a time; at about 100 bytes each, some 50 MB.
CHUNK_ENTRIES = 1 << 19

# A row number and a term number share 64 bits for sorting.
_NUMBER_BITS = 32
_NUMBER_MASK = (1 << _NUMBER_BITS) - 1


@dataclass(frozen=True, slots=True)
class CountedChunk:
    """Counts of a chunk of documents, with the term numbers of its counter."""

    # int64[documents + 1]: row i lies in ``starts[i]:starts[i + 1]`` of the next two.
    starts: NDArray[np.int64]
    columns: TermNumbers | Slot  # int32[entries]: term numbers, or where they are spooled
    # int32[entries]: occurrences, at least 1, or where they are spooled.
    counts: TermNumbers | Slot
    ids: NDArray[np.uint64]  # uint64[terms]: term hashes of the terms that are new in this chunk
    # uint8[terms, bits / 8]: their feature hashes, the most significant byte first.
    hashes: NDArray[np.uint8]
    terms: tuple[str, ...]  # the terms as text; empty once they are no longer needed

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many terms each document has (int64[documents])."""
        return np.diff(self.starts)

    def without_empty_rows(self) -> CountedChunk:
        """Return the counts without the documents that have no terms."""
        return replace(self, starts=np.unique(self.starts))


class CsrRows(NamedTuple):
    """Consecutive documents as compressed sparse rows."""

    # int64[documents + 1]: row i lies in ``starts[i]:starts[i + 1]``; the first start is 0.
    starts: NDArray[np.int64]
    columns: TermNumbers  # int32[entries]: term numbers
    values: NDArray[Any]  # int32[entries] or float64[entries]: occurrences, at least 1, or weights


@dataclass(frozen=True, slots=True)
class Counts:
    """Term counts of documents as one sparse matrix, in memory or spooled."""

    # int64[rows + 1]: how many entries precede each row, and the total.
    starts: NDArray[np.int64]
    ids: NDArray[np.uint64]  # uint64[terms]: term hashes, ascending and distinct
    # uint8[terms, bits / 8]: feature hashes, the most significant byte first.
    hashes: NDArray[np.uint8]
    terms: tuple[str, ...]  # the terms as text, if they were kept; otherwise empty
    # The entries and, for each chunk, the map from its counter's term numbers to those here.
    chunks: Sequence[tuple[CountedChunk, TermNumbers]]
    # int64[chunks + 1]: the first row of each chunk, and the number of rows.
    firsts: NDArray[np.int64]
    read: Callable[[Slot], bytes]  # returns the bytes of a slot
    row_of: NDArray[np.int64]  # int64[documents]: the row of each; copies of a text share one

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.starts) - 1

    @property
    def times(self) -> NDArray[np.int64]:
        """How many documents share each row (int64[rows])."""
        return np.bincount(self.row_of, minlength=len(self))

    @property
    def documents_with_terms(self) -> int:
        """How many documents have at least one term."""
        return int(self.times[np.diff(self.starts) > 0].sum())

    def document_frequencies(self) -> NDArray[np.int32]:
        """Return how many documents contain each term (int32[terms])."""
        times = self.times
        frequencies = np.zeros(len(self.ids))
        for first, last in zip(self.firsts[:-1].tolist(), self.firsts[1:].tolist(), strict=True):
            rows = self.rows(first, last)
            each = np.repeat(times[first:last], np.diff(rows.starts))
            frequencies += np.bincount(rows.columns, each, minlength=len(frequencies))
        return frequencies.astype(np.int32)

    def document(self, number: int) -> CsrRows:
        """Return the entries of one document."""
        row = int(self.row_of[number])
        return self.rows(row, row + 1)

    def rows(self, first: int, last: int) -> CsrRows:
        """Return the entries of the rows ``first:last``."""
        columns, counts = [_NONE], [_NONE]
        position = int(np.searchsorted(self.firsts, first, "right")) - 1
        while position < len(self.chunks) and self.firsts[position] < last:
            chunk, numbers = self.chunks[position]
            begin, end = max(first - self.firsts[position], 0), last - self.firsts[position]
            span = int(chunk.starts[begin]), int(chunk.starts[min(end, len(chunk.starts) - 1)])
            columns.append(numbers[self._part(chunk.columns, span)])
            counts.append(self._part(chunk.counts, span))
            position += 1
        starts = self.starts[first : last + 1] - self.starts[first]
        return CsrRows(starts, np.concatenate(columns), np.concatenate(counts))

    def chunked_rows(self, first: int = 0, last: int | None = None) -> Iterator[CsrRows]:
        """Yield rows ``first:last`` in chunks of bounded size."""
        stop = len(self) if last is None else last
        for begin, end in iter_chunks(self.starts[first : stop + 1], CHUNK_ENTRIES):
            yield self.rows(first + begin, first + end)

    def _part(self, entries: TermNumbers | Slot, span: tuple[int, int]) -> TermNumbers:
        begin, end = span
        if not isinstance(entries, Slot):
            return entries[begin:end]
        slot = Slot(entries.writer, entries.start + 4 * begin, 4 * (end - begin))
        return np.frombuffer(self.read(slot), np.int32)


_NONE: TermNumbers = np.zeros(0, np.int32)


def iter_chunks(starts: NDArray[np.int64], limit: int) -> Iterator[tuple[int, int]]:
    """Cut rows into chunks ``first:last`` of at most `limit` entries, or of a single row."""
    first, rows = 0, len(starts) - 1
    while first < rows:
        last = max(int(np.searchsorted(starts, starts[first] + limit, "right")) - 1, first + 1)
        yield first, last
        first = last


def no_spool(slot: Slot) -> bytes:
    """Raise, because nothing was spooled."""
    raise ValueError(f"no spool to read {slot} from")


class TermCounter:
    """Counts the terms of documents, chunk by chunk."""

    def __init__(self, feature_hash: FeatureHash | None = None) -> None:
        # None if it equals the term hash.
        self._feature_hash = feature_hash
        self._numbers = _TermTable()

    def count(self, documents: Iterable[Sequence[str]]) -> CountedChunk:
        """Return the counts of a chunk of documents' tokens.

        Column numbers continue from chunk to chunk.  `ids`, `hashes` and `terms` are those of the
        new terms of this chunk, whose numbers follow those of all earlier chunks.
        """
        number = self._numbers.__getitem__
        # One document at a time, so that the tokens of long ones need not be kept.
        rows = [np.fromiter(map(number, tokens), np.int64, len(tokens)) for tokens in documents]
        starts, columns, counts = _count_rows(rows)
        terms = self._numbers.take_new()
        ids = b"".join(map(term_hash, terms))
        hashes = ids if self._feature_hash is None else b"".join(map(self._feature_hash, terms))
        return CountedChunk(
            starts=starts,
            columns=columns,
            counts=counts,
            ids=np.frombuffer(ids, ">u8").astype(np.uint64),
            hashes=np.frombuffer(hashes, np.uint8).reshape(len(terms), -1 if terms else 0),
            terms=terms,
        )


def _count_rows(
    rows: list[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], TermNumbers, TermNumbers]:
    """Count the numbers of 0 or more in each row; return starts, columns and counts."""
    numbers = np.concatenate([np.zeros(0, np.int64), *rows])
    row = np.repeat(np.arange(len(rows)), list(map(len, rows)))
    keys = (row << _NUMBER_BITS) | numbers
    keys = keys[numbers >= 0]
    keys.sort()
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(first, append=len(keys))
    keys = keys[first]
    starts = np.searchsorted(keys, np.arange(len(rows) + 1) << _NUMBER_BITS)
    return starts, (keys & _NUMBER_MASK).astype(np.int32), counts.astype(np.int32)


class _TermTable(dict[str, int]):
    """Numbers each term on first access; a gap between words has the number -1.

    The table is emptied when it has grown large.  A term that occurs again then gets a new number,
    which `join` merges with the old one.
    """

    def __init__(self) -> None:
        super().__init__({GAP: -1})
        self._next = 0
        self._new: list[str] = []

    def __missing__(self, term: str) -> int:
        number = self[term] = self._next
        self._next += 1
        self._new.append(term)
        return number

    def take_new(self) -> tuple[str, ...]:
        new = tuple(self._new)
        self._new.clear()
        if len(self) > REMEMBERED_TERMS:
            self.clear()
            self[GAP] = -1
        return new


def join(
    chunks: Sequence[tuple[int, CountedChunk]],
    size: int,
    read: Callable[[Slot], bytes] = no_spool,
    row_of: NDArray[np.int64] | None = None,
) -> Counts:
    """Join chunks of several counters into one matrix under one numbering.

    Parameters
    ----------
    chunks : sequence of (int, CountedChunk)
        The number of a counter, and its chunk; chunks of one counter are in order.
    size : int
        Bytes of a feature hash.
    read : callable
        Returns the bytes of a slot, for chunks with spooled entries.
    row_of : int64[documents], optional
        See `Counts`; without it each row is a document.

    Returns
    -------
    Counts
        Rows in the order of `chunks`, terms by ascending term hash.  ``terms`` has the terms if
        every chunk still had its own.
    """
    made_by: dict[int, list[CountedChunk]] = {}
    for counter, chunk in chunks:
        made_by.setdefault(counter, []).append(chunk)
    in_order = [chunk for made in made_by.values() for chunk in made]
    every = np.concatenate([np.zeros(0, np.uint64), *(chunk.ids for chunk in in_order)])
    ids, first, inverse = np.unique(every, return_index=True, return_inverse=True)
    number: TermNumbers = inverse.astype(np.int32)
    hashes = np.concatenate(
        [np.zeros((0, size), np.uint8), *(chunk.hashes.reshape(-1, size) for chunk in in_order)]
    )[first]
    named = all(len(chunk.terms) == len(chunk.ids) for chunk in in_order)
    words = [term for chunk in in_order for term in chunk.terms] if named else []

    # The terms of each counter are consecutive in `number`, in the order of its numbers.
    ends = np.cumsum([sum(len(chunk.ids) for chunk in made) for made in made_by.values()])
    parts: list[TermNumbers] = np.split(number, ends[:-1])
    numbers = dict(zip(made_by, parts, strict=False))
    sizes = [chunk.sizes for _, chunk in chunks]
    return Counts(
        starts=np.concatenate([[0], *sizes]).cumsum().astype(np.int64),
        ids=ids,
        hashes=hashes,
        terms=tuple(words[i] for i in first.tolist()) if named else (),
        chunks=[(chunk, numbers[counter]) for counter, chunk in chunks],
        firsts=np.cumsum([0, *map(len, sizes)], dtype=np.int64),
        read=read,
        row_of=np.arange(sum(map(len, sizes))) if row_of is None else row_of,
    )


def select(counts: Counts, documents: Sequence[int]) -> Counts:
    """Return the counts of some documents only, in memory."""
    rows = [counts.document(document) for document in documents]
    starts = np.cumsum([0, *(len(row.columns) for row in rows)], dtype=np.int64)
    chunk = CountedChunk(
        starts,
        np.concatenate([_NONE, *(row.columns for row in rows)]),
        np.concatenate([_NONE, *(row.values for row in rows)]),
        counts.ids,
        counts.hashes,
        counts.terms,
    )
    same = np.arange(len(counts.ids), dtype=np.int32)
    firsts, row_of = np.array([0, len(rows)], np.int64), np.arange(len(rows))
    return replace(counts, starts=starts, chunks=[(chunk, same)], firsts=firsts, row_of=row_of)
