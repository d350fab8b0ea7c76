"""Documents, or fingerprint lines, to the rows of an index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from simdup.corpus.batches import Batch, TextBatch, read
from simdup.corpus.fingerprint_lines import FingerprintLines, read_lines
from simdup.errors import SimdupError
from simdup.features.counts import Counts
from simdup.features.idf import Idf
from simdup.fingerprints.fingerprinter import sketch
from simdup.index.columns import Rows, contents_of, name_keys, numbers, text_hash, text_rows
from simdup.index.store import Numbers
from simdup.ingest.counting import Corpus, CountDocuments, Counted, Intake, Wanted, count_batches
from simdup.lsh.bbit import SIZE, byte_sketch
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading
from simdup.model.recipe import Recipe
from simdup.operations.scan import NO_WORDS
from simdup.verify.resemblance import shingles

_TAKEN = "left out, add it again: another record has taken the name"

Sources = str | Iterable[str] | Iterable[tuple[str, str]] | Iterable[tuple[str, int]]


def stand_in(document: Document, solid: str) -> bytes:
    """Return what stays of a text: a hash of it as it was, and a sketch of it as it is verified."""
    return text_hash(document.text) + byte_sketch(shingles(solid)).tobytes()


class _CountChanged:
    """Makes a function that counts the documents of a batch but those that are known."""

    def __init__(self, count: CountDocuments, reading: Reading, known: Numbers) -> None:
        self._count, self._reading, self._known = count, reading, known

    def __call__(self, number: int) -> Callable[[Batch], Counted]:
        """Return the function for the process of that number."""
        count = self._count(number)
        return lambda batch: self._changed(batch, count)

    def _changed(self, batch: Batch, count: Callable[[Batch], Counted]) -> Counted:
        found = list(read(batch, self._reading))
        documents = [one for one in found if isinstance(one, Document)]
        skipped = [one for one in found if isinstance(one, Skipped)]
        keys = name_keys(document.name for document in documents)
        texts = numbers(b"".join(text_hash(document.text) for document in documents))
        known = self._known.contain(contents_of(keys, texts[:, None])).tolist()
        pairs = list(zip(documents, known, strict=True))
        counted = count(TextBatch(tuple(one for one, same in pairs if not same), batch.size))
        unchanged = [one._replace(text="") for one, same in pairs if same]
        return counted._replace(skipped=skipped + counted.skipped, unchanged=unchanged)


def corpora(
    intake: Intake,
    recipe: Recipe,
    reading: Reading,
    known: Numbers | None = None,
) -> Iterator[tuple[Corpus, int]]:
    """Yield documents batch by batch, and how many were known and left out."""
    taken: set[str] = set()
    same: set[str] = set()  # those of `taken` that unchanged documents have
    wanted = Wanted(apart=True, also=stand_in)
    count = CountDocuments(recipe, reading, intake.effort.segmenter, wanted)
    work = count if known is None else _CountChanged(count, reading, known)
    for _, counted in count_batches(intake, work):
        corpus = Corpus()
        for document in counted.unchanged:
            name, place = document.name, f"{document.path}#{document.record}"
            if not document.record or name == place:
                continue
            if name in taken and name not in same:
                # Two records of one name, of which the other has changed and came first.
                corpus.skipped.append(Skipped(place, f"{_TAKEN} {name!r}", error=True))
                continue
            taken.add(name)
            same.add(name)
        corpus.add(0, counted, taken)
        yield corpus, len(counted.unchanged)


def to_rows(corpus: Corpus, counts: Counts, idf: Idf, recipe: Recipe) -> tuple[Rows, list[Skipped]]:
    """Fingerprint counted documents; those without words are skipped."""
    sketched = sketch(counts, idf, recipe)
    worded = np.flatnonzero(sketched.terms)
    wordless = np.flatnonzero(sketched.terms == 0).tolist()
    skipped = [Skipped(corpus.names[i], NO_WORDS) for i in wordless]
    at = worded.tolist()
    stays = np.frombuffer(b"".join(corpus.also[i] for i in at), np.uint8).reshape(-1, 8 + SIZE)
    rows = text_rows(
        [corpus.names[i] for i in at],
        sketched.values[worded],
        numbers(stays[:, :8].tobytes()),
        [corpus.lengths[i] for i in at],
        sketched.terms[worded],
        stays[:, 8:],
    )
    return rows, corpus.skipped + skipped


def read_fingerprints(sources: Sources, bits: int, digest: str) -> FingerprintLines:
    """Read fingerprint lines from files, or take names and numbers of bits and digest as given."""
    given: list[Any] = [sources] if isinstance(sources, str) else list(sources)
    if not given:
        return FingerprintLines([], np.zeros((0, -(-bits // 64)), np.uint64), bits, digest)
    if isinstance(given[0], str):
        return read_lines(given)
    size = -(-bits // 64) * 8
    try:
        packed = b"".join(value.to_bytes(size, "big") for _, value in given)
        if any(value >> bits for _, value in given):
            raise OverflowError
    except OverflowError:
        raise SimdupError("fingerprints", f"not all are numbers of {bits} bits") from None
    values = np.frombuffer(packed, ">u8").astype(np.uint64).reshape(len(given), -1)
    return FingerprintLines([name for name, _ in given], values, bits, digest)
