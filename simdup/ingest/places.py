"""Places of documents in the input: those that were not read have one too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simdup.model.inputs import InputDocuments, Unread
from simdup.model.table import Documents, objects


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
        if not len(self.unread):
            return values
        column = np.empty((len(self.of) + len(self.unread), *values.shape[1:]), values.dtype)
        column[self.of], column[self.unread] = values, others
        return column

    def inputs(self, documents: Documents, others: Sequence[Any]) -> InputDocuments:
        """Return all documents that were read or skipped, in input order; `others` are names."""
        names = self.spread(documents["name"], None)
        names[self.unread] = objects(others)
        wordless = self.of[documents["terms"] == 0]
        skipped = np.sort(np.concatenate([wordless, self.unread])).tolist()
        return InputDocuments(names.tolist(), int(documents["reference"].sum()), tuple(skipped))

    def spread_table(self, documents: Documents) -> Documents:
        """Return the table of all; the rows of those that were not read are empty."""
        empty = {name: np.zeros((), documents[name].dtype) for name in documents}
        empty |= {name: np.array("", object) for name in ("name", "path")}
        return Documents({name: self.spread(documents[name], empty[name]) for name in documents})

    def numbers(self, indexed: int = 0) -> Sequence[int]:
        """Return the places of documents of indexes, which are below 0, and of those read."""
        if not len(self.unread):
            return range(-indexed, len(self.of))
        # Its items are plain numbers, 8 bytes each.
        return np.concatenate([np.arange(-indexed, 0), self.of]).data
