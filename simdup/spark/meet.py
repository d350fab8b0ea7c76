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
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from simdup.model.settings import Settings
from simdup.near.copies import find_copies
from simdup.near.join import distinct_rows
from simdup.near.methods.simhash import NearFingerprints
from simdup.near.short import formed
from simdup.reuse.sharing import TextSeeds, shared_counts
from simdup.search import equal_keys
from simdup.search.arrays import RowIds, mix_rows
from simdup.search.grouping import Forest
from simdup.spark.partitions import (
    Columns,
    DataFrame,
    candidates_among,
    carried_names,
    content_of,
    documents_of,
    in_order,
    to_array,
)

# Rows that meet where their keys are equal.  `check` is the rest of a text's digest, of which the
# key is the beginning, and null for other keys; `fingerprint` is there if the key is its block.
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


# -- edges of what the searches of the criteria propose


def list_keys(table: pa.Table, settings: Settings, every: bool = False) -> Iterator[Columns]:
    """Yield a row for each digest, band key and block of a fingerprint.

    If `every` document is compared with all others, all have one key in common.
    """
    documents, rows = documents_of(table), to_array(table["row"])
    if every:
        yield {"key": np.zeros_like(rows), "row": rows}
    if "digest" in documents:
        key, check = documents["digest"].view(np.int64).reshape(-1, 2).T
        yield {"key": key, "row": rows, "check": check}
    has = {"form_keys": formed(documents)}
    for name in ("keys", "vector_keys", "form_keys"):
        if name in documents:
            some = has.get(name, slice(None))
            for key in _by_band(documents[name][some].T):
                yield {"key": key, "row": rows[some]}
    if "fingerprint" in documents and "simhash" in settings.criteria.searches:
        prints = documents["fingerprint"]
        for key in _by_band(NearFingerprints(settings).blocks(documents)):
            yield {"key": key, "row": rows, "fingerprint": prints}


def _by_band(keys: Iterable[NDArray[Any]]) -> Iterator[RowIds]:
    """Yield keys of one band after the other that are hardly equal to those of other bands."""
    for band, key in enumerate(keys):
        own = key.astype(np.uint64)
        yield mix_rows(np.stack([np.full_like(own, band), own], axis=1)).view(np.int64)


def connect(table: pa.Table, settings: Settings) -> Iterator[Columns]:
    """Yield edges between rows of a task that have an equal key, or fingerprints that are near."""
    # Of equal keys the smaller row comes first.
    table = table.sort_by("row")
    rows, places = np.unique(to_array(table["row"]), return_inverse=True)
    forest, copies = Forest(len(rows)), np.zeros(len(rows), np.bool_)
    printed = to_array(table["fingerprint"].is_valid())
    own, firsts = np.unique(places[printed], return_index=True)
    if len(own):
        prints = table.select(["fingerprint"]).take(pa.array(np.flatnonzero(printed)[firsts]))
        # Only what has terms comes here.
        documents = documents_of(prints).and_columns(terms=np.ones(len(own), np.uint8))
        for i, j in NearFingerprints(settings).links(documents):
            forest.join(own[i], own[j])
    table, places = table.filter(pa.array(~printed)), places[~printed]
    texts, checks = to_array(table["check"].is_valid()), to_array(table["check"])
    for i, j in equal_keys.neighbours([to_array(table["key"])]):
        forest.join(places[i], places[j])
        copies[places[j[texts[i] & texts[j] & (checks[i] == checks[j])]]] = True
    yield _edges(rows, forest.roots, copies)


# -- components of edges


def contract(table: pa.Table) -> Iterator[Columns]:
    """Leave the fewest edges that connect what the edges of a task connect."""
    yield _edges(*_components(table))


def label(table: pa.Table) -> Iterator[Columns]:
    """Return of each document the first one it is connected to; all edges are in one task."""
    rows, roots, copies = _components(table)
    yield {"row": rows, "root": rows[roots], "copy": copies}


def _components(table: pa.Table) -> tuple[RowIds, RowIds, NDArray[np.bool_]]:
    """Return the rows of edges, the place of the first row of each one's component, and copies."""
    a, b = to_array(table["a"]), to_array(table["b"])
    rows, places = np.unique(np.concatenate([a, b]), return_inverse=True)
    forest = Forest(len(rows))
    forest.join(places[: len(a)], places[len(a) :])
    copies = np.zeros(len(rows), np.bool_)
    copies[places[len(a) :][to_array(table["copy"])]] = True
    return rows, forest.roots, copies


def _edges(rows: RowIds, roots: RowIds, copies: NDArray[np.bool_]) -> Columns:
    """Return the edges from each row to its root; a copy is never a root, for it comes later."""
    some = np.flatnonzero(roots != np.arange(len(rows)))
    return {"a": rows[roots[some]], "b": rows[some], "copy": copies[some]}


def label_by_stars(
    edges: DataFrame, keep: Callable[[str, Callable[[], DataFrame]], DataFrame]
) -> DataFrame:
    """Return of each row that edges connect the first one of its component, as `label` does.

    `keep` keeps what a round has made, by its name.
    """
    from pyspark.sql import functions as F  # noqa: N812

    copies = edges.where("copy").select(F.col("b").alias("row"), "copy").distinct()
    last, known = edges.select("a", "b"), None
    for number in count(1):
        found = keep(f"stars-{number}", partial(_round, last))
        # Edges are distinct, so equal sums mean equal edges.
        total = found.agg(F.count("*"), F.sum(F.xxhash64("a", "b").cast("decimal(20,0)")))
        if (now := tuple(total.collect()[0])) == known:
            break
        last, known = found, now
    rows = last.select(F.col("b").alias("row"), F.col("a").alias("root"))
    roots = last.select(F.col("a").alias("row"), F.col("a").alias("root")).distinct()
    every = rows.unionByName(roots).join(copies, "row", "left")
    return every.withColumn("copy", F.coalesce("copy", F.lit(False)))


def _round(edges: DataFrame) -> DataFrame:
    """Make a large star of each row and its later neighbours, then a small one of earlier ones."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    turned = edges.select(F.col("b").alias("a"), F.col("a").alias("b"))
    first = F.least("a", F.min("b").over(Window.partitionBy("a")))
    large = edges.unionByName(turned).withColumn("first", first).where("b > a")
    large = large.select(F.col("first").alias("a"), "b")
    small = large.withColumn("first", F.min("a").over(Window.partitionBy("b")))
    own = small.select(F.col("first").alias("a"), "b")
    others = small.where("a > first").select(F.col("first").alias("a"), F.col("a").alias("b"))
    return own.unionByName(others).distinct()


# -- only with a containment: pairs of documents that share passages


def list_compared(table: pa.Table, settings: Settings) -> Iterator[Columns]:
    """Yield the documents that are compared; those with equal texts are in one task."""
    table = in_order(table)
    candidates = candidates_among(table, settings)
    copies = find_copies(candidates.documents)
    _, searched = distinct_rows(candidates, copies)
    compared = table.take(pa.array(copies.distinct[searched]))
    yield {name: compared[name] for name in (*carried_names(compared.column_names), "size")}


def list_seeds(table: pa.Table) -> Iterator[Columns]:
    """Yield one row for each seed of each document, which has them as ``bytes``."""
    starts, content = content_of(table["bytes"])
    sizes = np.diff(starts) // 8
    columns = {name: np.repeat(to_array(table[name]), sizes) for name in ("row", "rank")}
    hashes = np.frombuffer(content[starts[0] : starts[-1]], np.int64)
    yield columns | {"seed": hashes, "size": np.repeat(sizes, sizes)}


def share(table: pa.Table) -> Iterator[Columns]:
    """Yield the pairs of documents that have a seed of a task in common, with how many."""
    ranks = to_array(table["rank"])
    order = np.argsort(ranks, kind="stable")
    _, firsts = np.unique(ranks[order], return_index=True)
    rows, sizes = (to_array(table[name])[order][firsts] for name in ("row", "size"))
    hashes = to_array(table["seed"])[order].view(np.uint64)
    seeds = TextSeeds(np.append(firsts, len(hashes)), hashes)
    for large, small, counts in shared_counts(seeds, np.arange(len(firsts))):
        yield {"large": rows[large], "small": rows[small], "shared": counts, "size": sizes[small]}
