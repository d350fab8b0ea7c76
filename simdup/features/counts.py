"""Term counts: how often each document has each term, as one sparse matrix.

A `Counter` numbers the terms in the order it meets them and hands out, block by block, the rows
of documents and the terms that are new.  Several of them (one a process) work side by side, each
with numbers of its own; `join` brings their blocks under one numbering, by rising term hash, so
that the result is the same whoever counted what.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.spool import Slot
from simdup.features.hashing import FeatureHash, term_hash

# Where a counter forgets the terms it knows, to bound its memory: at about 150 bytes each, 75 MB.
# A forgotten term that comes again is numbered anew, which `join` mends.
REMEMBERED_TERMS = 500_000


Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Block:
    """Counts of a block of documents under its counter's own numbers.

    Attributes
    ----------
    starts : int64[documents + 1]
        Row i lies in ``starts[i]:starts[i + 1]`` of the next two.
    columns : int32[entries], or Slot
        Term numbers; or where they are laid aside.
    counts : int32[entries], or Slot
        Occurrences, at least 1; or where they are laid aside.
    ids : uint64[terms]
        Term hashes of the terms that are new in this block.
    hashes : uint8[terms, bits / 8]
        Their feature hashes, the most significant byte first.
    terms : tuple of str
        The terms themselves; empty where they are not wanted any more.
    """

    starts: NDArray[np.int64]
    columns: Numbers | Slot
    counts: Numbers | Slot
    ids: NDArray[np.uint64]
    hashes: NDArray[np.uint8]
    terms: tuple[str, ...]


class Rows(NamedTuple):
    """Counts of consecutive documents, in compressed sparse rows.

    Attributes
    ----------
    starts : int64[documents + 1]
        Row i lies in ``starts[i]:starts[i + 1]``; the first start is 0.
    columns : int32[entries]
        Term numbers.
    counts : int32[entries]
        Occurrences, at least 1.
    """

    starts: NDArray[np.int64]
    columns: Numbers
    counts: Numbers


@dataclass(frozen=True, slots=True)
class Counts:
    """Term counts of documents as one sparse matrix, in memory or laid aside.

    Attributes
    ----------
    starts : int64[rows + 1]
        How many entries stand before each row, and in all.
    ids : uint64[terms]
        Term hashes, rising and distinct.
    hashes : uint8[terms, bits / 8]
        Feature hashes, the most significant byte first.
    terms : tuple of str
        The terms themselves, where they were kept; empty otherwise.
    blocks : sequence of (Block, int32 array)
        The entries, and for each block the terms' numbers in this matrix by the counter's own.
    firsts : int64[blocks + 1]
        The first row of each block, and the number of rows.
    read : callable
        Gives the bytes of a slot.
    row_of : int64[documents] or None
        The row of each document, where copies of a text share one; None where each has its own.
    """

    starts: NDArray[np.int64]
    ids: NDArray[np.uint64]
    hashes: NDArray[np.uint8]
    terms: tuple[str, ...]
    blocks: Sequence[tuple[Block, Numbers]]
    firsts: NDArray[np.int64]
    read: Callable[[Slot], bytes]
    row_of: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.starts) - 1

    @property
    def times(self) -> NDArray[np.int64]:
        """How many documents have each row."""
        if self.row_of is None:
            return np.ones(len(self), np.int64)
        return np.bincount(self.row_of, minlength=len(self))

    def row(self, document: int) -> int:
        """Return a document's row."""
        return document if self.row_of is None else int(self.row_of[document])

    def rows(self, first: int, last: int) -> Rows:
        """Return the entries of the rows ``first:last``."""
        columns, counts = [_NONE], [_NONE]
        at = int(np.searchsorted(self.firsts, first, "right")) - 1
        while at < len(self.blocks) and self.firsts[at] < last:
            block, numbers = self.blocks[at]
            begin, end = max(first - self.firsts[at], 0), last - self.firsts[at]
            span = int(block.starts[begin]), int(block.starts[min(end, len(block.starts) - 1)])
            columns.append(numbers[self._part(block.columns, span)])
            counts.append(self._part(block.counts, span))
            at += 1
        starts = self.starts[first : last + 1] - self.starts[first]
        return Rows(starts, np.concatenate(columns), np.concatenate(counts))

    def _part(self, entries: Numbers | Slot, span: tuple[int, int]) -> Numbers:
        begin, end = span
        if not isinstance(entries, Slot):
            return entries[begin:end]
        slot = Slot(entries.writer, entries.start + 4 * begin, 4 * (end - begin))
        return np.frombuffer(self.read(slot), np.int32)


_NONE: Numbers = np.zeros(0, np.int32)


def no_spool(slot: Slot) -> bytes:
    """Refuse to read: nothing was laid aside."""
    raise ValueError(f"no spool to read {slot} from")


class TermCounter:
    """Counts the terms of documents, block by block.

    Parameters
    ----------
    feature_hash : callable, optional
        The recipe's; None where it gives the term hash itself.
    """

    def __init__(self, feature_hash: FeatureHash | None = None) -> None:
        self._feature_hash = feature_hash
        self._numbers = _Numbers()

    def count(self, documents: Iterable[Sequence[str]]) -> Block:
        """Return the counts of a block of documents' tokens.

        Column numbers go on from block to block; `ids`, `hashes` and `terms` are those of the
        terms that are new in this block, whose numbers follow on those of all blocks before.
        """
        numbers = self._numbers
        lengths, columns, counts = [0], list[int](), list[int]()
        for tokens in documents:
            counted = collections.Counter(tokens)
            counted.pop("\n", None)  # a gap between words
            columns += map(numbers.__getitem__, counted)
            counts += counted.values()
            lengths.append(len(counted))
        terms = numbers.take_fresh()
        ids = b"".join(map(term_hash, terms))
        hashes = ids if self._feature_hash is None else b"".join(map(self._feature_hash, terms))
        return Block(
            starts=np.cumsum(lengths, dtype=np.int64),
            columns=np.array(columns, np.int32),
            counts=np.array(counts, np.int32),
            ids=np.frombuffer(ids, ">u8").astype(np.uint64),
            hashes=np.frombuffer(hashes, np.uint8).reshape(len(terms), -1 if terms else 0),
            terms=terms,
        )


class _Numbers(dict[str, int]):
    """Gives every term a number when it is first asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._next = 0
        self._fresh: list[str] = []

    def __missing__(self, term: str) -> int:
        number = self[term] = self._next
        self._next += 1
        self._fresh.append(term)
        return number

    def take_fresh(self) -> tuple[str, ...]:
        fresh = tuple(self._fresh)
        self._fresh.clear()
        if len(self) > REMEMBERED_TERMS:
            self.clear()
        return fresh


def join(
    blocks: Sequence[tuple[int, Block]],
    size: int,
    read: Callable[[Slot], bytes] = no_spool,
    row_of: NDArray[np.int64] | None = None,
) -> Counts:
    """Join blocks of several counters into one matrix under one numbering.

    Parameters
    ----------
    blocks : sequence of (int, Block)
        Which counter made the block, and the block; those of one counter in the order made.
    size : int
        Bytes of a feature hash.
    read : callable
        Gives the bytes of a slot, for blocks whose entries were laid aside.

    row_of : int64[documents] or None
        See `Counts`.

    Returns
    -------
    Counts
        Rows in the order of `blocks`, terms by rising term hash.  ``terms`` holds the terms
        if every block still had its own.
    """
    made_by: dict[int, list[Block]] = {}
    for counter, block in blocks:
        made_by.setdefault(counter, []).append(block)
    in_order = [block for made in made_by.values() for block in made]
    every = np.concatenate([np.zeros(0, np.uint64), *(block.ids for block in in_order)])
    ids, first, inverse = np.unique(every, return_index=True, return_inverse=True)
    number: Numbers = inverse.astype(np.int32)
    hashes = np.concatenate(
        [np.zeros((0, size), np.uint8), *(block.hashes.reshape(-1, size) for block in in_order)]
    )[first]
    named = all(len(block.terms) == len(block.ids) for block in in_order)
    words = [term for block in in_order for term in block.terms] if named else []

    # Each counter's terms follow on each other in `number`, in the order of its own numbers.
    ends = np.cumsum([sum(len(block.ids) for block in made) for made in made_by.values()])
    parts: list[Numbers] = np.split(number, ends[:-1])
    numbers = dict(zip(made_by, parts, strict=False))
    sizes = [np.diff(block.starts) for _, block in blocks]
    return Counts(
        starts=np.concatenate([[0], *sizes]).cumsum().astype(np.int64),
        ids=ids,
        hashes=hashes,
        terms=tuple(words[i] for i in first.tolist()) if named else (),
        blocks=[(block, numbers[counter]) for counter, block in blocks],
        firsts=np.cumsum([0, *map(len, sizes)], dtype=np.int64),
        read=read,
        row_of=row_of,
    )


def select(counts: Counts, documents: Sequence[int]) -> Counts:
    """Return the counts of some documents only, in memory."""
    at = [counts.row(document) for document in documents]
    rows = [counts.rows(row, row + 1) for row in at]
    starts = np.cumsum([0, *(len(row.columns) for row in rows)], dtype=np.int64)
    block = Block(
        starts,
        np.concatenate([_NONE, *(row.columns for row in rows)]),
        np.concatenate([_NONE, *(row.counts for row in rows)]),
        counts.ids,
        counts.hashes,
        counts.terms,
    )
    same = np.arange(len(counts.ids), dtype=np.int32)
    firsts = np.array([0, len(rows)], np.int64)
    return replace(counts, starts=starts, blocks=[(block, same)], firsts=firsts, row_of=None)
