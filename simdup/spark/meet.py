"""Stages 4 and 5: which documents may belong together, as connected components.

Documents that are candidates have something in common: a block of their fingerprints, a band key,
the digest of their texts, or, only with a containment, seeds of passages.  Rows with the same meet
in one task, which joins them as the library does on one machine, and yields as few edges as connect
them.  What is connected is looked at closely later, so to join too much costs time, and to join too
little would lose pairs.

Edges that fit into one task become components there.  Of more, large stars and small stars do it by
turns: a large star connects a row's later neighbours with the first of its neighbours, a small star
its earlier neighbours.  Each step leaves the components as they are, and after few rounds every row
is connected with the first one of its component, and with nothing else.

References
----------
R. Kiveris, S. Lattanzi, V. Mirrokni, V. Rastogi, S. Vassilvitskii, "Connected components in
MapReduce and beyond", SoCC 2014, section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simdup.model.criteria import FEW_TERMS
from simdup.model.settings import Settings
from simdup.model.table import Documents
from simdup.near.candidates import NearFingerprints
from simdup.near.rules import formed
from simdup.reuse.sharing import TextSeeds, least_share, shared_counts
from simdup.search import equal_keys
from simdup.search.arrays import RowIds, mix_rows
from simdup.search.grouping import Forest
from simdup.spark.checkpoint import DataFrame
from simdup.spark.partitions import batch_of, documents_of, table_of, to_array

if TYPE_CHECKING:
    from simdup.spark.job import Job

# Rows that meet where their keys are equal.  `check` is the rest of a text's digest, of which the
# key is the beginning, and null for band keys; `fingerprint` is there if keys are its blocks.
MEETINGS = pa.schema(
    {"key": pa.int64(), "row": pa.int64(), "check": pa.int64(), "fingerprint": pa.binary()}
)  # fmt: skip

# Row `a` and a later row `b` that are connected; whether `b` has the text of an earlier row.
EDGES = pa.schema({"a": pa.int64(), "b": pa.int64(), "copy": pa.bool_()})

# Of each document that is connected to others: the first one of these.
LABELS = pa.schema({"row": pa.int64(), "root": pa.int64(), "copy": pa.bool_()})

# The seeds of documents that are compared: `rank` 0 or more, by falling number of seeds.
SEEDS = pa.schema(
    {"seed": pa.int64(), "row": pa.int64(), "rank": pa.int64(), "size": pa.int64()}
)  # fmt: skip

# How many seeds two documents share in a task, and how many the smaller one has.
SHARED = pa.schema(
    {"large": pa.int64(), "small": pa.int64(), "shared": pa.int64(), "size": pa.int64()}
)

# Edges that one task joins: 2 GB, and some 10 s.
AT_ONCE = 50_000_000

# Keeps what a round has made, by its name.
Keep = Callable[[str, Callable[[], DataFrame]], DataFrame]


# -- edges of what the searches of the criteria propose


def make_edges(job: Job) -> DataFrame:
    """Return edges that connect all candidates, and equal texts."""
    texts = job.documents.select("row", "digest", "keys", "letters", "form_keys")
    prints = job.fingerprints.where("terms > 0")
    prints = prints.select("row", "terms", "fingerprint", "vector_keys")
    near = "simhash" in job.settings.criteria.searches
    found = []
    for frame, unused in ((texts, "fingerprint"), (prints, "check" if near else "fingerprint")):
        keys = job.map(frame, ListKeys(job.settings), MEETINGS).drop(unused)
        found.append(job.map(keys.repartition("key"), Connect(job.settings), EDGES))
    edges = found[0].unionByName(found[1])
    if job.compares_all:
        edges = edges.unionByName(_connect_all(job.documents))
    return edges if job.shared is None else edges.unionByName(job.shared)


def _connect_all(documents: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812

    first = documents.agg(F.min("row").alias("a"))
    both = documents.select(F.col("row").alias("b")).crossJoin(first).where("a < b")
    return both.select("a", "b", F.lit(False).alias("copy"))


@dataclass(frozen=True)
class ListKeys:
    """Lists what documents may have in common with others; can be pickled."""

    settings: Settings

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield a row for each digest, band key and block of a fingerprint."""
        for batch in batches:
            table = pa.Table.from_batches([batch])
            documents, rows = documents_of(table), to_array(table["row"])
            for columns in self._keys(documents, rows):
                yield batch_of(MEETINGS, columns, len(columns["row"]))

    def _keys(self, documents: Documents, rows: RowIds) -> Iterator[dict[str, NDArray[Any]]]:
        if "digest" in documents:
            key, check = documents["digest"].view(np.int64).reshape(-1, 2).T
            yield {"key": key, "row": rows, "check": check}
        every = np.ones(len(rows), np.bool_)
        has_keys = {"keys": every, "vector_keys": every, "form_keys": formed(documents)}
        for name, has in has_keys.items():
            if name in documents:
                for key in _by_band(documents[name][has].T):
                    yield {"key": key, "row": rows[has]}
        if "fingerprint" in documents and "simhash" in self.settings.criteria.searches:
            prints = documents["fingerprint"]
            for key in _by_band(NearFingerprints(self.settings).blocks(documents)):
                yield {"key": key, "row": rows, "fingerprint": prints}


def _by_band(keys: Iterable[NDArray[Any]]) -> Iterator[RowIds]:
    """Yield keys of one band after the other that are hardly equal to those of other bands."""
    for band, key in enumerate(keys):
        own = key.astype(np.uint64)
        yield mix_rows(np.stack([np.full_like(own, band), own], axis=1)).view(np.int64)


@dataclass(frozen=True)
class Connect:
    """Connects the rows of a task that have an equal key, or are near; can be pickled."""

    settings: Settings

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield edges; rows that have fingerprints are connected if these are near."""
        table = table_of(batches)
        if table is None:
            return
        # Of equal keys the smaller row comes first.
        table = table.sort_by("row")
        every = to_array(table["row"])
        rows, firsts, places = np.unique(every, return_index=True, return_inverse=True)
        forest, copies = Forest(len(rows)), np.zeros(len(rows), np.bool_)
        if "fingerprint" in table.column_names:
            documents = documents_of(table.select(["fingerprint"]).take(firsts))
            # Only what has terms comes here.
            documents = documents.and_columns(terms=np.ones(len(rows), np.uint8))
            for i, j in NearFingerprints(self.settings).links(documents):
                forest.join(i, j)
        else:
            texts, checks = to_array(table["check"].is_valid()), to_array(table["check"])
            for i, j in equal_keys.neighbours([to_array(table["key"])]):
                forest.join(places[i], places[j])
                copies[places[j[texts[i] & texts[j] & (checks[i] == checks[j])]]] = True
        yield _edges(rows, forest.roots, copies)


# -- components of edges


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


def label_by_stars(edges: DataFrame, keep: Keep) -> DataFrame:
    """Return of each row that edges connect the first one of its component, as `label` does."""
    from pyspark.sql import functions as F  # noqa: N812

    copies = edges.where("copy").select(F.col("b").alias("row"), "copy").distinct()
    last, known = edges.select("a", "b"), None
    for number in count(1):
        found = keep(f"stars-{number}", _round_of(last))
        # Edges are distinct, so equal sums mean equal edges.
        total = found.agg(F.count("*"), F.sum(F.xxhash64("a", "b").cast("decimal(20,0)")))
        if (now := tuple(total.collect()[0])) == known:
            break
        last, known = found, now
    rows = last.select(F.col("b").alias("row"), F.col("a").alias("root"))
    roots = last.select(F.col("a").alias("row"), F.col("a").alias("root")).distinct()
    every = rows.unionByName(roots).join(copies, "row", "left")
    return every.withColumn("copy", F.coalesce("copy", F.lit(False)))


def _round_of(edges: DataFrame) -> Callable[[], DataFrame]:
    return lambda: _small_stars(_large_stars(edges))


def _large_stars(edges: DataFrame) -> DataFrame:
    """Connect the later neighbours of each row with the first of its neighbours and itself."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    turned = edges.select(F.col("b").alias("a"), F.col("a").alias("b"))
    both = edges.unionByName(turned)
    first = F.least("a", F.min("b").over(Window.partitionBy("a")))
    return both.withColumn("first", first).where("b > a").select(F.col("first").alias("a"), "b")


def _small_stars(edges: DataFrame) -> DataFrame:
    """Connect each row and its earlier neighbours with the first of these."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    first = edges.withColumn("first", F.min("a").over(Window.partitionBy("b")))
    own = first.select(F.col("first").alias("a"), "b")
    others = first.where("a > first").select(F.col("first").alias("a"), F.col("a").alias("b"))
    return own.unionByName(others).distinct()


# -- only with a containment: pairs of documents that share passages


def rank(job: Job) -> DataFrame:
    """Return the documents that are compared, ranked by falling number of seeds.

    Seeds that many documents have lead only to the largest and the smallest of these: see
    `simdup.reuse.sharing`.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    by_input = [F.desc("reference"), *map(F.asc, job.rows.input_order)]
    known = [*job.rows.names, "digest", "title_key", "named", "letters"]
    documents = job.documents.select(*known, F.length("seed_bytes").alias("size"))
    # Equal texts have the title of the first, unless one has a title of its own.
    every = Window.partitionBy("digest").orderBy(*by_input)
    every = every.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    shared = F.first(F.when(~F.col("named"), F.col("title_key")), ignorenulls=True).over(every)
    documents = documents.withColumn(
        "title_key", F.when(F.col("named"), F.col("title_key")).otherwise(shared)
    )
    prints = job.fingerprints.select("row", "fingerprint", "terms")
    identical = Window.partitionBy("digest", "fingerprint", "title_key").orderBy(*by_input)
    first = documents.join(prints, "row").withColumn("copy", F.row_number().over(identical))
    enough = f"terms >= {FEW_TERMS}"
    if job.settings.criteria.edits_decide:
        enough += " or letters is not null"
    compared = first.where(f"copy = 1 and terms > 0 and ({enough})")
    # Sorted, the rows of each task have higher numbers than those of the task before.
    ranked = compared.orderBy(F.desc("size"), *by_input)
    return ranked.select("row", F.monotonically_increasing_id().alias("rank"))


def pair_shared(job: Job, ranks: DataFrame) -> DataFrame:
    """Return the pairs of ranked documents that share enough seeds, as edges."""
    from pyspark.sql import functions as F  # noqa: N812

    least = least_share(job.settings.criteria.containment or 0)
    with_seeds = ranks.join(job.documents.select("row", "seed_bytes"), "row")
    seeds = job.map(with_seeds.select("row", "rank", "seed_bytes"), list_seeds, SEEDS)
    pairs = job.map(seeds.repartition("seed"), share, SHARED).groupBy("large", "small")
    counted = pairs.agg(F.sum("shared").alias("shared"), F.max("size").alias("size"))
    enough = counted.where(F.col("shared") >= F.lit(least) * F.col("size"))
    low, high = F.least("large", "small"), F.greatest("large", "small")
    return enough.select(low.alias("a"), high.alias("b"), F.lit(False).alias("copy"))


def list_seeds(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield one row for each seed of each document."""
    for batch in batches:
        seeds = [np.frombuffer(one, np.int64) for one in batch.column("seed_bytes").to_pylist()]
        sizes = np.array(list(map(len, seeds)), np.int64)
        columns = {name: np.repeat(to_array(batch.column(name)), sizes) for name in ("row", "rank")}
        columns["seed"] = np.concatenate([np.zeros(0, np.int64), *seeds])
        yield batch_of(SEEDS, columns | {"size": np.repeat(sizes, sizes)}, int(sizes.sum()))


def share(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the pairs of documents that have a seed of a task in common, with how many."""
    table = table_of(batches)
    if table is None:
        return
    ranks = to_array(table["rank"])
    order = np.argsort(ranks, kind="stable")
    _, firsts = np.unique(ranks[order], return_index=True)
    of = [to_array(table[name])[order][firsts] for name in ("row", "size")]
    hashes = to_array(table["seed"])[order].view(np.uint64)
    seeds = TextSeeds(np.append(firsts, len(hashes)), hashes)
    for large, small, counts in shared_counts(seeds, np.arange(len(firsts))):
        columns = {
            "large": of[0][large], "small": of[0][small], "shared": counts, "size": of[1][small],
        }  # fmt: skip
        yield batch_of(SHARED, columns, len(counts))
