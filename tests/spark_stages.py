"""The stages of a job on Spark, run in this process with a shuffle of its own."""

import pickle
import random
import tempfile
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from simdup.model.settings import Settings
from simdup.reuse.sharing import SHARED as SHARED_COLUMNS
from simdup.reuse.sharing import least_share
from simdup.spark.components import (
    EDGES,
    LABELS,
    MEETINGS,
    SEEDS,
    SHARED,
    STARS,
    connect,
    contract,
    group,
    grouped_schema,
    list_compared,
    list_keys,
    list_seeds,
    refine,
    share,
)
from simdup.spark.partitions import Work, each, run_here, stream, whole
from simdup.spark.prepare import (
    COUNTS,
    FINGERPRINTS,
    FREQUENCIES,
    count_terms,
    model_of,
    prepare,
    prepared_schema,
    save_model,
    weigh,
)
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter, learns
from simdup.text.weights import NoIdf


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
        table = table.sort_by(
            [("reference", "descending"), ("order0", "ascending"), ("id", "ascending")]
        )
        texts = {"text": table["text0"].combine_chunks(), "v": table["value"].combine_chunks()}
        if settings.criteria.keep_field is None:
            del texts["v"]
        row = self._chance.randrange(1 << 40)
        table = pa.table(
            {"row": pa.array(self._chance.sample(range(row, row + len(table)), len(table))),
             "reference": table["reference"], "id": table["id"],
             "position": pa.array(range(len(table))),
             "texts": pa.StructArray.from_arrays(list(texts.values()), list(texts))}
        )  # fmt: skip
        self._carried = table.drop_columns("texts").schema
        table = table.sort_by("row")
        work = partial(prepare, analyzer=self._analyzer, settings=settings)
        prepared = self._map(table, work, prepared_schema(self._carried), stream)
        documents = prepared.filter(
            pc.and_(prepared["row"].is_valid(), prepared["skipped"].is_null())
        )
        documents = documents.drop_columns(list(COUNTS))
        with_terms = pc.sum(prepared["with_terms"]).as_py() or 0
        prints = self._weigh(prepared.filter(prepared["counts"].is_valid()), with_terms)
        self._size = len(documents)
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
            work = partial(refine, settings=settings)
            parted = self._map(joined, work, LABELS, by="root")
            joined = _joined(parted, prints, documents)
        if shared is not None:
            of: dict[int, list[int]] = {}
            for one in shared.to_pylist():
                of.setdefault(one["a"], []).append(one["b"])
            partners = pa.array(map(of.get, joined["row"].to_pylist()), pa.list_(pa.int64()))
            joined = joined.append_column("partners", partners)
        work = partial(
            group, analyzer=self._analyzer, settings=settings, carried=self._carried.names,
            size=self._size,
        )  # fmt: skip
        found = self._map(joined, work, grouped_schema(self._carried), by="root")
        skipped = prepared.filter(prepared["skipped"].is_valid())
        pairs = zip(skipped["id"].to_pylist(), skipped["skipped"].to_pylist(), strict=True)
        return Grouped(_members(found), _pairs(found), set(pairs))

    def _weigh(self, counts: pa.Table, documents: int) -> pa.Table:
        recipe, criteria = self.settings.recipe, self.settings.criteria

        def weighed(fingerprinter: Fingerprinter, model: Any = None) -> pa.Table:
            work = partial(weigh, fingerprinter=fingerprinter, criteria=criteria, model=model)
            return self._map(counts, pickle.loads(pickle.dumps(work)), FINGERPRINTS, each)

        if not learns(recipe, documents):
            return weighed(Fingerprinter.alone(self._analyzer))
        work = partial(count_terms, hash_bytes=self._analyzer.hash_bytes)
        terms = self._map(counts, work, FREQUENCIES, each)
        summed = terms.group_by("term").aggregate([("documents", "sum")])
        summed = summed.rename_columns(["term", "documents"])
        several = summed.filter(pc.greater(summed["documents"], 1))
        model = model_of(several, documents, self._analyzer.terms_digest)
        with tempfile.TemporaryDirectory() as folder:
            _, mapped = save_model(model, folder)
            return weighed(Fingerprinter(self._analyzer, NoIdf(), learned=True), mapped)

    def _share(self, documents: pa.Table, prints: pa.Table) -> pa.Table | None:
        criteria = self.settings.criteria
        if "passages" not in criteria.searches:
            return None
        work = partial(list_compared, settings=self.settings)
        joined = _joined(documents, prints, None)
        positions = self._map(joined, work, self._carried, by="digest")["position"].to_pylist()
        names = ("row", "position", "seeds_bytes", "runs_bytes")
        contents = (documents[name].to_pylist() for name in names)
        compared = [
            {"kind": kind, "row": row, "position": position, "bytes": content[kind]}
            for row, position, *content in zip(*contents, strict=True)
            for kind in (0, 1)
            if position in positions and content[kind]
        ]
        compared.sort(key=lambda one: (-len(one["bytes"]), one["position"]))
        schema = {"kind": pa.int64(), "row": pa.int64(), "bytes": pa.binary(), "rank": pa.int64()}
        ranked = [one | {"rank": rank} for rank, one in enumerate(compared)]
        self._chance.shuffle(ranked)
        table = pa.Table.from_pylist(ranked, pa.schema(schema))
        seeds = self._map(table, list_seeds, SEEDS, each)
        counted = self._map(seeds, share, SHARED, by="seed").group_by(["kind", "large", "small"])
        pairs = counted.aggregate([("shared", "sum"), ("size", "max")]).to_pylist()
        least = [least_share(name, criteria.containment or 0) for name in SHARED_COLUMNS]
        edges = {
            (min(one["large"], one["small"]), max(one["large"], one["small"]))
            for one in pairs
            if one["shared_sum"] >= least[one["kind"]] * one["size_max"]
        }
        return pa.Table.from_pylist([{"a": a, "b": b, "copy": False} for a, b in edges], EDGES)

    def _label(self, documents: pa.Table, prints: pa.Table, shared: pa.Table | None) -> pa.Table:
        some = prints.filter(pc.greater(prints["terms"], 0))
        meet = self.settings.criteria.compares_all(self._size)
        work = partial(list_keys, settings=self.settings, all_meet=meet)
        keys = pa.concat_tables(
            self._map(frame, work, MEETINGS, each) for frame in (documents, some)
        )
        edges = self._map(keys, partial(connect, settings=self.settings), EDGES, by="key")
        edges = pa.concat_tables([edges, *([] if shared is None else [shared])])
        fewer = self._map(edges, contract, STARS)
        stars = list(run_here(iter(fewer.to_batches()), contract, STARS))
        roots = {one["b"]: one["a"] for batch in stars for one in batch.to_pylist()}
        roots |= {root: root for root in roots.values()}
        copies = {one["b"] for one in edges.to_pylist() if one["copy"]}
        labels = ({"row": row, "root": root, "copy": row in copies} for row, root in roots.items())
        return pa.Table.from_pylist(list(labels), LABELS)

    def _map(
        self, table: pa.Table, work: Work, schema: pa.Schema, cut: Any = whole, by: str = ""
    ) -> pa.Table:
        """Do work on each partition; rows with an equal value of `by` are in one."""
        parts = self._chance.randint(1, 4)
        if by in ("digest", "root"):
            # These tasks get documents in input order.
            table = table.sort_by("position")
        if not by:
            of = np.array([self._chance.randrange(parts) for _ in range(len(table))], int)
        else:
            of = np.array([hash((parts, value)) % parts for value in table[by].to_pylist()], int)
        found = []
        for part in range(parts):
            # In partitions rows keep their order, as those of a file do.
            some = table.take(pa.array(np.flatnonzero(of == part)))
            batches = some.to_batches(max_chunksize=self._chance.choice([1, 7, 10_000]))
            found += run_here(iter(batches), work, schema, cut)
        return pa.Table.from_batches(found, schema)


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
