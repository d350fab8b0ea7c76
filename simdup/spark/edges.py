"""Stage 4: what the searches of the criteria propose, as edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simdup.search.ball import HammingBall
from simdup.spark.checkpoint import DataFrame
from simdup.spark.meet import EDGES, MEETINGS, NEAR_MEETINGS, JoinNear, Keys, NearKeys, join_equal

if TYPE_CHECKING:
    from simdup.spark.job import Job


def make_edges(job: Job) -> DataFrame:
    """Return edges that connect all candidates, and equal texts."""
    criteria, bits = job.settings.criteria, job.settings.recipe.bits
    kind = "" if job.signatures is None else job.signatures.keys.dtype.str
    of_texts = job.documents.select("row", "digest", "keys")
    vectors = criteria.method == "pstable"
    keys = job.map(of_texts, Keys("keys", "" if vectors else kind, True), MEETINGS)
    if vectors:
        of_vectors = job.fingerprints.select("row", "vector_keys")
        more = job.map(of_vectors, Keys("vector_keys", kind, False), MEETINGS)
        keys = keys.unionByName(more)
    if criteria.edits_decide and "minhash" in criteria.searches:
        of_forms = job.documents.where("form_keys is not null").select("row", "form_keys")
        keys = keys.unionByName(job.map(of_forms, Keys("form_keys", "<u4", False), MEETINGS))
    edges = job.map(keys.repartition("key"), join_equal, EDGES)
    if "simhash" in criteria.searches:
        prints = job.fingerprints.where("terms > 0").select("row", "fingerprint")
        near = job.map(prints, NearKeys(HammingBall(bits, criteria.distance)), NEAR_MEETINGS)
        task = JoinNear(job.settings, bits)
        edges = edges.unionByName(job.map(near.repartition("key"), task, EDGES))
    if job.compares_all:
        edges = edges.unionByName(_connect(job.documents))
    return edges if job.shared is None else edges.unionByName(job.shared)


def _connect(documents: DataFrame) -> DataFrame:
    """Return edges that connect all documents."""
    from pyspark.sql import functions as F  # noqa: N812

    first = documents.agg(F.min("row").alias("a"))
    both = documents.select(F.col("row").alias("b")).crossJoin(first).where("a < b")
    return both.select("a", "b", F.lit(False).alias("copy"))
