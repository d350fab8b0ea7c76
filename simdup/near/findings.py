"""What a run found: clusters, documents that could not take part, figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simdup.base.errors import SimdupError
from simdup.model.clusters import Cluster, Pair, Spared, Summary
from simdup.model.documents import Document, InputDocuments, Skipped
from simdup.model.readings import FactDifference

if TYPE_CHECKING:
    # They import numpy, and help names results.
    from simdup.corpus.files import File
    from simdup.corpus.spool import SpoolReader
    from simdup.model.criteria import Criteria
    from simdup.model.settings import Reading, Settings
    from simdup.model.table import I64, Documents
    from simdup.text.analyzer import Analyzer
    from simdup.text.fingerprinter import Fingerprinter


@dataclass(frozen=True, slots=True)
class Origins:
    """The documents of a result by their numbers, and their texts, which stay while it does."""

    documents: Documents  # names, paths, records, digests, sizes and slots of texts
    files: Sequence[File]
    spool: SpoolReader
    reading: Reading
    criteria: Criteria
    analyzer: Analyzer
    fingerprinter: Fingerprinter | None  # None where no terms are shown

    @classmethod
    def of_texts(
        cls,
        documents: Sequence[Document],
        settings: Settings,
        fingerprinter: Fingerprinter | None = None,
    ) -> Origins:
        """Return some documents whose texts are in memory."""
        from simdup.corpus.spool import BatchSpool
        from simdup.model.table import Documents
        from simdup.near.batch_reader import document_columns
        from simdup.text.analyzer import Analyzer

        spool = BatchSpool()
        slots = spool.column(one.text.encode("utf-8", "surrogatepass") for one in documents)
        columns = document_columns(documents, settings.reading)
        columns |= {"size": slots[:, 1].copy(), "original": slots}
        analyzer = fingerprinter.analyzer if fingerprinter else Analyzer.for_recipe(settings.recipe)
        about = settings.reading, settings.criteria, analyzer, fingerprinter
        return cls(Documents(columns), (), spool, *about)

    def text(self, number: int) -> str | None:
        """Return a document's text as it was decoded; None if it was not kept.

        A result that was pickled has figures only.
        """
        if not 0 <= number < len(self.documents):
            return None
        try:
            return self.spool.text(self.documents["original"], number)
        except FileNotFoundError:
            return None


@dataclass(frozen=True, slots=True)
class Findings:
    """What a run found, without ways to show it; its length is the number of clusters.

    Attributes
    ----------
    clusters : tuple of Cluster
        Largest first, then by first document.
    skipped : tuple of Skipped
        Documents that could not take part.
    notes : tuple of (str, str)
        Names, and notes on how they were read.
    summary : Summary
        The figures.
    hint : str
        Advice, or an empty string.
    inputs : InputDocuments
        All documents of the run in input order, references first.
    sources : Origins or None
        Where the documents come from; None for fingerprint lines alone.  See `origins`.
    spared : tuple of Spared
        With `Criteria.lossless` or a containment: the documents that are not redundant only
        because the kept one near them does not contain them, in input order.
    known : tuple of Cluster
        Further clusters, of which a baseline has all pairs.
    facts : mapping or None
        By the number of a redundant document, the facts in which it (`a`) differs from the kept one
        that it names (`b`), folded, with their places in the folded texts; documents that agree are
        absent.  None where nobody looked.
    """

    clusters: tuple[Cluster, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[tuple[str, str], ...]
    summary: Summary
    hint: str = ""
    inputs: InputDocuments = field(default_factory=InputDocuments)
    sources: Origins | None = field(default=None, repr=False, compare=False)
    spared: tuple[Spared, ...] = ()
    known: tuple[Cluster, ...] = ()
    facts: Mapping[int, tuple[FactDifference, ...]] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def origins(self) -> Origins:
        """Where the documents come from.

        Raises
        ------
        SimdupError
            If these are fingerprint lines alone.
        """
        if self.sources is None:
            what = "is one of fingerprint lines: there are no documents to read again"
            raise SimdupError("result", what, "scan the documents")
        return self.sources

    def __len__(self) -> int:
        """Return the number of clusters."""
        return len(self.clusters)

    def __repr__(self) -> str:
        """Return the figures in one line."""
        figures = self.summary
        return (
            f"<{type(self).__name__} clusters={figures.clusters} redundant={figures.redundant} "
            f"documents={figures.documents} skipped={figures.skipped}>"
        )

    @property
    def documents(self) -> list[Any]:
        """The names of the input documents (see `InputDocuments`), in input order."""
        return self.inputs.listed()

    @property
    def labels(self) -> I64:
        """The group of each of `documents`: int64[documents], ready for `GroupKFold`.

        Documents have the same number if and only if they share a cluster; others, and those that
        were skipped, are alone.  Groups are numbered from 0 in the order of their first documents.
        """
        return self.inputs.labels((*self.clusters, *self.known))

    @property
    def kept(self) -> list[Any]:
        """The kept documents of clusters, in input order."""
        return self._with_role(redundant=False)

    @property
    def redundant(self) -> list[Any]:
        """Documents that a kept one took, which is near them, in input order."""
        return self._with_role(redundant=True)

    @property
    def unique(self) -> list[Any]:
        """Documents in no cluster, in input order."""
        return self.inputs.unique((*self.clusters, *self.known))

    def _with_role(self, redundant: bool) -> list[Any]:
        members = (member for cluster in self.clusters for member in cluster.members)
        found = sorted((m.number, m.name) for m in members if (m.role == "redundant") == redundant)
        return [name for number, name in found if number >= self.references]

    @property
    def references(self) -> int:
        """How many documents at the beginning of the run are references."""
        return self.inputs.references

    @property
    def duplicate_ratio(self) -> float:
        """The share of redundant documents among those that took part, without references."""
        return self.summary.redundant / max(self.inputs.taking_part, 1)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """All pairs, cluster by cluster."""
        return tuple(pair for cluster in self.clusters for pair in cluster.pairs)
