"""Stage 4, only with a containment: pairs of documents that share passages.

Rows with an equal seed meet in one task, which counts the seeds that pairs have in common there;
the counts of all tasks are summed.  Seeds that many documents have lead only to the largest and the
smallest of these, so documents are ranked beforehand: see `simdup.reuse.sharing`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from simdup.model.criteria import FEW_TERMS
from simdup.reuse.sharing import TextSeeds, least_share, shared_counts
from simdup.spark.arrays import batch_of, table_of, to_array
from simdup.spark.checkpoint import DataFrame

if TYPE_CHECKING:
    from simdup.spark.job import Job

# The seeds of documents that are compared: `rank` 0 or more, by falling number of seeds.
SEEDS = pa.schema(
    {"seed": pa.int64(), "row": pa.int64(), "rank": pa.int64(), "size": pa.int64()}
)  # fmt: skip

# How many seeds two documents share in a task, and how many the smaller one has.
SHARED = pa.schema(
    {"large": pa.int64(), "small": pa.int64(), "shared": pa.int64(), "size": pa.int64()}
)


# All rows of a window, as Spark says it.
_EVERY = (-(1 << 63), (1 << 63) - 1)


def list_seeds(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield one row for each seed of each document."""
    for batch in batches:
        seeds = [np.frombuffer(one, np.int64) for one in batch.column("seeds").to_pylist()]
        sizes = np.array(list(map(len, seeds)), np.int64)
        columns = {name: np.repeat(to_array(batch.column(name)), sizes) for name in ("row", "rank")}
        columns["seed"] = np.concatenate([np.zeros(0, np.int64), *seeds])
        yield batch_of(SEEDS, columns | {"size": np.repeat(sizes, sizes)}, int(sizes.sum()))


def share(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the pairs of documents that have a seed of a task in common."""
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


def rank(job: Job) -> DataFrame:
    """Return the documents that are compared, ranked by falling number of seeds."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    by_input = [F.desc("reference"), *map(F.asc, job.rows.input_order)]
    known = [*job.rows.names, "digest", "title", "named", "form"]
    documents = job.documents.select(*known, F.length("seeds").alias("size"))
    # Equal texts have the title of the first, unless one has a title of its own.
    every = Window.partitionBy("digest").orderBy(*by_input).rowsBetween(*_EVERY)
    shared = F.first(F.when(~F.col("named"), F.col("title")), ignorenulls=True).over(every)
    documents = documents.withColumn(
        "title", F.when(F.col("named"), F.col("title")).otherwise(shared)
    )
    prints = job.fingerprints.select("row", "fingerprint", "terms")
    identical = Window.partitionBy("digest", "fingerprint", "title").orderBy(*by_input)
    first = documents.join(prints, "row").withColumn("copy", F.row_number().over(identical))
    enough = f"terms >= {FEW_TERMS}"
    if job.settings.criteria.edits_decide:
        enough += " or form is not null"
    compared = first.where(f"copy = 1 and terms > 0 and ({enough})")
    # Sorted, the rows of each task have higher numbers than those of the task before.
    ranked = compared.orderBy(F.desc("size"), *by_input)
    return ranked.select("row", F.monotonically_increasing_id().alias("rank"))


def pair_shared(job: Job, ranks: DataFrame) -> DataFrame:
    """Return the pairs of ranked documents that share enough seeds."""
    from pyspark.sql import functions as F  # noqa: N812

    least = least_share(job.settings.criteria.containment or 0)
    with_seeds = ranks.join(job.documents.select("row", "seeds"), "row")
    seeds = job.map(with_seeds.select("row", "rank", "seeds"), list_seeds, SEEDS)
    pairs = job.map(seeds.repartition("seed"), share, SHARED).groupBy("large", "small")
    counted = pairs.agg(F.sum("shared").alias("shared"), F.max("size").alias("size"))
    enough = counted.where(F.col("shared") >= F.lit(least) * F.col("size"))
    low, high = F.least("large", "small"), F.greatest("large", "small")
    return enough.select(low.alias("a"), high.alias("b"), F.lit(False).alias("copy"))
