"""Where the documents of a run come from, so that some of them can be read again."""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from simdup.corpus.batches import Batch, batches, read, text_batches
from simdup.corpus.record_batches import RecordBatch
from simdup.corpus.sources import STDIN, File
from simdup.features.analyzer import Analyzer
from simdup.fingerprints.fingerprinter import Fingerprinter
from simdup.ingest.corpus import Corpus
from simdup.ingest.sources import Input
from simdup.model.criteria import Criteria
from simdup.model.documents import Document
from simdup.model.reading import Reading


@dataclass(frozen=True)
class Origins:
    """Where the documents of a run come from; documents go by their number."""

    names: Sequence[str]
    paths: Sequence[str]  # of their files; empty for texts that were passed from Python
    records: Sequence[int]  # numbers in files of records, from 1; 0 for a file of its own
    digests: NDArray[np.void]  # of their compact texts, of `DIGEST_TYPE`
    sizes: Sequence[int]  # bytes of their texts as far as they are known
    files: Sequence[File]
    # Names and texts that were given or read before; their documents follow those of `files`.
    texts: Sequence[tuple[str, str]]
    reading: Reading
    criteria: Criteria
    analyzer: Analyzer
    fingerprinter: Fingerprinter | None  # None where only fingerprints are known
    # By cluster, positions of its members, the first to keep first; a missing one is in order.
    order: Mapping[int, Sequence[int]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        opened: Input,
        corpus: Corpus,
        fingerprinter: Fingerprinter,
        order: Mapping[int, Sequence[int]],
    ) -> Origins:
        """Return the origins of a corpus that was read."""
        return cls(
            corpus.names, corpus.paths, corpus.records, corpus.digests, _sizes(opened, corpus),
            opened.files, opened.texts, opened.settings.reading, opened.settings.criteria,
            corpus.analyzer, fingerprinter, order,
        )  # fmt: skip

    def read_again(self, numbers: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Yield (number, text) of documents, file by file; what cannot be read again is missing."""
        wanted: dict[str, dict[int, int]] = {}
        given: set[int] = set()
        held = {file.path for file in self.files}
        for number in numbers:
            if self.paths[number] in held:
                wanted.setdefault(self.paths[number], {})[self.records[number]] = number
            else:
                given.add(number)
        for file in self.files:
            if file.path in wanted and _rewind(file):
                yield from _read(batches([file], self.reading), wanted[file.path], self.reading)
        if given:
            yield from self._given(given, held)

    def _given(self, wanted: set[int], held: set[str]) -> Iterator[tuple[int, str]]:
        """Yield texts that were given; those that were skipped have no number."""
        number = next(i for i, path in enumerate(self.paths) if path not in held)
        for name, text in self.texts:
            if number < len(self.names) and self.names[number] == name:
                for batch in text_batches([(name, text)] if number in wanted else []):
                    for one in read(batch, self.reading):
                        if isinstance(one, Document):
                            yield number, one.text
                number += 1


def _sizes(opened: Input, corpus: Corpus) -> array[int]:
    """Return the bytes of documents: those of files, else those of folded texts, else 0."""
    slots = corpus.slots
    sizes = array("q", slots[:, 2].tobytes() if len(slots) else bytes(8 * len(corpus)))
    whole = {file.path: file.size for file in opened.files if not file.compression}
    for number in np.flatnonzero(np.asarray(corpus.records) == 0).tolist():
        sizes[number] = whole.get(corpus.paths[number], sizes[number])
    return sizes


def _read(
    found: Iterable[Batch], wanted: dict[int, int], reading: Reading
) -> Iterator[tuple[int, str]]:
    """Yield the wanted records; a batch without any is not parsed."""
    for batch, following in pairwise(chain(found, [None])):
        if batch is None:
            return
        if isinstance(batch, RecordBatch):
            last = following.record if isinstance(following, type(batch)) else sys.maxsize
            if not any(batch.record <= record < last for record in wanted):
                continue
        for one in read(batch, reading):
            if isinstance(one, Document) and one.record in wanted:
                yield wanted[one.record], one.text


def _rewind(file: File) -> bool:
    """Go to the beginning of standard input; return whether a file can be read again."""
    if file.path != STDIN or file.content_path:
        return True
    with suppress(OSError, ValueError):
        os.lseek(sys.stdin.fileno(), 0, os.SEEK_SET)
        return True
    return False
