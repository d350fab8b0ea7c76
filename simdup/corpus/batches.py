"""From files to documents: in batches, so that several processes can read side by side.

The parent cuts the work into batches without looking into texts (`batches`); whoever has a batch
makes documents of it (`read`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import IO

from simdup.corpus.compression import unpacked
from simdup.corpus.decoding import decode
from simdup.corpus.encoding_detection import NotText
from simdup.corpus.html import decode_html, require_justext, text_of
from simdup.corpus.records import (
    BATCH_BYTES,
    Lines,
    Rows,
    line_batches,
    read_lines,
    read_rows,
    without_surrogates,
)
from simdup.corpus.sources import RECORDS, STDIN, File
from simdup.model.documents import Document, Skipped
from simdup.model.reading import Reading

# So many small files take about as long as a batch of `BATCH_BYTES`.
BATCH_FILES = 256


@dataclass(frozen=True, slots=True)
class Files:
    """A batch of files, a document each."""

    files: tuple[File, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Texts:
    """A batch of documents that are there already."""

    documents: tuple[Document, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What a file turned out to be instead of a batch."""

    skipped: Skipped
    size: int = 0


Batch = Files | Lines | Rows | Texts | Unreadable


def batches(files: Iterable[File], reading: Reading) -> Iterator[Batch]:
    """Cut files into batches, in order.

    The first are small, so that results that stream begin at once.
    """
    held: list[File] = []
    size = 0
    most = 1
    for file in files:
        if file.records or file.path == STDIN:
            if held:
                yield Files(tuple(held), size)
                held, size = [], 0
            if file.records:
                yield from _record_batches(file, reading)
            else:
                yield Files((file,), file.size)
            continue
        held.append(file)
        size += file.size
        if size >= BATCH_BYTES or len(held) >= most:
            yield Files(tuple(held), size)
            held, size = [], 0
            most = min(2 * most, BATCH_FILES)
    if held:
        yield Files(tuple(held), size)


def text_batches(texts: Iterable[tuple[str, str]]) -> Iterator[Batch]:
    """Cut named texts into batches, in order."""
    held: list[Document] = []
    size = 0
    for name, text in texts:
        held.append(Document(name, text))
        size += len(text)
        if size >= BATCH_BYTES or len(held) >= BATCH_FILES:
            yield Texts(tuple(held), size)
            held, size = [], 0
    if held:
        yield Texts(tuple(held), size)


def _record_batches(file: File, reading: Reading) -> Iterator[Batch]:
    try:
        with opened(file) as (stream, raw):
            if file.form == "parquet":
                from simdup.corpus.parquet import row_batches

                found: Iterable[Lines | Rows | Skipped] = row_batches(file, stream, reading)
            else:
                found = line_batches(file, stream, reading)
            done = 0
            for batch in found:
                if isinstance(batch, Skipped):
                    yield Unreadable(batch)
                elif isinstance(batch, Lines) and file.packing and file.path != STDIN:
                    done, before = raw.tell(), done
                    yield replace(batch, size=done - before)
                else:
                    yield batch
    except OSError as error:
        yield Unreadable(_unreadable(file.path, error))


@contextmanager
def opened(file: File) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file; give its content, unpacked, and the file as it is."""
    if file.path == STDIN and not file.place:
        raw: IO[bytes] = open(sys.stdin.fileno(), "rb", closefd=False)  # noqa: SIM115
    else:
        raw = open(file.place or file.path, "rb")  # noqa: SIM115
    with raw, unpacked(raw, file.packing) as content:
        yield content, raw


def read(batch: Batch, reading: Reading) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch, and what cannot be one."""
    if isinstance(batch, Unreadable):
        yield batch.skipped
    elif isinstance(batch, Texts):
        for document in batch.documents:
            yield document._replace(text=without_surrogates(document.text))
    elif isinstance(batch, Lines | Rows):
        found = (
            read_lines(batch, reading) if isinstance(batch, Lines) else read_rows(batch, reading)
        )
        yield from _with_text(found, reading.extract) if reading.html else found
    else:
        for file in batch.files:
            yield read_file(file, reading)


def read_file(file: File, reading: Reading) -> Document | Skipped:
    """Read one file as one document."""
    try:
        with opened(file) as (stream, _):
            content = stream.read()
    except OSError as error:
        return _unreadable(file.path, error)
    html = file.form == "html"
    try:
        decoded = (decode_html if html else decode)(content, reading.encoding)
    except NotText as error:
        return Skipped(file.path, str(error))
    note = ""
    if decoded.replaced:
        plural = "s" if decoded.replaced > 1 else ""
        note = f"read as {decoded.encoding} with {decoded.replaced} bad character{plural} replaced"
    text = text_of(decoded.text, reading.extract) if html else decoded.text
    return Document(file.path, text, file.modified, note, path=file.path)


def _with_text(found: Iterable[Document | Skipped], extract: str) -> Iterator[Document | Skipped]:
    """Yield records, with the text of what is HTML in them."""
    for one in found:
        yield one if isinstance(one, Skipped) else one._replace(text=text_of(one.text, extract))


def require_extras(files: Iterable[File], reading: Reading) -> None:
    """Refuse files that need more than the core where that is missing.

    Raises
    ------
    SimdupError
        If it is not installed.
    """
    wanted = {file.form: file.path for file in reversed(list(files))}
    if "parquet" in wanted:
        from simdup.corpus.parquet import require_pyarrow

        require_pyarrow(wanted["parquet"])
    pages = [
        wanted[form] for form in wanted if form == "html" or (reading.html and form in RECORDS)
    ]
    if pages and reading.extract == "main":
        require_justext(pages[0])


def _unreadable(path: str, error: OSError) -> Skipped:
    return Skipped(path, (error.strerror or "cannot be read").lower(), error=True)
