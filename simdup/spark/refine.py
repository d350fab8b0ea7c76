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
from simdup.model.settings import Settings
from simdup.search import banding
from simdup.search.forest import Forest
from simdup.spark.arrays import batch_of, table_of, to_array, to_rows
from simdup.spark.documents import documents_of, in_order, searches_of
from simdup.spark.meet import LABELS
from simdup.verify.candidates import Candidates
from simdup.verify.identical import find_identical
from simdup.verify.pairs import propose

# Documents of a component that one task groups with their texts: some 100 MB of pages.
MANY = 1 << 16


@dataclass(frozen=True)
class Refine:
    """Parts components into those that candidates connect; can be pickled."""

    settings: Settings
    signatures: Signatures | None  # of no document
    carried: pa.Schema  # `row`, `reference`, `id`, and what orders documents

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the labels of the documents of a task, any number of whole components."""
        table = table_of(batches)
        if table is None or not len(table):
            return
        table = in_order(table, self.carried)
        documents = documents_of(table, self.settings)
        searches = searches_of(table, documents, self.settings, self.signatures)
        identical = find_identical(documents)
        given = Candidates(documents, searches, self.settings)
        compared, searched = propose(given, identical)
        some = identical.distinct[searched]
        roots = compared.take(searched).components(identical.sizes[some])
        forest = Forest(len(table))
        forest.join(some, some[roots])
        # Equal texts stay together, however few words they have.
        digests = to_rows(table["digest"], np.uint64)
        for i, j in banding.neighbours([digests[:, 0]]):
            forest.join(i, j)
        rows = to_array(table["row"])
        columns = {"row": rows, "root": rows[forest.roots], "copy": table["copy"]}
        yield batch_of(LABELS, columns, len(rows))
