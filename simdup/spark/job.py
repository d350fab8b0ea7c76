"""Scan and dedupe rows of a DataFrame, with the results of `simdup.scan` and `simdup.dedupe`.

`Job.run` has all stages.  Spark joins, shuffles, retries and spills; each ends in a checkpoint.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import math
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, Unpack

import pyarrow as pa

from simdup._version import __version__
from simdup.base.errors import SimdupError
from simdup.model.clusters import Summary
from simdup.model.criteria import Criteria, CriteriaFields
from simdup.model.fields import FACTS, TITLE
from simdup.model.formats import CLUSTER_COLUMNS, MEASURE_COLUMNS, PAIR_COLUMNS
from simdup.model.recipe import Recipe, recipe_fields
from simdup.model.settings import Settings
from simdup.reuse.sharing import SHARED, least_share
from simdup.spark import components, prepare
from simdup.spark.partitions import DataFrame, Session, Work, each, run, stream
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter, learns
from simdup.text.weights import Model, NoIdf

# The format of checkpoints; those of other formats are not read.
_FORMAT = 4
# Documents of a component that one task groups with their texts: some 100 MB of pages.
MANY = 1 << 16
# Edges that one task joins: 2 GB, and some 10 s.
AT_ONCE = 50_000_000
# What orders documents as the input does.
_IN_ORDER = ("position", "id", "row")


# -- what users call


@dataclass(frozen=True)
class Found:
    """What a scan found: DataFrames that are read from its checkpoint."""

    job: Job
    prepared: DataFrame  # documents, skipped rows and counts: see `prepare`
    documents: DataFrame  # those of them that take part
    groups: DataFrame  # members and pairs of clusters, and figures: see `components`
    numbers: DataFrame  # the number of each cluster, by its first document
    fingerprinter: Callable[[], Fingerprinter]  # the recipe with its IDF
    seconds: float

    @property
    def members(self) -> DataFrame:
        """All that is known of the members of clusters, in undefined order."""
        return self.groups.where("kind = 'member'").join(self.numbers, "first")

    @property
    def clusters(self) -> DataFrame:
        """A row for each document of a cluster, as in the CSV of `scan`.

        In a further column, `cluster_id`, is the id of the cluster's first document, which stays
        where numbers change.
        """
        ordered = self.members.withColumnRenamed("id", "document").orderBy("cluster", "place")
        return ordered.select(*CLUSTER_COLUMNS, *MEASURE_COLUMNS, "kept", "cluster_id")

    @property
    def pairs(self) -> DataFrame:
        """A row for each pair of a cluster."""
        pairs = self.groups.where("kind = 'pair'").join(self.numbers, "first")
        ordered = pairs.orderBy("cluster", "place")
        return ordered.select("cluster", *PAIR_COLUMNS, *MEASURE_COLUMNS, "exact")

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
            recipe=self.fingerprinter().fields,
            all_pairs=self.job.settings.criteria.all_pairs,
        )


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
    result = Job(rows, settings, checkpoint, folder).run()
    return replace(result, seconds=time.monotonic() - started)


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
    result = scan(df, recipe, criteria, id=id, **options)
    redundant = result.members.where("role = 'redundant' and not reference")
    removed = redundant.selectExpr("id as _removed")
    return df.join(removed, name.eqNullSafe(removed["_removed"]), "left_anti")


# -- the stages


@dataclass(frozen=True)
class Job:
    """A scan: rows, what is asked of them, and where its stages are kept."""

    rows: DataFrame  # see `open_rows`
    settings: Settings
    checkpoint: str  # a folder that all machines reach, for one recipe, criteria and input
    folder: str  # of the driver, for the model
    many: int = MANY  # documents of a component that one task groups as they are
    at_once: int = AT_ONCE  # edges that one task joins

    def run(self) -> Found:
        """Make what the checkpoint lacks, stage by stage."""
        criteria, stage = self.settings.criteria, self.stage
        work = partial(prepare.prepare, analyzer=self.analyzer, settings=self.settings)
        columns = prepare.prepared_schema(self.carried)
        prepared = stage("prepared", lambda: run(self.rows, work, columns, stream))
        documents = prepared.where("row is not null and skipped is null")
        counts = prepared.where("counts is not null")
        fingerprinter = cache(partial(self._fingerprinter, counts))
        prints = stage("fingerprints", lambda: self._prints(counts, fingerprinter()))
        shared = None
        if "passages" in criteria.searches:
            ranks = stage("ranks", lambda: self._ranks(documents, prints))
            shared = stage("shared", lambda: self._shared(documents, ranks))
        size = documents.count() if criteria.all_pairs else math.inf
        all_meet = criteria.compares_all(size)
        edges = stage("edges", lambda: self._edges(documents, prints, shared, all_meet))
        connected = labels = stage("labels", lambda: self._labels(edges))
        joined = partial(self._joined, documents, prints)
        large = labels.groupBy("root").count().where(f"count > {self.many}").select("root")
        # Without sketches, or if passages connect documents, what is connected is proposed.
        if criteria.searches != ("simhash",) and shared is None and not large.isEmpty():
            labels = stage("components", lambda: self._parted(connected, large, joined))
        members = joined(labels, "value", "text_bytes")
        groups = stage("groups", lambda: self._groups(members, shared, size))
        place = f"row_number() over (order by size desc, {', '.join(_IN_ORDER)})"
        firsts = groups.where("kind = 'member' and row = first")
        numbered = firsts.selectExpr("first", f"cast({place} as bigint) as cluster")
        numbers = stage("numbers", lambda: numbered)
        return Found(self, prepared, documents, groups, numbers, fingerprinter, 0.0)

    def stage(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """Return what a stage has made, or make it.

        Files come into a folder one by one, so a second folder, which is written afterwards, says
        that all are there.
        """
        session, content = self.rows.sparkSession, f"{self.checkpoint}/{name}"
        if not exists(session, f"{content}.done"):
            make().write.mode("overwrite").parquet(content)
            session.range(1).coalesce(1).write.mode("overwrite").parquet(f"{content}.done")
        return session.read.parquet(content)

    @cached_property
    def analyzer(self) -> Analyzer:
        """What turns texts into terms."""
        return Analyzer.for_recipe(self.settings.recipe)

    @cached_property
    def carried(self) -> pa.Schema:
        """The columns of the rows that are handed on from stage to stage."""
        schema: pa.Schema = self.rows.drop("texts").limit(0).toArrow().schema
        # Rows of counts lack them.
        return pa.schema([field.with_nullable(True) for field in schema])

    def _fingerprinter(self, counts: DataFrame) -> Fingerprinter:
        """Return the recipe with its IDF; terms of one document are not in the model."""
        analyzer = self.analyzer
        documents = counts.selectExpr("sum(with_terms)").collect()[0][0] or 0
        if not learns(self.settings.recipe, documents):
            return Fingerprinter.alone(analyzer)

        def make() -> DataFrame:
            work = partial(prepare.count_terms, hash_bytes=analyzer.hash_bytes)
            terms = run(counts, work, prepare.FREQUENCIES, each).groupBy("term")
            return terms.agg({"documents": "sum"}).toDF("term", "documents").where("documents > 1")

        frequencies = self.stage("frequencies", make).toArrow()
        model = prepare.model_of(frequencies, documents, analyzer.terms_digest)
        return Fingerprinter(analyzer, model, learned=True)

    def _prints(self, counts: DataFrame, fingerprinter: Fingerprinter) -> DataFrame:
        """Return the fingerprint of each document."""
        criteria, idf, model = self.settings.criteria, fingerprinter.idf, None
        if isinstance(idf, Model):
            path, model = prepare.save_model(idf, self.folder)
            counts.sparkSession.sparkContext.addFile(path)
            fingerprinter = replace(fingerprinter, idf=NoIdf())
        work = partial(prepare.weigh, fingerprinter=fingerprinter, criteria=criteria, model=model)
        return run(counts, work, prepare.FINGERPRINTS, each)

    def _ranks(self, documents: DataFrame, prints: DataFrame) -> DataFrame:
        """Return the documents whose passages are compared, by falling number of seeds."""
        about = "digest", "title_key", "named", "letters", "facts"
        comparable = documents.select(*self.carried.names, *about).join(prints, "row")
        work = partial(components.list_compared, settings=self.settings)
        compared = self._run_by("digest", comparable, work, self.carried)
        sized = compared.join(_seeds(documents), "row").selectExpr("*", "-length(bytes) as size")
        # Sorted, the rows of each task have higher numbers than those of the task before.
        ranked = sized.orderBy("size", *_IN_ORDER)
        return ranked.selectExpr("row", "kind", "monotonically_increasing_id() as rank")

    def _shared(self, documents: DataFrame, ranks: DataFrame) -> DataFrame:
        """Return the pairs of documents that share passages, as edges.

        Seeds that many documents have lead only to the largest and the smallest of these: see
        `simdup.reuse.sharing`.
        """
        ranked = ranks.join(_seeds(documents), ["row", "kind"])
        seeds = run(ranked, components.list_seeds, components.SEEDS, each).repartition("seed")
        shared = run(seeds, components.share, components.SHARED).groupBy("kind", "large", "small")
        counted = shared.agg({"shared": "sum", "size": "max"}).toDF(*components.SHARED.names)
        containment = self.settings.criteria.containment or 0
        least = ", ".join(f"{least_share(name, containment)}D" for name in SHARED)
        enough = counted.where(f"shared >= array({least})[kind] * size")
        sides = "least(large, small) as a", "greatest(large, small) as b"
        return enough.selectExpr(*sides, "false as copy").distinct()

    def _edges(
        self, documents: DataFrame, prints: DataFrame, shared: DataFrame | None, all_meet: bool
    ) -> DataFrame:
        """Return edges that connect all candidates, and equal texts."""
        texts = documents.select("row", "digest", "keys", "letters", "form_keys")
        prints = prints.where("terms > 0").select("row", "terms", "fingerprint", "vector_keys")
        work = partial(components.list_keys, settings=self.settings, all_meet=all_meet)
        of_texts, of_prints = (
            run(frame, work, components.MEETINGS, each) for frame in (texts, prints)
        )
        meeting = of_texts.unionByName(of_prints).repartition("key")
        connect = partial(components.connect, settings=self.settings)
        edges = run(meeting, connect, components.EDGES)
        return edges if shared is None else edges.unionByName(shared)

    def _labels(self, edges: DataFrame) -> DataFrame:
        """Return the component of each document that is connected to others."""
        stars = run(edges, components.contract, components.STARS)
        if edges.count() > self.at_once:
            stars = components.large_and_small_stars(stars, self.stage)
        else:
            stars = run(stars.repartition(1, "a"), components.contract, components.STARS)
        roots = stars.selectExpr("a as row", "a as root").distinct()
        labels = stars.selectExpr("b as row", "a as root").unionByName(roots)
        copies = edges.where("copy").selectExpr("b as row", "copy").distinct()
        return labels.join(copies, "row", "left").na.fill({"copy": False})

    def _joined(
        self, documents: DataFrame, prints: DataFrame, labels: DataFrame, *beside: str
    ) -> DataFrame:
        """Return labelled documents with all that decides about them.

        Labels come first: where they are few, Spark sends them to the documents, and only labelled
        texts are shuffled.
        """
        columns = [*self.carried.names, *prepare.COMPARED, *beside]
        labelled = documents.select(*columns).join(labels, "row")
        if "text_bytes" in beside and not self.settings.criteria.shingle.by_words:
            # Words may be cut otherwise in a text that differs in white space, and so may a form.
            sent = "if(not copy or letters is not null, text_bytes, null) as text_bytes"
            labelled = labelled.selectExpr("* except(text_bytes)", sent)
        return labelled.join(prints, "row")

    def _parted(
        self, labels: DataFrame, large: DataFrame, joined: Callable[[DataFrame], DataFrame]
    ) -> DataFrame:
        """Return the labels, after large components were parted if they fall apart."""
        within = joined(labels.join(large, "root", "left_semi"))
        work = partial(components.refine, settings=self.settings)
        parted = self._run_by("root", within, work, components.LABELS)
        return labels.join(large, "root", "left_anti").unionByName(parted)

    def _groups(self, members: DataFrame, shared: DataFrame | None, size: float) -> DataFrame:
        """Return members and pairs of clusters, and figures."""
        if shared is not None:
            partners = shared.groupBy("a").agg({"b": "collect_list"}).toDF("row", "partners")
            members = members.join(partners, "row", "left")
        work = partial(
            components.group, analyzer=self.analyzer, settings=self.settings,
            carried=self.carried.names, size=size,
        )  # fmt: skip
        return self._run_by("root", members, work, components.grouped_schema(self.carried))

    def _run_by(self, key: str, frame: DataFrame, work: Work, schema: pa.Schema) -> DataFrame:
        """Return what is made of documents in input order, those with an equal key together."""
        return run(frame.repartition(key).sortWithinPartitions(*_IN_ORDER), work, schema)


def _seeds(documents: DataFrame) -> DataFrame:
    """Return the seeds of documents, and the runs of short ones: rows of `kind` 0 and 1."""
    columns = ", ".join(f"{kind}, {name}_bytes" for kind, name in enumerate(SHARED))
    seeds = documents.selectExpr("row", f"stack({len(SHARED)}, {columns}) as (kind, bytes)")
    return seeds.where("length(bytes) > 0")


def exists(session: Session, path: str) -> bool:
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
    """Return a column: `column` itself, or by its name, with dots or into a structure.

    Raises
    ------
    SimdupError
        If there is none.
    """
    from pyspark.errors import AnalysisException

    for name in (f"`{column}`", column) if isinstance(column, str) else ():
        try:
            return frame[name]
        except AnalysisException:
            continue
    if not isinstance(column, str):
        return column
    names = ", ".join(map(repr, frame.columns))
    raise SimdupError("data", f"there is no column {column!r} (columns: {names:.300})")


def digest_of(rows: DataFrame, settings: Settings) -> str:
    """Return a digest of all that decides the result."""
    content = rows.drop("row").selectExpr("cast(xxhash64(*) as decimal(20, 0)) as hash")
    total = content.selectExpr("sum(hash)", "count(*)").collect()[0]
    recipe, reading = settings.recipe, settings.reading
    analyzer = Analyzer.for_recipe(recipe)
    # What dictionaries and models hold, not where they are.
    read = analyzer.terms_digest
    if not recipe.may_need_corpus:
        read = Fingerprinter.alone(analyzer).digest
    decisive = [_FORMAT, __version__, recipe_fields(recipe), repr(settings.criteria), read]
    # The same columns may be two parts of a text, or a text and a title.
    decisive += [reading.text_fields, reading.titled, *map(str, total)]
    written = json.dumps(decisive, sort_keys=True).encode()
    return hashlib.blake2b(written, digest_size=10).hexdigest()
