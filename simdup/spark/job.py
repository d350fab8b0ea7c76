"""A scan as stages that Spark joins, shuffles, retries and spills; each ends in a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import pyarrow as pa

from simdup.base.errors import SimdupError
from simdup.model.settings import Settings
from simdup.reuse.sharing import SHARED as SHARED_COLUMNS
from simdup.reuse.sharing import least_share
from simdup.spark.groups import MANY, GroupDocuments, grouped_schema, refine
from simdup.spark.meet import (
    AT_ONCE,
    EDGES,
    LABELS,
    MEETINGS,
    SEEDS,
    SHARED,
    connect,
    contract,
    label,
    label_by_stars,
    list_compared,
    list_keys,
    list_seeds,
    share,
)
from simdup.spark.partitions import (
    DataFrame,
    Session,
    Task,
    carried_names,
    each,
    order_names,
    stream,
)
from simdup.spark.prepare import (
    COMPARED,
    COUNTS,
    FINGERPRINTS,
    TERMS,
    MappedModel,
    Prepare,
    count_terms,
    fields_read,
    model_of,
    prepared_schema,
    weigh,
)
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter, learns
from simdup.text.weights import Model

# Spark's names of common types, and the columns that have ids.
_TYPES = {
    pa.int64(): "long", pa.float64(): "double", pa.string(): "string", pa.binary(): "binary",
    pa.bool_(): "boolean",
}  # fmt: skip
_IDS = ("id", "cluster_id", "a", "b")


@dataclass(frozen=True)
class Checkpoint:
    """A folder that all machines reach, for one recipe, criteria and input."""

    session: Session
    folder: str

    def stage(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """Return what a stage has made, or make it.

        Files come into a folder one by one, so a second folder, which is written afterwards, says
        that all are there.
        """
        content, done = f"{self.folder}/{name}", f"{self.folder}/{name}.done"
        if not exists(self.session, done):
            make().write.mode("overwrite").parquet(content)
            self.session.range(1).coalesce(1).write.mode("overwrite").parquet(done)
        return self.session.read.parquet(content)


def exists(session: Session, path: str) -> bool:
    """Return whether a path of any file system exists."""
    from pyspark.errors import AnalysisException

    try:
        # With several paths, Spark does not warn of those that do not exist.
        session.read.format("binaryFile").load([path, path])
    except AnalysisException:
        return False
    return True


@dataclass(frozen=True)
class Job:
    """A scan: rows, what is asked of them, and where its stages are kept."""

    rows: DataFrame  # see `open_rows`
    settings: Settings
    checkpoint: Checkpoint
    folder: str  # of the driver, for the model
    many: int = MANY  # documents of a component that one task groups as they are
    at_once: int = AT_ONCE  # edges that one task joins

    @cached_property
    def analyzer(self) -> Analyzer:
        """What turns texts into terms."""
        return Analyzer.for_recipe(self.settings.recipe)

    @cached_property
    def carried(self) -> pa.Schema:
        """The columns of the rows that are handed on from stage to stage."""
        empty: pa.Table = self.rows.select(*carried_names(self.rows.columns)).limit(0).toArrow()
        return empty.schema

    # -- stages

    @cached_property
    def prepared(self) -> DataFrame:
        """Documents, skipped rows and counts: see `prepare`."""
        task = Task(Prepare(self.analyzer, self.settings), prepared_schema(self.carried), stream)
        return self._stage("prepared", lambda: self._map(self.rows, task))

    @property
    def documents(self) -> DataFrame:
        """The prepared documents."""
        return self.prepared.where("digest is not null")

    @property
    def _counts(self) -> DataFrame:
        return self.prepared.where("counts is not null").select(*COUNTS)

    @cached_property
    def _frequencies(self) -> DataFrame:
        """How many documents have each term, of terms in several documents."""
        from pyspark.sql import functions as F  # noqa: N812

        def make() -> DataFrame:
            work = partial(count_terms, hash_bytes=self.analyzer.hash_bytes)
            terms = self._map(self._counts, Task(work, TERMS, each)).groupBy("term")
            return terms.agg(F.sum("documents").alias("documents")).where("documents > 1")

        return self._stage("frequencies", make)

    @cached_property
    def fingerprinter(self) -> Fingerprinter:
        """The recipe with its IDF."""
        from pyspark.sql import functions as F  # noqa: N812

        ((documents,),) = self.prepared.agg(F.coalesce(F.sum("with_terms"), F.lit(0))).collect()
        if not learns(self.settings.recipe, documents):
            return Fingerprinter.alone(self.analyzer)
        model = model_of(self._frequencies.toArrow(), documents, self.analyzer.terms_digest)
        return Fingerprinter(self.analyzer, model, learned=True)

    @cached_property
    def fingerprints(self) -> DataFrame:
        """The fingerprint of each document."""

        def make() -> DataFrame:
            made, criteria = self.fingerprinter, self.settings.criteria
            if isinstance(made.idf, Model):
                shared = MappedModel.save(made.idf, self.folder)
                self.checkpoint.session.sparkContext.addFile(shared.path)
                made = replace(made, idf=shared)
            work = partial(weigh, fingerprinter=made, criteria=criteria)
            return self._map(self._counts, Task(work, FINGERPRINTS, each))

        return self._stage("fingerprints", make)

    @cached_property
    def _shared(self) -> DataFrame | None:
        """The pairs of documents that share passages, as edges; None if these are not searched.

        Seeds that many documents have lead only to the largest and the smallest of these: see
        `simdup.reuse.sharing`.
        """
        from pyspark.sql import functions as F  # noqa: N812

        criteria = self.settings.criteria
        if "passages" not in criteria.searches:
            return None

        def rank(name: str) -> DataFrame:
            known = ["digest", "title_key", "named", "letters", "facts"]
            size = F.length(f"{name}_bytes").alias("size")
            documents = self.documents.select(*self.carried.names, *known, size)
            prints = self.fingerprints.select("row", "fingerprint", "terms")
            schema = self.carried.append(pa.field("size", pa.int64()))
            task = Task(partial(list_compared, settings=self.settings), schema)
            compared = self._map(documents.join(prints, "row").repartition("digest"), task)
            # Sorted, the rows of each task have higher numbers than those of the task before.
            ranked = compared.orderBy(F.desc("size"), *self._by_input)
            return ranked.select("row", F.monotonically_increasing_id().alias("rank"))

        def pair(name: str) -> DataFrame:
            ranks = self._stage(f"ranks-{name}", partial(rank, name))
            own = self.documents.select("row", F.col(f"{name}_bytes").alias("bytes"))
            with_seeds = ranks.join(own, "row")
            seeds = self._map(with_seeds, Task(list_seeds, SEEDS, each)).repartition("seed")
            pairs = self._map(seeds, Task(share, SHARED)).groupBy("large", "small")
            counted = pairs.agg(F.sum("shared").alias("shared"), F.max("size").alias("size"))
            least = F.lit(least_share(name, criteria.containment or 0))
            enough = counted.where(F.col("shared") >= least * F.col("size"))
            low, high = F.least("large", "small"), F.greatest("large", "small")
            return enough.select(low.alias("a"), high.alias("b"), F.lit(False).alias("copy"))

        def both() -> DataFrame:
            seeds, *runs = map(pair, SHARED_COLUMNS if criteria.by_runs else SHARED_COLUMNS[:1])
            return seeds.unionByName(*runs).distinct() if runs else seeds

        return self._stage("shared", both)

    @cached_property
    def _compares_all(self) -> bool:
        """Whether all pairs are compared, which are then in one task."""
        criteria = self.settings.criteria
        return criteria.all_pairs and criteria.compares_all(self.documents.count())

    @cached_property
    def _edges(self) -> DataFrame:
        """Edges that connect all candidates, and equal texts."""

        def make() -> DataFrame:
            texts = self.documents.select("row", "digest", "keys", "letters", "form_keys")
            prints = self.fingerprints.where("terms > 0")
            prints = prints.select("row", "terms", "fingerprint", "vector_keys")
            work = partial(list_keys, settings=self.settings, every=self._compares_all)
            task = Task(work, MEETINGS, each)
            of_texts, of_prints = (self._map(frame, task) for frame in (texts, prints))
            meeting = of_texts.unionByName(of_prints).repartition("key")
            edges = self._map(meeting, Task(partial(connect, settings=self.settings), EDGES))
            return edges if self._shared is None else edges.unionByName(self._shared)

        return self._stage("edges", make)

    @cached_property
    def _labels(self) -> DataFrame:
        """The component of each document that is connected to others."""

        def make() -> DataFrame:
            fewer = self._map(self._edges, Task(contract, EDGES))
            if self._edges.count() > self.at_once:
                return label_by_stars(fewer, self._stage)
            return self._map(fewer.repartition(1, "a"), Task(label, LABELS))

        return self._stage("labels", make)

    @cached_property
    def _components(self) -> DataFrame:
        """The labels, after components of many documents were parted if they fall apart."""
        large = self._labels.groupBy("root").count().where(f"count > {self.many}").select("root")
        # Without sketches, or if passages connect documents, what is connected is proposed.
        sketched = self.settings.criteria.searches != ("simhash",)
        if not sketched or self._shared is not None or large.isEmpty():
            return self._labels

        def make() -> DataFrame:
            labels = self._join(self._labels.join(large, "root", "left_semi"))
            task = Task(partial(refine, settings=self.settings), LABELS)
            fewer = self._map(labels.repartition("root"), task)
            return self._labels.join(large, "root", "left_anti").unionByName(fewer)

        return self._stage("components", make)

    @cached_property
    def groups(self) -> DataFrame:
        """Members and pairs of clusters, and figures: see `groups`."""
        from pyspark.sql import functions as F  # noqa: N812

        def make() -> DataFrame:
            joined = self._join(self._components, "value", "text_bytes")
            if self._shared is not None:
                partners = F.collect_list("b").alias("partners")
                shared = self._shared.groupBy(F.col("a").alias("row")).agg(partners)
                joined = joined.join(shared, "row", "left")
            work = GroupDocuments(self.analyzer, self.settings, self._compares_all)
            return self._map(joined.repartition("root"), Task(work, grouped_schema(self.carried)))

        return self._stage("groups", make)

    @cached_property
    def numbers(self) -> DataFrame:
        """The number of each cluster, by its first document: larger ones first."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F  # noqa: N812

        def make() -> DataFrame:
            first = self.groups.where("kind = 'member' and row = first")
            by = Window.orderBy(F.desc("size"), *self._by_input)
            return first.select("first", F.row_number().over(by).cast("bigint").alias("cluster"))

        return self._stage("numbers", make)

    # -- how a stage is made

    @property
    def _by_input(self) -> list[Any]:
        from pyspark.sql import functions as F  # noqa: N812

        return [F.desc("reference"), *map(F.asc, order_names(self.carried.names))]

    def _join(self, labels: DataFrame, *wanted: str) -> DataFrame:
        """Return labelled documents with their fingerprints, keys, and what else is wanted.

        Labels come first: where they are few, Spark sends them to the documents, and only labelled
        texts are shuffled.
        """
        from pyspark.sql import functions as F  # noqa: N812

        columns = [*self.carried.names, *COMPARED, *wanted]
        labelled = self.documents.select(*columns).join(labels, "row")
        if "text_bytes" in wanted and not self.settings.criteria.shingle.by_words:
            # Words may be cut otherwise in a text that differs in white space, and so may a form.
            own = ~F.col("copy") | F.col("letters").isNotNull()
            labelled = labelled.withColumn("text_bytes", F.when(own, F.col("text_bytes")))
        return labelled.join(self.fingerprints, "row")

    def _stage(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        return self.checkpoint.stage(name, make)

    def _map(self, frame: DataFrame, task: Task) -> DataFrame:
        """Return what a task makes of each partition."""
        from pyspark.sql.types import StructType

        known, schema = {field.name: field.dataType for field in self.rows.schema}, StructType()
        for field in task.schema:
            of_id = field.name in _IDS and field.type == self.carried.field("id").type
            name = "id" if of_id else field.name
            kind = known[name] if name in self.carried.names else _TYPES[field.type]
            schema.add(field.name, kind)
        # Spark takes functions only.
        return frame.mapInArrow(lambda batches: task(batches), schema)


# -- rows as a user has them, and as stages take them


def open_rows(
    frame: DataFrame, references: DataFrame | None, settings: Settings, order: Sequence[Any]
) -> DataFrame:
    """Return rows with what is wanted of them, references among them.

    Their columns are ``row``, ``reference``, ``id`` and ``order0`` ..., which are handed on, then
    ``text0`` ...: see `fields_read`.

    Raises
    ------
    SimdupError
        If a column is missing.
    """
    from pyspark.sql import functions as F  # noqa: N812

    wanted: dict[str, Any] = {"id": settings.reading.id_field}
    wanted |= {f"order{i}": one for i, one in enumerate(order)}
    wanted |= {f"text{i}": one for i, one in enumerate(fields_read(settings))}

    def choose(rows: DataFrame, reference: bool) -> DataFrame:
        columns = (require(rows, one).alias(name) for name, one in wanted.items())
        return rows.select(F.lit(reference).alias("reference"), *columns)

    chosen = choose(frame, reference=False)
    if references is not None:
        chosen = choose(references, reference=True).unionByName(chosen)
    return chosen.select(F.monotonically_increasing_id().alias("row"), "*")


def require(frame: DataFrame, wanted: Any) -> Any:
    """Return a column: `wanted` itself, or by its name, with dots or into a structure.

    Raises
    ------
    SimdupError
        If there is none.
    """
    from pyspark.errors import AnalysisException
    from pyspark.sql import functions as F  # noqa: N812

    if not isinstance(wanted, str):
        return wanted
    for column in (F.col(f"`{wanted}`"), F.col(wanted)):
        try:
            frame.select(column).schema  # noqa: B018
        except AnalysisException:
            continue
        return column
    names = ", ".join(map(repr, frame.columns))
    raise SimdupError("data", f"there is no column {wanted!r} (columns: {names:.300})")
