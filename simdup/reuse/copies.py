"""Copies: documents with the same text, which is compared once.

Ten thousand copies of a text are fifty million pairs that all say one thing.  So a pair of texts is
reported for two documents that have them, and of the documents with one text each is paired with
one only: the first.  Where not all documents are compared with each other, the first that is
allowed takes its place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simdup.reuse.symbols import Symbols, end_marks
from simdup.search.arrays import I64, U32, Bools, distinct


class Sides(NamedTuple):
    """What is compared with what: one of the references with one that is none, and only what is of
    different groups.  There is a `Sides` of documents, and one of their texts.
    """

    sources: Bools
    references: Bools
    groups: I64  # -1 for a text whose documents are of several groups, or of none

    @classmethod
    def every(cls, count: int) -> Sides:
        """Return that all of so many are compared with each other."""
        every = np.ones(count, np.bool_)
        return cls(every, every, np.full(count, -1))

    @property
    def free(self) -> bool:
        """Whether all are compared with each other."""
        return bool((self.sources & self.references & (self.groups < 0)).all())

    def allow(self, a: I64 | U32, b: I64 | U32) -> Bools:
        """Return which pairs are compared."""
        crossed = self.sources[a] & self.references[b] | self.references[a] & self.sources[b]
        allowed: Bools = crossed & ((self.groups[a] != self.groups[b]) | (self.groups[a] < 0))
        return allowed


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
        firsts, (sources, references, groups) = self.firsts[:-1], self.sides
        groups = groups[self.order]
        least, most = (ufunc.reduceat(groups, firsts) for ufunc in (np.minimum, np.maximum))
        return Sides(
            np.logical_or.reduceat(sources[self.order], firsts),
            np.logical_or.reduceat(references[self.order], firsts),
            np.where(least == most, least, -1),
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
            for text, mark in zip(texts.tolist(), end_marks(texts), strict=True)
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
        """Return a few documents of a text: whoever is compared with any is with one of them."""
        own, leaders = self(text), []
        for side in self.sides[:2]:
            some = own[side[own]]
            others = some[self.sides.groups[some] != self.sides.groups[some[:1]]]
            leaders += some[:1].tolist() + others[:1].tolist()
        return distinct(np.array(leaders, np.int64))
