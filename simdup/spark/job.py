"""Scan and dedupe rows of a DataFrame, with the results of `simdup.scan` and `simdup.dedupe`.

A stage is a property of a `Job`: what it asks for is made before it.  Spark joins, shuffles,
retries and spills; each stage ends in a checkpoint.
"""

from __future__ import annotations

import atexit
import hashlib
import math
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, wraps
from typing import Any, Unpack

from simdup._version import __version__
from simdup.base.errors import SimdupError
from simdup.model.clusters import Summary
from simdup.model.criteria import Criteria, CriteriaFields
from simdup.model.fields import FACTS, TITLE
from simdup.model.formats import CLUSTER_COLUMNS, MEASURE_COLUMNS, PAIR_COLUMNS
from simdup.model.recipe import Recipe
from simdup.model.settings import Settings
from simdup.reuse.sharing import SHARED, least_share
from simdup.spark import components, prepare
from simdup.spark.prepare import DataFrame, Types, Work, run
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter, learns

# The format of checkpoints; those of other formats are not read.
_FORMAT = 5
# Documents of a component that one task groups with their texts: some 100 MB of pages.
MANY = 1 << 16
# What orders documents as the input does.
_IN_ORDER = ("position", "id", "row")


# -- what users call


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
) -> Job:
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
    Job
        ``clusters``, ``pairs`` and ``skipped``, which are DataFrames, and ``summary()``.

    Raises
    ------
    SimdupError
        If a column is missing, or an argument is invalid.
    """
    started = time.monotonic()
    settings = Settings.of(recipe, criteria, jobs=1, text=text, id=id, **fields)
    settings.check_distance()
    for argument, works in (("same", {TITLE, FACTS}), ("across", set[str]())):
        if set(getattr(settings.criteria, argument)) - works:
            what = "does not work on Spark" + (", but for title and facts" if works else "")
            raise SimdupError(argument, what, field=argument)
    # Without a column of titles the texts have them.
    titled = TITLE in settings.criteria.same and TITLE in df.columns
    settings = replace(settings, reading=replace(settings.reading, titled=titled))
    session = df.sparkSession
    if "connect" in type(session).__module__:
        what = "Spark Connect has no sparkContext, which gives the model to all machines"
        raise SimdupError("data", what, "run the job with spark-submit, or in a classic session")
    if checkpoint_dir is None and not session.sparkContext.master.startswith("local"):
        what = "a cluster needs a folder that all machines reach"
        raise SimdupError("checkpoint_dir", what, field="checkpoint_dir")
    folder = tempfile.mkdtemp(prefix="simdup-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    by = [order or id] if isinstance(order, str) or order is None else list(order)
    rows = open_rows(df, references, settings, by)
    checkpoint = f"{checkpoint_dir or folder}/{digest_of(rows, settings)}"
    job = Job(rows, settings, checkpoint, folder)
    job.numbers  # noqa: B018  # the last stage makes all others
    job.seconds = time.monotonic() - started
    return job


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
    name = require(df, id)
    twice = df.groupBy(name.alias("id")).count().where("count > 1").limit(1).collect()
    if twice:
        raise SimdupError("id", f"{twice[0][0]!r:.80} is the id of several rows", field="id")
    job = scan(df, recipe, criteria, id=id, **options)
    removed = job.groups.where("role = 'redundant'").selectExpr("id as _removed")
    return df.join(removed, name.eqNullSafe(removed["_removed"]), "left_anti")


# -- the stages


def _kept(make: Callable[[Job], DataFrame]) -> cached_property[DataFrame]:
    """Return the property that is a stage: what it makes is kept in a folder of its name.

    Files come into a folder one by one, so a second folder, which is written afterwards, says that
    all are there.
    """

    @wraps(make)
    def kept(job: Job) -> DataFrame:
        session, content = job.rows.sparkSession, f"{job.checkpoint}/{make.__name__}"
        if not exists(session, f"{content}.done"):
            make(job).write.mode("overwrite").parquet(content)
            session.range(1).coalesce(1).write.mode("overwrite").parquet(f"{content}.done")
        return session.read.parquet(content)

    return cached_property(kept)


@dataclass
class Job:
    """A scan: its rows, what is asked of them, and the stages, each made when it is asked for."""

    rows: DataFrame  # see `open_rows`
    settings: Settings
    checkpoint: str  # a folder that all machines reach, for one recipe, criteria and input
    folder: str  # of the driver, for the model
    many: int = MANY  # documents of a component that one task groups as they are
    seconds: float = 0.0

    # -- what users ask for

    @property
    def clusters(self) -> DataFrame:
        """A row for each document of a cluster, as in the CSV of `scan`.

        In a further column, `cluster_id`, is the id of the cluster's first document, which stays
        where numbers change.
        """
        columns = *CLUSTER_COLUMNS, *MEASURE_COLUMNS, "kept", "cluster_id"
        return self._ordered("member").withColumnRenamed("id", "document").select(*columns)

    @property
    def pairs(self) -> DataFrame:
        """A row for each pair of a cluster."""
        return self._ordered("pair").select("cluster", *PAIR_COLUMNS, *MEASURE_COLUMNS, "exact")

    def _ordered(self, kind: str) -> DataFrame:
        groups = self.groups.where(f"kind = '{kind}'").join(self.numbers, "first")
        return groups.orderBy("cluster", "place")

    @property
    def skipped(self) -> DataFrame:
        """One row for each document that could not take part, with the reason."""
        skipped = self.prepared.where("skipped is not null").orderBy("row")
        return skipped.selectExpr("id as document", "skipped as reason")

    def summary(self) -> Summary:
        """Return the figures of the scan."""
        figures = self.groups.selectExpr(
            "sum(checked) as checked", "sum(unchecked) as unchecked",
            "count_if(role = 'redundant') as redundant", "count_if(kind = 'pair') as pairs",
        )  # fmt: skip
        numbers: dict[str, Any] = figures.na.fill(0).collect()[0].asDict()
        return Summary(
            **numbers,
            documents=self.documents.count(),
            clusters=self.numbers.count(),
            skipped=self.skipped.count(),
            seconds=self.seconds,
            recipe=self.fingerprinter.fields,
            all_pairs=self.settings.criteria.all_pairs,
        )

    # -- documents and their fingerprints

    @cached_property
    def carried(self) -> Types:
        """The columns of the rows that are handed on from stage to stage."""
        return {
            field.name: field.type for field in self.rows.drop("texts").limit(0).toArrow().schema
        }

    @_kept
    def prepared(self) -> DataFrame:
        """All rows, with what was made of their texts, or why they were skipped."""
        analyzer = Analyzer.for_recipe(self.settings.recipe)
        work = partial(prepare.prepare, analyzer=analyzer, settings=self.settings)
        return run(self.rows, work, self.carried | prepare.DOCUMENTS, sliced=True)

    @_kept
    def frequencies(self) -> DataFrame:
        """How many documents have each term, but for terms of one document."""
        counts = self.prepared.select("ids")
        terms = run(counts, prepare.count_terms, prepare.FREQUENCIES, sliced=True).groupBy("term")
        return terms.agg({"documents": "sum"}).toDF("term", "documents").where("documents > 1")

    @cached_property
    def fingerprinter(self) -> Fingerprinter:
        """The recipe with its IDF."""
        analyzer = Analyzer.for_recipe(self.settings.recipe)
        documents = self.prepared.where("length(ids) > 0").count()
        if not learns(analyzer.recipe, documents):
            return Fingerprinter.alone(analyzer)
        model = prepare.model_of(self.frequencies.toArrow(), documents, analyzer.terms_digest)
        return Fingerprinter(analyzer, model, learned=True)

    @cached_property
    def sent(self) -> prepare.Sent:
        """What makes the fingerprinter in workers."""
        add = self.rows.sparkSession.sparkContext.addFile
        return prepare.sent(self.fingerprinter, self.folder, add)

    @_kept
    def documents(self) -> DataFrame:
        """The rows that take part, with their fingerprints."""
        criteria = self.settings.criteria
        work = partial(prepare.weigh, fingerprinter=self.sent, criteria=criteria)
        taken = self.prepared.where("skipped is null")
        return run(taken, work, self.carried | prepare.DOCUMENTS, sliced=True)

    @cached_property
    def size(self) -> float:
        """The number of documents, where it matters."""
        return self.documents.count() if self.settings.criteria.all_pairs else math.inf

    # -- components

    @property
    def share(self) -> bool:
        """Whether passages propose pairs."""
        return "passages" in self.settings.criteria.searches

    @_kept
    def shared(self) -> DataFrame:
        """The pairs of documents that share passages, as edges.

        Seeds that many documents have lead only to the largest and the smallest of these: see
        `simdup.reuse.sharing`.
        """
        documents, carried = self.documents.drop("original", *prepare.COUNTS), self.carried
        work = partial(components.list_seeds, settings=self.settings, carried=list(carried))
        seeds = _run_by("digest", documents, work, carried | components.SEEDS)
        meeting = seeds.repartition("seed").sortWithinPartitions("before", *_IN_ORDER)
        shares = run(meeting, components.share, components.SHARES)
        counted = shares.groupBy("kind", "large", "small").agg({"shared": "sum", "size": "max"})
        containment = self.settings.criteria.containment or 0
        least = ", ".join(f"{least_share(name, containment)}D" for name in SHARED)
        enough = counted.where(f"`sum(shared)` >= array({least})[kind] * `max(size)`")
        sides = "least(large, small) as root", "greatest(large, small) as row"
        return enough.selectExpr(*sides).distinct()

    @_kept
    def edges(self) -> DataFrame:
        """Edges that connect all candidates, and equal texts."""
        all_meet = self.settings.criteria.compares_all(self.size)
        work = partial(components.list_keys, settings=self.settings, all_meet=all_meet)
        keyed = self.documents.select(*components.KEYED)
        meeting = run(keyed, work, components.MEETINGS, sliced=True).repartition("key")
        connect = partial(components.connect, settings=self.settings)
        edges = run(meeting, connect, components.LABELS).where("row != root").drop("size")
        # Most pairs meet in several tasks.
        return (edges.unionByName(self.shared) if self.share else edges).distinct()

    @_kept
    def labels(self) -> DataFrame:
        """The component of each document that is connected to others."""
        return run(self.edges.repartition(1), components.label, components.LABELS)

    @_kept
    def components(self) -> DataFrame:
        """The labels, after large components were parted if they fall apart."""
        large, criteria = self.labels.where(f"size > {self.many}"), self.settings.criteria
        # Without sketches, or if passages connect documents, what is connected is proposed.
        if self.share or criteria.searches == ("simhash",) or large.isEmpty():
            return self.labels
        within = self.documents.drop("original", *SHARED).join(large.select("row", "root"), "row")
        work = partial(components.refine, fingerprinter=self.sent, settings=self.settings)
        parted = _run_by("root", within, work, components.LABELS)
        return self.labels.where(f"size <= {self.many}").unionByName(parted)

    # -- clusters

    @_kept
    def groups(self) -> DataFrame:
        """Members and pairs of clusters, and figures: see `components.GROUPS`."""
        documents = self.documents.drop(*SHARED)
        copies = "row > min(row) over (partition by root, digest) as copy"
        labels = documents.select("row", "digest").join(self.components, "row")
        # Where labels are few, Spark sends them to the documents, and only labelled texts are
        # shuffled.
        members = documents.join(labels.selectExpr("row", "root", copies), "row")
        if not self.settings.criteria.shingle.by_words:
            # Words may be cut otherwise in a text that differs in white space, and so may a form.
            text = "if(not copy or letters is not null, original, null) as original"
            members = members.selectExpr("* except(original)", text)
        if self.share:
            partners = self.shared.groupBy("root").agg({"row": "collect_list"})
            members = members.join(partners.toDF("row", "partners"), "row", "left")
        work = partial(
            components.group, fingerprinter=self.sent, settings=self.settings,
            carried=list(self.carried), size=self.size,
        )  # fmt: skip
        ids = dict.fromkeys(("kept", "a", "b"), self.carried["id"])
        return _run_by("root", members, work, self.carried | ids | components.GROUPS)

    @_kept
    def numbers(self) -> DataFrame:
        """The number of each cluster, by its first document."""
        place = f"row_number() over (order by size desc, {', '.join(_IN_ORDER)})"
        firsts = self.groups.where("kind = 'member' and row = first")
        return firsts.selectExpr("first", "id as cluster_id", f"cast({place} as bigint) as cluster")


def _run_by(key: str, frame: DataFrame, work: Work, columns: Types) -> DataFrame:
    """Return what is made of documents in input order, those with an equal key together."""
    return run(frame.repartition(key).sortWithinPartitions(*_IN_ORDER), work, columns)


def exists(session: Any, path: str) -> bool:
    """Return whether a path of any file system exists."""
    from pyspark.errors import AnalysisException

    try:
        # With several paths, Spark does not warn of those that do not exist.
        session.read.format("binaryFile").load([path, path])
    except AnalysisException:
        return False
    return True


# -- rows as a user has them, and as stages take them


def open_rows(
    frame: DataFrame, references: DataFrame | None, settings: Settings, order: Sequence[Any]
) -> DataFrame:
    """Return rows with what is wanted of them, references among them.

    Their columns are ``row``, ``reference``, ``id`` and ``position``, which says what comes first,
    all of which are handed on; then ``texts``, with the fields of texts, values and titles.

    Raises
    ------
    SimdupError
        If a column is missing.
    """
    from pyspark.sql import functions as F  # noqa: N812

    reading = settings.reading
    fields = *reading.text_fields, settings.criteria.keep_field, reading.titled and TITLE

    def choose(rows: DataFrame, reference: bool) -> DataFrame:
        by = [F.lit(not reference), *(require(rows, column) for column in order)]
        texts = [require(rows, name).alias(name) for name in dict.fromkeys(filter(None, fields))]
        return rows.select(
            F.lit(reference).alias("reference"), require(rows, reading.id_field).alias("id"),
            F.struct(*(column.alias(f"by{i}") for i, column in enumerate(by))).alias("position"),
            F.struct(*texts).alias("texts"),
        )  # fmt: skip

    chosen = choose(frame, reference=False)
    if references is not None:
        chosen = choose(references, reference=True).unionByName(chosen)
    return chosen.select(F.monotonically_increasing_id().alias("row"), "*")


def require(frame: DataFrame, column: Any) -> Any:
    """Return a column: `column` itself, or that of a name.

    Raises
    ------
    SimdupError
        If there is none.
    """
    from pyspark.errors import AnalysisException

    try:
        return frame[column] if isinstance(column, str) else column
    except AnalysisException:
        names = ", ".join(map(repr, frame.columns))
        what = f"there is no column {column!r} (columns: {names:.300})"
        raise SimdupError("data", what) from None


def digest_of(rows: DataFrame, settings: Settings) -> str:
    """Return a digest of all that decides the result."""
    content = rows.drop("row").selectExpr("cast(xxhash64(*) as decimal(20, 0)) as hash")
    total = content.selectExpr("sum(hash)", "count(*)").collect()[0]
    analyzer = Analyzer.for_recipe(settings.recipe)
    # What dictionaries and models hold, not where they are.
    read = analyzer.terms_digest
    if not settings.recipe.may_need_corpus:
        read = Fingerprinter.alone(analyzer).digest
    decisive = settings.recipe, settings.criteria, settings.reading
    written = repr([_FORMAT, __version__, *decisive, read, *total]).encode()
    return hashlib.blake2b(written, digest_size=10).hexdigest()
