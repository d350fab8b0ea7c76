"""The stages of a scan, joined by Spark, which shuffles, retries and spills."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pyarrow as pa

from simdup.model.settings import Settings
from simdup.spark.checkpoint import Checkpoint, DataFrame
from simdup.spark.groups import MANY, GroupDocuments, Refine, grouped_schema
from simdup.spark.meet import (
    AT_ONCE,
    EDGES,
    LABELS,
    contract,
    label,
    label_by_stars,
    make_edges,
    pair_shared,
    rank,
)
from simdup.spark.prepare import COMPARED, Prepare, prepared_schema
from simdup.spark.rows import DocumentRows
from simdup.spark.weigh import FINGERPRINTS, TERMS, ModelFile, Weigh, count_terms, model_of
from simdup.text.analyzer import Analyzer
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.weights import ENOUGH_DOCUMENTS, Model, NoIdf


@dataclass(frozen=True)
class Job:
    """A scan: rows, what is asked of them, and where its stages are kept."""

    rows: DocumentRows
    settings: Settings
    checkpoint: Checkpoint
    folder: str  # of the driver, for the model
    many: int = MANY  # documents of a component that one task groups as they are
    at_once: int = AT_ONCE  # edges that one task joins

    @cached_property
    def analyzer(self) -> Analyzer:
        """What turns texts into terms."""
        return Analyzer.for_recipe(self.settings.recipe)

    # -- stages

    @cached_property
    def prepared(self) -> DataFrame:
        """Documents, skipped rows and counts: see `prepare`."""
        task = Prepare(self.analyzer, self.settings, self.rows.carried)
        schema = prepared_schema(self.rows.carried)
        return self.stage("prepared", lambda: self.map(self.rows.frame, task, schema))

    @property
    def documents(self) -> DataFrame:
        """The prepared documents."""
        return self.prepared.where("digest is not null")

    @property
    def counts(self) -> DataFrame:
        """The counts of documents, many in a row."""
        return self.prepared.where("counts is not null").select("counts", "rows", "text_of")

    @cached_property
    def frequencies(self) -> DataFrame:
        """How many documents have each term, of terms in several documents."""
        from pyspark.sql import functions as F  # noqa: N812

        def make() -> DataFrame:
            task = partial(count_terms, hash_bytes=self.analyzer.hash_bytes)
            terms = self.map(self.counts, task, TERMS).groupBy("term")
            return terms.agg(F.sum("documents").alias("documents")).where("documents > 1")

        return self.stage("frequencies", make)

    @cached_property
    def fingerprinter(self) -> Fingerprinter:
        """The recipe with its IDF."""
        recipe = self.settings.recipe
        documents = self.documents.count()
        enough = recipe.idf == "corpus" or documents >= ENOUGH_DOCUMENTS
        if not recipe.may_need_corpus or not enough:
            return Fingerprinter.alone(self.analyzer)
        model = model_of(self.frequencies.toArrow(), documents, self.analyzer.terms_digest)
        return Fingerprinter(self.analyzer, model, learned=True)

    @cached_property
    def fingerprints(self) -> DataFrame:
        """The fingerprint of each document."""

        def make() -> DataFrame:
            fingerprinter, model = self.fingerprinter, None
            if isinstance(fingerprinter.idf, Model):
                model = ModelFile.save(fingerprinter.idf, self.folder)
                self.checkpoint.session.sparkContext.addFile(model.path)
                fingerprinter = Fingerprinter(self.analyzer, NoIdf())
            task = Weigh(fingerprinter, self.settings.criteria, model)
            return self.map(self.counts, task, FINGERPRINTS)

        return self.stage("fingerprints", make)

    @cached_property
    def shared(self) -> DataFrame | None:
        """The pairs of documents that share passages, as edges; None if these are not searched."""
        if "passages" not in self.settings.criteria.searches:
            return None
        ranks = self.stage("ranks", lambda: rank(self))
        return self.stage("shared", lambda: pair_shared(self, ranks))

    @cached_property
    def compares_all(self) -> bool:
        """Whether all pairs are compared, which are then in one task."""
        criteria = self.settings.criteria
        return criteria.all_pairs and criteria.compares_all(self.documents.count())

    @cached_property
    def edges(self) -> DataFrame:
        """Edges that connect all candidates."""
        return self.stage("edges", lambda: make_edges(self))

    @cached_property
    def labels(self) -> DataFrame:
        """The component of each document that is connected to others."""

        def make() -> DataFrame:
            fewer = self.map(self.edges, contract, EDGES)
            if self.edges.count() > self.at_once:
                return label_by_stars(fewer, self.stage)
            return self.map(fewer.repartition(1, "a"), label, LABELS)

        return self.stage("labels", make)

    @cached_property
    def groups(self) -> DataFrame:
        """Members and pairs of clusters, and figures: see `groups`."""
        return self.stage("groups", self._make_groups)

    def _make_groups(self) -> DataFrame:
        from pyspark.sql import functions as F  # noqa: N812

        joined = self._join(self.components, "value", "text_bytes")
        if self.shared is not None:
            partners = F.collect_list("b").alias("partners")
            shared = self.shared.groupBy(F.col("a").alias("row")).agg(partners)
            joined = joined.join(shared, "row", "left")
        carried = self.rows.carried
        task = GroupDocuments(self.analyzer, self.settings, carried, self.compares_all)
        return self.map(joined.repartition("root"), task, grouped_schema(carried))

    @cached_property
    def components(self) -> DataFrame:
        """The labels, after components of many documents were parted if they fall apart."""
        large = self.labels.groupBy("root").count().where(f"count > {self.many}").select("root")
        # Without sketches, or if passages connect documents, what is connected is proposed.
        sketched = self.settings.criteria.searches != ("simhash",)
        if not sketched or self.shared is not None or large.isEmpty():
            return self.labels

        def make() -> DataFrame:
            labels = self._join(self.labels.join(large, "root", "left_semi"))
            task = Refine(self.settings, self.rows.carried)
            fewer = self.map(labels.repartition("root"), task, LABELS)
            return self.labels.join(large, "root", "left_anti").unionByName(fewer)

        return self.stage("components", make)

    def _join(self, labels: DataFrame, *wanted: str) -> DataFrame:
        """Return labelled documents with their fingerprints, keys, and what else is wanted.

        Labels come first: where they are few, Spark sends them to the documents, and only labelled
        texts are shuffled.
        """
        from pyspark.sql import functions as F  # noqa: N812

        columns = [*self.rows.names, *COMPARED, *wanted]
        labelled = self.documents.select(*columns).join(labels, "row")
        if "text_bytes" in wanted and not self.settings.criteria.shingle.by_words:
            # Words may be cut otherwise in a text that differs in white space, and so may a form.
            own = ~F.col("copy") | F.col("letters").isNotNull()
            labelled = labelled.withColumn("text_bytes", F.when(own, F.col("text_bytes")))
        return labelled.join(self.fingerprints, "row")

    @cached_property
    def numbers(self) -> DataFrame:
        """The number of each cluster, by its first document: larger ones first."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F  # noqa: N812

        def make() -> DataFrame:
            first = self.groups.where("kind = 'member' and row = first")
            by = [F.desc("size"), F.desc("reference"), *map(F.asc, self.rows.input_order)]
            number = F.row_number().over(Window.orderBy(*by)).cast("bigint")
            return first.select("first", number.alias("cluster"))

        return self.stage("numbers", make)

    # -- how a stage is made

    def stage(self, name: str, make: Any) -> DataFrame:
        """Return what a stage has made, or make it."""
        return self.checkpoint.stage(name, make)

    def map(self, frame: DataFrame, task: Any, schema: pa.Schema) -> DataFrame:
        """Return what a task makes of the batches of each partition."""
        # Spark takes functions only.
        return frame.mapInArrow(lambda batches: task(batches), self.rows.schema(schema))
