"""The stages of a job on Spark, run in this process with a shuffle of its own."""

import random
import tempfile
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from simdup.model.criteria import FEW_TERMS
from simdup.model.settings import Settings
from simdup.reuse.sharing import least_share
from simdup.spark.groups import GroupDocuments, Refine, grouped_schema
from simdup.spark.meet import (
    EDGES,
    LABELS,
    MEETINGS,
    SEEDS,
    SHARED,
    Connect,
    ListKeys,
    contract,
    label,
    list_seeds,
    share,
)
from simdup.spark.prepare import Prepare, prepared_schema
from simdup.spark.weigh import FINGERPRINTS, TERMS, ModelFile, Weigh, count_terms, model_of
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.weights import ENOUGH_DOCUMENTS, NoIdf

Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


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
        if self.settings.criteria.keep_field is None:
            table = table.drop_columns("value")
        place = self._chance.randrange(1 << 40)
        table = table.take(self._shuffled(len(table)))
        rows = pa.array(range(place, place + len(table)))
        table = table.add_column(0, "row", rows)
        carried = pa.schema([table.schema.field(n) for n in ("row", "reference", "id", "order0")])
        prepared = self._map(
            Prepare(self._analyzer, self.settings, carried), table, prepared_schema(carried)
        )
        documents = prepared.filter(prepared["digest"].is_valid())
        prints = self._weigh(prepared.filter(prepared["counts"].is_valid()), len(documents))
        shared = self._share(documents, prints)
        labels = self._label(documents, prints, shared)
        if not self.settings.criteria.shingle.by_words:
            copies = labels.filter(labels["copy"])["row"]
            nothing = pa.nulls(len(documents), pa.binary())
            others = pc.and_(pc.is_in(documents["row"], copies), documents["letters"].is_null())
            texts = pc.if_else(others, nothing, documents["text_bytes"])
            place = documents.schema.get_field_index("text_bytes")
            documents = documents.set_column(place, "text_bytes", texts)
        joined = _joined(labels, prints, documents)
        sketched = self.settings.criteria.searches != ("simhash",)
        if sketched and shared is None and self._chance.random() < 0.5:
            refine = Refine(self.settings, carried)
            parted = self._map(refine, joined, LABELS, "root")
            joined = _joined(parted, prints, documents)
        if shared is not None:
            of: dict[int, list[int]] = {}
            for one in shared.to_pylist():
                of.setdefault(one["a"], []).append(one["b"])
            partners = pa.array(map(of.get, joined["row"].to_pylist()), pa.list_(pa.int64()))
            joined = joined.append_column("partners", partners)
        task = GroupDocuments(self._analyzer, self.settings, carried)
        found = self._map(task, joined, grouped_schema(carried), "root")
        skipped = prepared.filter(prepared["skipped"].is_valid())
        pairs = zip(skipped["id"].to_pylist(), skipped["skipped"].to_pylist(), strict=True)
        return Grouped(_members(found), _pairs(found), set(pairs))

    def _weigh(self, counts: pa.Table, documents: int) -> pa.Table:
        recipe, criteria = self.settings.recipe, self.settings.criteria
        enough = recipe.idf == "corpus" or documents >= ENOUGH_DOCUMENTS
        if not recipe.may_need_corpus or not enough:
            return self._map(
                Weigh(Fingerprinter.alone(self._analyzer), criteria), counts, FINGERPRINTS
            )
        terms = self._map(lambda b: count_terms(b, self._analyzer.hash_bytes), counts, TERMS)
        summed = terms.group_by("term").aggregate([("documents", "sum")])
        summed = summed.rename_columns(["term", "documents"])
        several = summed.filter(pc.greater(summed["documents"], 1))
        model = model_of(several, documents, self._analyzer.terms_digest)
        with tempfile.TemporaryDirectory() as folder:
            shared = ModelFile.save(model, folder)
            task = Weigh(Fingerprinter(self._analyzer, NoIdf()), criteria, shared)
            return self._map(task, counts, FINGERPRINTS)

    def _share(self, documents: pa.Table, prints: pa.Table) -> pa.Table | None:
        criteria = self.settings.criteria
        if "passages" not in criteria.searches:
            return None
        rows = _joined(documents, prints, None).to_pylist()
        identity = itemgetter("digest", "fingerprint", "title_key")
        rows.sort(key=lambda one: (not one["reference"], one["order0"], one["id"]))
        titled: dict[bytes, int] = {}
        for one in rows:
            if not one["named"]:
                one["title_key"] = titled.setdefault(one["digest"], one["title_key"])
        first = {identity(one): one for one in reversed(rows)}
        compared = [one for one in rows if first[identity(one)] is one]
        decide = criteria.edits_decide
        compared = [
            one
            for one in compared
            if one["terms"] >= FEW_TERMS or (one["terms"] and one["letters"] and decide)
        ]
        compared.sort(key=lambda one: -len(one["seed_bytes"]))
        columns = {name: [one[name] for one in compared] for name in ("row", "seed_bytes")}
        ranked = pa.table(columns | {"rank": pa.array(range(len(compared)), pa.int64())})
        seeds = self._map(list_seeds, ranked, SEEDS)
        counted = self._map(share, seeds, SHARED, "seed").group_by(["large", "small"])
        pairs = counted.aggregate([("shared", "sum"), ("size", "max")]).to_pylist()
        least = least_share(criteria.containment or 0)
        found = [p for p in pairs if p["shared_sum"] >= least * p["size_max"]]
        edges = [(*sorted((p["large"], p["small"])), False) for p in found]
        names = EDGES.names
        return pa.Table.from_pylist([dict(zip(names, e, strict=True)) for e in edges], EDGES)

    def _label(self, documents: pa.Table, prints: pa.Table, shared: pa.Table | None) -> pa.Table:
        some = prints.filter(pc.greater(prints["terms"], 0))
        near = "simhash" in self.settings.criteria.searches
        frames = ((documents, "fingerprint"), (some, "check" if near else "fingerprint"))
        edges = []
        for frame, unused in frames:
            keys = self._map(ListKeys(self.settings), frame, MEETINGS).drop_columns(unused)
            edges.append(self._map(Connect(self.settings), keys, EDGES, "key"))
        edges += [] if shared is None else [shared]
        fewer = self._map(contract, pa.concat_tables(edges), EDGES)
        return pa.Table.from_batches(list(label(iter(fewer.to_batches()))), LABELS)

    def _map(
        self, task: Task, table: pa.Table, schema: pa.Schema, by: str | None = None
    ) -> pa.Table:
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
        return pa.Table.from_batches(found, schema)

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
