"""Term counts: how often each document has each term, as one sparse matrix.

A `Counter` numbers the terms in the order it meets them and hands out, block by block, the rows
of documents and the terms that are new.  Several of them (one a process) work side by side, each
with numbers of its own; `join` brings their blocks under one numbering, by rising term hash, so
that the result is the same whoever counted what.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simdup.features.hashing import FeatureHash, term_hash

# Where a counter forgets the terms it knows, to bound its memory: at about 150 bytes each, 75 MB.
# A forgotten term that comes again is numbered anew, which `join` mends.
REMEMBERED_TERMS = 500_000


@dataclass(frozen=True, slots=True)
class Counts:
    """Term counts of documents, in compressed sparse rows.

    Attributes
    ----------
    starts : int64[documents + 1]
        Row i lies in ``starts[i]:starts[i + 1]``.
    columns : int32[entries]
        Term numbers.
    counts : int32[entries]
        Occurrences, at least 1.
    ids : uint64[terms]
        Term hashes; in `join`'s result rising and distinct.
    hashes : uint8[terms, bits / 8]
        Feature hashes, the most significant byte first.
    terms : tuple of str
        The terms themselves, where they were kept; empty otherwise.
    """

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    counts: NDArray[np.int32]
    ids: NDArray[np.uint64]
    hashes: NDArray[np.uint8]
    terms: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.starts) - 1


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

    def count(self, documents: Iterable[Sequence[str]]) -> Counts:
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
        return Counts(
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


def join(blocks: Sequence[tuple[int, Counts]], size: int) -> Counts:
    """Join blocks of several counters into one matrix under one numbering.

    Parameters
    ----------
    blocks : sequence of (int, Counts)
        Which counter made the block, and the block; those of one counter in the order made.
    size : int
        Bytes of a feature hash.

    Returns
    -------
    Counts
        Documents in the order of `blocks`, terms by rising term hash.  ``terms`` holds the terms
        if every block still had its own.
    """
    if not blocks:
        empty = np.zeros(0, np.int32)
        ids = np.zeros(0, np.uint64)
        return Counts(np.zeros(1, np.int64), empty, empty, ids, np.zeros((0, size), np.uint8), ())
    counters = sorted({counter for counter, _ in blocks})
    in_order = [block for wanted in counters for made_by, block in blocks if made_by == wanted]
    ids, first, number = np.unique(
        np.concatenate([block.ids for block in in_order]), return_index=True, return_inverse=True
    )
    hashes = np.concatenate([block.hashes.reshape(-1, size) for block in in_order])[first]
    named = all(len(block.terms) == len(block.ids) for block in in_order)
    every = [term for block in in_order for term in block.terms] if named else []
    terms = tuple(every[i] for i in first.tolist()) if named else ()

    sizes = [sum(len(b.ids) for c, b in blocks if c == counter) for counter in counters]
    offset = dict(zip(counters, np.cumsum([0, *sizes]).tolist(), strict=False))
    number = number.astype(np.int32)
    columns = [number[block.columns + np.int64(offset[counter])] for counter, block in blocks]
    starts = np.concatenate([[0], *(np.diff(block.starts) for _, block in blocks)]).cumsum()
    return Counts(
        starts=starts.astype(np.int64),
        columns=np.concatenate(columns),
        counts=np.concatenate([block.counts for _, block in blocks]),
        ids=ids,
        hashes=hashes,
        terms=terms,
    )
