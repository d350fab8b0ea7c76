"""Turn a batch into counted documents: read, fold, segment, count and spool."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain, compress

import numpy as np

from simdup.corpus.batches import Batch, FileBatch, Unreadable
from simdup.corpus.record_batches import RecordBatch
from simdup.corpus.spool import Slot, SpoolWriter
from simdup.features.analyzer import Analyzer
from simdup.features.counts import CountedChunk, TermCounter
from simdup.features.text import PreparedText, text_digest
from simdup.fingerprints.bands import Signatures, minhash_signatures
from simdup.ingest.forms import FormChunk, make_forms
from simdup.ingest.seen import Seen
from simdup.ingest.stripped import read_stripped
from simdup.ingest.titles import BatchTitles
from simdup.model.criteria import Criteria
from simdup.model.documents import Document, LeftOut, Skipped
from simdup.model.inputs import Unread
from simdup.model.reading import Reading
from simdup.model.shingling import Shingling
from simdup.reuse.sharing import TextSeeds, text_seeds


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """What to compute from documents besides their counts."""

    shingling: Shingling | None = None  # cut the texts into these
    texts: bool = False  # spool the folded texts
    signatures: Criteria | None = None  # make MinHash signatures of the shingles for these
    seeds: bool = False  # make the seeds of passages
    forms: Criteria | None = None  # make the forms of short texts for these
    titles: bool = False  # spool the titles
    title_keys: bool = False  # make keys of the titles
    # Count each batch separately, for streamed results, instead of continuing the term numbers of
    # earlier batches.
    standalone: bool = False
    # Computes additional bytes from a document and its text.
    extras: Callable[[Document, PreparedText], bytes] | None = None

    @classmethod
    def for_criteria(cls, criteria: Criteria) -> BatchOptions:
        """Return what criteria need of documents beside their counts."""
        signed = criteria if "minhash" in criteria.searches else None
        # A hint needs the titles: if they do not decide, and the texts of pairs are compared.
        hint = criteria.verify and not criteria.same_title
        needed = cls(titles=hint, title_keys=criteria.same_title)
        if not criteria.verify and signed is None:
            return needed
        return replace(
            needed,
            shingling=criteria.shingle,
            texts=criteria.verify,
            signatures=signed,
            seeds="passages" in criteria.searches,
            forms=criteria if criteria.by_edit else None,
        )


COUNTS_ONLY = BatchOptions()
_NO_COUNTS = TermCounter().count([])


@dataclass(slots=True)
class CountedBatch:
    """The documents of a batch, read and counted."""

    size: int  # of the batch in bytes
    documents: list[Document] = field(default_factory=list)  # without their texts
    # Digests of all their folded texts, concatenated.
    text_digests: bytearray = field(default_factory=bytearray)
    # 1 for a text that occurs for the first time; the next fields cover only those documents.
    first_seen: bytearray = field(default_factory=bytearray)
    # Digests of the compact texts, one after the other; see `PreparedText`.
    digests: bytearray = field(default_factory=bytearray)
    lengths: array[int] = field(default_factory=lambda: array("q"))  # their characters
    # Where the texts are spooled: the numbers of each `Slot`, one after the other.
    slots: array[int] = field(default_factory=lambda: array("q"))
    sizes: array[int] = field(default_factory=lambda: array("q"))  # bytes of each document's text
    counts: CountedChunk = _NO_COUNTS
    signatures: Signatures | None = None
    forms: FormChunk | None = None
    seeds: TextSeeds | None = None
    seed_slot: Slot | None = None  # where their hashes are, once they are spooled
    titles: BatchTitles | None = None
    skipped: list[Skipped] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)  # where in the batch these were
    extras: list[bytes] = field(default_factory=list)  # for each document, see `BatchOptions`
    unchanged: list[Document] = field(default_factory=list)  # left out because known; no texts
    stripped: set[str] = field(default_factory=set)  # the expressions that matched something

    def skip(self, one: Skipped, path: str) -> None:
        """Skip what is next in the batch, which is in the file of that path."""
        self.skipped.append(one)
        if not isinstance(one, LeftOut):
            self.unread.append(Unread(len(self.documents), one.document, path))


def file_of(batch: Batch, skipped: Skipped) -> str:
    """Return the path of the file that holds a skipped document; empty for none."""
    if isinstance(batch, RecordBatch):
        return batch.file.path
    if isinstance(batch, FileBatch):
        return str(skipped.document)
    return batch.path if isinstance(batch, Unreadable) else ""


def _bytes_of(text: str) -> int:
    """Return how many bytes a text takes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class BatchCounter:
    """Counts batches; it can be pickled and sent to other processes and machines.

    Counts and texts are spooled to a folder; without a folder, counts stay in the result.
    """

    def __init__(
        self,
        analyzer: Analyzer,
        reading: Reading,
        options: BatchOptions = COUNTS_ONLY,
        spool: str | None = None,
    ) -> None:
        self.analyzer = analyzer
        self.reading = reading
        self.options = options
        self._spool = spool
        # Set up before processes are forked, so that they share it.
        self._tokenize = analyzer.tokenize
        self._shingler = None if options.shingling is None else analyzer.shingler(options.shingling)
        # Streamed results cannot refer to the contents of another batch.
        self._seen = None if options.standalone else Seen()

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without the segmenter, which is set up again at the destination."""
        return type(self), (self.analyzer, self.reading, self.options, self._spool)

    def __call__(self, number: int) -> Callable[[Batch], CountedBatch]:
        """Return the function that counts a batch in the process of that number."""
        if self.options.standalone:
            return self.count
        counter = self.analyzer.counter()
        writer = None if self._spool is None else SpoolWriter(self._spool, number)
        return lambda batch: self._spooled(self._count(batch, counter), writer)

    def count(self, batch: Batch) -> CountedBatch:
        """Return the counts of a batch on its own."""
        return self._count(batch, self.analyzer.counter())[0]

    def _count(self, batch: Batch, counter: TermCounter) -> tuple[CountedBatch, list[str]]:
        """Return the counts of a batch, and its folded texts."""
        counted = CountedBatch(batch.size)
        found = list(read_stripped(batch, self.reading, self.analyzer.recipe, counted.stripped))
        prepared = self.analyzer.prepare_all([d.text for d in found if isinstance(d, Document)])
        digests = [text_digest(text.folded) for text in prepared]
        first_seen = self._first_seen(digests)
        folded = [text.folded for text in compress(prepared, first_seen)]
        counts = counter.count(self._tokenize(folded))
        wordless = set(compress(compress(digests, first_seen), counts.sizes == 0))
        counted.counts = counts.without_empty_rows()
        firsts: list[PreparedText] = []
        taken: list[tuple[Document, PreparedText]] = []
        documents = zip(prepared, digests, first_seen, strict=True)
        for one in found:
            if isinstance(one, Skipped):
                counted.skip(one, file_of(batch, one))
                continue
            text, digest, first = next(documents)
            if digest in wordless:
                why = "no words" if text.compact else "empty"
                counted.skip(one.skip(why), one.path)
                continue
            if first:
                if self._seen is not None:
                    self._seen.add(digest)
                counted.digests += text.digest
                counted.lengths.append(len(text.compact))
                firsts.append(text)
            counted.documents.append(one._replace(text=""))
            taken.append((one, text))
            counted.sizes.append(_bytes_of(one.text))
            counted.text_digests += digest
            counted.first_seen.append(first)
        if self.options.extras is not None:
            counted.extras = [self.options.extras(*one) for one in taken]
        if self.options.titles or self.options.title_keys:
            counted.titles = BatchTitles.of(taken, self.options.title_keys)
        if self.options.seeds:
            counted.seeds = text_seeds(list(compress(folded, counts.sizes)))
        return self._signed(counted, firsts)

    def _signed(
        self, counted: CountedBatch, firsts: list[PreparedText]
    ) -> tuple[CountedBatch, list[str]]:
        """Add what the texts that occur for the first time are found by, and return these texts."""
        if self._shingler is not None and self.options.signatures is not None:
            sets = self._shingler.sets(list(map(self._shingler.text_of, firsts)))
            counted.signatures = minhash_signatures(sets, self.options.signatures)
        if self.options.forms is not None:
            counted.forms = make_forms(firsts, self.options.forms)
        return counted, [text.folded for text in firsts]

    def _first_seen(self, digests: list[bytes]) -> list[bool]:
        """Return which texts are the first with their digest, so that they are counted."""
        if self._seen is None:
            return [True] * len(digests)
        here = {digest: i for i, digest in reversed(list(enumerate(digests)))}
        return [here[d] == i and d not in self._seen for i, d in enumerate(digests)]

    def _spooled(
        self, done: tuple[CountedBatch, list[str]], writer: SpoolWriter | None
    ) -> CountedBatch:
        """Move the texts and the count entries of a batch to the spool."""
        counted, texts = done
        if writer is None:
            return counted
        spooled = texts if self.options.texts else []
        contents = [text.encode("utf-8", "surrogatepass") for text in spooled]
        contents += [bytes(counted.counts.columns), bytes(counted.counts.counts)]
        *slots, columns, occurrences = writer.write(contents)
        counted.slots.extend(chain.from_iterable(slots))
        counted.counts = replace(counted.counts, columns=columns, counts=occurrences)
        if counted.seeds is not None:
            (counted.seed_slot,) = writer.write([counted.seeds.hashes.tobytes()])
            counted.seeds = counted.seeds._replace(hashes=np.zeros(0, np.uint64))
        if counted.titles is not None and not self.options.title_keys:
            (counted.titles.slot,) = writer.write([counted.titles.lines])
            counted.titles.lines = b""
        return counted
