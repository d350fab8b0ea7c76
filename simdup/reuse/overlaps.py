"""Overlaps: from passages of texts to those of documents, and what they cover.

*Copies* are documents with the same text, which is compared once.  Ten thousand copies of a text
are fifty million pairs that all say one thing.  So a pair of texts is reported for two documents
that have them, and of the documents with one text each is paired with one only: the first.  Where
not all documents are compared with each other, the first that is allowed takes its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from simdup.model.shared_passages import Overlap, Passage, PassageCriteria, SharedText
from simdup.reuse.finding import Finder, Passages, Sides, covered_anew, new_pairs
from simdup.reuse.symbols import (
    LookUp,
    Symbols,
    Units,
    cut,
    hole_marks,
    locate,
    look_up_in,
)
from simdup.reuse.winnowing import Window, winnow
from simdup.search.arrays import I64, Bools, distinct, ranges
from simdup.text.characters import fold_all


class Holders(NamedTuple):
    """Which documents have a text."""

    order: I64  # documents by text, in order
    firsts: I64  # int64[texts + 1]: where those of each text begin in `order`
    sides: Sides  # of the documents

    @classmethod
    def of(cls, text_of: I64, texts: int, sides: Sides) -> Holders:
        """Return the holders of texts, from the text of each document."""
        order = np.argsort(text_of, kind="stable")
        return cls(order, np.searchsorted(text_of[order], np.arange(texts + 1)), sides)

    def __call__(self, text: int) -> I64:
        """Return the documents that have a text."""
        return self.order[self.firsts[text] : self.firsts[text + 1]]

    @property
    def text_of(self) -> I64:
        """The text of each document (int64[documents])."""
        found = np.zeros(len(self.order), np.int64)
        found[self.order] = np.repeat(np.arange(len(self.firsts) - 1), np.diff(self.firsts))
        return found

    def swapped(self, documents: I64) -> Bools:
        """Return which pairs of documents are in the wrong order: by input, references last."""
        places = np.arange(len(self.order)) + len(self.order) * ~self.sides.sources
        first, second = places[documents].T
        wrong: Bools = first > second
        return wrong

    @property
    def text_sides(self) -> Sides:
        """What is compared with what, among the texts."""
        if not len(self.order):
            return self.sides
        firsts, (sources, references, groups, keys) = self.firsts[:-1], self.sides
        groups = groups[self.order]
        least, most = (ufunc.reduceat(groups, firsts) for ufunc in (np.minimum, np.maximum))
        return Sides(
            np.logical_or.reduceat(sources[self.order], firsts),
            np.logical_or.reduceat(references[self.order], firsts),
            np.where(least == most, least, -1),
            # All documents of a text have the same key.
            keys[self.order[firsts]],
        )

    def pairs(self, texts: I64) -> I64:
        """Return for each pair of texts the first documents that are compared, or -1."""
        found = self.order[self.firsts[texts]].reshape(-1, 2)
        refused = np.flatnonzero(~self.sides.allow(*found.T))
        for row, (a, b) in zip(refused.tolist(), texts[refused].tolist(), strict=True):
            others = self._leaders(b)
            allowed = ((d, others[self.sides.allow(np.full_like(others, d), others)])
                       for d in self._leaders(a).tolist())  # fmt: skip
            found[row] = next(((d, some[0]) for d, some in allowed if len(some)), (-1, -1))
        return found

    def shared(self, starts: I64, symbols: Symbols, least: int) -> I64:
        """Return the texts that several documents have, with so many units outside templates."""
        texts = np.flatnonzero(np.diff(self.firsts) > 1)
        found = [
            np.count_nonzero(symbols[starts[text] : starts[text + 1] - 1] != mark) >= least
            for text, mark in zip(texts.tolist(), hole_marks(texts), strict=True)
        ]
        return texts[np.array(found, np.bool_)]

    def copies(self, texts: I64) -> I64:
        """Return the documents with one of some texts, each paired with the first of them."""
        pairs = [np.zeros((0, 2), np.int64)]
        for text in texts.tolist():
            waiting = self(text)
            for leader in self._leaders(text).tolist():
                leaders = np.full_like(waiting, leader)
                allowed = (waiting != leader) & self.sides.allow(leaders, waiting)
                pairs.append(np.stack([leaders, waiting], 1)[allowed])
                waiting = waiting[~allowed]
        every = np.concatenate(pairs)
        every.sort(axis=1)
        return np.unique(every, axis=0)

    def _leaders(self, text: int) -> I64:
        """Return a few documents of a text: those that others are compared with in its place."""
        own, leaders = self(text), []
        for side in self.sides[:2]:
            some = own[side[own]]
            others = some[self.sides.groups[some] != self.sides.groups[some[:1]]]
            leaders += some[:1].tolist() + others[:1].tolist()
        return distinct(np.array(leaders, np.int64))


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
        own = ranges(self.firsts[rows], counts)
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
            longest = max(passage.length for passage in own)
            yield Overlap(self.names[a], self.names[b], share_a, share_b, longest, own, identical)


def concat(parts: Iterable[Passages]) -> Passages:
    """Return the passages of several ranges as one."""
    none = np.zeros((0, 2), np.int64)
    every = [Passages(none, none, none, np.zeros(0, np.int64), np.zeros(0)), *parts]
    return Passages(
        np.concatenate([one.texts for one in every]),
        np.concatenate([one.a for one in every]),
        np.concatenate([one.b for one in every]),
        np.concatenate([one.lengths for one in every]),
        np.concatenate([one.similarities for one in every]),
    )


def by_units(found: Passages, units: Units) -> Passages:
    """Return passages of texts by the units that count before their places."""
    a, b = (units.before(side[:, None], spans)
            for side, spans in zip(found.texts.T, (found.a, found.b), strict=True))  # fmt: skip
    return replace(found, a=a, b=b)


def form_overlaps(found: Passages, units: Units, holders: Holders, shared: I64) -> Overlaps:
    """Return the overlaps of documents, the largest first.

    Parameters
    ----------
    found : Passages
        Of pairs of texts.
    units : Units
        What of each text counts.
    holders : Holders
        The documents of each text.
    shared : int64[some]
        The texts whose documents are listed as copies.
    """
    sizes = units.sizes
    firsts, covered = shares(by_units(found, units), sizes)
    texts = found.texts[firsts[:-1]]
    pairs = Overlaps(
        holders.pairs(texts), firsts, found.a, found.b, found.lengths, found.similarities, covered,
        np.zeros(len(texts), np.bool_),
    )  # fmt: skip
    copies = holders.copies(shared)
    text_of = holders.text_of
    whole = np.diff(units.firsts) - 1
    pairs = _append(pairs, copies, *(one[text_of[copies[:, 0]]] for one in (whole, sizes)))
    documents = pairs.documents
    common = (pairs.shares * sizes[text_of[documents]]).min(axis=1)
    pairs = pairs.swap(holders.swapped(documents))
    order = np.lexsort((*pairs.documents.T[::-1], -common))
    return pairs.take(order[documents[order, 0] >= 0])


def _append(overlaps: Overlaps, copies: I64, whole: I64, sizes: I64) -> Overlaps:
    """Return overlaps and pairs of documents with the same text, of which some units count."""
    count = len(copies)
    spans = np.stack([np.zeros_like(whole), whole], 1)
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


def shares(found: Passages, sizes: I64) -> tuple[I64, NDArray[np.float64]]:
    """Return the pairs of texts, and how much of either side passages cover.

    Parameters
    ----------
    found : Passages
        By pair.
    sizes : int64[texts]
        The symbols of each text.

    Returns
    -------
    int64[pairs + 1]
        Where the passages of each pair begin, and the end.
    float64[pairs, 2]
    """
    firsts = np.append(np.flatnonzero(new_pairs(found)), len(found.texts))
    pairs = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
    covered = np.stack([covered_anew(pairs, side) for side in (found.a, found.b)], 1)
    if not len(pairs):
        return firsts, np.zeros((0, 2))
    sums = np.add.reduceat(covered, firsts[:-1])
    return firsts, sums / sizes[found.texts[firsts[:-1]]]


def between(text_a: str, text_b: str, criteria: PassageCriteria | None = None) -> SharedText:
    """Return the passages that two texts share.

    Examples
    --------
    >>> text = "The old harbour sleeps in the fog until the first boats come home with the tide."
    >>> shared = between(text, f"He wrote: {text.upper()}", PassageCriteria(min_length=20))
    >>> shared.passages
    (Passage(a=(0, 80), b=(10, 90), length=33, similarity=1.0),)
    """
    criteria = criteria or PassageCriteria()
    texts = cut(fold_all([text_a, text_b]))
    found = Finder.of(texts, winnow(texts, Window.of(criteria.min_run)), criteria).find(0, 2)
    covered = shares(found, np.diff(texts.starts))[1]
    read = (text_a, text_b).__getitem__
    a, b = locate(look_up_in(read), found.texts, found.a, found.b)
    passages = map(
        Passage,
        map(tuple, a.tolist()),
        map(tuple, b.tolist()),
        found.lengths.tolist(),
        found.similarities.tolist(),
    )
    share_a, share_b = covered[0].tolist() if len(covered) else (0.0, 0.0)
    return SharedText(tuple(one for one in passages if one.a[1]), share_a, share_b)
