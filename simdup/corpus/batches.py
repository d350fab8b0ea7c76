"""Read files as documents, in batches, so that several processes can read at once.

The parent cuts the work into batches without parsing texts (`batches`); the process that receives
a batch turns it into documents (`read`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import IO, Any, TypeGuard

from simdup.base.errors import reason
from simdup.corpus.addresses import find_record
from simdup.corpus.compression import decompress
from simdup.corpus.decoding import decode
from simdup.corpus.encoding_detection import NotText
from simdup.corpus.files import STDIN, File
from simdup.corpus.formats import OFFICE
from simdup.corpus.html import decode_html, extract_text, page_text, page_title
from simdup.corpus.lines import BATCH_BYTES
from simdup.corpus.opening import open_regular, read_up_to
from simdup.corpus.own_results import is_own_result, leave_out
from simdup.corpus.parquet import cut_parquet
from simdup.corpus.record_batches import ArrayBatch, LineBatch, RecordBatch, cut_records
from simdup.corpus.records import Texts, join_texts, read_records, without_surrogates
from simdup.model.documents import Document, Skipped
from simdup.model.settings import Reading

# This many small files take about as long as a batch of `BATCH_BYTES`.
BATCH_FILES = 256


@dataclass(frozen=True, slots=True)
class FileBatch:
    """Files that are one document each."""

    files: tuple[File, ...]
    size: int


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Documents that are already in memory."""

    documents: tuple[Document, ...]
    size: int


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Texts that were passed from Python, with what else was asked for."""

    first: int  # number of the first one, from 1
    names: Sequence[str]  # their ids as text
    texts: Sequence[Texts | Skipped]  # or why there is none
    size: int
    # By the field of `Document`: `value`, `group` and `title`, those that are asked for.
    columns: Mapping[str, Sequence[Any]]
    repeated: frozenset[str]  # names that an earlier text has


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file, or the rest of one, that cannot be read."""

    skipped: Skipped
    size: int = 0
    path: str = ""  # of the file


Batch = FileBatch | RecordBatch | TextBatch | RowBatch | Unreadable


def batches(files: Iterable[File], reading: Reading) -> Iterator[Batch]:
    """Cut files into batches, in order.

    The first batches are small, so that streamed results begin at once.
    """
    pending: list[File] = []
    size = 0
    most = 1
    for file in files:
        if file.records or file.path == STDIN:
            if pending:
                yield FileBatch(tuple(pending), size)
                pending, size = [], 0
            if file.record:
                yield _record_batch(file, reading)
            elif file.records:
                yield from _record_batches(file, reading)
            else:
                yield FileBatch((file,), file.size)
            continue
        pending.append(file)
        size += file.size
        if size >= BATCH_BYTES or len(pending) >= most:
            yield FileBatch(tuple(pending), size)
            pending, size = [], 0
            most = min(2 * most, BATCH_FILES)
    if pending:
        yield FileBatch(tuple(pending), size)


def _cut(file: File, stream: IO[bytes], reading: Reading) -> Iterator[RecordBatch | Skipped]:
    if file.format == "parquet":
        return cut_parquet(file, stream, reading)
    return cut_records(file, stream, reading)


def _record_batch(file: File, reading: Reading) -> Batch:
    """Return the only record of a file that is wanted: it is found here, as its text is here."""
    try:
        with open_content(file) as (stream, _):
            found = find_record(_cut(file, stream, reading), file, reading)
    except OSError as error:
        found = Skipped(file.address, reason(error), error=True)
    if isinstance(found, Document) and reading.html:
        found = _of_page(found, reading)
    if isinstance(found, Skipped):
        return Unreadable(found, path=file.path)
    return TextBatch((found,), file.size)


def _record_batches(file: File, reading: Reading) -> Iterator[Batch]:
    try:
        with open_content(file) as (stream, raw):
            done = raw.tell() if file.member else 0
            for batch in _cut(file, stream, reading):
                if isinstance(batch, Skipped):
                    yield Unreadable(batch, path=file.path)
                elif _is_compressed(batch):
                    done, before = raw.tell(), done
                    yield replace(batch, size=done - before)
                else:
                    yield batch
    except OSError as error:
        yield Unreadable(Skipped(file.path, reason(error), error=True), path=file.path)


def _is_compressed(batch: RecordBatch) -> TypeGuard[LineBatch | ArrayBatch]:
    """Return whether a batch took fewer bytes of its file; that of standard input has no size."""
    file = batch.file
    return (
        isinstance(batch, LineBatch | ArrayBatch) and bool(file.compression) and file.path != STDIN
    )


@contextmanager
def open_content(file: File) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file; return streams of its decompressed and of its raw content."""
    if file.path == STDIN and not file.content_path:
        raw: IO[bytes] = open(sys.stdin.fileno(), "rb", closefd=False)  # noqa: SIM115
    else:
        raw = _open(file)
    with raw, _unpacked(raw, file) as packed, decompress(packed, file.compression) as content:
        yield content, raw


def _unpacked(raw: IO[bytes], file: File) -> AbstractContextManager[IO[bytes]]:
    if file.member is None:
        return nullcontext(raw)
    from simdup.corpus.zipped import open_part

    return open_part(raw, file.member.part)


def _open(file: File) -> IO[bytes]:
    path = file.content_path or (file.member.archive if file.member else file.path)
    return open_regular(path) if file.regular else open(path, "rb")


def read(batch: Batch, reading: Reading) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch, and those that cannot be read."""
    if isinstance(batch, Unreadable):
        yield batch.skipped
    elif isinstance(batch, TextBatch):
        for document in batch.documents:
            yield document._replace(text=without_surrogates(document.text))
    elif isinstance(batch, FileBatch):
        for file in batch.files:
            yield read_file(file, reading)
    else:
        found = _rows(batch) if isinstance(batch, RowBatch) else read_records(batch, reading)
        for one in found:
            yield _of_page(one, reading) if reading.html and isinstance(one, Document) else one


def _rows(batch: RowBatch) -> Iterator[Document | Skipped]:
    for i, texts in enumerate(batch.texts):
        if isinstance(texts, Skipped):
            yield texts
            continue
        text, lacking, head = join_texts(texts)
        yield Document(
            batch.names[i],
            text,
            record=batch.first + i,
            lacking=lacking,
            head=head,
            **{name: column[i] for name, column in batch.columns.items()},
        )


def read_file(file: File, reading: Reading) -> Document | Skipped:
    """Read one file as one document."""
    if file.size > file.max_size and not file.compression:
        return Skipped(file.path, file.too_large, error=True)
    try:
        with open_content(file) as (stream, _):
            content = read_up_to(stream, file.max_size + 1)
    except OSError as error:
        return Skipped(file.path, reason(error), error=True)
    if len(content) > file.max_size:
        return Skipped(file.path, file.too_large, error=True)
    if file.walked and is_own_result(content):
        return leave_out(file.path)
    if file.format in OFFICE:
        from simdup.corpus.office import read_office

        return read_office(file, content)
    html = file.format == "html"
    try:
        decoded = (decode_html if html else decode)(content, reading.encoding)
    except NotText as error:
        return Skipped(file.path, str(error))
    document = Document(file.path, decoded.text, file.modified, decoded.note, path=file.path)
    return _of_page(document, reading) if html else document


def _of_page(page: Document, reading: Reading) -> Document | Skipped:
    """Return the document with the text of a page, or skip a page without main text."""
    text, note = page_text(page.text, reading.extract)
    if reading.extract == "main" and not text.strip() and extract_text(page.text, "all"):
        return page.skip("no main text found: set `extract` to all")
    title = page_title(page.text) if page.title is None else page.title
    note = "; ".join(filter(None, (page.note, note)))
    return page._replace(text=text, note=note, title=title)
