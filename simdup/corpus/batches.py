"""Read files as documents, in batches, so that several processes can read at once.

The parent cuts the work into batches without parsing texts (`batches`); the process that receives
a batch turns it into documents (`read`).

One record of a file is addressed as ``train.jsonl#5``, by its number or by its own name.
"""

from __future__ import annotations

import sys
import zlib
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib import import_module
from itertools import chain
from typing import IO, Any, NamedTuple, cast

from simdup.base.errors import SimdupError, reason
from simdup.base.regular_files import open_regular, read_up_to
from simdup.corpus.compression import decompress
from simdup.corpus.decoding import NotReadable
from simdup.corpus.files import STDIN, File
from simdup.corpus.formats import format_within, reader_of
from simdup.corpus.lines import BATCH_BYTES
from simdup.corpus.patterns import is_own_result, leave_out
from simdup.corpus.record_batches import (
    RawBatch,
    RecordBatch,
    cut_array,
    cut_json,
)
from simdup.corpus.records import Texts, join_texts, read_records, without_surrogates
from simdup.model.documents import Document, NoField, Skipped
from simdup.model.settings import Reading

Cut = RecordBatch | Skipped

# Names before and behind a mistyped one in their order, among which those like it are looked for:
# of long ones a thousand take 0.7 s.
_NEAR = 200


def find_record(cuts: Iterable[Cut], file: File, reading: Reading) -> Document | Skipped:
    """Return the record that `file.record` names, or what is said where there is none.

    Records count from 1, as in their names.  With `Reading.id_field` the first record of that name
    is taken, and the one of that number only where no record has the name.  Nothing is read behind
    a record that decides.

    Parameters
    ----------
    cuts : iterable of (RecordBatch or Skipped)
        The file, cut into batches.
    file : File
        A file of records of which one is wanted.
    reading : Reading
        How the file is read.
    """
    number = _number(file.record)
    # For a name, all are counted.
    if reading.id_field is None and number > 0:
        cuts = _batches_around(cuts, number)
    names: list[str] = []
    numbered = unnamed = None
    last = 0
    for one in _read_all(cuts, reading):
        if isinstance(one, Skipped) and one.document == file.path:
            # The rest of the file cannot be read.
            return numbered or replace(one, document=file.address)
        last = _number_of(one)
        if last == number:
            numbered = one
            if reading.id_field is None:
                break
        if isinstance(one, NoField) and one.argument == "id_field":
            unnamed = one
        elif isinstance(one, Document) and reading.id_field is not None:
            if one.name == file.record:
                return one
            names.append(one.name)
    if numbered:
        return numbered
    if unnamed and not names:
        return unnamed
    return Skipped(file.address, _missing(file.record, last, names), error=True)


def _number(record: str) -> int:
    """Return the number of a record, or -1 for a name; no file has numbers of 18 digits."""
    plain = record.isascii() and record.isdigit() and len(record) < 18
    # A name such as 01 is not a number: nothing else calls the record so.
    return int(record) if plain and record[0] != "0" else -1


def _number_of(one: Document | Skipped) -> int:
    if isinstance(one, Document):
        return one.record
    return int(one.document.rpartition("#")[2])


def _batches_around(cuts: Iterable[Cut], number: int) -> Iterator[Cut]:
    """Yield the batch that may hold the record of a number, so that no other is parsed.

    What was skipped while cutting is yielded too.
    """
    held: RecordBatch | None = None
    for cut in cuts:
        if isinstance(cut, Skipped):
            if held is not None:
                yield held
                held = None
            yield cut
        elif held is not None and cut.record > number:
            break
        else:
            held = cut
    if held is not None:
        yield held


def _read_all(cuts: Iterable[Cut], reading: Reading) -> Iterator[Document | Skipped]:
    return chain.from_iterable(
        [cut] if isinstance(cut, Skipped) else read_records(cut, reading) for cut in cuts
    )


def _missing(record: str, last: int, names: list[str]) -> str:
    """Return why there is no such record, and which are near."""
    if not names:
        return f"no such record: there are {last:,}, counted from 1"
    names.sort()
    at = bisect(names, record)
    near = get_close_matches(record, names[max(0, at - _NEAR) : at + _NEAR], cutoff=0.5)
    like = f"; near it: {', '.join(map(repr, near))}"
    return f"no such record among {last:,}{like if near else ''}"


# This many small files take about as long as a batch of `BATCH_BYTES`.
BATCH_FILES = 256


@dataclass(frozen=True, slots=True)
class FileBatch:
    """Files that are one document each."""

    files: tuple[File, ...]
    size: int


@dataclass(frozen=True, slots=True)
class TextBatch:
    """Documents that are already in memory, or why there is none."""

    documents: tuple[Document | Skipped, ...]
    size: int = 0
    path: str = ""  # of the file, if they are of one


@dataclass(frozen=True, slots=True)
class RowBatch:
    """Texts that were passed from Python, with what else was asked for."""

    first: int  # number of the first one, from 1
    names: Sequence[str]  # their ids as text
    texts: Sequence[Texts | Skipped]  # or why there is none
    size: int
    # By the field of `Document`: `value`, `groups` and `title`, those that are asked for.
    columns: Mapping[str, Sequence[Any]]
    repeated: frozenset[str]  # names that an earlier text has


class PackedText(NamedTuple):
    """A text of an index."""

    name: str
    content: bytes  # compressed: see `pack_text`
    size: int  # bytes as UTF-8


@dataclass(frozen=True, slots=True)
class PackedBatch:
    """Documents of an index: whoever reads the batch unpacks their texts."""

    texts: Sequence[PackedText]
    size: int
    where: str  # the path of the index


Batch = FileBatch | RecordBatch | TextBatch | RowBatch | PackedBatch


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


# What cuts a file of records, by its format; the modules of some are imported where there is one.
_CUTTERS: Mapping[str, Callable[[File, IO[bytes], Reading], Iterator[Cut]]] = {
    "jsonl": cut_json, "json": cut_array,
}  # fmt: skip


def _cut(file: File, stream: IO[bytes], reading: Reading) -> Iterator[Cut]:
    """Cut a file of records into batches."""
    if file.format in _CUTTERS:
        return _CUTTERS[file.format](file, stream, reading)
    if file.format == "parquet":
        cut = import_module("simdup.corpus.parquet").cut_parquet
    else:
        cut = import_module("simdup.corpus.delimited").cut_csv
    return cast(Iterator[Cut], cut(file, stream, reading))


def _record_batch(file: File, reading: Reading) -> Batch:
    """Return the only record of a file that is wanted; it is found where the text is read."""
    try:
        with open_content(file) as (stream, _):
            found = find_record(_cut(file, stream, reading), file, reading)
    except OSError as error:
        found = Skipped(file.address, reason(error), error=True)
    if isinstance(found, Document) and reading.html:
        found = _of_page(found, reading)
    size = 0 if isinstance(found, Skipped) else file.size
    return TextBatch((found,), size=size, path=file.path)


def _record_batches(file: File, reading: Reading) -> Iterator[Batch]:
    try:
        with open_content(file) as (stream, raw):
            done = raw.tell() if file.member else 0
            for batch in _cut(file, stream, reading):
                if isinstance(batch, Skipped):
                    yield TextBatch((batch,), path=file.path)
                elif isinstance(batch, RawBatch) and batch.other_size and file.path != STDIN:
                    # It took fewer or more bytes of its file; standard input has no size.
                    done, before = raw.tell(), done
                    yield replace(batch, size=done - before)
                else:
                    yield batch
    except OSError as error:
        yield TextBatch((Skipped(file.path, reason(error), error=True),), path=file.path)


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
    from simdup.corpus.archives import open_part

    return open_part(raw, file.member.part)


def _open(file: File) -> IO[bytes]:
    path = file.content_path or (file.member.archive if file.member else file.path)
    return open_regular(path) if file.regular else open(path, "rb")


def read(batch: Batch, reading: Reading) -> Iterator[Document | Skipped]:
    """Yield the documents of a batch, and those that cannot be read."""
    if isinstance(batch, TextBatch):
        for one in batch.documents:
            if isinstance(one, Document):
                one = one._replace(text=without_surrogates(one.text))
            yield one
    elif isinstance(batch, FileBatch):
        for file in batch.files:
            yield read_file(file, reading)
    elif isinstance(batch, PackedBatch):
        for name, packed, size in batch.texts:
            try:
                yield Document(name, unpack_text(packed, size))
            except ValueError as error:
                what = f"the index is damaged (the text of {name}: {error})"
                raise SimdupError(batch.where, what, "build it again from its sources") from None
    else:
        found = _rows(batch) if isinstance(batch, RowBatch) else read_records(batch, reading)
        for one in found:
            yield _of_page(one, reading) if reading.html and isinstance(one, Document) else one


def pack_text(text: str) -> bytes:
    """Return the bytes that `unpack_text` makes a text of."""
    # 98 MB of laws and prose take 39 MB at level 6 in 7 s, 44 MB at level 1 in 2.5 s.
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 6)


def unpack_text(packed: bytes, size: int) -> str:
    """Return a text of this size in bytes; raise ValueError if it has another."""
    stream = zlib.decompressobj()
    try:
        # One byte more shows that it is longer; how much longer does not matter.
        content = stream.decompress(packed, size + 1)
    except (zlib.error, OverflowError) as error:
        raise ValueError(str(error)) from None
    if len(content) != size or not stream.eof or stream.unused_data:
        raise ValueError("it has another size")
    return content.decode("utf-8", "surrogatepass")


def _rows(batch: RowBatch) -> Iterator[Document | Skipped]:
    for i, texts in enumerate(batch.texts):
        if isinstance(texts, Skipped):
            yield texts
            continue
        text, lacking = join_texts(texts)
        yield Document(
            batch.names[i],
            text,
            record=batch.first + i,
            lacking=lacking,
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
    return read_content(file, content, reading)


def read_content(file: File, content: bytes, reading: Reading) -> Document | Skipped:
    """Return the document in a file with this content."""
    kind = format_within(content, file, reading)
    try:
        text, title, note = reader_of(kind)(content, replace(file, format=kind.name), reading)
    except NotReadable as error:
        return Skipped(file.path, str(error), error=error.error, hint=error.hint)
    except RecursionError:
        return Skipped(file.path, "nested too deeply", error=True)
    return Document(file.path, text, file.modified, note, path=file.path, title=title)


def _of_page(record: Document, reading: Reading) -> Document | Skipped:
    """Return the document of a record whose text is a page."""
    html = import_module("simdup.corpus.html")
    try:
        text, title, note = html.of_page(record.text, reading.extract)
    except NotReadable as error:
        return replace(record.skip(str(error)), error=error.error, hint=error.hint)
    title = title if record.title is None else record.title
    note = "; ".join(filter(None, (record.note, note)))
    return record._replace(text=text, note=note, title=title)
