"""Stage 6: components that are too large for one task, by what their documents really propose.

Equal keys also connect documents that are far below the similarity, and chains of such documents
may be long.  Sketches show most of these, and take a tenth of the room of texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from simdup.fingerprints.bands import Signatures
from simdup.fingerprints.fingerprinter import Fingerprints
from simdup.model.settings import Settings
from simdup.search import banding
from simdup.search.forest import Forest
from simdup.spark.arrays import batch_of, table_of, to_array, to_rows
from simdup.spark.meet import LABELS
from simdup.verify.proposals import Proposals

# Documents of a component that one task groups with their texts: some 100 MB of pages.
MANY = 1 << 16


@dataclass(frozen=True)
class Refine:
    """Parts components into those that candidates connect; can be pickled."""

    settings: Settings
    bits: int
    signatures: Signatures | None  # of no document

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the labels of the documents of a task, any number of whole components."""
        table = table_of(batches)
        if table is None or not len(table):
            return
        table = table.sort_by("row")
        rows, digests = to_array(table["row"]), to_rows(table["digest"], np.uint64)
        values = to_rows(table["fingerprint"], np.uint64)
        every = np.arange(len(rows))
        proposals = Proposals(
            every,
            Fingerprints(values, self.bits, np.ones(len(rows), np.int64)),
            signatures_from(table, self.signatures),
            to_array(table["reference"]),
            self.settings,
        )
        forest = Forest(len(rows))
        forest.join(every, proposals.components(np.ones(len(rows), np.int64)))
        # Equal texts stay together, however few words they have.
        for i, j in banding.neighbours([digests[:, 0]]):
            forest.join(i, j)
        columns = {"row": rows, "root": rows[forest.roots], "copy": table["copy"]}
        yield batch_of(LABELS, columns, len(rows))


def signatures_from(table: pa.Table, look: Signatures | None) -> Signatures | None:
    """Return the signatures of documents, which look like those of no document."""
    if look is None:
        return None
    keys = to_rows(table["keys"], look.keys.dtype)
    sketches = None if look.sketches is None else to_rows(table["sketch"], np.uint8)
    return look._replace(keys=keys, sketches=sketches)
