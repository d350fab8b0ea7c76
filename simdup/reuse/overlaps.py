"""Overlaps: from passages of texts to those of documents, and what they cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from simdup.model.passages import Overlap, Passage
from simdup.reuse.copies import Holders
from simdup.reuse.finding import Passages, shares
from simdup.reuse.offsets import LookUp, locate
from simdup.search.arrays import I64, Bools

# Pairs that become objects at a time.
_CHUNK = 1 << 12


@dataclass(frozen=True)
class Overlaps(Sequence[Overlap]):
    """Overlaps of documents in arrays; each becomes an object when it is asked for."""

    documents: I64  # int64[pairs, 2]
    firsts: I64  # int64[pairs + 1]: where the passages of each pair begin, and the end
    a: I64  # int64[passages, 2]: symbols, or characters once they are located
    b: I64
    lengths: I64
    similarities: NDArray[np.float64]
    shares: NDArray[np.float64]  # float64[pairs, 2]
    identical: Bools  # bool[pairs]
    names: Sequence[Any] = ()  # of the documents

    def located(self, names: Sequence[Any], look_up: LookUp) -> Overlaps:
        """Return the overlaps with characters in place of symbols, and names of documents."""
        pairs = np.repeat(self.documents, np.diff(self.firsts), axis=0)
        a, b = locate(look_up, pairs, self.a, self.b)
        return replace(self, a=a, b=b, names=names)

    def swap(self, wrong: Bools) -> Overlaps:
        """Return the overlaps with the sides of some pairs exchanged, passages in order of a."""
        counts = np.diff(self.firsts)
        rows = np.repeat(wrong, counts)[:, None]
        a, b = np.where(rows, self.b, self.a), np.where(rows, self.a, self.b)
        order = np.lexsort((b[:, 0], a[:, 0], np.repeat(np.arange(len(counts)), counts)))
        return replace(
            self,
            documents=np.where(wrong[:, None], self.documents[:, ::-1], self.documents),
            shares=np.where(wrong[:, None], self.shares[:, ::-1], self.shares),
            a=a[order], b=b[order], lengths=self.lengths[order],
            similarities=self.similarities[order],
        )  # fmt: skip

    def take(self, rows: I64) -> Overlaps:
        """Return some of the pairs."""
        counts = np.diff(self.firsts)[rows]
        firsts = np.append(0, np.cumsum(counts))
        own = np.arange(firsts[-1]) + np.repeat(self.firsts[rows] - firsts[:-1], counts)
        return Overlaps(
            self.documents[rows], firsts, self.a[own], self.b[own], self.lengths[own],
            self.similarities[own], self.shares[rows], self.identical[rows], self.names,
        )  # fmt: skip

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.documents)

    @overload
    def __getitem__(self, number: int) -> Overlap: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Overlap]: ...
    def __getitem__(self, number: int | slice) -> Overlap | Sequence[Overlap]:
        """Return the overlap of one pair, or of some."""
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        number = range(len(self))[number]
        return next(self._made(number, number + 1))

    def __iter__(self) -> Iterator[Overlap]:
        """Yield all overlaps."""
        for low in range(0, len(self), _CHUNK):
            yield from self._made(low, min(low + _CHUNK, len(self)))

    def _made(self, low: int, high: int) -> Iterator[Overlap]:
        """Yield the overlaps of some pairs."""
        rows = slice(*self.firsts[[low, high]].tolist())
        passages = map(
            Passage,
            map(tuple, self.a[rows].tolist()),
            map(tuple, self.b[rows].tolist()),
            self.lengths[rows].tolist(),
            self.similarities[rows].tolist(),
        )
        for (a, b), count, (share_a, share_b), identical in zip(
            self.documents[low:high].tolist(),
            np.diff(self.firsts[low : high + 1]).tolist(),
            self.shares[low:high].tolist(),
            self.identical[low:high].tolist(),
            strict=True,
        ):
            own = tuple(islice(passages, count))
            yield Overlap(self.names[a], self.names[b], share_a, share_b, own, identical)


def form_overlaps(found: Passages, sizes: I64, holders: Holders, shared: I64) -> Overlaps:
    """Return the overlaps of documents, the largest first.

    Parameters
    ----------
    found : Passages
        Of pairs of texts.
    sizes : int64[texts]
        The symbols of each text.
    holders : Holders
        The documents of each text.
    shared : int64[some]
        The texts whose documents are listed as copies.
    """
    firsts, covered = shares(found, sizes)
    texts = found.texts[firsts[:-1]]
    pairs = Overlaps(
        holders.pairs(texts), firsts, found.a, found.b, found.lengths, found.similarities, covered,
        np.zeros(len(texts), np.bool_),
    )  # fmt: skip
    copies = holders.copies(shared)
    text_of = np.zeros(len(holders.order), np.int64)
    text_of[holders.order] = np.repeat(np.arange(len(sizes)), np.diff(holders.firsts))
    pairs = _append(pairs, copies, sizes[text_of[copies[:, 0]]])
    documents = pairs.documents
    common = (pairs.shares * sizes[text_of[documents]]).min(axis=1)
    pairs = pairs.swap(holders.swapped(documents))
    order = np.lexsort((*pairs.documents.T[::-1], -common))
    return pairs.take(order[documents[order, 0] >= 0])


def _append(overlaps: Overlaps, copies: I64, sizes: I64) -> Overlaps:
    """Return overlaps and pairs of documents that have the same text of some size."""
    count = len(copies)
    spans = np.stack([np.zeros_like(sizes), sizes], 1)
    return Overlaps(
        np.append(overlaps.documents, copies, axis=0),
        np.append(overlaps.firsts, overlaps.firsts[-1] + np.arange(1, count + 1)),
        np.append(overlaps.a, spans, axis=0),
        np.append(overlaps.b, spans, axis=0),
        np.append(overlaps.lengths, sizes),
        np.append(overlaps.similarities, np.ones(count)),
        np.append(overlaps.shares, np.ones((count, 2)), axis=0),
        np.append(overlaps.identical, np.ones(count, np.bool_)),
    )
