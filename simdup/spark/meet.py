"""Stages 4 and 5: which documents may belong together, as connected components.

Documents that are candidates have a key in common: a block of their fingerprints, a band key, or
the digest of their texts.  Rows with equal keys meet in one task, which joins them as the library
does on one machine, and yields as few edges as connect them.  What is connected is looked at
closely later, so to join too much costs time, and to join too little would lose pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.fingerprints.near import iter_near_pairs
from simdup.model.settings import Settings
from simdup.search import banding
from simdup.search.arrays import RowIds, mix_rows
from simdup.search.ball import HammingBall
from simdup.search.bitview import block_keys
from simdup.search.forest import Forest
from simdup.spark.arrays import batch_of, table_of, to_array, to_rows

# Rows that meet where their keys are equal.  `check` is the rest of a text's digest, of which the
# key is the beginning; null for other keys.
MEETINGS = pa.schema({"key": pa.int64(), "row": pa.int64(), "check": pa.int64()})
NEAR_MEETINGS = pa.schema({"key": pa.int64(), "row": pa.int64(), "fingerprint": pa.binary()})

# Row `a` and a later row `b` that are connected; whether `b` has the text of an earlier row.
EDGES = pa.schema({"a": pa.int64(), "b": pa.int64(), "copy": pa.bool_()})

# Of each document that is connected to others: the first one of these.
LABELS = pa.schema({"row": pa.int64(), "root": pa.int64(), "copy": pa.bool_()})


@dataclass(frozen=True)
class Keys:
    """Lists the band keys and digests of documents; can be pickled."""

    column: str  # of the band keys
    kind: str  # the type of a key; empty if there are none
    digests: bool  # whether equal texts meet

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield a row for each key of each document."""
        for batch in batches:
            rows = to_array(batch.column("row"))
            if self.digests:
                digests = to_rows(batch.column("digest"), np.int64)
                columns = {"key": digests[:, 0], "row": rows, "check": digests[:, 1]}
                yield batch_of(MEETINGS, columns, len(rows))
            keys = (
                to_rows(batch.column(self.column), self.kind) if self.kind else rows[:, None][:, :0]
            )
            for band in range(keys.shape[1]):
                of_band = keys[:, band].astype(np.uint64)
                mixed = mix_rows(np.stack([np.full_like(of_band, band), of_band], axis=1))
                yield batch_of(MEETINGS, {"key": mixed.view(np.int64), "row": rows}, len(rows))


@dataclass(frozen=True)
class NearKeys:
    """Lists the blocks of fingerprints; can be pickled."""

    ball: HammingBall

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield a row for each block of each fingerprint."""
        for batch in batches:
            rows = to_array(batch.column("row"))
            prints = to_rows(batch.column("fingerprint"), np.uint64)
            if not len(rows):
                continue
            keys = block_keys(prints, self.ball)
            for block, key in enumerate(keys):
                mixed = mix_rows(np.stack([np.full_like(key, block), key], axis=1))
                columns = {
                    "key": mixed.view(np.int64), "row": rows,
                    "fingerprint": batch.column("fingerprint"),
                }  # fmt: skip
                yield batch_of(NEAR_MEETINGS, columns, len(rows))


def join_equal(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Connect the rows of a task that have an equal key."""
    table = table_of(batches)
    if table is None:
        return
    table = table.sort_by("row")
    rows, places = np.unique(to_array(table["row"]), return_inverse=True)
    keys = to_array(table["key"]).view(np.uint64)
    known = to_array(table["check"].is_valid())
    checks = to_array(table["check"].fill_null(0))
    forest = Forest(len(rows))
    copies = np.zeros(len(rows), np.bool_)
    for i, j in banding.neighbours([keys]):
        forest.join(places[i], places[j])
        copies[places[j[known[i] & known[j] & (checks[i] == checks[j])]]] = True
    yield _edges(rows, forest.roots, copies)


@dataclass(frozen=True)
class JoinNear:
    """Connects documents whose fingerprints are near; can be pickled."""

    settings: Settings
    bits: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Connect the rows of a task within the distance, whatever keys they met by."""
        table = table_of(batches)
        if table is None:
            return
        rows, firsts = np.unique(to_array(table["row"]), return_index=True)
        values = to_rows(table["fingerprint"].take(pa.array(firsts)), np.uint64)
        prints = Fingerprints(values, self.bits, np.ones(len(rows), np.int64))
        forest = Forest(len(rows))
        distance, run = self.settings.criteria.distance, self.settings.run
        for pairs in iter_near_pairs(prints, distance, run):
            forest.join(pairs.i, pairs.j)
        yield _edges(rows, forest.roots, np.zeros(len(rows), np.bool_))


def contract(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Leave the fewest edges that connect what the edges of a task connect."""
    table = table_of(batches)
    if table is not None:
        yield _edges(*_components(table))


def label(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Return of each document the first one it is connected to; all edges are in one task."""
    table = table_of(batches)
    if table is not None:
        rows, roots, copies = _components(table)
        columns = {"row": rows, "root": rows[roots], "copy": copies}
        yield batch_of(LABELS, columns, len(rows))


def _components(table: pa.Table) -> tuple[RowIds, RowIds, NDArray[np.bool_]]:
    """Return the rows of edges, the place of the first row of each one's component, and copies."""
    a, b = to_array(table["a"]), to_array(table["b"])
    rows, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    forest = Forest(len(rows))
    forest.join(places[: len(a)], places[len(a) :])
    copies = np.zeros(len(rows), np.bool_)
    copies[places[len(a) :][to_array(table["copy"])]] = True
    return rows, forest.roots, copies


def _edges(rows: RowIds, roots: RowIds, copies: NDArray[np.bool_]) -> pa.RecordBatch:
    """Return the edges from each row to its root; a copy is never a root, for it comes later."""
    some = np.flatnonzero(roots != np.arange(len(rows)))
    columns = {"a": rows[roots[some]], "b": rows[some], "copy": copies[some]}
    return batch_of(EDGES, columns, len(some))
