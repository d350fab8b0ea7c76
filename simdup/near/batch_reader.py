"""From a batch to columns: read its documents, and leave out what cannot take part.

What is made of their texts is up to the run: `simdup.near.counting` makes what scans compare,
`simdup.near.cutting` the symbols that passages are found in.

A recipe takes documents without what its `strip` removes, before anything else.
"""

from __future__ import annotations

import math
import mmap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from simdup.corpus.batches import Batch, FileBatch, RowBatch, TextBatch, read
from simdup.corpus.record_batches import RecordBatch
from simdup.corpus.spool import BatchSpool, Slots, SpoolWriter, slot_at
from simdup.model.documents import Document, Skipped
from simdup.model.recipe import Recipe
from simdup.model.settings import Reading
from simdup.model.table import Documents, objects
from simdup.search.arrays import Bools
from simdup.text.characters import DIGEST_BYTES, DIGEST_TYPE
from simdup.text.counts import CountedChunk
from simdup.text.stripping import strip_texts


def read_stripped(
    batch: Batch,
    reading: Reading,
    recipe: Recipe,
    matched: set[str] | None = None,
    in_place: bool = False,
) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch, stripped, and those that cannot take part.

    See `strip_texts`.
    """
    if not recipe.strip:
        yield from read(batch, reading)
        return
    found = list(read(batch, reading))
    documents = [one for one in found if isinstance(one, Document)]
    texts, names = [one.text for one in documents], [one.name for one in documents]
    left = iter(strip_texts(texts, recipe.strip, names, matched, in_place))
    for one in found:
        yield one if isinstance(one, Skipped) else _stripped(one, next(left))


def _stripped(document: Document, text: str) -> Document | Skipped:
    if text.strip() or not document.text.strip():
        return document._replace(text=text)
    return document.skip("empty after `strip`")


# The names of the tables that batches have: documents, the texts met first, forms of short ones.
DOCUMENTS, TEXTS, FORMS = "documents", "texts", "forms"

# A million digests in 16 MB; pages that nobody writes to take no memory.
_SLOTS = 1 << 20
# If half of the table is full, hardly one digest in a thousand finds all these places taken.
_PROBES = 8

Columns: TypeAlias = Mapping[str, Any]
Tables: TypeAlias = Mapping[str, Columns]
# Writes bytes to the spool, and returns a slot for each.
Spool: TypeAlias = Callable[[Iterable[bytes]], Slots]
# Returns which of some documents are known, and left out.
Known: TypeAlias = Callable[[Sequence[Document]], Bools]


class Left(NamedTuple):
    """What does not take part."""

    before: int  # how many documents of the batch precede it
    skipped: Skipped
    path: str  # of its file


@dataclass(slots=True)
class ReadBatch:
    """A batch that was read."""

    size: int  # of the batch in bytes
    tables: dict[str, Documents] = field(default_factory=dict)
    counts: CountedChunk | None = None  # of the texts, if terms are counted
    left: list[Left] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)  # documents, and how they were read
    unchanged: Documents = field(default_factory=Documents)  # left out because known
    stripped: set[str] = field(default_factory=set)  # the expressions that matched something
    shapes: Counter[str] = field(default_factory=Counter)  # how many records have each
    content: bytes = b""  # what slots refer to, if there is no spool


class BatchTexts(Protocol):
    """The texts of a batch's documents, which go by their places."""

    @property
    def digests(self) -> Sequence[bytes]:
        """Of each text; of equal ones only the first is worked on."""

    def refuse(self, first: Sequence[int]) -> Mapping[bytes, str]:
        """Work on these texts; return why some cannot take part, by digest."""

    def finish(
        self, documents: Sequence[int], first: Sequence[int], spool: Spool
    ) -> tuple[Tables, CountedChunk | None]:
        """Return the columns, by table, of what takes part, and the counts of terms."""


# Prepares the documents of a batch.
PrepareTexts: TypeAlias = Callable[[Sequence[Document]], BatchTexts]
# What a run makes of texts: it returns what prepares the batches of one process; can be pickled.
TextWork: TypeAlias = Callable[[], PrepareTexts]


class Seen:
    """A set of the digests of texts with a fixed size, which forked processes share without a lock.

    It may forget a digest, but never contains a wrong one: each was written as a whole.  One that
    is lost, or that two processes write at the same time, only means that a text is segmented
    twice.
    """

    def __init__(self) -> None:
        self._table = mmap.mmap(-1, _SLOTS * DIGEST_BYTES)

    def __contains__(self, digest: bytes) -> bool:
        """Return whether a digest has been added, and not been forgotten."""
        places = self._places(digest)
        return self._table.find(digest, places.start, places.stop) in places

    def add(self, digest: bytes) -> None:
        """Add a digest; if there is no room, it replaces another one."""
        places = self._places(digest)
        empty = bytes(DIGEST_BYTES)
        free = (i for i in places if self._table[i : i + DIGEST_BYTES] in (empty, digest))
        place = next(free, places[0])
        self._table[place : place + DIGEST_BYTES] = digest

    def _places(self, digest: bytes) -> range:
        first = int.from_bytes(digest[:4], "little") % (_SLOTS - _PROBES) * DIGEST_BYTES
        return range(first, first + _PROBES * DIGEST_BYTES, DIGEST_BYTES)


@dataclass(frozen=True)
class BatchReader:
    """Reads batches; can be pickled and sent to other processes and machines."""

    reading: Reading
    work: TextWork
    recipe: Recipe  # its `strip` decides what is read
    # The folder to spool to.  Without one, each batch stands for itself: for results that are
    # streamed, which cannot refer to the texts of another batch.
    spool: str | None = None
    known: Known | None = None
    seen: Seen = field(default_factory=Seen)  # shared by processes that are forked
    in_place: bool = False  # whether what is stripped leaves spaces

    def __reduce__(self) -> tuple[object, ...]:
        """Leave behind what forked processes share."""
        return type(self), (self.reading, self.work, self.recipe, self.spool, self.known)

    def __call__(self, number: int) -> Callable[[Batch], ReadBatch]:
        """Return the function that reads a batch in the process of that number."""
        if self.spool is None:
            return self.read
        prepare, writer = self.work(), SpoolWriter(self.spool, number)
        return lambda batch: self._read(batch, prepare, writer.column)

    def read(self, batch: Batch) -> ReadBatch:
        """Read a batch on its own."""
        spool = BatchSpool()
        done = self._read(batch, self.work(), spool.column)
        done.content = spool.content
        return done

    def _read(self, batch: Batch, prepare: PrepareTexts, spool: Spool) -> ReadBatch:
        done = ReadBatch(batch.size)
        found = list(read_stripped(batch, self.reading, self.recipe, done.stripped, self.in_place))
        if self.known is not None:
            found, done.unchanged = self._leave_known(batch, found, self.known)
        documents = [one for one in found if isinstance(one, Document)]
        done.shapes.update(one.shape for one in documents if one.shape)
        texts = prepare(documents)
        first = self._first(texts.digests)
        refused = texts.refuse(list(compress(range(len(documents)), first)))
        taken, places = list[int](), iter(range(len(documents)))
        for one in found:
            if isinstance(one, Skipped):
                done.left.append(Left(len(taken), one, _file_of(batch, one)))
                continue
            why = refused.get(texts.digests[place := next(places)])
            if why is None:
                taken.append(place)
            else:
                done.left.append(Left(len(taken), one.skip(why), one.path))
        new = [place for place in taken if first[place]]
        tables, counts = texts.finish(taken, new, spool)
        done.counts = counts if counts is None or self.spool is None else _spooled(counts, spool)
        done.notes = [(i, documents[p].note) for i, p in enumerate(taken) if documents[p].note]
        own = document_columns([documents[place] for place in taken], self.reading)
        digests = [texts.digests[place] for place in taken]
        own |= {"folded": np.array(digests, DIGEST_TYPE), "first": np.array(first, np.bool_)[taken]}
        done.tables = {name: Documents(columns) for name, columns in tables.items()}
        done.tables[DOCUMENTS] = Documents({**own, **tables[DOCUMENTS]})
        if self.spool is not None:
            for place in new:
                self.seen.add(texts.digests[place])
        return done

    def _leave_known(
        self, batch: Batch, found: Sequence[Document | Skipped], known: Known
    ) -> tuple[list[Document | Skipped], Documents]:
        """Return what was read without the documents that are known, and these."""
        documents = [one for one in found if isinstance(one, Document)]
        # The last text of an id counts, also if it is the one that is known.
        repeated = batch.repeated if isinstance(batch, RowBatch) else frozenset[str]()
        left = {
            id(one): one for one in compress(documents, known(documents))
            if one.name not in repeated
        }  # fmt: skip
        unchanged = Documents(document_columns(list(left.values()), self.reading))
        return [one for one in found if id(one) not in left], unchanged

    def _first(self, digests: Sequence[bytes]) -> list[bool]:
        """Return which texts are the first with their digest, so that they are worked on."""
        if self.spool is None:
            return [True] * len(digests)
        here = {digest: i for i, digest in reversed(list(enumerate(digests)))}
        return [here[d] == i and d not in self.seen for i, d in enumerate(digests)]


def document_columns(documents: Sequence[Document], reading: Reading) -> dict[str, Any]:
    """Return what is known of documents beside their texts; see `SCHEMA`."""
    columns: dict[str, Any] = {
        "name": objects(one.name for one in documents),
        "path": objects(one.path for one in documents),
        "record": np.array([one.record for one in documents], np.int64),
        "modified": np.array([one.modified for one in documents], np.float64),
    }
    if reading.value_field is not None:
        values = (math.nan if one.value is None else one.value for one in documents)
        columns["value"] = objects(values)
        columns["valued"] = np.array([one.value is not None for one in documents], np.bool_)
    if reading.value_field is not None:
        columns["fields"] = objects(tuple(one.fields) for one in documents)
    several = len(reading.text_fields) > 1
    columns["pieced"] = np.array([several or one.shape != "" for one in documents], np.bool_)
    if reading.group_fields:
        columns["groups"] = objects(one.groups for one in documents)
    if several:
        columns["lacking"] = np.array([one.lacking for one in documents], np.bool_)
    return columns


def _file_of(batch: Batch, skipped: Skipped) -> str:
    """Return the path of the file that holds a skipped document; empty for none."""
    if isinstance(batch, RecordBatch):
        return batch.file.path
    if isinstance(batch, FileBatch):
        return str(skipped.document)
    return batch.path if isinstance(batch, TextBatch) else ""


def _spooled(counts: CountedChunk, spool: Spool) -> CountedChunk:
    """Return counts whose entries are in the spool."""
    slots = spool(map(bytes, (counts.columns, counts.counts, counts.dictionary)))
    columns, times, dictionary = (slot_at(slots, row) for row in range(3))
    return replace(counts, columns=columns, counts=times, dictionary=dictionary)
