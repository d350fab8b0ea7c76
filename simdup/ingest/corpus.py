"""A corpus: documents read and counted, by as many processes as pay off.

The result does not depend on the number of processes.
"""

from __future__ import annotations

import math
import os
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.batches import Batch
from simdup.corpus.names import NameRegistry
from simdup.corpus.spool import Slot, SpoolReader, spool_folder
from simdup.features.analyzer import Analyzer
from simdup.features.counts import CountedChunk, Counts, join, no_spool
from simdup.features.folding import fold_all
from simdup.features.idf import ENOUGH_DOCUMENTS
from simdup.features.text import DIGEST_BYTES, DIGEST_TYPE
from simdup.fingerprints.bands import Signatures, concat_signatures
from simdup.fingerprints.fingerprinter import Fingerprinter, Fingerprints
from simdup.ingest.counting import COUNTS_ONLY, BatchCounter, BatchOptions, CountedBatch
from simdup.ingest.forms import CorpusForms, FormChunk, join_forms
from simdup.ingest.given import Given
from simdup.ingest.mapped import concat_mapped
from simdup.ingest.sources import Input
from simdup.ingest.titles import Titles
from simdup.model.documents import NO_WORDS, Skipped
from simdup.model.inputs import Unread
from simdup.reuse.sharing import TextSeeds
from simdup.workers import Workers

# With fewer bytes, one process finishes before others have started: starting and ending two takes
# 50 ms, in which one process reads some 500 kB.
WORTH_WORKERS = 1 << 20


_T = TypeVar("_T", bound=np.generic)


@dataclass
class Corpus:
    """Documents read and counted; their texts and counts may be spooled."""

    analyzer: Analyzer  # turned the texts into terms
    registry: NameRegistry = field(default_factory=NameRegistry)
    given: Given = field(default_factory=Given)  # shared by the corpora of all batches
    # For each document, as in `Document`.
    names: list[Any] = field(default_factory=list)  # or its id, if it was passed from Python
    modified: array[float] = field(default_factory=lambda: array("d"))
    values: list[float] = field(default_factory=list)  # if one is asked for
    paths: list[str] = field(default_factory=list)
    records: array[int] = field(default_factory=lambda: array("Q"))
    # For each document, as in `CountedBatch`.
    sizes: array[int] = field(default_factory=lambda: array("q"))
    text_digests: bytearray = field(default_factory=bytearray)
    first_seen: bytearray = field(default_factory=bytearray)
    # Of each text that was met first.
    text_compact_digests: bytearray = field(default_factory=bytearray)
    text_lengths: array[int] = field(default_factory=lambda: array("q"))
    text_slots: array[int] = field(default_factory=lambda: array("q"))
    notes: list[tuple[str, str]] = field(default_factory=list)  # names, and how they were read
    skipped: list[Skipped] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)  # which of these were next to documents
    # Which process counted each chunk, and the chunk: see `features.counts.join`.
    chunks: list[tuple[int, CountedChunk]] = field(default_factory=list)
    # For each distinct text, chunk by chunk.
    signature_chunks: list[Signatures] = field(default_factory=list)
    form_chunks: list[FormChunk] = field(default_factory=list)
    # The seeds of each text, chunk by chunk: how many, and where their hashes are.
    seed_chunks: list[tuple[NDArray[np.int64], Slot]] = field(default_factory=list)
    titles: Titles = field(default_factory=Titles)  # if they are asked for
    extras: list[bytes] = field(default_factory=list)  # for each document, as in `CountedBatch`
    # int64[documents]: each one's row in the joined counts; None if each has its own.
    row_of: NDArray[np.int64] | None = None
    unchanged: int = 0  # how many documents were left out because they are already known
    read: Callable[[Slot], bytes] = no_spool  # returns the bytes of a slot, while the spool exists
    folder: str = ""  # of the spool

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.names)

    def add(self, process: int, counted: CountedBatch) -> None:
        """Add a batch that a process counted."""
        for document in counted.unchanged:
            if not self.registry.reserve(document):
                # Two records have the same name, and the other one has changed and came first.
                taken = f"left out: another record has the name {document.name!r}; add it again"
                self.skipped.append(Skipped(document.place, taken, error=True))
        self.unchanged += len(counted.unchanged)
        self.given.take(counted.unchanged)
        self.given.take(counted.documents, counted.stripped)
        names, notes = self.registry.assign_all(counted.documents, self.given.ids)
        skipped, left_out = self.given.skip_all(counted.skipped)
        # An index puts what it skips itself before these.
        of = skipped[len(skipped) - len(counted.unread) :]
        self.unread += [
            Unread(len(self.names) + one.before, known.document, one.path)
            for one, known in zip(counted.unread, of, strict=True)
        ]
        self.names += names
        self.notes += notes + left_out
        self.skipped += skipped
        valued = self.given.valued
        for document in counted.documents:
            self.modified.append(document.modified)
            if valued:
                self.values.append(math.nan if document.value is None else document.value)
            self.paths.append(document.path)
            self.records.append(document.record)
        self.sizes += counted.sizes
        self.text_digests += counted.text_digests
        self.first_seen += counted.first_seen
        self.text_compact_digests += counted.digests
        self.text_lengths += counted.lengths
        self.text_slots += counted.slots
        self.extras += counted.extras
        self.titles.add(counted.titles)
        if counted.signatures is not None:
            self.signature_chunks.append(counted.signatures)
        self.form_chunks += [] if counted.forms is None else [counted.forms]
        if counted.seeds is not None and counted.seed_slot is not None:
            self.seed_chunks.append((np.diff(counted.seeds.starts), counted.seed_slot))
        self.chunks.append((process, counted.counts))

    def skip_wordless(self, found: Fingerprints) -> None:
        """Skip the documents whose fingerprints have no terms."""
        for i in np.flatnonzero(found.terms == 0).tolist():
            number = 0 if self.paths[i] else self.records[i]
            self.skipped.append(self.given.skip(Skipped(self.names[i], NO_WORDS, number=number)))

    def finish(self, strip: Sequence[str]) -> None:
        """Add what is known once all documents have been read; see `Given.finish`."""
        skipped, notes = self.given.finish(strip)
        self.skipped += skipped
        self.notes += notes

    def fingerprints(self, fingerprinter: Fingerprinter) -> Fingerprints:
        """Return the fingerprints of all documents; mark those without words as skipped."""
        found = fingerprinter.fingerprints(self.counts)
        self.skip_wordless(found)
        return found

    def forget_terms(self) -> None:
        """Drop the terms as text: frequencies of a corpus or a model need only term hashes."""
        for position in range(len(self.chunks) - 1, -1, -1):
            process, counts = self.chunks[position]
            if not counts.terms:
                break
            self.chunks[position] = process, replace(counts, terms=())

    def resolve_copies(self) -> None:
        """Find for every copy the text it is a copy of.

        This happens at the end, because one process may read a copy before another reads the text.
        """
        if all(self.first_seen):
            return
        first = np.frombuffer(self.first_seen, np.bool_)
        digests = np.frombuffer(self.text_digests, f"S{DIGEST_BYTES}")
        order = np.argsort(digests[first], kind="stable")
        rows = np.cumsum(first, dtype=np.int64) - 1
        rows[~first] = order[np.searchsorted(digests[first], digests[~first], sorter=order)]
        self.row_of = rows

    @cached_property
    def digests(self) -> NDArray[np.void]:
        """The digest of each document's compact text, for those who ask once all are in."""
        return self._of_documents(np.frombuffer(self.text_compact_digests, DIGEST_TYPE))

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The characters of each document's compact text (int64[documents])."""
        return self._of_documents(np.frombuffer(self.text_lengths, np.int64))

    @cached_property
    def slots(self) -> NDArray[np.int64]:
        """Where each document's text is spooled (int64[documents, 3], as in `Slot`), if it is."""
        slots = np.frombuffer(self.text_slots, np.int64).reshape(-1, 3)
        return self._of_documents(slots) if len(slots) else slots

    def _of_documents(self, of_texts: NDArray[_T]) -> NDArray[_T]:
        """Give every copy what is known about the text it is a copy of."""
        return of_texts if self.row_of is None else of_texts[self.row_of]

    @cached_property
    def counts(self) -> Counts:
        """The term counts of all documents; valid once all batches have been added."""
        return join(self.chunks, self.analyzer.hash_bytes, self.read, self.row_of)

    def take_signatures(self) -> Signatures | None:
        """Return the signatures of all documents, if any, and forget them."""
        chunks, self.signature_chunks = self.signature_chunks, []
        return concat_signatures(chunks)._replace(row_of=self.row_of) if chunks else None

    @cached_property
    def forms(self) -> CorpusForms:
        """The short texts, if forms were made."""
        return join_forms(self.form_chunks, self.row_of)

    def seeds(self) -> tuple[TextSeeds, NDArray[np.int64]] | None:
        """Return the seeds of all texts, if any, and the text of each document."""
        if not self.seed_chunks:
            return None
        sizes = np.concatenate([sizes for sizes, _ in self.seed_chunks])
        starts = np.append(0, np.cumsum(sizes))
        parts = (np.frombuffer(self.read(slot), np.uint64) for _, slot in self.seed_chunks)
        hashes = concat_mapped(os.path.join(self.folder, "seeds"), parts, int(starts[-1]))
        text_of = np.arange(len(sizes)) if self.row_of is None else self.row_of
        return TextSeeds(starts, hashes), text_of

    @property
    def priorities(self) -> dict[str, Sequence[float]]:
        """What may decide which document of a cluster is kept; see `priority_by`."""
        # One at a time is asked for, and plain numbers answer faster than those of an array.
        return {"lengths": self.lengths.data, "modified": self.modified, "values": self.values}

    def text(self, document: int) -> str:
        """Return a document's text as it was spooled."""
        return self.read(Slot(*self.slots[document].tolist())).decode("utf-8", "surrogatepass")

    def folded_titles(self, documents: Sequence[int]) -> dict[int, str]:
        """Return the titles of documents, if titles are spooled."""
        titles = self.titles.read(documents, self.read)
        return dict(zip(titles, fold_all(list(titles.values())), strict=True))

    def pages(self, documents: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return the title and the text of documents, both folded."""
        titles = self.folded_titles(documents)
        return {one: (titles[one], "".join(self.text(one).split())) for one in documents}


@contextmanager
def ingest(opened: Input, options: BatchOptions = COUNTS_ONLY) -> Iterator[Corpus]:
    """Read and count all documents; the spool exists until the block ends."""
    settings, analyzer = opened.settings, opened.analyzer()
    with spool_folder() as folder:
        reader = SpoolReader(folder)
        try:
            counter = BatchCounter(analyzer, settings.reading, options, folder)
            corpus = _begin(opened, analyzer, NameRegistry())
            corpus.read, corpus.folder = reader.read, folder
            for process, counted in make_batches(opened, counter):
                corpus.add(process, counted)
                if settings.recipe.idf != "builtin" and len(corpus) >= ENOUGH_DOCUMENTS:
                    corpus.forget_terms()
            corpus.finish(settings.recipe.strip)
            corpus.resolve_copies()
            yield corpus
        finally:
            reader.close()


def ingest_as_they_come(
    opened: Input, analyzer: Analyzer, counter: Callable[[int], Callable[[Batch], CountedBatch]]
) -> Iterator[Corpus]:
    """Yield a small corpus for each batch as soon as it is counted."""
    registry = NameRegistry()
    yield _begin(opened, analyzer, registry)
    for _, counted in make_batches(opened, counter):
        corpus = Corpus(analyzer, registry, opened.given)
        corpus.add(0, counted)
        yield corpus
    last = Corpus(analyzer, registry, opened.given)
    last.finish(opened.settings.recipe.strip)
    yield last


def _begin(opened: Input, analyzer: Analyzer, registry: NameRegistry) -> Corpus:
    """Return a corpus without documents, with all that is known before reading them."""
    skipped, notes = list(opened.skipped), list(opened.notes)
    return Corpus(analyzer, registry, opened.given, skipped=skipped, notes=notes)


def ingest_fingerprinted(
    opened: Input, options: BatchOptions = COUNTS_ONLY
) -> tuple[Fingerprinter, Iterator[tuple[Corpus, Fingerprints]]]:
    """Return the fingerprinter of documents, and the documents with their fingerprints.

    With a model or the built-in table, each batch is yielded as soon as it is read.  If the
    corpus's own frequencies may be needed, all documents are read first.
    """
    if opened.settings.recipe.may_need_corpus:
        with ingest(opened, options) as corpus:
            progress, total = opened.settings.run.progress, len(corpus)
            progress("fingerprinting", 0, total)
            fingerprinter = Fingerprinter.for_corpus(corpus.analyzer, corpus.counts)
            found = corpus.fingerprints(fingerprinter)
            progress("fingerprinting", total, total)
            return fingerprinter, iter([(corpus, found)])
    fingerprinter = Fingerprinter.alone(opened.analyzer())
    options = replace(options, standalone=True)
    counter = BatchCounter(fingerprinter.analyzer, opened.settings.reading, options)
    corpora = ingest_as_they_come(opened, fingerprinter.analyzer, counter)
    return fingerprinter, ((corpus, corpus.fingerprints(fingerprinter)) for corpus in corpora)


class Sized(Protocol):
    """What is made of a batch."""

    @property
    def size(self) -> int:
        """Bytes of the batch."""


Made = TypeVar("Made", bound=Sized)


def make_batches(
    opened: Input, maker: Callable[[int], Callable[[Batch], Made]]
) -> Iterator[tuple[int, Made]]:
    """Yield (process, what it made of a batch) for each batch, in order.

    One process begins; others join when there is enough work for them.
    """
    run = opened.settings.run
    done = 0
    here = WORTH_WORKERS
    if run.processes == 1:
        here = sys.maxsize
    elif opened.size is not None and opened.size > WORTH_WORKERS:
        here = 0
    if here:
        make = maker(0)
        while done < here:
            batch = next(opened.batches, None)
            if batch is None:
                return
            yield 0, make(batch)
            done += batch.size
            run.progress("reading", done, opened.size)
    workers = Workers[Batch, Made](run.processes, maker, first=1)
    try:
        for process, made in workers.map(opened.batches):
            yield process, made
            done += made.size
            run.progress("reading", done, opened.size)
    finally:
        workers.close()
