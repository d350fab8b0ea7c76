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
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from simdup.corpus.records import as_number
from simdup.model.clusters import Cluster, Member, Pair
from simdup.model.settings import Settings
from simdup.model.table import Documents, objects
from simdup.near.candidates import Candidates
from simdup.near.clusters import find_identical, form_clusters, priority_by, rank_by, unmeasured
from simdup.near.decisions import divide
from simdup.near.pairs import FoundGroups, find_groups, propose
from simdup.near.verifier import Texts, Vector, Verifier, cut_slot, no_vectors, vector
from simdup.search import equal_keys
from simdup.search.arrays import distinct
from simdup.search.grouping import Forest
from simdup.spark.meet import LABELS
from simdup.spark.partitions import (
    batch_of,
    documents_of,
    in_order,
    searches_among,
    table_of,
    to_array,
)
from simdup.text.analyzer import Analyzer
from simdup.text.counts import CsrRows

# Documents of a component that one task groups with their texts: some 100 MB of pages.
MANY = 1 << 16
# Rows of a batch that goes back to Spark.
_ROWS = 1 << 13

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
    names = {"id": carried.field("id").type}
    ids = {"cluster_id": names["id"], "a": names["id"], "b": names["id"]}
    more = {"role": pa.string(), "fingerprint": pa.string(), "exact": pa.bool_()}
    every = kinds | {field.name: field.type for field in carried} | ids | more | _MEASURES
    return pa.schema(every | {"figures": pa.string()})


@dataclass(frozen=True)
class Refine:
    """Parts components into those that candidates connect; can be pickled."""

    settings: Settings
    carried: pa.Schema  # `row`, `reference`, `id`, and what orders documents

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the labels of the documents of a task, any number of whole components."""
        table = table_of(batches)
        if table is None:
            return
        table = in_order(table, self.carried)
        documents = documents_of(table)
        searches = searches_among(table, documents, self.settings)
        copies = find_identical(documents)
        compared, searched = propose(Candidates(documents, searches, self.settings), copies)
        some = copies.distinct[searched]
        roots = compared.take(searched).components(copies.sizes[some])
        forest = Forest(len(table))
        forest.join(some, some[roots])
        # Equal texts stay together, however few words they have.
        for i, j in equal_keys.neighbours([documents["digest"].view(np.uint64)[::2]]):
            forest.join(i, j)
        rows = to_array(table["row"])
        columns = {"row": rows, "root": rows[forest.roots], "copy": table["copy"]}
        yield batch_of(LABELS, columns, len(rows))


@dataclass(frozen=True)
class GroupDocuments:
    """Finds the clusters among the documents of a task; can be pickled."""

    analyzer: Analyzer
    settings: Settings
    carried: pa.Schema  # as in `Refine`
    every: bool = False  # whether all pairs of the corpus are compared

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield members, pairs and figures."""
        table = table_of(batches)
        if table is None:
            return
        table = in_order(table, self.carried)
        clusters, found = self._clusters(table)
        schema = grouped_schema(self.carried)
        yield from _members(clusters, table.select(self.carried.names), schema)
        yield from _pairs(clusters, table, schema)
        figures = found.figures(self.settings.criteria)
        yield batch_of(schema, {"kind": ["figures"], "figures": [json.dumps(figures)]}, 1)

    def _clusters(self, table: pa.Table) -> tuple[Sequence[Cluster], FoundGroups]:
        settings, criteria = self.settings, self.settings.criteria
        documents = documents_of(table)
        texts = self._texts(table, documents)
        measure = unmeasured
        if criteria.verify:
            vector_of = _vectors(table) if criteria.cosine is not None else no_vectors
            measure = Verifier(texts, criteria, vector_of).measure
        columns = {
            "path": objects([""] * len(documents)),
            "modified": np.zeros(len(documents)),
            "value": objects(map(as_number, table["value"].to_pylist())),
        }
        known = documents.and_columns(**columns)
        priority = priority_by(criteria.keep, known.__getitem__, rank_by(criteria, known))
        searches = searches_among(table, documents, settings)
        found = find_groups(
            Candidates(documents, searches, settings, measure, texts.sets, priority, self.every)
        )
        groups = divide(found.groups, criteria.decisions, documents["name"].tolist(), priority)
        bits, rows = settings.recipe.bits, range(len(documents))
        return form_clusters(groups, documents, measure, criteria, bits, rows), found

    def _texts(self, table: pa.Table, documents: Documents) -> Texts:
        texts = table["text_bytes"].cast(pa.large_binary()).combine_chunks()
        ends = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, 8 * texts.offset)
        # Of equal texts one came along.
        _, places = np.unique(documents["digest"], return_inverse=True)
        owner = np.zeros(len(texts), np.int64)
        owner[places] = np.arange(len(texts))
        known = to_array(texts.is_valid())
        here = np.flatnonzero(known)
        owner[places[here]] = here
        rows = np.where(known, np.arange(len(texts)), owner[places])
        slots = np.stack([ends[rows], ends[rows + 1] - ends[rows]], axis=1)
        read = partial(cut_slot, memoryview(texts.buffers()[2] or b""))
        shingling = self.settings.criteria.shingle
        return Texts(documents.and_columns(content=slots), self.analyzer, shingling, read)


def _vectors(table: pa.Table) -> Callable[[int], Vector]:
    """Return what returns the vector of a document, under one numbering of the task's terms."""
    hashes = [np.frombuffer(one.as_py(), np.uint64) for one in table["term_hashes"]]
    weights = [np.frombuffer(one.as_py(), np.float64) for one in table["weights"]]
    every = distinct(np.concatenate([np.zeros(0, np.uint64), *hashes]))

    def vector_of(document: int) -> Vector:
        columns = np.searchsorted(every, hashes[document]).astype(np.int32)
        return vector(CsrRows(np.array([0, len(columns)]), columns, weights[document]))

    return vector_of


def _members(
    clusters: Sequence[Cluster], carried: pa.Table, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield one row per member, with what is known of the document."""
    rows = [
        (first, len(cluster.members), place, member)
        for first, cluster in zip(_firsts(clusters), clusters, strict=True)
        for place, member in enumerate(cluster.members)
    ]
    for low in range(0, len(rows), _ROWS):
        firsts, sizes, places, members = zip(*rows[low : low + _ROWS], strict=True)
        documents = carried.take(pa.array([member.number for member in members]))
        of_first = carried.take(pa.array(firsts))
        columns = {name: documents[name] for name in carried.column_names} | {
            "kind": ["member"] * len(members), "size": sizes, "place": places,
            "first": of_first["row"], "cluster_id": of_first["id"],
            **_measured(members, ("role", "fingerprint")),
        }  # fmt: skip
        yield batch_of(schema, columns, len(members))


def _pairs(
    clusters: Sequence[Cluster], table: pa.Table, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield one row per pair."""
    rows = [
        (first, place, pair)
        for first, cluster in zip(_firsts(clusters), clusters, strict=True)
        for place, pair in enumerate(cluster.pairs)
    ]
    for low in range(0, len(rows), _ROWS):
        firsts, places, pairs = zip(*rows[low : low + _ROWS], strict=True)
        columns = {
            "kind": ["pair"] * len(pairs), "place": places,
            "first": table["row"].take(pa.array(firsts)), **_measured(pairs, ("a", "b", "exact")),
        }  # fmt: skip
        yield batch_of(schema, columns, len(pairs))


def _firsts(clusters: Sequence[Cluster]) -> list[int]:
    return [min(member.number for member in cluster.members) for cluster in clusters]


def _measured(each: Sequence[Member] | Sequence[Pair], more: Sequence[str]) -> dict[str, Any]:
    return {name: [getattr(one, name) for one in each] for name in (*more, *_MEASURES)}
