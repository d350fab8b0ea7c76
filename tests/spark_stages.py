"""The stages of a job on Spark, run in this process with a shuffle of its own."""

import pickle
import random
import tempfile
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from simdup.model.settings import Settings
from simdup.reuse.sharing import SHARED as SHARED_COLUMNS
from simdup.reuse.sharing import least_share
from simdup.spark.groups import GroupDocuments, grouped_schema, refine
from simdup.spark.meet import (
    EDGES,
    LABELS,
    MEETINGS,
    SEEDS,
    SHARED,
    connect,
    contract,
    label,
    list_compared,
    list_keys,
    list_seeds,
    share,
)
from simdup.spark.partitions import Task, each, stream
from simdup.spark.prepare import (
    FINGERPRINTS,
    TERMS,
    MappedModel,
    Prepare,
    count_terms,
    model_of,
    prepared_schema,
    weigh,
)
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter, learns


class Grouped(NamedTuple):
    """What the last stage yields, sorted as results are."""

    members: list[tuple[Any, ...]]  # of each cluster, the kept one first
    pairs: list[tuple[Any, ...]]
    skipped: set[tuple[Any, str]]


class InProcess:
    """Runs stages on partitions that chance makes, of batches that chance cuts."""

    def __init__(self, settings: Settings, seed: int) -> None:
        self.settings = settings
        self._chance = random.Random(seed)
        self._analyzer = Analyzer.for_recipe(settings.recipe)

    def run(self, table: pa.Table) -> Grouped:
        """Group documents with the columns `reference`, `id`, `order0`, `text0`, and `value`."""
        settings = self.settings
        if settings.criteria.keep_field is None:
            table = table.drop_columns("value")
        place = self._chance.randrange(1 << 40)
        table = table.take(self._shuffled(len(table)))
        rows = pa.array(range(place, place + len(table)))
        table = table.add_column(0, "row", rows)
        self._carried = table.select(["row", "reference", "id", "order0"]).schema
        task = Task(Prepare(self._analyzer, settings), prepared_schema(self._carried), stream)
        prepared = self._map(task, table)
        documents = prepared.filter(prepared["digest"].is_valid())
        with_terms = pc.sum(prepared["with_terms"]).as_py() or 0
        prints = self._weigh(prepared.filter(prepared["counts"].is_valid()), with_terms)
        shared = self._share(documents, prints)
        labels = self._label(documents, prints, shared)
        if not settings.criteria.shingle.by_words:
            copies = labels.filter(labels["copy"])["row"]
            nothing = pa.nulls(len(documents), pa.binary())
            others = pc.and_(pc.is_in(documents["row"], copies), documents["letters"].is_null())
            texts = pc.if_else(others, nothing, documents["text_bytes"])
            place = documents.schema.get_field_index("text_bytes")
            documents = documents.set_column(place, "text_bytes", texts)
        joined = _joined(labels, prints, documents)
        sketched = settings.criteria.searches != ("simhash",)
        if sketched and shared is None and self._chance.random() < 0.5:
            parted = self._map(Task(partial(refine, settings=settings), LABELS), joined, "root")
            joined = _joined(parted, prints, documents)
        if shared is not None:
            of: dict[int, list[int]] = {}
            for one in shared.to_pylist():
                of.setdefault(one["a"], []).append(one["b"])
            partners = pa.array(map(of.get, joined["row"].to_pylist()), pa.list_(pa.int64()))
            joined = joined.append_column("partners", partners)
        work = GroupDocuments(self._analyzer, settings)
        found = self._map(Task(work, grouped_schema(self._carried)), joined, "root")
        skipped = prepared.filter(prepared["skipped"].is_valid())
        pairs = zip(skipped["id"].to_pylist(), skipped["skipped"].to_pylist(), strict=True)
        return Grouped(_members(found), _pairs(found), set(pairs))

    def _weigh(self, counts: pa.Table, documents: int) -> pa.Table:
        recipe, criteria = self.settings.recipe, self.settings.criteria

        def weighed(fingerprinter: Fingerprinter) -> pa.Table:
            work = partial(weigh, fingerprinter=fingerprinter, criteria=criteria)
            return self._map(pickle.loads(pickle.dumps(Task(work, FINGERPRINTS, each))), counts)

        if not learns(recipe, documents):
            return weighed(Fingerprinter.alone(self._analyzer))
        work = partial(count_terms, hash_bytes=self._analyzer.hash_bytes)
        terms = self._map(Task(work, TERMS, each), counts)
        summed = terms.group_by("term").aggregate([("documents", "sum")])
        summed = summed.rename_columns(["term", "documents"])
        several = summed.filter(pc.greater(summed["documents"], 1))
        model = model_of(several, documents, self._analyzer.terms_digest)
        with tempfile.TemporaryDirectory() as folder:
            shared = MappedModel.save(model, folder)
            return weighed(Fingerprinter(self._analyzer, shared, learned=True))

    def _share(self, documents: pa.Table, prints: pa.Table) -> pa.Table | None:
        criteria = self.settings.criteria
        if "passages" not in criteria.searches:
            return None
        names = SHARED_COLUMNS if criteria.by_runs else SHARED_COLUMNS[:1]
        edges = {one for name in names for one in self._sharing(name, documents, prints)}
        found = [dict(zip(EDGES.names, (*one, False), strict=True)) for one in edges]
        return pa.Table.from_pylist(found, EDGES)

    def _sharing(
        self, name: str, documents: pa.Table, prints: pa.Table
    ) -> Iterator[tuple[int, ...]]:
        sizes = pc.binary_length(documents[f"{name}_bytes"]).cast(pa.int64())
        joined = _joined(documents.append_column("size", sizes), prints, None)
        schema = self._carried.append(pa.field("size", pa.int64()))
        task = Task(partial(list_compared, settings=self.settings), schema)
        compared = self._map(task, joined, "digest").to_pylist()
        compared.sort(key=lambda o: (-o["size"], not o["reference"], o["order0"], o["id"]))
        ranked = pa.table(
            {"row": pa.array([one["row"] for one in compared], pa.int64()),
             "rank": pa.array(range(len(compared)), pa.int64())}
        )  # fmt: skip
        own = documents.select(["row", f"{name}_bytes"]).rename_columns(["row", "bytes"])
        seeds = ranked.join(own, "row", join_type="inner")
        seeds = self._map(Task(list_seeds, SEEDS, each), seeds)
        counted = self._map(Task(share, SHARED), seeds, "seed").group_by(["large", "small"])
        pairs = counted.aggregate([("shared", "sum"), ("size", "max")]).to_pylist()
        least = least_share(name, self.settings.criteria.containment or 0)
        found = (p for p in pairs if p["shared_sum"] >= least * p["size_max"])
        return (tuple(sorted((p["large"], p["small"]))) for p in found)

    def _label(self, documents: pa.Table, prints: pa.Table, shared: pa.Table | None) -> pa.Table:
        some = prints.filter(pc.greater(prints["terms"], 0))
        task = Task(partial(list_keys, settings=self.settings), MEETINGS, each)
        keys = pa.concat_tables(self._map(task, frame) for frame in (documents, some))
        edges = [self._map(Task(partial(connect, settings=self.settings), EDGES), keys, "key")]
        edges += [] if shared is None else [shared]
        fewer = self._map(Task(contract, EDGES), pa.concat_tables(edges))
        return pa.Table.from_batches(list(Task(label, LABELS)(iter(fewer.to_batches()))), LABELS)

    def _map(self, task: Task, table: pa.Table, by: str | None = None) -> pa.Table:
        """Run a task on each partition; rows with an equal value of `by` are in one."""
        parts = self._chance.randint(1, 4)
        if by is None:
            of = np.array([self._chance.randrange(parts) for _ in range(len(table))], int)
        else:
            of = np.array([hash((parts, value)) % parts for value in table[by].to_pylist()], int)
        found = []
        for part in range(parts):
            # In partitions rows keep their order, as those of a file do.
            some = table.take(pa.array(np.flatnonzero(of == part)))
            batches = some.to_batches(max_chunksize=self._chance.choice([1, 7, 10_000]))
            found += list(task(iter(batches)))
        return pa.Table.from_batches(found, task.schema)

    def _shuffled(self, n: int) -> list[int]:
        return self._chance.sample(range(n), n)


def _joined(labels: pa.Table, prints: pa.Table, documents: pa.Table | None) -> pa.Table:
    joined = labels.join(prints, "row", join_type="inner")
    return joined if documents is None else joined.join(documents, "row", join_type="inner")


def _members(found: pa.Table) -> list[tuple[Any, ...]]:
    columns = ("first", "place", "id", "role", "fingerprint", "distance", "similarity",
               "containment", "cosine", "measure")  # fmt: skip
    return _sorted(found.filter(pc.equal(found["kind"], "member")), columns)


def _pairs(found: pa.Table) -> list[tuple[Any, ...]]:
    columns = ("first", "place", "a", "b", "distance", "similarity", "cosine", "exact", "measure")
    return _sorted(found.filter(pc.equal(found["kind"], "pair")), columns)


def _sorted(rows: pa.Table, columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
    return sorted(zip(*(rows[name].to_pylist() for name in columns), strict=True))
