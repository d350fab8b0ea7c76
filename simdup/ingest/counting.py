"""From sources to counted documents: reads, folds, segments and counts, on as many processes as
the work is worth, and lays the texts aside in a spool for those who verify.

The result does not depend on how many processes there were.
"""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.batches import Batch, batches, read, require_extras, text_batches
from simdup.corpus.sources import STDIN, File, list_files
from simdup.corpus.spool import Slot, SpoolReader, SpoolWriter
from simdup.errors import SimdupError
from simdup.features.counts import Block, Counts, TermCounter, join, no_spool
from simdup.features.folding import fold
from simdup.features.hashing import feature_hash
from simdup.features.idf import ENOUGH_DOCUMENTS
from simdup.features.tokens import Tokenizer, tokenizer
from simdup.fingerprints.bands import MinhashBands, ordered_words
from simdup.ingest.seen import DIGEST_BYTES, Seen
from simdup.ingest.workers import Workers
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe

# Below this many bytes one process is done before others have started: forking and ending two
# costs 50 ms, in which one reads some 500 kB.
WORTH_WORKERS = 1 << 20


@dataclass(frozen=True, slots=True)
class Effort:
    """What a computation may use.

    Attributes
    ----------
    jobs : int or None
        Processes; None for one a core.
    segmenter : str
        The segmenting engine.
    size : int or None
        Bytes that are to come; None where that cannot be known.
    progress : callable, optional
        Called with a stage (``reading`` or ``verifying``), how much of it is done, and how much
        there is, if known: bytes of the one, pairs of the other.
    tables, search : str
        How fingerprints are searched: see `simdup.search.plan`.
    memory : int or None
        Bytes that the pairs found may take; None for what is free.
    explain : callable, optional
        Called with the words of `simdup.search.explain` before a search.
    """

    jobs: int | None = None
    segmenter: str = "auto"
    size: int | None = None
    progress: Callable[[str, int, int | None], None] = lambda stage, done, total: None
    tables: str = "auto"
    search: str = "tables"
    memory: int | None = None
    explain: Callable[[str], None] | None = None

    @property
    def processes(self) -> int:
        """How many processes to use where the work is worth it."""
        if self.jobs is not None:
            return self.jobs
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Intake:
    """Work that is ready to be done.

    Attributes
    ----------
    batches : iterator of Batch
        The documents, to be read once.
    effort : Effort
        What may be used for it; knows the size.
    skipped : list of Skipped
        What could not even be listed.
    references : frozenset of str
        Files whose documents are never redundant; these come first.
    meanwhile : callable
        Called when other processes have taken over: a thread may only begin when they are forked.
    """

    batches: Iterator[Batch]
    effort: Effort
    skipped: list[Skipped]
    references: frozenset[str] = frozenset()
    meanwhile: Callable[[], None] = lambda: None


def open_sources(
    sources: Iterable[str] | Iterable[tuple[str, str]],
    reading: Reading,
    effort: Effort,
    references: Iterable[str] = (),
) -> Intake:
    """List the files of the sources, or take named texts as they are.

    Parameters
    ----------
    sources : iterable of str, or of (str, str)
        Files and folders, or names and texts.
    reading, effort
        See their classes.
    references : iterable of str
        Files and folders whose documents are never redundant.
    """
    given: Iterator[Any] = iter(sources)
    first = next(given, None)
    if first is not None and not isinstance(first, str):
        old, skipped = list_files(references, reading)
        known = open_files(old, skipped, reading, effort, len(old))
        texts = text_batches(chain([first], given))
        return replace(known, batches=chain(known.batches, texts), effort=effort)
    references = list(references)
    named = [] if first is None else [first, *given]
    old, _ = list_files(references, reading)
    # Listed together, so that a file that is in both is read once, and is a reference.
    files, skipped = list_files([*references, *named], reading)
    return open_files(files, skipped, reading, effort, len(old))


def open_files(
    files: list[File],
    skipped: list[Skipped],
    reading: Reading,
    effort: Effort,
    references: int = 0,
) -> Intake:
    """Make ready what was listed; the first so many files are references."""
    require_extras(files, reading)
    size = None if any(f.path == STDIN for f in files) else sum(f.size for f in files)
    old = frozenset(file.path for file in files[:references])
    return Intake(batches(files, reading), replace(effort, size=size), skipped, old)


class Counted(NamedTuple):
    """A block of documents, read and counted.

    Attributes
    ----------
    documents : list of (str, float, str, str, int)
        Name, time of change, note, path and record of each, as in `Document`.
    marks : bytes
        Digests of all their folded texts, one after the other.
    fresh : list of bool
        Whether this is where each text was met first; what follows is of those documents only.
    digests : list of bytes
        Digests of the folded texts without white space: equal where these are.
    lengths : list of int
        Their characters.
    slots : list of Slot
        Where they lie in the spool; empty without one.
    counts : Block
        Their term counts.
    bands : uint64[documents, bands] or None
        Their band keys, where the method wants them.
    skipped : list of Skipped
        What could not be a document.
    size : int
        Bytes of the batch.
    also : list of bytes
        What else was wanted of each document.
    unchanged : list of Document
        Documents that were left out because they are known, without their texts.
    """

    documents: list[tuple[str, float, str, str, int]]
    marks: bytes
    fresh: list[bool]
    digests: list[bytes]
    lengths: list[int]
    slots: list[Slot]
    counts: Block
    bands: NDArray[np.uint64] | None
    skipped: list[Skipped]
    size: int
    also: Sequence[bytes] = ()
    unchanged: Sequence[Document] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of documents beside their counts.

    Attributes
    ----------
    texts : bool
        Whether their folded texts are laid aside.
    spaced : bool
        Whether with spaces between the words, or without any.
    bands : MinhashBands or None
        Makes their band keys, where the method wants them.
    apart : bool
        Whether the counts of each batch stand on their own, as results that stream need, rather
        than go on with the term numbers of the batches before.
    also : callable, optional
        Given a document and its folded text without white space, computes something beside.
    """

    texts: bool = False
    spaced: bool = False
    bands: MinhashBands | None = None
    apart: bool = False
    also: Callable[[Document, str], bytes] | None = None


class CountDocuments:
    """Makes, in each process, the function from a batch to its counted documents.

    Parameters
    ----------
    recipe : Recipe
        Decides how texts are folded, cut and hashed.
    reading : Reading
        How files are read.
    segmenter : str
        The segmenting engine.
    wanted : Wanted
        What is wanted beside the counts.
    spool : str or None
        The folder where counts, and texts if wanted, are laid aside; without one, counts stay in
        the result.
    """

    def __init__(
        self,
        recipe: Recipe,
        reading: Reading,
        segmenter: str = "auto",
        wanted: Wanted = Wanted(),
        spool: str | None = None,
    ) -> None:
        self._given = (recipe, reading, segmenter, wanted, spool)
        self._recipe, self._reading, _, self._wanted, self._spool = self._given
        self._cut = tokenizer(recipe, segmenter)
        # Results that stream cannot point to what came with another batch.
        self._seen = None if wanted.apart else Seen()
        self._words: Tokenizer | None = None
        if wanted.bands is not None and wanted.bands.shingles_words:
            self._words = ordered_words(recipe, segmenter)

    def __call__(self, number: int) -> Callable[[Batch], Counted]:
        """Return the function for the process of that number."""
        counter = term_counter(self._recipe)
        writer = None if self._spool is None else SpoolWriter(self._spool, number)
        if self._wanted.apart:
            return lambda batch: self._count(batch, term_counter(self._recipe), writer)
        return lambda batch: self._count(batch, counter, writer)

    def __reduce__(self) -> tuple[object, ...]:
        """Travel to a spawned process without the segmenter, which is made anew there."""
        return type(self), self._given

    def _count(self, batch: Batch, counter: TermCounter, writer: SpoolWriter | None) -> Counted:
        wanted = self._wanted
        documents: list[tuple[str, float, str, str, int]] = []
        skipped: list[Skipped] = []
        marks: list[bytes] = []
        fresh: list[bool] = []
        texts: list[bytes] = []
        digests: list[bytes] = []
        solids: list[str] = []
        lengths: list[int] = []
        tokens: list[list[str]] = []
        also: list[bytes] = []
        words: list[list[str]] = []
        for found in read(batch, self._reading):
            if isinstance(found, Skipped):
                skipped.append(found)
                continue
            folded = fold(found.text) if self._recipe.fold else found.text
            mark = digest(folded.encode("utf-8", "surrogatepass"))
            copy = self._seen is not None and mark in self._seen
            if not copy:
                cut, solid = self._cut(folded), without_space(folded)
                if not cut:
                    skipped.append(Skipped(found.name, "empty" if not solid else "no words"))
                    continue
                if self._seen is not None:
                    self._seen.add(mark)
                text = solid.encode("utf-8", "surrogatepass")
                digests.append(digest(text))
                if wanted.texts:
                    texts.append(" ".join(folded.split()).encode() if wanted.spaced else text)
                if wanted.bands is not None:
                    solids.append(solid)
                if self._words is not None:
                    words.append(self._words(folded))
                lengths.append(len(solid))
                tokens.append(cut)
            documents.append((found.name, found.modified, found.note, found.path, found.record))
            marks.append(mark)
            fresh.append(not copy)
            if wanted.also is not None:
                also.append(wanted.also(found, without_space(folded) if copy else solid))
        counts = counter.count(tokens)
        slots: list[Slot] = []
        if writer is not None:
            entries = [counts.columns, counts.counts]
            *slots, columns, occurrences = writer.write([*texts, *map(bytes, entries)])
            counts = replace(counts, columns=columns, counts=occurrences)
        return Counted(
            documents=documents,
            marks=b"".join(marks),
            fresh=fresh,
            digests=digests,
            lengths=lengths,
            slots=slots,
            counts=counts,
            bands=None if wanted.bands is None else wanted.bands.keys(solids, words),
            skipped=skipped,
            size=batch.size,
            also=also,
        )


def digest(content: bytes) -> bytes:
    """Return a digest of a text's bytes."""
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


def without_space(text: str) -> str:
    """Return a text without white space, as it is verified."""
    return "".join(text.split())


def term_counter(recipe: Recipe) -> TermCounter:
    """Return a counter of terms with the feature hashes of a recipe."""
    if (recipe.hash, recipe.bits) == ("blake2b", 64):
        return TermCounter()
    return TermCounter(feature_hash(recipe.hash, recipe.bits))


def prepare(text: str, recipe: Recipe, cut: Tokenizer) -> tuple[list[str], str]:
    """Return a text's tokens, and the folded text."""
    folded = fold(text) if recipe.fold else text
    return cut(folded), folded


def count_batches(
    intake: Intake, work: Callable[[int], Callable[[Batch], Counted]]
) -> Iterator[tuple[int, Counted]]:
    """Yield (counter, counted documents) of each batch, in order.

    One process begins; others come in when there is work enough for them, known or met.
    """
    effort = intake.effort
    done = 0
    here = WORTH_WORKERS
    if effort.processes == 1:
        here = sys.maxsize
    elif effort.size is not None and effort.size > WORTH_WORKERS:
        here = 0
    if here:
        count = work(0)
        while done < here:
            batch = next(intake.batches, None)
            if batch is None:
                return
            yield 0, count(batch)
            done += batch.size
            effort.progress("reading", done, effort.size)
    workers = Workers[Batch, Counted](effort.processes, work, first=1)
    intake.meanwhile()
    try:
        for number, counted in workers.map(intake.batches):
            yield number, counted
            done += counted.size
            effort.progress("reading", done, effort.size)
    finally:
        workers.close()


@dataclass(slots=True)
class Corpus:
    """Documents read and counted, with a spool of their texts.

    Attributes
    ----------
    names, modified, paths, records : sequence
        Of each document: see `Counted`.
    marks, fresh : bytearray
        Of each document, too.
    digests, lengths, slots : list
        Of each text that was met first; of each document when all has been `settled`.
    notes : list of (str, str)
        Names and what a person should know of how they were read.
    skipped : list of Skipped
        What could not be a document.
    bands : list of arrays
        Band keys, block by block, where the method wants them.
    blocks : list of (int, Block)
        Who counted each block, and the block: see `features.counts.join`.
    also : list of bytes
        What else was wanted of each document.
    rows : int64[documents] or None
        Which row of the joined blocks each document has; None where each has its own.
    """

    names: list[str] = field(default_factory=list)
    modified: list[float] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    records: array[int] = field(default_factory=lambda: array("Q"))
    marks: bytearray = field(default_factory=bytearray)
    fresh: bytearray = field(default_factory=bytearray)
    digests: list[bytes] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    blocks: list[tuple[int, Block]] = field(default_factory=list)
    bands: list[NDArray[np.uint64]] = field(default_factory=list)
    also: list[bytes] = field(default_factory=list)
    rows: NDArray[np.int64] | None = None

    def add(self, counter: int, counted: Counted, taken: set[str]) -> None:
        """Take in a block; `taken` holds the names that records have taken so far."""
        for name, modified, note, path, record in counted.documents:
            place = f"{path}#{record}"
            if record and name != place:
                if name in taken:
                    self.notes.append((place, f"the name {name!r} is taken: called by its place"))
                    name = place
                taken.add(name)
            if note:
                self.notes.append((name, note))
            self.names.append(name)
            self.modified.append(modified)
            self.paths.append(path)
            self.records.append(record)
        self.marks += counted.marks
        self.fresh += bytes(counted.fresh)
        self.digests += counted.digests
        self.lengths += counted.lengths
        self.slots += counted.slots
        self.skipped += counted.skipped
        self.also += counted.also
        if counted.bands is not None:
            self.bands.append(counted.bands)
        self.blocks.append((counter, counted.counts))

    def forget_terms(self) -> None:
        """Drop the terms themselves: frequencies of a corpus or a model go by term hash."""
        for at in range(len(self.blocks) - 1, -1, -1):
            counter, counts = self.blocks[at]
            if not counts.terms:
                break
            self.blocks[at] = counter, replace(counts, terms=())

    def settle(self) -> None:
        """Give every copy what is known of the text it is a copy of.

        Only at the end is that known: whoever met a text first may have been slower than another
        who met its copy.
        """
        if all(self.fresh):
            return
        fresh = np.frombuffer(self.fresh, np.bool_)
        marks = np.frombuffer(self.marks, f"S{DIGEST_BYTES}")
        order = np.argsort(marks[fresh], kind="stable")
        rows = np.cumsum(fresh, dtype=np.int64) - 1
        rows[~fresh] = order[np.searchsorted(marks[fresh], marks[~fresh], sorter=order)]
        self.rows = rows
        self.digests, self.lengths = (
            [column[row] for row in rows.tolist()] for column in (self.digests, self.lengths)
        )
        if self.slots:
            self.slots = [self.slots[row] for row in rows.tolist()]
        if self.bands:
            self.bands = [np.concatenate(self.bands)[rows]]

    def counts(self, recipe: Recipe, read: Callable[[Slot], bytes] = no_spool) -> Counts:
        """Return the term counts of all documents."""
        return join(self.blocks, recipe.bits // 8, read, self.rows)


class Gathered(NamedTuple):
    """A corpus that is read and counted, while its spool is there.

    Attributes
    ----------
    corpus : Corpus
        Its documents.
    counts : Counts
        Their term counts.
    text_of : callable
        Gives the folded text of a document's number, where texts were wanted.
    """

    corpus: Corpus
    counts: Counts
    text_of: Callable[[int], str]


@contextmanager
def gathered(
    intake: Intake,
    recipe: Recipe,
    reading: Reading,
    wanted: Wanted = Wanted(),
) -> Iterator[Gathered]:
    """Read and count all documents, and keep the spool while they are worked on."""
    with spool_folder() as folder:
        reader = SpoolReader(folder)
        try:
            corpus = _gather(
                intake,
                recipe,
                CountDocuments(recipe, reading, intake.effort.segmenter, wanted, folder),
            )
            yield Gathered(
                corpus,
                corpus.counts(recipe, reader.read),
                lambda document: reader.read(corpus.slots[document]).decode(),
            )
        finally:
            reader.close()


def _gather(intake: Intake, recipe: Recipe, work: CountDocuments) -> Corpus:
    corpus = Corpus(skipped=list(intake.skipped))
    taken: set[str] = set()
    for counter, counted in count_batches(intake, work):
        corpus.add(counter, counted, taken)
        if recipe.idf != "builtin" and len(corpus.names) >= ENOUGH_DOCUMENTS:
            corpus.forget_terms()
    corpus.settle()
    return corpus


@contextmanager
def spool_folder() -> Iterator[str]:
    """Make a folder for a spool and remove it afterwards, however the work ends.

    Raises
    ------
    SimdupError
        If there is no room for it.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="simdup-", ignore_cleanup_errors=True) as folder:
            yield folder
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise SimdupError(
            tempfile.gettempdir(), "no space left for the texts", "set TMPDIR to a roomier folder"
        ) from None
