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
    GROUPS,
    KEYED,
    LABELS,
    MEETINGS,
    SEEDS,
    SHARES,
    connect,
    group,
    label,
    list_keys,
    list_seeds,
    refine,
    share,
)
from simdup.spark.prepare import (
    DOCUMENTS,
    FREQUENCIES,
    Types,
    Work,
    count_terms,
    model_of,
    prepare,
    run_here,
    sent,
    weigh,
)
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter, learns

_EDGES = pa.schema({"root": pa.int64(), "row": pa.int64()})


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
        schema = table.drop_columns("texts").schema
        self._carried = {field.name: field.type for field in schema}
        table = table.sort_by("row")
        work = partial(prepare, analyzer=self._analyzer, settings=settings)
        prepared = self._map(table, work, self._carried | DOCUMENTS, sliced=True)
        with tempfile.TemporaryDirectory() as folder:
            self._sent = sent(self._fingerprinter(prepared), folder, lambda path: None)
            found = self._group(prepared)
        skipped = prepared.filter(prepared["skipped"].is_valid())
        pairs = zip(skipped["id"].to_pylist(), skipped["skipped"].to_pylist(), strict=True)
        return Grouped(_members(found), _pairs(found), set(pairs))

    def _fingerprinter(self, prepared: pa.Table) -> Fingerprinter:
        sizes = pc.binary_length(prepared["ids"])
        documents = pc.sum(pc.greater(sizes, 0)).as_py() or 0
        if not learns(self.settings.recipe, documents):
            return Fingerprinter.alone(self._analyzer)
        terms = self._map(prepared, count_terms, FREQUENCIES, sliced=True)
        summed = terms.group_by("term").aggregate([("documents", "sum")])
        summed = summed.rename_columns(["term", "documents"])
        several = summed.filter(pc.greater(summed["documents"], 1))
        model = model_of(several, documents, self._analyzer.terms_digest)
        return Fingerprinter(self._analyzer, model, learned=True)

    def _group(self, prepared: pa.Table) -> pa.Table:
        settings, taken = self.settings, prepared.filter(prepared["skipped"].is_null())
        work: Any = partial(weigh, fingerprinter=self._sent, criteria=settings.criteria)
        work = pickle.loads(pickle.dumps(work))
        schema = self._carried | DOCUMENTS
        documents = self._map(taken, work, schema, sliced=True)
        self._size = len(documents)
        shared = self._share(documents)
        labels = self._label(documents, shared)
        sketched = settings.criteria.searches != ("simhash",)
        if sketched and shared is None and self._chance.random() < 0.5:
            work = partial(refine, fingerprinter=self._sent, settings=settings)
            labels = self._map(_joined(documents, labels), work, LABELS, by="root")
        joined = _joined(documents, labels)
        if not settings.criteria.shingle.by_words:
            firsts: dict[bytes, int] = {}
            each = (joined[name].to_pylist() for name in ("row", "digest"))
            for row, digest in zip(*each, strict=True):
                firsts[digest] = min(row, firsts.get(digest, row))
            holders = pc.is_in(joined["row"], pa.array(firsts.values()))
            sent_along = pc.or_(holders, joined["letters"].is_valid())
            texts = pc.if_else(sent_along, joined["original"], pa.scalar(None, pa.binary()))
            place = joined.schema.get_field_index("original")
            joined = joined.set_column(place, "original", texts)
        if shared is not None:
            of: dict[int, list[int]] = {}
            for one in shared.to_pylist():
                of.setdefault(one["root"], []).append(one["row"])
            partners = pa.array(map(of.get, joined["row"].to_pylist()), pa.list_(pa.int64()))
            joined = joined.append_column("partners", partners)
        work = partial(
            group, fingerprinter=self._sent, settings=settings, carried=list(self._carried),
            size=self._size,
        )  # fmt: skip
        ids = dict.fromkeys(("kept", "a", "b"), pa.string())
        return self._map(joined, work, self._carried | ids | GROUPS, by="root")

    def _share(self, documents: pa.Table) -> pa.Table | None:
        criteria = self.settings.criteria
        if "passages" not in criteria.searches:
            return None
        work = partial(list_seeds, settings=self.settings, carried=list(self._carried))
        seeds = self._map(documents, work, self._carried | SEEDS, by="digest")
        counted = self._map(seeds, share, SHARES, by="seed").group_by(["kind", "large", "small"])
        pairs = counted.aggregate([("shared", "sum"), ("size", "max")]).to_pylist()
        least = [least_share(name, criteria.containment or 0) for name in SHARED_COLUMNS]
        edges = {
            (min(one["large"], one["small"]), max(one["large"], one["small"]))
            for one in pairs
            if one["shared_sum"] >= least[one["kind"]] * one["size_max"]
        }
        return pa.Table.from_pylist([{"root": a, "row": b} for a, b in edges], _EDGES)

    def _label(self, documents: pa.Table, shared: pa.Table | None) -> pa.Table:
        meet = self.settings.criteria.compares_all(self._size)
        work = partial(list_keys, settings=self.settings, all_meet=meet)
        keys = self._map(documents.select(KEYED), work, MEETINGS, sliced=True)
        edges = self._map(keys, partial(connect, settings=self.settings), LABELS, by="key")
        edges = edges.filter(pc.not_equal(edges["row"], edges["root"])).select(["root", "row"])
        edges = pa.concat_tables([edges, *([] if shared is None else [shared])])
        schema = pa.schema(LABELS)
        return pa.Table.from_batches(run_here(iter(edges.to_batches()), label, schema), schema)

    def _map(
        self, table: pa.Table, work: Work, columns: Types, sliced: bool = False, by: str = ""
    ) -> pa.Table:
        """Do work on each partition; rows with an equal value of `by` are in one."""
        parts, schema = self._chance.randint(1, 4), pa.schema(columns)
        if by in ("digest", "root", "seed"):
            # These tasks get rows in input order.
            order = ["before"] if by == "seed" else []
            table = table.sort_by([(name, "ascending") for name in [*order, "position"]])
        if not by:
            of = np.array([self._chance.randrange(parts) for _ in range(len(table))], int)
        else:
            of = np.array([hash((parts, value)) % parts for value in table[by].to_pylist()], int)
        found: list[pa.RecordBatch] = []
        for part in range(parts):
            # In partitions rows keep their order, as those of a file do.
            some = table.take(pa.array(np.flatnonzero(of == part)))
            batches = some.to_batches(max_chunksize=self._chance.choice([1, 7, 10_000]))
            found += run_here(iter(batches), work, schema, sliced)
        return pa.Table.from_batches(found, schema)


def _joined(documents: pa.Table, labels: pa.Table) -> pa.Table:
    # Arrow joins no columns of lists.
    places = {row: place for place, row in enumerate(documents["row"].to_pylist())}
    rows = documents.take(pa.array([places[row] for row in labels["row"].to_pylist()], pa.int64()))
    return rows.append_column("root", labels["root"])


def _members(found: pa.Table) -> list[tuple[Any, ...]]:
    columns = ("first", "place", "id", "role", "fingerprint", "distance", "similarity",
               "containment", "cosine", "measure")  # fmt: skip
    return _sorted(found.filter(pc.equal(found["kind"], "member")), columns)


def _pairs(found: pa.Table) -> list[tuple[Any, ...]]:
    columns = ("first", "place", "a", "b", "distance", "similarity", "cosine", "exact", "measure")
    return _sorted(found.filter(pc.equal(found["kind"], "pair")), columns)


def _sorted(rows: pa.Table, columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Rows by cluster, with their places in it."""
    every = sorted(zip(*(rows[name].to_pylist() for name in columns), strict=True))
    places: dict[int, int] = {}
    placed = []
    for first, _, *cells in every:
        places[first] = places.get(first, -1) + 1
        placed.append((first, places[first], *cells))
    return placed
