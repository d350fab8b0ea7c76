"""Places of documents in the input: those that were not read have one too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simdup.model.clusters import Cluster, Member, Spared
from simdup.model.inputs import Unread


class Places:
    """The place of each document that was read, by its number among these."""

    def __init__(self, documents: int, unread: Sequence[Unread]) -> None:
        before = np.array([one.before for one in unread], np.int64)
        numbers = np.arange(documents)
        self.of = numbers + np.searchsorted(before, numbers, side="right")
        # The places of the others.
        self.unread = np.delete(np.arange(documents + len(unread)), self.of)

    def spread(self, values: Any, others: Any) -> Any:
        """Return the values of all, given those of the documents that were read, and of others."""
        # Some columns are empty, because nobody asks for them.
        if not len(self.unread) or len(values) != len(self.of):
            return values
        if isinstance(values, np.ndarray):
            column = np.empty(len(self.of) + len(self.unread), values.dtype)
            column[self.of], column[self.unread] = values, others
            return column
        every = [others] * (len(self.of) + len(self.unread))
        for place, value in zip(self.of.tolist(), values, strict=True):
            every[place] = value
        return every

    def clusters(self, clusters: tuple[Cluster, ...]) -> tuple[Cluster, ...]:
        """Return clusters whose members have their places as numbers."""
        if not len(self.unread):
            return clusters
        return tuple(
            replace(one, members=tuple(map(self._member, one.members))) for one in clusters
        )

    def spared(self, spared: tuple[Spared, ...]) -> tuple[Spared, ...]:
        """Return spared documents with their places as numbers."""
        return tuple(
            one._replace(number=self._place(one.number), beside=self._place(one.beside))
            for one in spared
        )

    def _member(self, one: Member) -> Member:
        return replace(one, number=self._place(one.number), beside=self._place(one.beside))

    def _place(self, number: int) -> int:
        # Documents of an index have numbers below 0.
        return number if number < 0 else int(self.of[number])
