"""A collection: the documents of a run, read and counted, by as many processes as pay off.

The result does not depend on the number of processes.  What the criteria make of fields and titles,
such as the group of each document, becomes columns once all are read, for only then are all values
known.

Large arrays are in files: their pages leave the memory when others need it.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from simdup.base.system import reserve_room
from simdup.corpus.batches import Batch, TextBatch
from simdup.corpus.names import NameRegistry
from simdup.corpus.records import without_surrogates
from simdup.corpus.spool import BatchSpool, Slots, SpoolReader, SpoolWriter, spool_folder
from simdup.model.documents import NO_WORDS, NOTHING_ELSE, Document, Skipped
from simdup.model.settings import Reading
from simdup.model.table import Documents, Growing, objects
from simdup.near.batch_reader import (
    DOCUMENTS,
    FORMS,
    TEXTS,
    BatchReader,
    Known,
    ReadBatch,
    Seen,
    TextWork,
    document_columns,
)
from simdup.near.counting import Counting, Maker, Prepared
from simdup.near.inputs import Input, SourceReport, check_references
from simdup.search.arrays import Bools, RowIds
from simdup.text.analyzer import Analyzer
from simdup.text.characters import fold_all
from simdup.text.counts import CountedChunk, Counts, join
from simdup.text.fingerprinter import Fingerprinter, Fingerprints
from simdup.text.titles import share_titles, title_in
from simdup.text.weights import ENOUGH_DOCUMENTS


def mapped(folder: str, kind: DTypeLike, count: int) -> NDArray[np.generic]:
    """Return an array of so many values, in a new file where the system can reserve its room.

    Without room reserved, a full disk would end the process when a page is written.

    Raises
    ------
    OSError
        If there is no room.
    """
    size = count * np.dtype(kind).itemsize
    if size:
        with tempfile.TemporaryFile(dir=folder) as file:
            if reserve_room(file.fileno(), size):
                return np.memmap(file, kind, "r+", shape=(count,)).view(np.ndarray)
    return np.empty(count, kind)


def spooled_numbers(
    spool: SpoolReader, slots: Slots, kind: DTypeLike
) -> tuple[RowIds, NDArray[Any]]:
    """Return where the 64-bit numbers of each slot begin, and all of them in a file.

    See `mapped`.
    """
    starts = np.append(0, np.cumsum(slots[:, 1] // 8))
    numbers = mapped(spool.folder, kind, int(starts[-1])).view(kind)
    for first, last, content in spool.runs(slots):
        numbers[starts[first] : starts[last]] = np.frombuffer(content, kind)
    return starts, numbers


# With fewer bytes, one process finishes before others have started: starting and ending two takes
# 50 ms, in which one process reads some 500 kB.
WORTH_WORKERS = 1 << 20


@dataclass
class Collection:
    """Documents, and the distinct texts that they have; what is spooled is there while it is open.

    Attributes
    ----------
    documents, texts, forms : Documents
        A document names the row of its text, which it shares with its copies, and a short text that
        of its form.  What was skipped has a row too, and an empty text, if that was asked for.
    chunks : list
        The counts of the texts: see `simdup.text.counts.join`.
    analyzer : Analyzer
        Turned the texts into terms.
    report : SourceReport
    spool : SpoolReader
    """

    documents: Documents
    texts: Documents
    forms: Documents
    chunks: list[CountedChunk]
    analyzer: Analyzer
    report: SourceReport
    spool: SpoolReader

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.documents)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """Return a column of all documents: copies have what is known of their text."""
        if column not in self.documents:
            of_texts = self.texts[column]
            self.documents = self.documents.and_columns(**{column: of_texts[self.text_of]})
        return self.documents[column]

    @property
    def skipped(self) -> Bools:
        """Whether each document was skipped (bool[documents])."""
        if "skipped" in self.documents:
            return self.documents["skipped"]
        return np.zeros(len(self), np.bool_)

    @property
    def text_of(self) -> RowIds:
        """The row of each document's text (int64[documents])."""
        return self.documents["text"]

    @cached_property
    def counts(self) -> Counts:
        """The term counts of all documents."""
        return join(self.chunks, self.analyzer.hash_bytes, self.spool.read, self.text_of)

    def of_rows(self, rows: RowIds) -> Collection:
        """Return what is known of some documents by their rows; one below 0 gives any."""
        if len(rows) == len(self):
            return self
        return replace(self, documents=self.documents.take(rows))

    def fingerprints(self, fingerprinter: Fingerprinter) -> Fingerprints:
        """Return the fingerprints of all documents; report those without words as skipped."""
        found = fingerprinter.fingerprints(self.counts)
        self.skip_wordless(found.terms == 0)
        return found

    def skip_wordless(self, wordless: Bools) -> None:
        """Report documents as skipped that have no terms, or none of any weight."""
        counted = np.diff(self.counts.starts)[self.text_of[wordless]] > 0
        places = _named_places(self.documents.take(wordless))
        for (name, path, record), has in zip(places, counted.tolist(), strict=True):
            number, why = 0 if path else record, NOTHING_ELSE if has else NO_WORDS
            self.report.skipped.append(self.report.skip(Skipped(name, why, number=number)))

    @cached_property
    def of_texts(self) -> Documents:
        """What verification needs of all documents, without objects: processes share it."""
        names = ("original", "length", "digest")
        columns = {name: self[name] for name in names}
        if len(self.forms):
            rows = self["form"]
            columns |= {name: self.forms[name][rows] for name in ("letters", "facts")}
            columns["letters"][rows < 0] = 0
        return Documents(columns)

    def title_keys(self) -> NDArray[np.uint64]:
        """Return a key of each document, equal for those whose titles are equal (uint64[n])."""
        return share_titles(self["title_key"], self["named"], self["digest"])

    def title(self, document: int) -> str:
        """Return a document's title, as a record or page names it or its text has it."""
        if self["named"][document]:
            return " ".join(self.spool.text(self["title"], document).split())
        return title_in(self.spool.text(self["original"], document))

    def folded_titles(self, documents: Sequence[int]) -> dict[int, str]:
        """Return the titles of documents, folded."""
        return dict(zip(documents, fold_all(list(map(self.title, documents))), strict=True))

    def text(self, document: int) -> str:
        """Return a document's text, folded."""
        return self.analyzer.prepare(self.spool.text(self["original"], document)).folded

    def pages(self, documents: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return the title and the text of documents, both folded."""
        titles = self.folded_titles(documents)
        return {one: (titles[one], "".join(self.text(one).split())) for one in documents}


@dataclass
class Collector:
    """Joins batches to a collection."""

    analyzer: Analyzer
    report: SourceReport
    spool: SpoolReader
    parts: dict[str, Growing] = field(default_factory=dict)
    chunks: list[CountedChunk] = field(default_factory=list)
    registry: NameRegistry = field(default_factory=NameRegistry)
    size: int = 0  # how many documents there are
    # What was skipped: how many documents precede it, its name, and the path of its file.
    unread: list[tuple[int, Any, str]] = field(default_factory=list)
    worded: int = 0  # how many texts with terms, each once in its batch
    forms: int = 0

    @classmethod
    def of(cls, opened: Input, analyzer: Analyzer, spool: SpoolReader) -> Collector:
        """Return a collector of opened documents; what could not be listed is reported."""
        opened.report.skipped += opened.skipped
        opened.report.notes += opened.notes
        return cls(analyzer, opened.report, spool)

    def add(self, batch: ReadBatch, named: bool = True) -> None:
        """Add a batch that was read; `named` says whether it is of a source that a user named."""
        self._add_unchanged(batch.unchanged)
        documents = batch.tables[DOCUMENTS]
        if named:
            self.report.take(documents, batch.stripped, batch.shapes)
        parts = batch.tables | {DOCUMENTS: self._named(documents, batch.notes)}
        for left in batch.left:
            skipped = self.report.leave(left.skipped)
            if skipped is not None:
                self.unread.append((self.size + left.before, skipped.document, left.path))
        if FORMS in parts:
            rows = parts[TEXTS]["form"]
            rows[rows >= 0] += self.forms
            self.forms += len(parts[FORMS])
        self.size += len(documents)
        for name, part in parts.items():
            self.parts.setdefault(name, Growing()).add(part)
        if batch.counts is not None:
            self.chunks.append(batch.counts)
            self.worded += int(np.count_nonzero(batch.counts.sizes))

    def _add_unchanged(self, unchanged: Documents) -> None:
        if not len(unchanged):
            return
        for name, path, record in _named_places(unchanged):
            if not self.registry.reserve(name, path, record):
                # Two records have the same name, and the other one has changed and came first.
                taken = f"left out: another record has the name {name!r}; add it again"
                self.report.skipped.append(Skipped(f"{path}#{record}", taken, error=True))
        self.report.unchanged += len(unchanged)
        self.report.take(unchanged)

    def _named(self, documents: Documents, notes: Sequence[tuple[int, str]]) -> Documents:
        """Return documents with their final names, and note what differs from their own ones."""
        names, noted = list[Any](), dict(notes)
        for row, (name, path, record) in enumerate(_named_places(documents)):
            if record and not path:
                names.append(self.report.ids[record - 1])
                continue
            name, note = self.registry.assign(name, path, record)
            if note:
                self.report.notes.append((f"{path}#{record}", note))
            if row in noted:
                self.report.notes.append((name, noted[row]))
            names.append(name)
        return documents.and_columns(name=objects(names))

    def forget_terms(self) -> None:
        """Drop the terms as text: frequencies of a corpus or a model need only term hashes."""
        for position in range(len(self.chunks) - 1, -1, -1):
            if not self.chunks[position].terms:
                break
            self.chunks[position] = replace(self.chunks[position], terms=())

    def take(self, skipped: bool = False) -> Collection:
        """Return what was added, and perhaps what was skipped, in the order of reading.

        Whatever is added later makes another collection.
        """
        if skipped and self.unread:
            self.parts[TEXTS].add_empty()
            self.chunks.append(CountedChunk.empty(self.analyzer.hash_bytes))
        tables = [
            self.parts.pop(name, Growing()).take(Documents) for name in (DOCUMENTS, TEXTS, FORMS)
        ]
        chunks, self.chunks, self.size, self.forms = self.chunks, [], 0, 0
        collection = self._collection(tables, chunks)
        return _with_skipped(collection, self.unread) if skipped else collection

    def so_far(self) -> Collection:
        """Return what was added; what is added later belongs to the same collection."""
        tables = [
            self.parts.get(name, Growing()).copy(Documents) for name in (DOCUMENTS, TEXTS, FORMS)
        ]
        return self._collection(tables, list(self.chunks))

    def _collection(self, tables: Sequence[Documents], chunks: list[CountedChunk]) -> Collection:
        documents, texts, forms = tables
        documents = documents.and_columns(text=_texts_of(documents))
        about = self.analyzer, self.report, self.spool
        return Collection(documents, texts, forms, chunks, *about)


def _with_skipped(read: Collection, unread: Sequence[tuple[int, Any, str]]) -> Collection:
    """Return a collection with a row for each document that was skipped: its text is the last."""
    n, before = len(read), np.array([place for place, _, _ in unread], np.int64)
    rows = np.arange(n) + np.searchsorted(before, np.arange(n), side="right")
    skipped = np.ones(n + len(unread), np.bool_)
    skipped[rows] = False
    if not len(unread):
        return replace(read, documents=read.documents.and_columns(skipped=skipped))
    columns = {"skipped": skipped}
    for name in read.documents:
        values = read.documents[name]
        columns[name] = np.zeros((len(skipped), *values.shape[1:]), values.dtype)
        columns[name][rows] = values
    nothing = {"groups": (), "fields": (), "value": math.nan, "text": len(read.texts) - 1}
    for row, (_, name, path) in zip(np.flatnonzero(skipped).tolist(), unread, strict=True):
        for column, value in (nothing | {"name": name, "path": path}).items():
            if column in columns:
                columns[column][row] = value
    if "form" in read.texts:
        read.texts["form"][-1] = -1
    return replace(read, documents=Documents(columns))


def _named_places(documents: Documents) -> Iterator[tuple[Any, str, int]]:
    """Return the name, the path and the number in its file of each document."""
    return zip(*(documents[one].tolist() for one in ("name", "path", "record")), strict=True)


def _texts_of(documents: Documents) -> RowIds:
    """Return the row of each document's text; a copy has that of the first with its digest.

    This is known only once all are read, for one process may read a copy before another reads the
    first one.
    """
    first, digests = documents["first"], documents["folded"].view("S16")
    rows = np.cumsum(first, dtype=np.int64) - 1
    if not first.all():
        order = np.argsort(digests[first], kind="stable")
        rows[~first] = order[np.searchsorted(digests[first], digests[~first], sorter=order)]
    return rows


@contextmanager
def ingest(opened: Input, makers: Sequence[Maker] = ()) -> Iterator[Collection]:
    """Read and count all documents, and make columns; the spool exists until the block ends."""
    analyzer = opened.analyzer()
    with collected(opened, analyzer, Counting(analyzer, makers)) as collection:
        yield collection


def ingest_all(opened: Input, makers: Sequence[Maker], spool: SpoolReader) -> Collection:
    """Read and count all documents, and make columns: what was skipped has a row too."""
    analyzer = opened.analyzer()
    stages = Collecting(opened, Collector.of(opened, analyzer, spool))
    stages.read(opened, Counting(analyzer, makers))
    return stages.finish(skipped=True)


@contextmanager
def collected(opened: Input, analyzer: Analyzer, work: TextWork) -> Iterator[Collection]:
    """Read all documents, and do some work on them; the spool exists until the block ends."""
    with collecting(opened, analyzer) as stages:
        stages.read(opened, work)
        yield stages.finish()


@dataclass
class Collecting:
    """Reads documents in stages, each with a work of its own; equal texts are worked on once."""

    opened: Input
    collector: Collector
    seen: Seen = field(default_factory=Seen)
    done: int = 0  # bytes that were read

    def read(self, opened: Input, work: TextWork, named: bool = True) -> None:
        """Read the batches of an input, and do some work on their texts; see `Collector.add`."""
        recipe, folder = opened.settings.recipe, self.collector.spool.folder
        reader = BatchReader(
            opened.settings.reading, work, recipe, folder, seen=self.seen, in_place=opened.in_place
        )
        for batch in read_batches(opened, reader, self.done):
            self.done += batch.size
            self.collector.add(batch, named)
            if recipe.idf != "builtin" and self.collector.worded >= ENOUGH_DOCUMENTS:
                self.collector.forget_terms()
        if not self.collector.parts:  # the columns are there all the same
            self.collector.add(reader(0)(TextBatch((), 0)))

    def finish(self, skipped: bool = False) -> Collection:
        """Return all that was read; raise if a reference gave no document."""
        report = self.opened.report
        report.finish(self.opened.settings.recipe.strip)
        check_references(self.opened.required, report.skipped)
        return self.collector.take(skipped)


@contextmanager
def collecting(opened: Input, analyzer: Analyzer) -> Iterator[Collecting]:
    """Prepare to read documents; the spool exists until the block ends."""
    with spool_folder() as folder, closing(SpoolReader(folder)) as spool:
        yield Collecting(opened, Collector.of(opened, analyzer, spool))


@contextmanager
def gathered(
    documents: Sequence[Document], reading: Reading, analyzer: Analyzer, makers: Sequence[Maker]
) -> Iterator[Collection]:
    """Collect documents that were read before; all take part, even those without words."""
    texts = analyzer.prepare_all([without_surrogates(one.text) for one in documents])
    with spool_folder() as folder, closing(SpoolReader(folder)) as spool:
        taken = list(zip(documents, texts, strict=True))
        batch = Prepared(taken, texts, analyzer, SpoolWriter(folder, 0).column)
        tables = {name: Documents(columns) for name, columns in batch.columns(makers).items()}
        own = document_columns(documents, reading) | {"text": np.arange(len(documents))}
        counts = analyzer.counter().count(analyzer.tokenize([text.folded for text in texts]))
        yield Collection(
            tables[DOCUMENTS].and_columns(**own), tables[TEXTS], tables.get(FORMS, Documents()),
            [counts], analyzer, SourceReport(reading=reading), spool,
        )  # fmt: skip


def ingest_fingerprinted(
    opened: Input, makers: Sequence[Maker] = (), known: Known | None = None
) -> tuple[Fingerprinter, Iterator[tuple[Collection, Fingerprints]]]:
    """Return the fingerprinter of documents, and the documents with their fingerprints.

    With a model or the built-in table, each batch is yielded as soon as it is read.  If the
    corpus's own frequencies may be needed, all documents are read first.  Those that are known are
    left out, if the fingerprinter does not depend on them.
    """
    recipe, fingerprinter = opened.settings.recipe, opened.fingerprinter
    if fingerprinter is None and recipe.may_need_corpus:
        with ExitStack() as stack:
            collection = stack.enter_context(ingest(opened, makers))
            progress, total = opened.settings.run.progress, len(collection)
            progress("fingerprinting", 0, total)
            fingerprinter = Fingerprinter.for_corpus(collection.analyzer, collection.counts)
            found = collection.fingerprints(fingerprinter)
            progress("fingerprinting", total, total)
            return fingerprinter, _while_open(stack.pop_all(), (collection, found))
    fingerprinter = fingerprinter or Fingerprinter.alone(opened.analyzer())
    return fingerprinter, _as_they_come(opened, fingerprinter, makers, known)


def _while_open(
    stack: ExitStack, found: tuple[Collection, Fingerprints]
) -> Iterator[tuple[Collection, Fingerprints]]:
    """Yield a collection, whose spool is there until the next one is asked for."""
    with stack:
        yield found


def _as_they_come(
    opened: Input, fingerprinter: Fingerprinter, makers: Sequence[Maker], known: Known | None
) -> Iterator[tuple[Collection, Fingerprints]]:
    """Yield a small collection for each batch as soon as it is read."""
    analyzer = fingerprinter.analyzer
    reading, work = opened.settings.reading, Counting(analyzer, makers)
    collector = Collector.of(opened, analyzer, SpoolReader(""))
    for batch in read_batches(opened, BatchReader(reading, work, analyzer.recipe, known=known)):
        collector.add(batch)
        collection = replace(collector.take(), spool=BatchSpool(batch.content))
        yield collection, collection.fingerprints(fingerprinter)
    opened.report.finish(opened.settings.recipe.strip)


def read_batches(opened: Input, read: BatchReader, before: int = 0) -> Iterator[ReadBatch]:
    """Yield what is read of each batch, in order; `before` are the bytes that were read before.

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
        make = read(0)
        while done < here:
            batch = next(opened.batches, None)
            if batch is None:
                return
            yield make(batch)
            done += batch.size
            run.progress("reading", before + done, opened.size)
    from simdup.base.workers import Workers

    workers = Workers[Batch, ReadBatch](run.processes, read, first=1)
    try:
        for made in workers.map(opened.batches):
            yield made
            done += made.size
            run.progress("reading", before + done, opened.size)
    finally:
        workers.close()
