"""The documents of a scan by row: one table, and what is known of their texts.

Documents that indexes hold come first; then a row for whatever was named, in the order of reading.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from simdup.model.clusters import Cluster
from simdup.model.criteria import Criteria
from simdup.model.measures import MeasuredPairs
from simdup.model.settings import Settings
from simdup.model.table import Documents
from simdup.near.candidates import Candidates, searches_of
from simdup.near.clustering import form_clusters
from simdup.near.collection import Collection
from simdup.near.join import Joined
from simdup.near.measures import Measure, forms_of
from simdup.near.orders import order_of
from simdup.near.texts import Texts
from simdup.search.arrays import I64, RowIds
from simdup.text.fingerprinter import Fingerprinter
from simdup.text.weights import Weighting


@dataclass(frozen=True)
class Rows:
    """The documents of a scan.

    Attributes
    ----------
    settings : Settings
    corpus : Collection
        What was read.
    texts : Texts
        By the rows of `corpus`.
    fingerprinter : Fingerprinter
    weighting : Weighting
        The terms of `corpus`.
    documents : Documents
        Fingerprints, and the columns of rules.
    text_of : int64[n]
        The row of `corpus` that has the text of each; below 0 for none.
    held : MeasuredPairs
        With documents of indexes, which take their `b`.
    measure : callable
        Measures pairs of rows.
    notes : sequence of (str, str)
        What a person should know about matches with indexes.
    """

    settings: Settings
    corpus: Collection
    texts: Texts
    fingerprinter: Fingerprinter
    weighting: Weighting
    documents: Documents
    text_of: RowIds
    held: MeasuredPairs
    measure: Measure
    notes: Sequence[tuple[str, str]] = ()

    @property
    def criteria(self) -> Criteria:
        """When two documents are near-duplicates."""
        return self.settings.criteria

    @cached_property
    def of_texts(self) -> Collection:
        """What is known of the text of each."""
        return self.corpus.of_rows(self.text_of)

    @cached_property
    def order(self) -> I64:
        """The place of each in the order of keeping (int64[n])."""
        return order_of(self.documents, self.criteria, self.of_texts.__getitem__)

    @property
    def numbers(self) -> range:
        """The number that a result gives to each: below 0 for those of indexes."""
        return range(len(self.corpus) - len(self.documents), len(self.corpus))

    def candidates(self) -> Candidates:
        """Return what may be near-duplicates."""
        texts, text_of = self.texts, self.text_of
        return Candidates(
            self.documents,
            searches_of(self.of_texts, self.weighting, self.settings),
            self.settings,
            self.measure,
            lambda rows: texts.sets(text_of[rows]),
            lambda rows: forms_of(texts, text_of[rows]),
            self.order,
            size=int((~self.corpus.skipped).sum()),
        )

    def clusters(self, joined: Joined) -> tuple[Cluster, ...]:
        """Return the clusters of a join, with names and figures."""
        self.settings.run.progress("clustering", 0, None)
        about = self.documents, self.order, self.settings.recipe.bits
        return form_clusters(joined, *about, self.numbers)


class Scanned(NamedTuple):
    """What a scan has found, for the steps after it."""

    rows: Rows
    joined: Joined
    clusters: tuple[Cluster, ...]
    asked: Container[str] = ()  # fields of the result that are made for who asks

    @property
    def criteria(self) -> Criteria:
        """When two documents are near-duplicates."""
        return self.rows.criteria
