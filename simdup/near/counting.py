"""What a scan compares: term counts, and the columns that a run asks for.

Each kind of column is a function from the texts of a batch, and a run has a list of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from simdup.corpus.spool import Slots
from simdup.model.criteria import Criteria
from simdup.model.documents import Document
from simdup.near.batch_reader import DOCUMENTS, TEXTS, Columns, Spool, Tables
from simdup.near.methods import methods_of
from simdup.search.arrays import Bools
from simdup.text.analyzer import Analyzer
from simdup.text.characters import DIGEST_TYPE, PreparedText, text_digest
from simdup.text.counts import CountedChunk, TermCounter
from simdup.text.titles import title_keys, title_of


class Prepared(NamedTuple):
    """The documents of a batch that take part."""

    documents: Sequence[tuple[Document, PreparedText]]
    texts: Sequence[PreparedText]  # those of them that are met first
    analyzer: Analyzer
    spool: Spool

    def spooled(self, texts: Sequence[str]) -> Slots:
        """Return the slots of texts."""
        return self.spool(text.encode("utf-8", "surrogatepass") for text in texts)

    def columns(self, makers: Sequence[Maker]) -> Tables:
        """Return the columns of the documents and the texts, by table."""
        sizes = [_bytes_of(document.text) for document, _ in self.documents]
        tables: dict[str, dict[str, Any]] = {
            DOCUMENTS: {"size": np.array(sizes, np.int64)},
            TEXTS: {
                "digest": np.array([text.digest for text in self.texts], DIGEST_TYPE),
                "length": np.array([len(text.compact) for text in self.texts], np.int64),
            },
        }
        for make in makers:
            for name, columns in make(self).items():
                tables.setdefault(name, {}).update(columns)
        return tables


# Makes columns of a batch, by table.
Maker: TypeAlias = Callable[[Prepared], Mapping[str, Columns]]


def originals(batch: Prepared) -> Mapping[str, Columns]:
    """Spool the texts as they were decoded, without what a recipe strips."""
    return {DOCUMENTS: {"original": batch.spooled([one.text for one, _ in batch.documents])}}


def titles(batch: Prepared) -> Mapping[str, Columns]:
    """Spool the titles that records and pages name; others are in the texts."""
    given, named = [document.title for document, _ in batch.documents], _named(batch)
    slots = np.zeros((len(given), 2), np.int64)
    slots[named] = batch.spooled([title for title in given if title is not None])
    return {DOCUMENTS: {"title": slots, "named": named}}


def keys_of_titles(batch: Prepared) -> Mapping[str, Columns]:
    """Make keys of the titles, which decide."""
    found = [title_of(document) for document, _ in batch.documents]
    keys = b"".join(title_keys(found, [text for _, text in batch.documents]))
    return {DOCUMENTS: {"title_key": np.frombuffer(keys, np.uint64), "named": _named(batch)}}


def _named(batch: Prepared) -> Bools:
    """Return which documents have a title beside their text."""
    return np.array([document.title is not None for document, _ in batch.documents], np.bool_)


def columns_for(criteria: Criteria, titled: bool) -> list[Maker]:
    """Return what criteria need of documents beside their counts, and whether titles decide."""
    makers: list[Maker] = []
    if criteria.verify or titled:
        makers.append(titles)
    if titled:
        makers.append(keys_of_titles)
    makers.append(originals)
    return makers + [make for method in methods_of(criteria) for make in method.makers(criteria)]


@dataclass(frozen=True)
class Counting:
    """Counts the terms of texts, and makes more columns of them."""

    analyzer: Analyzer
    makers: Sequence[Maker] = ()

    def __post_init__(self) -> None:
        # Before processes are forked, so that they share it.
        self.analyzer.tokenize  # noqa: B018

    def __call__(self) -> Callable[[Sequence[Document]], CountedTexts]:
        """Return what prepares the documents of each batch in one process."""
        counter = self.analyzer.counter()
        return lambda documents: CountedTexts(self, counter, documents)


class CountedTexts:
    """The texts of a batch, whose terms are counted."""

    def __init__(self, work: Counting, counter: TermCounter, documents: Sequence[Document]) -> None:
        self._work, self._counter, self._documents = work, counter, documents
        self._prepared = work.analyzer.prepare_all([one.text for one in documents])
        self.digests = [text_digest(text.folded) for text in self._prepared]
        self._counts: CountedChunk | None = None

    def refuse(self, first: Sequence[int]) -> Mapping[bytes, str]:
        """Count the terms of these texts; empty ones cannot take part."""
        texts = [self._prepared[place] for place in first]
        counts = self._counter.count(self._work.analyzer.tokenize([text.folded for text in texts]))
        empty = np.array([not text.compact for text in texts], np.bool_)
        self._counts = counts.without(np.flatnonzero(empty))
        return dict.fromkeys([self.digests[place] for place in compress(first, empty)], "empty")

    def finish(
        self, documents: Sequence[int], first: Sequence[int], spool: Spool
    ) -> tuple[Tables, CountedChunk | None]:
        """Return the columns of what takes part, and the counts of the texts met first."""
        texts = [self._prepared[place] for place in first]
        taken = [(self._documents[place], self._prepared[place]) for place in documents]
        batch = Prepared(taken, texts, self._work.analyzer, spool)
        return batch.columns(self._work.makers), self._counts


def _bytes_of(text: str) -> int:
    """Return how many bytes a text takes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
