"""Term counts: how often each document has each term, as one sparse matrix.

A `TermCounter` returns, chunk by chunk, the hashes of terms and how often each document has which
of them.  Several counters (one per process) work in parallel; a hash means the same in all of them.
`join` makes one matrix of their chunks, whose terms are numbered by ascending hash, so the result
does not depend on which process counted what.

A term has two hashes, which must not be confused.  Its *term hash* identifies the term everywhere:
64 bits of BLAKE2b, independent of the recipe.  Its *feature hash* is what simhash sums up: the
recipe's ``hash`` at the recipe's ``bits``.  With the default recipe both are the same bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.spool import Slot
from simdup.text.characters import cut_at, from_codes
from simdup.text.tokens import Tokens

if TYPE_CHECKING:
    from simdup.kernels.words import Terms

FeatureHash = Callable[[str], bytes]
TermHashes = NDArray[np.uint64]
TermNumbers = NDArray[np.int32]

# Entries processed at a time; at about 100 bytes each, some 50 MB.
CHUNK_ENTRIES = 1 << 19

# A table of terms is emptied at this size to bound its memory: at 150 bytes each, 75 MB.
REMEMBERED_TERMS = 500_000


@dataclass(frozen=True, slots=True)
class CountedChunk:
    """Counts of a chunk of documents, and the terms that its counter meets in it first."""

    # int64[documents + 1]: row i lies in ``starts[i]:starts[i + 1]`` of the next two.
    starts: NDArray[np.int64]
    # All arrays of entries may be spooled: then this says where.
    columns: NDArray[np.int32] | Slot  # int32[entries]: places in `dictionary`
    counts: NDArray[np.int32] | Slot  # int32[entries]: occurrences, at least 1
    dictionary: TermHashes | Slot  # uint64: the hashes of the chunk's terms, each once
    ids: TermHashes  # uint64[terms]: hashes of the terms that no earlier chunk of its counter has
    # uint8[terms, bits / 8]: their feature hashes, the most significant byte first.
    hashes: NDArray[np.uint8]
    terms: tuple[str, ...]  # the terms as text; empty once they are no longer needed

    @classmethod
    def empty(cls, size: int) -> CountedChunk:
        """Return the counts of a document without terms, whose hashes have `size` bytes."""
        entries, hashes = np.zeros(0, np.int32), np.zeros(0, np.uint64)
        none = np.zeros((0, size), np.uint8)
        return cls(np.zeros(2, np.int64), entries, entries, hashes, hashes, none, ())

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many terms each document has (int64[documents])."""
        return np.diff(self.starts)

    def without(self, rows: NDArray[np.int64]) -> CountedChunk:
        """Return the counts without some documents, which have no terms."""
        return replace(self, starts=np.delete(self.starts, rows + 1))


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
    ids: TermHashes  # uint64[terms]: term hashes, ascending and distinct
    # uint8[terms, bits / 8]: feature hashes, the most significant byte first.
    hashes: NDArray[np.uint8]
    terms: tuple[str, ...]  # the terms as text, if they were kept; otherwise empty
    chunks: Sequence[CountedChunk]
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
        columns, counts = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
        position = int(np.searchsorted(self.firsts, first, "right")) - 1
        while self.firsts[position] < last:
            chunk = self.chunks[position]
            begin, end = max(first - self.firsts[position], 0), last - self.firsts[position]
            span = int(chunk.starts[begin]), int(chunk.starts[min(end, len(chunk.starts) - 1)])
            columns.append(self._numbers(chunk.dictionary, self._part(chunk.columns, span)))
            counts.append(self._part(chunk.counts, span))
            position += 1
        starts = self.starts[first : last + 1] - self.starts[first]
        return CsrRows(starts, np.concatenate(columns), np.concatenate(counts))

    def chunked_rows(self, first: int = 0, last: int | None = None) -> Iterator[CsrRows]:
        """Yield rows ``first:last`` in chunks of bounded size."""
        stop = len(self) if last is None else last
        for begin, end in iter_chunks(self.starts[first : stop + 1], CHUNK_ENTRIES):
            yield self.rows(first + begin, first + end)

    def _numbers(self, dictionary: TermHashes | Slot, places: NDArray[np.int32]) -> TermNumbers:
        """Return the numbers of terms, given their places in the dictionary of a chunk."""
        if isinstance(dictionary, Slot):
            dictionary = np.frombuffer(self.read(dictionary), np.uint64)
        if len(places) < len(dictionary):
            return np.searchsorted(self.ids, dictionary[places]).astype(np.int32)
        return np.searchsorted(self.ids, dictionary).astype(np.int32)[places]

    def _part(self, entries: NDArray[np.int32] | Slot, span: tuple[int, int]) -> NDArray[np.int32]:
        begin, end = span
        if not isinstance(entries, Slot):
            return entries[begin:end]
        slot = Slot(entries.writer, entries.start + 4 * begin, 4 * (end - begin))
        return np.frombuffer(self.read(slot), np.int32)


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
        self._numbers, self._ids = _no_terms()

    def count(self, tokens: Tokens) -> CountedChunk:
        """Return the counts of a chunk of documents' tokens."""
        known = len(self._numbers)
        starts, numbers, counts = self._numbers.count(*tokens)
        codes, ends = self._numbers.codes(known)
        terms = tuple(cut_at(from_codes(codes), ends))
        written = b"".join(map(term_hash, terms))
        hashes = written if self._feature_hash is None else b"".join(map(self._feature_hash, terms))
        ids = np.frombuffer(written, ">u8").astype(np.uint64)
        self._ids = np.append(self._ids, ids)
        used = np.zeros(len(self._ids), np.bool_)
        used[numbers] = True
        chunk = CountedChunk(
            starts=starts,
            columns=(np.cumsum(used, dtype=np.int32) - 1)[numbers],
            counts=counts,
            dictionary=self._ids[used],
            ids=ids,
            hashes=np.frombuffer(hashes, np.uint8).reshape(len(terms), -1 if terms else 0),
            terms=terms,
        )
        if len(self._ids) > REMEMBERED_TERMS:
            self._numbers, self._ids = _no_terms()
        return chunk


def _no_terms() -> tuple[Terms, TermHashes]:
    """Return terms by number, and their hashes."""
    from simdup.kernels.words import Terms

    return Terms(), np.zeros(0, np.uint64)


def join(
    chunks: Sequence[CountedChunk],
    size: int,
    read: Callable[[Slot], bytes] = no_spool,
    row_of: NDArray[np.int64] | None = None,
) -> Counts:
    """Join chunks into one matrix.

    Parameters
    ----------
    chunks : sequence of CountedChunk
        Every term of one is among the new terms of one of them.
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
    every = np.concatenate([np.zeros(0, np.uint64), *(chunk.ids for chunk in chunks)])
    ids, first = np.unique(every, return_index=True)
    hashes = np.concatenate(
        [np.zeros((0, size), np.uint8), *(chunk.hashes.reshape(-1, size) for chunk in chunks)]
    )[first]
    named = all(len(chunk.terms) == len(chunk.ids) for chunk in chunks)
    words = [term for chunk in chunks for term in chunk.terms] if named else []
    sizes = [chunk.sizes for chunk in chunks]
    return Counts(
        starts=np.concatenate([[0], *sizes]).cumsum().astype(np.int64),
        ids=ids,
        hashes=hashes,
        terms=tuple(words[i] for i in first.tolist()) if named else (),
        chunks=chunks,
        firsts=np.cumsum([0, *map(len, sizes)], dtype=np.int64),
        read=read,
        row_of=np.arange(sum(map(len, sizes))) if row_of is None else row_of,
    )


def term_hash(term: str) -> bytes:
    """Return the 8 bytes that identify a term, the most significant first."""
    return hashlib.blake2b(term.encode("utf-8", "surrogatepass")).digest()[:8]


def feature_hash(name: str, bits: int) -> FeatureHash:
    """Return the function from a term to its `bits` / 8 bytes, the most significant first.

    Parameters
    ----------
    name : str
        One of the values of the recipe's ``hash``.
    bits : int
        A multiple of 8 that the function supports.
    """
    size = bits // 8
    if name == "bkdr":
        return lambda term: bkdr(term, bits).to_bytes(size, "big")
    if name == "string":
        return lambda term: string_hash(term, bits).to_bytes(size, "big")
    # MD5 and SHA-1 have no security purpose here; declaring so allows them under FIPS rules.
    return lambda term: hashlib.new(
        name, term.encode("utf-8", "surrogatepass"), usedforsecurity=False
    ).digest()[:size]


def bkdr(term: str, bits: int) -> int:
    """Return the BKDR hash (seed 31) as a Java program computes it.

    It runs over UTF-16 code units in overflowing signed 64-bit arithmetic; the result is the
    absolute value modulo 2**bits.
    """
    units: bytes = term.encode("utf-16-be", "surrogatepass")
    value = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (value * 31 + (high << 8 | low)) & 0xFFFFFFFFFFFFFFFF
    if value >= 1 << 63:
        value = (1 << 64) - value
    return value & ((1 << bits) - 1)


def string_hash(term: str, bits: int) -> int:
    """Return the string hash of early CPython, widened or narrowed to `bits` bits."""
    if not term:
        return 0
    mask = (1 << bits) - 1
    value = ord(term[0]) << 7
    for character in term:
        value = value * 1000003 & mask ^ ord(character)
    return (value ^ len(term)) & mask
