"""Scan and dedupe rows of a DataFrame, with the results of `simdup.scan` and `simdup.dedupe`."""

from __future__ import annotations

import atexit
import hashlib
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack

from simdup._version import __version__
from simdup.base.errors import SimdupError
from simdup.model.clusters import Summary
from simdup.model.criteria import Criteria, CriteriaFields
from simdup.model.fields import FACTS, TITLE
from simdup.model.formats import CLUSTER_COLUMNS, MEASURE_COLUMNS, PAIR_COLUMNS
from simdup.model.recipe import Recipe, recipe_fields
from simdup.model.settings import Settings
from simdup.spark.job import Checkpoint, Job, open_rows, require
from simdup.spark.partitions import DataFrame
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter

# The format of checkpoints; those of other formats are not read.
_FORMAT = 3


@dataclass(frozen=True)
class Found:
    """What a scan found: DataFrames that are read from its checkpoint."""

    job: Job
    seconds: float = field(default=0.0, compare=False)

    @property
    def members(self) -> DataFrame:
        """All that is known of the members of clusters, in undefined order."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F  # noqa: N812

        members = self.job.groups.where("kind = 'member'")
        kept = F.last(F.when(members["role"] == "kept", members["id"]), ignorenulls=True)
        before = Window.partitionBy("first").orderBy("place")
        return members.withColumn("kept", kept.over(before)).join(self.job.numbers, "first")

    @property
    def clusters(self) -> DataFrame:
        """A row for each document of a cluster, as in the CSV of `scan`.

        In a further column, `cluster_id`, is the id of the cluster's first document, which stays
        where numbers change.
        """
        columns = [*CLUSTER_COLUMNS, *MEASURE_COLUMNS, "kept", "cluster_id"]
        ordered = self.members.withColumnRenamed("id", "document").orderBy("cluster", "place")
        return ordered.select(*columns)

    @property
    def pairs(self) -> DataFrame:
        """A row for each pair of a cluster."""
        pairs = self.job.groups.where("kind = 'pair'").join(self.job.numbers, "first")
        columns = [*PAIR_COLUMNS, *MEASURE_COLUMNS, "exact"]
        return pairs.orderBy("cluster", "place").select("cluster", *columns)

    @property
    def skipped(self) -> DataFrame:
        """One row for each document that could not take part, with the reason."""
        from pyspark.sql import functions as F  # noqa: N812

        found = self.job.prepared.where("skipped is not null").orderBy("row")
        return found.select(F.col("id").alias("document"), F.col("skipped").alias("reason"))

    @cached_property
    def _summary(self) -> Summary:
        job = self.job
        roles = dict(self.members.groupBy("role").count().collect())
        parts = job.groups.where("kind = 'figures'").select("figures").collect()
        figures: Counter[str] = Counter()
        for (written,) in parts:
            figures.update(json.loads(written))
        return Summary(
            documents=job.documents.count(),
            clusters=job.numbers.count(),
            redundant=roles.get("redundant", 0),
            skipped=self.skipped.count(),
            pairs=job.groups.where("kind = 'pair'").count(),
            checked=figures["checked"],
            unchecked=figures["unchecked"],
            seconds=self.seconds,
            recipe=job.fingerprinter.fields,
            all_pairs=job.settings.criteria.all_pairs,
        )

    def summary(self) -> Summary:
        """Return the figures of the scan."""
        return self._summary


def scan(
    df: DataFrame,
    recipe: Recipe | str = "default",
    criteria: Criteria | None = None,
    *,
    text: str | tuple[str, ...] = "text",
    id: str = "id",  # noqa: A002
    order: str | Sequence[Any] | None = None,
    references: DataFrame | None = None,
    checkpoint_dir: str | None = None,
    **fields: Unpack[CriteriaFields],
) -> Found:
    """Find near-duplicates among the rows of a DataFrame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        One row per document.
    recipe, criteria, **fields
        As in `simdup.scan`.
    text, id : str
        The columns of the texts and of the ids; several columns are read as one text.
    order : str or sequence of str or Column, optional
        The columns that say what comes first; by default that of the ids.  A DataFrame has no
        order of its own.
    references : pyspark.sql.DataFrame, optional
        Rows, with the same columns, that are never redundant.
    checkpoint_dir : str, optional
        A folder that all machines reach.  A job that was stopped goes on where it was, if recipe,
        criteria and rows are the same.  It is needed except on one machine.

    Returns
    -------
    Found
        ``clusters``, ``pairs`` and ``skipped``, which are DataFrames, and ``summary()``.

    Raises
    ------
    SimdupError
        If a column is missing, or an argument is invalid.
    """
    started = time.monotonic()
    settings = Settings.of(recipe, criteria, jobs=1, text=text, id=id, **fields)
    settings.check_distance()
    same = set(settings.criteria.same)
    titled = TITLE in same
    for argument, works in (("same", {TITLE, FACTS}), ("across", set[str]())):
        if set(getattr(settings.criteria, argument)) - works:
            what = "does not work on Spark" + (", but for title and facts" if works else "")
            raise SimdupError(argument, what, field=argument)
    # Without a column of titles the texts have them.
    reading = replace(settings.reading, titled=titled and TITLE in df.columns)
    settings = replace(settings, reading=reading)
    by = [order or id] if isinstance(order, str) or order is None else list(order)
    job = _job(open_rows(df, references, settings, by), settings, checkpoint_dir)
    assert job.numbers is not None
    return Found(job, time.monotonic() - started)


def dedupe(
    df: DataFrame,
    recipe: Recipe | str = "default",
    criteria: Criteria | None = None,
    *,
    id: str = "id",  # noqa: A002
    **options: Any,
) -> DataFrame:
    """Return the rows of a DataFrame without its redundant documents, with all their columns.

    The parameters are those of `scan`; what it calls redundant is left out.

    Raises
    ------
    SimdupError
        As for `scan`, or if an id is not unique.
    """
    from pyspark.sql import functions as F  # noqa: N812

    twice = df.groupBy(require(df, id).alias("id")).count().where("count > 1").limit(1).collect()
    if twice:
        raise SimdupError("id", f"{twice[0][0]!r:.80} is the id of several rows", field="id")
    found = scan(df, recipe, criteria, id=id, **options)
    redundant = found.members.where("role = 'redundant' and not reference")
    removed = redundant.select(F.col("id").alias("_removed"))
    return df.join(removed, require(df, id).eqNullSafe(F.col("_removed")), "left_anti")


def _job(rows: DataFrame, settings: Settings, checkpoint_dir: str | None) -> Job:
    session = rows.sparkSession
    if "connect" in type(session).__module__:
        what = "Spark Connect has no sparkContext, which gives the model to all machines"
        raise SimdupError("data", what, "run the job with spark-submit, or in a classic session")
    folder = tempfile.mkdtemp(prefix="simdup-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if checkpoint_dir is None:
        if not session.sparkContext.master.startswith("local"):
            what = "a cluster needs a folder that all machines reach"
            raise SimdupError("checkpoint_dir", what, field="checkpoint_dir")
        checkpoint_dir = folder
    checkpoint = Checkpoint(session, f"{checkpoint_dir}/{_digest(rows, settings)}")
    return Job(rows, settings, checkpoint, folder)


def _digest(rows: DataFrame, settings: Settings) -> str:
    """Return a digest of all that decides the result."""
    from pyspark.sql import functions as F  # noqa: N812

    content = [name for name in rows.columns if name != "row"]
    each = F.xxhash64(*(F.col(name) for name in content)).cast("decimal(20,0)")
    total = rows.agg(F.sum(each), F.count("*")).collect()[0]
    recipe, reading = settings.recipe, settings.reading
    analyzer = Analyzer.for_recipe(recipe)
    # What dictionaries and models hold, not where they are.
    read = analyzer.terms_digest
    if not recipe.may_need_corpus:
        read = Fingerprinter.alone(analyzer).digest
    what = [_FORMAT, __version__, recipe_fields(recipe), repr(settings.criteria), read]
    # The same columns may be two parts of a text, or a text and a title.
    what += [reading.text_fields, reading.titled, *map(str, total)]
    written = json.dumps(what, sort_keys=True).encode()
    return hashlib.blake2b(written, digest_size=10).hexdigest()
