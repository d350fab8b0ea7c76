"""Shared passages: documents are candidates if one may contain the other.

They share enough seeds of passages or, where one is too short for these, enough short runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from simdup.model.criteria import Criteria
from simdup.model.settings import Settings
from simdup.model.table import Documents, Side
from simdup.near.batch_reader import TEXTS, Columns
from simdup.near.candidates import Search
from simdup.near.collection import Collection, spooled_numbers
from simdup.near.counting import Maker, Prepared
from simdup.reuse.sharing import SHARED, TextSeeds, least_share, sharing_pairs, text_seeds
from simdup.search.arrays import Bools, RowIds, RowPairs
from simdup.text.weights import Weighting


def makers(criteria: Criteria) -> list[Maker]:
    """Return what makes the seeds of texts."""
    return [seeds]


def seeds(batch: Prepared) -> Mapping[str, Columns]:
    """Spool the seeds of passages."""
    starts, hashes = text_seeds([text.folded for text in batch.texts])
    each = (hashes[first:last].tobytes() for first, last in pairwise(starts.tolist()))
    return {TEXTS: {"seeds": batch.spool(each)}}


def search(corpus: Collection, weighting: Weighting, settings: Settings) -> Search:
    """Return what proposes documents that share passages."""
    columns = {
        name: TextSeeds(*spooled_numbers(corpus.spool, corpus.texts[name], np.uint64))
        for name in SHARED
        if name in corpus.texts
    }
    return SharedPassages(columns, corpus.text_of, settings.criteria.containment or 0)


@dataclass(frozen=True)
class ListedPairs(Search):
    """Proposes pairs that are known, by number, in order; the smaller number first."""

    a: RowIds
    b: RowIds
    name: str = "passages"

    def propose(self, a: Side, b: Side) -> Bools:
        """Return which pairs (a[k], b[k]) it proposes."""
        if not len(self.a):
            return np.zeros(len(a.rows), np.bool_)
        one, other = a["number"], b["number"]
        keys = self.a << 32 | self.b
        asked = np.minimum(one, other) << 32 | np.maximum(one, other)
        places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
        listed: Bools = keys[places] == asked
        return listed

    def pairs(self, documents: Documents) -> Iterator[RowPairs]:
        """Yield all pairs that it proposes, i < j, each once."""
        numbers = documents["number"]
        here = np.flatnonzero(np.isin(self.a, numbers) & np.isin(self.b, numbers))
        order = np.argsort(numbers)
        sides = (column[here] for column in (self.a, self.b))
        i, j = (order[np.searchsorted(numbers, side, sorter=order)] for side in sides)
        yield np.minimum(i, j), np.maximum(i, j)


@dataclass(frozen=True)
class SharedPassages(Search):
    """Proposes documents that share enough passages."""

    seeds: Mapping[str, TextSeeds]  # of texts, by the column that they are from
    text_of: RowIds  # the text of each document
    containment: float

    def prepared(self, documents: Documents, numbers: RowIds) -> ListedPairs:
        """Return the search as these documents need it."""
        found, rows = [], self.text_of[numbers]
        for name, seeds in self.seeds.items():
            least = least_share(name, self.containment)
            found.append(np.stack(sharing_pairs(seeds, rows, least)))
        i, j = np.unique(np.concatenate(found, axis=1), axis=1)
        return ListedPairs(numbers[i], numbers[j])
