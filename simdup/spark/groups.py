"""Stages 6 and 7: the clusters among documents that are connected, found as on one machine.

What the searches propose never crosses components, so the documents of a task, any number of whole
components, have the same clusters as among all others.

Components that are too large for one task are first parted by what their documents really propose.
Equal keys also connect documents that are far below the similarity, and chains of such documents
may be long.  Sketches show most of these, and take a tenth of the room of texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from simdup.corpus.records import as_number
from simdup.model.clusters import Cluster
from simdup.model.settings import Settings
from simdup.model.table import Documents, objects
from simdup.near.clustering import form_clusters
from simdup.near.copies import find_copies
from simdup.near.join import distinct_rows, join
from simdup.near.measures import Measure, measured, unmeasured
from simdup.near.orders import order_of
from simdup.near.texts import Texts, cut_slot
from simdup.near.walk import components
from simdup.search import equal_keys
from simdup.search.arrays import distinct
from simdup.search.grouping import Forest
from simdup.spark.partitions import (
    Columns,
    candidates_among,
    carried_names,
    content_of,
    in_order,
    to_array,
)
from simdup.text.analyzer import Analyzer
from simdup.text.counts import CsrRows

# Documents of a component that one task groups with their texts: some 100 MB of pages.
MANY = 1 << 16

_MEASURES = {
    "distance": pa.int64(), "similarity": pa.float64(), "containment": pa.float64(),
    "cosine": pa.float64(), "contained": pa.string(), "measure": pa.string(),
}  # fmt: skip


def grouped_schema(carried: pa.Schema) -> pa.Schema:
    """Return the columns of members, of pairs, and of the figures of a task.

    `first` is the row of the first document of a cluster, `place` that of a member or pair in it.
    """
    kinds: dict[str, pa.DataType] = {
        "kind": pa.string(), "first": pa.int64(), "size": pa.int64(), "place": pa.int64(),
    }  # fmt: skip
    ids = dict.fromkeys(("cluster_id", "a", "b"), carried.field("id").type)
    more = {"role": pa.string(), "fingerprint": pa.string(), "exact": pa.bool_()}
    every = kinds | {field.name: field.type for field in carried} | ids | more | _MEASURES
    return pa.schema(every | {"figures": pa.string()})


def refine(table: pa.Table, settings: Settings) -> Iterator[Columns]:
    """Part components into those that candidates connect: yield the labels of documents."""
    table = in_order(table)
    candidates = candidates_among(table, settings)
    copies = find_copies(candidates.documents)
    compared, searched = distinct_rows(candidates, copies)
    some = copies.distinct[searched]
    roots = components(compared.take(searched), copies.sizes[some])
    forest = Forest(len(table))
    forest.join(some, some[roots])
    # Equal texts stay together, however few words they have.
    for i, j in equal_keys.neighbours([candidates.documents["digest"].view(np.uint64)[::2]]):
        forest.join(i, j)
    rows = to_array(table["row"])
    yield {"row": rows, "root": rows[forest.roots], "copy": table["copy"]}


@dataclass(frozen=True)
class GroupDocuments:
    """Finds the clusters among the documents of a task; can be pickled."""

    analyzer: Analyzer
    settings: Settings
    every: bool = False  # whether all pairs of the corpus are compared

    def __call__(self, table: pa.Table) -> Iterator[Columns]:
        """Yield members, pairs and figures."""
        table, settings, criteria = in_order(table), self.settings, self.settings.criteria
        candidates = candidates_among(table, settings)
        known = candidates.documents.and_columns(
            path=objects([""] * len(table)),
            modified=np.zeros(len(table)),
            value=objects(map(as_number, table["value"].to_pylist())),
        )
        texts = self._texts(table, known)
        measure: Measure = unmeasured
        if criteria.verify:
            weights_of = None if criteria.cosine is None else _weights(table)
            measure = partial(
                measured, texts=replace(texts, weights_of=weights_of), criteria=criteria
            )
        order = order_of(known, criteria, known.__getitem__)
        joined = join(
            replace(
                candidates,
                measure=measure,
                sets_of=texts.sets,
                forms_of=lambda rows: texts.forms(rows.tolist()),
                order=order,
                every=self.every,
            )
        )
        bits, rows = settings.recipe.bits, range(len(table))
        yield from _rows(form_clusters(joined, known, order, criteria, bits, rows), table)
        yield {"kind": ["figures"], "figures": [json.dumps(joined.figures)]}

    def _texts(self, table: pa.Table, documents: Documents) -> Texts:
        starts, content = content_of(table["text_bytes"])
        # Of equal texts one came along.
        _, places = np.unique(documents["digest"], return_inverse=True)
        rows, owner = np.arange(len(table)), np.zeros(len(table), np.int64)
        here = to_array(table["text_bytes"].is_valid())
        for some in (rows, rows[here]):
            owner[places[some]] = some
        rows = np.where(here, rows, owner[places])
        slots = np.stack([starts[rows], starts[rows + 1] - starts[rows]], axis=1)
        read = partial(cut_slot, content)
        shingling = self.settings.criteria.shingle
        return Texts(documents.and_columns(original=slots), self.analyzer, shingling, read)


def _weights(table: pa.Table) -> Callable[[int], CsrRows]:
    """Return what returns the weights of a document, under one numbering of the task's terms."""
    hashes = [np.frombuffer(one.as_py(), np.uint64) for one in table["term_hashes"]]
    weights = [np.frombuffer(one.as_py(), np.float64) for one in table["weights"]]
    every = distinct(np.concatenate([np.zeros(0, np.uint64), *hashes]))

    def weights_of(document: int) -> CsrRows:
        columns = np.searchsorted(every, hashes[document]).astype(np.int32)
        return CsrRows(np.array([0, len(columns)]), columns, weights[document])

    return weights_of


def _rows(clusters: Sequence[Cluster], table: pa.Table) -> Iterator[Columns]:
    """Yield one row per member, with what is known of the document, and one per pair."""
    carried = table.select(carried_names(table.column_names))
    firsts = [min(member.number for member in cluster.members) for cluster in clusters]
    kinds: dict[str, tuple[list[Sequence[Any]], tuple[str, ...]]] = {
        "member": ([cluster.members for cluster in clusters], ("role", "fingerprint")),
        "pair": ([cluster.pairs for cluster in clusters], ("a", "b", "exact")),
    }
    for kind, (parts, names) in kinds.items():
        each, sizes = list(chain.from_iterable(parts)), np.array(list(map(len, parts)), np.int64)
        first = carried.take(pa.array(np.repeat(firsts, sizes).astype(np.int64)))
        columns: dict[str, Any] = {
            "kind": [kind] * len(each), "first": first["row"],
            "place": list(chain.from_iterable(map(range, sizes.tolist()))),
            **{name: [getattr(one, name) for one in each] for name in (*names, *_MEASURES)},
        }  # fmt: skip
        if kind == "member":
            own = carried.take(pa.array([member.number for member in each], pa.int64()))
            columns |= dict(zip(own.column_names, own.columns, strict=True))
            columns |= {"size": np.repeat(sizes, sizes), "cluster_id": first["id"]}
        yield columns
