"""Components of more edges than one task holds: large stars and small stars by turns.

A large star connects a row's later neighbours with the first of its neighbours, a small star its
earlier neighbours.  Each step leaves the components as they are, and after few rounds every row is
connected with the first one of its component, and with nothing else.

References
----------
R. Kiveris, S. Lattanzi, V. Mirrokni, V. Rastogi, S. Vassilvitskii, "Connected components in
MapReduce and beyond", SoCC 2014, section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from simdup.spark.checkpoint import DataFrame

# Edges that one task joins: 2 GB, and some 10 s.
AT_ONCE = 50_000_000

# Keeps what a round has made, by its name.
Keep = Callable[[str, Callable[[], DataFrame]], DataFrame]


def label_by_stars(edges: DataFrame, keep: Keep) -> DataFrame:
    """Return of each row that edges connect the first one of its component; see `meet.label`."""
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
    return lambda: small_stars(large_stars(edges))


def large_stars(edges: DataFrame) -> DataFrame:
    """Connect the later neighbours of each row with the first of its neighbours and itself."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    turned = edges.select(F.col("b").alias("a"), F.col("a").alias("b"))
    both = edges.unionByName(turned)
    first = F.least("a", F.min("b").over(Window.partitionBy("a")))
    return both.withColumn("first", first).where("b > a").select(F.col("first").alias("a"), "b")


def small_stars(edges: DataFrame) -> DataFrame:
    """Connect each row and its earlier neighbours with the first of these."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812

    first = edges.withColumn("first", F.min("a").over(Window.partitionBy("b")))
    own = first.select(F.col("first").alias("a"), "b")
    others = first.where("a > first").select(F.col("first").alias("a"), F.col("a").alias("b"))
    return own.unionByName(others).distinct()
